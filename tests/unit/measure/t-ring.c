/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Positions of a log against a log that is really kept, and their ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/core/ring.h"
#include "tests/unit/measure/core_random.h"

static void capacities(void **state) {
  (void)state;
  for (uint64_t capacity = 0; capacity <= 4096; capacity++)
    assert_int_equal(ring_capacity_valid(capacity),
                     capacity >= 2 && (capacity & (capacity - 1)) == 0);
  for (unsigned bit = 1; bit < 64; bit++) {
    uint64_t power = (uint64_t)1 << bit;
    assert_int_equal(ring_capacity_valid(power), power <= RING_CAPACITY_MAX);
    assert_int_equal(ring_capacity_valid(power + 1), 0);
    assert_int_equal(ring_capacity_valid(power - 1), 0);
  }
  assert_int_equal(ring_capacity_valid(UINT64_MAX), 0);
}

/* Writes position by position; before the record of a position is changed its slot is 0. */
static void a_log(void **state) {
  (void)state;
  enum { MOST = 16, WRITES = 70 };
  for (uint64_t capacity = 2; capacity <= MOST; capacity *= 2) {
    uint64_t slots[MOST] = {0};
    for (uint64_t written = 0; written < WRITES; written++) {
      uint64_t first = ring_first(written, capacity);
      assert_int_equal(first, ring_overwritten(written, capacity) + 1);
      for (uint64_t p = 1; p <= written; p++) {
        enum ring_slot_state found =
            ring_judge(p, slots[ring_slot(p, capacity)], written, capacity);
        if (p >= first)
          assert_int_equal(found, RING_COMPLETE);
        else if (p + capacity <= written)
          assert_int_equal(found, RING_TORN); /* another record has its place */
      }
      uint64_t next = written + 1, *slot = &slots[ring_slot(next, capacity)];
      assert_int_equal(ring_judge(next, *slot, written, capacity), RING_EMPTY);
      *slot = 0;
      assert_int_equal(ring_judge(next, *slot, written, capacity),
                       next <= capacity ? RING_EMPTY : RING_TORN);
      for (uint64_t p = first; p <= written; p++) /* still there while the next is under way */
        assert_int_equal(slots[ring_slot(p, capacity)], p);
      *slot = next;
      assert_int_equal(ring_judge(next, *slot, written, capacity), RING_COMPLETE);
    }
  }
}

static void random_positions(void **state) {
  (void)state;
  for (int i = 0; i < 200000; i++) {
    uint64_t capacity = (uint64_t)2 << (core_random() % 24), written = core_random_word();
    signed_wide before = (signed_wide)written - (signed_wide)capacity + 1;
    assert_true(ring_overwritten(written, capacity) == (uint64_t)(before < 0 ? 0 : before));
    if (written > 0)
      assert_true(ring_slot(written, capacity) == (written - 1) % capacity);
    if (written < UINT64_MAX)
      assert_true(ring_first(written, capacity) == (uint64_t)(before < 0 ? 0 : before) + 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(capacities),
      cmocka_unit_test(a_log),
      cmocka_unit_test(random_positions),
  };
  return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
