/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/trace_chart.h"

#include <math.h>
#include <string.h>

#include "base/duration.h"

#define INDENT 9.0
#define DEEPEST 12 /* levels that are indented */
#define SWATCH 28.0
#define WAIT_WIDTH 1.6
#define SHORTEST 8 /* characters that are left of a name */

double chart_y(size_t line) {
  return CHART_HEAD + CHART_LINE * ((double)line + 0.5);
}

double chart_indent(size_t depth) {
  return INDENT * (double)(depth < DEEPEST ? depth : DEEPEST);
}

/* Characters that surely fit behind `before` pixels of the names' column. */
static size_t room_behind(const struct chart_names *names, double before) {
  double width = (names == NULL ? CHART_NAMES : names->width) - 14 - before;
  double room = width / drawing_text_width(CHART_TEXT, "m");
  return room > SHORTEST ? (size_t)room : SHORTEST;
}

void chart_name(struct drawing *drawing, enum ink ink, size_t line, size_t depth,
                const char *prefix, const char *name, const struct chart_names *names) {
  double indent = chart_indent(depth);
  size_t room = room_behind(names, indent + drawing_text_width(CHART_TEXT, prefix));
  struct text clean, shown;
  text_init(&clean);
  text_init(&shown);
  plot_clean_text(&clean, name);
  text_append(&shown, prefix);
  chart_names_shorten(&shown, names, clean.data, room);
  drawing_text(drawing, ink, CHART_TEXT, ANCHOR_START, indent, chart_y(line) + 4, shown.data);
  text_clear(&clean);
  text_clear(&shown);
}

void chart_name_wrapped(struct drawing *drawing, enum ink ink, size_t line, const char *name,
                        const struct chart_names *names) {
  size_t room = room_behind(names, 0);
  struct text clean, shown, first;
  text_init(&clean);
  text_init(&shown);
  text_init(&first);
  plot_clean_text(&clean, name);
  size_t at = clean.length <= room ? 0 : chart_name_break(clean.data, room);
  chart_names_shorten(&shown, names, clean.data, at == 0 ? room : clean.length);
  text_append_bytes(&first, shown.data, at == 0 ? shown.length : at);
  drawing_text(drawing, ink, CHART_TEXT, ANCHOR_START, 0, chart_y(line) + 4, text_get(&first));
  if (at != 0)
    drawing_text(drawing, ink, CHART_TEXT, ANCHOR_START, 0, chart_y(line + 1), shown.data + at);
  text_clear(&clean);
  text_clear(&shown);
  text_clear(&first);
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

double chart_legend_width(const char *text) {
  return SWATCH + 8 + drawing_text_width(CHART_TEXT, text);
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

double chart_legend_groups(struct drawing *drawing, double opacity, double y,
                           const char *const *names, size_t count) {
  double x = 0;
  for (size_t i = 0; i < count; i++) {
    double wide = chart_legend_width(names[i]);
    if (x > 0 && x + wide > drawing->width) {
      x = 0;
      y += CHART_LINE;
    }
    x = chart_legend_bar(drawing, INK_GROUP + (enum ink)i, opacity, x, y, names[i]);
  }
  return y;
}
