/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a poker says on stderr, a line at a time. Of lines that strangers can cause there are at
 * most a few a second; the next one says how many were left out.
 */
#ifndef MEASURE_THROUGHPUT_POKER_TELL_H
#define MEASURE_THROUGHPUT_POKER_TELL_H

#include <stdint.h>

struct teller {
  const char *name;  /* of the poker */
  uint64_t begin_ns; /* of the current second */
  uint32_t said, left_out;
};

__attribute__((format(printf, 2, 3))) void tell(struct teller *teller, const char *format, ...);

#endif
