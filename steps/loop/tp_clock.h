/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times of a loop: ticks of its recorder, and ns since its instance began; for tp_loop.c only.
 */
#ifndef TP_CLOCK_H
#define TP_CLOCK_H

#include "tp_loop.h"

/* Ticks; 0 where nobody needs the time. */
uint64_t tp_clock_now(const struct tp_loop *loop);

/* What has passed of the instance at this time, in ns. */
int64_t tp_clock_passed(const struct tp_loop *loop, uint64_t ticks);

/* Since when the node has been free, in ns. */
int64_t tp_clock_free(const struct tp_loop *loop);

/* The first tick, but at least `since`, at which so much of the instance has passed; UINT64_MAX: it
 * is not there yet. */
uint64_t tp_clock_tick(const struct tp_loop *loop, int64_t ns, uint64_t since);

/* The first tick at which so much will have passed. */
uint64_t tp_clock_future(const struct tp_loop *loop, int64_t ns);

#endif
