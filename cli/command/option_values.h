/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the values of options mean; for options.c, which finds them on the command line.
 */
#ifndef CLI_COMMAND_OPTION_VALUES_H
#define CLI_COMMAND_OPTION_VALUES_H

#include "cli/command/options.h"

enum option_id {
#define OPTION(id, name, letter, argument, commands, help) OPTION_##id,
#include "cli/command/options.def"
#undef OPTION
  OPTION_COUNT
};

/* What the option means in the command. */
const char *option_help(enum option_id id, const char *command);

/* Sets one option. STATUS_USAGE, after one line on stderr, for a value that it cannot have. */
enum status option_apply(struct options *options, const char *command, enum option_id id,
                         const char *value);

/* "tailproof COMMAND: WHAT "VALUE"; REMEDY" on stderr, and STATUS_USAGE. `value` may be NULL. */
enum status option_complain(const char *command, const char *what, const char *value,
                            const char *remedy);

#endif
