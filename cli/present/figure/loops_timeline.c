/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The request that is followed, of loops.h.
 */
#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "cli/present/figure/loops.h"
#include "cli/present/figure/scale.h"
#include "cli/present/figure/trace_chart.h"
#include "cli/present/loops.h"
#include "cli/question/loops/loops.h"
#include "trace/event/word.h"

#define LABELLED 110.0 /* wide enough for a name */

enum { LINKS_DRAWN = 40, ROWS_SHOWN = 400 };

struct loop_timeline {
  struct drawing *drawing;
  const struct loops_answer *answer;
  uint32_t number;
  const struct event_chain *chain;
  loop_holds holds; /* pieces of one callback that follow each other are one */
  struct axis time; /* ns since it arrived */
  size_t lines;     /* of callbacks; the loop's is below */
};

/* --- what happened ---------------------------------------------------------------------------- */

static bool goes_on(const struct loop_hold *a, const struct loop_hold *b) {
  return a->phase == b->phase && a->kind == b->kind && a->what == b->what && a->link == b->link &&
         a->end == b->start;
}

static void find_holds(struct loop_timeline *t) {
  const struct loops_answer *a = t->answer;
  loop_holds all = {0};
  loop_holds_find(&all, &a->causes.turns, &a->causes.pool, &a->causes.granted, &a->chains,
                  t->number);
  for (size_t i = 0; i < all.count; i++) {
    size_t last = t->holds.count;
    if (last != 0 && goes_on(&t->holds.data[last - 1], &all.data[i]))
      t->holds.data[last - 1].end = all.data[i].end;
    else
      vector_push(&t->holds, all.data[i]);
  }
  vector_clear(&all);
}

static void append_row(struct text *text, const struct event_log *log, uint32_t row) {
  event_word_append(text, names_text(&log->names, log->type.data[row]));
  if (log->place.data[row] != 0)
    text_format(text, " %s", names_text(&log->names, log->place.data[row]));
}

static void append_what(struct text *text, const struct loop_timeline *t,
                        const struct loop_hold *hold) {
  const struct event_log *log = &t->answer->log;
  struct loop_cause pause = {.kind = LOOP_PAUSE};
  uint32_t request;
  switch (hold->kind) {
  case HOLD_PAUSE:
    pause.pause = log->pauses.data[hold->what].kind;
    pause.place = log->pauses.data[hold->what].name;
    loop_cause_say(text, log, &pause);
    return;
  case HOLD_BETWEEN:
    text_append(text, "no recorded callback");
    return;
  case HOLD_CONNECTION:
    text_format(text, "a connection of %s",
                names_text(&log->names, log->grants.data[hold->what].name));
    return;
  case HOLD_EITHER:
    append_row(text, log, hold->what);
    return;
  case HOLD_POOL:
    text_append(text, "a thread of the pool, held by ");
    append_row(text, log, hold->what);
    return;
  default:
    append_row(text, log, hold->what);
  }
  request = t->answer->causes.turns.owner[hold->what];
  if (hold->kind == HOLD_CALLBACK && request != EVENT_NONE)
    text_format(text, " of another request, %s",
                names_text(&log->names, log->requests.data[request].route));
  else if (hold->kind == HOLD_CALLBACK)
    text_append(text, " of no request");
}

static void start(struct loop_timeline *t, const struct loops_answer *a, uint32_t chain) {
  *t = (struct loop_timeline){.answer = a, .number = chain, .chain = &a->chains.chains.data[chain]};
  find_holds(t);
  t->lines = t->chain->count < LINKS_DRAWN ? t->chain->count : LINKS_DRAWN;
}

void loops_request_say(struct text *text, const struct loops_answer *a, uint32_t number) {
  const struct event_chain *chain = &a->chains.chains.data[number];
  const struct event_request *request = &a->log.requests.data[chain->request];
  text_format(text, "One slow request, %s, took ", names_text(&a->log.names, request->route));
  duration_print_nearest(text, chain->answer - chain->arrived);
  text_append(text, "; it arrived ");
  duration_print_nearest(text, chain->arrived - a->log.loops.data[request->loop].start);
  text_append(text, " after the recording began.");
}

void loops_timeline_table(struct table *table, const struct loops_answer *a, uint32_t chain) {
  struct loop_timeline t;
  struct text text;
  start(&t, a, chain);
  table_init(table);
  table_column(table, TABLE_RIGHT, "after");
  table_column(table, TABLE_RIGHT, "for");
  table_column(table, TABLE_LEFT, "the request was");
  table_column(table, TABLE_LEFT, "while this ran, or it waited for this");
  for (size_t i = 0; i < t.holds.count && i < ROWS_SHOWN; i++) {
    const struct loop_hold *hold = &t.holds.data[i];
    text_init(&text);
    duration_print_nearest(&text, hold->start - t.chain->arrived);
    table_take(table, &text);
    duration_print_nearest(&text, hold->end - hold->start);
    table_take(table, &text);
    table_cell(table, "%s", hold_phase_name(hold->phase));
    append_what(&text, &t, hold);
    table_take(table, &text);
  }
  vector_clear(&t.holds);
}

/* --- the drawing ------------------------------------------------------------------------------ */

static enum ink ink_of(enum hold_kind kind) {
  switch (kind) {
  case HOLD_WAIT:
  case HOLD_EITHER:
    return INK_LOWER;
  case HOLD_OWN:
    return INK_TEXT;
  case HOLD_POOL:
  case HOLD_CONNECTION:
  case HOLD_CALLBACK:
    return INK_OBSERVED;
  case HOLD_PAUSE:
    return INK_UNKNOWN;
  default:
    return INK_MUTED;
  }
}

static double x_of(const struct loop_timeline *t, int64_t time) {
  return axis_pixel(&t->time, (double)(time - t->chain->arrived));
}

static void draw_hold(struct loop_timeline *t, const struct loop_hold *hold) {
  size_t line = hold->link;
  double from = x_of(t, hold->start), to = x_of(t, hold->end);
  bool waits = hold->phase == HOLD_IO || hold->phase == HOLD_UNSURE;
  struct text said;
  text_init(&said);
  text_format(&said, "%s for ", hold_phase_name(hold->phase));
  duration_print_nearest(&said, hold->end - hold->start);
  text_append(&said, ": ");
  append_what(&said, t, hold);
  if (line < t->lines) {
    enum ink ink = hold->phase == HOLD_QUEUE ? INK_MUTED : ink_of(hold->kind);
    double opacity = hold->phase == HOLD_QUEUE ? 0.3 : hold->kind == HOLD_EITHER ? 0.35 : 0.8;
    chart_bar(t->drawing, ink, opacity, line, from, to, said.data);
  }
  if (!waits && to - from > 0.3)
    chart_bar(t->drawing, ink_of(hold->kind), hold->kind == HOLD_BETWEEN ? 0.3 : 0.9, t->lines + 1,
              from, to, said.data);
  text_clear(&said);
}

/* What the loop was in, shortly: "request GET /report". */
static void append_short(struct text *text, const struct loop_timeline *t,
                         const struct loop_hold *hold) {
  const struct loops_answer *a = t->answer;
  if (hold->kind != HOLD_OWN && hold->kind != HOLD_CALLBACK) {
    append_what(text, t, hold);
    return;
  }
  struct loop_cause cause =
      loop_cause_of_row(&a->log, a->causes.words, a->causes.turns.owner, LOOP_HELD, hold->what);
  loop_callback_say(text, &a->log, cause.type, cause.place, cause.route);
}

/* A stretch of the loop's line that gets one label. */
struct labelled {
  size_t first, behind; /* of the holds */
  double from, to;
  size_t callbacks;
};

static bool is_callback(const struct loop_hold *hold) {
  return hold->kind == HOLD_OWN || hold->kind == HOLD_CALLBACK;
}

/* Callbacks that are too short for names of their own: how many there are, if not few, and which took
 * most. */
static void append_several(struct text *text, const struct loop_timeline *t,
                           const struct labelled *several) {
  const struct loop_hold *longest = NULL;
  for (size_t i = several->first; i < several->behind; i++) {
    const struct loop_hold *hold = &t->holds.data[i];
    if (is_callback(hold) &&
        (longest == NULL || hold->end - hold->start > longest->end - longest->start))
      longest = hold;
  }
  if (longest == NULL)
    return;
  if (several->callbacks > 3)
    text_format(text, "%zu callbacks, such as ", several->callbacks);
  append_short(text, t, longest);
}

static void draw_label(struct loop_timeline *t, const struct labelled *labelled) {
  struct text what;
  text_init(&what);
  if (labelled->behind - labelled->first == 1)
    append_short(&what, t, &t->holds.data[labelled->first]);
  else
    append_several(&what, t, labelled);
  if (labelled->to - labelled->from > LABELLED && what.length != 0)
    drawing_fitting(t->drawing, INK_TEXT, CHART_TEXT, labelled->from, chart_y(t->lines) + 5,
                    labelled->to - labelled->from, text_get(&what));
  text_clear(&what);
}

/* What is wide has a label of its own, and what is narrow one with its neighbours. */
static void draw_labels(struct loop_timeline *t) {
  struct labelled several = {0, 0, 0, 0, 0};
  for (size_t i = 0; i < t->holds.count; i++) {
    const struct loop_hold *hold = &t->holds.data[i];
    double from = x_of(t, hold->start), to = x_of(t, hold->end);
    bool waits = hold->phase == HOLD_IO || hold->phase == HOLD_UNSURE;
    bool narrow = !waits && to - from <= LABELLED;
    if (narrow && several.behind != i)
      several = (struct labelled){i, i, from, from, 0};
    if (narrow) {
      several.behind = i + 1;
      several.to = to;
      several.callbacks += is_callback(hold);
    }
    if ((!narrow || i + 1 == t->holds.count) && several.behind > several.first) {
      draw_label(t, &several);
      several = (struct labelled){0, 0, 0, 0, 0};
    }
    if (!waits && !narrow)
      draw_label(t, &(struct labelled){i, i + 1, from, to, 1});
  }
}

static void draw_names(struct loop_timeline *t) {
  for (uint32_t i = 0; i < t->lines; i++) {
    struct text name;
    text_init(&name);
    append_row(&name, &t->answer->log, event_link_row(&t->answer->chains, t->chain, i));
    chart_name(t->drawing, INK_TEXT, i, 0, "", name.data, NULL);
    text_clear(&name);
  }
  double y = CHART_HEAD + CHART_LINE * (double)t->lines + 2;
  drawing_segment(t->drawing, INK_GRID, 1, DASH_NONE, 0, y, t->drawing->width, y);
  chart_name(t->drawing, INK_TEXT, t->lines + 1, 0, "", "the loop, while it waited or ran", NULL);
}

static void draw_axis(struct loop_timeline *t, double bottom) {
  struct tick ticks[TICKS_MAX];
  struct time_unit unit = time_unit_for(t->time.high);
  char title[60];
  snprintf(title, sizeof title, "since it arrived (%s)", unit.name);
  drawing_text(t->drawing, INK_TEXT, CHART_TEXT, ANCHOR_START, t->time.from, 14, title);
  size_t count = axis_ticks(ticks, &t->time, unit.ns);
  for (size_t i = 0; i < count; i++) {
    double x = axis_pixel(&t->time, ticks[i].value);
    drawing_segment(t->drawing, INK_GRID, 1, DASH_NONE, x, CHART_HEAD - 4, x, bottom);
    drawing_text(t->drawing, INK_MUTED, CHART_TEXT, ANCHOR_MIDDLE, x, CHART_HEAD - 8,
                 ticks[i].label);
  }
}

static void draw_legend(struct loop_timeline *t, double y) {
  struct drawing *d = t->drawing;
  double x = chart_legend_bar(d, INK_LOWER, 0.8, 0, y, "waits for I/O");
  x = chart_legend_bar(d, INK_MUTED, 0.3, x, y, "in the queue");
  x = chart_legend_bar(d, INK_TEXT, 0.8, x, y, "its own callbacks");
  x = chart_legend_bar(d, INK_OBSERVED, 0.9, x, y, "others' callbacks");
  chart_legend_bar(d, INK_UNKNOWN, 0.9, x, y, "collections, compilation, no processor");
}

void loops_timeline_draw(struct drawing *drawing, const struct loops_answer *a, uint32_t chain,
                         double width) {
  struct loop_timeline t;
  struct text about;
  start(&t, a, chain);
  t.drawing = drawing;
  double bottom = CHART_HEAD + CHART_LINE * (double)(t.lines + 2);
  text_init(&about);
  loops_request_say(&about, a, chain);
  drawing_init(drawing, width, ceil(bottom + CHART_FOOT), "A slow request and its loop",
               about.data);
  text_clear(&about);
  double high = (double)(t.chain->answer - t.chain->arrived);
  t.time = (struct axis){.high = high > 0 ? high : 1, .from = CHART_NAMES, .to = width - 20};
  draw_axis(&t, bottom);
  draw_names(&t);
  for (size_t i = 0; i < t.holds.count; i++)
    draw_hold(&t, &t.holds.data[i]);
  draw_labels(&t);
  draw_legend(&t, bottom + CHART_FOOT / 2);
  vector_clear(&t.holds);
}
