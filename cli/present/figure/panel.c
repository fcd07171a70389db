/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/panel.h"

#include <math.h>
#include <stdio.h>

#include "cli/present/figure/curve.h"
#include "cli/present/figure/scale.h"

/* Columns to a pixel: curves are thinned to what one of them can show. */
#define FINENESS 2
#define TEXT_SIZE 12.0

struct panel {
  struct drawing *drawing;
  const struct plot *plot;
  enum panel_kind kind;
  struct axis time, share; /* share: of the y axis, P(latency <= t) or the tail */
  struct time_unit unit;
};

const char *panel_heading(enum panel_kind kind) {
  return kind == PANEL_BODY ? "Distribution: how much is done by t"
                            : "Tail: how much takes longer than t";
}

/* --- ranges ----------------------------------------------------------------------------------- */

/* The least tail that the tail panel shows: a decade below what was asked for and what was
 * observed. */
static double least_tail(const struct plot *plot) {
  double least = 0.01;
  for (size_t i = 0; i < plot->rows.count; i++)
    least = fmin(least, 1 - plot->rows.data[i].share);
  for (size_t i = 0; i < plot->curves.count; i++)
    if (plot->curves.data[i].sample != NULL)
      least = fmin(least, 1 / (double)plot->curves.data[i].sample->total);
  return pow(10, floor(log10(fmax(least, 1e-9)) - 0.3));
}

static void find_time_range(struct axis *time, const struct plot *plot, double last_tail) {
  double low = INFINITY, high = 0;
  for (size_t i = 0; i < plot->curves.count; i++) {
    const struct plot_curve *curve = &plot->curves.data[i];
    double x = 0;
    /* of an infinite one, until it is all but flat */
    if (!curve_quantile(&x, curve, last_tail))
      curve_quantile(&x, curve, 1.02 * curve_infinity(curve));
    high = fmax(high, x);
    if (curve_is_upper(curve) && curve_quantile(&x, curve, 0.999))
      low = fmin(low, x);
  }
  /* where lower bounds begin, unless they say next to nothing */
  for (size_t i = 0; i < plot->curves.count; i++) {
    double x = 0;
    if (!curve_is_upper(&plot->curves.data[i]) && curve_quantile(&x, &plot->curves.data[i], 0.9) &&
        x > low / 20)
      low = fmin(low, x);
  }
  high = fmax(high, 10);
  low = fmax(fmin(low, high / 1.2), 1);
  time->logarithmic = high / low > 30;
  double margin = time->logarithmic ? 0 : 0.05 * (high - low);
  time->low = time->logarithmic ? low / 1.2 : fmax(low - margin, 0);
  time->high = time->logarithmic ? high * 1.2 : high + margin;
  if (!time->logarithmic && time->low < 0.3 * time->high)
    time->low = 0;
}

/* --- axes ------------------------------------------------------------------------------------- */

static void tail_label(char *label, size_t size, int decade) {
  static const char *const digits[] = {"\u2070", "\u00B9", "\u00B2", "\u00B3", "\u2074",
                                       "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  if (decade >= -3)
    snprintf(label, size, "%g", pow(10, decade));
  else
    snprintf(label, size, "10\u207B%s%s", decade <= -10 ? digits[-decade / 10] : "",
             digits[-decade % 10]);
}

static void draw_share_tick(struct panel *panel, double value, const char *label,
                            const char *percentile) {
  struct drawing *d = panel->drawing;
  double y = axis_pixel(&panel->share, value);
  drawing_segment(d, INK_GRID, 1, DASH_NONE, panel->time.from, y, panel->time.to, y);
  drawing_text(d, INK_MUTED, TEXT_SIZE, ANCHOR_END, panel->time.from - 8, y + 4, label);
  if (percentile != NULL)
    drawing_text(d, INK_MUTED, TEXT_SIZE, ANCHOR_START, panel->time.to + 12, y + 4, percentile);
}

static void draw_share_axis(struct panel *panel) {
  char label[32], percentile[32];
  if (panel->kind == PANEL_BODY) {
    for (int i = 0; i <= 4; i++) {
      snprintf(label, sizeof label, "%g", 0.25 * i);
      draw_share_tick(panel, 0.25 * i, label, NULL);
    }
    return;
  }
  int last = (int)lround(log10(panel->share.low));
  for (int decade = 0; decade >= last; decade--) {
    tail_label(label, sizeof label, decade);
    snprintf(percentile, sizeof percentile, "p%.*f", decade > -2 ? 0 : -decade - 2,
             100 - pow(10, decade + 2));
    draw_share_tick(panel, pow(10, decade), label, decade == 0 ? NULL : percentile);
  }
}

static void draw_time_axis(struct panel *panel) {
  struct drawing *d = panel->drawing;
  struct tick ticks[TICKS_MAX];
  size_t count = axis_ticks(ticks, &panel->time, panel->unit.ns);
  double bottom = panel->share.from, top = panel->share.to;
  for (size_t i = 0; i < count; i++) {
    double x = axis_pixel(&panel->time, ticks[i].value);
    drawing_segment(d, INK_GRID, 1, DASH_NONE, x, bottom, x, top);
    drawing_text(d, INK_MUTED, TEXT_SIZE, ANCHOR_MIDDLE, x, bottom + 18, ticks[i].label);
  }
}

static void draw_frame(struct panel *panel, double x, double y) {
  struct drawing *d = panel->drawing;
  double left = panel->time.from, right = panel->time.to;
  double bottom = panel->share.from, top = panel->share.to;
  drawing_text(d, INK_TEXT, 14, ANCHOR_START, left, y + 16, panel_heading(panel->kind))->bold =
      true;
  drawing_segment(d, INK_MUTED, 1.2, DASH_NONE, left, top, left, bottom);
  drawing_segment(d, INK_MUTED, 1.2, DASH_NONE, left, bottom, right, bottom);
  char title[80];
  snprintf(title, sizeof title, "latency t (%s%s)", panel->unit.name,
           panel->time.logarithmic ? ", logarithmic" : "");
  drawing_text(d, INK_TEXT, TEXT_SIZE, ANCHOR_MIDDLE, (left + right) / 2, bottom + 38, title);
  const char *share = panel->kind == PANEL_BODY ? "P(latency \u2264 t)"
                                                : "1 \u2212 p = P(latency > t), logarithmic";
  drawing_text(d, INK_TEXT, TEXT_SIZE, ANCHOR_MIDDLE, x + 14, (top + bottom) / 2, share)->upwards =
      true;
}

/* --- curves ----------------------------------------------------------------------------------- */

struct trace {
  size_t count; /* columns */
  double *x;    /* count + 1 times */
  double *tails;
};

static void trace_init(struct trace *trace, const struct panel *panel) {
  double width = panel->time.to - panel->time.from;
  trace->count = (size_t)(FINENESS * width);
  trace->x = mem_alloc(trace->count + 1, sizeof *trace->x);
  trace->tails = mem_alloc(trace->count, sizeof *trace->tails);
  for (size_t i = 0; i <= trace->count; i++)
    trace->x[i] = fmax(0, axis_value(&panel->time, panel->time.from + (double)i / FINENESS));
}

static void trace_clear(struct trace *trace) {
  mem_free(trace->x);
  mem_free(trace->tails);
}

/* To a hundredth of a pixel, which is what files hold, towards the curve's own side. */
static double share_pixel(const struct panel *panel, double tail, bool upper) {
  double y = axis_pixel(&panel->share, panel->kind == PANEL_BODY ? 1 - tail : tail);
  bool up = upper == (panel->kind == PANEL_TAIL);
  return up ? floor(100 * y) / 100 : ceil(100 * y) / 100;
}

static double column_x(const struct panel *panel, size_t column) {
  return panel->time.from + (double)column / FINENESS;
}

/* The steps of the columns from `first` to before `last`, as points of the last shape. */
static void draw_steps(const struct panel *panel, const struct trace *trace, bool upper,
                       size_t first, size_t last) {
  for (size_t i = first, run; i < last; i += run) {
    double y = share_pixel(panel, trace->tails[i], upper);
    run = 1;
    while (i + run < last && share_pixel(panel, trace->tails[i + run], upper) == y)
      run++;
    drawing_point(panel->drawing, column_x(panel, i), y);
    drawing_point(panel->drawing, column_x(panel, i + run), y);
  }
}

/* The first column whose tail is at most `tail`; strictly: less. */
static size_t column_at(const struct trace *trace, double tail, bool strictly) {
  size_t i = 0;
  while (i < trace->count && (strictly ? trace->tails[i] >= tail : trace->tails[i] > tail))
    i++;
  return i;
}

/* A curve that goes on for ever at the right edge. */
static void draw_arrow(const struct panel *panel, const struct plot_curve *curve, double tail) {
  struct drawing *d = panel->drawing;
  double x = panel->time.to, y = share_pixel(panel, tail, true);
  enum ink ink = curve_ink(curve->kind);
  drawing_area(d, ink, 1, NULL);
  drawing_point(d, x, y - 4);
  drawing_point(d, x + 8, y);
  drawing_point(d, x, y + 4);
  drawing_text(d, ink, 15, ANCHOR_END, x - 4, panel->kind == PANEL_TAIL ? y - 6 : y + 16, "\u221E");
}

static void draw_curve(const struct panel *panel, const struct plot_curve *curve,
                       struct trace *trace) {
  struct drawing *d = panel->drawing;
  bool upper = curve_is_upper(curve);
  curve_trace(trace->tails, curve, trace->x, trace->count);
  size_t last = trace->count;
  if (panel->kind == PANEL_TAIL)
    last = column_at(trace, panel->share.low, true);
  size_t model = column_at(trace, (double)curve->model_tail / (double)SURVIVAL_ONE, false);
  if (curve->model_tail == 0 || model > last)
    model = last;
  double width = curve_width(curve->kind);
  enum ink ink = curve_ink(curve->kind);
  drawing_line(d, ink, width, curve_dash(curve->kind), curve->name);
  draw_steps(panel, trace, upper, 0, model);
  if (model < last) {
    drawing_line(d, ink, width, DASH_DOTS, "model-based, not proved");
    draw_steps(panel, trace, upper, model, last);
  }
  if (last < trace->count && last != 0) /* down to the edge */
    drawing_point(d, column_x(panel, last), panel->share.from);
  double end = trace->tails[trace->count - 1];
  bool infinite = curve_infinity(curve) > 0 && !curve_is_band(curve) && upper;
  if (last == trace->count && infinite && (panel->kind == PANEL_TAIL || end > 0.004))
    draw_arrow(panel, curve, end);
}

static const struct plot_curve *find_curve(const struct plot *plot, enum plot_kind kind) {
  for (size_t i = 0; i < plot->curves.count; i++)
    if (plot->curves.data[i].kind == kind)
      return &plot->curves.data[i];
  return NULL;
}

/* The area between an upper and a lower curve, where there are both. */
static void draw_between(const struct panel *panel, enum plot_kind above, enum plot_kind below,
                         double opacity, const char *name, struct trace *trace) {
  const struct plot_curve *upper = find_curve(panel->plot, above);
  const struct plot_curve *lower = find_curve(panel->plot, below);
  if (upper == NULL || lower == NULL)
    return;
  struct drawing *d = panel->drawing;
  drawing_area(d, curve_ink(above), opacity, name);
  curve_trace(trace->tails, upper, trace->x, trace->count);
  draw_steps(panel, trace, true, 0, trace->count);
  curve_trace(trace->tails, lower, trace->x, trace->count);
  for (size_t i = trace->count, run; i > 0; i -= run) {
    double y = share_pixel(panel, trace->tails[i - 1], false);
    run = 1;
    while (i > run && share_pixel(panel, trace->tails[i - run - 1], false) == y)
      run++;
    drawing_point(d, column_x(panel, i), y);
    drawing_point(d, column_x(panel, i - run), y);
  }
}

/* --- the chosen percentile -------------------------------------------------------------------- */

static void draw_dot(const struct panel *panel, enum ink ink, double x, double y) {
  drawing_area(panel->drawing, ink, 1, NULL);
  for (int i = 0; i < 16; i++)
    drawing_point(panel->drawing, x + 4 * cos(i * acos(-1) / 8), y + 4 * sin(i * acos(-1) / 8));
}

enum { LABEL_HEIGHT = 17, LABEL_STEP = 4, LABEL_FAR = 100 };

static bool has_room(const struct panel *panel, size_t first, struct point corner, double width) {
  return corner.x >= panel->time.from + 4 && corner.x + width <= panel->time.to - 4 &&
         corner.y >= panel->share.to && corner.y + LABEL_HEIGHT <= panel->share.from &&
         !drawing_crosses(panel->drawing, first, corner.x, corner.y, width, LABEL_HEIGHT);
}

/* Where a label of that width, above or below the level y, is nearest to x on it and hides none of
 * the shapes from `first` on: its left upper corner. */
static bool find_room(struct point *found, const struct panel *panel, size_t first, double width,
                      double x, double y) {
  double best = INFINITY;
  for (double up = 2 - LABEL_FAR; up <= LABEL_FAR; up += LABEL_STEP)
    for (double left = panel->time.from + 4; left < panel->time.to; left += LABEL_STEP) {
      struct point corner = {left, up > 0 ? y - up - LABEL_HEIGHT : y - up + 1};
      double distance = hypot(left + width / 2 - x, 2 * up);
      if (distance < best && has_room(panel, first, corner, width))
        best = distance, *found = corner;
    }
  return best < INFINITY;
}

/* Where there is no room it stands at the left, over what is there. */
static void draw_label(const struct panel *panel, size_t first, const char *label, double x,
                       double y) {
  struct drawing *d = panel->drawing;
  double width = drawing_text_width(1.1 * TEXT_SIZE, label);
  struct point corner = {0};
  if (find_room(&corner, panel, first, width, x, y))
    drawing_box(d, INK_PAPER, 0.8, corner.x, corner.y, width, LABEL_HEIGHT);
  else
    corner = (struct point){panel->time.from + 5, y - LABEL_HEIGHT - 2};
  drawing_text(d, INK_TEXT, TEXT_SIZE, ANCHOR_START, corner.x + 3, corner.y + 13, label)->bold =
      true;
}

/* `first` is the number of the first shape that is not to be hidden. */
static void draw_chosen(const struct panel *panel, size_t first) {
  const struct plot *plot = panel->plot;
  if (plot->chosen >= plot->rows.count)
    return;
  const struct plot_row *row = &plot->rows.data[plot->chosen];
  struct drawing *d = panel->drawing;
  double y = axis_pixel(&panel->share, 1 - row->share);
  drawing_segment(d, INK_MUTED, 1, DASH_SHORT, panel->time.from, y, panel->time.to, y);
  struct text label;
  text_init(&label);
  text_format(&label, "p%s%s", row->percentile,
              row->upper.given && row->upper.finite ? " \u2264 " : " ");
  plot_value(&label, &row->upper, true);
  bool finite = row->upper.given && row->upper.finite;
  double x = finite ? axis_pixel(&panel->time, (double)row->upper.ns) : panel->time.to;
  draw_label(panel, first, label.data, x, y);
  text_clear(&label);
  if (finite)
    draw_dot(panel, INK_UPPER, x, y);
}

static void draw_marks(const struct panel *panel, size_t first) {
  const struct plot *plot = panel->plot;
  for (size_t i = 0; i < plot->marks.count; i++) {
    const struct plot_mark *mark = &plot->marks.data[i];
    if (mark->ns < panel->time.low || mark->ns > panel->time.high)
      continue;
    double x = axis_pixel(&panel->time, mark->ns);
    drawing_segment(panel->drawing, INK_MUTED, 1.2, DASH_SHORT, x, panel->share.from, x,
                    panel->share.to);
    draw_label(panel, first, mark->label, x + 60, panel->share.to + 40 + 22 * (double)i);
  }
}

struct panel_axes panel_draw(struct drawing *drawing, const struct plot *plot, enum panel_kind kind,
                             double x, double y, double width, double height) {
  struct panel panel = {.drawing = drawing, .plot = plot, .kind = kind};
  bool tail = kind == PANEL_TAIL;
  panel.share = (struct axis){.logarithmic = tail,
                              .low = tail ? least_tail(plot) : 0,
                              .high = 1,
                              .from = y + height - 48,
                              .to = y + 32};
  find_time_range(&panel.time, plot, tail ? panel.share.low : 0.004);
  panel.time.from = x + 72;
  panel.time.to = x + width - (tail ? 90 : 24);
  panel.unit = time_unit_for(panel.time.high);
  draw_share_axis(&panel);
  draw_time_axis(&panel);
  struct trace trace;
  trace_init(&trace, &panel);
  draw_between(&panel, PLOT_UPPER, PLOT_LOWER, 0.08, "where the latency is proved to be", &trace);
  draw_between(&panel, PLOT_BAND_UPPER, PLOT_BAND_LOWER, 0.18,
               "confidence band of the observations", &trace);
  draw_between(&panel, PLOT_FIRST_UPPER, PLOT_FIRST_LOWER, 0.16, "between the sides of A", &trace);
  size_t first = drawing->shapes.count;
  for (size_t i = plot->curves.count; i-- != 0;) /* the first on top */
    draw_curve(&panel, &plot->curves.data[i], &trace);
  trace_clear(&trace);
  if (tail)
    draw_chosen(&panel, first);
  draw_marks(&panel, first);
  draw_frame(&panel, x, y);
  return (struct panel_axes){panel.time, panel.share, panel.unit};
}
