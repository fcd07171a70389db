/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Long times that no state changes, each known by a number. A protocol of many stages says how late
 * each stage is, so the sum of the first stages is written again in the time of every later one:
 *
 *     A + d(M0)      A + d(M0) + B + d(M1)      A + d(M0) + B + d(M1) + C + d(M2)      ...
 *
 * Written out, the times of k stages have k*k terms, which each of k actions hands to the solver
 * again. An encoder that is given this table (struct encoder) makes a constant of each such sum,
 * defined by what it adds to the longest sum before it that has a constant, too. So k stages have k
 * short definitions.
 *
 * Sums that are written alike (lang/term_same.h) have one number. A sum has a constant if it stands
 * somewhere for itself, not only as the beginning of a longer one, and adds LONG_TIME_TERMS terms
 * or more: the solver sees through a short sum more easily than through a definition.
 *
 * A table is made of all formulas first (init, add, finish), and then read, by several threads.
 */
#ifndef SOLVER_ENCODE_LONG_TIME_H
#define SOLVER_ENCODE_LONG_TIME_H

#include "base/vector.h"
#include "lang/model.h"

enum { LONG_TIME_TERMS = 24 };
enum { LONG_TIME_NONE = 0 }; /* the number of no sum */

/* Sums by their terms from left to right: one that begins like another is behind it in the tree. */
struct long_time {
  const struct term *last; /* what it adds to the one before it */
  size_t before;           /* number of the sum without the last term; LONG_TIME_NONE: nothing */
  size_t count;            /* of its terms, >= 1 */
  bool whole;              /* it stands somewhere for itself */
  size_t longer, other;    /* the first that goes on; the next that goes on from the same one */
};

/* A sum where it is written. */
struct long_time_place {
  const struct term *term;
  size_t number;
};

struct long_times {
  VECTOR(struct long_time) sums; /* by number; [LONG_TIME_NONE] has no terms */
  VECTOR(struct long_time_place) places;
};

void long_times_init(struct long_times *times);
void long_times_clear(struct long_times *times);

/* The formula must stay as long as the table does. */
void long_times_add(struct long_times *times, const struct term *formula);
void long_times_finish(struct long_times *times);

/* The number of the sum that is written at the term, if it has a constant, else LONG_TIME_NONE;
 * also where `times` is NULL. */
size_t long_times_number(const struct long_times *times, const struct term *term);

/* Of the sums with which the one of this number begins, the longest that has a constant, or
 * LONG_TIME_NONE. */
size_t long_times_before(const struct long_times *times, size_t number);

#endif
