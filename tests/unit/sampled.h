/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tests that repeat one thing with many values, under sanitizers, where each takes ten times as
 * long and what they see is in every eighth: all of them with TEST_ALL.
 */
#ifndef TESTS_UNIT_SAMPLED_H
#define TESTS_UNIT_SAMPLED_H

#include <stddef.h>
#include <stdlib.h>

/* How far to go from one of many values to the next. */
static inline size_t sampled_step(void) {
  return getenv("SANITIZED") != NULL && getenv("TEST_ALL") == NULL ? 8 : 1;
}

#endif
