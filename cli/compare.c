/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare.h"

/* The i-th smallest of N observations is the observed quantile at i/N. Of a bin's observations the
 * first is the hardest: the law's quantile there must not be below the bin's edge, that is
 * P(X > edge - 1) > 1 - i/N. */
bool compare_curve(const struct survival *law, const struct sample *sample, struct rational *share,
                   uint64_t *observed_ns) {
  uint64_t rest = sample->total; /* observations in this bin and the later ones */
  for (size_t i = 0; i <= sample->count; i++) {
    bool last = i == sample->count;
    if (last && sample->beyond == 0)
      return true;
    uint64_t value = last ? SAMPLE_NS_MAX : sample->bins[i].upper_ns;
    uint64_t tail = value == 0 ? SURVIVAL_ONE
                    : last     ? survival_infinity(law)
                               : survival_tail_upper(law, value - 1);
    if ((__extension__(unsigned __int128) tail) * sample->total <=
            (__extension__(unsigned __int128)(rest - 1)) * SURVIVAL_ONE &&
        value != 0) {
      rational_set_fraction(share, (int64_t)(sample->total - rest + 1), (int64_t)sample->total);
      *observed_ns = value;
      return false;
    }
    rest -= last ? 0 : sample->bins[i].count;
  }
  return true;
}
