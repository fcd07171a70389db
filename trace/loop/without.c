/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/without.h"

#include <stdlib.h>
#include <string.h>

#include "trace/loop/chain.h"
#include "trace/loop/replay.h"

enum { SET_MOST = 8, REPLAYS_MOST = 48, REPLAYS_LEAST = 8 };

/* Turns that may be replayed in all. */
static const size_t TURNS_REPLAYED = 40000000;

struct replayed_set {
  uint32_t causes[SET_MOST]; /* of loop_causes, rising */
  size_t count;
  int64_t *latency; /* ns, by chain */
};

struct loop_replays {
  VECTOR(struct replayed_set) sets;
  size_t most;
};

struct route_place {
  struct loop_causes *all;
  const struct loop_route *route;
};

/* --- the scenario ----------------------------------------------------------------------------- */

struct scenario_arrays {
  double *own;
  int64_t *io;     /* less of the waits for what the rows ask for */
  uint8_t *served; /* by row: a thread is free when it asks for one */
  uint8_t *offload;
  uint8_t *unpaused; /* by pause */
};

/* What is taken together names all. */
static bool is_named(const struct loop_causes *all, const struct loop_cause *cause, uint32_t row) {
  struct loop_cause of =
      loop_cause_of_row(all->log, all->words, all->turns.owner, cause->kind, row);
  bool rest = cause->place == 0 && cause->type == 0 && cause->route == 0;
  return rest || (of.place == cause->place && of.type == cause->type && of.route == cause->route);
}

/* For what it asks for, without what is another cause: for a thread. */
static int64_t own_wait(const struct loop_causes *all, uint32_t row) {
  const struct loop_turns *turns = &all->turns;
  return loop_wait_of(turns, row) - loop_pool_wait(&all->pool, row, turns->since[row]);
}

/* The lower median over the rows that the cause names and that ran, or waited. */
static int64_t usual_of(const struct loop_causes *all, const struct loop_cause *cause) {
  VECTOR(int64_t) values = {0};
  for (uint32_t row = 0; row < all->log->begin.count; row++)
    if (all->turns.turn_of[row] != EVENT_NONE && is_named(all, cause, row)) {
      int64_t value = cause->kind == LOOP_OWN ? all->own[row] : own_wait(all, row);
      if (value > 0)
        vector_push(&values, value);
    }
  int64_t usual = values.count == 0 ? 0 : tail_median(values.data, values.count);
  vector_clear(&values);
  return usual;
}

static bool is_holder(const struct loop_causes *all, uint32_t row) {
  return all->turns.owner[row] == EVENT_NONE || all->own[row] > all->longest_short;
}

/* What waited for a thread which work held that the cause names. */
static void take_pool_away(uint8_t *served, const struct loop_causes *all,
                           const struct loop_cause *cause) {
  const struct loop_pool *pool = &all->pool;
  for (uint32_t row = 0; row < all->log->begin.count && pool->until != NULL; row++)
    if (pool->until[row] != 0 && is_named(all, cause, pool->behind[row]))
      served[row] = 1;
}

/* A row may wait less for a thread and for what it asks for: these are two causes. */
static void serve(struct scenario_arrays *arrays, const struct loop_causes *all) {
  for (uint32_t row = 0; row < all->log->begin.count; row++)
    if (arrays->served[row] != 0)
      arrays->io[row] -= loop_pool_wait(&all->pool, row, all->turns.since[row]);
}

/* Of two causes that name the row (what is taken together names all) the shorter wait counts. */
static void shorten(int64_t *io, uint32_t row, int64_t change) {
  io[row] = change < io[row] ? change : io[row];
}

static void take_away(struct scenario_arrays *arrays, const struct loop_causes *all,
                      const struct loop_cause *cause) {
  const struct event_log *log = all->log;
  int64_t usual = cause->kind == LOOP_HELD ? 0 : usual_of(all, cause);
  for (uint32_t row = 0; row < log->begin.count; row++) {
    if (all->turns.turn_of[row] == EVENT_NONE || !is_named(all, cause, row))
      continue;
    if (cause->kind == LOOP_HELD)
      arrays->offload[row] |= is_holder(all, row);
    else if (cause->kind == LOOP_WAIT)
      shorten(arrays->io, row, usual - own_wait(all, row));
    else if (cause->kind == LOOP_OWN && all->own[row] > usual)
      arrays->own[row] = (double)usual / (double)all->own[row];
  }
}

static void take_pauses_away(uint8_t *unpaused, const struct event_log *log,
                             const struct loop_cause *cause) {
  for (size_t i = 0; i < log->pauses.count; i++)
    unpaused[i] |=
        log->pauses.data[i].kind == cause->pause && log->pauses.data[i].name == cause->place;
}

static double *all_ones(size_t count) {
  double *ones = mem_alloc(count, sizeof *ones);
  for (size_t i = 0; i < count; i++)
    ones[i] = 1;
  return ones;
}

static void replay_without(struct replayed_set *set, const struct loop_causes *all) {
  size_t rows = all->log->begin.count;
  struct scenario_arrays arrays = {NULL, mem_alloc(rows, sizeof(int64_t)), mem_alloc(rows, 1),
                                   mem_alloc(rows, 1), mem_alloc(all->log->pauses.count, 1)};
  struct loop_scenario scenario = loop_scenario_none();
  for (size_t i = 0; i < set->count; i++) {
    const struct loop_cause *cause = &all->causes.data[set->causes[i]];
    if (cause->kind == LOOP_OWN && arrays.own == NULL)
      arrays.own = all_ones(rows);
    if (cause->kind == LOOP_PAUSE)
      take_pauses_away(arrays.unpaused, all->log, cause);
    else if (cause->kind == LOOP_POOL)
      take_pool_away(arrays.served, all, cause);
    else if (!loop_cause_is_none(cause))
      take_away(&arrays, all, cause);
  }
  serve(&arrays, all);
  scenario.own = arrays.own;
  scenario.io = arrays.io;
  scenario.offload = arrays.offload;
  scenario.unpaused = arrays.unpaused;
  struct loop_replay replay;
  loop_replay_run(&replay, &all->turns, all->chains, &scenario);
  set->latency = replay.latency;
  replay.latency = NULL;
  loop_replay_clear(&replay);
  mem_free(arrays.own);
  mem_free(arrays.io);
  mem_free(arrays.served);
  mem_free(arrays.offload);
  mem_free(arrays.unpaused);
}

/* --- sets of causes --------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* NULL: there are too many; or one of them is that a connection is waited for: who would get which
 * one otherwise is no question of the loop, and that wait is taken away as it is. */
static const struct replayed_set *find_set(struct loop_causes *all, const uint32_t *numbers,
                                           size_t count) {
  struct replayed_set wanted = {.count = count};
  struct loop_replays *replays = all->replays;
  for (size_t i = 0; i < count && i < SET_MOST; i++)
    if (all->causes.data[numbers[i]].kind == LOOP_CONNECTION)
      return NULL;
  if (count > SET_MOST || all->unfaithful != 0)
    return NULL;
  memcpy(wanted.causes, numbers, count * sizeof *numbers);
  qsort(wanted.causes, count, sizeof *wanted.causes, by_number);
  for (size_t i = 0; i < replays->sets.count; i++)
    if (replays->sets.data[i].count == count &&
        memcmp(replays->sets.data[i].causes, wanted.causes, sizeof wanted.causes) == 0)
      return &replays->sets.data[i];
  if (replays->sets.count >= replays->most)
    return NULL;
  replay_without(&wanted, all);
  vector_push(&replays->sets, wanted);
  return &replays->sets.data[replays->sets.count - 1];
}

static int64_t without(const struct tail_causes *causes, size_t request, const uint32_t *set,
                       size_t count) {
  const struct route_place *place = causes->replay.context;
  uint32_t numbers[SET_MOST];
  for (size_t i = 0; i < count && i < SET_MOST; i++)
    numbers[i] = place->route->kinds.data[set[i]];
  const struct replayed_set *replayed = find_set(place->all, numbers, count);
  if (replayed == NULL)
    return tail_parts_without(causes, request, set, count);
  return replayed->latency[place->route->chains.data[request]];
}

void loop_without_make(struct loop_causes *all) {
  all->replays = mem_alloc(1, sizeof *all->replays);
  size_t turns = all->turns.kept.count + 1, most = TURNS_REPLAYED / turns;
  all->replays->most = most > REPLAYS_MOST    ? REPLAYS_MOST
                       : most < REPLAYS_LEAST ? REPLAYS_LEAST
                                              : most;
  for (size_t i = 0; i < all->routes.count; i++) {
    struct loop_route *route = &all->routes.data[i];
    struct route_place *place = mem_alloc(1, sizeof *place);
    *place = (struct route_place){all, route};
    route->causes.replay = (struct tail_replay){place, without, tail_parts_with, NULL, mem_free};
  }
}

void loop_without_clear(struct loop_causes *all) {
  if (all->replays == NULL)
    return;
  for (size_t i = 0; i < all->replays->sets.count; i++)
    mem_free(all->replays->sets.data[i].latency);
  vector_clear(&all->replays->sets);
  mem_free(all->replays);
}
