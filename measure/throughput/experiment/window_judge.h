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

/* Fills what the window has of the reports, its noise, `good` and `reason`. Of a window with
 * `parts` filled.
 *
 * User requests are counted where they are served: while the queue before a busy service grows, the
 * entry begins more than is ever going to be served in that time, for longer than any warm-up when
 * two services are nearly as slow. So of the services whose workers were busy for at least 98 % of
 * the window, and the entry, it is the least of begun / calls.
 *
 * With the change this service would not have paused, and each request would have taken what is
 * saved at this service itself less: its window is W - realised - requests * own saving. (Where
 * that is exact, so is equation 9 of the published model, W - requests * saved, since what others
 * save is what it pauses for; but pauses that the ends of the window cut off, late ones and those
 * that are still owed then count as what they were.) Where no service is seen to be busy, it is the
 * published equation, with the requests of the entry.
 *
 * Refused are windows
 *   - with fewer than 50 requests, or a part without any: the load is starved, or too short;
 *   - in which a service was called more or less often for each user request than usual: by 10 %
 * and three standard errors of its count, or 1 % where no service was seen to be busy, so that a
 *     queue may have grown;
 *   - in which a service had not as many rounds as the leader, or pauses that are not what its
 *     requests owed, by more than two rounds', a millisecond and 5 %;
 *   - in which over a quarter of a service's pauses were late. */
void judge(struct window *window, const struct judge_reports *reports,
           const struct experiment_plan *plan, const struct window_setting *setting,
           const struct profile *profile);

#endif
