/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records that are read where they lie in the kernel's ring, the kernel being played here: each is
 * shown once, whole, also where it goes round the end, and stays until its space is given back.
 */
#include "measure/profile/event.h"
#include "measure/profile/ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = 4096, WAITING = 64 };

struct played {
  struct ring ring;
  unsigned char *records;
  uint64_t written; /* records */
};

static void start(struct played *played) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct perf_event_mmap_page *memory = aligned_alloc(page, page + SIZE);
  memset(memory, 0, page + SIZE);
  *played = (struct played){.ring = {.page = memory, .size = SIZE},
                            .records = (unsigned char *)memory + page};
}

static void stop(struct played *played) {
  struct perf_event_mmap_page *memory = played->ring.page;
  free(played->ring.whole);
  free(memory);
}

static void put_byte(struct played *played, uint64_t position, unsigned char byte) {
  played->records[position % SIZE] = byte;
}

/* What the record of a number holds at a place behind its header. */
static unsigned char content(uint64_t number, size_t at) {
  return (unsigned char)(number * 31 + at * 7);
}

static bool put(struct played *played, uint16_t size) {
  struct perf_event_mmap_page *page = played->ring.page;
  struct perf_event_header header = {PERF_RECORD_SAMPLE, 0, size};
  unsigned char bytes[sizeof header];
  if (page->data_head + size - page->data_tail > SIZE)
    return false;
  memcpy(bytes, &header, sizeof header);
  for (size_t i = 0; i < size; i++)
    put_byte(played, page->data_head + i,
             i < sizeof header ? bytes[i] : content(played->written, i));
  page->data_head += size;
  played->written++;
  return true;
}

static void check(const struct ring_record *record, uint64_t number) {
  assert_int_equal((uintptr_t)record->bytes % 8, 0);
  for (size_t i = sizeof(struct perf_event_header); i < record->size; i++)
    assert_int_equal(record->bytes[i], content(number, i));
}

/* Records of random sizes are written and shown by turns; up to 64 wait, and are looked at again
 * when the oldest is given back. */
static void records_are_shown_whole_and_kept(void **state) {
  (void)state;
  struct played played;
  struct ring_record waiting[WAITING];
  uint64_t first = 0, shown = 0, round_the_end = 0, full = 0;
  start(&played);
  srand(17);
  for (int turn = 0; turn < 20000; turn++) {
    if (rand() % 2 == 0)
      full += !put(&played, (uint16_t)(8 * (1 + rand() % 60)));
    if (rand() % 2 == 0 && shown - first < WAITING &&
        ring_next(&played.ring, &waiting[shown % WAITING]) == RING_RECORD) {
      struct ring_record *record = &waiting[shown % WAITING];
      round_the_end += record->position % SIZE + record->size > SIZE;
      check(record, shown++);
    }
    if (rand() % 2 == 0 && first < shown) {
      check(&waiting[first % WAITING], first);
      first++;
      ring_give_back(&played.ring,
                     first < shown ? waiting[first % WAITING].position : played.ring.shown);
    }
  }
  assert_true(round_the_end > 100 && full > 100 && shown > 5000);
  while (ring_next(&played.ring, &waiting[0]) == RING_RECORD)
    check(&waiting[0], shown++);
  assert_int_equal(shown, played.written);
  stop(&played);
}

/* A record that is no record ends what is there; what is written behind it is shown again. */
static void nonsense_is_passed_over(void **state) {
  (void)state;
  static const uint16_t sizes[] = {0, 7, 12, 4000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct played played;
    struct ring_record record;
    struct perf_event_header header = {PERF_RECORD_SAMPLE, 0, sizes[i]};
    start(&played);
    assert_int_equal(ring_next(&played.ring, &record), RING_EMPTY);
    put(&played, 64);
    put(&played, 64);
    memcpy(played.records, &header, sizeof header);
    assert_int_equal(ring_next(&played.ring, &record), RING_BROKEN);
    assert_int_equal(ring_next(&played.ring, &record), RING_EMPTY);
    put(&played, 32);
    assert_int_equal(ring_next(&played.ring, &record), RING_RECORD);
    check(&record, 2);
    played.ring.page->data_head += SIZE + 8; /* more than there can be */
    assert_int_equal(ring_next(&played.ring, &record), RING_BROKEN);
    stop(&played);
  }
}

/* Samples have their time in front, all else at the end. */
static void times_are_found(void **state) {
  (void)state;
  uint64_t words[4] = {0, 1, 22, 33};
  struct perf_event_header header = {PERF_RECORD_SAMPLE, 0, sizeof words};
  memcpy(words, &header, sizeof header);
  assert_int_equal(event_time((const unsigned char *)words, sizeof words), 22);
  header.type = PERF_RECORD_EXIT;
  memcpy(words, &header, sizeof header);
  assert_int_equal(event_time((const unsigned char *)words, sizeof words), 33);
  assert_int_equal(event_time((const unsigned char *)words, 16), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_are_shown_whole_and_kept),
      cmocka_unit_test(nonsense_is_passed_over),
      cmocka_unit_test(times_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
