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
  *ring = (struct ring){memory, pages * page};
  return true;
}

void ring_unmap(struct ring *ring) {
  if (ring->page != NULL)
    munmap(ring->page, ring->size + page_size());
  ring->page = NULL;
}

void ring_append(ring_bytes *bytes, const void *from, size_t size) {
  while (bytes->capacity - bytes->count < size) {
    bytes->capacity = bytes->capacity == 0 ? 1 << 16 : 2 * bytes->capacity;
    bytes->data = mem_resize(bytes->data, bytes->capacity, 1);
  }
  memcpy(bytes->data + bytes->count, from, size);
  bytes->count += size;
}

void ring_take(struct ring *ring, ring_bytes *bytes) {
  const char *records = (const char *)ring->page + page_size();
  uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = ring->page->data_tail;
  if (head == tail)
    return;
  size_t start = (size_t)tail & (ring->size - 1), size = (size_t)(head - tail);
  size_t before_end = size < ring->size - start ? size : ring->size - start;
  ring_append(bytes, records + start, before_end);
  ring_append(bytes, records, size - before_end);
  __atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}
