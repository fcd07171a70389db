/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sampler's part for waits (waits.h); private to it. Stacks are taken where a thread leaves its
 * processor, and only looked at where the wait is long enough to be kept, as far as that can be
 * seen: most waits are over before their records are read.
 */
#ifndef MEASURE_PROFILE_OFF_CPU_H
#define MEASURE_PROFILE_OFF_CPU_H

#include "measure/profile/sampler.h"

void off_cpu_begin(struct sampler *sampler);

/* Marks what is too short to be kept, in the sampler's queue, which is in order. */
void off_cpu_scan(struct sampler *sampler);

/* Notes where records of a processor are missing, before the queue is taken in. */
void off_cpu_find_losses(struct sampler *sampler);

/* Takes a record in: a stack, a switch, a thread that begins or ends. */
void off_cpu_take(struct sampler *sampler, const struct ring_event *event, bool brief);

/* Waits that go on are cut here. */
void off_cpu_end(struct sampler *sampler);

#endif
