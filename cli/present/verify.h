/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `verify` and `bound` as documents.
 */
#ifndef CLI_PRESENT_VERIFY_H
#define CLI_PRESENT_VERIFY_H

#include "base/ledger.h"
#include "cli/present/output.h"
#include "show/document.h"

struct bound_report;
struct calculation;
struct instance_answer;
struct model;
struct source;
struct verify_answer;

/* Of which kinds the objects of `verify` and of `bound` are; NULL behind the last. */
extern const struct object_kind *const verify_kinds[], *const instance_kinds[];
extern const struct object_kind bound_kind;

/* How much is told of a bound. */
struct report_style {
  bool brief;     /* one line of a proved one, unless `full` */
  bool explain;   /* also what the search took */
  bool full;      /* also how large the proof is, and what execution reaches the event */
  bool all_goals; /* of a bound that is unknown all goals that are open */
};

/* Adds one bound's verdict. */
void bound_show(struct document *document, const struct bound_report *report,
                const struct model *model, const struct source *source,
                const struct report_style *style);

/* A scope, parameters that are integers, as a map. */
void scope_put(struct objects *objects, const char *key, const struct model *model,
               const int64_t *scope);

/* Prints the verdict that percentiles rest on, if there is one and the format is text or JSON; a
 * line on stderr when they cannot. */
void report_calculation(struct output *output, const struct calculation *calculation,
                        const struct report_style *style);

/* Adds one file's answer, which was verified; its findings go to the output. */
void verify_document_init(struct document *document);
void verify_show(struct document *document, struct output *output,
                 const struct verify_answer *answer, const struct report_style *style);
/* What is to be told of the file besides, on stderr or as findings. */
void verify_tell(struct output *output, const struct verify_answer *answer);

struct verify_summary {
  size_t verdicts[3];
  struct ledger ledger;
};
void verify_summary_add(struct verify_summary *summary, const struct verify_answer *answer);
/* Adds what all files rest on, and how many verdicts there are. */
void verify_show_summary(struct document *document, const struct verify_summary *summary);

/* Initialises the document with bounds and what they are for given parameters. */
void instance_document(struct document *document, const struct instance_answer *answer);

#endif
