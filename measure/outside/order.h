/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts events in order of time that come nearly so.
 */
#ifndef MEASURE_OUTSIDE_ORDER_H
#define MEASURE_OUTSIDE_ORDER_H

#include "base/vector.h"
#include "measure/outside/event.h"

struct order_place {
  uint64_t time_ns, number;
  size_t offset; /* in bytes */
};

/* {0} is empty. */
struct outside_order {
  VECTOR(struct order_place) places;
  VECTOR(unsigned char) bytes;
  uint64_t number; /* of events so far */
};

void order_add(struct outside_order *order, const struct outside_event *event);

/* Gives away what is earlier than `limit`; of one time in the order in which it was added. False
 * when the sink wanted no more. */
bool order_flush(struct outside_order *order, uint64_t limit, const struct outside_sink *sink);
void order_clear(struct outside_order *order);

#endif
