/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/closure.h"

#include "base/memory.h"
#include "trace/graph/graph.h"

void flow_closure_make(struct flow_closure *order, const struct request_flow *flow) {
  size_t count = flow->activities.count, words = (count + 63) / 64;
  *order = (struct flow_closure){.count = count};
  order->before = mem_alloc(count * words, sizeof *order->before);
  for (size_t b = 0; b < count; b++) {
    const struct activity *activity = &flow->activities.data[b];
    for (size_t i = 0; i < activity->wait_count; i++) {
      size_t a = flow->waits.data[activity->wait_first + i];
      order->before[b * words + a / 64] |= (uint64_t)1 << (a % 64);
      for (size_t w = 0; w < words; w++)
        order->before[b * words + w] |= order->before[a * words + w];
    }
  }
}

void flow_closure_clear(struct flow_closure *order) {
  mem_free(order->before);
}
