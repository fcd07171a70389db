/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clock behind every measurement: CLOCK_MONOTONIC in nanoseconds, the same clock for all
 * processes of one host. A thin shell around a system call; not part of the proved core.
 */
#ifndef MEASURE_RECORD_CLOCK_H
#define MEASURE_RECORD_CLOCK_H

#include <stdint.h>

/* Nanoseconds since an unspecified moment; never decreases. Aborts if the system has no such
 * clock. */
uint64_t clock_now_ns(void);

#endif
