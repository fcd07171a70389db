/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/judge.h"

#include <stdlib.h>

#include "trace/event/node_resource.h"
#include "trace/loop/chain.h"
#include "trace/loop/unusual.h"

static const double WIDEST = 0.2, WIDER = 1.5, OF_TIME_WAITED = 0.02;
static const double OF_DIFFERENCE = 0.1, OF_USUAL = 0.5, OF_REQUESTS = 0.05; /* material */

/* --- by what is judged ------------------------------------------------------------------------ */

static size_t slow_clusters(const struct tail_split *split, const int64_t *latency) {
  struct tail_split collapsed;
  mem_free(tail_split_collapse(&collapsed, split, latency));
  size_t slow = collapsed.slow;
  tail_split_clear(&collapsed);
  return slow;
}

/* More and more of the slowest, until they are enough observations. */
static void choose_judged(struct tail_split *judged, struct loop_judgement *j) {
  const struct loop_route *route = j->route;
  const int64_t *latency = route->causes.latency;
  size_t requests = route->causes.requests;
  tail_split_init(judged, requests);
  tail_split_cluster(judged, route->cluster);
  tail_split_above(judged, latency, j->split.threshold);
  double share = (double)judged->slow / (double)requests;
  while (slow_clusters(judged, latency) < TAIL_LEAST && share * WIDER <= WIDEST) {
    share *= WIDER;
    tail_split_above(judged, latency, tail_percentile(latency, requests, 100 * (1 - share)));
  }
  j->judged_share = (double)judged->slow / (double)requests;
}

/* --- what is named ---------------------------------------------------------------------------- */

static bool is_material(const struct loop_judgement *j, const struct tail_finding *finding) {
  double adds = finding->difference.difference;
  return finding->significant && adds >= OF_DIFFERENCE * j->report.latency.difference &&
         adds >= OF_USUAL * j->report.latency.rest &&
         (double)finding->necessary.count >= OF_REQUESTS * (double)finding->necessary.of;
}

/* What a second hump of its times must exceed to add as much as is material. */
static int64_t hump_least(const struct loop_judgement *j, const struct tail_cause *cause) {
  double least = (double)cause->usual + OF_USUAL * j->report.latency.rest;
  return least < 1 ? 1 : (int64_t)least;
}

static bool is_own(const struct loop_judgement *j, uint32_t cause) {
  const struct loop_route *route = j->route;
  enum loop_cause_kind kind = route->all->causes.data[route->kinds.data[cause]].kind;
  return kind == LOOP_WAIT || kind == LOOP_OWN;
}

/* What tells the two kinds of the cause's times apart; INT64_MAX: they are of one. */
static int64_t apart_of(const struct loop_judgement *j, uint32_t cause, double level) {
  const struct loop_route *route = j->route;
  const struct tail_cause *of = &route->causes.causes.data[cause];
  struct unusual_time *times = mem_alloc(route->chains.count, sizeof *times);
  for (size_t i = 0; i < route->chains.count; i++) {
    const struct event_chain *chain = &route->all->chains->chains.data[route->chains.data[i]];
    times[i] = (struct unusual_time){of->parts[i], chain->arrived};
  }
  int64_t stretch = j->split.threshold < 1 ? 1 : j->split.threshold;
  int64_t apart = loop_unusual_apart(times, route->chains.count, stretch, hump_least(j, of), level);
  mem_free(times);
  return apart;
}

static const struct loop_judgement *sorted; /* of the comparison */

static int by_necessary(const void *a, const void *b) {
  const struct tail_finding *x = &sorted->report.findings.data[*(const uint32_t *)a];
  const struct tail_finding *y = &sorted->report.findings.data[*(const uint32_t *)b];
  if (x->necessary.count != y->necessary.count)
    return x->necessary.count > y->necessary.count ? -1 : 1;
  double more = y->difference.difference - x->difference.difference;
  return (more > 0) - (more < 0);
}

/* Whether it is significant that slow requests waited longer or ran longer themselves says nothing:
 * they are chosen by that. What counts is a second kind of times. */
static void judge_own(struct loop_judgement *j, uint32_t number, double level) {
  struct tail_finding *finding = &j->report.findings.data[number];
  finding->course = TAIL_UNTESTED;
  finding->significant = j->report.enough;
  finding->necessary = tail_necessary(&j->route->causes, &j->split, finding->cause, level);
  if (is_material(j, finding))
    j->apart[number] = apart_of(j, finding->cause, level / (double)j->report.tested);
}

/* Whether processors were too few for the threads of the pool to be told from what they did. */
static bool is_starved(const struct loop_judgement *j, uint32_t cause) {
  const struct loop_causes *all = j->route->all;
  const struct event_log *log = all->log;
  const struct loop_cause *of = &all->causes.data[j->route->kinds.data[cause]];
  int64_t waited = 0, time = 0;
  if (of->kind != LOOP_WAIT || of->type == 0)
    return false;
  uint8_t class = node_class(names_text(&log->names, of->type));
  for (size_t i = 0; i < log->loops.count; i++) {
    waited += log->loops.data[i].waited;
    time += log->loops.data[i].end - log->loops.data[i].start;
  }
  return (class == EVENT_FILE || class == EVENT_POOL) &&
         (double)waited >= OF_TIME_WAITED * (double)time && waited != 0;
}

static void name_causes(struct loop_judgement *j, double level) {
  j->apart = mem_alloc(j->report.findings.count, sizeof *j->apart);
  for (uint32_t i = 0; i < j->report.findings.count; i++) {
    const struct tail_finding *finding = &j->report.findings.data[i];
    if (is_own(j, finding->cause) && finding->difference.difference > 0)
      judge_own(j, i, level);
    if (is_material(j, finding) && is_starved(j, finding->cause))
      vector_push(&j->starved, i);
    else if (is_material(j, finding) && j->apart[i] == INT64_MAX)
      vector_push(&j->ordinary, i);
    else if (is_material(j, finding))
      vector_push(&j->named, i);
  }
  sorted = j;
  if (j->named.count != 0)
    qsort(j->named.data, j->named.count, sizeof *j->named.data, by_necessary);
  if (j->ordinary.count != 0)
    qsort(j->ordinary.data, j->ordinary.count, sizeof *j->ordinary.data, by_necessary);
}

/* --- lines ------------------------------------------------------------------------------------ */

static int by_phase(const void *a, const void *b) {
  const struct loop_line *x = a, *y = b;
  if (x->phase != y->phase)
    return x->phase < y->phase ? -1 : 1;
  if ((x->cause == EVENT_NONE) != (y->cause == EVENT_NONE))
    return x->cause == EVENT_NONE ? -1 : 1;
  double more = y->difference.difference - x->difference.difference;
  return more != 0 ? (more > 0) - (more < 0) : (x->cause > y->cause) - (x->cause < y->cause);
}

static void add_line(struct loop_judgement *j, enum hold_phase phase, uint32_t cause,
                     const int64_t *values, double level) {
  struct tail_difference difference = tail_difference_of(values, &j->split, level);
  vector_push(&j->lines, (struct loop_line){phase, cause, difference});
}

static void add_lines(struct loop_judgement *j, double level) {
  const struct loop_route *route = j->route;
  int64_t *sum = mem_alloc(route->causes.requests, sizeof *sum);
  for (size_t phase = 0; phase < HOLD_PHASES; phase++) {
    for (size_t i = 0; i < route->causes.requests; i++)
      sum[i] = 0;
    for (uint32_t c = 0; c < route->kinds.count; c++) {
      const int64_t *values = loop_route_phase(route, c, (enum hold_phase)phase);
      if (values == NULL)
        continue;
      for (size_t i = 0; i < route->causes.requests; i++)
        sum[i] += values[i];
      add_line(j, (enum hold_phase)phase, c, values, level);
    }
    add_line(j, (enum hold_phase)phase, EVENT_NONE, sum, level);
  }
  mem_free(sum);
  qsort(j->lines.data, j->lines.count, sizeof *j->lines.data, by_phase);
}

void loop_judge(struct loop_judgement *j, struct loop_route *route, double level) {
  *j = (struct loop_judgement){.route = route};
  tail_split_init(&j->split, route->causes.requests);
  tail_split_cluster(&j->split, route->cluster);
  tail_split_above(&j->split, route->causes.latency, route->threshold);
  if (j->split.slow == 0 || j->split.rest == 0)
    return;
  struct tail_split judged;
  choose_judged(&judged, j);
  tail_causes_settle(&route->causes, j->split.sides);
  tail_report_judge(&j->report, &route->causes, &j->split, &judged, level);
  tail_split_clear(&judged);
  name_causes(j, level);
  add_lines(j, level);
}

void loop_judgement_clear(struct loop_judgement *j) {
  tail_split_clear(&j->split);
  tail_report_clear(&j->report);
  vector_clear(&j->named);
  vector_clear(&j->ordinary);
  vector_clear(&j->starved);
  mem_free(j->apart);
  vector_clear(&j->lines);
}
