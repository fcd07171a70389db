/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a packet that a generated loop gets: refused, or one that is made again byte for byte from what was read of it.
 * With an odd first byte the rest gets the right run and check, without which nothing is taken; what is taken is no packet any
 * more when one byte of it is another. With clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that
 * replays the files it is given.
 */
#include <stdlib.h>

/* These are parts of what `generate` writes, so no library has them; the contracts are for the prover. */
#include "steps/loop/tp_packet.c" /* NOLINT */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition)
    abort();
}

static void require_made_again(const uint8_t *bytes, size_t size, const struct tp_head *head) {
  uint8_t again[TP_PACKET];
  struct tp_loop sender = {
      .digest = head->digest, .instance = head->instance, .self = head->from, .began = head->began};
  memcpy(again, bytes, size);
  tp_packet_put(again, &sender, head->what, head->to, head->number, head->before);
  put_number(again + CHECK, CHECK_BYTES, check_of(again, size));
  require(memcmp(again, bytes, size) == 0);
}

static void require_noticed(uint8_t *bytes, size_t size, const struct tp_loop *loop) {
  for (size_t i = 0; i < size; i++) {
    struct tp_head head;
    uint8_t change = (uint8_t)(1 + bytes[size - 1 - i] % 255);
    bytes[i] ^= change;
    require(!tp_packet_get(&head, loop, bytes, size));
    bytes[i] ^= change;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct tp_loop loop = {.digest = 0x1122334455667788, .peers = 3, .self = 1};
  uint8_t bytes[TP_PACKET + 2] = {0};
  bool sealed = size > 0 && data[0] % 2 == 1;
  data += size > 0;
  size -= size > 0;
  size = size < sizeof bytes ? size : sizeof bytes;
  memcpy(bytes, data, size);
  if (sealed && size >= TP_HEAD) {
    put_number(bytes + 4, 8, loop.digest);
    put_number(bytes + CHECK, CHECK_BYTES, check_of(bytes, size));
  }
  struct tp_head head;
  if (!tp_packet_get(&head, &loop, bytes, size))
    return 0;
  require(head.from >= 0 && head.from < loop.peers && head.to == loop.self);
  require(size == (head.what == TP_WITH_MESSAGE ? (size_t)TP_PACKET : (size_t)TP_HEAD));
  require_made_again(bytes, size, &head);
  require_noticed(bytes, size, &loop);
  struct tp_seen seen = {0};
  bool first = tp_packet_is_first(&seen, head.number);
  require(first == (head.number != 0) || first);
  require(!tp_packet_is_first(&seen, head.number));
  return 0;
}

#include "tests/fuzz/standalone.h"
