/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A plot as figures of a document (panel.h).
 */
#include <stdio.h>

#include "cli/present/figure/curve.h"
#include "cli/present/figure/panel.h"
#include "cli/present/figure/parts.h"

#define PANEL_WIDTH 640.0
#define PANEL_HEIGHT 460.0
#define WIDTH 1100.0

void plot_clear(struct plot *plot) {
  vector_clear(&plot->sources);
  vector_clear(&plot->links);
  vector_clear(&plot->marks);
  vector_clear(&plot->curves);
  vector_clear(&plot->rows);
  vector_clear(&plot->parts);
}

static void add_panel(struct document *document, const struct plot *plot, enum panel_kind kind,
                      const char *prefix) {
  struct drawing drawing;
  struct text about;
  char id[48];
  snprintf(id, sizeof id, "%s%s", prefix, kind == PANEL_BODY ? "body" : "tail");
  text_init(&about);
  plot_describe(&about, plot);
  drawing_init(&drawing, PANEL_WIDTH, PANEL_HEIGHT, panel_heading(kind), about.data);
  text_clear(&about);
  struct panel_axes axes = panel_draw(&drawing, plot, kind, 0, 0, drawing.width, drawing.height);
  document_curves(document, id, panel_heading(kind), &drawing,
                  &(struct figure_axes){axes.time, axes.share, axes.unit.name, axes.unit.ns});
}

/* The curves as numbers, for who reads no picture: where each has a tail. */
static void add_curves(struct document *document, const struct plot *plot, const char *prefix) {
  static const double shares[] = {1,  5,  10,   25,   50,    75,    90,    95,
                                  98, 99, 99.5, 99.9, 99.95, 99.99, 99.999};
  struct table table;
  char id[48];
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
  snprintf(id, sizeof id, "%scurve-table", prefix);
  document_folded(document, id, "The curves as a table", &table);
}

void plot_figures(struct document *document, const struct plot *plot, const char *prefix) {
  struct drawing legend;
  char id[48];
  add_panel(document, plot, PANEL_BODY, prefix);
  add_panel(document, plot, PANEL_TAIL, prefix);
  snprintf(id, sizeof id, "%slegend", prefix);
  drawing_init(&legend, WIDTH, 0, "Legend", "");
  legend.height = legend_draw(&legend, plot, 0, 16);
  document_figure(document, FIGURE_PLAIN, id, "Legend", &legend);
  add_curves(document, plot, prefix);
}

static void add_parts(struct document *document, const struct plot *plot) {
  struct drawing drawing;
  if (plot->parts.count == 0 || plot->chosen >= plot->rows.count)
    return;
  document_section(document, "drops", "What p%s drops by if a component took no time",
                   plot->rows.data[plot->chosen].percentile);
  struct text about;
  text_init(&about);
  text_append(&about, "The drops need not add up.");
  for (size_t i = 0; i < plot->parts.count; i++) {
    const struct plot_part *part = &plot->parts.data[i];
    text_format(&about, " %s %s", part->name,
                part->instead == NULL ? "drops it by " : part->instead);
    plot_value(&about, &part->drop, true);
    text_append(&about, ".");
  }
  drawing_init(&drawing, WIDTH, 0, "Contributions", about.data);
  text_clear(&about);
  drawing.height = parts_draw(&drawing, plot, 0, 0, WIDTH, plot->parts.count) + 8;
  document_figure(document, FIGURE_PLAIN, "drop-bars", "Contributions", &drawing);
}

static void add_sources(struct document *document, const struct plot *plot) {
  struct table table;
  if (plot->sources.count == 0)
    return;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "component");
  table_column(&table, TABLE_RIGHT, "samples");
  for (size_t i = 0; i < plot->sources.count; i++) {
    table_cell(&table, "%s", plot->sources.data[i].name);
    table_cell(&table, "%llu", (unsigned long long)plot->sources.data[i].samples);
  }
  document_section(document, "samples", "Measured");
  document_grid(document, LINES_APART, 2, &table);
}

static void add_chain(struct document *document, const struct plot *plot) {
  struct drawing drawing;
  if (plot->links.count == 0)
    return;
  document_section(document, "chain", "The slowest chain");
  document_say(document, LINES_APART, "%s", plot->chain);
  chain_draw(&drawing, plot, WIDTH);
  document_figure(document, FIGURE_PLAIN, "chain-picture", "The slowest chain", &drawing);
}

static void add_components(struct document *document, const struct plot *plot) {
  size_t drawn = 0;
  for (size_t i = 0; i < plot->sources.count; i++) {
    struct drawing drawing;
    char id[32];
    if (!component_is_measured(&plot->sources.data[i]))
      continue;
    if (drawn++ == 0) {
      document_section(document, "components", "Components");
      document_say(document, LINES_APART, "How much of each takes longer than t, on common axes.");
    }
    snprintf(id, sizeof id, "component%zu", i);
    component_draw(&drawing, plot, &plot->sources.data[i]);
    document_figure(document, FIGURE_SMALL, id, plot->sources.data[i].name, &drawing);
  }
}

void plot_figures_below(struct document *document, const struct plot *plot) {
  add_parts(document, plot);
  add_sources(document, plot);
  add_chain(document, plot);
  add_components(document, plot);
}
