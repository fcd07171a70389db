/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A command as the asker of its question: what is said goes to stderr, files are shown in the form
 * of the output, and Ctrl-C stops it; a second one ends the program at once.
 */
#ifndef CLI_COMMAND_VOICE_H
#define CLI_COMMAND_VOICE_H

#include "cli/command/option.h"
#include "cli/present/output.h"
#include "base/asker.h"

struct voice {
  struct asker asker;
  const char *command;
  struct output *output;
};

/* The asker is &voice->asker. `output` NULL: text. */
void voice_init(struct voice *voice, const struct command_line *line, struct output *output);

/* SIGTERM and SIGHUP stop a question as SIGINT does: one that has started programs ends them. */
void voice_watch_ends(void);

#endif
