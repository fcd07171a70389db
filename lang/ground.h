/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A ground time expression: a bound with every parameter and index replaced by a number, a directed
 * acyclic graph over occurrences. It is what distributions are computed from, what a path query
 * compares an execution with, and what the interpreter evaluates.
 *
 * All nodes and occurrences live in the arena they were made in. An occurrence is interned in its
 * `ground_table`: two mentions of one occurrence are the same pointer, hence the same random
 * variable. Constants are nanoseconds.
 */
#ifndef LANG_GROUND_H
#define LANG_GROUND_H

#include <stdint.h>

#include "base/arena.h"
#include "base/rational.h"
#include "base/text.h"
#include "base/vector.h"

enum ground_kind {
  GROUND_CONSTANT,   /* value, >= 0, in ns */
  GROUND_OCCURRENCE, /* occurrence */
  GROUND_BARE,       /* component: a constant that every occurrence of it is at most */
  GROUND_ADD,        /* sum of the parts; no part: 0 */
  GROUND_SCALE,      /* value * parts[0], value >= 0 */
  GROUND_MAX,        /* largest part, at least one part */
  GROUND_MIN,        /* smallest part, at least one part */
  GROUND_KTH,        /* the rank-th smallest part, 1 <= rank <= count */
};

/* One execution of a component, one wait or one message's delay: a non-negative unknown. */
struct occurrence {
  size_t id;             /* 0, 1, ... in order of first mention in its table */
  const char *component; /* declared name: "BackupRequest", "d", "Queuing" */
  const char *message;   /* of a delay or wait: the message's name; of a component: NULL */
  size_t index_count;
  const int64_t *indices; /* of the component or of the message's fields */
  const char *label;      /* as a user writes it: "BackupRequest[2]", "d(Ack(2))" */
};

struct ground {
  enum ground_kind kind;
  struct rational value;
  const struct occurrence *occurrence;
  const char *component;
  int64_t rank;
  size_t count;
  const struct ground **parts;
};

/* Interns occurrences and owns, through its arena, every node made with it. */
struct ground_table {
  struct arena arena;
  VECTOR(struct occurrence *) occurrences; /* by id */
  VECTOR(struct rational *) rationals;     /* to clear */
  VECTOR(size_t) slots;                    /* open addressing, id + 1 or 0 */
};

void ground_table_init(struct ground_table *table);
void ground_table_clear(struct ground_table *table);

/* The occurrence with this identity; made when it is new. `message` may be NULL. */
const struct occurrence *ground_occurrence(struct ground_table *table, const char *component,
                                           const char *message, const int64_t *indices,
                                           size_t index_count);

/* Constructors. `parts` is copied. SCALE of a constant and nested ADDs are simplified. */
const struct ground *ground_constant(struct ground_table *table, const struct rational *value);
const struct ground *ground_term(struct ground_table *table, const struct occurrence *occurrence);
const struct ground *ground_bare(struct ground_table *table, const char *component);
const struct ground *ground_scale(struct ground_table *table, const struct rational *factor,
                                  const struct ground *part);
/* kind is GROUND_ADD, GROUND_MAX, GROUND_MIN or GROUND_KTH (which alone uses rank). */
const struct ground *ground_combine(struct ground_table *table, enum ground_kind kind,
                                    const struct ground **parts, size_t count, int64_t rank);

/* Its exact value: `terms[id]` is the value of each occurrence; `bare(component, context)` of a
 * bare name (may be NULL when there is none). Used by the interpreter and by tests. */
void ground_value(struct rational *result, const struct ground *expression,
                  const struct rational *terms,
                  const struct rational *(*bare)(const char *component, void *context),
                  void *context);

/* Appends the expression as a user writes it; long sums and maxima are shortened with "...". */
void ground_print(struct text *text, const struct ground *expression);

#endif
