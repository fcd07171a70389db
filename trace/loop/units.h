/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a replay serves (replay.h): each turn is one unit, or several where it is cut, for it is
 * split, or executed elsewhere in between; and with several processes a turn that works for no
 * request is on each of them. Private to trace/loop.
 */
#ifndef TRACE_LOOP_UNITS_H
#define TRACE_LOOP_UNITS_H

#include "trace/loop/turns.h"

struct loop_scenario; /* trace/loop/replay.h */

#define UNIT_NONE UINT32_MAX

/* A stretch of a turn that is served without interruption, on one process. */
struct loop_unit {
  uint32_t turn;
  uint32_t server;  /* UNIT_NONE: another thread, at once */
  uint32_t process; /* of the copies of the turn */
  bool first, last; /* of its turn */
  int64_t from, to; /* recorded, ns */
  int64_t since;    /* recorded, ns: what it hands over is later than that */
};

struct loop_units {
  const struct loop_turns *turns;
  const struct loop_scenario *scenario;
  uint32_t processes; /* at least 1 */
  uint32_t count;
  bool whole;                   /* each turn is one unit, whose number is the turn's; else: */
  VECTOR(struct loop_unit) cut; /* those of a turn together, copy by copy */
  uint32_t *of;                 /* by turn and process: the first; [.. + 1] behind the last */
};

/* So many there are at most. */
uint64_t loop_units_most(const struct loop_turns *turns, const struct loop_scenario *scenario);

/* Turns and scenario must outlive the units; loop_units_most of them is below UNIT_NONE. */
void loop_units_make(struct loop_units *units, const struct loop_turns *turns,
                     const struct loop_scenario *scenario);
void loop_units_clear(struct loop_units *units);

/* A copy of a turn works for one request, or for none and then on each process. */
bool loop_unit_is_on(const struct loop_units *units, const struct loop_turn *turn,
                     uint32_t process);

/* The first of the turn's copy on the process. */
uint32_t loop_unit_first(const struct loop_units *units, uint32_t turn, uint32_t process);

/* The number of its turn, and all of it, once the turn is known. */
uint32_t loop_unit_turn(const struct loop_units *units, uint32_t unit);
struct loop_unit loop_unit_at(const struct loop_units *units, const struct loop_turn *turn,
                              uint32_t number);

#endif
