/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of the HTML page (html_parts.h): percentiles, verdicts, sources and contributions.
 */
#include <inttypes.h>
#include <math.h>

#include "cli/present/figure/panel.h"
#include "cli/present/figure/html_parts.h"

static bool has_remarks(const struct plot *plot) {
  bool has = false;
  for (size_t i = 0; i < plot->rows.count; i++)
    has = has || plot->rows.data[i].model_based;
  return has;
}

static void append_row(struct text *out, const struct plot *plot, const struct plot_row *row) {
  text_append(out, row == &plot->rows.data[plot->chosen] ? "<tr class=\"chosen\">" : "<tr>");
  text_append(out, "<th scope=\"row\">p");
  plot_escape(out, row->percentile);
  text_append(out, "</th>");
  for (size_t c = 0; c < PLOT_COLUMNS; c++)
    if (plot_column_used(plot, c)) {
      text_append(out, "<td>");
      plot_value(out, plot_column(row, c), plot_column_up(c));
      text_append(out, "</td>");
    }
  if (has_remarks(plot))
    text_append(out, row->model_based ? "<td class=\"remark\">model-based, not proved</td>"
                                      : "<td></td>");
  text_append(out, "</tr>\n");
}

void report_html_percentiles(struct text *out, const struct plot *plot) {
  if (plot->rows.count == 0)
    return;
  text_append(out, "<section id=\"percentiles\">\n<h2>Percentiles</h2>\n<table>\n<thead><tr>"
                   "<th scope=\"col\">percentile</th>");
  for (size_t c = 0; c < PLOT_COLUMNS; c++)
    if (plot_column_used(plot, c))
      text_format(out, "<th scope=\"col\">%s</th>", plot_column_heading(c));
  text_append(out, has_remarks(plot) ? "<th scope=\"col\">remark</th>" : "");
  text_append(out, "</tr></thead>\n<tbody>\n");
  for (size_t i = 0; i < plot->rows.count; i++)
    append_row(out, plot, &plot->rows.data[i]);
  text_append(out, "</tbody>\n</table>\n</section>\n");
}

void report_html_verdicts(struct text *out, const struct plot *plot) {
  if (plot->verdicts.count == 0)
    return;
  text_append(out, "<section id=\"verdicts\">\n<ul>\n");
  for (size_t i = 0; i < plot->verdicts.count; i++) {
    const struct plot_verdict *verdict = &plot->verdicts.data[i];
    text_format(out, "<li class=\"%s\">",
                verdict->status == STATUS_OK        ? "good"
                : verdict->status == STATUS_REFUTED ? "bad"
                                                    : "open");
    plot_escape(out, verdict->about);
    text_append(out, ": <strong>");
    plot_escape(out, verdict->state);
    text_append(out, "</strong>");
    text_append(out, verdict->reason[0] == '\0' ? "" : ": ");
    plot_escape(out, verdict->reason);
    text_append(out, "</li>\n");
  }
  text_append(out, "</ul>\n</section>\n");
}

void report_html_sources(struct text *out, const struct plot *plot) {
  if (plot->sources.count == 0)
    return;
  text_append(out, "<section id=\"samples\">\n<h2>Measured</h2>\n<table>\n<thead><tr>"
                   "<th scope=\"col\">component</th><th scope=\"col\">samples</th></tr></thead>\n"
                   "<tbody>\n");
  for (size_t i = 0; i < plot->sources.count; i++) {
    text_append(out, "<tr><th scope=\"row\">");
    plot_escape(out, plot->sources.data[i].name);
    text_format(out, "</th><td>%" PRIu64 "</td></tr>\n", plot->sources.data[i].samples);
  }
  text_append(out, "</tbody>\n</table>\n</section>\n");
}

void report_html_contributions(struct text *out, const struct plot *plot) {
  if (plot->parts.count == 0 || plot->chosen >= plot->rows.count)
    return;
  const struct plot_row *row = &plot->rows.data[plot->chosen];
  text_append(out, "<section id=\"contributions\">\n<h2>Contributions to p");
  plot_escape(out, row->percentile);
  text_append(out, "</h2>\n<p>By how much the percentile would drop if a component took no time; "
                   "the drops need not add up.</p>\n<table>\n<thead><tr><th scope=\"col\">component"
                   "</th><th scope=\"col\">drop</th><th scope=\"col\">share</th></tr></thead>\n"
                   "<tbody>\n");
  for (size_t i = 0; i < plot->parts.count; i++) {
    const struct plot_part *part = &plot->parts.data[i];
    text_append(out, "<tr><th scope=\"row\">");
    plot_escape(out, part->name);
    text_append(out, "</th><td>");
    if (part->instead != NULL)
      plot_escape(out, part->instead);
    else
      plot_value(out, &part->drop, true);
    text_append(out, "</td><td class=\"bar\">");
    if (part->drop.given && part->drop.finite && row->upper.finite && row->upper.ns != 0) {
      double share = fmin(100, 100 * (double)part->drop.ns / (double)row->upper.ns);
      text_format(out, "<span style=\"width:%.1f%%\"></span>%.0f %%", 0.75 * share, share);
    }
    text_append(out, "</td></tr>\n");
  }
  text_append(out, "</tbody>\n</table>\n</section>\n");
}
