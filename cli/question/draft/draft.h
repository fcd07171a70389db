/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `draft`: which protocol do recorded requests follow?
 *
 * Three files are written for
 * each family of flows of some share (trace/graph/family.h). NAME.tp is the protocol; NAME.csv is what its occurrences took in each
 * request; NAME.calls says which recorded calls it was made of, for `replay --traces`.
 */
#ifndef CLI_QUESTION_DRAFT_DRAFT_H
#define CLI_QUESTION_DRAFT_DRAFT_H

#include "base/asker.h"
#include "base/ledger.h"
#include "base/text.h"
#include "cli/question/selection.h"
#include "trace/graph/family_list.h"
#include "trace/graph/graph.h"

struct draft_request {
  const struct asker *asker;
  const char *const *traces; /* files and folders */
  size_t trace_count;
  const char *out; /* the folder: a new one, or empty */
  struct request_selection selection;
  const char *columns; /* --columns; NULL: none (trace/span/read.h) */
  double share;        /* of the requests that a family has at least, 0 .. 1 */
  bool undecided_wait; /* orders that the requests leave open are taken for waits */
};

struct draft_file {
  const struct flow_family *family;
  char *name;   /* of its files, without ending; NULL: none was written, */
  char *reason; /* for this reason */
  char *set;    /* " --set N_item=100": its parameters, as they were recorded at most; or "" */
};

struct draft_answer {
  struct span_store store;
  struct request_graph graph;
  struct ledger ledger;
  flow_families families;
  VECTOR(struct draft_file) files; /* by family, the most frequent first */
  size_t written;
  enum status status; /* the exit code: STATUS_UNKNOWN when no flow could be drafted */
};

/* Initialises the answer in any case; returns its status. */
enum status draft_ask(struct draft_answer *answer, const struct draft_request *request);
void draft_answer_clear(struct draft_answer *answer);

#endif
