/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tailproof whatif` about recorded requests, which has a file of its own.
 */
#ifndef CLI_COMMAND_WHATIF_LATENCY_H
#define CLI_COMMAND_WHATIF_LATENCY_H

#include "cli/command/option.h"

/* One question under two names: `whatif latency`, and `trace whatif` beside what else is asked of
 * traces. */
extern const struct command whatif_latency, trace_whatif;

#endif
