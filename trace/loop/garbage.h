/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Full collections that a change removes: which requests were under way while they ran.
 *
 * A program that no longer asks for full collections does not do without: V8 begins its own when
 * the heap has grown, in steps and on other threads, which take processors from reads meanwhile.
 * Example: a server without its forced collections of 40 ms, three a second, collected by itself
 * once a second, and reads that were under way then took 20 to 60 ms. In a recording with the
 * forced ones there are none of those. What is assumed of them is that they delay no more requests
 * than those that are removed.
 */
#ifndef TRACE_LOOP_GARBAGE_H
#define TRACE_LOOP_GARBAGE_H

#include <stdint.h>

struct event_chains;  /* trace/loop/chain.h */
struct loop_scenario; /* trace/loop/replay.h */
struct loop_turns;    /* trace/loop/turns.h */

/* By chain, for mem_free: 1 if it is complete and was under way while a full collection ran of
 * which the scenario leaves at most LOOP_REMOVED. How many of those there are. */
uint8_t *loop_garbage_delayed(const struct loop_turns *turns, const struct event_chains *chains,
                              const struct loop_scenario *scenario, uint64_t *collections);

#endif
