/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/random.h"
#include "base/vector.h"

struct row {
  uint64_t hash;
  bool is_there;
};

struct pair {
  struct index index;
  VECTOR(struct row) rows;
};

static void add(struct pair *pair, uint64_t hash) {
  index_add(&pair->index, hash, (uint32_t)pair->rows.count);
  vector_push(&pair->rows, (struct row){hash, true});
}

/* Every row with the lower half of the hash, each once, in the order of adding. */
static void check(const struct pair *pair, uint64_t hash) {
  struct index_look look = index_look(&pair->index, hash);
  for (uint32_t i = 0; i < pair->rows.count; i++)
    if (pair->rows.data[i].is_there && (uint32_t)pair->rows.data[i].hash == (uint32_t)hash) {
      assert_true(index_next(&look));
      assert_int_equal(look.row, i);
    }
  assert_false(index_next(&look));
}

static void clear(struct pair *pair) {
  index_clear(&pair->index);
  vector_clear(&pair->rows);
  assert_true(pair->index.slots == NULL);
}

static void test_empty_index_finds_nothing(void **state) {
  (void)state;
  struct pair pair = {0};
  check(&pair, 0);
  check(&pair, UINT64_MAX);
  index_empty(&pair.index, 0);
  check(&pair, 7);
  clear(&pair);
}

/* Hashes out of few, in clusters that go around the end of the slots. */
static uint64_t some_hash(struct random *random) {
  uint64_t near = random_below(random, 12), kind = random_below(random, 4);
  return kind == 0   ? near
         : kind == 1 ? UINT32_MAX - near
         : kind == 2 ? near << 32 | 5
                     : hash_word(0, random_below(random, 300));
}

static void run_against_list(uint64_t seed, bool removes) {
  struct random random = {seed};
  struct pair pair = {0};
  size_t there = 0;
  for (int i = 0; i < 600; i++) {
    uint64_t hash = some_hash(&random);
    uint32_t row = pair.rows.count == 0 ? 0 : (uint32_t)random_below(&random, pair.rows.count);
    if (removes && there != 0 && random_below(&random, 5) < 2 && pair.rows.data[row].is_there) {
      index_remove(&pair.index, pair.rows.data[row].hash, row);
      pair.rows.data[row].is_there = false;
      there--;
    } else {
      add(&pair, hash);
      there++;
    }
    assert_int_equal(pair.index.count, there);
    assert_true(2 * pair.index.count <= pair.index.size);
    check(&pair, hash);
    check(&pair, some_hash(&random));
  }
  for (size_t i = 0; i < pair.rows.count; i++)
    check(&pair, pair.rows.data[i].hash);
  clear(&pair);
}

static void test_random_rows_as_a_list_has_them(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 30; seed++) {
    run_against_list(seed, false);
    run_against_list(seed, true);
  }
}

static void test_emptied_index_keeps_its_memory(void **state) {
  (void)state;
  struct pair pair = {0};
  index_empty(&pair.index, 1000);
  const struct index_slot *slots = pair.index.slots;
  for (uint64_t i = 0; i < 1000; i++)
    add(&pair, hash_word(0, i));
  assert_true(pair.index.slots == slots);
  index_empty(&pair.index, 3);
  pair.rows.count = 0;
  assert_int_equal(pair.index.size, 64);
  check(&pair, hash_word(0, 999));
  for (uint64_t i = 0; i < 100; i++)
    add(&pair, i % 10);
  for (uint64_t i = 0; i < 20; i++)
    check(&pair, i);
  clear(&pair);
}

static void test_hash_of_bytes_counts_each(void **state) {
  (void)state;
  char bytes[24] = {0};
  for (size_t length = 0; length < sizeof bytes; length++) {
    uint64_t hash = hash_bytes(0, (struct slice){bytes, length});
    assert_true(hash != hash_bytes(1, (struct slice){bytes, length}));
    assert_true(hash != hash_bytes(0, (struct slice){bytes, length + 1}));
    for (size_t i = 0; i < length; i++) {
      bytes[i] = 1;
      assert_true(hash != hash_bytes(0, (struct slice){bytes, length}));
      bytes[i] = 0;
    }
  }
  assert_true(hash_string(0, NULL) == hash_string(0, ""));
  assert_true(hash_string(0, "ab") != hash_string(0, "ba"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty_index_finds_nothing),
      cmocka_unit_test(test_random_rows_as_a_list_has_them),
      cmocka_unit_test(test_emptied_index_keeps_its_memory),
      cmocka_unit_test(test_hash_of_bytes_counts_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
