/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounds held against a run. While it lasts, the events are noted; when it is over, every
 * occurrence has its value, and the event must not be later than the bound's expression. What did
 * not happen took no time, and bare names are worth no more than the longest that happened, as far
 * as the file's assumptions allow: a proved bound holds for these values too.
 */
#ifndef TESTS_SIMULATOR_JUDGE_H
#define TESTS_SIMULATOR_JUDGE_H

#include "tests/simulator/cluster.h"

/* A bound that the run breaks; or an invariant, in the state of now. */
struct breach {
  const struct bound *bound;
  const struct invariant *invariant;
  int64_t event_ns, limit_ns;
};

/* Prepares the noting of the bound's event. */
void judge_watch(struct cluster *cluster, const struct bound *bound);

/* Notes the events that hold in the state of now. */
void judge_note(struct cluster *cluster);

/* Whether nothing is left to wait for: all that is watched can happen once, and has. */
bool judge_has_seen_all(struct cluster *cluster);

/* Ends the run. False when its times break an assumption of the file, or it made a mistake: then it
 * says nothing. breach->bound is set when a watched bound is broken; *reached counts the events
 * that happened, *attained those that came no sooner than the bound allows. */
bool judge_run(struct cluster *cluster, struct breach *breach, size_t *reached, size_t *attained);

/* Whether the invariants of the whole execution hold in this state of a run whose fate is known;
 * but those that need what a run does not have (arrival times, the order on a FIFO channel), or all
 * integers for more than a universal claim. */
bool judge_state(struct cluster *cluster, struct breach *breach);

#endif
