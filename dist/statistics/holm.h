/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Holm's correction for many tests (Scand. J. Statist. 6, 1979): with chance at most `level` any
 * true hypothesis is rejected, however the tests depend on each other. The least chance is held
 * against level / m, the next against level / (m - 1), and so on until one does not pass.
 *
 * Example. Of the chances 0.01, 0.02, 0.03, 0.04 the corrected ones are 0.04, 0.06, 0.06, 0.06: at
 * level 0.05 the first alone is significant.
 */
#ifndef DIST_STATISTICS_HOLM_H
#define DIST_STATISTICS_HOLM_H

#include <stddef.h>

#include "base/invariant.h"

/* What the next chance must not exceed, when `rejected` of so many tests passed before it. */
static inline double holm_level(double level, size_t tests, size_t rejected) {
  invariant(rejected < tests);
  return level / (double)(tests - rejected);
}

struct holm {
  size_t left;  /* tests whose chance is still to come; at first all */
  double worst; /* the corrected chance of the one before; at first 0 */
};

/* The corrected chance, 0 .. 1, of the next test; the least chance first. */
static inline double holm_next(struct holm *holm, double chance) {
  invariant(holm->left != 0);
  double corrected = (double)holm->left-- * chance;
  if (corrected > holm->worst)
    holm->worst = corrected > 1 ? 1 : corrected;
  return holm->worst;
}

#endif
