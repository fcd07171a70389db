/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tp_hold.h"

#include <string.h>

#include "tp_clock.h"
#include "tp_order.h"
#include "tp_packet.h"
#include "tp_record.h"

uint64_t tp_hold_until(const struct tp_loop *loop, int32_t kind) {
  const uint64_t end = loop->last.end;
  if (loop->role->release == NULL)
    return end;
  const int64_t passed = tp_clock_passed(loop, end);
  const int64_t left = loop->role->release(loop->node, kind, passed);
  return left <= passed ? end : tp_clock_future(loop, left);
}

/* A number that no packet has: on a FIFO channel nothing is taken behind it, as behind a message
 * that the network does not deliver. */
static void skip_number(struct tp_loop *loop, const struct tp_kind *kind, int32_t to) {
  tp_order_sent(loop, kind, to, ++loop->sequence);
}

/* The message is dropped, behind all of its kind that wait for the same node. */
static void drop(struct tp_loop *loop, const struct tp_held *dropped) {
  loop->counts.full++;
  for (int32_t i = loop->held_count - 1; i >= 0; i--)
    if (loop->held[i].message.kind == dropped->message.kind && loop->held[i].to == dropped->to) {
      loop->held[i].missing = true;
      return;
    }
  skip_number(loop, &loop->role->kinds[dropped->message.kind], dropped->to);
}

void tp_hold(struct tp_loop *loop, const struct tp_message *m, int32_t to, int32_t index,
             uint64_t at) {
  struct tp_held held = {.message = *m, .to = to, .at = at};
  tp_record_sent(loop, m, index, at, held.stamp);
  if (loop->held_count == TP_HELD)
    drop(loop, &held);
  else
    loop->held[loop->held_count++] = held;
}

static void leave(struct tp_loop *loop, const struct tp_held *held) {
  uint8_t packet[TP_PACKET];
  const struct tp_kind *kind = &loop->role->kinds[held->message.kind];
  const uint32_t number = ++loop->sequence;
  tp_packet_put(packet, loop, TP_WITH_MESSAGE, held->to, number,
                tp_order_sent(loop, kind, held->to, number));
  tp_message_encode(packet + TP_HEAD, &held->message);
  memcpy(packet + TP_HEAD + TP_BYTES, held->stamp, sizeof held->stamp);
  if (!tp_packet_send(loop, held->to, packet, TP_PACKET))
    loop->broken = true;
  if (held->missing)
    skip_number(loop, kind, held->to);
}

void tp_hold_let_go(struct tp_loop *loop, uint64_t now) {
  int32_t kept = 0;
  for (int32_t i = 0; i < loop->held_count; i++) {
    if (loop->held[i].at <= now)
      leave(loop, &loop->held[i]);
    else
      loop->held[kept++] = loop->held[i];
  }
  loop->held_count = kept;
}

int64_t tp_hold_wait(const struct tp_loop *loop, int64_t wait_ns) {
  if (loop->held_count == 0)
    return wait_ns;
  uint64_t next = UINT64_MAX;
  for (int32_t i = 0; i < loop->held_count; i++)
    next = loop->held[i].at < next ? loop->held[i].at : next;
  const int64_t passed = tp_clock_passed(loop, tp_clock_now(loop));
  const int64_t left = tp_clock_passed(loop, next) - passed;
  return left < 0 ? 0 : left < wait_ns ? left : wait_ns;
}
