/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which events are wanted of which processes (measure/outside/capture.h), and what is told of
 * them.
 */
#ifndef MEASURE_OUTSIDE_INTEREST_H
#define MEASURE_OUTSIDE_INTEREST_H

#include <stdint.h>

enum capture_fate { FATE_FORK, FATE_EXEC, FATE_EXIT, FATES };

/* What became of a traced process: of FATE_FORK `other` is the child. */
struct capture_news {
  void (*tell)(void *context, enum capture_fate fate, uint32_t process, uint32_t other);
  void *context;
};

/* A process that probes with `children: no` are put into, where moments look for them at one of its
 * places. */
struct capture_process {
  uint32_t id;
  uint64_t places;
};

/* CAPTURE_ANY: by BPF, and by perf_event_open where the kernel does not permit or know BPF. */
enum capture_means { CAPTURE_ANY, CAPTURE_BPF, CAPTURE_PERF };

/* Which events are asked for: of each probe at which places (a bit each), and which places a
 * process that runs may be. {0}: all. */
struct capture_interest {
  uint64_t (*of_probe)(void *context, uint32_t probe);
  uint64_t (*of_process)(void *context, uint32_t process);
  void *context;
};

#endif
