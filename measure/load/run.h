/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests that are runs of a command, for dispatch.h: each begins a process and is over when that
 * ends. Its output goes nowhere, its input is empty. Exit code 0 is a good end.
 */
#ifndef MEASURE_LOAD_RUN_H
#define MEASURE_LOAD_RUN_H

#include "measure/load/dispatch.h"

struct run_carrier;

/* `command` ends with NULL and outlives the carrier. */
struct run_carrier *run_carrier_new(const char *const *command, size_t slots);
struct carrier run_carrier(struct run_carrier *runs);
void run_carrier_free(struct run_carrier *runs);

#endif
