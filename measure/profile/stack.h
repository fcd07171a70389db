/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a sample to a stack in the sampler's file: which program, which function, who called;
 * private to the sampler.
 */
#ifndef MEASURE_PROFILE_STACK_H
#define MEASURE_PROFILE_STACK_H

#include "measure/profile/machine.h"
#include "measure/profile/sampler.h"

/* A row of an unwind table that was looked up. */
struct cached_row {
  uint32_t module;
  bool used;
  uint64_t address;
  struct cfi_row row;
};

void stack_write(struct sampler *sampler, const struct ring_event *sample);

/* Of a thread that leaves its processor: the node of the program's own calls, and *place, where in
 * the kernel it waits: the first caller that is no part of the scheduler, as the kernel itself says
 * it in /proc/PID/wchan; 0: not known. */
uint32_t stack_write_waiting(struct sampler *sampler, const struct ring_event *sample,
                             uint64_t *place);

/* A wait that is over, as a sample. */
void stack_write_wait(struct sampler *sampler, const struct blocked_time *wait);

/* Numbers of the file are no longer right: another one begins. */
void stack_forget(struct sampler *sampler);

/* Appends the name of a frame of the file; false, and where its function begins as far as that is
 * known, when it has none. */
bool stack_name_of(struct sampler *sampler, uint32_t frame, struct text *name, uint64_t *start);

/* Writes the names of all frames that have one. */
void stack_name(struct sampler *sampler);

#endif
