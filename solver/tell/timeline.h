/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An execution as a person looks at it: what each node does when, and which message makes whom do
 * it. Data; cli/present/execution.h makes text of it, cli/present/figure/spacetime.h a picture.
 */
#ifndef SOLVER_TELL_TIMELINE_H
#define SOLVER_TELL_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/rational.h"
#include "base/vector.h"
#include "solver/tell/parameters.h"

struct replay;
struct valuation;

/* One step; or several idle ones of a node that follow one another, which do nothing but take time.
 */
struct timeline_row {
  char *node;                 /* "backup[0]" */
  char *step;                 /* "Handle on Request(0)" */
  char *what;                 /* what it waited for, took, read, set and sent: one line, or "" */
  struct rational start, end; /* in ns; 0 without times */
};

struct timeline_message {
  char *name, *receiver;           /* "Request(0)", "backup[0]" */
  size_t sent, received;           /* rows; received TIMELINE_NEVER: by no step of this execution */
  bool held;                       /* by a pacer, perhaps for no time */
  struct rational left, delivered; /* in ns; 0 without times */
};

#define TIMELINE_NEVER SIZE_MAX

/* Owns its texts and numbers. */
struct timeline {
  bool timed;
  constant_vector constants;        /* none without times */
  VECTOR(struct timeline_row) rows; /* in the order of the execution */
  VECTOR(struct timeline_message) messages;
  char *remark; /* what the execution shows, in sentences, or NULL */
};

/* `valuation` NULL: without times. */
struct timeline *timeline_new(const struct model *model, const struct replay *replay,
                              const struct valuation *valuation);
void timeline_free(struct timeline *timeline); /* also of NULL */

#endif
