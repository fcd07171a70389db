/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples stacks of running programs into a file (tpp_format.h). What it samples goes on whatever
 * becomes of the sampler: the kernel takes the samples, and closes its counters with us.
 *
 *   sampler_init(&sampler, &options, &message);
 *   sampler_open_file(&sampler, descriptor);
 *   sampler_start(&sampler);
 *   while (...) { poll(NULL, 0, sampler_wait_ms(&sampler)); sampler_drain(&sampler); }
 *   sampler_stop(&sampler);
 *   sampler_clear(&sampler);
 *
 * Records come from several rings and are put in order by time. They are read where they lie: the
 * youngest wait in their ring for the next drain, as another processor may be about to write an
 * older one.
 */
#ifndef MEASURE_PROFILE_SAMPLER_H
#define MEASURE_PROFILE_SAMPLER_H

#include "base/status.h"
#include "measure/profile/counters.h"
#include "measure/profile/naming.h"
#include "measure/profile/ring.h"
#include "measure/profile/space.h"
#include "measure/profile/tpp_write.h"
#include "measure/profile/waits.h"

struct sampler_options {
  struct counter_options counters;
  enum counter_scope scope;
  uint32_t process;    /* COUNTER_THREADS: it and all that it started and starts */
  bool on_exec;        /* it is about to execute another program: begin there */
  int cgroup;          /* COUNTER_CGROUP: descriptor of its folder */
  bool adaptive;       /* the rate changes: samples weigh ns of processor time */
  uint64_t least_wait; /* ns, of COUNTER_SWITCHES: shorter waits are only counted */
};

struct queued {
  uint64_t time;
  size_t lane; /* of the counters */
  struct ring_record record;
  bool brief; /* a stack that a thread waits in for too short a time to be kept */
};

struct sampler {
  struct sampler_options options;
  struct counters counters;
  struct spaces spaces;
  struct tpp_writer writer;
  struct namer naming;
  VECTOR(uint32_t) module_numbers; /* of the file, by modules of spaces; UINT32_MAX: not written */
  VECTOR(struct queued) queue;     /* records that were found and not yet taken in */
  uint32_t kernel;                 /* module */
  struct tpp_counts counts;
  struct cached_row *rows; /* of unwind tables, by module and address */
  VECTOR(double) leaves;   /* if adaptive: samples by innermost frame, since they were counted */
  uint32_t refused_map;    /* a process whose map of names was not read to its end; 0: none */
  uint64_t closed_time, told_time; /* ns of processor time: of clocks that are closed; in files */
  uint64_t told_lost;              /* by records */
  uint64_t last_drain;             /* ns, CLOCK_MONOTONIC */
  struct waits waits;              /* of COUNTER_SWITCHES */
  uint32_t preempted;              /* frame of the file that says so; UINT32_MAX: not written */
  uint64_t last_look;              /* ns: when the rings were looked at */
  uint64_t pace; /* bytes a second that one ring was filled with at last; 0: not known */
};

/* Opens the counters. False with a line in `message`: STATUS_UNAVAILABLE, or STATUS_NO_INPUT where
 * there is no such process. To be cleared in any case. */
enum status sampler_init(struct sampler *sampler, const struct sampler_options *options,
                         struct text *message);
/* Takes the descriptor of an empty file. Another one before it must have been finished. */
void sampler_open_file(struct sampler *sampler, int descriptor);
void sampler_start(struct sampler *sampler);
/* How long the rings take to be filled by a third, at most 250 ms. */
int sampler_wait_ms(const struct sampler *sampler);
/* Takes what the rings hold. False, with errno in writer.error, when the file cannot be written. */
bool sampler_drain(struct sampler *sampler);
/* Names and counts: the file is complete, and another one may be opened. False as above. */
bool sampler_finish_file(struct sampler *sampler);
/* Takes no more samples, and finishes the file with those that are there. False as above. */
bool sampler_stop(struct sampler *sampler);
void sampler_clear(struct sampler *sampler);

/* From now on at another rate. STATUS_NO_INPUT when nothing to be sampled is left. */
enum status sampler_set_rate(struct sampler *sampler, unsigned rate, struct text *message);

#endif
