/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/parts.h"

#include <math.h>
#include <stdio.h>

#include "cli/present/figure/curve.h"
#include "cli/present/figure/scale.h"

#define TEXT_SIZE 12.0
#define SMALL 10.5
#define ROW 21.0
#define NAMES 230.0 /* of the chain's occurrences */

/* --- components ---------------------------------------------------------------------------------
 */

bool component_is_measured(const struct plot_source *source) {
  return source->sample != NULL && source->sample->count != 0;
}

static double least_tail(const struct plot *plot) {
  double least = 0.1;
  for (size_t i = 0; i < plot->sources.count; i++)
    if (component_is_measured(&plot->sources.data[i]))
      least = fmin(least, 1 / (double)plot->sources.data[i].sample->total);
  return pow(10, floor(log10(fmax(least, 1e-9)) + 1e-9));
}

/* The same times in all panels, so that they can be compared. */
static struct axis common_times(const struct plot *plot) {
  double low = INFINITY, high = 2;
  for (size_t i = 0; i < plot->sources.count; i++) {
    const struct sample *sample = plot->sources.data[i].sample;
    if (!component_is_measured(&plot->sources.data[i]))
      continue;
    low = fmin(low, fmax(1, (double)sample->bins[0].upper_ns));
    high = fmax(high, (double)sample->bins[sample->count - 1].upper_ns);
  }
  return (struct axis){.logarithmic = true,
                       .low = fmin(low, high / 10) / 1.2,
                       .high = high * 1.2,
                       .from = 40,
                       .to = COMPONENT_WIDTH - 12};
}

static void draw_frame(struct drawing *d, const struct axis *time, const struct axis *tail) {
  struct tick ticks[TICKS_MAX];
  struct time_unit unit = time_unit_for(sqrt(time->low * time->high));
  size_t count = axis_ticks(ticks, time, unit.ns);
  double free = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    double x = axis_pixel(time, ticks[i].value);
    double half = drawing_text_width(SMALL, ticks[i].label) / 2;
    drawing_segment(d, INK_GRID, 1, DASH_NONE, x, tail->from, x, tail->to);
    if (x - half < free || x + half > COMPONENT_WIDTH - 34)
      continue;
    drawing_text(d, INK_MUTED, SMALL, ANCHOR_MIDDLE, x, tail->from + 14, ticks[i].label);
    free = x + half + 6;
  }
  drawing_text(d, INK_MUTED, SMALL, ANCHOR_END, time->to + 8, tail->from + 14, unit.name);
  int last = (int)lround(log10(tail->low));
  for (int decade = 0, step = last < -6 ? 2 : 1; decade >= last; decade -= step) {
    char label[16];
    double y = axis_pixel(tail, pow(10, decade));
    snprintf(label, sizeof label, decade < -3 ? "1e%d" : "%.*f", decade < -3 ? decade : -decade,
             pow(10, decade));
    drawing_segment(d, INK_GRID, 1, DASH_NONE, time->from, y, time->to, y);
    drawing_text(d, INK_MUTED, SMALL, ANCHOR_END, time->from - 5, y + 4, label);
  }
}

static void append_percentile(struct text *out, const struct plot_curve *curve, const char *name,
                              double tail) {
  double ns = 0;
  text_format(out, "%s%s ", out->length == 0 ? "" : ", ", name);
  if (curve_quantile(&ns, curve, tail))
    plot_duration(out, (uint64_t)ns, true);
  else
    text_append(out, "infinite");
}

static void draw_curve(struct drawing *d, const struct plot_curve *curve, const struct axis *time,
                       const struct axis *tail) {
  size_t count = (size_t)(time->to - time->from);
  double *x = mem_alloc(count + 1, sizeof *x), *tails = mem_alloc(count, sizeof *tails);
  for (size_t i = 0; i <= count; i++)
    x[i] = axis_value(time, time->from + (double)i);
  curve_trace(tails, curve, x, count);
  drawing_line(d, INK_UPPER, 1.8, DASH_NONE, curve->name);
  for (size_t i = 0; i < count; i++) {
    double y = tails[i] < tail->low ? tail->from : axis_pixel(tail, tails[i]);
    if (i != 0 && i + 1 != count && tails[i] == tails[i - 1] && tails[i] == tails[i + 1])
      continue;
    drawing_point(d, time->from + (double)i, y);
    if (tails[i] < tail->low)
      break;
    drawing_point(d, time->from + (double)i + 1, y);
  }
  mem_free(x);
  mem_free(tails);
}

void component_draw(struct drawing *drawing, const struct plot *plot,
                    const struct plot_source *source) {
  struct plot_curve curve = {.name = source->name, .kind = PLOT_OBSERVED, .sample = source->sample};
  struct axis time = common_times(plot);
  struct axis tail = {.logarithmic = true,
                      .low = least_tail(plot),
                      .high = 1,
                      .from = COMPONENT_HEIGHT - 22,
                      .to = 42};
  struct text about;
  text_init(&about);
  append_percentile(&about, &curve, "p50", 0.5);
  append_percentile(&about, &curve, "p99", 0.01);
  drawing_init(drawing, COMPONENT_WIDTH, COMPONENT_HEIGHT, source->name, about.data);
  draw_frame(drawing, &time, &tail);
  draw_curve(drawing, &curve, &time, &tail);
  drawing_fitting(drawing, INK_TEXT, TEXT_SIZE, 8, 14, COMPONENT_WIDTH - 32, source->name);
  drawing_text(drawing, INK_MUTED, SMALL, ANCHOR_START, 8, 30, about.data);
  text_clear(&about);
}

/* --- the chain ----------------------------------------------------------------------------------
 */

static double total_of(const struct plot *plot) {
  double total = 0;
  for (size_t i = 0; i < plot->links.count; i++)
    total += plot->links.data[i].ns;
  return total;
}

static void draw_link(struct drawing *d, const struct plot_link *link, const struct axis *time,
                      double begin, double y) {
  double left = axis_pixel(time, begin), right = axis_pixel(time, begin + link->ns);
  struct text label;
  text_init(&label);
  plot_duration(&label, (uint64_t)(link->ns + 0.5), true);
  text_format(&label, " (%.1f %%)", 100 * link->ns / time->high);
  drawing_fitting(d, INK_TEXT, TEXT_SIZE, 4, y + 4, NAMES - 30, link->name);
  drawing_box(d, INK_UPPER, 0.85, left, y - 6, fmax(1.5, right - left), 13);
  double width = drawing_text_width(TEXT_SIZE, label.data);
  bool after = right + 8 + width < time->to + 188;
  drawing_text(d, INK_MUTED, TEXT_SIZE, after ? ANCHOR_START : ANCHOR_END,
               after ? right + 8 : left - 8, y + 4, label.data);
  text_clear(&label);
}

void chain_draw(struct drawing *drawing, const struct plot *plot, double width) {
  struct axis time = {.high = total_of(plot), .from = NAMES, .to = width - 190};
  struct time_unit unit = time_unit_for(time.high);
  struct tick ticks[TICKS_MAX];
  size_t links = plot->links.count, count = axis_ticks(ticks, &time, unit.ns);
  double bottom = ROW * (double)links + 8, begin = 0;
  struct text about;
  text_init(&about);
  for (size_t i = 0; i < links; i++) {
    text_format(&about, "%s%s ", i == 0 ? "" : ", then ", plot->links.data[i].name);
    plot_duration(&about, (uint64_t)(plot->links.data[i].ns + 0.5), true);
  }
  drawing_init(drawing, width, bottom + 46, "The slowest chain", about.data);
  text_clear(&about);
  for (size_t i = 0; i < count; i++) {
    double x = axis_pixel(&time, ticks[i].value);
    drawing_segment(drawing, INK_GRID, 1, DASH_NONE, x, 0, x, bottom);
    drawing_text(drawing, INK_MUTED, TEXT_SIZE, ANCHOR_MIDDLE, x, bottom + 17, ticks[i].label);
  }
  char title[32];
  snprintf(title, sizeof title, "time (%s)", unit.name);
  drawing_text(drawing, INK_TEXT, TEXT_SIZE, ANCHOR_MIDDLE, (time.from + time.to) / 2, bottom + 36,
               title);
  for (size_t i = 0; i < links; i++) {
    draw_link(drawing, &plot->links.data[i], &time, begin, ROW * ((double)i + 0.5) + 4);
    begin += plot->links.data[i].ns;
  }
}
