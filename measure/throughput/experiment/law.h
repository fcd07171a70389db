/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What processors alone say of a change: a second witness beside the pauses, by the utilization law
 * (Denning, Buzen, The Operational Analysis of Queueing Network Models, 1978): who is busy for a
 * share U of the time and takes c of it for a request serves U / c.
 *
 * A loop: a service does its work in one thread, which is busy all the time, as it is and while the
 * others pause for the change, and for as long as it would save, so that nothing else has come to limit. With a share s less work (0:
 * of a service that does not change) the application serves U / (c * (1 - s)). c is the mean over
 * all windows in which the thread was as busy, since it drifts with the machine; U is that of the
 * change's own windows.
 *
 * The processors of the machine, where they are full: with c of them for a request over services,
 * pokers and load, of which the change saves d, it serves between C / (c - d) for the C that they
 * have now, and what is left of the machine by others over the same.
 *
 * Both rest on this: what the service would do less of is what it computes, in the proportion of the
 * share; there is always another request in flight; and a request takes the same of a processor then
 * as now. Pauses, which rest on none of it, must agree (doubt.h).
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_LAW_H
#define MEASURE_THROUGHPUT_EXPERIMENT_LAW_H

#include "measure/throughput/experiment/experiment.h"

struct utilization_law {
  bool known;
  uint32_t loop;           /* whose thread limits; PLAN_SERVICES: all processors do */
  double low, value, high; /* requests/s with the change; the ends hold chance and DOUBT_METHOD */
  double now;              /* of a loop: without the change, by the same law */
};

/* The loop that allows least, where there is one; else the processors, if they are full.
 * `now`: requests/s as it is. Unknown where windows do not say who used processors. */
void law_find(struct utilization_law *law, const struct experiment *experiment,
              const struct cell *cell, double now);

/* Processors that as many requests as now would keep busy with the change; pokers and the load have
 * their part. */
double law_needed(const struct experiment *experiment, const struct cell *cell);

/* U / (c * (1 - share)). */
double law_loop(double busy, double each, double share);

/* `of` processors, where a request takes `each` and saves `saved` of it; infinite if it saves all. */
double law_processors(double of, double each, double saved);

#endif
