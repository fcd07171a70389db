/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What single requests asked others while they were answered, and what most of them have in
 * common.
 */
#ifndef MEASURE_TALK_REQUEST_H
#define MEASURE_TALK_REQUEST_H

#include "measure/talk/shape.h"

struct request_call {
  long service, part;
  uint16_t port;
  unsigned stage;
  bool by_thread;
  bool passed_on; /* the answer begins before all of this one's is there */
  uint64_t begin_ns, told_ns;
  uint32_t begin_thread, told_thread;
};

struct request_shape {
  size_t count;
  struct request_call calls[SHAPE_CALLS];
};

/* What nearly all requests of a call have in common. False after a note where they differ, or where
 * it is not known. */
bool request_usual(struct request_shape *usual, struct talk_shape *shape,
                   const struct shape_call *call, const char *name, const struct talk *talk,
                   const struct talk_parts *parts);

/* Whether requests ask several members of one family, which is then split: it is none. */
bool request_split(const struct talk_shape *shape, const struct talk *talk,
                   struct talk_parts *parts);

#endif
