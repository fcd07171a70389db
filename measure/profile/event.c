/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/event.h"

#include <string.h>

/* What is left of a record. */
struct bytes {
  const unsigned char *at;
  size_t left;
};

static bool take(struct bytes *bytes, void *value, size_t size) {
  if (bytes->left < size)
    return false;
  memcpy(value, bytes->at, size);
  bytes->at += size;
  bytes->left -= size;
  return true;
}

static bool take32(struct bytes *bytes, uint32_t *value) {
  return take(bytes, value, sizeof *value);
}

static bool take64(struct bytes *bytes, uint64_t *value) {
  return take(bytes, value, sizeof *value);
}

/* `count` things of `size` bytes stay in the record; their start, or NULL. */
static const unsigned char *skip(struct bytes *bytes, uint64_t count, size_t size) {
  if (count > bytes->left / size)
    return NULL;
  const unsigned char *start = bytes->at;
  bytes->at += (size_t)count * size;
  bytes->left -= (size_t)count * size;
  return start;
}

static bool take_registers(struct ring_event *event, struct bytes *bytes) {
  uint64_t abi;
  if (!take64(bytes, &abi))
    return false;
  event->has_registers = abi == PERF_SAMPLE_REGS_ABI_64;
  if (abi == PERF_SAMPLE_REGS_ABI_NONE)
    return true;
  for (size_t i = 0; i < EVENT_REGISTERS; i++)
    if (!take64(bytes, &event->registers[i]))
      return false;
  return true;
}

static bool take_stack(struct ring_event *event, struct bytes *bytes) {
  uint64_t size, used;
  if (!take64(bytes, &size))
    return false;
  if (size == 0)
    return true;
  event->stack = skip(bytes, size, 1);
  if (event->stack == NULL || !take64(bytes, &used))
    return false;
  event->stack_size = (size_t)(used < size ? used : size);
  return true;
}

static bool decode_sample(struct ring_event *event, struct bytes *bytes, bool stacks) {
  uint64_t count;
  event->kind = EVENT_SAMPLE;
  if (!take32(bytes, &event->process) || !take32(bytes, &event->thread) ||
      !take64(bytes, &event->time) || !take64(bytes, &event->period) || !take64(bytes, &count))
    return false;
  const unsigned char *chain = skip(bytes, count, sizeof *event->chain);
  if (chain == NULL)
    return false;
  event->chain = (const uint64_t *)(const void *)chain;
  event->chain_count = (size_t)count;
  return !stacks || (take_registers(event, bytes) && take_stack(event, bytes));
}

/* What is left of the record, less its trailer, as a text. */
static bool take_name(struct ring_event *event, const struct bytes *bytes) {
  event->name = (const char *)bytes->at;
  return memchr(bytes->at, '\0', bytes->left) != NULL;
}

static bool decode_map(struct ring_event *event, struct bytes *bytes) {
  uint32_t device[2], protection, flags;
  uint64_t generation;
  event->kind = EVENT_MAP;
  if (!take32(bytes, &event->process) || !take32(bytes, &event->thread) ||
      !take64(bytes, &event->address) || !take64(bytes, &event->length) ||
      !take64(bytes, &event->offset) || !take(bytes, device, sizeof device) ||
      !take64(bytes, &event->inode) || !take64(bytes, &generation) || !take32(bytes, &protection) ||
      !take32(bytes, &flags))
    return false;
  event->executable = (protection & 4) != 0; /* PROT_EXEC */
  return take_name(event, bytes);
}

static bool decode_command(struct ring_event *event, struct bytes *bytes, uint16_t misc) {
  event->kind = EVENT_COMMAND;
  event->exec = (misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
  return take32(bytes, &event->process) && take32(bytes, &event->thread) && take_name(event, bytes);
}

static bool decode_task(struct ring_event *event, struct bytes *bytes, enum event_kind kind) {
  event->kind = kind;
  return take32(bytes, &event->process) && take32(bytes, &event->parent_process) &&
         take32(bytes, &event->thread) && take32(bytes, &event->parent_thread);
}

static bool decode_lost(struct ring_event *event, struct bytes *bytes, bool has_id) {
  uint64_t id;
  event->kind = EVENT_LOST;
  return (!has_id || take64(bytes, &id)) && take64(bytes, &event->lost);
}

static bool decode_body(struct ring_event *event, struct bytes *bytes,
                        const struct perf_event_header *header) {
  switch (header->type) {
  case PERF_RECORD_MMAP2:
    return decode_map(event, bytes);
  case PERF_RECORD_COMM:
    return decode_command(event, bytes, header->misc);
  case PERF_RECORD_FORK:
    return decode_task(event, bytes, EVENT_FORK);
  case PERF_RECORD_EXIT:
    return decode_task(event, bytes, EVENT_EXIT);
  case PERF_RECORD_LOST:
    return decode_lost(event, bytes, true);
  case PERF_RECORD_LOST_SAMPLES:
    return decode_lost(event, bytes, false);
  case PERF_RECORD_THROTTLE:
    event->kind = EVENT_THROTTLE;
    return true;
  default:
    event->kind = EVENT_OTHER;
    return true;
  }
}

/* Process and thread of the trailer are of who caused the record; only its time is wanted. */
static bool take_trailer(struct ring_event *event, struct bytes *bytes) {
  enum { TRAILER = 16, TIME = 8 };
  if (bytes->left < TRAILER)
    return false;
  bytes->left -= TRAILER;
  memcpy(&event->time, bytes->at + bytes->left + TIME, sizeof event->time);
  return true;
}

bool event_decode(struct ring_event *event, const unsigned char *bytes, size_t size, bool stacks) {
  struct perf_event_header header;
  struct bytes rest = {bytes, size};
  *event = (struct ring_event){0};
  if (!take(&rest, &header, sizeof header) || header.size != size)
    return false;
  if (header.type == PERF_RECORD_SAMPLE)
    return decode_sample(event, &rest, stacks);
  return take_trailer(event, &rest) && decode_body(event, &rest, &header);
}
