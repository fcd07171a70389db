/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each turn is one unit of service, or several where it is cut: split, or executed elsewhere in
 * between. Units of a server wait in two heaps: until they are eligible, and then for service.
 */
#include "trace/loop/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/loop/chain.h"
#include "trace/loop/heap.h"
#include "trace/loop/turns.h"

#define UNIT_NONE UINT32_MAX
#define TURN_MOST 0x3fffffffU /* see loop_piece */

/* A stretch of a turn that is served without interruption, on one process. */
struct unit {
  uint32_t turn;
  uint32_t server;              /* UNIT_NONE: another thread, at once */
  uint32_t process;             /* of the copies of the turn */
  uint32_t waits : 2;           /* triggers that have not happened */
  uint32_t first : 1, last : 1; /* of its turn */
  int64_t from, to;             /* recorded, ns */
  int64_t since;                /* recorded, ns: what it hands over is later than that */
  int64_t ready;                /* ns, of the replay, as far as known */
  int64_t begin;                /* ns, of the replay; EVENT_NEVER: not yet */
};

struct server {
  struct heap coming, waiting; /* by when they are eligible; by order */
  int64_t free;
};

/* That a moment of a turn makes another ready. */
struct dependent {
  uint32_t turn : 30;
  uint32_t which : 2; /* of its triggers */
};

struct run {
  const struct loop_turns *turns;
  const struct event_log *log;
  const struct loop_scenario *scenario;
  uint32_t processes;
  VECTOR(struct unit) units; /* those of a turn together, copy by copy */
  uint32_t *units_of;        /* by turn and process: the first; [.. + 1] behind the last */
  struct server *servers;    /* by loop and process */
  size_t server_count;
  double *pauses;          /* by pause: factor of how long it takes */
  int64_t *longer;         /* by piece: ns that it and those before in its turn are longer */
  uint32_t *dependents_of; /* by turn: where they start */
  struct dependent *dependents;
};

struct loop_scenario loop_scenario_none(void) {
  struct loop_scenario scenario = {.processes = 1};
  for (size_t i = 0; i < LOOP_PAUSES; i++) {
    scenario.pause[i] = 1;
    scenario.rarer[i] = 1;
  }
  return scenario;
}

/* --- how long things take --------------------------------------------------------------------- */

static double factor_of(const struct run *run, const struct loop_piece *piece) {
  const struct loop_scenario *scenario = run->scenario;
  if (piece->kind == PIECE_RUN)
    return scenario->own == NULL ? 1 : scenario->own[piece->what];
  if (piece->kind == PIECE_NATIVE && scenario->gap != NULL &&
      piece->end <= run->turns->turns.data[piece->turn].begin)
    return scenario->gap[piece->turn];
  if (piece->kind != PIECE_PAUSE)
    return 1;
  return run->pauses[piece->what];
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
  return factors;
}

static int64_t scaled(int64_t ns, double factor) {
  return factor == 1 ? ns : (int64_t)llround((double)ns * factor);
}

static void measure_pieces(struct run *run) {
  int64_t sum = 0;
  for (size_t i = 0; i < run->turns->pieces.count; i++) {
    const struct loop_piece *piece = &run->turns->pieces.data[i];
    int64_t ns = piece->end - piece->start;
    if (i == 0 || piece->turn != piece[-1].turn)
      sum = 0;
    sum += scaled(ns, factor_of(run, piece)) - ns;
    if (sum != 0) /* zeros are there: what is not written takes no memory */
      run->longer[i] = sum;
  }
}

/* How much longer the turn takes until the recorded time. */
static int64_t longer_until(const struct run *run, const struct loop_turn *turn, int64_t time) {
  const struct loop_piece *pieces = run->turns->pieces.data;
  size_t low = turn->piece, high = turn->piece + turn->pieces;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (pieces[middle].end <= time)
      low = middle + 1;
    else
      high = middle;
  }
  int64_t sum = low == turn->piece ? 0 : run->longer[low - 1];
  if (low == turn->piece + turn->pieces || pieces[low].start >= time)
    return sum;
  int64_t ns = time - pieces[low].start;
  return sum + scaled(ns, factor_of(run, &pieces[low])) - ns;
}

static int64_t lasting(const struct run *run, const struct loop_turn *turn, int64_t from,
                       int64_t to) {
  return to - from + longer_until(run, turn, to) - longer_until(run, turn, from);
}

/* --- units ------------------------------------------------------------------------------------ */

/* A copy of a turn works for one request, or for none and then on each process. */
static bool is_on(const struct run *run, const struct loop_turn *turn, uint32_t process) {
  return turn->request == EVENT_NONE || turn->request % run->processes == process;
}

static void add_unit(struct run *run, const struct unit *like, int64_t to, bool elsewhere) {
  struct unit unit = *like;
  unit.to = to;
  unit.begin = EVENT_NEVER;
  if (elsewhere)
    unit.server = UNIT_NONE;
  vector_push(&run->units, unit);
}

/* Ends a unit at the recorded time, and the next starts there. */
static void cut(struct run *run, struct unit *unit, int64_t at, bool elsewhere) {
  add_unit(run, unit, at, elsewhere);
  unit->since = elsewhere ? unit->from : at;
  unit->from = at;
  unit->first = false;
}

/* The recorded time at which so much of the row's own execution has passed. */
static int64_t own_at(const struct run *run, const struct loop_turn *turn, uint32_t row,
                      int64_t ns) {
  int64_t end = turn->end;
  for (size_t i = turn->piece; i < turn->piece + turn->pieces; i++) {
    const struct loop_piece *piece = &run->turns->pieces.data[i];
    if (piece->kind != PIECE_RUN || piece->what != row)
      continue;
    end = piece->end;
    if (ns <= piece->end - piece->start)
      return piece->start + ns;
    ns -= piece->end - piece->start;
  }
  return end;
}

static int64_t own_of(const struct run *run, const struct loop_turn *turn, uint32_t row) {
  int64_t sum = 0;
  for (size_t i = turn->piece; i < turn->piece + turn->pieces; i++) {
    const struct loop_piece *piece = &run->turns->pieces.data[i];
    if (piece->kind == PIECE_RUN && piece->what == row)
      sum += piece->end - piece->start;
  }
  return sum;
}

static void cut_row(struct run *run, struct unit *unit, const struct loop_turn *turn,
                    uint32_t row) {
  const struct loop_scenario *scenario = run->scenario;
  int64_t begin = run->log->begin.data[row], end = run->log->end.data[row];
  if (scenario->offload != NULL && scenario->offload[row] && begin >= unit->from) {
    cut(run, unit, begin, false);
    cut(run, unit, end < turn->end ? end : turn->end, true);
  } else if (scenario->split != NULL && scenario->split[row] > 1) {
    int64_t own = own_of(run, turn, row), parts = (int64_t)scenario->split[row];
    for (int64_t i = 1; i < parts; i++) {
      int64_t at = own_at(run, turn, row, own / parts * i);
      if (at > unit->from)
        cut(run, unit, at, false);
    }
  }
}

static void add_turn(struct run *run, uint32_t index, uint32_t process) {
  const struct loop_turn *turn = &run->turns->turns.data[index];
  struct unit unit = {.turn = index,
                      .server = turn->loop * run->processes + process,
                      .process = process,
                      .from = turn->begin,
                      .first = true};
  for (uint32_t row = turn->first; row < turn->first + turn->count; row++)
    cut_row(run, &unit, turn, row);
  add_unit(run, &unit, turn->end, false);
  run->units.data[run->units.count - 1].last = true;
}

static uint32_t *place_of(const struct run *run, uint32_t turn, uint32_t process) {
  return &run->units_of[(size_t)turn * run->processes + process];
}

static void add_units(struct run *run) {
  for (uint32_t t = 0; t < run->turns->turns.count; t++)
    for (uint32_t p = 0; p < run->processes; p++) {
      *place_of(run, t, p) = (uint32_t)run->units.count;
      if (is_on(run, &run->turns->turns.data[t], p))
        add_turn(run, t, p);
    }
  *place_of(run, (uint32_t)run->turns->turns.count, 0) = (uint32_t)run->units.count;
}

/* --- who waits for whom ----------------------------------------------------------------------- */

static uint32_t trigger_of(const struct run *run, const struct loop_turn *turn, size_t which) {
  uint32_t row = turn->triggers[which];
  return row == EVENT_NONE ? EVENT_NONE : run->turns->turn_of[row];
}

static void add_dependents(struct run *run) {
  size_t count = run->turns->turns.count;
  const struct loop_turn *turns = run->turns->turns.data;
  run->dependents_of = mem_alloc(count + 2, sizeof *run->dependents_of);
  uint32_t *ends = run->dependents_of + 1;
  for (size_t t = 0; t < count; t++)
    for (size_t w = 0; w < 2; w++)
      if (trigger_of(run, &turns[t], w) != EVENT_NONE)
        ends[trigger_of(run, &turns[t], w) + 1]++;
  for (size_t t = 0; t < count; t++)
    ends[t + 1] += ends[t];
  run->dependents = mem_alloc(ends[count], sizeof *run->dependents);
  for (uint32_t t = 0; t < count; t++)
    for (uint8_t w = 0; w < 2; w++) {
      uint32_t trigger = trigger_of(run, &turns[t], w);
      if (trigger != EVENT_NONE)
        run->dependents[ends[trigger]++] = (struct dependent){t & TURN_MOST, w & 3U};
    }
}

/* A copy of what works for no request tells its own process, a request tells all. */
static bool tells(const struct loop_turn *trigger, uint32_t from, uint32_t to) {
  return trigger->request != EVENT_NONE || from == to;
}

/* --- the replay ------------------------------------------------------------------------------- */

/* When the server may take it, once it is ready. */
static int64_t eligible_at(const struct run *run, const struct unit *unit) {
  const struct loop_turn *turn = &run->turns->turns.data[unit->turn];
  return unit->ready + (unit->first ? turn->eligible - turn->ready : 0);
}

/* The place in the order of service. */
static int64_t order_of(const struct run *run, const struct unit *unit) {
  const struct loop_turn *turn = &run->turns->turns.data[unit->turn];
  return eligible_at(run, unit) + (unit->first ? turn->order - turn->eligible : 0);
}

/* When a trigger of the turn was, as recorded. */
static int64_t moment_by(const struct loop_turn *turn, size_t which) {
  return which == 0 ? turn->registered : turn->ready;
}

static void start_unit(struct run *run, uint32_t index, int64_t begin);

static void make_ready(struct run *run, uint32_t index) {
  const struct unit *unit = &run->units.data[index];
  if (unit->server == UNIT_NONE)
    start_unit(run, index, unit->ready);
  else
    heap_add(&run->servers[unit->server].coming, eligible_at(run, unit), index);
}

/* One of the turn's triggers happens at `time`. */
static void trigger(struct run *run, uint32_t index, size_t which, int64_t time) {
  struct unit *unit = &run->units.data[index];
  const struct loop_turn *turn = &run->turns->turns.data[unit->turn];
  int64_t io = 0;
  if (which == 0 && trigger_of(run, turn, 1) == EVENT_NONE) {
    int64_t least = turn->ready - turn->eligible;
    int64_t more = run->scenario->io == NULL ? 0 : run->scenario->io[turn->first];
    io = turn->ready - turn->registered + more;
    io = more < 0 && io < least ? least : io;
  }
  unit->ready = time + io > unit->ready ? time + io : unit->ready;
  if (--unit->waits == 0)
    make_ready(run, index);
}

/* The time in the replay of a recorded moment in or after a unit that has begun. */
static int64_t moment_in(const struct run *run, const struct unit *unit, int64_t moment) {
  const struct loop_turn *turn = &run->turns->turns.data[unit->turn];
  return unit->begin + (moment < unit->from ? 0 : lasting(run, turn, unit->from, moment));
}

/* What another thread executes hands nothing over until the loop has it back. */
static bool holds(const struct unit *unit, int64_t moment) {
  return unit->server != UNIT_NONE && (unit->first || moment > unit->since) &&
         (unit->last || moment <= unit->to);
}

static void tell_dependents(struct run *run, uint32_t index) {
  uint32_t from = run->units.data[index].turn;
  const struct loop_turn *turns = run->turns->turns.data;
  for (uint32_t i = run->dependents_of[from]; i < run->dependents_of[from + 1]; i++) {
    struct dependent dependent = run->dependents[i];
    const struct loop_turn *turn = &turns[dependent.turn];
    const struct unit unit = run->units.data[index];
    if (!holds(&unit, moment_by(turn, dependent.which)))
      continue;
    int64_t time = moment_in(run, &unit, moment_by(turn, dependent.which));
    for (uint32_t p = 0; p < run->processes; p++)
      if (is_on(run, turn, p) && tells(&turns[from], unit.process, p))
        trigger(run, *place_of(run, dependent.turn, p), dependent.which, time);
  }
}

static void start_unit(struct run *run, uint32_t index, int64_t begin) {
  struct unit *unit = &run->units.data[index];
  const struct loop_turn *turn = &run->turns->turns.data[unit->turn];
  unit->begin = begin;
  int64_t end = begin + lasting(run, turn, unit->from, unit->to);
  bool more = !unit->last;
  if (unit->server != UNIT_NONE)
    run->servers[unit->server].free = end;
  tell_dependents(run, index);
  if (more) {
    run->units.data[index + 1].ready = end;
    make_ready(run, index + 1);
  }
}

/* The next on the server, which begins when the loop is free and has got to it. */
static void serve(struct run *run, struct server *server, int64_t now) {
  while (server->coming.items.count != 0 && server->coming.items.data[0].key <= now) {
    uint32_t index = heap_take(&server->coming).number;
    heap_add(&server->waiting, order_of(run, &run->units.data[index]), index);
  }
  uint32_t index = heap_take(&server->waiting).number;
  const struct unit *unit = &run->units.data[index];
  const struct loop_turn *turn = &run->turns->turns.data[unit->turn];
  int64_t since = turn->eligible > turn->free ? turn->eligible : turn->free;
  start_unit(run, index, unit->first ? now + lasting(run, turn, since, turn->begin) : now);
}

/* When the server will next decide; EVENT_NEVER: nothing comes. */
static int64_t next_of(const struct server *server) {
  if (server->waiting.items.count != 0)
    return server->free;
  if (server->coming.items.count == 0)
    return EVENT_NEVER;
  int64_t key = server->coming.items.data[0].key;
  return key > server->free ? key : server->free;
}

static void run_all(struct run *run) {
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
    if (least == EVENT_NEVER)
      return;
    serve(run, &run->servers[best], least);
  }
}

/* Those that wait for nobody are there; the others count what they wait for. */
static void start_all(struct run *run) {
  for (size_t i = run->turns->turns.count; i-- > 0;) {
    const struct loop_turn *turn = &run->turns->turns.data[i];
    for (uint32_t p = 0; p < run->processes; p++)
      run->servers[turn->loop * run->processes + p].free = turn->free;
  }
  for (uint32_t i = 0; i < run->units.count; i++) {
    struct unit *unit = &run->units.data[i];
    const struct loop_turn *turn = &run->turns->turns.data[unit->turn];
    if (!unit->first)
      continue;
    uint32_t waits = 0;
    for (size_t w = 0; w < 2; w++)
      waits += trigger_of(run, turn, w) != EVENT_NONE;
    unit->waits = waits & 3U;
    unit->ready = unit->waits == 0 ? turn->ready : INT64_MIN;
    if (unit->waits == 0)
      make_ready(run, i);
  }
}

/* --- what comes of it ------------------------------------------------------------------------- */

/* When a recorded moment of a turn comes, on the process of the request; EVENT_NEVER: never. */
static int64_t moment_of(const struct run *run, uint32_t turn, uint32_t process, int64_t moment) {
  for (uint32_t i = *place_of(run, turn, process); i < run->units.count; i++) {
    const struct unit *unit = &run->units.data[i];
    if (unit->turn != turn || unit->process != process || unit->begin == EVENT_NEVER)
      break;
    if (holds(unit, moment))
      return moment_in(run, unit, moment);
  }
  return EVENT_NEVER;
}

static void take_latencies(struct loop_replay *replay, const struct run *run) {
  for (size_t i = 0; i < replay->chains->chains.count; i++) {
    const struct event_chain *chain = &replay->chains->chains.data[i];
    if (chain->count == 0)
      continue;
    uint32_t sink = replay->chains->links.data[chain->first + chain->count - 1].row;
    uint32_t turn = run->turns->turn_of[sink];
    uint32_t request = run->turns->turns.data[turn].request;
    uint32_t process = (request == EVENT_NONE ? (uint32_t)i : request) % run->processes;
    int64_t answer = moment_of(run, turn, process, chain->answer);
    replay->latency[i] = answer == EVENT_NEVER ? EVENT_NEVER : answer - chain->arrived;
  }
  for (size_t i = 0; i < run->units.count; i++)
    replay->stuck += run->units.data[i].begin == EVENT_NEVER;
}

static void clear_run(struct run *run) {
  for (size_t i = 0; i < run->server_count; i++) {
    vector_clear(&run->servers[i].coming.items);
    vector_clear(&run->servers[i].waiting.items);
  }
  mem_free(run->servers);
  mem_free(run->units_of);
  mem_free(run->longer);
  mem_free(run->pauses);
  mem_free(run->dependents_of);
  mem_free(run->dependents);
  vector_clear(&run->units);
}

void loop_replay_run(struct loop_replay *replay, const struct loop_turns *turns,
                     const struct event_chains *chains, const struct loop_scenario *scenario) {
  *replay = (struct loop_replay){.turns = turns, .chains = chains};
  replay->latency = mem_alloc(chains->chains.count, sizeof *replay->latency);
  struct run run = {.turns = turns,
                    .log = turns->log,
                    .scenario = scenario,
                    .processes = scenario->processes < 2 ? 1 : scenario->processes};
  run.server_count = turns->log->loops.count * run.processes;
  run.servers = mem_alloc(run.server_count, sizeof *run.servers);
  run.units_of = mem_alloc((turns->turns.count + 1) * run.processes, sizeof *run.units_of);
  run.longer = mem_alloc(turns->pieces.count, sizeof *run.longer);
  run.pauses = loop_pause_factors(turns, scenario);
  measure_pieces(&run);
  add_units(&run);
  add_dependents(&run);
  start_all(&run);
  run_all(&run);
  take_latencies(replay, &run);
  clear_run(&run);
}

void loop_replay_clear(struct loop_replay *replay) {
  mem_free(replay->latency);
  *replay = (struct loop_replay){0};
}

uint64_t loop_replay_check(const struct loop_turns *turns, const struct event_chains *chains) {
  struct loop_scenario none = loop_scenario_none();
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
