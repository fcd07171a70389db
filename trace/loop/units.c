/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/units.h"

#include "trace/event/log.h"
#include "trace/loop/replay.h"

bool loop_unit_is_on(const struct loop_units *units, const struct loop_turn *turn,
                     uint32_t process) {
  return turn->request == EVENT_NONE || turn->request % units->processes == process;
}

static void add_unit(struct loop_units *units, const struct loop_unit *like, int64_t to,
                     bool elsewhere) {
  struct loop_unit unit = *like;
  unit.to = to;
  if (elsewhere)
    unit.server = UNIT_NONE;
  vector_push(&units->cut, unit);
}

/* Ends a unit at the recorded time, and the next starts there. */
static void cut(struct loop_units *units, struct loop_unit *unit, int64_t at, bool elsewhere) {
  add_unit(units, unit, at, elsewhere);
  unit->since = elsewhere ? unit->from : at;
  unit->from = at;
  unit->first = false;
}

/* The recorded time at which so much of the row's own execution has passed. */
static int64_t own_at(const struct loop_units *units, const struct loop_turn *turn, uint32_t row,
                      int64_t ns) {
  int64_t end = turn->end;
  for (uint32_t i = turn->piece; i < turn->piece + turn->pieces; i++) {
    const struct loop_piece piece = loop_piece_of(units->turns, turn, i);
    if (piece.kind != PIECE_RUN || piece.what != row)
      continue;
    end = piece.end;
    if (ns <= piece.end - piece.start)
      return piece.start + ns;
    ns -= piece.end - piece.start;
  }
  return end;
}

static int64_t own_of(const struct loop_units *units, const struct loop_turn *turn, uint32_t row) {
  int64_t sum = 0;
  for (uint32_t i = turn->piece; i < turn->piece + turn->pieces; i++) {
    const struct loop_piece piece = loop_piece_of(units->turns, turn, i);
    if (piece.kind == PIECE_RUN && piece.what == row)
      sum += piece.end - piece.start;
  }
  return sum;
}

static void cut_row(struct loop_units *units, struct loop_unit *unit, const struct loop_turn *turn,
                    uint32_t row) {
  const struct loop_scenario *scenario = units->scenario;
  int64_t begin = units->turns->log->begin.data[row], end = units->turns->log->end.data[row];
  if (scenario->offload != NULL && scenario->offload[row] && begin >= unit->from) {
    cut(units, unit, begin, false);
    cut(units, unit, end < turn->end ? end : turn->end, true);
  } else if (scenario->split != NULL && scenario->split[row] > 1) {
    int64_t own = own_of(units, turn, row), parts = (int64_t)scenario->split[row];
    for (int64_t i = 1; i < parts; i++) {
      int64_t at = own_at(units, turn, row, own / parts * i);
      if (at > unit->from)
        cut(units, unit, at, false);
    }
  }
}

/* All of the turn's copy on the process. */
static struct loop_unit whole_unit(const struct loop_units *units, const struct loop_turn *turn,
                                   uint32_t number, uint32_t process) {
  return (struct loop_unit){.turn = number,
                            .server = turn->loop * units->processes + process,
                            .process = process,
                            .from = turn->begin,
                            .to = turn->end,
                            .first = true,
                            .last = true};
}

static void add_turn(struct loop_units *units, const struct loop_turn *turn, uint32_t number,
                     uint32_t process) {
  struct loop_unit unit = whole_unit(units, turn, number, process);
  unit.last = false;
  for (uint32_t row = turn->first; row < turn->first + turn->count; row++)
    cut_row(units, &unit, turn, row);
  add_unit(units, &unit, turn->end, false);
  units->cut.data[units->cut.count - 1].last = true;
}

static uint32_t *place_of(const struct loop_units *units, uint32_t turn, uint32_t process) {
  return &units->of[(size_t)turn * units->processes + process];
}

uint32_t loop_unit_first(const struct loop_units *units, uint32_t turn, uint32_t process) {
  return units->whole ? turn : *place_of(units, turn, process);
}

uint32_t loop_unit_turn(const struct loop_units *units, uint32_t unit) {
  return units->whole ? unit : units->cut.data[unit].turn;
}

struct loop_unit loop_unit_at(const struct loop_units *units, const struct loop_turn *turn,
                              uint32_t number) {
  return units->whole ? whole_unit(units, turn, number, 0) : units->cut.data[number];
}

/* How many units each copy of the row's turn is cut into more. */
static uint64_t cuts_of(const struct loop_scenario *scenario, uint32_t row) {
  if (scenario->offload != NULL && scenario->offload[row] != 0)
    return 2;
  return scenario->split != NULL && scenario->split[row] > 1 ? scenario->split[row] - 1U : 0;
}

static uint32_t processes_of(const struct loop_scenario *scenario) {
  return scenario->processes < 2 ? 1 : scenario->processes;
}

uint64_t loop_units_most(const struct loop_turns *turns, const struct loop_scenario *scenario) {
  uint64_t count = turns->kept.count;
  for (uint32_t row = 0; row < turns->log->begin.count; row++)
    count += cuts_of(scenario, row);
  return count * processes_of(scenario);
}

static void add_units(struct loop_units *units) {
  uint32_t turns = (uint32_t)units->turns->kept.count;
  units->of = mem_alloc((turns + (size_t)1) * units->processes, sizeof *units->of);
  for (uint32_t t = 0; t < turns; t++) {
    const struct loop_turn turn = loop_turn_at(units->turns, t);
    for (uint32_t p = 0; p < units->processes; p++) {
      *place_of(units, t, p) = (uint32_t)units->cut.count;
      if (loop_unit_is_on(units, &turn, p))
        add_turn(units, &turn, t, p);
    }
  }
  *place_of(units, turns, 0) = (uint32_t)units->cut.count;
}

void loop_units_make(struct loop_units *units, const struct loop_turns *turns,
                     const struct loop_scenario *scenario) {
  *units = (struct loop_units){
      .turns = turns, .scenario = scenario, .processes = processes_of(scenario)};
  units->whole = loop_units_most(turns, scenario) == turns->kept.count;
  if (!units->whole)
    add_units(units);
  units->count = (uint32_t)(units->whole ? turns->kept.count : units->cut.count);
}

void loop_units_clear(struct loop_units *units) {
  vector_clear(&units->cut);
  mem_free(units->of);
}
