/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tail`, of recorded traces. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "cli/question/tail/asking.h"
#include "trace/evaluate/waiting.h"
#include "trace/fold/open.h"
#include "trace/graph/notes.h"

/* Part of the latency's difference by which two readings must differ to be told apart. */
static const double TELLING = 0.05;

/* Nothing but times is asked about. */
static bool is_foldable(const struct tail_request *request) {
  return request->slow.count == 0 && request->against.count == 0 && request->request == NULL &&
         request->profile == NULL && selection_is_of_roots(&request->selection);
}

static enum status read_traces(struct tail_answer *a) {
  const struct tail_request *request = a->request;
  const struct trace_reading reading = {.tags = true,
                                        .columns = request->columns,
                                        .foldable = is_foldable(request),
                                        .processes = request->profile != NULL,
                                        .follow = request->selection.follow != NULL,
                                        .keep = true};
  span_store_init(&a->store);
  a->traces = true;
  if (request->latency != NULL || request->calls != NULL || request->tags.count != 0)
    return asker_fail(
        request->asker, STATUS_USAGE,
        "--latency, --call-graph and --tag are of tables; traces say all that themselves");
  enum status status = trace_open(&a->store, request->paths, request->path_count, &reading,
                                  &a->ledger, request->asker);
  if (status == STATUS_OK && a->store.requests.count == 0)
    status = asker_fail(request->asker, STATUS_DATA, "%s: no request in it", request->paths[0]);
  if (status == STATUS_OK)
    status = selection_keep(&a->store, &request->selection, &a->ledger, request->asker);
  if (status == STATUS_OK)
    selection_note_roots(&a->store, &a->ledger);
  return status;
}

static bool has_tags(const struct tail_answer *a, size_t rank, const settings *wanted) {
  for (size_t i = 0; i < wanted->count; i++)
    if (!tail_request_has(&a->store, a->order[rank], wanted->data[i].name, wanted->data[i].value))
      return false;
  return true;
}

static void split_by_tags(struct tail_answer *a) {
  const struct tail_request *request = a->request;
  for (size_t i = 0; i < a->split.requests; i++)
    a->split.sides[i] = has_tags(a, i, &request->slow)      ? TAIL_SLOW
                        : has_tags(a, i, &request->against) ? TAIL_REST
                                                            : TAIL_NEITHER;
  tail_split_labelled(&a->split, a->causes.latency);
}

/* One request against all others. */
static enum status split_one(struct tail_answer *a) {
  const char *id = a->request->request;
  for (size_t i = 0; i < a->split.requests; i++)
    if (slice_is(a->store.requests.data[a->order[i]].id, id)) {
      a->one = i;
      a->split.sides[i] = TAIL_SLOW;
      tail_split_labelled(&a->split, a->causes.latency);
      return STATUS_OK;
    }
  return asker_fail(a->request->asker, STATUS_DATA, "--request %s: no trace has that id", id);
}

/* p99 of all requests is answered by whichever root is slow anyway: where nothing else was asked
 * for, each root has its own, or a p95, if that leaves enough slow requests. */
static bool split_by_roots(struct tail_answer *a) {
  uint32_t *roots = mem_alloc(a->split.requests, sizeof *roots);
  struct span_names names;
  names_init(&names);
  for (size_t i = 0; i < a->split.requests; i++) {
    uint32_t row = a->store.requests.data[a->order[i]].first;
    struct text name;
    text_init(&name);
    text_format(&name, "%" PRIu32 " %" PRIu32, a->store.service.data[row],
                a->store.operation.data[row]);
    roots[i] = names_number(&names, (struct slice){text_get(&name), name.length});
    a->roots = roots[i] > a->roots ? roots[i] : a->roots;
    text_clear(&name);
  }
  names_clear(&names);
  static const double percents[] = {99, 95};
  bool enough = false;
  for (size_t i = 0; i < 2 && a->roots > 1 && !enough; i++) {
    tail_split_above_kinds(&a->split, a->causes.latency, roots, percents[i]);
    enough = a->split.slow >= TAIL_LEAST;
    a->percent = enough ? percents[i] : a->percent;
  }
  mem_free(roots);
  if (enough)
    return true;
  a->roots = 1;
  mem_free(a->split.thresholds);
  a->split.thresholds = NULL;
  return false;
}

static enum status split_traces(struct tail_answer *a, int64_t threshold) {
  enum status status = STATUS_OK;
  tail_split_init(&a->split, a->causes.requests);
  if (a->request->request != NULL)
    status = split_one(a);
  else if (a->request->slow.count != 0)
    split_by_tags(a);
  else if (a->request->above != NULL || !split_by_roots(a))
    tail_split_by_time(a, a->causes.latency, threshold);
  return status == STATUS_OK ? tail_check_sides(a) : status;
}

/* --- both readings of undecided orders -------------------------------------------------------- */

static uint64_t count_undecided(const struct request_graph *graph) {
  uint64_t count = 0;
  for (size_t f = 0; f < graph->flows.count; f++) {
    const struct request_flow *flow = graph->flows.data[f];
    for (size_t i = 0; i < flow->orders.count; i++)
      count += flow->orders.data[i].verdict == ORDER_UNDECIDED;
  }
  return count;
}

/* The cause of the same name, kind and service. */
static const struct tail_cause *find_cause(const struct tail_causes *causes,
                                           const struct tail_causes *of,
                                           const struct tail_cause *wanted) {
  const struct tail_service *where = &of->services.data[wanted->service];
  for (size_t i = 0; i < causes->causes.count; i++) {
    const struct tail_cause *cause = &causes->causes.data[i];
    const struct tail_service *service = &causes->services.data[cause->service];
    if (cause->kind == wanted->kind && strcmp(cause->name, wanted->name) == 0 &&
        service->way == where->way && strcmp(service->name, where->name) == 0)
      return cause;
  }
  return NULL;
}

static void note_cause(struct tail_answer *a, const struct tail_cause *cause, double adds,
                       double other) {
  struct text one, two;
  text_init(&one);
  text_init(&two);
  duration_print_nearest(&one, llround(adds));
  duration_print_nearest(&two, llround(other));
  ledger_note(&a->ledger, LEDGER_DATA, "%s adds %s, or %s if no undecided order is a wait",
              cause->name, one.data, two.data);
  text_clear(&one);
  text_clear(&two);
}

/* What the causes add if no undecided order is a wait, where that differs. */
static void note_other_reading(struct tail_answer *a) {
  struct request_graph graph;
  struct tail_causes causes;
  uint32_t *order;
  const struct graph_options options = {.undecided = UNDECIDED_FREE, .level = 0.05};
  request_graph_make(&graph, &a->store, &options);
  tail_requests_causes(&causes, &order, &graph, &a->store);
  double all = fabs(tail_difference_of(a->causes.latency, &a->split, a->level).difference);
  for (size_t i = 0; i < a->causes.causes.count; i++) {
    const struct tail_cause *cause = &a->causes.causes.data[i];
    const struct tail_cause *twin = find_cause(&causes, &a->causes, cause);
    double adds = tail_difference_of(cause->parts, &a->split, a->level).difference;
    double other =
        twin == NULL ? 0 : tail_difference_of(twin->parts, &a->split, a->level).difference;
    if (fabs(adds - other) > TELLING * all)
      note_cause(a, cause, adds, other);
  }
  tail_causes_clear(&causes);
  request_graph_clear(&graph);
  mem_free(order);
}

static void note_graph(struct tail_answer *a) {
  uint64_t undecided = count_undecided(&a->graph);
  if (undecided != 0) {
    ledger_note(&a->ledger, LEDGER_DATA,
                "%" PRIu64 " orders of calls are undecided: too few requests show whether one "
                "waits for the other, or it differs by request; each is read as a wait",
                undecided);
    note_other_reading(a);
  }
  graph_note(&a->ledger, &a->graph);
  waiting_note(&a->ledger, &a->graph, &a->store, 0.05);
  ledger_add(&a->ledger, LEDGER_DATA,
             "what a cause is necessary and sufficient for is calculated with all other times as "
             "they were");
}

/* Whether the key ("web: phase") is of a tag that says itself which side a request is on. */
static bool says_side(const struct tail_answer *a, const char *key) {
  const settings *lists[] = {&a->request->slow, &a->request->against};
  size_t length = strlen(key);
  for (size_t l = 0; l < 2; l++)
    for (size_t i = 0; i < lists[l]->count; i++) {
      const char *name = lists[l]->data[i].name;
      size_t part = strlen(name);
      if (part <= length && strcmp(key + length - part, name) == 0 &&
          (part == length ||
           (part + 2 <= length && key[length - part - 1] == ' ' && key[length - part - 2] == ':')))
        return true;
    }
  return false;
}

/* Tags, but for those by which the requests were split. */
static void find_marks(struct tail_answer *a) {
  size_t kept = 0;
  tail_requests_marks(&a->marks, &a->store, a->order, a->causes.requests);
  for (size_t i = 0; i < a->marks.count; i++)
    if (!says_side(a, names_text(&a->store.names, a->marks.data[i].key)))
      a->marks.data[kept++] = a->marks.data[i];
  a->marks.count = kept;
  a->names = &a->store.names;
}

enum status tail_ask_traces(struct tail_answer *a, int64_t threshold) {
  enum status status = read_traces(a);
  if (status != STATUS_OK)
    return status;
  const struct graph_options options = {.undecided = UNDECIDED_WAITS, .level = 0.05};
  request_graph_make(&a->graph, &a->store, &options);
  tail_requests_causes(&a->causes, &a->order, &a->graph, &a->store);
  status = split_traces(a, threshold);
  if (status != STATUS_OK)
    return status;
  tail_causes_settle(&a->causes, a->split.sides);
  find_marks(a);
  note_graph(a);
  return a->request->profile != NULL ? tail_ask_profile(a) : STATUS_OK;
}
