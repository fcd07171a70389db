/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tailproof whatif` about recorded requests, which has a file of its own.
 */
#ifndef CLI_COMMAND_WHATIF_LATENCY_H
#define CLI_COMMAND_WHATIF_LATENCY_H

#include "cli/command/option.h"

extern const struct command whatif_latency;

#endif
