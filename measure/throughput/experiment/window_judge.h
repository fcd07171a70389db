/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a window may be believed: from the reports before and after it.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_WINDOW_JUDGE_H
#define MEASURE_THROUGHPUT_EXPERIMENT_WINDOW_JUDGE_H

#include "measure/throughput/experiment/window.h"

struct judge_reports {
  struct director_report before[PLAN_SERVICES], after[PLAN_SERVICES];
};

/* Fills those members of `window` that come from the reports, its noise, `good` and `reason`. The
 * window's `parts` are filled already.
 *
 * User requests are counted where they are served. (While a queue grows before a busy service, the
 * entry begins more requests than are served. When two services are nearly as slow, that goes on
 * for longer than any warm-up.) So the count is the least of begun / calls over the entry and all
 * services whose workers were busy for at least 98 % of the window.
 *
 * With the change made, the service that limits would not have paused, and each request would have
 * taken less time at it, by its own saving. So its window is W - realised - requests * own saving.
 * The published model (equation 9) has W - requests * saved. Both are equal when every pause is
 * made in full: what the others save is what this service pauses. The first also counts rightly
 * what was paused late, cut off by an end of the window, or is still owed. Where no service is seen
 * to be busy, the published equation is used, with the requests of the entry.
 *
 * Refused are windows
 *   - with fewer than 50 requests, or a part without any: the load is starved, or too short;
 *   - in which a service got more or fewer calls for each user request than usual, by more than
 *     10 % and three standard errors of its count (1 % where no service was seen to be busy): a
 *     queue may have grown;
 *   - in which a service had fewer rounds than the leader, or paused more or less than its requests
 *     owed, by more than two rounds' worth, a millisecond and 5 %;
 *   - in which over a quarter of a service's pauses were late;
 *   - in which more than 1 % (and three standard deviations) of a service's answers were errors, as
 *     far as a proxy sees them. */
void judge(struct window *window, const struct judge_reports *reports,
           const struct experiment_plan *plan, const struct window_setting *setting,
           const struct profile *profile);

#endif
