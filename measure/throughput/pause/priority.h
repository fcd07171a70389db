/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The scheduling of those who pause: before everything that is paused.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_PRIORITY_H
#define MEASURE_THROUGHPUT_PAUSE_PRIORITY_H

#include <stdbool.h>

enum { PRIORITY_PAUSED = 10, PRIORITY_POKER = 15, PRIORITY_PAUSER = 20, PRIORITY_GUARD = 21 };

/* Gives the calling thread SCHED_FIFO of this priority, where the system allows it (true), and the
 * finest timers. Its children get the timers only. */
bool priority_take(int priority);

/* The usual scheduling again. */
void priority_give_back(void);

#endif
