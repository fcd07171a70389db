/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How busy the loop was, and what its process used of processors and memory, over time: of loops.h.
 */
#include <math.h>
#include <stdio.h>

#include "cli/present/figure/loops.h"
#include "cli/present/figure/scale.h"
#include "cli/present/figure/trace_chart.h"
#include "cli/present/loops.h"
#include "cli/question/loops/loops.h"

#define STRIP 46.0 /* height of a curve's strip, with what is above it */
#define CURVE 34.0

enum { LEAST = 3 }; /* points of a curve */

/* What is known at one time. */
struct use_point {
  double at;                      /* ns since the recording began */
  double busy, processor, memory; /* shares of one; bytes */
};

struct use_picture {
  struct drawing *drawing;
  const struct loops_answer *answer;
  uint32_t loop;
  VECTOR(struct use_point) points;
  struct axis time;
};

/* The loop of the request that is followed. */
static uint32_t loop_of(const struct loops_answer *a) {
  return a->log.requests.data[a->chains.chains.data[a->followed].request].loop;
}

/* Adds up the turns that lie within each use's time. */
static void add_busy(struct use_picture *p) {
  const struct loop_turns *turns = &p->answer->causes.turns;
  const struct event_loop *loop = &p->answer->log.loops.data[p->loop];
  const struct loop_turn_range *range = &turns->ranges.data[p->loop];
  size_t i = 0;
  double *busy = mem_alloc(p->points.count, sizeof *busy);
  for (uint32_t t = range->turn; t < range->behind; t++) {
    const struct loop_turn turn = loop_turn_at(turns, t);
    double from = (double)(turn.begin - loop->start), to = (double)(turn.end - loop->start);
    while (i < p->points.count && p->points.data[i].at <= from)
      i++;
    for (size_t k = i; k < p->points.count && from < to; k++) {
      double until = fmin(to, p->points.data[k].at);
      if (k > 0)
        busy[k] += fmax(0, until - fmax(from, p->points.data[k - 1].at));
      from = fmax(from, until);
    }
  }
  for (size_t k = 1; k < p->points.count; k++)
    p->points.data[k].busy = busy[k] / fmax(1, p->points.data[k].at - p->points.data[k - 1].at);
  mem_free(busy);
}

static void gather(struct use_picture *p) {
  const struct event_log *log = &p->answer->log;
  const struct event_loop *loop = &log->loops.data[p->loop];
  for (size_t i = 0; i < log->uses.count; i++) {
    const struct event_use *use = &log->uses.data[i];
    double length = (double)(use->end - use->start), at = (double)(use->end - loop->start);
    bool later = p->points.count == 0 || at > p->points.data[p->points.count - 1].at;
    if (use->loop == p->loop && length > 0 && at > 0 && later)
      vector_push(&p->points,
                  (struct use_point){at, 0, (double)use->processor / length, (double)use->memory});
  }
  if (p->points.count >= LEAST)
    add_busy(p);
}

static double value_of(const struct use_point *point, size_t strip) {
  return strip == 0 ? point->busy : strip == 1 ? point->processor : point->memory;
}

static void say_value(char *text, size_t size, size_t strip, double value) {
  if (strip == 2)
    snprintf(text, size, "%.0f MB", value / 1e6);
  else
    snprintf(text, size, "%.0f %%", 100 * value);
}

static void draw_strip(struct use_picture *p, size_t strip) {
  static const char *const names[] = {"the loop was busy", "the process used of one processor",
                                      "memory of the process"};
  static const enum ink inks[] = {INK_OBSERVED, INK_LOWER, INK_UNKNOWN};
  double bottom = CHART_HEAD + STRIP * (double)(strip + 1) - 4, most = 0;
  char said[40], name[80];
  for (size_t i = 1; i < p->points.count; i++)
    most = fmax(most, value_of(&p->points.data[i], strip));
  double high = strip == 2 || most > 1 ? fmax(most, 1e-9) : 1;
  drawing_segment(p->drawing, INK_GRID, 1, DASH_NONE, 0, bottom, p->drawing->width, bottom);
  drawing_line(p->drawing, inks[strip], 1.5, DASH_NONE, names[strip]);
  for (size_t i = 1; i < p->points.count; i++)
    drawing_point(p->drawing, axis_pixel(&p->time, p->points.data[i].at),
                  bottom - CURVE * value_of(&p->points.data[i], strip) / high);
  say_value(said, sizeof said, strip, most);
  snprintf(name, sizeof name, "%s, at most %s", names[strip], said);
  drawing_text(p->drawing, INK_TEXT, CHART_TEXT, ANCHOR_START, 0, bottom - CURVE / 2 + 4, name);
}

static void draw_axis(struct use_picture *p, double bottom) {
  struct tick ticks[TICKS_MAX];
  struct time_unit unit = time_unit_for(p->time.high);
  char title[60];
  snprintf(title, sizeof title, "since the recording began (%s)", unit.name);
  drawing_text(p->drawing, INK_TEXT, CHART_TEXT, ANCHOR_START, p->time.from, 14, title);
  size_t count = axis_ticks(ticks, &p->time, unit.ns);
  for (size_t i = 0; i < count; i++) {
    double x = axis_pixel(&p->time, ticks[i].value);
    drawing_segment(p->drawing, INK_GRID, 1, DASH_NONE, x, CHART_HEAD - 4, x, bottom);
    drawing_text(p->drawing, INK_MUTED, CHART_TEXT, ANCHOR_MIDDLE, x, CHART_HEAD - 8,
                 ticks[i].label);
  }
}

bool loops_use_draw(struct drawing *drawing, const struct loops_answer *a, double width) {
  struct use_picture p = {.drawing = drawing, .answer = a, .loop = loop_of(a)};
  gather(&p);
  bool drawn = p.points.count >= LEAST;
  if (drawn) {
    double bottom = CHART_HEAD + STRIP * 3;
    drawing_init(drawing, width, ceil(bottom + 6), "The process over time",
                 "How busy the loop was, and what the process used of processors and memory.");
    p.time = (struct axis){
        .high = p.points.data[p.points.count - 1].at, .from = CHART_NAMES, .to = width - 20};
    draw_axis(&p, bottom);
    for (size_t strip = 0; strip < 3; strip++)
      draw_strip(&p, strip);
  }
  vector_clear(&p.points);
  return drawn;
}
