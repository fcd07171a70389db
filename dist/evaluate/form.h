/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ground expressions in linear form: constant + sum of coefficient * atom, where an atom is an
 * occurrence, one mention of a bare name, or a maximum of forms. It is where the identity of
 * occurrences is used up, exactly: X + 2*X becomes 3*X, and what all parts of a maximum add is
 * taken out, max(a + b, a + c) = a + max(b, c). Atoms are interned, so equal maxima are one atom;
 * but an atom with a bare name in it stands for fresh draws at each mention and equals no other.
 *
 * Everything lives in the form_table until form_table_clear.
 */
#ifndef DIST_EVALUATE_FORM_H
#define DIST_EVALUATE_FORM_H

#include "base/arena.h"
#include "base/rational.h"
#include "base/text.h"
#include "base/vector.h"
#include "lang/ground.h"

enum atom_kind { ATOM_OCCURRENCE, ATOM_BARE, ATOM_MAX };

struct form;
struct law;

struct atom {
  enum atom_kind kind;
  size_t id;                           /* order of making */
  bool is_redrawn;                     /* has a bare name in it */
  const struct occurrence *occurrence; /* ATOM_OCCURRENCE */
  const char *component;               /* ATOM_BARE */
  size_t part_count;                   /* ATOM_MAX: at least two different parts, ... */
  const struct form **parts;
  size_t id_count; /* occurrences in it, each once */
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
  VECTOR(struct atom *) by_occurrence; /* by occurrence id, NULL when not made yet */
  VECTOR(size_t) stamps;               /* by occurrence id: scratch for unions */
  size_t stamp;
  size_t known_count;
  VECTOR(struct known_form) known; /* open addressing by node */
  struct text *message;
};

struct known_form {
  const struct ground *node;
  const struct form *form;
};

void form_table_init(struct form_table *table);
void form_table_clear(struct form_table *table);

/* NULL, with one line appended to `message`, where the expression has a min or an order statistic
 * other than the largest. */
const struct form *form_of(struct form_table *table, const struct ground *expression,
                           struct text *message);

#endif
