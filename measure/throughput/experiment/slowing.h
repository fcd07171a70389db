/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How each service is slowed while another is to seem faster: stopped, or by holding its answers
 * (measure/throughput/proxy/holding.h).
 *
 * Stopping is right for what computes, and leaves its processor to others. What waits for a timer, a
 * disk or another host is not held up by it. So a service of whose requests hardly any runs, and that
 * calls nobody of the plan, has its answers held, unless the plan says else. How many workers it has
 * is learnt from how it works off requests that were kept from it for a moment, all at once.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_SLOWING_H
#define MEASURE_THROUGHPUT_EXPERIMENT_SLOWING_H

#include "measure/throughput/experiment/window.h"

/* In the window of the profile proxies are to learn. */
void slowing_learn(struct window_setting *setting, const struct experiment_plan *plan);

#define SLOWING_EPOCHS 8 /* for each service */

/* Fills `held`, `holders` and `own_ns` of the services of a profile whose talks and use of processors
 * are known. Uses SLOWING_EPOCHS epochs for each, from `epoch` on. 0, or as the world's functions. */
int slowing_choose(struct profile *profile, const struct window_world *world,
                   const struct experiment_plan *plan, uint64_t epoch);

/* Whether requests of a service wait for what no stop holds up: hardly any runs or waits for a
 * processor, and no thread is busy in whose queue they could be. */
bool slowing_waits(const struct profile *profile, const struct experiment_plan *plan,
                   uint32_t service);

/* Calls of other services that it makes for one of its own. */
double slowing_calls(const struct profile *profile, const struct experiment_plan *plan,
                     uint32_t service);

/* Requests of it that are in flight at one time, on average. */
double slowing_in_flight(const struct profile *profile, uint32_t service);

#endif
