/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is to hold in every reachable state: the user's invariants, the generated ones, and each
 * bound as a formula ("if its event has happened, then not later than the bound"). The invariants
 * of a phase hold in its states only; what a phase needs besides is in `phases`.
 */
#ifndef SOLVER_PROVE_PROPERTY_H
#define SOLVER_PROVE_PROPERTY_H

#include "solver/encode/long_time.h"
#include "solver/prove/candidate.h"

enum property_kind { PROPERTY_INVARIANT, PROPERTY_GENERATED, PROPERTY_BOUND };

struct property {
  enum property_kind kind;
  const char *name;
  struct source_span span;
  const struct term *formula; /* NULL: of a bound without an expression */
  const struct phase *phase;  /* of an invariant of a phase, else NULL */
  const struct bound *bound;  /* of PROPERTY_BOUND, as the next two */
  const struct term *event;   /* it has happened; its variables are the bound's */
  const struct term *time;    /* when, meaningful then */
  unsigned limit_ms;          /* of a generated one, for one attempt; 0: the usual */
  bool alive;                 /* a generated one that was not dropped; always true of the others */
};

/* The end of a phase, over a state of that phase and its `began`. */
struct phase_end {
  const struct term *event, *time;
  const struct term *latest;  /* began + expression: when the next phase begins */
  const struct term *in_time; /* time <= latest */
};

struct properties {
  const struct model *model;     /* borrowed */
  struct candidates candidates;  /* owns the generated formulas */
  struct arena arena;            /* owns the bounds' formulas */
  size_t variable_count;         /* over all formulas */
  VECTOR(struct property) items; /* invariants, generated ones, bounds */
  size_t phase_count;            /* 0 when no bound is by phases: then nobody needs them */
  struct phase_end *phases;      /* by phase id */
  struct long_times long_times;  /* of all formulas of items */
};

/* `only`: of the bounds this one alone; NULL: all. */
void properties_init(struct properties *properties, const struct model *model,
                     const struct bound *only);
void properties_clear(struct properties *properties);

#endif
