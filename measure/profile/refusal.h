/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why the kernel does not let a program be sampled, and what can be done.
 */
#ifndef MEASURE_PROFILE_REFUSAL_H
#define MEASURE_PROFILE_REFUSAL_H

#include "measure/profile/counters.h"

/* One line on an errno of perf_event_open or of mapping its ring (ENOBUFS). */
void refusal_say(struct text *message, const struct counters *counters, pid_t thread, int error);

/* The system's setting kernel.perf_event_paranoid; -2 where there is none. */
int refusal_paranoid(void);

#endif
