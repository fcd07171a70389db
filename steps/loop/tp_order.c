/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tp_order.h"

#include <string.h>

void tp_order_begin(struct tp_loop *loop) {
  memset(loop->channels, 0, sizeof loop->channels);
}

uint32_t tp_order_sent(struct tp_loop *loop, const struct tp_kind *kind, int32_t to,
                       uint32_t number) {
  if (!kind->fifo || to < 0)
    return 0;
  const uint32_t before = loop->channels[to].sent;
  loop->channels[to].sent = number;
  return before;
}

static const struct tp_kind *kind_of(const struct tp_loop *loop, const struct tp_waiting *waiting) {
  return &loop->role->kinds[waiting->message.kind];
}

bool tp_order_is_lost(const struct tp_loop *loop, const struct tp_waiting *came) {
  return kind_of(loop, came)->fifo && came->number < loop->channels[came->from].taken;
}

bool tp_order_is_held(const struct tp_loop *loop, const struct tp_waiting *waiting) {
  const struct tp_kind *kind = kind_of(loop, waiting);
  if (!kind->fifo || waiting->before == loop->channels[waiting->from].taken)
    return false;
  if (!kind->lossy)
    return true;
  for (int32_t i = 0; i < loop->waiting_count; i++) {
    const struct tp_waiting *other = &loop->waiting[i];
    if (other->from == waiting->from && other->number < waiting->number &&
        kind_of(loop, other)->fifo)
      return true;
  }
  return false;
}

uint64_t tp_order_arrived(const struct tp_loop *loop, const struct tp_waiting *waiting) {
  const uint64_t before = loop->channels[waiting->from].arrived;
  return kind_of(loop, waiting)->fifo && before > waiting->arrived ? before : waiting->arrived;
}

void tp_order_taken(struct tp_loop *loop, const struct tp_waiting *taken) {
  if (!kind_of(loop, taken)->fifo)
    return;
  loop->channels[taken->from].taken = taken->number;
  loop->channels[taken->from].arrived = taken->arrived;
}
