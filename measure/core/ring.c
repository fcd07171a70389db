/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/ring.h"

int ring_capacity_valid(uint64_t capacity) {
  if (capacity > RING_CAPACITY_MAX)
    return 0;
  uint64_t power = 2;
  /*@ loop invariant power_of_two: ring_power_of_two(power);
      loop invariant none_below: \forall integer n; ring_power_of_two(n) && n < power ==>
        n < capacity;
      loop invariant not_past: 2 < power ==> power < 2 * capacity;
      loop assigns power;
      loop variant capacity - power;
  */
  while (power < capacity)
    power = 2 * power;
  return power == capacity;
}

uint64_t ring_slot(uint64_t position, uint64_t capacity) {
  return (position - 1) % capacity;
}

uint64_t ring_first(uint64_t written, uint64_t capacity) {
  return ring_overwritten(written, capacity) + 1;
}

uint64_t ring_overwritten(uint64_t written, uint64_t capacity) {
  return written < capacity ? 0 : written - (capacity - 1);
}

enum ring_slot_state ring_judge(uint64_t position, uint64_t found, uint64_t written,
                                uint64_t capacity) {
  if (found == position)
    return RING_COMPLETE;
  if (position > written && found == (position <= capacity ? 0 : position - capacity))
    return RING_EMPTY;
  return RING_TORN;
}
