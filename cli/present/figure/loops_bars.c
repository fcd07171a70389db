/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bars of loops.h.
 */
#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "cli/present/figure/loops.h"
#include "cli/present/figure/scale.h"
#include "cli/present/figure/trace_chart.h"
#include "cli/present/loops.h"
#include "cli/question/loops/loops.h"

enum { ROUTES_DRAWN = 8, LINES_EACH = 2 };

/* Whether there is anything to draw of the route. */
static bool is_drawn(const struct loops_answer *a, size_t route) {
  return a->routes.data[route].judgement.lines.count != 0;
}

/* How a part of the latency is drawn. */
struct part_look {
  enum ink ink;
  double opacity;
  const char *legend;
};

struct stack_picture {
  struct drawing *drawing;
  const struct loops_answer *answer;
  struct axis time;
  size_t routes, route[ROUTES_DRAWN]; /* those that are drawn */
};

static struct part_look look_of(enum loop_cause_kind kind) {
  static const struct part_look looks[] = {
      [LOOP_WAIT] = {INK_LOWER, 0.75, "I/O"},
      [LOOP_EITHER] = {INK_LOWER, 0.3, "I/O or queue"},
      [LOOP_POOL] = {INK_OBSERVED, 0.5, "pool held by others"},
      [LOOP_CONNECTION] = {INK_OBSERVED, 0.7, "connections held by others"},
      [LOOP_HELD] = {INK_OBSERVED, 1, "held by others"},
      [LOOP_PAUSE] = {INK_UNKNOWN, 0.9, "collections, compilation, no processor"},
      [LOOP_LOAD] = {INK_MUTED, 0.6, "load"},
      [LOOP_BETWEEN] = {INK_MUTED, 0.25, "between callbacks"},
      [LOOP_OWN] = {INK_TEXT, 0.75, "own callbacks"},
  };
  return looks[kind];
}

static const struct loop_cause *cause_of(const struct loops_answer *a,
                                         const struct loop_judgement *j,
                                         const struct loop_line *line) {
  return &a->causes.causes.data[j->route->kinds.data[line->cause]];
}

static void append_ns(struct text *text, double ns) {
  duration_print_nearest(text, (int64_t)llround(ns));
}

static void draw_part(struct stack_picture *p, const struct loop_judgement *j,
                      const struct loop_line *part, size_t line, double *from, bool slow) {
  double ns = slow ? part->difference.slow : part->difference.rest;
  struct part_look look = look_of(cause_of(p->answer, j, part)->kind);
  double left = axis_pixel(&p->time, *from), right = axis_pixel(&p->time, *from + ns);
  if (right - left < 0.3)
    return;
  struct text said;
  text_init(&said);
  text_format(&said, "%s, %s: ", slow ? "slow requests" : "the others",
              hold_phase_name(part->phase));
  text_append(&said, j->route->causes.causes.data[part->cause].name);
  text_append(&said, ", ");
  append_ns(&said, ns);
  text_append(&said, " on average");
  chart_bar(p->drawing, look.ink, look.opacity, line, left, right, said.data);
  text_clear(&said);
  *from += ns;
}

static void draw_route(struct stack_picture *p, size_t index, size_t number) {
  const struct loops_route *route = &p->answer->routes.data[number];
  const struct loop_judgement *j = &route->judgement;
  double top = CHART_HEAD + CHART_LINE * LINES_EACH * (double)index;
  drawing_segment(p->drawing, INK_GRID, 1, DASH_NONE, 0, top, p->drawing->width, top);
  chart_name(p->drawing, INK_TEXT, LINES_EACH * index, 0, "", loops_route_name(p->answer, route),
             NULL);
  for (size_t side = 0; side < LINES_EACH; side++) {
    double from = 0;
    size_t line = LINES_EACH * index + side;
    for (size_t i = 0; i < j->lines.count; i++)
      if (j->lines.data[i].cause != EVENT_NONE)
        draw_part(p, j, &j->lines.data[i], line, &from, side == 0);
    drawing_text(p->drawing, INK_MUTED, CHART_TEXT, ANCHOR_END, CHART_NAMES - 8, chart_y(line) + 4,
                 side == 0 ? "slow" : "others");
    if (j->lines.count != 0)
      chart_duration(p->drawing, INK_TEXT, p->drawing->width, line,
                     (int64_t)llround(side == 0 ? j->report.latency.slow : j->report.latency.rest));
  }
}

static void draw_axis(struct stack_picture *p, double bottom) {
  struct tick ticks[TICKS_MAX];
  struct time_unit unit = time_unit_for(p->time.high);
  char title[60];
  snprintf(title, sizeof title, "a request takes, on average (%s)", unit.name);
  drawing_text(p->drawing, INK_TEXT, CHART_TEXT, ANCHOR_START, p->time.from, 14, title);
  size_t count = axis_ticks(ticks, &p->time, unit.ns);
  for (size_t i = 0; i < count; i++) {
    double x = axis_pixel(&p->time, ticks[i].value);
    drawing_segment(p->drawing, INK_GRID, 1, DASH_NONE, x, CHART_HEAD - 4, x, bottom);
    drawing_text(p->drawing, INK_MUTED, CHART_TEXT, ANCHOR_MIDDLE, x, CHART_HEAD - 8,
                 ticks[i].label);
  }
}

static void draw_legend(struct stack_picture *p, double y) {
  static const enum loop_cause_kind kinds[] = {LOOP_WAIT,       LOOP_EITHER, LOOP_POOL,
                                               LOOP_CONNECTION, LOOP_HELD,   LOOP_PAUSE,
                                               LOOP_LOAD,       LOOP_OWN,    LOOP_BETWEEN};
  double x = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    struct part_look look = look_of(kinds[i]);
    if (kinds[i] == LOOP_CONNECTION && p->answer->log.grants.count == 0)
      continue;
    double wide = chart_legend_width(look.legend);
    y += x + wide > p->drawing->width ? CHART_LINE : 0;
    x = x + wide > p->drawing->width ? 0 : x;
    x = chart_legend_bar(p->drawing, look.ink, look.opacity, x, y, look.legend);
  }
}

static void describe(struct text *text, const struct loops_answer *a,
                     const struct stack_picture *p) {
  text_append(text, "Mean latencies of slow requests and of the others:");
  for (size_t i = 0; i < p->routes; i++) {
    const struct loops_route *route = &a->routes.data[p->route[i]];
    text_format(text, "%s %s ", i == 0 ? "" : ";", loops_route_name(a, route));
    append_ns(text, route->judgement.report.latency.slow);
    text_append(text, " against ");
    append_ns(text, route->judgement.report.latency.rest);
  }
  text_append(text, ".");
}

void loops_bars_draw(struct drawing *drawing, const struct loops_answer *a, double width) {
  struct stack_picture p = {.drawing = drawing, .answer = a};
  for (size_t i = 0; i < a->routes.count && p.routes < ROUTES_DRAWN; i++)
    if (is_drawn(a, i))
      p.route[p.routes++] = i;
  double bottom = CHART_HEAD + CHART_LINE * LINES_EACH * (double)p.routes, high = 1;
  struct text about;
  text_init(&about);
  describe(&about, a, &p);
  drawing_init(drawing, width, ceil(bottom + CHART_FOOT + CHART_LINE),
               "What slow requests consist of", about.data);
  text_clear(&about);
  for (size_t i = 0; i < p.routes; i++) {
    const struct tail_difference *latency = &a->routes.data[p.route[i]].judgement.report.latency;
    high = fmax(high, fmax(latency->slow, latency->rest));
  }
  p.time = (struct axis){.high = high, .from = CHART_NAMES, .to = width - CHART_VALUE - 10};
  draw_axis(&p, bottom);
  for (size_t i = 0; i < p.routes; i++)
    draw_route(&p, i, p.route[i]);
  draw_legend(&p, bottom + CHART_FOOT / 2);
}
