/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/runs/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/duration.h"
#include "cli/question/percentiles/percentile_list.h"
#include "dist/statistics/allocate.h"
#include "dist/statistics/runs.h"
#include "trace/fold/open.h"

enum { RECORDED_LEAST = 10 }; /* to guess a spread from */

/* A request while it is sorted: those of one kind are neighbours, the fastest first. */
struct timed {
  uint32_t service, operation;
  int64_t ns;
};
typedef VECTOR(struct timed) timed_list;

static int by_kind(const void *left, const void *right) {
  const struct timed *a = left, *b = right;
  if (a->service != b->service)
    return a->service < b->service ? -1 : 1;
  if (a->operation != b->operation)
    return a->operation < b->operation ? -1 : 1;
  return a->ns < b->ns ? -1 : a->ns > b->ns;
}

/* --- spreads ---------------------------------------------------------------------------------- */

static double deviation(const struct timed *list, size_t count, double mean) {
  double squares = 0;
  for (size_t i = 0; i < count; i++)
    squares += ((double)list[i].ns - mean) * ((double)list[i].ns - mean);
  return sqrt(squares / (double)(count - 1));
}

static double at(const struct timed *list, size_t count, double share) {
  double place = floor(share * (double)count);
  return (double)list[place < 0 ? 0 : place >= (double)count ? count - 1 : (size_t)place].ns;
}

/* sqrt(p (1 - p)) / f(q_p), with the density f from the quantiles on both sides (Bofinger 1975; the
 * width is that of Siddiqui and Bloch-Gastwirth, about n^-1/5, inside of the sample). */
static double percentile_spread(const struct timed *list, size_t count, double p) {
  double width = fmin(0.5 * pow((double)count, -0.2), 0.9 * fmin(p, 1 - p));
  double slope = (at(list, count, p + width) - at(list, count, p - width)) / (2 * width);
  return sqrt(p * (1 - p)) * slope;
}

static void add_kind(struct runs_answer *answer, const struct span_store *store,
                     const struct timed *list, size_t count, double share) {
  struct run_kind kind = {.recorded = count};
  struct text name;
  text_init(&name);
  text_format(&name, "%s/%s", names_text(&store->names, list->service),
              names_text(&store->names, list->operation));
  kind.name = text_take(&name);
  for (size_t i = 0; i < count; i++)
    kind.mean_ns += (double)list[i].ns / (double)count;
  if (count >= RECORDED_LEAST)
    kind.spread_ns =
        share > 0 ? percentile_spread(list, count, share) : deviation(list, count, kind.mean_ns);
  vector_push(&answer->kinds, kind);
}

static int by_recorded(const void *left, const void *right) {
  const struct run_kind *a = left, *b = right;
  return a->recorded != b->recorded ? (a->recorded > b->recorded ? -1 : 1)
                                    : strcmp(a->name, b->name);
}

static void find_kinds(struct runs_answer *answer, const struct span_store *store, double share) {
  timed_list list = {0};
  for (size_t i = 0; i < store->requests.count; i++) {
    const struct request *request = &store->requests.data[i];
    struct timed one = {store->service.data[request->first], store->operation.data[request->first],
                        span_store_latency(store, request)};
    vector_push(&list, one);
  }
  qsort(list.data, list.count, sizeof *list.data, by_kind);
  for (size_t from = 0, to; from < list.count; from = to) {
    for (to = from + 1; to < list.count && list.data[to].service == list.data[from].service &&
                        list.data[to].operation == list.data[from].operation;)
      to++;
    add_kind(answer, store, &list.data[from], to - from, share);
  }
  qsort(answer->kinds.data, answer->kinds.count, sizeof *answer->kinds.data, by_recorded);
  vector_clear(&list);
}

/* --- what is asked ---------------------------------------------------------------------------- */

static enum status complain(const struct runs_request *request, const char *option,
                            const char *value, const char *remedy) {
  return asker_fail(request->asker, STATUS_USAGE, "--%s %s: %s", option, value, remedy);
}

static enum status read_share(double *share, const struct runs_request *request) {
  wanted_list wanted = {0};
  *share = 0;
  if (request->percentile == NULL)
    return STATUS_OK;
  enum status status = wanted_read(&wanted, request->percentile, request->asker);
  if (status == STATUS_OK && wanted.count != 1)
    status = asker_fail(request->asker, STATUS_USAGE, "name the one percentile to plan for, -p 99");
  else if (status == STATUS_OK)
    *share = rational_double(&wanted.data[0].share);
  wanted_clear(&wanted);
  return status;
}

static enum status read_budget(uint64_t *budget_ns, const struct runs_request *request) {
  struct rational value;
  rational_init(&value);
  int64_t ns = 0;
  bool good = request->budget != NULL && duration_parse(&value, request->budget) &&
              rational_sign(&value) > 0 && rational_floor(&ns, &value) &&
              (uint64_t)ns <= ALLOCATE_BUDGET_MAX;
  rational_clear(&value);
  *budget_ns = (uint64_t)ns;
  return good
             ? STATUS_OK
             : complain(request, "budget", request->budget == NULL ? "is missing" : request->budget,
                        "give the time there is for measuring, with its unit (120s)");
}

static enum status read_minimum(uint64_t *least, const struct runs_request *request) {
  *least = 0;
  if (request->minimum == NULL)
    return STATUS_OK;
  struct slice digits = {request->minimum, strlen(request->minimum)};
  return decimal_whole(least, digits) == DECIMAL_OK && *least <= 1000000000
             ? STATUS_OK
             : complain(request, "minimum", request->minimum, "give a whole number of runs");
}

/* --- all of it -------------------------------------------------------------------------------- */

static void note(struct runs_answer *answer) {
  ledger_add(&answer->ledger, LEDGER_DATA, "further requests take as long as the recorded ones");
  for (size_t i = 0; i < answer->kinds.count; i++)
    if (answer->kinds.data[i].recorded < RECORDED_LEAST)
      ledger_warn(&answer->ledger, LEDGER_DATA,
                  "%s was recorded %" PRIu64 " times, which says little of its spread; it gets its "
                  "minimum: run it %d times and plan again",
                  answer->kinds.data[i].name, answer->kinds.data[i].recorded, RECORDED_LEAST);
}

static enum status allocate_runs(struct runs_answer *answer, uint64_t least) {
  size_t count = answer->kinds.count;
  struct plan_component *components = mem_alloc(count, sizeof *components);
  double *spreads = mem_alloc(count, sizeof *spreads);
  for (size_t i = 0; i < count; i++) {
    const struct run_kind *kind = &answer->kinds.data[i];
    components[i] =
        (struct plan_component){.name = kind->name,
                                .samples = kind->recorded,
                                .least = least,
                                .cost_ns = kind->mean_ns < 1 ? 1 : (uint64_t)ceil(kind->mean_ns)};
    spreads[i] = kind->spread_ns;
    vector_push(&answer->runs, kind->recorded);
  }
  enum status status = STATUS_OK;
  uint64_t minimum_ns = allocate_least(components, count);
  if (minimum_ns > answer->budget_ns)
    status = asker_fail(answer->request->asker, STATUS_USAGE,
                        "--minimum %s takes %.3f s for all kinds of request, more than the budget; "
                        "give more time or a smaller minimum",
                        answer->request->minimum, (double)minimum_ns / 1e9);
  else
    runs_allocate(answer->runs.data, components, spreads, count, answer->budget_ns);
  for (size_t i = 0; i < count; i++)
    answer->spent_ns += (answer->runs.data[i] - components[i].samples) * components[i].cost_ns;
  mem_free(components);
  mem_free(spreads);
  return status;
}

enum status runs_ask(struct runs_answer *answer, const struct runs_request *request) {
  *answer = (struct runs_answer){.request = request};
  struct span_store store;
  double share = 0;
  uint64_t least = 0;
  span_store_init(&store);
  ledger_init(&answer->ledger);
  enum status status = read_share(&share, request);
  if (status == STATUS_OK)
    status = read_budget(&answer->budget_ns, request);
  if (status == STATUS_OK)
    status = read_minimum(&least, request);
  struct trace_reading reading = {.columns = request->columns, .keep = true};
  if (status == STATUS_OK)
    status = trace_open(&store, request->paths, request->path_count, &reading, &answer->ledger,
                        request->asker);
  if (status == STATUS_OK && store.requests.count == 0)
    status = asker_fail(request->asker, STATUS_DATA,
                        "%s: no request is recorded there; name a file or folder of traces",
                        request->paths[0]);
  if (status == STATUS_OK) {
    find_kinds(answer, &store, share);
    status = allocate_runs(answer, least);
  }
  answer->found = status == STATUS_OK;
  if (answer->found)
    note(answer);
  span_store_clear(&store);
  return answer->status = status;
}

void runs_clear(struct runs_answer *answer) {
  for (size_t i = 0; i < answer->kinds.count; i++)
    mem_free(answer->kinds.data[i].name);
  vector_clear(&answer->kinds);
  vector_clear(&answer->runs);
  ledger_clear(&answer->ledger);
}
