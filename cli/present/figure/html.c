/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/html.h"

#include <stdio.h>

#include "cli/present/figure/curve.h"
#include "show/page.h"
#include "cli/present/figure/panel.h"
#include "cli/present/figure/parts.h"
#include "cli/present/figure/html_parts.h"

#define PANEL_WIDTH 640.0
#define PANEL_HEIGHT 460.0
#define CHAIN_WIDTH 1100.0

static void append_head(struct text *out, const struct plot *plot) {
  page_begin(out, plot->title, "percentiles");
  page_line(out, plot->expression, true);
  page_line(out, plot->statement, false);
  page_line(out, plot->made, true);
  text_append(out, "</header>\n");
  report_html_verdicts(out, plot);
}

static void append_panel(struct text *out, const struct plot *plot, enum panel_kind kind,
                         const char *prefix) {
  struct text about;
  text_init(&about);
  plot_describe(&about, plot);
  struct drawing drawing;
  drawing_init(&drawing, PANEL_WIDTH, PANEL_HEIGHT, panel_heading(kind), about.data);
  struct panel_axes axes = panel_draw(&drawing, plot, kind, 0, 0, drawing.width, drawing.height);
  text_format(out,
              "<figure tabindex=\"0\" aria-label=\"%s. Left and right arrow keys read the curves; "
              "shift: ten points at once; Home and End.\" data-unit=\"%s\" data-ns=\"%.17g\" "
              "data-time=\"%d %.17g %.17g %.17g %.17g\" "
              "data-share=\"%d %.17g %.17g %.17g %.17g\">\n",
              panel_heading(kind), axes.unit.name, axes.unit.ns, axes.time.logarithmic,
              axes.time.low, axes.time.high, axes.time.from, axes.time.to, axes.share.logarithmic,
              axes.share.low, axes.share.high, axes.share.from, axes.share.to);
  char id[48];
  snprintf(id, sizeof id, "%s%s", prefix, kind == PANEL_BODY ? "body" : "tail");
  drawing_to_svg(out, &drawing, id);
  text_append(out, "<output aria-live=\"polite\"></output>\n</figure>\n");
  drawing_clear(&drawing);
  text_clear(&about);
}

static void append_legend(struct text *out, const struct plot *plot, const char *prefix) {
  bool model = false;
  text_append(out, "<ul class=\"legend\">\n");
  for (size_t i = 0; i < plot->curves.count; i++) {
    const struct plot_curve *curve = &plot->curves.data[i];
    if (!curve_in_legend(plot, curve))
      continue;
    struct drawing swatch;
    struct text note;
    text_init(&note);
    drawing_init(&swatch, 34, 14, curve->name, "");
    panel_swatch(&swatch, curve->kind, 2, 7, 30);
    text_append(out, "<li>");
    char id[48];
    snprintf(id, sizeof id, "%scurve%zu", prefix, i);
    drawing_to_svg(out, &swatch, id);
    plot_escape(out, curve->name);
    if (curve_note(&note, curve)) {
      text_append(out, " <small>");
      plot_escape(out, note.data);
      text_append(out, "</small>");
    }
    text_append(out, "</li>\n");
    model = model || curve->model_tail != 0;
    drawing_clear(&swatch);
    text_clear(&note);
  }
  if (model)
    text_append(out, "<li>dotted parts: model-based, not proved</li>\n");
  text_append(out, "</ul>\n");
}

static void append_components(struct text *out, const struct plot *plot) {
  size_t drawn = 0;
  for (size_t i = 0; i < plot->sources.count; i++) {
    struct drawing drawing;
    char id[32];
    if (!component_is_measured(&plot->sources.data[i]))
      continue;
    if (drawn++ == 0)
      text_append(out, "<section id=\"components\">\n<h2>Components</h2>\n<p>How much of each "
                       "takes longer than t, on common axes.</p>\n<div class=\"small\">\n");
    component_draw(&drawing, plot, &plot->sources.data[i]);
    snprintf(id, sizeof id, "component%zu", i);
    drawing_to_svg(out, &drawing, id);
    drawing_clear(&drawing);
  }
  text_append(out, drawn == 0 ? "" : "</div>\n</section>\n");
}

static void append_chain(struct text *out, const struct plot *plot) {
  if (plot->links.count == 0)
    return;
  struct drawing drawing;
  text_append(out, "<section id=\"chain\">\n<h2>The slowest chain</h2>\n");
  page_line(out, plot->chain, false);
  text_append(out, "<div class=\"wide\">\n");
  chain_draw(&drawing, plot, CHAIN_WIDTH);
  drawing_to_svg(out, &drawing, "chain-picture");
  drawing_clear(&drawing);
  text_append(out, "</div>\n</section>\n");
}

/* The curves as numbers, for who reads no picture: where each has a tail. */
static void append_curves(struct text *out, const struct plot *plot, const char *prefix) {
  static const double shares[] = {1,  5,  10,   25,   50,    75,    90,    95,
                                  98, 99, 99.5, 99.9, 99.95, 99.99, 99.999};
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "percentile");
  for (size_t c = 0; c < plot->curves.count; c++)
    table_column(&table, TABLE_RIGHT, plot->curves.data[c].name);
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    table_cell(&table, "p%g", shares[i]);
    for (size_t c = 0; c < plot->curves.count; c++) {
      const struct plot_curve *curve = &plot->curves.data[c];
      struct plot_value value = {.given = true};
      struct text text;
      double ns = 0;
      text_init(&text);
      value.finite = curve_quantile(&ns, curve, 1 - shares[i] / 100);
      value.ns = (uint64_t)ns;
      plot_value(&text, &value, curve_is_upper(curve));
      table_take(&table, &text);
    }
  }
  char id[48];
  snprintf(id, sizeof id, "%scurve-table", prefix);
  text_append(out, "<details>\n<summary>The curves as a table</summary>\n");
  page_table(out, id, NULL, &table);
  text_append(out, "</details>\n");
  table_clear(&table);
}

void report_html_figures(struct text *out, const struct plot *plot, const char *prefix) {
  text_format(out, "<section id=\"%sfigures\" class=\"figures\">\n", prefix);
  append_panel(out, plot, PANEL_BODY, prefix);
  append_panel(out, plot, PANEL_TAIL, prefix);
  text_append(out, "</section>\n");
  append_legend(out, plot, prefix);
  append_curves(out, plot, prefix);
}

void report_html(struct text *out, const struct plot *plot) {
  append_head(out, plot);
  report_html_figures(out, plot, "");
  text_append(out, "<div class=\"tables\">\n");
  report_html_percentiles(out, plot);
  report_html_sources(out, plot);
  text_append(out, "</div>\n");
  report_html_contributions(out, plot);
  append_chain(out, plot);
  append_components(out, plot);
  page_ledger(out, plot->ledger);
  page_end(out);
}
