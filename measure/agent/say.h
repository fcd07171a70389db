/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the agent tells people, one line on stderr each.
 */
#ifndef MEASURE_AGENT_SAY_H
#define MEASURE_AGENT_SAY_H

#include <stdbool.h>
#include <stdint.h>

/* At most one line a minute about one thing; the next one tells how many were left out. */
struct say_limit {
  uint64_t said_ns; /* 0: never */
  uint64_t unsaid;
};

__attribute__((format(printf, 1, 2))) void agent_say(const char *format, ...);

/* Whether it was said. */
__attribute__((format(printf, 3, 4))) bool agent_say_limited(struct say_limit *limit,
                                                             uint64_t now_ns, const char *format,
                                                             ...);

#endif
