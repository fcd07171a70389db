/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which callbacks, waits or pauses of an event log the NAME of a change means (changes.h).
 *
 * A NAME is what `tail` prints ("held by request GET /report", "waits for file", "full
 * collection"), a part of that ("request", "GET /report", "timer of 700 ms"), a type of Node.js
 * (HTTPINCOMINGMESSAGE), a position, or a function that the recorder saw.
 */
#ifndef TRACE_LOOP_MEANT_H
#define TRACE_LOOP_MEANT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "trace/loop/turns.h"

/* A function that was seen in some runs: these alone are meant. */
struct loop_partly {
  struct text callback; /* of which most of them are runs; empty: the name means whole callbacks */
  uint64_t seen;        /* runs of it in which it was seen, */
  uint64_t runs;        /* of so many that last as long as the shortest of those */
  int64_t least;        /* ns: that one */
};

struct loop_meant {
  uint8_t *rows; /* by row: 1: it is meant, and it ran */
  uint64_t count;
  bool waits; /* not their own execution, but their waits */
  struct loop_partly partly;
};

/* `run`: ns, by row: own execution. To be cleared in any case. */
void loop_meant_find(struct loop_meant *meant, const struct loop_turns *turns, const int64_t *run,
                     const char *name);
void loop_meant_clear(struct loop_meant *meant);

/* Appends names that are near to one that means nothing: "such as" these. */
void loop_meant_nearest(struct text *text, const struct loop_turns *turns, const char *name);

/* The kinds of pauses, as bits 1 << kind, that a name means; 0: none. In *file the name of the log
 * that compilations must have, 0: any. */
unsigned loop_pauses_meant(const struct event_log *log, const char *name, uint32_t *file);

#endif
