/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An execution: as a text, or as a part of a document.
 */
#ifndef CLI_PRESENT_EXECUTION_H
#define CLI_PRESENT_EXECUTION_H

#include "show/document.h"
#include "solver/tell/timeline.h"

/* Appends a line for each step, and what the execution shows behind them. */
void execution_format(struct text *text, const struct timeline *execution);

/* The same for people, as a table. */
void execution_show(struct document *document, const struct timeline *execution);

extern const struct object_kind execution_step_kind, execution_message_kind;

/* The keys of an execution; `prefix` of each: "counterexample." or "". */
#define KEYS_OF_EXECUTION(prefix)                                                                  \
  KEY(prefix "execution", TEXT, .marks = MARK_MAYBE | MARK_LINES),                                 \
      KEY(prefix "constants_ns", MAP, .marks = MARK_MAYBE, .note = "parameters that are times"),   \
      KEY(prefix "steps", OBJECTS, .marks = MARK_MAYBE, .objects = &execution_step_kind),          \
      KEY(prefix "messages", OBJECTS, .marks = MARK_MAYBE, .objects = &execution_message_kind)

void execution_put(struct objects *objects, const char *prefix, const struct timeline *execution);
/* Parameters that are times, as a map. */
void constants_put(struct objects *objects, const char *key, const constant_vector *constants);

#endif
