/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/latency/latency.h"

#include <inttypes.h>
#include <string.h>

#include "cli/question/latency/ranges.h"
#include "trace/fold/open.h"

/* --- what is asked about ---------------------------------------------------------------------- */

static const char *unit_of(void *context, const char *path) {
  const struct latency_request *request = context;
  const char *name = strrchr(path, '/');
  const char *unit = settings_find(&request->units, path);
  return unit != NULL || name == NULL ? unit : settings_find(&request->units, name + 1);
}

static enum status read_traces(struct latency_answer *answer, struct span_store *store,
                               const char *const *paths, size_t count) {
  const struct asker *asker = answer->request->asker;
  const struct request_selection *selection = &answer->request->selection;
  struct trace_reading reading = {.tags = selection->where.count != 0,
                                  .columns = answer->request->columns,
                                  .foldable =
                                      selection->follow == NULL && selection_is_of_roots(selection),
                                  .follow = selection->follow != NULL,
                                  .keep = true};
  enum status status = trace_open(store, paths, count, &reading, &answer->ledger, asker);
  if (status == STATUS_OK && store->requests.count == 0)
    return asker_fail(asker, STATUS_DATA,
                      "%s: no request is recorded there; name a file or folder of traces",
                      paths[0]);
  return status == STATUS_OK ? selection_keep(store, selection, &answer->ledger, asker) : status;
}

/* --- readings of undecided orders ------------------------------------------------------------- */

struct reading {
  struct request_graph graph;
  struct variants variants;
  struct queue_waiting waiting;
};

static struct replay_wish wish_of(const struct latency_answer *answer,
                                  const struct reading *reading) {
  return (struct replay_wish){.scenario = &answer->scenario,
                              .variants = &reading->variants,
                              .store = &answer->store,
                              .seed = answer->request->seed,
                              .waiting = &reading->waiting};
}

static bool replay(struct replayed *replayed, const struct latency_answer *answer,
                   const struct reading *reading) {
  struct replay_wish wish = wish_of(answer, reading);
  return requests_replay(replayed, &wish);
}

/* With what was waited for in queues. */
static bool replay_all(struct reading *reading, struct latency_answer *answer,
                       enum undecided_reading undecided) {
  struct queue_waiting *waiting = &reading->waiting;
  struct replayed *arrived = answer->arrived[undecided];
  waiting_find(waiting, &reading->graph, &answer->store, 0.05);
  if (waiting->queues.count == 0)
    return replay(&answer->replayed[undecided], answer, reading);
  waiting_limit(waiting, &reading->variants, (uint32_t)answer->scenario.changes.count);
  waiting_take(waiting, &reading->graph, ARRIVES_FIRST);
  bool done = replay(&arrived[LATENCY_FIRST], answer, reading);
  waiting_take(waiting, &reading->graph, ARRIVES_LAST);
  done = done && replay(&arrived[LATENCY_LAST], answer, reading);
  waiting_take(waiting, &reading->graph, ARRIVES_LIKELY);
  for (size_t q = 0; undecided == UNDECIDED_WAITS && q < waiting->queues.count; q++)
    vector_push(&answer->queues, waiting->queues.data[q]);
  return done && replay(&answer->replayed[undecided], answer, reading);
}

static enum status make_reading(struct reading *reading, struct latency_answer *answer,
                                enum undecided_reading undecided) {
  struct graph_options options = {.undecided = undecided, .level = 0.05};
  request_graph_make(&reading->graph, &answer->store, &options);
  enum status status =
      scenario_apply(&reading->variants, &answer->scenario, &reading->graph, &answer->store);
  if (status != STATUS_OK)
    return status;
  if (!replay_all(reading, answer, undecided))
    return asker_fail(answer->request->asker, STATUS_USAGE,
                      "with these limits calls wait for servers that their own callers have; name "
                      "the inner calls in a limit of their own");
  return STATUS_OK;
}

static void clear_reading(struct reading *reading) {
  waiting_clear(&reading->waiting);
  variants_clear(&reading->variants);
  request_graph_clear(&reading->graph);
}

static char *name_of(const struct latency_answer *answer, const struct request_flow *flow,
                     uint32_t position) {
  struct text name;
  text_init(&name);
  flow_call_name(&name, flow, position, &answer->store.names);
  return text_take(&name);
}

static bool is_known(const struct latency_answer *answer, const struct undecided_order *order) {
  for (size_t i = 0; i < answer->undecided.count; i++)
    if (strcmp(answer->undecided.data[i].before, order->before) == 0 &&
        strcmp(answer->undecided.data[i].after, order->after) == 0)
      return true;
  return false;
}

static void list_undecided(struct latency_answer *answer, const struct request_graph *graph) {
  for (size_t f = 0; f < graph->flows.count; f++) {
    const struct request_flow *flow = graph->flows.data[f];
    for (size_t i = 0; i < flow->orders.count; i++) {
      const struct order *order = &flow->orders.data[i];
      if (order->verdict != ORDER_UNDECIDED)
        continue;
      struct undecided_order one = {name_of(answer, flow, order->before),
                                    name_of(answer, flow, order->after),
                                    order->kind,
                                    flow->calls.data[order->before].parent == order->after,
                                    order->held,
                                    order->refuted,
                                    order->needed};
      if (is_known(answer, &one)) {
        mem_free(one.before);
        mem_free(one.after);
      } else {
        vector_push(&answer->undecided, one);
      }
    }
  }
}

static bool has_undecided(const struct request_graph *graph) {
  for (size_t f = 0; f < graph->flows.count; f++)
    for (size_t i = 0; i < graph->flows.data[f]->orders.count; i++)
      if (graph->flows.data[f]->orders.data[i].verdict == ORDER_UNDECIDED)
        return true;
  return false;
}

/* Whether a request would take another time under the other reading. */
static bool readings_differ(const struct latency_answer *answer) {
  const struct replayed *a = &answer->replayed[0], *b = &answer->replayed[1];
  return a->after.count != b->after.count ||
         memcmp(a->after.data, b->after.data, a->after.count * sizeof *a->after.data) != 0;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* A queue is as long as the requests that are there make it: a sample of them would hardly wait. */
static enum status check_queues(const struct latency_answer *answer) {
  const struct span_store *store = &answer->store;
  uint64_t all = store->census == NULL ? store->requests.count : store->census->requests;
  if (all == store->requests.count)
    return STATUS_OK;
  for (size_t i = 0; i < answer->scenario.changes.count; i++)
    if (answer->scenario.changes.data[i].kind == CHANGE_LIMIT)
      return asker_fail(answer->request->asker, STATUS_DATA,
                        "--change '%s': all requests wait in one queue, and the summary has %zu of "
                        "%llu; name the traces themselves, or fold them with --keep %llu",
                        answer->scenario.changes.data[i].text, store->requests.count,
                        (unsigned long long)all, (unsigned long long)all);
  return STATUS_OK;
}

static enum status read_request(struct latency_answer *answer) {
  const struct latency_request *request = answer->request;
  enum status status = wanted_read(&answer->wanted, request->percentiles, request->asker);
  if (status == STATUS_OK)
    status = scenario_read(&answer->scenario, &answer->of);
  if (status == STATUS_OK)
    status = confirm_check(answer);
  if (status == STATUS_OK)
    status = read_traces(answer, &answer->store, request->paths, request->path_count);
  if (status == STATUS_OK)
    status = check_queues(answer);
  if (status == STATUS_OK && request->observed.count != 0)
    status =
        read_traces(answer, &answer->observed, request->observed.data, request->observed.count);
  return status;
}

/* Whose changes have no effect. */
static void note_apart(struct latency_answer *answer, const struct request_graph *graph) {
  uint64_t apart = 0, late = 0, clipped = 0;
  for (size_t f = 0; f < graph->flows.count; f++) {
    apart += graph->flows.data[f]->apart;
    late += graph->flows.data[f]->late;
    clipped += graph->flows.data[f]->clipped;
  }
  if (apart != 0)
    ledger_note(&answer->ledger, LEDGER_DATA,
                "nobody waits for %" PRIu64 " recorded calls, so changes of them change nothing",
                apart);
  if (late != 0)
    ledger_note(&answer->ledger, LEDGER_DATA,
                "%" PRIu64
                " recorded calls end after their callers, and count to the end of these: "
                "less of them may be saved, or more be lost, than is replayed",
                late);
  if (clipped != 0)
    ledger_note(&answer->ledger, LEDGER_DATA,
                "%" PRIu64 " recorded calls start before their callers, by their times; they count "
                "from the caller's start",
                clipped);
}

static bool has_beside(const struct request_graph *graph) {
  for (size_t f = 0; f < graph->flows.count; f++)
    if (graph->flows.data[f]->beside.count != 0)
      return true;
  return false;
}

/* What the readings of each request may come to together. */
static void find_bounds(struct latency_answer *answer, struct reading *readings) {
  size_t other = answer->readings - 1;
  struct replay_wish waits = wish_of(answer, &readings[0]);
  struct replay_wish free = wish_of(answer, &readings[other]);
  struct replayed *const replayed[] = {&answer->replayed[0], &answer->replayed[other]};
  if (answer->readings < 2 && !has_beside(&readings[0].graph))
    return;
  requests_bound(&answer->bounded, &waits, &free, replayed);
  if (answer->bounded.fed != 0)
    ledger_note(&answer->ledger, LEDGER_DATA,
                "%" PRIu64 " times the intervals allow that a call is fed by one that runs beside "
                "it: no request has it end sooner, which chance explains",
                answer->bounded.fed);
}

static bool has_unread(const struct request_graph *graph, size_t requests) {
  uint64_t unread = 0;
  for (size_t f = 0; f < graph->flows.count; f++) {
    const struct request_flow *flow = graph->flows.data[f];
    bool open = false;
    for (size_t i = 0; i < flow->limits.count; i++)
      open = open || (!flow->limits.data[i].is_read && flow->limits.data[i].by_chance < 1);
    unread += open ? flow->requests.count : 0;
  }
  return unread > requests / 100;
}

static enum status evaluate(struct latency_answer *answer, struct reading *readings) {
  enum status status = make_reading(&readings[0], answer, UNDECIDED_WAITS);
  answer->flows = readings[0].graph.flows.count;
  if (status == STATUS_OK)
    note_apart(answer, &readings[0].graph);
  answer->unread = has_unread(&readings[0].graph, answer->store.requests.count);
  answer->readings = 1;
  if (status == STATUS_OK && has_undecided(&readings[0].graph)) {
    status = make_reading(&readings[1], answer, UNDECIDED_FREE);
    if (status == STATUS_OK && readings_differ(answer)) {
      answer->readings = 2;
      list_undecided(answer, &readings[0].graph);
    }
  }
  const struct variants *variants[] = {&readings[0].variants, &readings[1].variants};
  if (status == STATUS_OK && asker_stopped(answer->request->asker))
    status = STATUS_INTERRUPTED;
  if (status == STATUS_OK) {
    find_bounds(answer, readings);
    ranges_find(answer, variants);
  }
  return status;
}

/* --data and --unit are of files that changes name; for none they would pass unheard. */
static enum status check_files(const struct latency_answer *answer) {
  const struct latency_request *request = answer->request;
  const struct asker *asker = request->asker;
  size_t count = answer->scenario.samples.count;
  if (request->folder != NULL && count == 0)
    return asker_fail(asker, STATUS_USAGE,
                      "--data %s: no change names a file of it; leave it out, or name one: "
                      "--change 'CALL = FILE'",
                      request->folder);
  for (size_t i = 0; i < request->units.count; i++) {
    bool used = false;
    for (size_t k = 0; k < count && !used; k++)
      used = unit_of((void *)(uintptr_t)request, answer->scenario.samples.data[k]->path) ==
             request->units.data[i].value;
    if (!used)
      return asker_fail(asker, STATUS_USAGE, "--unit %s=%s: no change names such a file",
                        request->units.data[i].name, request->units.data[i].value);
  }
  return STATUS_OK;
}

enum status latency_ask(struct latency_answer *answer, const struct latency_request *request) {
  *answer = (struct latency_answer){.request = request};
  answer->of = (struct scenario_request){.asker = request->asker,
                                         .changes = request->changes.data,
                                         .change_count = request->changes.count,
                                         .folder = request->folder,
                                         .unit = unit_of,
                                         .context = (void *)(uintptr_t)request};
  span_store_init(&answer->store);
  span_store_init(&answer->observed);
  ledger_init(&answer->ledger);
  struct reading readings[LATENCY_READINGS] = {0};
  answer->status = read_request(answer);
  if (answer->status == STATUS_OK)
    answer->status = evaluate(answer, readings);
  if (answer->status == STATUS_OK)
    answer->status = check_files(answer);
  answer->found = answer->status == STATUS_OK;
  if (answer->found && request->confirm != NULL) {
    answer->status = confirm_measure(answer);
    answer->found = answer->status < STATUS_USAGE;
  }
  for (size_t i = 0; answer->found && i < answer->percentiles.count; i++)
    if (latency_missed(answer, &answer->percentiles.data[i]))
      answer->status = status_worst(answer->status, STATUS_REFUTED);
  for (size_t i = 0; i < answer->scenario.ledger.count; i++)
    ledger_copy(&answer->ledger, &answer->scenario.ledger.lines[i]);
  for (size_t i = 0; i < LATENCY_READINGS; i++)
    clear_reading(&readings[i]);
  return answer->status;
}

void latency_clear(struct latency_answer *answer) {
  for (size_t i = 0; i < answer->undecided.count; i++) {
    mem_free(answer->undecided.data[i].before);
    mem_free(answer->undecided.data[i].after);
  }
  vector_clear(&answer->undecided);
  mem_free(answer->pair[0]);
  mem_free(answer->pair[1]);
  vector_clear(&answer->percentiles);
  for (size_t i = 0; i < LATENCY_READINGS; i++) {
    replayed_clear(&answer->replayed[i]);
    for (size_t k = 0; k < LATENCY_ARRIVALS; k++)
      replayed_clear(&answer->arrived[i][k]);
  }
  vector_clear(&answer->queues);
  bounded_clear(&answer->bounded);
  speedup_clear(&answer->speedup);
  scenario_clear(&answer->scenario);
  span_store_clear(&answer->store);
  span_store_clear(&answer->observed);
  wanted_clear(&answer->wanted);
  ledger_clear(&answer->ledger);
}
