/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to cli/question/replay: names of stores as those of a protocol.
 */
#ifndef CLI_QUESTION_REPLAY_NAMES_H
#define CLI_QUESTION_REPLAY_NAMES_H

#include "base/arena.h"
#include "measure/core/format.h"
#include "solver/conform/conform.h"

/* The component whose occurrence says when an instance began; no protocol has a name with a dot. */
#define RECORDED_BEGINNING "instance.begins"

/* What a name of a store stands for in the protocol; `kind` -1: nothing that is checked. Texts of
 * foreign names are made in the arena. */
struct recorded_name {
  int kind; /* enum conform_kind */
  const void *what;
};
struct recorded_name recording_name(const struct model *model, const struct format_name *name,
                                    const char *request, struct arena *arena);

/* The message of that name; NULL: there is none. */
const struct message *recording_message(const struct model *model, const char *name);

/* Reads "backup[2]" or "primary"; false for what is no node of the protocol. */
bool recording_node(const struct interpreter *interpreter, const char *text,
                    const struct role **role, int32_t *index);

#endif
