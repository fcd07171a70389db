/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The list of commands, and what --help says.
 */
#ifndef CLI_COMMAND_HELP_H
#define CLI_COMMAND_HELP_H

#include "cli/command/option.h"

/* NULL behind the last. */
extern const struct command *const commands[];

/* NULL: none has that name. */
const struct command *command_find(const char *name);

/* Of the program. */
void help_print(FILE *out);

/* STATUS_USAGE after a line that names the questions of a command that answers several. */
enum status help_name_question(const struct command *command);

#endif
