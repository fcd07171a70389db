/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Units of a server wait in two heaps: until they are eligible, and then for service.
 */
#include "trace/loop/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/loop/chain.h"
#include "trace/loop/replay_inside.h"

struct loop_scenario loop_scenario_none(void) {
  struct loop_scenario scenario = {.processes = 1, .lawless = 1};
  for (size_t i = 0; i < LOOP_PAUSES; i++) {
    scenario.pause[i] = 1;
    scenario.rarer[i] = 1;
  }
  return scenario;
}

/* --- how long things take --------------------------------------------------------------------- */

static double factor_of(const struct loop_run *run, const struct loop_turn *turn,
                        const struct loop_piece *piece, uint32_t number) {
  const struct loop_scenario *scenario = run->scenario;
  if (piece->kind == PIECE_RUN)
    return scenario->own == NULL ? 1 : scenario->own[piece->what];
  if (piece->kind == PIECE_NATIVE && scenario->gap != NULL && piece->end <= turn->begin)
    return scenario->gap[number];
  if (piece->kind != PIECE_PAUSE)
    return 1;
  return run->pauses[piece->what];
}

/* Whoever executes waits for a processor in proportion, and is looked at. A collection comes in
 * whose allocation fills the heap, so that it is as often in a callback as that has a share of what
 * is allocated: without it as many fewer come. */
static bool goes_with_execution(enum event_pause_kind kind) {
  return kind == EVENT_PAUSE_WAITING || kind == EVENT_PAUSE_THROTTLED || kind == EVENT_PAUSE_LOOK ||
         kind == EVENT_PAUSE_MINOR || kind == EVENT_PAUSE_MAJOR || kind == EVENT_PAUSE_STEP ||
         kind == EVENT_PAUSE_WEAK;
}

/* What is left of the row that the pause lies within, where that is removed; else 1. */
static double left_of_row(const struct event_log *log, const struct loop_scenario *scenario,
                          const struct loop_turn *turn, const struct event_pause *pause) {
  for (uint32_t row = turn->first; row < turn->first + turn->count; row++)
    if (log->begin.data[row] <= pause->start && pause->end <= log->end.data[row] &&
        scenario->own[row] <= LOOP_REMOVED)
      return scenario->own[row];
  return 1;
}

static void take_from_removed(double *factors, const struct loop_turns *turns,
                              const struct loop_scenario *scenario) {
  for (size_t i = 0; i < turns->log->pauses.count; i++) {
    const struct event_pause *pause = &turns->log->pauses.data[i];
    uint32_t piece, number = EVENT_NONE;
    if (goes_with_execution(pause->kind))
      number = loop_piece_after(turns, pause->loop, pause->start, &piece);
    if (number == EVENT_NONE)
      continue;
    const struct loop_turn turn = loop_turn_at(turns, number);
    factors[i] *= left_of_row(turns->log, scenario, &turn, pause);
  }
}

double *loop_pause_factors(const struct loop_turns *turns, const struct loop_scenario *scenario) {
  const struct event_log *log = turns->log;
  uint32_t *seen = mem_alloc(log->loops.count * LOOP_PAUSES, sizeof *seen);
  double *factors = mem_alloc(log->pauses.count, sizeof *factors);
  for (size_t i = 0; i < log->pauses.count; i++) {
    const struct event_pause *pause = &log->pauses.data[i];
    uint32_t before = seen[pause->loop * LOOP_PAUSES + pause->kind]++;
    bool stays = (before + scenario->offset) % scenario->rarer[pause->kind] == 0;
    if (scenario->unpaused != NULL && scenario->unpaused[i] != 0)
      stays = false;
    factors[i] = stays ? scenario->pause[pause->kind] : 0;
  }
  mem_free(seen);
  if (scenario->own != NULL)
    take_from_removed(factors, turns, scenario);
  return factors;
}

int64_t loop_counts_from(const struct loop_turns *turns, const struct loop_scenario *scenario,
                         uint32_t loop) {
  return turns->log->loops.data[loop].start + scenario->skip;
}

static int64_t scaled(int64_t ns, double factor) {
  return factor == 1 ? ns : (int64_t)llround((double)ns * factor);
}

static void measure_pieces(struct loop_run *run) {
  for (uint32_t t = 0; t < run->turns->kept.count; t++) {
    const struct loop_turn turn = loop_turn_at(run->turns, t);
    int64_t sum = 0;
    for (uint32_t i = turn.piece; i < turn.piece + turn.pieces; i++) {
      const struct loop_piece piece = loop_piece_of(run->turns, &turn, i);
      int64_t ns = piece.end - piece.start;
      sum += scaled(ns, factor_of(run, &turn, &piece, t)) - ns;
      if (sum != 0 && run->longer == NULL)
        run->longer = mem_alloc(run->turns->pieces.count, sizeof *run->longer);
      if (sum != 0)
        run->longer[i] = sum;
    }
  }
}

/* How much longer the turn of that number takes until the recorded time. */
static int64_t longer_until(const struct loop_run *run, const struct loop_turn *turn,
                            uint32_t number, int64_t time) {
  uint32_t low = turn->piece, high = turn->piece + turn->pieces;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (loop_piece_of(run->turns, turn, middle).end <= time)
      low = middle + 1;
    else
      high = middle;
  }
  int64_t sum = low == turn->piece || run->longer == NULL ? 0 : run->longer[low - 1];
  if (low == turn->piece + turn->pieces)
    return sum;
  const struct loop_piece piece = loop_piece_of(run->turns, turn, low);
  if (piece.start >= time)
    return sum;
  int64_t ns = time - piece.start;
  return sum + scaled(ns, factor_of(run, turn, &piece, number)) - ns;
}

static int64_t lasting(const struct loop_run *run, const struct loop_turn *turn, uint32_t number,
                       int64_t from, int64_t to) {
  return to - from + longer_until(run, turn, number, to) - longer_until(run, turn, number, from);
}

/* --- who waits for whom ----------------------------------------------------------------------- */

uint32_t run_trigger_of(const struct loop_run *run, const uint32_t *triggers, size_t which) {
  uint32_t row = triggers[which];
  return row == EVENT_NONE ? EVENT_NONE : run->turns->turn_of[row];
}

static void add_dependents(struct loop_run *run) {
  size_t count = run->turns->kept.count;
  const struct loop_turn_kept *kept = run->turns->kept.data;
  run->dependents_of = mem_alloc(count + 2, sizeof *run->dependents_of);
  uint32_t *ends = run->dependents_of + 1;
  for (size_t t = 0; t < count; t++)
    for (size_t w = 0; w < 2; w++)
      if (run_trigger_of(run, kept[t].triggers, w) != EVENT_NONE)
        ends[run_trigger_of(run, kept[t].triggers, w) + 1]++;
  for (size_t t = 0; t < count; t++)
    ends[t + 1] += ends[t];
  run->dependents = mem_alloc(ends[count], sizeof *run->dependents);
  for (uint32_t t = 0; t < count; t++)
    for (uint8_t w = 0; w < 2; w++) {
      uint32_t trigger = run_trigger_of(run, kept[t].triggers, w);
      if (trigger != EVENT_NONE)
        run->dependents[ends[trigger]++] = (struct dependent){t & EVENT_ROWS_MOST, w & 3U};
    }
}

/* A copy of what works for no request tells its own process, a request tells all. */
static bool tells(const struct loop_turn *trigger, uint32_t from, uint32_t to) {
  return trigger->request != EVENT_NONE || from == to;
}

/* --- the replay ------------------------------------------------------------------------------- */

/* When the server may take what is ready at that time. */
static int64_t eligible_at(const struct loop_turn *turn, const struct loop_unit *unit,
                           int64_t ready) {
  return ready + (unit->first ? turn->eligible - turn->ready : 0);
}

/* The place in the order of service. */
static int64_t order_of(const struct loop_turn *turn, const struct loop_unit *unit, int64_t ready) {
  return eligible_at(turn, unit, ready) + (unit->first ? turn->order - turn->eligible : 0);
}

/* When a trigger of the turn was, as recorded. */
static int64_t moment_by(const struct loop_turn *turn, size_t which) {
  return which == 0 ? turn->registered : turn->ready;
}

static void start_unit(struct loop_run *run, uint32_t index, const struct loop_turn *turn,
                       int64_t begin);

void run_make_ready(struct loop_run *run, uint32_t index, const struct loop_turn *turn) {
  const struct loop_unit unit = loop_unit_at(&run->units, turn, index);
  if (unit.server == UNIT_NONE)
    start_unit(run, index, turn, run->time[index]);
  else
    heap_add(&run->servers[unit.server].coming, eligible_at(turn, &unit, run->time[index]), index);
}

/* One of the turn's triggers happens at `time`, of which the unit is the first. */
static void trigger(struct loop_run *run, uint32_t index, const struct loop_turn *turn,
                    size_t which, int64_t time) {
  if (run_asks(run, index, time)) {
    run->state[index] &= (uint8_t)~WAITS;
    return;
  }
  int64_t io = 0;
  if (which == 0 && run_trigger_of(run, turn->triggers, 1) == EVENT_NONE) {
    int64_t least = turn->ready - turn->eligible, more = run_longer_io(run, turn);
    io = turn->ready - turn->registered + more;
    io = more < 0 && io < least ? least : io;
  }
  run->time[index] = time + io > run->time[index] ? time + io : run->time[index];
  if ((--run->state[index] & WAITS) == 0)
    run_make_ready(run, index, turn);
}

int64_t run_moment_in(const struct loop_run *run, const struct loop_turn *turn,
                      const struct loop_unit *unit, int64_t begin, int64_t moment) {
  return begin + (moment < unit->from ? 0 : lasting(run, turn, unit->turn, unit->from, moment));
}

bool run_holds(const struct loop_unit *unit, int64_t moment) {
  return unit->server != UNIT_NONE && (unit->first || moment > unit->since) &&
         (unit->last || moment <= unit->to);
}

static void tell_dependents(struct loop_run *run, const struct loop_turn *from,
                            const struct loop_unit *unit, int64_t begin) {
  for (uint32_t i = run->dependents_of[unit->turn]; i < run->dependents_of[unit->turn + 1]; i++) {
    struct dependent dependent = run->dependents[i];
    const struct loop_turn turn = loop_turn_at(run->turns, dependent.turn);
    if (!run_holds(unit, moment_by(&turn, dependent.which)))
      continue;
    int64_t time = run_moment_in(run, from, unit, begin, moment_by(&turn, dependent.which));
    for (uint32_t p = 0; p < run->units.processes; p++)
      if (loop_unit_is_on(&run->units, &turn, p) && tells(from, unit->process, p))
        trigger(run, loop_unit_first(&run->units, dependent.turn, p), &turn, dependent.which, time);
  }
}

static void start_unit(struct loop_run *run, uint32_t index, const struct loop_turn *turn,
                       int64_t begin) {
  const struct loop_unit unit = loop_unit_at(&run->units, turn, index);
  run->time[index] = begin;
  run->state[index] |= BEGUN;
  int64_t end = begin + lasting(run, turn, unit.turn, unit.from, unit.to);
  if (unit.server != UNIT_NONE)
    run->servers[unit.server].free = end;
  tell_dependents(run, turn, &unit, begin);
  if (!unit.last) {
    run->time[index + 1] = end;
    run_make_ready(run, index + 1, turn);
  }
}

/* The next on the server, which begins when the loop is free and has got to it. */
static void serve(struct loop_run *run, struct replay_server *server, int64_t now) {
  while (server->coming.items.count != 0 && server->coming.items.data[0].key <= now) {
    uint32_t index = heap_take(&server->coming).number;
    const struct loop_turn turn = loop_turn_at(run->turns, loop_unit_turn(&run->units, index));
    const struct loop_unit unit = loop_unit_at(&run->units, &turn, index);
    heap_add(&server->waiting, order_of(&turn, &unit, run->time[index]), index);
  }
  uint32_t index = heap_take(&server->waiting).number, number = loop_unit_turn(&run->units, index);
  const struct loop_turn turn = loop_turn_at(run->turns, number);
  int64_t since = turn.eligible > turn.free ? turn.eligible : turn.free;
  bool first = loop_unit_at(&run->units, &turn, index).first;
  start_unit(run, index, &turn, first ? now + lasting(run, &turn, number, since, turn.begin) : now);
}

/* When the server will next decide; EVENT_NEVER: nothing comes. */
static int64_t next_of(const struct replay_server *server) {
  if (server->waiting.items.count != 0)
    return server->free;
  if (server->coming.items.count == 0)
    return EVENT_NEVER;
  int64_t key = server->coming.items.data[0].key;
  return key > server->free ? key : server->free;
}

/* What a pool has done by then may be served. */
static void run_all(struct loop_run *run) {
  for (;;) {
    size_t best = 0;
    int64_t least = EVENT_NEVER;
    for (size_t i = 0; i < run->server_count; i++) {
      int64_t next = next_of(&run->servers[i]);
      if (next < least) {
        least = next;
        best = i;
      }
    }
    if (run_pool_works(run, least))
      continue;
    if (least == EVENT_NEVER)
      return;
    serve(run, &run->servers[best], least);
  }
}

static void free_servers(struct loop_run *run) {
  for (uint32_t l = 0; l < run->turns->ranges.count; l++) {
    const struct loop_turn_range *range = &run->turns->ranges.data[l];
    for (uint32_t p = 0; p < run->units.processes && range->turn < range->behind; p++)
      run->servers[l * run->units.processes + p].free = loop_turn_at(run->turns, range->turn).free;
  }
}

/* Those that wait for nobody are there; the others count what they wait for. */
static void start_all(struct loop_run *run) {
  free_servers(run);
  for (uint32_t i = 0; i < run->units.count; i++) {
    const struct loop_turn turn = loop_turn_at(run->turns, loop_unit_turn(&run->units, i));
    if (!loop_unit_at(&run->units, &turn, i).first)
      continue;
    uint8_t waits = 0;
    for (size_t w = 0; w < 2; w++)
      waits = (uint8_t)(waits + (run_trigger_of(run, turn.triggers, w) != EVENT_NONE));
    run->state[i] = waits;
    run->time[i] = waits == 0 ? turn.ready : INT64_MIN;
    if (waits == 0 && !run_asks(run, i, turn.registered))
      run_make_ready(run, i, &turn);
  }
}

/* --- all of it -------------------------------------------------------------------------------- */

static void clear_run(struct loop_run *run) {
  for (size_t i = 0; i < run->server_count; i++) {
    vector_clear(&run->servers[i].coming.items);
    vector_clear(&run->servers[i].waiting.items);
  }
  run_pools_clear(run);
  mem_free(run->servers);
  mem_free(run->time);
  mem_free(run->state);
  mem_free(run->longer);
  mem_free(run->pauses);
  mem_free(run->dependents_of);
  mem_free(run->dependents);
  loop_units_clear(&run->units);
}

void loop_replay_run(struct loop_replay *replay, const struct loop_turns *turns,
                     const struct event_chains *chains, const struct loop_scenario *scenario) {
  *replay = (struct loop_replay){.turns = turns, .chains = chains};
  replay->latency = mem_alloc(chains->chains.count, sizeof *replay->latency);
  struct loop_run run = {.turns = turns, .log = turns->log, .scenario = scenario};
  loop_units_make(&run.units, turns, scenario);
  run.time = mem_alloc(run.units.count, sizeof *run.time);
  run.state = mem_alloc(run.units.count, sizeof *run.state);
  run.server_count = turns->log->loops.count * run.units.processes;
  run.servers = mem_alloc(run.server_count, sizeof *run.servers);
  run.pauses = loop_pause_factors(turns, scenario);
  measure_pieces(&run);
  add_dependents(&run);
  run_pools_make(&run);
  start_all(&run);
  run_all(&run);
  run_take_latencies(replay, &run);
  clear_run(&run);
}

void loop_replay_clear(struct loop_replay *replay) {
  mem_free(replay->latency);
  *replay = (struct loop_replay){0};
}

uint64_t loop_replay_check(const struct loop_turns *turns, const struct event_chains *chains,
                           const struct loop_threads *threads) {
  struct loop_scenario none = loop_scenario_none();
  none.threads = threads;
  struct loop_replay replay;
  uint64_t wrong = 0;
  loop_replay_run(&replay, turns, chains, &none);
  for (size_t i = 0; i < chains->chains.count; i++) {
    const struct event_chain *chain = &chains->chains.data[i];
    wrong += chain->count != 0 && replay.latency[i] != chain->answer - chain->arrived;
  }
  wrong += replay.stuck;
  loop_replay_clear(&replay);
  return wrong;
}
