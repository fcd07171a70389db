/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* htole64 */
#include "tp_packet.h"

#include <endian.h>
#include <string.h>

static void put_number(uint8_t *bytes, size_t size, uint64_t number) {
  number = htole64(number);
  memcpy(bytes, &number, size);
}

static uint64_t get_number(const uint8_t *bytes, size_t size) {
  uint64_t number = 0;
  memcpy(&number, bytes, size);
  return le64toh(number);
}

enum { CHECK = 36, CHECK_BYTES = 8 };

/* FNV-1a, by Fowler, Noll and Vo. */
static uint64_t digest_of(uint64_t digest, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    digest = (digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
  return digest;
}

/* Each byte changes what it is mixed with one to one, so that two packets that differ in one byte
 * differ in this. */
static uint64_t check_of(const uint8_t *bytes, size_t size) {
  const uint64_t digest = digest_of(0xcbf29ce484222325, bytes, CHECK);
  return digest_of(digest, bytes + CHECK + CHECK_BYTES, size - CHECK - CHECK_BYTES);
}

void tp_packet_put(uint8_t *bytes, const struct tp_loop *loop, uint8_t what, int32_t to,
                   uint32_t number, uint32_t before) {
  memcpy(bytes, (uint8_t[]){'T', 'L', 3, what}, 4);
  put_number(bytes + 4, 8, loop->digest);
  put_number(bytes + 12, 4, loop->instance);
  put_number(bytes + 16, 2, (uint64_t)loop->self);
  put_number(bytes + 18, 2, (uint64_t)to);
  put_number(bytes + 20, 4, number);
  put_number(bytes + 24, 4, before);
  put_number(bytes + 28, 8, loop->began);
}

bool tp_packet_send(const struct tp_loop *loop, int32_t to, uint8_t *bytes, size_t size) {
  put_number(bytes + CHECK, CHECK_BYTES, check_of(bytes, size));
  return loop->port->send(loop->port->context, to, bytes, size);
}

bool tp_packet_get(struct tp_head *head, const struct tp_loop *loop, const uint8_t *bytes,
                   size_t size) {
  if (size < TP_HEAD || memcmp(bytes, "TL\3", 3) != 0)
    return false;
  *head = (struct tp_head){.what = bytes[3],
                           .digest = get_number(bytes + 4, 8),
                           .began = get_number(bytes + 28, 8),
                           .instance = (uint32_t)get_number(bytes + 12, 4),
                           .number = (uint32_t)get_number(bytes + 20, 4),
                           .before = (uint32_t)get_number(bytes + 24, 4),
                           .from = (int32_t)get_number(bytes + 16, 2),
                           .to = (int32_t)get_number(bytes + 18, 2)};
  size_t due = head->what == TP_WITH_MESSAGE ? TP_PACKET : TP_HEAD;
  return size == due && head->what <= TP_STARTED && head->digest == loop->digest &&
         head->from < loop->peers && head->to == loop->self &&
         get_number(bytes + CHECK, CHECK_BYTES) == check_of(bytes, size);
}

uint64_t tp_packet_digest(const struct tp_role *role, const void *node, uint64_t run) {
  uint64_t parameters = role->digest(node);
  uint64_t digest = digest_of(0xcbf29ce484222325, &run, sizeof run);
  digest = digest_of(digest, &parameters, sizeof parameters);
  digest = digest_of(digest, role->protocol, strlen(role->protocol) + 1);
  for (int32_t i = 0; i < role->kind_count; i++) {
    digest = digest_of(digest, role->kinds[i].name, strlen(role->kinds[i].name) + 1);
    digest = digest_of(digest, &role->kinds[i].fields, sizeof role->kinds[i].fields);
  }
  return digest;
}

bool tp_packet_is_first(struct tp_seen *seen, uint32_t number) {
  if (number > seen->latest) {
    uint32_t ahead = number - seen->latest;
    seen->window = (ahead < 64 ? seen->window << ahead : 0) | 1;
    seen->latest = number;
    return true;
  }
  uint32_t behind = seen->latest - number;
  if (behind >= 64 || (seen->window >> behind & 1) != 0)
    return false;
  seen->window |= UINT64_C(1) << behind;
  return true;
}
