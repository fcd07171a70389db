/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ground expressions in linear form: constant + sum of coefficient * atom. An atom is an
 * occurrence, one mention of a bare name, or a maximum, minimum or order statistic of forms.
 *
 * An occurrence that is mentioned twice is one random variable, and evaluation is exact only where
 * it stands once. So the form gathers mentions: X + 2*X becomes 3*X. An occurrence that every
 * branch of a maximum, minimum or order statistic adds is factored out: max(a + b, a + c) = a +
 * max(b, c). One that some branches of a maximum or minimum add is factored out of those. Of a
 * series-parallel graph of sums and maxima each occurrence is left once.
 *
 * Atoms are interned, so equal maxima are one atom. An atom with a bare name in it equals no other:
 * it stands for fresh draws at each mention.
 *
 * Everything lives in the form_table until form_table_clear.
 */
#ifndef DIST_EVALUATE_FORM_H
#define DIST_EVALUATE_FORM_H

#include "base/arena.h"
#include "base/index.h"
#include "base/rational.h"
#include "base/text.h"
#include "base/vector.h"
#include "base/expression.h"

enum atom_kind { ATOM_OCCURRENCE, ATOM_BARE, ATOM_MAX, ATOM_MIN, ATOM_KTH };

struct form;
struct law;

struct atom {
  enum atom_kind kind;
  size_t id; /* order of making: larger than those of the atoms in its parts */
  uint64_t hash;
  bool is_redrawn;                     /* has a bare name in it */
  const struct occurrence *occurrence; /* ATOM_OCCURRENCE */
  const char *component;               /* ATOM_BARE */
  size_t rank;                         /* ATOM_KTH: the rank-th smallest, 1 < rank < part_count */
  size_t part_count;                   /* MAX, MIN, KTH: at least two parts; of MAX and MIN */
  const struct form **parts;           /* different ones */
  size_t id_count;                     /* occurrences in it, each once */
  const struct occurrence **occurrences;
  const struct law *law; /* for the evaluator */
};

struct addend {
  const struct rational *coefficient; /* > 0 */
  struct atom *atom;
};

struct form {
  uint64_t hash;
  const struct rational *constant; /* >= 0 */
  bool is_redrawn;
  size_t count;
  struct addend *addends; /* by atom id; each atom once unless it is redrawn */
};

struct form_table {
  struct arena arena;
  struct rational zero, one;
  VECTOR(struct rational *) rationals;
  VECTOR(struct atom *) atoms;
  struct index index;                  /* of atoms with parts */
  VECTOR(struct atom *) by_occurrence; /* by occurrence id, NULL when not made yet */
  VECTOR(size_t) stamps;               /* by occurrence id: scratch for unions */
  size_t stamp;
  size_t mentions; /* looked at so far for what some parts share */
  VECTOR(struct known_form) known;
  struct index known_index; /* of `known` by node */
};

struct known_form {
  const struct expression *node;
  const struct form *form;
};

void form_table_init(struct form_table *table);
void form_table_clear(struct form_table *table);

/* Whether the form is as `struct form` says, and its atoms are older than what they are parts of.
 */
bool form_is_valid(const struct form *form);
bool atom_is_valid(const struct atom *atom);

const struct form *form_of(struct form_table *table, const struct expression *expression);

/* The largest, the smallest, the rank-th smallest of `count` >= 1 forms. Reorders `parts`. */
const struct form *form_max(struct form_table *table, const struct form **parts, size_t count);
const struct form *form_min(struct form_table *table, const struct form **parts, size_t count);
const struct form *form_kth(struct form_table *table, const struct form **parts, size_t count,
                            size_t rank);

/* constant + the addends, in any order and with repetitions. Reorders `addends`. */
const struct form *form_sum(struct form_table *table, const struct rational *constant,
                            struct addend *addends, size_t count);

/* The form with the occurrence replaced by a constant. */
const struct form *form_with(struct form_table *table, const struct form *form,
                             const struct occurrence *occurrence, const struct rational *value);

/* Appends the form as a user writes it, shortened to a line. */
void form_print(struct text *text, const struct form *form);

#endif
