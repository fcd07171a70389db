/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/order.h"

#include <stdlib.h>
#include <string.h>

static const size_t head_bytes = offsetof(struct outside_event, text);

static void append(struct outside_order *order, const void *from, size_t size) {
  if (order->bytes.capacity - order->bytes.count < size) {
    order->bytes.capacity = 2 * (order->bytes.capacity + size);
    order->bytes.data = mem_resize(order->bytes.data, order->bytes.capacity, 1);
  }
  memcpy(order->bytes.data + order->bytes.count, from, size);
  order->bytes.count += size;
}

void order_add(struct outside_order *order, const struct outside_event *event) {
  vector_push(&order->places,
              (struct order_place){event->time_ns, order->number++, order->bytes.count});
  append(order, event, head_bytes + event->text_size);
}

static int compare(const void *a, const void *b) {
  const struct order_place *x = a, *y = b;
  if (x->time_ns != y->time_ns)
    return x->time_ns < y->time_ns ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static void load(struct outside_event *event, const struct outside_order *order, size_t at) {
  const unsigned char *from = order->bytes.data + order->places.data[at].offset;
  memcpy(event, from, head_bytes);
  memcpy(event->text, from + head_bytes, event->text_size);
}

/* Keeps the events from place `first` on alone. */
static void keep_rest(struct outside_order *order, size_t first) {
  struct outside_order rest = {.number = order->number};
  for (size_t i = first; i < order->places.count; i++) {
    struct outside_event event;
    struct order_place place = order->places.data[i];
    load(&event, order, i);
    place.offset = rest.bytes.count;
    vector_push(&rest.places, place);
    append(&rest, &event, head_bytes + event.text_size);
  }
  order_clear(order);
  *order = rest;
}

bool order_flush(struct outside_order *order, uint64_t limit, const struct outside_sink *sink) {
  struct outside_event event;
  size_t done = 0;
  bool wanted = true;
  if (order->places.count == 0)
    return true;
  qsort(order->places.data, order->places.count, sizeof *order->places.data, compare);
  while (wanted && done < order->places.count && order->places.data[done].time_ns < limit) {
    load(&event, order, done++);
    wanted = sink->take(sink->context, &event);
  }
  keep_rest(order, done);
  return wanted;
}

void order_clear(struct outside_order *order) {
  vector_clear(&order->places);
  vector_clear(&order->bytes);
}
