/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which events are wanted of which processes (measure/outside/capture.h).
 */
#ifndef MEASURE_OUTSIDE_INTEREST_H
#define MEASURE_OUTSIDE_INTEREST_H

#include <stdint.h>

/* Which events are asked for: of each probe at which places (a bit each), and which places a
 * process that runs may be. {0}: all. */
struct capture_interest {
  uint64_t (*of_probe)(void *context, uint32_t probe);
  uint64_t (*of_process)(void *context, uint32_t process);
  void *context;
};

#endif
