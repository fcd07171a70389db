/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first line of a sample that `perf script` printed; private to trace/stacks:
 *
 *     ab 23927 [000] 184694.229089:        250 cycles:u:
 *
 * Process, processor, moment and period may be missing; the command may contain blanks. Behind the
 * event of a tracepoint its arguments follow.
 */
#ifndef TRACE_STACKS_PERF_HEADER_H
#define TRACE_STACKS_PERF_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct perf_header {
  struct slice command;
  uint32_t process, thread; /* process 0: not said */
  bool timed;
  int64_t time;       /* ns, if timed */
  struct slice event; /* empty: not said */
  uint64_t period;    /* 1: not said */
  uint64_t lost;      /* the line is no sample: so many were lost */
  bool more;          /* something stands behind the event: arguments, or a function */
};

/* false when the line is none. */
bool perf_header_parse(struct perf_header *header, struct slice line);

#endif
