/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The list of commands, and what help says of all of them, of a group, and of one.
 */
#ifndef CLI_COMMAND_HELP_H
#define CLI_COMMAND_HELP_H

#include "cli/command/option.h"

/* NULL behind the last. */
extern const struct command *const commands[];

/* NULL: none has that name. */
const struct command *command_find(const char *name);

/* What the command of that name is called now ("record pair"); NULL: none was called so. */
const char *command_renamed(const char *name);

/* Of the program. */
void help_print(FILE *out);

/* `tailproof help NAME [QUESTION]`, a command or a group: STATUS_USAGE after a line that there is
 * none. */
enum status help_of(FILE *out, const char *name, const char *question);

/* STATUS_USAGE after a line on stderr: no command has the name, but one may be meant. */
enum status help_unknown(const char *name);

/* STATUS_USAGE after a line that names the questions of a command that answers several. */
enum status help_name_question(const struct command *command);

#endif
