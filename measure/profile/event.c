/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/event.h"

#include <string.h>

#include "measure/core/sample_record.h"

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

/* The words behind the header: where things stand in them is proved (measure/core). */
static bool decode_sample(struct ring_event *event, const struct bytes *bytes, bool stacks) {
  const uint64_t *words = (const uint64_t *)(const void *)bytes->at;
  struct sample_places places;
  if (!sample_locate(&places, words, bytes->left / 8, stacks ? EVENT_REGISTERS : 0))
    return false;
  event->kind = EVENT_SAMPLE;
  event->process = (uint32_t)words[0];
  event->thread = (uint32_t)(words[0] >> 32);
  event->time = words[1];
  event->period = words[2];
  event->chain = words + SAMPLE_CHAIN;
  event->chain_count = (size_t)places.chain_count;
  event->has_registers =
      places.registers != 0 && words[places.registers - 1] == PERF_SAMPLE_REGS_ABI_64;
  if (places.registers != 0)
    memcpy(event->registers, words + places.registers, sizeof event->registers);
  if (places.stack != 0)
    event->stack = (const unsigned char *)(words + places.stack);
  event->stack_size = (size_t)places.stack_bytes;
  return true;
}

/* What is left of the record, less its trailer, as a text. */
static bool take_name(struct ring_event *event, const struct bytes *bytes) {
  event->name = (const char *)bytes->at;
  return memchr(bytes->at, '\0', bytes->left) != NULL;
}

static bool decode_map(struct ring_event *event, struct bytes *bytes) {
  uint32_t protection, flags;
  uint64_t generation;
  event->kind = EVENT_MAP;
  if (!take32(bytes, &event->process) || !take32(bytes, &event->thread) ||
      !take64(bytes, &event->address) || !take64(bytes, &event->length) ||
      !take64(bytes, &event->offset) || !take32(bytes, &event->major) ||
      !take32(bytes, &event->minor) || !take64(bytes, &event->inode) ||
      !take64(bytes, &generation) || !take32(bytes, &protection) || !take32(bytes, &flags))
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

static bool decode_switch(struct ring_event *event, uint16_t misc) {
  event->kind = EVENT_SWITCH;
  event->out = (misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
  event->preempted = (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
  return true;
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
  case PERF_RECORD_SWITCH:
  case PERF_RECORD_SWITCH_CPU_WIDE:
    return decode_switch(event, header->misc);
  case PERF_RECORD_THROTTLE:
    event->kind = EVENT_THROTTLE;
    return true;
  default:
    event->kind = EVENT_OTHER;
    return true;
  }
}

/* Process and thread of the trailer are of who caused the record, which most bodies say better. */
static bool take_trailer(struct ring_event *event, struct bytes *bytes) {
  enum { TRAILER = 16, THREAD = 4, TIME = 8 };
  if (bytes->left < TRAILER)
    return false;
  bytes->left -= TRAILER;
  memcpy(&event->process, bytes->at + bytes->left, sizeof event->process);
  memcpy(&event->thread, bytes->at + bytes->left + THREAD, sizeof event->thread);
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

uint64_t event_time(const unsigned char *bytes, size_t size) {
  enum { SAMPLE_TIME = 16, FROM_END = 8, LEAST = 24 };
  struct perf_event_header header;
  uint64_t time;
  if (size < LEAST)
    return 0;
  memcpy(&header, bytes, sizeof header);
  memcpy(&time, bytes + (header.type == PERF_RECORD_SAMPLE ? SAMPLE_TIME : size - FROM_END),
         sizeof time);
  return time;
}
