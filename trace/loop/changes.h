/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes to a recorded event loop, as a user writes them (trace/evaluate/change.h):
 *
 *   gc: *0.65              collections take 0.65 of their time; gc minor, gc major, gc step, gc
 * weak gc: rarer 2            only every second collection happens, and takes as long as it did
 *   compile: *0            nothing is compiled while requests run
 *   app.js:12: *0.5        own execution of the callback takes half as long; also - 2 ms, each time
 *   app.js:12: split 4     it falls into four pieces, between which others are served
 *   app.js:12: offload     another thread executes it; when it is done the loop goes on with it
 *   io: *0.5               waits for I/O and timers take half as long; io app.js:9: - 3 ms
 *   io NAME: at most 5 ms  waits that took longer take what another of them took that did not,
 *                          drawn evenly; NAME: at most 5 ms, own execution
 *   processes: 2           two processes behind one port, requests dealt in turn
 *
 * A NAME is what `tail` prints (request GET /report), a route, a position (app.js:12, app.js:12:3), a
 * function (makeReport), or a type of Node.js (FSREQCALLBACK); * stands for anything, and folders
 * in front may be left out (meant.h).
 */
#ifndef TRACE_LOOP_CHANGES_H
#define TRACE_LOOP_CHANGES_H

#include "base/asker.h"
#include "trace/evaluate/change.h"
#include "trace/loop/meant.h"
#include "trace/loop/replay.h"
#include "trace/loop/threads.h"

/* What a change means: so many callbacks, waits or collections. */
struct loop_affected {
  uint64_t count;
  struct loop_partly partly;
};

struct loop_changes {
  struct loop_scenario scenario; /* with the arrays: */
  double *own;
  int64_t *io;
  uint32_t *split;
  uint8_t *offload;
  uint8_t *unpaused;    /* by pause */
  uint8_t *named;       /* by row: 1: a change is of what it waits for, be that *1 */
  uint32_t repetitions; /* choices of which rare collections happen: offsets 0 .. this - 1 */
  VECTOR(struct loop_affected) affected; /* by change */
};

/* `threads`: of the turns, or NULL; what they are asked for is as long as it took one of them.
 * STATUS_USAGE after the asker was told: a change is not to be read, or means nothing in this log;
 * then the nearest names are given. Initialised in any case. */
enum status loop_changes_read(struct loop_changes *changes, const struct loop_turns *turns,
                              const struct loop_threads *threads, const char *const *texts,
                              size_t count, const struct asker *asker);

/* STATUS_USAGE after the asker was told: the changes cut the turns into more units than a replay
 * can number. Part of loop_changes_read. */
enum status loop_changes_check(const struct loop_changes *changes, const struct loop_turns *turns,
                               const struct asker *asker);
void loop_changes_clear(struct loop_changes *changes);

/* Whether a NAME means this position (app.js:12:3 makeReport). */
bool loop_place_means(const char *name, const char *place);

#endif
