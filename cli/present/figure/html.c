/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/html.h"

#include <stdio.h>

#include "version.h"
#include "cli/present/figure/curve.h"
#include "cli/present/figure/panel.h"
#include "cli/present/figure/html_parts.h"

#define PANEL_WIDTH 640.0
#define PANEL_HEIGHT 460.0

static void append_head(struct text *out, const struct plot *plot) {
  text_append(out,
              "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
              "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
  plot_escape(out, plot->title);
  text_append(out, " \u2013 percentiles</title>\n<style>\n");
  text_append(out, report_html_style);
  text_append(out, "</style>\n</head>\n<body>\n<main>\n<header>\n<h1>");
  plot_escape(out, plot->title);
  text_append(out, "</h1>\n");
  if (plot->expression != NULL) {
    text_append(out, "<p class=\"expression\"><code>");
    plot_escape(out, plot->expression);
    text_append(out, "</code></p>\n");
  }
  if (plot->statement != NULL) {
    text_append(out, "<p>");
    plot_escape(out, plot->statement);
    text_append(out, "</p>\n");
  }
  if (plot->made != NULL) {
    text_append(out, "<p class=\"expression\"><code>");
    plot_escape(out, plot->made);
    text_append(out, "</code></p>\n");
  }
  text_append(out, "</header>\n");
  report_html_verdicts(out, plot);
}

static void append_panel(struct text *out, const struct plot *plot, enum panel_kind kind) {
  struct text about;
  text_init(&about);
  plot_describe(&about, plot);
  struct drawing drawing;
  drawing_init(&drawing, PANEL_WIDTH, PANEL_HEIGHT, panel_heading(kind), about.data);
  struct panel_axes axes = panel_draw(&drawing, plot, kind, 0, 0, drawing.width, drawing.height);
  text_format(out,
              "<figure data-unit=\"%s\" data-ns=\"%.17g\" data-time=\"%d %.17g %.17g %.17g %.17g\" "
              "data-share=\"%d %.17g %.17g %.17g %.17g\">\n",
              axes.unit.name, axes.unit.ns, axes.time.logarithmic, axes.time.low, axes.time.high,
              axes.time.from, axes.time.to, axes.share.logarithmic, axes.share.low, axes.share.high,
              axes.share.from, axes.share.to);
  drawing_to_svg(out, &drawing, kind == PANEL_BODY ? "body" : "tail");
  text_append(out, "<output></output>\n</figure>\n");
  drawing_clear(&drawing);
  text_clear(&about);
}

static void append_legend(struct text *out, const struct plot *plot) {
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
    char id[32];
    snprintf(id, sizeof id, "curve%zu", i);
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

static void append_ledger(struct text *out, const struct ledger *ledger) {
  text_append(out, "<section id=\"ledger\">\n<h2>What this rests on</h2>\n<dl>\n");
  for (enum ledger_source source = LEDGER_MODEL; source <= LEDGER_DATA; source++) {
    bool any = false;
    for (size_t i = 0; ledger != NULL && i < ledger->count; i++) {
      if (ledger->lines[i].source != source)
        continue;
      if (!any)
        text_format(out, "<dt>%s</dt>\n", ledger_source_name(source));
      any = true;
      text_append(out, "<dd>");
      plot_escape(out, ledger->lines[i].text);
      text_append(out, "</dd>\n");
    }
  }
  text_append(out, "</dl>\n</section>\n");
}

void report_html(struct text *out, const struct plot *plot) {
  append_head(out, plot);
  text_append(out, "<section id=\"figures\" class=\"figures\">\n");
  append_panel(out, plot, PANEL_BODY);
  append_panel(out, plot, PANEL_TAIL);
  text_append(out, "</section>\n");
  append_legend(out, plot);
  text_append(out, "<div class=\"tables\">\n");
  report_html_percentiles(out, plot);
  report_html_sources(out, plot);
  text_append(out, "</div>\n");
  report_html_contributions(out, plot);
  append_ledger(out, plot->ledger);
  text_append(out, "<footer>tailproof " TAILPROOF_VERSION "</footer>\n</main>\n<script>\n");
  text_append(out, report_html_script);
  text_append(out, "</script>\n</body>\n</html>\n");
}
