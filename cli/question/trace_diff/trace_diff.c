/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/trace_diff/trace_diff.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "trace/fold/open.h"
#include "trace/graph/notes.h"

/* --- reading ---------------------------------------------------------------------------------- */

static enum status check_request(struct trace_diff *d) {
  struct rational level;
  rational_init(&level);
  rational_set_integer(&level, 1);
  rational_sub(&level, &level, &d->request->confidence);
  d->level = rational_double(&level);
  d->level_of_kinds = d->level / 3;
  rational_clear(&level);
  if (d->level >= 1)
    return asker_fail(d->request->asker, STATUS_USAGE, "--confidence 0: give a level such as 0.95");
  return wanted_read(&d->wanted, d->request->percentiles, d->request->asker);
}

static enum status keep(struct trace_diff *d, size_t side) {
  const struct trace_diff_request *request = d->request;
  size_t first = side == DIFF_BEFORE ? 0 : d->counts[DIFF_BEFORE];
  size_t place = side == DIFF_BEFORE ? 0 : request->counts[DIFF_BEFORE];
  if (d->store.requests.count == first)
    return asker_fail(request->asker, STATUS_DATA, "%s: no request in it", request->paths[place]);
  enum status status =
      selection_keep_from(&d->store, first, &request->selection, &d->ledger, request->asker);
  d->counts[side] = d->store.requests.count - first;
  return status;
}

static enum status read_both(struct trace_diff *d) {
  const struct trace_diff_request *request = d->request;
  const struct trace_reading reading = {
      .tags = request->selection.where.count != 0, .columns = request->columns, .keep = true};
  size_t before = request->counts[DIFF_BEFORE], all = before + request->counts[DIFF_AFTER];
  enum status status =
      trace_open(&d->store, request->paths, before, &reading, &d->ledger, request->asker);
  if (status == STATUS_OK)
    status = keep(d, DIFF_BEFORE);
  if (status == STATUS_OK)
    status = trace_open_more(&d->store, request->paths, all, before, &reading, &d->ledger,
                             request->asker);
  return status == STATUS_OK ? keep(d, DIFF_AFTER) : status;
}

/* Requests that both recordings have: the same trace, or a trace that was cut in two. */
static enum status check_twice(struct trace_diff *d) {
  struct span_names ids;
  size_t twice = 0;
  names_init(&ids);
  for (size_t i = 0; i < d->store.requests.count; i++) {
    struct slice id = d->store.requests.data[i].id;
    if (id.length == 0)
      continue;
    if (i < d->counts[DIFF_BEFORE])
      names_number(&ids, id);
    else
      twice += names_find(&ids, id) != 0;
  }
  names_clear(&ids);
  if (twice == d->counts[DIFF_AFTER])
    return asker_fail(d->request->asker, STATUS_DATA,
                      "each trace of the second recording is in the first one, too; give two "
                      "recordings: trace diff BEFORE AFTER");
  if (twice != 0)
    ledger_warn(&d->ledger, LEDGER_DATA,
                "%zu traces are in both recordings, and count in each; give recordings that do not "
                "overlap",
                twice);
  return STATUS_OK;
}

/* Summaries keep no times of day, and have their requests flow by flow: in an order that means
 * nothing they are the independent requests that they are taken for. */
static void mix_times(struct span_store *store) {
  struct random random = {store->requests.count};
  for (size_t i = 0; i < store->requests.count; i++) {
    const struct request *request = &store->requests.data[i];
    int64_t later = (int64_t)(random_bits(&random) >> 16);
    for (uint32_t row = request->first; row < request->first + request->count; row++) {
      store->start.data[row] += later;
      store->end.data[row] += later;
    }
  }
}

/* --- comparing -------------------------------------------------------------------------------- */

static void split(struct trace_diff *d) {
  tail_split_init(&d->split, d->causes.requests);
  d->split.both_ways = true;
  for (size_t i = 0; i < d->split.requests; i++)
    d->split.sides[i] = d->order[i] < d->counts[DIFF_BEFORE] ? TAIL_REST : TAIL_SLOW;
  tail_split_labelled(&d->split, d->causes.latency);
}

static int64_t *latencies_of(const struct trace_diff *d, enum tail_side side) {
  int64_t *values = mem_alloc(d->causes.requests, sizeof *values);
  size_t count = 0;
  for (size_t i = 0; i < d->causes.requests; i++)
    if (d->split.sides[i] == side)
      values[count++] = d->causes.latency[i];
  return values;
}

static double end_of(uint64_t ns) {
  return ns == QUANTILE_INFINITE ? INFINITY : (double)ns;
}

/* Intervals of both sides that hold together, for all percentiles: a change lies between the least
 * and the most that they allow. */
static void find_percentiles(struct trace_diff *d) {
  struct rational confidence, part;
  rational_init(&confidence);
  rational_init(&part);
  rational_set_integer(&confidence, 1);
  rational_sub(&part, &confidence, &d->request->confidence);
  struct rational shares;
  rational_init(&shares);
  rational_set_integer(&shares, (int64_t)(2 * d->wanted.count));
  rational_div(&part, &part, &shares);
  rational_sub(&confidence, &confidence, &part);
  struct loop_quantile *quantiles[DIFF_SIDES];
  for (size_t side = 0; side < DIFF_SIDES; side++) {
    int64_t *values = latencies_of(d, side == DIFF_AFTER ? TAIL_SLOW : TAIL_REST);
    quantiles[side] = loop_quantiles(values, d->counts[side], &d->wanted, &confidence, 0);
    mem_free(values);
  }
  for (size_t i = 0; i < d->wanted.count; i++) {
    struct diff_percentile p = {.sides = {quantiles[DIFF_BEFORE][i], quantiles[DIFF_AFTER][i]}};
    p.settled = p.sides[DIFF_BEFORE].settled && p.sides[DIFF_AFTER].settled;
    p.least = (double)p.sides[DIFF_AFTER].lower_ns - end_of(p.sides[DIFF_BEFORE].upper_ns);
    p.most = end_of(p.sides[DIFF_AFTER].upper_ns) - (double)p.sides[DIFF_BEFORE].lower_ns;
    vector_push(&d->percentiles, p);
  }
  for (size_t side = 0; side < DIFF_SIDES; side++)
    mem_free(quantiles[side]);
  rational_clear(&shares);
  rational_clear(&part);
  rational_clear(&confidence);
}

static void count_failed(struct trace_diff *d) {
  for (size_t i = 0; i < d->store.requests.count; i++)
    if (d->store.status.data[d->store.requests.data[i].first] == SPAN_ERROR)
      d->failed[i >= d->counts[DIFF_BEFORE]]++;
  d->failed_by_chance = trace_diff_chance(d->failed, d->counts);
}

static uint64_t count_undecided(const struct trace_diff *d) {
  uint64_t undecided = 0;
  for (size_t f = 0; f < d->graph.flows.count; f++)
    for (size_t i = 0; i < d->graph.flows.data[f]->orders.count; i++)
      undecided += d->graph.flows.data[f]->orders.data[i].verdict == ORDER_UNDECIDED;
  return undecided;
}

/* --- what it rests on ------------------------------------------------------------------------- */

static void note_course(struct trace_diff *d) {
  if (d->store.census != NULL)
    ledger_note(&d->ledger, LEDGER_DIST,
                "summaries keep no times of day: requests are taken for independent of each other");
  else if (tail_course_of(&d->split) == TAIL_WITHIN)
    ledger_note(&d->ledger, LEDGER_DIST,
                "both recordings are of the same time, and are compared within blocks of it");
  else
    ledger_note(&d->ledger, LEDGER_DIST,
                "the recordings are of different times: whatever else differed between these times "
                "shows alike");
}

static void note_all(struct trace_diff *d) {
  uint64_t undecided = count_undecided(d);
  if (undecided != 0)
    ledger_note(&d->ledger, LEDGER_DATA,
                "%llu orders of calls are undecided: too few requests show whether one waits for "
                "the other, or it differs by request; each is read as a wait. What differs in that "
                "reading alone is marked: the two recordings may have been read unlike",
                (unsigned long long)undecided);
  graph_note(&d->ledger, &d->graph);
  note_course(d);
  ledger_add(&d->ledger, LEDGER_DIST,
             "requests are independent, or depend on those before them as their order shows");
  ledger_add(
      &d->ledger, LEDGER_DIST,
      "the interval of a difference is that of Welch, widened for skewness (Hall 1992); each "
      "holds by itself, those of percentiles all together");
  ledger_add(&d->ledger, LEDGER_DIST,
             "none is significant by chance, with this confidence for each: the latency; services "
             "with their causes; roots, calls and flows together");
}

static enum diff_verdict verdict_of(const struct trace_diff *d) {
  if (!d->report.enough)
    return DIFF_TOO_FEW;
  if (d->report.slower || d->report.faster)
    return d->report.latency.difference > 0 ? DIFF_SLOWER : DIFF_FASTER;
  bool roots = false;
  for (size_t i = 0; i < d->roots.count; i++)
    roots |= d->roots.data[i].significant;
  return roots || d->report.named + d->report.significant + d->calls.count + d->flows.count != 0
             ? DIFF_ELSEWHERE
             : DIFF_NONE;
}

static void judge(struct trace_diff *d) {
  const struct graph_options options = {.undecided = UNDECIDED_WAITS, .level = 0.05};
  if (d->store.census != NULL)
    mix_times(&d->store);
  request_graph_make(&d->graph, &d->store, &options);
  tail_requests_causes(&d->causes, &d->order, &d->graph, &d->store);
  split(d);
  tail_causes_settle(&d->causes, d->split.sides);
  tail_report_make(&d->report, &d->causes, &d->split, d->level);
  d->undecided = count_undecided(d) != 0;
  trace_diff_read_otherwise(d);
  find_percentiles(d);
  count_failed(d);
  trace_diff_roots(d);
  trace_diff_parts(d);
  note_all(d);
  d->verdict = verdict_of(d);
  d->status = d->verdict == DIFF_TOO_FEW || d->verdict == DIFF_NONE ? STATUS_UNKNOWN : STATUS_OK;
  d->found = true;
}

enum status trace_diff_ask(struct trace_diff *d, const struct trace_diff_request *request) {
  *d = (struct trace_diff){.request = request};
  span_store_init(&d->store);
  ledger_init(&d->ledger);
  d->status = check_request(d);
  if (d->status == STATUS_OK)
    d->status = read_both(d);
  if (d->status == STATUS_OK)
    d->status = check_twice(d);
  if (d->status == STATUS_OK)
    judge(d);
  return d->status;
}

void trace_diff_clear(struct trace_diff *d) {
  tail_split_clear(&d->split);
  tail_causes_clear(&d->causes);
  tail_report_clear(&d->report);
  request_graph_clear(&d->graph);
  span_store_clear(&d->store);
  mem_free(d->order);
  mem_free(d->either_way);
  mem_free(d->services_too);
  wanted_clear(&d->wanted);
  vector_clear(&d->percentiles);
  vector_clear(&d->roots);
  vector_clear(&d->calls);
  vector_clear(&d->flows);
  ledger_clear(&d->ledger);
}
