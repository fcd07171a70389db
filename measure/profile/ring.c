/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/ring.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

bool ring_map(struct ring *ring, int descriptor, size_t pages) {
  size_t page = page_size();
  void *memory = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED)
    return false;
  *ring = (struct ring){.page = memory, .size = pages * page};
  return true;
}

void ring_unmap(struct ring *ring) {
  if (ring->page != NULL)
    munmap(ring->page, ring->size + page_size());
  mem_free(ring->whole);
  ring->page = NULL;
  ring->whole = NULL;
}

/* Of a ring that is mapped: what lies behind its first page. */
static const unsigned char *records_of(const struct ring *ring) {
  return (const unsigned char *)ring->page + page_size();
}

static void append(ring_bytes *bytes, const void *from, size_t size) {
  while (bytes->capacity - bytes->count < size) {
    bytes->capacity = bytes->capacity == 0 ? 1 << 16 : 2 * bytes->capacity;
    bytes->data = mem_resize(bytes->data, bytes->capacity, 1);
  }
  memcpy(bytes->data + bytes->count, from, size);
  bytes->count += size;
}

void ring_take(struct ring *ring, ring_bytes *bytes) {
  const unsigned char *records = records_of(ring);
  uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = ring->page->data_tail;
  if (head == tail)
    return;
  size_t start = (size_t)tail & (ring->size - 1), size = (size_t)(head - tail);
  size_t before_end = size < ring->size - start ? size : ring->size - start;
  append(bytes, records + start, before_end);
  append(bytes, records, size - before_end);
  __atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

/* A record whose parts lie at the end of the ring and at its beginning, in one piece. */
static const unsigned char *make_whole(struct ring *ring, size_t start, size_t size) {
  enum { LONGEST = 1 << 16 };
  size_t before_end = ring->size - start;
  if (ring->whole == NULL)
    ring->whole = mem_alloc(LONGEST, 1);
  memcpy(ring->whole, records_of(ring) + start, before_end);
  memcpy(ring->whole + before_end, records_of(ring), size - before_end);
  return ring->whole;
}

enum ring_found ring_next(struct ring *ring, struct ring_record *record) {
  struct perf_event_header header;
  if (ring->page == NULL)
    return RING_EMPTY;
  uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
  uint64_t left = head - ring->shown;
  if (left == 0)
    return RING_EMPTY;
  size_t start = (size_t)ring->shown & (ring->size - 1);
  memcpy(&header, records_of(ring) + start, sizeof header); /* 8 bytes: in one piece */
  if (header.size < sizeof header || header.size % 8 != 0 || header.size > left ||
      left > ring->size) {
    ring->shown = head;
    return RING_BROKEN;
  }
  const unsigned char *bytes = header.size <= ring->size - start
                                   ? records_of(ring) + start
                                   : make_whole(ring, start, header.size);
  *record = (struct ring_record){bytes, header.size, ring->shown};
  ring->shown += header.size;
  return RING_RECORD;
}

void ring_give_back(struct ring *ring, uint64_t position) {
  if (ring->page != NULL)
    __atomic_store_n(&ring->page->data_tail, position, __ATOMIC_RELEASE);
}
