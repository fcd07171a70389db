/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each request takes in a replay.
 */
#include "trace/loop/chain.h"
#include "trace/loop/replay_inside.h"

/* When a recorded moment of a turn comes, on the process of the request; EVENT_NEVER: never. */
static int64_t moment_of(const struct loop_run *run, uint32_t number, const struct loop_turn *turn,
                         uint32_t process, int64_t moment) {
  for (uint32_t i = loop_unit_first(&run->units, number, process); i < run->units.count; i++) {
    const struct loop_unit unit = loop_unit_at(&run->units, turn, i);
    if (loop_unit_turn(&run->units, i) != number || unit.process != process ||
        (run->state[i] & BEGUN) == 0)
      break;
    if (run_holds(&unit, moment))
      return run_moment_in(run, turn, &unit, run->time[i], moment);
  }
  return EVENT_NEVER;
}

/* The row by which another request asked for the turn: for an answer of a database that came in one
 * read with that of this request. EVENT_NONE: no other did. */
static uint32_t asked_by_another(const struct loop_run *run, const struct loop_turn *turn,
                                 uint32_t request) {
  uint32_t row = turn->triggers[0];
  if (run_trigger_of(run, turn->triggers, 0) == EVENT_NONE ||
      run_trigger_of(run, turn->triggers, 1) != EVENT_NONE || run->turns->owner[row] == request)
    return EVENT_NONE;
  return run->turns->owner[row] == EVENT_NONE ? EVENT_NONE : row;
}

/* How much later than the turns of its links the chain goes on. Where it shares a turn that another
 * request asked for, it does not wait for that one: its answer comes as much before or after as it
 * asks earlier or later than in the recording, compared with the other. */
static int64_t later_than_turns(const struct loop_run *run, const struct event_chains *chains,
                                const struct event_chain *chain, uint32_t process) {
  int64_t later = 0, asked = EVENT_NEVER;
  for (uint32_t i = 0, before = EVENT_NONE; i < chain->count; i++) {
    const struct event_link link = event_link_at(chains, run->log, chain, i);
    uint32_t number = run->turns->turn_of[link.row];
    const struct loop_turn turn = loop_turn_at(run->turns, number);
    uint32_t row = asked_by_another(run, &turn, chain->request);
    if (number != before && asked != EVENT_NEVER && row != EVENT_NONE) {
      uint32_t from = run->turns->turn_of[row];
      const struct loop_turn other = loop_turn_at(run->turns, from);
      int64_t moment = moment_of(run, from, &other, process, turn.registered);
      int64_t begin = moment_of(run, number, &turn, process, turn.begin);
      if (moment != EVENT_NEVER && begin != EVENT_NEVER) {
        later = asked - moment - (link.registered - turn.registered);
        later = begin + later < asked ? asked - begin : later;
      }
    }
    asked = moment_of(run, number, &turn, process, link.stop);
    asked = asked == EVENT_NEVER ? asked : asked + later;
    before = number;
  }
  return later;
}

void run_take_latencies(struct loop_replay *replay, const struct loop_run *run) {
  for (size_t i = 0; i < replay->chains->chains.count; i++) {
    const struct event_chain *chain = &replay->chains->chains.data[i];
    if (chain->count == 0)
      continue;
    uint32_t sink = event_link_row(replay->chains, chain, chain->count - 1);
    uint32_t number = run->turns->turn_of[sink];
    const struct loop_turn turn = loop_turn_at(run->turns, number);
    uint32_t process =
        (turn.request == EVENT_NONE ? (uint32_t)i : turn.request) % run->units.processes;
    int64_t answer = moment_of(run, number, &turn, process, chain->answer);
    if (answer != EVENT_NEVER && chain->shared && run->units.processes == 1)
      answer += later_than_turns(run, replay->chains, chain, process);
    if (answer < chain->arrived)
      answer = chain->arrived;
    replay->latency[i] = answer == EVENT_NEVER ? EVENT_NEVER : answer - chain->arrived;
  }
  for (uint32_t i = 0; i < run->units.count; i++)
    replay->stuck += (run->state[i] & BEGUN) == 0;
}
