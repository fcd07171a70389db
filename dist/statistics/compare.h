/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A bound's law held against end-to-end observations.
 *
 * Of N observations the i-th smallest is the observed quantile at i/N. It exceeds the law where the
 * law's quantile there is smaller. A finite sample does so by chance, above all near its ends, also
 * when its true law is dominated: `beyond_chance` is the first place where the excess is larger
 * than a true law that is dominated would give with probability alpha. It looks at about 4 log2(N)
 * places spaced geometrically from both ends, and at each uses the bound of Chernoff and Hoeffding
 * (1963): P(Binomial(N, t) >= c) <= exp(-N KL(c/N, t)) for t < c/N.
 */
#ifndef DIST_STATISTICS_COMPARE_H
#define DIST_STATISTICS_COMPARE_H

#include "dist/source/sample.h"
#include "dist/survival/survival.h"

struct excess {
  bool found;
  struct rational share; /* i/N */
  uint64_t observed_ns;  /* SAMPLE_NS_MAX: infinite */
};

struct comparison {
  struct excess any, beyond_chance; /* the first ones; with alpha = 0 they are the same */
};

/* Alpha in units of 10^-18; `worth`: the number of independent draws that the sample is worth, 1 to
 * its total. Observations count at the upper edge of their bin for `any`, and at the lower one for
 * what is beyond chance. The comparison is initialised here and cleared by the caller. */
void compare_curve(struct comparison *comparison, const struct survival *law,
                   const struct sample *sample, uint64_t alpha, uint64_t worth);
void comparison_clear(struct comparison *comparison);

#endif
