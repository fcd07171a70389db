/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/loops/loops.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/duration.h"
#include "cli/question/above.h"
#include "trace/evaluate/change.h"
#include "trace/event/read.h"
#include "trace/event/stopped.h"

/* --- what was asked --------------------------------------------------------------------------- */

enum status loops_read_skip(int64_t *skip, const char *text, const struct asker *asker) {
  struct rational ns;
  *skip = 0;
  if (text == NULL)
    return STATUS_OK;
  rational_init(&ns);
  bool good = duration_parse(&ns, text) && rational_sign(&ns) >= 0 && rational_floor(skip, &ns);
  rational_clear(&ns);
  return good ? STATUS_OK
              : asker_fail(asker, STATUS_USAGE,
                           "--skip %s: give a time with its unit, ns, us, ms or s (2s)", text);
}

bool loops_is_route(const struct event_log *log, uint32_t route, const char *wanted) {
  return wanted == NULL || change_means(wanted, names_text(&log->names, route), "");
}

/* --- what was recorded ------------------------------------------------------------------------ */

size_t loops_skip(struct event_chains *chains, const struct event_log *log, int64_t skip) {
  size_t left = 0;
  for (size_t i = 0; i < chains->chains.count; i++) {
    struct event_chain *chain = &chains->chains.data[i];
    uint32_t loop = log->requests.data[chain->request].loop;
    if (skip > 0 && chain->arrived - log->loops.data[loop].start < skip)
      chain->count = 0;
    left += chain->count != 0;
  }
  return left;
}

static size_t complete_of(const struct event_chains *chains) {
  size_t count = 0;
  for (size_t i = 0; i < chains->chains.count; i++)
    count += chains->chains.data[i].count != 0;
  return count;
}

/* The type of the first row that is of a native addon, or 0. */
static uint32_t find_native(const struct event_log *log) {
  for (size_t i = 0; i < log->type.count; i++)
    if (log->class.data[i] == EVENT_POOL &&
        strncmp(names_text(&log->names, log->type.data[i]), "NATIVE ", 7) == 0)
      return log->type.data[i];
  return 0;
}

static void note_chains(struct ledger *ledger, const struct event_log *log,
                        const struct event_chains *chains) {
  for (int s = CHAIN_COMPLETE + 1; s < CHAIN_STATES; s++)
    if (chains->states[s] != 0)
      ledger_note(ledger, LEDGER_DATA, "%" PRIu64 " of %zu requests are left out: %s",
                  chains->states[s], chains->chains.count, chain_state_name((enum chain_state)s));
  for (size_t i = 0; i < log->loops.count; i++)
    if (log->loops.data[i].under_way != 0)
      ledger_note(ledger, LEDGER_DATA,
                  "%s%" PRIu32 " requests of %s were under way when its recording began: they are "
                  "not in it, though what they still did held the loop",
                  log->loops.data[i].under_way == UINT16_MAX ? "at least " : "",
                  log->loops.data[i].under_way, names_text(&log->names, log->loops.data[i].name));
  for (size_t i = 0; i < log->loops.count; i++)
    if (log->loops.data[i].dropped != 0)
      ledger_warn(ledger, LEDGER_DATA,
                  "%" PRIu64 " records of %s are missing; requests that may lack one are left out",
                  log->loops.data[i].dropped, names_text(&log->names, log->loops.data[i].name));
  for (size_t i = 0; i < log->loops.count; i++)
    if (log->loops.data[i].lost_stamps)
      ledger_warn(ledger, LEDGER_DATA,
                  "the stamps of %s (process %" PRIu64 ", .tpr) are damaged and left out: what it "
                  "read may have been there for longer than is told; record again",
                  names_text(&log->names, log->loops.data[i].name), log->loops.data[i].process);
  uint32_t native = find_native(log);
  if (native != 0)
    ledger_note(
        ledger, LEDGER_DATA,
        "native addons (%s) may use threads of the pool: what waits for one of those is told "
        "as a wait for what it asked for",
        names_text(&log->names, native) + strlen("NATIVE "));
  for (size_t i = 0; i < log->unknown.count; i++)
    ledger_note(ledger, LEDGER_DATA,
                "waits for connections of a pool of %s are not told apart from what is then asked: "
                "the recorder does not know that version",
                names_text(&log->names, log->unknown.data[i]));
  if (chains->unseen == 0)
    return;
  struct text most;
  text_init(&most);
  duration_print_nearest(&most, chains->unseen_max);
  ledger_note(ledger, LEDGER_DATA,
              "%" PRIu64 " requests may have arrived earlier than is known, one of them by %s: "
              "without the kernel's time stamps waiting before the handler is not seen",
              chains->unseen, most.data);
  text_clear(&most);
}

enum status loops_read(struct event_log *log, struct event_chains *chains, const char *const *paths,
                       size_t path_count, struct ledger *ledger, const struct asker *asker) {
  mem_return_large();
  enum status status = event_read(log, paths, path_count, ledger, asker);
  if (status != STATUS_OK)
    return status;
  event_chains_make(chains, log);
  note_chains(ledger, log, chains);
  uint32_t stopped = 0;
  for (size_t i = 0; i < log->loops.count; i++)
    stopped = stopped != 0 ? stopped : log->loops.data[i].stopped;
  if (log->requests.count == 0 && stopped == 0)
    return event_refuse_no_request(paths, path_count, asker);
  if (complete_of(chains) == 0)
    return asker_fail(asker, STATUS_DATA,
                      "%s: of %zu requests in it none has a complete chain%s%s; record the server "
                      "under load with tailproof record --node",
                      paths[0], chains->chains.count,
                      stopped != 0 ? ", as the recording stopped early: " : "",
                      stopped != 0 ? node_stopped_reason(stopped) : "");
  return STATUS_OK;
}

/* --- routes ----------------------------------------------------------------------------------- */

static enum loops_verdict verdict_of(const struct loop_judgement *j) {
  if (j->report.enough && j->named.count != 0)
    return LOOPS_EXPLAINED;
  return j->report.enough && j->split.slow >= TAIL_LEAST ? LOOPS_NO_CAUSE : LOOPS_TOO_FEW;
}

/* Where slow requests are those of one time, what else that time had is named as well. */
static void note_drift(struct loops_answer *a, const struct loop_judgement *j) {
  for (size_t i = 0; i < j->report.findings.count; i++) {
    const struct tail_finding *finding = &j->report.findings.data[i];
    if (finding->course != TAIL_APART || !finding->significant)
      continue;
    ledger_warn(&a->ledger, LEDGER_DIST,
                "%s: slow requests come at another time than the others: whatever else made that "
                "time slower shows like '%s'; --skip 2s leaves out the recording's start",
                names_text(&a->log.names, j->route->route),
                j->route->causes.causes.data[finding->cause].name);
    break;
  }
}

/* Sorts a copy, before there is anything else of this size. */
static void add_route(struct loops_answer *a, struct loop_route *route) {
  struct loops_route answer = {.route = route};
  answer.percentiles = loop_quantiles(route->causes.latency, route->causes.requests, &a->wanted,
                                      &a->request->confidence, 0);
  vector_push(&a->routes, answer);
}

static void find_level(struct loops_answer *a, size_t routes) {
  struct rational level;
  rational_init(&level);
  rational_set_integer(&level, 1);
  rational_sub(&level, &level, &a->request->confidence);
  a->level = rational_double(&level) / (double)routes;
  rational_clear(&level);
}

static enum status choose_routes(struct loops_answer *a) {
  const char *wanted = a->request->route;
  for (size_t i = 0; i < a->causes.routes.count; i++)
    if (loops_is_route(&a->log, a->causes.routes.data[i].route, wanted))
      add_route(a, &a->causes.routes.data[i]);
  if (a->routes.count == 0)
    return asker_fail(a->request->asker, STATUS_USAGE,
                      "--route %s: no request has that route; most have %s", wanted,
                      names_text(&a->log.names, a->causes.routes.data[0].route));
  find_level(a, a->routes.count);
  return STATUS_OK;
}

static void judge_routes(struct loops_answer *a) {
  for (size_t i = 0; i < a->routes.count; i++) {
    struct loops_route *answer = &a->routes.data[i];
    loop_judge(&answer->judgement, answer->route, a->level);
    note_drift(a, &answer->judgement);
    answer->verdict = verdict_of(&answer->judgement);
  }
}

static enum status status_of(const struct loops_answer *a) {
  for (size_t i = 0; i < a->routes.count; i++)
    if (a->routes.data[i].verdict == LOOPS_EXPLAINED)
      return STATUS_OK;
  return STATUS_UNKNOWN;
}

/* --- the one that is followed ----------------------------------------------------------------- */

static const int64_t *sorted; /* of the comparison */

static int by_latency(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  if (sorted[x] != sorted[y])
    return sorted[x] > sorted[y] ? -1 : 1;
  return (x > y) - (x < y);
}

/* The n-th slowest request of the route, n >= 1. */
static uint32_t slowest(const struct loop_route *route, uint64_t n) {
  uint32_t *order = mem_alloc(route->causes.requests, sizeof *order);
  for (uint32_t i = 0; i < route->causes.requests; i++)
    order[i] = i;
  sorted = route->causes.latency;
  qsort(order, route->causes.requests, sizeof *order, by_latency);
  uint32_t request = order[n - 1];
  mem_free(order);
  return request;
}

uint32_t loops_shows(const struct loops_route *answer, uint32_t finding, size_t *place) {
  const struct loop_judgement *j = &answer->judgement;
  const int64_t *latency = j->route->causes.latency;
  const int64_t *parts = j->route->causes.causes.data[j->report.findings.data[finding].cause].parts;
  uint32_t best = EVENT_NONE;
  for (uint32_t i = 0; i < j->split.requests; i++)
    if (j->split.sides[i] == TAIL_SLOW && (best == EVENT_NONE || parts[i] > parts[best]))
      best = i;
  *place = 1;
  for (uint32_t i = 0; i < j->split.requests; i++)
    *place += latency[i] > latency[best] || (i < best && latency[i] == latency[best]);
  return best;
}

/* The slow request that the first cause adds most to; without a cause the slowest. */
static uint32_t typical(const struct loops_route *answer) {
  const struct loop_judgement *j = &answer->judgement;
  size_t place;
  return j->named.count == 0 ? slowest(j->route, 1) : loops_shows(answer, j->named.data[0], &place);
}

/* Of the first route that is explained, or else of the first one. */
static enum status follow(struct loops_answer *a) {
  uint64_t number = 1;
  const char *wanted = a->request->slowest;
  if (wanted != NULL &&
      decimal_whole(&number, (struct slice){wanted, strlen(wanted)}) != DECIMAL_OK)
    number = 0;
  for (size_t i = a->routes.count; i-- > 0;)
    if (a->routes.data[i].verdict == LOOPS_EXPLAINED)
      a->followed_in = i;
  const struct loops_route *answer = &a->routes.data[a->followed_in];
  const struct loop_route *route = answer->judgement.route;
  if (number == 0 || number > route->causes.requests)
    return asker_fail(a->request->asker, STATUS_USAGE,
                      "--request %s: give a number, 1 for the slowest request of %s, up to %zu",
                      wanted, names_text(&a->log.names, route->route), route->causes.requests);
  a->followed = route->chains.data[wanted == NULL ? typical(answer) : slowest(route, number)];
  return STATUS_OK;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void note_answer(struct loops_answer *a) {
  if (a->causes.unfaithful != 0)
    ledger_warn(&a->ledger, LEDGER_DATA,
                "%" PRIu64 " requests are not what the recorded loop, replayed, makes of them; so "
                "nothing is replayed, and parts are taken away from latencies instead",
                a->causes.unfaithful);
  else
    ledger_add(&a->ledger, LEDGER_DATA,
               "the recorded loop, replayed without a change, gives each latency exactly; what a "
               "cause is necessary for comes of replaying it without that cause");
  if (a->causes.turns.uncertain != 0)
    ledger_note(&a->ledger, LEDGER_DATA,
                "when %" PRIu64 " callbacks became ready is known only within more than 1 ms; what "
                "may be I/O or queue is told apart as such",
                a->causes.turns.uncertain);
  ledger_add(&a->ledger, LEDGER_DIST,
             "requests that waited in one busy stretch of a loop are one observation; others "
             "depend on those before them as their order shows");
  ledger_add(&a->ledger, LEDGER_DIST,
             "a cause is named when it is significant, adds half of what a usual request takes and "
             "a tenth of the difference, and one of 20 slow requests is slow by it");
  ledger_add(&a->ledger, LEDGER_DIST,
             "a wait, or a callback of the request itself, is a cause only if its times are of two "
             "kinds: they become rarer the longer they are, and then more frequent again");
}

enum status loops_ask(struct loops_answer *a, const struct loops_request *request) {
  *a = (struct loops_answer){.request = request};
  ledger_init(&a->ledger);
  event_log_init(&a->log);
  int64_t threshold, skip = 0;
  const char *above = request->above == NULL ? "p99" : request->above;
  a->status = above_read(&a->percent, &threshold, above, request->asker);
  if (a->status == STATUS_OK)
    a->status = wanted_read(&a->wanted, request->percentiles, request->asker);
  if (a->status == STATUS_OK)
    a->status = loops_read_skip(&skip, request->skip, request->asker);
  if (a->status == STATUS_OK)
    a->status = loops_read(&a->log, &a->chains, request->paths, request->path_count, &a->ledger,
                           request->asker);
  if (a->status != STATUS_OK)
    return a->status;
  if (loops_skip(&a->chains, &a->log, skip) == 0) {
    a->status = asker_fail(request->asker, STATUS_USAGE,
                           "--skip %s: the recording has no request after that", request->skip);
    return a->status;
  }
  loop_causes_begin(&a->causes, &a->log, &a->chains, a->percent, threshold);
  event_log_forget_origins(&a->log);
  a->status = choose_routes(a);
  if (a->status != STATUS_OK)
    return a->status;
  loop_causes_fill(&a->causes);
  judge_routes(a);
  a->status = follow(a);
  if (a->status != STATUS_OK)
    return a->status;
  note_answer(a);
  a->found = true;
  a->status = status_of(a);
  return a->status;
}

void loops_clear(struct loops_answer *a) {
  for (size_t i = 0; i < a->routes.count; i++) {
    loop_judgement_clear(&a->routes.data[i].judgement);
    mem_free(a->routes.data[i].percentiles);
  }
  vector_clear(&a->routes);
  loop_causes_clear(&a->causes);
  event_chains_clear(&a->chains);
  event_log_clear(&a->log);
  wanted_clear(&a->wanted);
  ledger_clear(&a->ledger);
}
