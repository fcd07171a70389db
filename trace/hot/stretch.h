/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When each request was executing, and when it waited behind others: stretches of time in a process
 * and a thread, as far as these are known. Samples that were taken in a stretch belong to its
 * request.
 */
#ifndef TRACE_HOT_STRETCH_H
#define TRACE_HOT_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

struct hot_stretch {
  int64_t start, end; /* ns, on the clock of the profile; start <= end */
  uint32_t request;
  uint32_t process, thread; /* ids of the system; 0: not known, any */
  bool waiting;             /* for others to be done, who are executing there; else executing */
};

typedef VECTOR(struct hot_stretch) hot_stretches;

#endif
