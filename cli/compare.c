/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare.h"

/* Just below an observed value v, P(X >= v) of the sample must be at most the law's: between two
 * observations neither the sample nor what is asked of the law becomes harder. */
bool compare_curve(const struct survival *law, const struct sample *sample, struct rational *share,
                   uint64_t *observed_ns) {
  uint64_t above = sample->total;
  for (size_t i = 0; i <= sample->count; i++) {
    bool last = i == sample->count;
    if (last && sample->beyond == 0)
      return true;
    uint64_t value = last ? SAMPLE_NS_MAX : sample->bins[i].upper_ns;
    uint64_t tail = value == 0 ? SURVIVAL_ONE
                    : last     ? survival_infinity(law)
                               : survival_tail_upper(law, value - 1);
    if ((__extension__(unsigned __int128) tail) * sample->total <
        (__extension__(unsigned __int128) above) * SURVIVAL_ONE) {
      rational_set_fraction(share, (int64_t)(sample->total - above), (int64_t)sample->total);
      *observed_ns = value;
      return false;
    }
    above -= last ? 0 : sample->bins[i].count;
  }
  return true;
}
