/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Questions of `tailproof profile` about files of sampled stacks.
 */
#ifndef CLI_COMMAND_PROFILE_SHOW_H
#define CLI_COMMAND_PROFILE_SHOW_H

#include "cli/command/option.h"

extern const struct command profile_show, profile_diff;

#endif
