/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What there is to say of event loops (loops.h): tables and sentences, for text and for pages. */
#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "cli/present/loops.h"
#include "cli/question/loops/loops.h"

static void append_ns(struct text *text, double ns) {
  if (isfinite(ns))
    duration_print_nearest(text, (int64_t)llround(ns));
  else
    text_append(text, ns < 0 ? "-infinite" : "infinite");
}

static void take_ns(struct table *table, double ns) {
  struct text text;
  text_init(&text);
  append_ns(&text, ns);
  table_take(table, &text);
}

const char *loops_route_name(const struct loops_answer *a, const struct loops_route *route) {
  const char *name = names_text(&a->log.names, route->judgement.route->route);
  return name[0] == '\0' ? "(no route)" : name;
}

/* --- percentiles ------------------------------------------------------------------------------ */

/* "12.1 .. 14.2 ms", or what is known of it. */
static void take_interval(struct table *table, const struct loop_quantile *q) {
  struct text text;
  text_init(&text);
  if (!q->settled) {
    table_cell(table, "%s", "cannot tell");
    return;
  }
  duration_print_lower(&text, q->lower_ns);
  text_append(&text, " .. ");
  if (q->upper_ns == QUANTILE_INFINITE)
    text_append(&text, "?");
  else
    duration_print_upper(&text, q->upper_ns);
  table_take(table, &text);
}

void loops_routes_table(struct table *table, const struct loops_answer *a, bool intervals) {
  char title[40];
  table_init(table);
  table_column(table, TABLE_LEFT, "route");
  table_column(table, TABLE_RIGHT, "requests");
  for (size_t i = 0; i < a->wanted.count; i++) {
    snprintf(title, sizeof title, "p%s", a->wanted.data[i].text);
    table_column(table, TABLE_RIGHT, title);
  }
  for (size_t r = 0; r < a->routes.count; r++) {
    const struct loops_route *route = &a->routes.data[r];
    table_cell(table, "%s", loops_route_name(a, route));
    table_cell(table, "%zu", route->judgement.route->causes.requests);
    for (size_t i = 0; i < a->wanted.count; i++)
      take_ns(table, (double)route->percentiles[i].value_ns);
    if (!intervals)
      continue;
    table_cell(table, "  at %.9g %%", 100 * rational_double(&a->request->confidence));
    table_cell(table, "%s", "");
    for (size_t i = 0; i < a->wanted.count; i++)
      take_interval(table, &route->percentiles[i]);
  }
}

/* --- parts ------------------------------------------------------------------------------------ */

static void add_difference(struct table *table, const struct tail_difference *d) {
  take_ns(table, d->slow);
  take_ns(table, d->rest);
  take_ns(table, d->difference);
  struct text text;
  text_init(&text);
  if (isfinite(d->least)) {
    append_ns(&text, d->least);
    text_append(&text, " .. ");
    append_ns(&text, d->most);
  }
  table_cell(table, "%s", text_get(&text));
  text_clear(&text);
}

/* Parts of a hundredth of the difference or more. */
static bool is_shown(const struct loop_judgement *j, const struct loop_line *line, bool full) {
  if (line->phase == HOLD_UNSURE) /* one line says all */
    return line->cause == EVENT_NONE && line->difference.slow + line->difference.rest > 0;
  return full || line->cause == EVENT_NONE ||
         fabs(line->difference.difference) >= fabs(j->report.latency.difference) / 100;
}

void loops_parts_table(struct table *table, const struct loops_answer *a,
                       const struct loops_route *route, bool full) {
  const struct loop_judgement *j = &route->judgement;
  char title[40];
  table_init(table);
  table_column(table, TABLE_LEFT, "part of the latency");
  table_column(table, TABLE_RIGHT, "slow");
  table_column(table, TABLE_RIGHT, "others");
  table_column(table, TABLE_RIGHT, "more");
  snprintf(title, sizeof title, "%.4g %% interval", 100 * (1 - a->level));
  table_column(table, TABLE_RIGHT, title);
  for (size_t i = 0; i < j->lines.count; i++) {
    const struct loop_line *line = &j->lines.data[i];
    if (!is_shown(j, line, full))
      continue;
    if (line->cause == EVENT_NONE)
      table_cell(table, "%s", hold_phase_name(line->phase));
    else
      table_cell(table, "- %s", j->route->causes.causes.data[line->cause].name);
    add_difference(table, &line->difference);
  }
  table_cell(table, "%s", "all of it");
  add_difference(table, &j->report.latency);
}

/* --- causes ----------------------------------------------------------------------------------- */

void loops_causes_table(struct table *table, const struct loops_answer *a,
                        const struct loops_route *route) {
  const struct loop_judgement *j = &route->judgement;
  (void)a;
  table_init(table);
  table_column(table, TABLE_LEFT, "without this");
  table_column(table, TABLE_RIGHT, "slow requests that would not be slow");
  table_column(table, TABLE_RIGHT, "");
  for (size_t i = 0; i < j->named.count; i++) {
    const struct tail_finding *finding = &j->report.findings.data[j->named.data[i]];
    const struct tail_share *share = &finding->necessary;
    table_cell(table, "%zu. %s", i + 1, j->route->causes.causes.data[finding->cause].name);
    table_cell(table, "%zu of %zu", share->count, share->of);
    table_cell(table, "%.0f .. %.0f %%", 100 * share->least, 100 * share->most);
  }
}

/* --- sentences -------------------------------------------------------------------------------- */

void loops_slow_say(struct text *text, const struct loops_answer *a,
                    const struct loops_route *route) {
  const struct loop_judgement *j = &route->judgement;
  text_format(text, "%s: %zu of %zu requests are slow: they take longer than ",
              loops_route_name(a, route), j->split.slow, j->split.requests);
  append_ns(text, (double)j->split.threshold);
  if (a->percent > 0)
    text_format(text, " (p%g)", a->percent);
  text_append(text, ".");
}

static void say_too_few(struct text *text, const struct loops_answer *a,
                        const struct loop_judgement *j) {
  if (j->split.slow < TAIL_LEAST) {
    text_format(text, "CANNOT TELL: %zu slow requests are too few; it takes %d.", j->split.slow,
                (int)TAIL_LEAST);
    if (a->percent > 0)
      text_format(text, " For p%g record %.0f requests of this route, or ask with a lower --above.",
                  a->percent, ceil(TAIL_LEAST / (1 - a->percent / 100) - 1e-6));
  } else if (j->report.slow_observed < TAIL_CLUSTERS) {
    text_format(text,
                "CANNOT TELL: the slow requests waited in %zu busy %s of the loop, and what "
                "happened so rarely may be chance; it takes %d. Record longer; a loop that is "
                "never idle has more work than it can do.",
                j->report.slow_observed, j->report.slow_observed == 1 ? "stretch" : "stretches",
                (int)TAIL_CLUSTERS);
  } else {
    text_append(text, "CANNOT TELL: too few requests are not slow; ask with a higher --above.");
  }
}

/* What slow requests took longer for without its being a cause. */
static void say_ordinary(struct text *text, const struct loop_judgement *j) {
  if (j->ordinary.count == 0)
    return;
  const struct tail_finding *first = &j->report.findings.data[j->ordinary.data[0]];
  text_format(text, " Slow requests took longer for '%s'",
              j->route->causes.causes.data[first->cause].name);
  if (j->ordinary.count > 1)
    text_format(text, " and %zu more", j->ordinary.count - 1);
  text_append(text, ", as some always do: such times become rarer the longer they are, and there "
                    "is no second kind of them.");
}

void loops_verdict_say(struct text *text, const struct loops_answer *a,
                       const struct loops_route *route) {
  const struct loop_judgement *j = &route->judgement;
  if (route->verdict == LOOPS_TOO_FEW) {
    say_too_few(text, a, j);
  } else if (route->verdict == LOOPS_NO_CAUSE) {
    text_format(text,
                "Nothing stands out: no cause is more than chance and adds half of what a usual "
                "request takes (%zu looked at).",
                j->report.tested);
  } else {
    text_format(text, "%zu %s out of %zu looked at; with %g %% confidence none is named by chance.",
                j->named.count, j->named.count == 1 ? "cause stands" : "causes stand",
                j->report.tested, 100 * rational_double(&a->request->confidence));
    if (j->judged_share > 1.5 * (double)j->split.slow / (double)j->split.requests)
      text_format(text,
                  " That is judged by the slowest %.0f %%, because the slow requests waited "
                  "in few stretches of the loop.",
                  100 * j->judged_share);
  }
  if (route->verdict != LOOPS_TOO_FEW)
    say_ordinary(text, j);
}
