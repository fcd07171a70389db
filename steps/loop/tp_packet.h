/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is in front of a message on its way from loop to loop; for tp_loop.c only.
 *
 * A packet: a head, the message (tp_message.h) and its stamp. Little-endian:
 *
 *    0  'T' 'L'   2  version (3)   3  what follows: a message, or nothing (greetings)
 *    4  digest of run, protocol and parameters (64 bits)
 *   12  instance   16  from, to (16 bits each)   20  number among those of its sender
 *   24  the number of the message before it on its FIFO channel
 *   28  beginning of the instance (64 bits, ticks of its sender's clock)
 *   36  check (64 bits) of all other bytes: a packet in which one byte changed on the way is never
 *       taken, and of others one in 2^64
 *   44  message    80  stamp
 */
#ifndef TP_PACKET_H
#define TP_PACKET_H

#include "tp_loop.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TP_HEAD = 44 };
enum { TP_WITH_MESSAGE, TP_GREETING, TP_GREETED, TP_STARTED }; /* what follows the head */

struct tp_head {
  uint8_t what;
  uint64_t digest, began;
  uint32_t instance, number, before;
  int32_t from, to;
};

/* Puts the head of a packet of this loop, TP_HEAD bytes. */
void tp_packet_put(uint8_t *bytes, const struct tp_loop *loop, uint8_t what, int32_t to,
                   uint32_t number, uint32_t before);
/* Puts the check into the packet, TP_HEAD or TP_PACKET bytes, and sends it. False: the port broke. */
bool tp_packet_send(const struct tp_loop *loop, int32_t to, uint8_t *bytes, size_t size);
/* False: that is no packet to this loop, of its run, protocol and parameters, or not what was sent. */
bool tp_packet_get(struct tp_head *head, const struct tp_loop *loop, const uint8_t *bytes,
                   size_t size);
/* A number that differs where run, protocol or parameters do. */
uint64_t tp_packet_digest(const struct tp_role *role, const void *node, uint64_t run);

/* Whether the number of a packet is a new one; then it is one that was seen. */
bool tp_packet_is_first(struct tp_seen *seen, uint32_t number);

#ifdef __cplusplus
}
#endif

#endif
