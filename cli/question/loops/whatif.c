/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/loops/whatif.h"

#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "cli/question/loops/loops.h"
#include "trace/loop/changes.h"
#include "trace/loop/garbage.h"
#include "trace/loop/turns.h"

/* --- requests --------------------------------------------------------------------------------- */

static bool is_asked(const struct loops_whatif *a, const struct event_log *log,
                     const struct event_chain *chain) {
  const struct event_request *request = &log->requests.data[chain->request];
  return chain->count != 0 &&
         (a->skip == 0 || chain->arrived - log->loops.data[request->loop].start >= a->skip) &&
         loops_is_route(log, request->route, a->request->route);
}

static enum status read_before(struct loops_whatif *a) {
  bool routed = false;
  for (size_t i = 0; i < a->chains.chains.count; i++) {
    const struct event_chain *chain = &a->chains.chains.data[i];
    if (is_asked(a, &a->log, chain))
      vector_push(&a->before, chain->answer - chain->arrived);
    routed = routed ||
             loops_is_route(&a->log, a->log.requests.data[chain->request].route, a->request->route);
  }
  if (a->before.count != 0)
    return STATUS_OK;
  if (routed && a->skip != 0)
    return asker_fail(a->request->asker, STATUS_USAGE,
                      "--skip %s: the recording has no request after that", a->request->skip);
  return asker_fail(a->request->asker, STATUS_USAGE,
                    "--root %s: no request has that route; such as %s", a->request->route,
                    names_text(&a->log.names, a->log.requests.data[0].route));
}

static enum status read_observed(struct loops_whatif *a) {
  struct event_log log;
  struct event_chains chains = {0};
  event_log_init(&log);
  enum status status = loops_read(&log, &chains, a->request->observed, a->request->observed_count,
                                  &a->ledger, a->request->asker);
  for (size_t i = 0; status == STATUS_OK && i < chains.chains.count; i++)
    if (is_asked(a, &log, &chains.chains.data[i]))
      vector_push(&a->seen, chains.chains.data[i].answer - chains.chains.data[i].arrived);
  if (status == STATUS_OK && a->seen.count == 0)
    status = asker_fail(a->request->asker, STATUS_DATA, "%s: no request of the routes asked about",
                        a->request->observed[0]);
  event_chains_clear(&chains);
  event_log_clear(&log);
  return status;
}

/* --- the replay ------------------------------------------------------------------------------- */

static void take(struct loops_whatif *a, size_t reading, const struct loop_replay *replay) {
  for (size_t i = 0; i < a->chains.chains.count; i++) {
    if (!is_asked(a, &a->log, &a->chains.chains.data[i]))
      continue;
    if (replay->latency[i] == EVENT_NEVER)
      a->never++;
    else
      vector_push(&a->after[reading], replay->latency[i]);
  }
}

static void replay_one(struct loops_whatif *a, size_t reading, const struct loop_turns *turns,
                       const struct loop_scenario *scenario) {
  struct loop_replay replayed;
  loop_replay_run(&replayed, turns, &a->chains, scenario);
  take(a, reading, &replayed);
  loop_replay_clear(&replayed);
}

/* How many full collections there are beside a callback that is removed, which may leave what they
 * collect. */
static uint64_t full_beside(const struct loop_turns *turns, const struct loop_scenario *scenario) {
  bool removed = false;
  uint64_t full = 0;
  for (size_t row = 0; scenario->own != NULL && row < turns->log->begin.count; row++)
    removed = removed || scenario->own[row] <= LOOP_REMOVED;
  double *factors = loop_pause_factors(turns, scenario);
  for (size_t i = 0; removed && i < turns->log->pauses.count; i++)
    full += turns->log->pauses.data[i].kind == EVENT_PAUSE_MAJOR && factors[i] == 1;
  mem_free(factors);
  return full;
}

/* What removed work did to what ran beside and behind it. */
struct consequences {
  struct loop_contention contention;
  struct loop_after following;
};

/* What ran behind it takes what others take; waits are the caller's to choose. */
static void consequences_make(struct consequences *after, const struct loop_turns *turns,
                              struct loop_scenario *scenario) {
  loop_contention_make(&after->contention, turns, scenario);
  loop_after_make(&after->following, turns, scenario);
  scenario->own = after->following.own;
  scenario->gap = after->following.gap;
  scenario->unpaused = after->following.unpaused;
}

static void consequences_clear(struct consequences *after) {
  loop_contention_clear(&after->contention);
  loop_after_clear(&after->following);
}

/* With waits that overlap what is removed as recorded; and once more as others of their kind. If
 * callbacks became ready late, waits were longer than if early; where they then were longer than
 * chance explains, late is only read with the second. */
static void replay_both(struct loops_whatif *a, size_t reading, const struct loop_turns *turns,
                        struct loop_scenario scenario) {
  struct consequences after;
  consequences_make(&after, turns, &scenario);
  const struct loop_contention *contention = &after.contention;
  bool longer = reading != 0 && contention->verdict == CONTENTION_LONGER;
  scenario.io = longer ? contention->io : contention->behind_io;
  replay_one(a, reading, turns, &scenario);
  scenario.io = contention->io;
  replay_one(a, LOOPS_OTHERS + reading, turns, &scenario);
  if (reading == 0 && scenario.offset == 0) {
    a->contention = *contention;
    a->following = after.following;
  }
  a->contention.io = a->contention.behind_io = NULL;
  a->following.own = a->following.gap = NULL;
  a->following.unpaused = NULL;
  consequences_clear(&after);
}

/* Without full collections beside a callback that is removed, either. What was under way while they
 * ran, or behind them, takes what others take. */
static void replay_lighter(struct loops_whatif *a, const struct loop_turns *turns,
                           struct loop_scenario scenario) {
  struct consequences after;
  a->full = full_beside(turns, &scenario);
  if (a->full == 0)
    return;
  scenario.pause[EVENT_PAUSE_MAJOR] = scenario.pause[EVENT_PAUSE_STEP] = 0;
  consequences_make(&after, turns, &scenario);
  scenario.io = after.contention.io;
  replay_one(a, LOOPS_LIGHTER, turns, &scenario);
  consequences_clear(&after);
}

/* A reading that decides whether a percentile is told: early, waits as they are estimated. */
static void replay_aside(struct loops_whatif *a, size_t reading, const struct loop_turns *turns,
                         struct loop_scenario scenario) {
  struct consequences after;
  consequences_make(&after, turns, &scenario);
  const struct loop_contention *contention = &after.contention;
  scenario.io = contention->verdict == CONTENTION_ALIKE ? contention->behind_io : contention->io;
  replay_one(a, reading, turns, &scenario);
  consequences_clear(&after);
}

/* Once, of what the pool does: what has no law takes less; and without what removed callbacks ask
 * for, of which no change speaks. */
static void replay_pool(struct loops_whatif *a, const struct loop_turns *turns,
                        const struct loop_threads *threads, const struct loop_changes *changes,
                        struct loop_scenario scenario) {
  int64_t *io = loops_threads_orphaned(&a->threads, threads, turns, changes);
  if (scenario.threads != NULL) {
    scenario.lawless = LOOPS_LAWLESS_LEFT;
    replay_aside(a, LOOPS_LAWLESS, turns, scenario);
  }
  scenario.lawless = 1;
  scenario.io = io;
  scenario.threads = threads;
  if (io != NULL)
    replay_aside(a, LOOPS_ORPHANED, turns, scenario);
  mem_free(io);
}

/* Of requests that are asked about: those that were under way while a full collection ran that is
 * removed. */
static void find_garbage(struct loops_whatif *a, const struct loop_turns *turns,
                         const struct loop_scenario *scenario) {
  uint8_t *delayed = loop_garbage_delayed(turns, &a->chains, scenario, &a->garbage.collections);
  a->garbage.delayed = 0;
  for (size_t i = 0; i < a->chains.chains.count; i++)
    a->garbage.delayed += delayed[i] && is_asked(a, &a->log, &a->chains.chains.data[i]);
  mem_free(delayed);
}

/* With what the threads of the pool did, where a change is of that or they do more than read files:
 * then a wait for a thread would pass for one that is long because of what is removed. */
static enum status replay(struct loops_whatif *a, size_t reading, const struct loop_turns *turns) {
  const struct loops_whatif_request *request = a->request;
  struct loop_threads threads;
  struct loop_changes changes;
  loops_threads_make(&threads, turns, &a->chains);
  enum status status = loop_changes_read(&changes, turns, &threads, request->changes,
                                         request->change_count, request->asker);
  struct loop_scenario scenario = changes.scenario;
  scenario.skip = a->skip;
  if (status == STATUS_OK) {
    find_garbage(a, turns, &scenario);
    loops_threads_find(&a->threads, &threads, turns, &scenario);
  }
  if (a->threads.changed != 0 || (threads.state == LOOP_THREADS_KNOWN && threads.others != 0))
    scenario.threads = &threads;
  for (uint32_t i = 0; status == STATUS_OK && i < changes.repetitions; i++) {
    scenario.offset = i;
    replay_both(a, reading, turns, scenario);
    if (reading == 0 && i == 0)
      replay_lighter(a, turns, scenario);
    if (reading == 0 && i == 0)
      replay_pool(a, turns, &threads, &changes, scenario);
  }
  for (size_t i = 0; reading == 0 && i < changes.affected.count; i++) {
    vector_push(&a->affected, changes.affected.data[i]);
    text_init(&changes.affected.data[i].partly.callback);
  }
  loop_changes_clear(&changes);
  loop_threads_clear(&threads);
  return status;
}

/* Nothing is said of a loop that the model does not reproduce. */
static enum status check(struct loops_whatif *a, const struct loop_turns *turns) {
  uint64_t wrong = loop_replay_check(turns, &a->chains, NULL);
  if (wrong == 0)
    return STATUS_OK;
  return asker_fail(a->request->asker, STATUS_DATA,
                    "%s: replayed without a change, %" PRIu64 " requests do not take what they "
                    "took; so nothing can be said of changes. Records may be missing: record again "
                    "for a shorter time",
                    a->request->paths[0], wrong);
}

static bool is_same(const struct loops_whatif *a, size_t x, size_t y) {
  return a->after[x].count == a->after[y].count &&
         memcmp(a->after[x].data, a->after[y].data, a->after[x].count * sizeof *a->after[x].data) ==
             0;
}

size_t loops_reading_count(const struct loops_whatif *a) {
  return a->contended ? LOOPS_READINGS : LOOPS_OTHERS;
}

size_t loops_estimate(const struct loops_whatif *a) {
  if (!a->contended || a->contention.verdict == CONTENTION_ALIKE)
    return 0;
  return a->contention.verdict == CONTENTION_LONGER ? LOOPS_OTHERS : LOOPS_READINGS;
}

static enum status replay_readings(struct loops_whatif *a) {
  enum status status = STATUS_OK;
  uint64_t uncertain = 0;
  for (size_t i = 0; i < LOOPS_OTHERS && status == STATUS_OK; i++) {
    struct loop_turns turns;
    loop_turns_make(&turns, &a->log, &a->chains, i == 0 ? LOOP_EARLY : LOOP_LATE);
    uncertain = turns.uncertain;
    status = check(a, &turns);
    if (status == STATUS_OK)
      status = replay(a, i, &turns);
    loop_turns_clear(&turns);
  }
  if (status != STATUS_OK)
    return status;
  a->readings = is_same(a, 0, 1) && is_same(a, LOOPS_OTHERS, LOOPS_OTHERS + 1) ? 1 : LOOPS_OTHERS;
  a->contended = !is_same(a, 0, LOOPS_OTHERS) || !is_same(a, 1, LOOPS_OTHERS + 1);
  if (a->readings == LOOPS_OTHERS && uncertain != 0)
    ledger_note(&a->ledger, LEDGER_DATA,
                "when %" PRIu64 " callbacks became ready is known only within more than 1 ms: both "
                "ends are replayed, and where they differ both results are given",
                uncertain);
  if (a->never != 0)
    status = asker_fail(a->request->asker, STATUS_DATA,
                        "%s: with this change %" PRIu64 " answers would wait for what never comes; "
                        "the log lacks what they follow from",
                        a->request->paths[0], a->never);
  return status;
}

/* --- percentiles ------------------------------------------------------------------------------ */

/* Choices of rare pauses are no further requests: the intervals are of one of them. */
static struct loop_quantile *quantiles_after(struct loops_whatif *a, size_t reading) {
  const struct rational *confidence = &a->request->confidence;
  size_t count = a->before.count;
  struct loop_quantile *all = loop_quantiles(a->after[reading].data, a->after[reading].count,
                                             &a->wanted, confidence, a->garbage.delayed);
  if (a->after[reading].count == count)
    return all;
  for (size_t from = 0; from < a->after[reading].count; from += count) {
    struct loop_quantile *one = loop_quantiles(a->after[reading].data + from, count, &a->wanted,
                                               confidence, a->garbage.delayed);
    for (size_t i = 0; i < a->wanted.count; i++) {
      bool first = from == 0;
      all[i].lower_ns =
          first || one[i].lower_ns < all[i].lower_ns ? one[i].lower_ns : all[i].lower_ns;
      all[i].upper_ns =
          first || one[i].upper_ns > all[i].upper_ns ? one[i].upper_ns : all[i].upper_ns;
      all[i].settled = all[i].settled && one[i].settled;
      all[i].drifts = all[i].drifts || one[i].drifts;
    }
    mem_free(one);
  }
  return all;
}

static void find_quantiles(struct loops_whatif *a) {
  const struct rational *confidence = &a->request->confidence;
  a->was = loop_quantiles(a->before.data, a->before.count, &a->wanted, confidence, 0);
  for (size_t i = 0; i < LOOPS_ALL; i++)
    a->is[i] = a->after[i].count != 0 ? quantiles_after(a, i) : NULL;
  if (a->seen.count != 0)
    a->observed = loop_quantiles(a->seen.data, a->seen.count, &a->wanted, confidence, 0);
}

bool loops_missed(const struct loops_whatif *a, size_t i) {
  if (a->observed == NULL || !a->observed[i].settled || loops_untold(a, i) != LOOPS_TOLD)
    return false;
  uint64_t lower = a->is[0][i].lower_ns, upper = a->is[0][i].upper_ns;
  if (a->full != 0 && a->is[LOOPS_LIGHTER][i].lower_ns < lower)
    lower = a->is[LOOPS_LIGHTER][i].lower_ns;
  for (size_t r = 0; r < loops_reading_count(a); r++) {
    if (!a->is[r][i].settled)
      return false;
    lower = a->is[r][i].lower_ns < lower ? a->is[r][i].lower_ns : lower;
    upper = a->is[r][i].upper_ns > upper ? a->is[r][i].upper_ns : upper;
  }
  return a->observed[i].upper_ns < lower || a->observed[i].lower_ns > upper;
}

/* A function is changed in the runs in which it was seen. */
static void note_partly(struct loops_whatif *a) {
  for (size_t i = 0; i < a->affected.count; i++) {
    const struct loop_partly *partly = &a->affected.data[i].partly;
    const char *callback = text_get(&partly->callback);
    if (partly->callback.length == 0 || partly->runs == partly->seen)
      continue;
    struct text least;
    text_init(&least);
    duration_print_nearest(&least, partly->least);
    ledger_warn(&a->ledger, LEDGER_DATA,
                "'%s' changes the %" PRIu64 " runs of '%s' in which the function was seen, and not "
                "the other %" PRIu64 " that last %s or longer: nobody looked at those, or saw "
                "another function; '%s: *0' is of all",
                a->request->changes[i], partly->seen, callback, partly->runs - partly->seen,
                text_get(&least), callback);
    text_clear(&least);
  }
}

/* The percentiles that are a tenth less without the full collections that are left. */
static void note_full(struct loops_whatif *a) {
  struct text less;
  text_init(&less);
  for (size_t i = 0; a->full != 0 && i < a->wanted.count; i++) {
    if (loops_untold(a, i) != LOOPS_TOLD)
      continue;
    uint64_t least = a->is[LOOPS_LIGHTER][i].value_ns;
    for (size_t r = 0; r < loops_reading_count(a) && least != UINT64_MAX; r++)
      if ((double)a->is[LOOPS_LIGHTER][i].value_ns > 0.9 * (double)a->is[r][i].value_ns)
        least = UINT64_MAX;
    if (least == UINT64_MAX)
      continue;
    text_format(&less, "%sp%s %.3f ms", less.length == 0 ? "" : ", ", a->wanted.data[i].text,
                (double)least / 1e6);
  }
  if (less.length != 0)
    ledger_warn(&a->ledger, LEDGER_DATA,
                "%" PRIu64 " full collections are outside of what is removed. Nobody knows whose "
                "garbage they collect; if it is that of what is removed, they go, too: %s. The "
                "intervals reach down to that",
                a->full, text_get(&less));
  text_clear(&less);
}

/* Seen of the same server on an idle machine, in tests/field/plants.py. */
static void note_process(struct loops_whatif *a) {
  size_t recorded = 0;
  for (size_t i = 0; i < a->log.loops.count; i++)
    recorded += a->log.loops.data[i].thread == 0;
  if (recorded == 1)
    ledger_add(&a->ledger, LEDGER_DATA,
               "the intervals are of what this process met; another process of the same program "
               "differs more, on an idle machine by a fifth at 0.5 ms. Several recordings, each of "
               "a process of its own, say by how much");
}

static void note_unsettled(struct loops_whatif *a) {
  for (size_t i = 0; i < a->wanted.count; i++) {
    const struct loop_quantile *was = &a->was[i], *is = &a->is[0][i];
    if (was->settled && is->settled)
      continue;
    ledger_warn(&a->ledger, LEDGER_DIST,
                (!was->settled && was->drifts) || (!is->settled && is->drifts)
                    ? "the requests drift, so p%s has no interval"
                    : "what took longer than p%s came in too few bursts, so it has no interval: "
                      "record for longer",
                a->wanted.data[i].text);
  }
}

static void note_replay(struct loops_whatif *a) {
  note_process(a);
  note_full(a);
  note_partly(a);
  ledger_add(&a->ledger, LEDGER_DATA,
             "replayed without a change, each request takes exactly what it took");
  ledger_add(&a->ledger, LEDGER_DATA,
             "requests arrive when they arrived, whatever becomes of those before (an open loop)");
  ledger_add(&a->ledger, LEDGER_DATA,
             "I/O takes as long as it took, unless a change says otherwise, or it was under way "
             "while what the change removes ran; what is handed to "
             "another thread does not wait for a processor");
  if (a->following.callbacks != 0)
    ledger_note(&a->ledger, LEDGER_DATA,
                "%" PRIu64 " callbacks ran directly behind what is removed, for %.3f ms in all; "
                "without it they take what others of their kind take, %.3f ms",
                a->following.callbacks, (double)a->following.recorded_ns / 1e6,
                (double)a->following.other_ns / 1e6);
  if (a->following.lawless != 0)
    ledger_note(&a->ledger, LEDGER_DATA,
                "%" PRIu64 " callbacks behind what is removed stay as recorded: fewer than %d "
                "others are of their kind",
                a->following.lawless, (int)AFTER_OTHERS);
  ledger_add(&a->ledger, LEDGER_DATA,
             "collections happen in the callbacks in which they happened, and not where those are "
             "removed; with several processes each has its share of them");
  if (a->contention.lawless != 0)
    ledger_note(&a->ledger, LEDGER_DATA,
                "%" PRIu64
                " waits that overlap or follow what is removed stay as recorded: too few others "
                "were of their kind and took as long",
                a->contention.lawless);
  if (a->garbage.collections != 0)
    ledger_warn(&a->ledger, LEDGER_DATA,
                "%" PRIu64 " full collections are removed. Others will have to collect what they "
                "did, and no recording with them tells how long requests wait for those. So in the "
                "intervals as many requests may take any time as were under way during these, "
                "%" PRIu64 " of %zu; to know, record without them",
                a->garbage.collections, a->garbage.delayed, a->before.count);
  note_unsettled(a);
}

enum status loops_whatif_ask(struct loops_whatif *a, const struct loops_whatif_request *request) {
  *a = (struct loops_whatif){.request = request};
  event_log_init(&a->log);
  ledger_init(&a->ledger);
  a->status = wanted_read(&a->wanted, request->percentiles, request->asker);
  if (a->status == STATUS_OK)
    a->status = loops_read_skip(&a->skip, request->skip, request->asker);
  if (a->status == STATUS_OK)
    a->status = loops_read(&a->log, &a->chains, request->paths, request->path_count, &a->ledger,
                           request->asker);
  if (a->status == STATUS_OK)
    a->status = read_before(a);
  if (a->status == STATUS_OK && request->observed_count != 0)
    a->status = read_observed(a);
  if (a->status == STATUS_OK)
    a->status = replay_readings(a);
  if (a->status != STATUS_OK)
    return a->status;
  find_quantiles(a);
  note_replay(a);
  a->found = true;
  for (size_t i = 0; i < a->wanted.count; i++)
    if (loops_missed(a, i))
      a->status = STATUS_REFUTED;
    else if (loops_untold(a, i) != LOOPS_TOLD)
      a->status = status_worst(a->status, STATUS_UNKNOWN);
  return a->status;
}

void loops_whatif_clear(struct loops_whatif *a) {
  vector_clear(&a->before);
  vector_clear(&a->seen);
  for (size_t i = 0; i < a->affected.count; i++)
    text_clear(&a->affected.data[i].partly.callback);
  vector_clear(&a->affected);
  mem_free(a->was);
  mem_free(a->observed);
  for (size_t i = 0; i < LOOPS_ALL; i++) {
    vector_clear(&a->after[i]);
    mem_free(a->is[i]);
  }
  wanted_clear(&a->wanted);
  event_chains_clear(&a->chains);
  event_log_clear(&a->log);
  ledger_clear(&a->ledger);
}
