/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What contradicts a prediction, and what is left of it then.
 *
 * Whatever happens, a change by which services take a share s less of their time gives no less than
 * the throughput now, X, and no more than X / (1 - s): that is what there would be if everything
 * were as much faster. A prediction is held against this, and against all else that was measured:
 *
 *   - it may be too large: the paused run served more than the application does as it is, so that
 *     pauses gave others something; a service has no calls and never pauses; a service talks to
 *     who is not in the plan (talks.h), or waits for what no pause stops, as its threads hardly run
 *     (but where rounds of two sizes agree that charge its waits);
 *     another service can serve less. Then its lower end is the throughput now.
 *   - it may be too small: the processors are or would be full, so that pauses leave them idle at one time
 *     and crowded at another; there were few users, so that who is to seem faster has no work while
 *     others pause. Then its upper end is X / (1 - s). Of full processors there is no number, and a tenth
 *     is added to either end: what a request takes of them depends on what runs beside it.
 *   - it may be either: rounds of another size give something else. Part of a pause costs nothing
 *     where something waits, or it outlasts the work of who is to seem faster.
 *   - a thread that would need more than all of its time, of a service that does its work in one,
 *     of the load, of a proxy, of a process outside of the plan that a service talks to; a service whose work and workers
 *     are stated; all processors: no upper end is beyond what they can do.
 *
 * What remains is `between` both ends, or `cannot tell` where they are those that always hold. Ends that
 * are no more than 8 % from a number between them are `predicted`: each holds although the pauses are
 * contradicted, so that an interval that is as narrow is as good as theirs.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_DOUBT_H
#define MEASURE_THROUGHPUT_EXPERIMENT_DOUBT_H

#include "measure/throughput/experiment/experiment.h"

/* By so much the method itself is wrong, as a share of what it predicts: of services in virtual time
 * and of metered sleep by half of it at most, of software that others wrote by about as much
 * (docs/evaluation_throughput.md). */
#define DOUBT_METHOD 0.05

/* Answers for all changes, of which those that are predicted have `given`, `chance` and an
 * interval. Estimates without a change, and of checks, are made already, and it is known which checks
 * are wanted (sizes.h). */
void doubt_all(struct experiment *experiment);

#endif
