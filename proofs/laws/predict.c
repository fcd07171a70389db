/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/core/predict.h"

/*@ ghost
  /@ assigns \nothing;
     ensures product: low <= high ==> low * factor <= high * factor;
  @/
  void predict_scale_law(uint64_t low, uint64_t high, uint64_t factor) {
  }
*/

/* What saves less is accepted where something is that saves more, and predicted no shorter. */
/*@ requires storage: \valid_read(less) && \valid_read(more) && \valid(low_ns) && \valid(high_ns) &&
      \valid(low_more_ns) && \valid(high_more_ns);
    requires distinct: \separated(less, more, low_ns, high_ns, low_more_ns, high_more_ns);
    requires same: less->window_ns == more->window_ns && less->requests == more->requests &&
      less->noise_ns == more->noise_ns;
    requires less: less->saved_ps <= more->saved_ps;
    assigns *low_ns, *high_ns, *low_more_ns, *high_more_ns;
    ensures accepted: \result >= 0;
    ensures no_shorter: \old(predict_clear(more)) ==>
      *low_more_ns <= *low_ns && *high_more_ns <= *high_ns;
*/
int predict_monotone(const struct predict_run *less, const struct predict_run *more,
                            uint64_t *low_ns, uint64_t *high_ns, uint64_t *low_more_ns,
                            uint64_t *high_more_ns) {
  //@ ghost predict_scale_law(less->saved_ps, more->saved_ps, less->requests);
  //@ assert longer: predict_true_ps(more) <= predict_true_ps(less);
  //@ assert clear: predict_clear(more) ==> predict_clear(less);
  int accepted = predict_window(less, low_ns, high_ns);
  /*@ assert kept: more->window_ns == \at(more->window_ns, Pre) &&
        more->requests == \at(more->requests, Pre) && more->saved_ps == \at(more->saved_ps, Pre) &&
        more->noise_ns == \at(more->noise_ns, Pre); */
  //@ assert first: predict_clear{Pre}(more) ==> accepted == 1;
  /*@ assert less: predict_clear{Pre}(more) ==>
        predict_true_ps{Pre}(less) < 1000 * (*low_ns + 1) &&
        predict_true_ps{Pre}(less) <= 1000 * *high_ns; */
  int accepted_more = predict_window(more, low_more_ns, high_more_ns);
  /*@ assert more: predict_clear{Pre}(more) ==>
        1000 * *low_more_ns <= predict_true_ps{Pre}(more) &&
        1000 * (*high_more_ns - 1) < predict_true_ps{Pre}(more); */
  return accepted - accepted_more;
}
