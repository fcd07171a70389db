/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waits for I/O that may have been long because of work that a change takes away: while a callback
 * spins, the thread pool and other servers have one processor less. A replay that keeps them as
 * recorded then predicts too much; one that shortens them, too little if that was not why.
 *
 * Example. Reads take 1 to 2 ms; of those that were under way while a report was computed most took
 * 20. In the second reading such a read takes what others take that were under way for as long
 * before, say 0.5 ms, and then met no report: one of 1 to 2 ms, drawn.
 *
 * A long wait is more likely to overlap anything, so that those which do are longer by the choice
 * alone. Therefore a wait counts as one without the work until the work began, and no further: the
 * law is Kaplan and Meier's (Journal of the American Statistical Association 53, 1958). A drawn
 * time is longer than that, too. If the work does not matter, the chance of a wait longer than the
 * one recorded, given that, is as likely above one half as below. It is averaged over each stretch
 * of work, and the signs of stretches are counted as tosses of a coin. Work may hold up one wait
 * among hundreds, which no average shows: a thread of the pool that does not get a processor. So
 * the least of those chances is looked at, too. Times the number of waits in the stretch it is
 * below 0.05 in one stretch of 20 where the work does not matter.
 *
 * Behind work of which at most a tenth is left (LOOP_REMOVED) the loop has what came meanwhile to
 * do. A wait that begins then, before the loop's next break (LOOP_BREAK_NS), shares the thread pool
 * with those of all the others. How long it takes has no part in that choice. So it takes what
 * others take in both readings.
 *
 * Waits of one request are long together. So those that begin during the work or behind it are
 * taken one for one from another request, of the same route and with as many waits of the kind,
 * which asked for none of them then. Only where there are fewer than 20 such requests is each drawn
 * by itself.
 *
 * A wait lasts until the loop, if it was idle, had noticed that: until its turn was eligible.
 */
#ifndef TRACE_LOOP_CONTENTION_H
#define TRACE_LOOP_CONTENTION_H

#include <stddef.h>
#include <stdint.h>

struct loop_scenario; /* trace/loop/replay.h */
struct loop_turns;    /* trace/loop/turns.h */

enum {
  CONTENTION_STRETCHES = 20, /* fewer do not show that waits were not longer */
  CONTENTION_ALONE = 20,     /* waits of one kind and route without the work that make a law */
};

enum loop_contention_verdict {
  CONTENTION_NONE,    /* nothing is removed, or no wait overlaps it */
  CONTENTION_LONGER,  /* waits that overlap it are longer, at a level of 1 % */
  CONTENTION_ALIKE,   /* that is not seen in 20 stretches or more */
  CONTENTION_UNKNOWN, /* too few to tell */
};

struct loop_contention {
  enum loop_contention_verdict verdict;
  uint64_t waits;             /* overlap what is removed, and the change itself leaves them alone */
  uint64_t behind;            /* begin behind what is removed */
  uint64_t lawless;           /* of both: too few others to say what they would take */
  uint64_t stretches, longer; /* of removed work with such waits, and in which they are longer */
  uint64_t far;               /* and in which one was longer than nearly all others */
  int64_t *io;                /* by row, ns more: the scenario's, and what such waits are longer */
  int64_t *behind_io;         /* the same, but those that overlap it stay as recorded */
};

/* What the scenario removes: own execution and pauses that it makes shorter, and what it takes off
 * waits. Kind and route of a wait: its resource, its source position and its request's route. */
void loop_contention_make(struct loop_contention *contention, const struct loop_turns *turns,
                          const struct loop_scenario *scenario);
void loop_contention_clear(struct loop_contention *contention);

#endif
