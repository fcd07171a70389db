/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How tight a bound is: at which small parameters an execution attains it (solver/search/attain.h),
 * and which of its terms no execution needs. A bound is tight when one attains it at all parameters
 * tried at which it is more than 0 and its event can happen, and every term is needed at some.
 *
 * Tried are parameters from 0 to TIGHT_LARGEST that the assumptions allow, at least TIGHT_SCOPES of
 * them or all, every value of each parameter at least once; if there are none, one larger choice.
 * A bound that counts from a numbered message (`from sent M(k)`) and does not say the same of every
 * number (lang/alike.h) is tried at each of them at the number of a message that is sent first, and
 * at the TIGHT_NUMBERS - 1 after it, as far as they are sent.
 * The search is limited by work, counted in steps, so its outcome is the same on every machine.
 */
#ifndef SOLVER_SEARCH_TIGHT_H
#define SOLVER_SEARCH_TIGHT_H

#include "base/text.h"
#include "base/vector.h"
#include "lang/model.h"

enum { TIGHT_LARGEST = 3, TIGHT_SCOPES = 9, TIGHT_NUMBERS = 3 };

enum tight_outcome {
  TIGHT_ATTAINED,
  TIGHT_MISSED,    /* all executions were tried, and none attains the bound */
  TIGHT_UNDECIDED, /* those tried within the limits do not attain it */
  TIGHT_NOTHING,   /* the event cannot happen, or the bound is 0 where it does */
};

struct tight_scope {
  int64_t *values; /* by param id, owned */
  bool numbered;
  int64_t number; /* numbered: of the message that the bound counts from */
  enum tight_outcome outcome;
};

/* A term that no execution needs, as far as is known. */
struct tight_term {
  char *label; /* as a user writes it, owned */
  bool charged;
  bool decided; /* all executions were tried, at all of the parameters */
};

/* Owns its parts. All zero: nothing was tried. */
struct tightness {
  VECTOR(struct tight_scope) scopes;
  const char *number; /* what such a number is called; NULL: there is none; borrowed of the model */
  VECTOR(struct tight_term) spare; /* terms not needed */
  size_t attained, missed, undecided;
};

struct tight_limits {
  size_t work_max;          /* in all scopes */
  double seconds_max;       /* of processor time, for safety only */
  size_t steps;             /* of an execution known to reach the event */
  const volatile int *stop; /* becomes non-zero to end early; may be NULL */
};

/* `bound` has an expression, and holds. */
void tightness_init(struct tightness *tightness, const struct model *model,
                    const struct bound *bound, const struct tight_limits *limits);
void tightness_clear(struct tightness *tightness);

/* Attained wherever tried, and no term is spare. */
bool tightness_holds(const struct tightness *tightness);

/* The name of the number that a bound counts from and is not alike in, or NULL. */
const char *tightness_number(const struct bound *bound);

/* Appends "tight"; "tight at n=1 (not at n=2, 3)"; "not tight"; "not known whether tight"; and, of
 * what is not tight, spare terms: "not tight (no execution found charges Never[2] on its way to the
 * event)", "attained at n=1 (not at n=2, 3; d is not needed)". */
void tightness_print(struct text *text, const struct model *model,
                     const struct tightness *tightness);

/* Appends "no execution found charges Never[2] on its way to the event". */
void tight_term_print(struct text *text, const struct tight_term *term);

/* Appends "n=1, 2, 3" or "n=1, k=1; n=2, k=1; and 4 more": the parameters with this outcome. */
void tightness_print_scopes(struct text *text, const struct model *model,
                            const struct tightness *tightness, enum tight_outcome outcome);

#endif
