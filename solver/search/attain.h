/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether an execution attains a bound at given parameters, and which of the bound's terms are
 * needed. A term is a mention of an occurrence or of a bare name in the bound's text, such as
 * `Work[k]`, `d(Ack(k))` or `d`.
 *
 * An execution attains the bound when the event comes exactly at it, the bound is more than 0, and
 * every occurrence and every bare name that the bound has at these parameters, in whatever branch
 * of a max, min or kth, and every occurrence of the execution, takes at least 1 ns.
 *
 * A term is needed when with some times the event comes later than the bound is with 0 for the
 * term: the bound without it would be wrong. Of a term outside every max, min and kth this follows
 * where an execution attains the bound.
 *
 * Both are answers of the solver that the interpreter then replays, as in solver/search/attack.h.
 */
#ifndef SOLVER_SEARCH_ATTAIN_H
#define SOLVER_SEARCH_ATTAIN_H

#include "base/vector.h"
#include "lang/model.h"

struct attack_solver;
struct interpreter;
struct path;
struct replay;
struct values;

struct attain_term {
  char *label;                /* as a user writes it, owned */
  const struct term *leaf;    /* of the bound's expression */
  const struct term *without; /* the bound's expression with 0 for it; NULL: it is an addend of the
                               * bound, which is then the bound less it */
  bool charged; /* an execution tried charges, waits or takes what only this term of the bound
                 * stands for, whatever the times; or it is a constant, which nothing charges */
  bool needed;
};

/* What the executions tried so far say of a bound. `terms`: at all parameters tried; the rest: at
 * those since attainment_begin. */
struct attainment {
  const struct model *model; /* borrowed, as is the bound */
  const struct bound *bound;
  VECTOR(struct attain_term) terms;
  bool only_attained; /* may be set by the caller: ask nothing about terms */
  bool attained;
  bool possible;  /* there are times for some execution */
  bool positive;  /* for some execution the bound is not plainly 0 */
  bool null;      /* for some it is */
  bool undecided; /* of some execution the solver could not tell, or the bound cannot be told */
  size_t queries; /* asked of the solver; several answered at once count each */
  struct attack_solver *solver; /* owned */
  struct arena arena;
  struct term zero;
};

/* `bound` has an expression; model and bound must outlive the attainment. */
void attainment_init(struct attainment *attainment, const struct model *model,
                     const struct bound *bound);
void attainment_clear(struct attainment *attainment);

/* From here on other parameters are tried. */
void attainment_begin(struct attainment *attainment);

/* Tries one execution, which ends in a state in which the bound's event has happened, for what is
 * not known yet. Whether it is the first to attain the bound at these parameters; then `values` and
 * `replay` (both initialised) hold it. */
bool attain_path(struct attainment *attainment, struct values *values, struct replay *replay,
                 struct interpreter *interpreter, const struct path *path);

#endif
