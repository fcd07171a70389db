/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/trace_chart.h"

#include <math.h>
#include <string.h>

#include "base/duration.h"

#define INDENT 9.0
#define DEEPEST 12 /* levels that are indented */
#define SWATCH 28.0
#define WAIT_WIDTH 1.6

double chart_y(size_t line) {
  return CHART_HEAD + CHART_LINE * ((double)line + 0.5);
}

/* The end of a text that is to fit, and whether something was left out. */
static const char *fitting_end(const char *text, double width, bool *cut) {
  for (*cut = false; *text != '\0' && drawing_text_width(CHART_TEXT, text) > width; *cut = true)
    do
      text++;
    while ((*text & 0xC0) == 0x80);
  return text;
}

void chart_name(struct drawing *drawing, enum ink ink, size_t line, size_t depth,
                const char *prefix, const char *name) {
  double indent = INDENT * (double)(depth < DEEPEST ? depth : DEEPEST);
  double width = CHART_NAMES - 14 - indent - drawing_text_width(CHART_TEXT, prefix);
  struct text clean, shown;
  bool cut;
  text_init(&clean);
  text_init(&shown);
  plot_clean_text(&clean, name);
  const char *end = fitting_end(clean.data, width, &cut);
  text_format(&shown, "%s%s%s", prefix, cut ? "\u2026" : "", end);
  drawing_text(drawing, ink, CHART_TEXT, ANCHOR_START, indent, chart_y(line) + 4, shown.data);
  text_clear(&clean);
  text_clear(&shown);
}

void chart_bar(struct drawing *drawing, enum ink ink, double opacity, size_t line, double from,
               double to, const char *said) {
  double y = chart_y(line) - CHART_BAR / 2;
  to = fmax(from + 1, to);
  drawing_area(drawing, ink, opacity, said);
  drawing_point(drawing, from, y);
  drawing_point(drawing, to, y);
  drawing_point(drawing, to, y + CHART_BAR);
  drawing_point(drawing, from, y + CHART_BAR);
}

void chart_upright(struct drawing *drawing, enum ink ink, enum dash dash, double x, size_t from,
                   size_t to, const char *said) {
  drawing_line(drawing, ink, WAIT_WIDTH, dash, said);
  drawing_point(drawing, x, chart_y(from));
  drawing_point(drawing, x, chart_y(to));
}

void chart_duration(struct drawing *drawing, enum ink ink, double x, size_t line, int64_t ns) {
  struct text text;
  text_init(&text);
  duration_print_nearest(&text, ns);
  drawing_text(drawing, ink, CHART_TEXT, ANCHOR_END, x, chart_y(line) + 4, text.data);
  text_clear(&text);
}

static double legend_text(struct drawing *drawing, double x, double y, const char *text) {
  drawing_text(drawing, INK_TEXT, CHART_TEXT, ANCHOR_START, x + SWATCH + 8, y + 4, text);
  return x + SWATCH + 8 + drawing_text_width(CHART_TEXT, text) + 20;
}

double chart_legend_bar(struct drawing *drawing, enum ink ink, double opacity, double x, double y,
                        const char *text) {
  drawing_box(drawing, ink, opacity, x, y - CHART_BAR / 2, SWATCH, CHART_BAR);
  return legend_text(drawing, x, y, text);
}

double chart_legend_line(struct drawing *drawing, enum ink ink, enum dash dash, double x, double y,
                         const char *text) {
  drawing_segment(drawing, ink, WAIT_WIDTH, dash, x, y, x + SWATCH, y);
  return legend_text(drawing, x, y, text);
}
