/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What must hold whatever a user writes. One that does not hold ends the program as bug() does,
 * naming the condition and its place: an answer of a broken program would be no answer.
 *
 *   invariant(e->balance == before);             always checked: a few instructions
 *   invariant_costly(survival_is_valid(z));      only where invariant_costly_on says so
 *
 * Costly conditions (a look at a whole structure, as an `..._is_valid` has it) are checked in
 * builds with -DTAILPROOF_CHECKS, as those under sanitizers are, and in tests that ask for it.
 * Conditions have no effects: they may be left out.
 */
#ifndef BASE_INVARIANT_H
#define BASE_INVARIANT_H

#include <stdbool.h>

/* Whether costly conditions are checked: true from the start with -DTAILPROOF_CHECKS. Not to be
 * changed while threads run. */
extern bool invariant_costly_on;

_Noreturn void invariant_broken(const char *condition, const char *file, int line);

#define invariant(condition)                                                                       \
  do {                                                                                             \
    if (!(condition))                                                                              \
      invariant_broken(#condition, __FILE__, __LINE__);                                            \
  } while (0)
#define invariant_costly(condition)                                                                \
  do {                                                                                             \
    if (invariant_costly_on && !(condition))                                                       \
      invariant_broken(#condition, __FILE__, __LINE__);                                            \
  } while (0)

#endif
