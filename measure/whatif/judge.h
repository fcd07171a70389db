/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a window may be believed: from the reports before and after it.
 */
#ifndef MEASURE_WHATIF_JUDGE_H
#define MEASURE_WHATIF_JUDGE_H

#include "measure/whatif/window.h"

struct judge_reports {
  struct director_report before[PLAN_SERVICES], after[PLAN_SERVICES];
};

/* Fills what the window has of the reports, its noise, `good` and `reason`. Of a window with
 * `parts` filled. Refused are windows
 *   - with fewer than 50 requests, or a part without any: the load is starved, or too short;
 *   - in which a service was called more or less often for each user request than before (by 5 %
 * and two standard errors of its count): a queue fills or empties;
 *   - in which a service had not as many rounds as the leader, or pauses that are not what its
 *     requests owed, by more than two rounds' and a millisecond;
 *   - in which over a quarter of a service's pauses were late. */
void judge(struct window *window, const struct judge_reports *reports, const struct plan *plan,
           const struct window_setting *setting, const struct profile *profile);

#endif
