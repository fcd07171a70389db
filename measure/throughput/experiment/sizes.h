/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether rounds of two sizes give the same, and which two.
 *
 * With b requests of the leader in a round, two things are wrong of the time that a request takes:
 *
 *   - a pause lasts so long that who is to seem faster has nothing to do in part of it: the users who
 *     could ask it, or a call that it makes, wait in who pauses. The longer the pause the larger the
 *     part, so that a request takes too long, the more so the larger b is.
 *   - a service that waits for a timer, a disk or another host goes on waiting in a pause: for each
 *     round a wait of each worker is given away, so that a request takes too little, the less so the
 *     larger b is.
 *
 * Both make the throughput rise as b falls. So they cannot hide one another: where two sizes, one four
 * times the other, give the same, neither counts in either. And where a quarter gives more, a quarter of
 * that may agree with it: then the first was starved, and the smaller two are what is believed. Of two
 * that agree either may be nearer, so their windows count as one.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_SIZES_H
#define MEASURE_THROUGHPUT_EXPERIMENT_SIZES_H

#include "measure/throughput/experiment/experiment.h"

/* Of a check's rounds, to those of its change; of the second check to the first. */
#define SIZES_FACTOR 4

struct sizes {
  const struct cell *changed; /* NULL: none were measured */
  const struct cell *one,
      *other; /* of two sizes, the larger first unless it could not be divided */
};

/* Requests in a round of a second check of a change, where its first has so many: so that pauses are not
 * below half a millisecond, beside which what a stop costs that no clock shows would count. 0: none. */
uint64_t sizes_second(const struct experiment *experiment, const struct cell *cell, uint64_t first);

/* Whether a worker of who is to seem faster waits for who pauses during most of a pause: requests wait for its
 * workers, each of which calls others, and a pause of so many requests is longer than what one works between
 * two calls. Then larger rounds lose as much, and that sizes agree says nothing. */
bool sizes_blocked(const struct experiment *experiment, const struct cell *cell, uint64_t batch);

/* By more than chance and what either may be off by. */
bool sizes_differ(const struct throughput_estimate *a, const struct throughput_estimate *b);

/* Those that an answer rests on: of the change itself, or of a higher level of the same curve. */
struct sizes sizes_of(const struct experiment *experiment, const struct cell *cell);

/* Says which checks are wanted: of the highest level of a curve that is measured, and where sizes
 * differ there, of the next; of a change that is on no curve. Where a quarter gives more, a quarter of
 * that as well. Estimates are of each cell's own windows. */
void sizes_want(struct experiment *experiment);

/* Whether the answer is that of both smaller sizes, as these agree and the first does not. */
bool sizes_smaller(const struct experiment *experiment, const struct cell *cell);

#endif
