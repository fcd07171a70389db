/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A ground time expression: a bound with every parameter and index replaced by a number, a directed
 * acyclic graph over occurrences. It is what distributions are computed from, what a path query
 * compares an execution with, and what the interpreter evaluates.
 *
 * All nodes and occurrences live in the arena they were made in. An occurrence is interned in its
 * `expression_table`: two mentions of one occurrence are the same pointer, hence the same random
 * variable. Constants are nanoseconds.
 */
#ifndef BASE_EXPRESSION_H
#define BASE_EXPRESSION_H

#include <stdint.h>

#include "base/arena.h"
#include "base/index.h"
#include "base/rational.h"
#include "base/vector.h"

enum expression_kind {
  EXPRESSION_CONSTANT,   /* value, >= 0, in ns; of a difference perhaps less */
  EXPRESSION_OCCURRENCE, /* occurrence */
  EXPRESSION_BARE,       /* component: a constant that every occurrence of it is at most */
  EXPRESSION_ADD,        /* sum of the parts; no part: 0 */
  EXPRESSION_SCALE,      /* value * parts[0], value >= 0; or -1, of a difference (lang/instantiate.h
                          * says where one can be) */
  EXPRESSION_MAX,        /* largest part, at least one part */
  EXPRESSION_MIN,        /* smallest part, at least one part */
  EXPRESSION_KTH,        /* the rank-th smallest part, 1 <= rank <= count */
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

struct expression {
  enum expression_kind kind;
  struct rational value;
  const struct occurrence *occurrence;
  const char *component;
  int64_t rank;
  size_t count;
  const struct expression **parts;
};

/* Interns occurrences and owns, through its arena, every node made with it. */
struct expression_table {
  struct arena arena;
  VECTOR(struct occurrence *) occurrences; /* by id */
  VECTOR(struct rational *) rationals;     /* to clear */
  struct index index;                      /* of occurrences */
};

void expression_table_init(struct expression_table *table);
void expression_table_clear(struct expression_table *table);

/* The occurrence with this identity; made when it is new. `message` may be NULL. */
const struct occurrence *expression_occurrence(struct expression_table *table,
                                               const char *component, const char *message,
                                               const int64_t *indices, size_t index_count);

/* The same, but NULL when it is new. */
const struct occurrence *expression_find(const struct expression_table *table,
                                         const char *component, const char *message,
                                         const int64_t *indices, size_t index_count);

/* Constructors. `parts` is copied. SCALE of a constant and nested ADDs are simplified. */
const struct expression *expression_constant(struct expression_table *table,
                                             const struct rational *value);
const struct expression *expression_term(struct expression_table *table,
                                         const struct occurrence *occurrence);
const struct expression *expression_bare(struct expression_table *table, const char *component);
const struct expression *expression_scale(struct expression_table *table,
                                          const struct rational *factor,
                                          const struct expression *part);
/* kind is EXPRESSION_ADD, EXPRESSION_MAX, EXPRESSION_MIN or EXPRESSION_KTH (which alone uses rank).
 */
const struct expression *expression_combine(struct expression_table *table,
                                            enum expression_kind kind,
                                            const struct expression **parts, size_t count,
                                            int64_t rank);

/* Its exact value: `terms[id]` is the value of each occurrence; `bare(component, context)` of a
 * bare name (may be NULL when there is none). Used by the interpreter and by tests. */
void expression_value(struct rational *result, const struct expression *expression,
                      const struct rational *terms,
                      const struct rational *(*bare)(const char *component, void *context),
                      void *context);

/* Appends the expression as a user writes it; long sums and maxima are shortened with "...". */
void expression_print(struct text *text, const struct expression *expression);
/* The same, all of it. */
void expression_print_whole(struct text *text, const struct expression *expression);

#endif
