/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question `tailproof record pair`.
 */
#ifndef CLI_COMMAND_PAIR_H
#define CLI_COMMAND_PAIR_H

#include "cli/command/option.h"

extern const struct command record_pair;

#endif
