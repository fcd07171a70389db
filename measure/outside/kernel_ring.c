/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/kernel_ring.h"

#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool kernel_ring_map(struct kernel_ring *ring, int map, size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  *ring = (struct kernel_ring){.size = size, .page = page};
  void *consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
  if (consumer == MAP_FAILED)
    return false;
  ring->consumer = consumer;
  /* twice, so that records are whole at the end */
  void *producer = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, map, (off_t)page);
  if (producer == MAP_FAILED)
    return false;
  ring->producer = producer;
  ring->bytes = (const unsigned char *)producer + page;
  return true;
}

void kernel_ring_unmap(struct kernel_ring *ring) {
  if (ring->consumer != NULL)
    munmap(ring->consumer, ring->page);
  if (ring->producer != NULL)
    munmap((void *)(uintptr_t)ring->producer, ring->page + 2 * ring->size);
  *ring = (struct kernel_ring){0};
}

bool kernel_ring_take(struct kernel_ring *ring,
                      void (*take)(void *context, const void *bytes, size_t size), void *context) {
  unsigned long end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
  unsigned long at = *ring->consumer;
  while (at < end) {
    const unsigned char *head = ring->bytes + (at & (ring->size - 1));
    uint32_t length = __atomic_load_n((const uint32_t *)(const void *)head, __ATOMIC_ACQUIRE);
    if ((length & BPF_RINGBUF_BUSY_BIT) != 0)
      break;
    bool discarded = (length & BPF_RINGBUF_DISCARD_BIT) != 0;
    length &= ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
    if (!discarded)
      take(context, head + BPF_RINGBUF_HDR_SZ, length);
    at += (length + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
    __atomic_store_n(ring->consumer, at, __ATOMIC_RELEASE);
  }
  return at >= end;
}
