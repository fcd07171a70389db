/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `verify --explain`: where a proved bound comes from, as a part of a document.
 */
#ifndef CLI_PRESENT_EXPLAIN_H
#define CLI_PRESENT_EXPLAIN_H

#include "show/document.h"
#include "solver/tell/explain.h"

struct bound_report;

extern const struct object_kind explanation_domino_kind;

/* Keys of an object of kind "bound". */
#define KEYS_OF_EXPLANATION                                                                        \
  KEY("explanation.rests_on", TEXTS, .marks = MARK_MAYBE, .note = "proved, with `--explain`"),     \
      KEY("explanation.not_needed", TEXTS, .marks = MARK_MAYBE),                                   \
      KEY("explanation.assumptions", TEXTS, .marks = MARK_MAYBE),                                  \
      KEY("explanation.generated", COUNT, .marks = MARK_MAYBE),                                    \
      KEY("explanation.exact", FLAG, .marks = MARK_MAYBE),                                         \
      KEY("explanation.slowest.scope", MAP, .marks = MARK_MAYBE | MARK_OUTER_NULL),                \
      KEY("explanation.slowest.constants_ns", MAP, .marks = MARK_MAYBE),                           \
      KEY("explanation.slowest.time", DECIMAL, .marks = MARK_MAYBE),                               \
      KEY("explanation.slowest.bound", DECIMAL, .marks = MARK_MAYBE),                              \
      KEY("explanation.slowest.unit", FLAG, .marks = MARK_MAYBE),                                  \
      KEY("explanation.slowest.executions", COUNT, .marks = MARK_MAYBE),                           \
      KEY("explanation.slowest.chain", OBJECTS, .marks = MARK_MAYBE,                               \
          .objects = &explanation_domino_kind)

void explanation_put(struct objects *objects, const struct explanation *explanation,
                     const struct model *model);
void explanation_show(struct document *document, const struct bound_report *report,
                      const struct model *model);

#endif
