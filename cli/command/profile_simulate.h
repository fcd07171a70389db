/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof profile simulate`.
 */
#ifndef CLI_COMMAND_PROFILE_SIMULATE_H
#define CLI_COMMAND_PROFILE_SIMULATE_H

#include "cli/command/option.h"

extern const struct command profile_simulate;

#endif
