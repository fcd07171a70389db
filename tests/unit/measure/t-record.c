/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The recording library through its public functions; what a store then holds is read by the
 * library's other half, and held against what the test keeps itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/core/ticks.h"
#include "tests/unit/measure/stores.h"

enum { CAPACITY = 64 };

static struct tailproof_store *store_open(const char *node) {
  struct tailproof_store *store;
  struct tailproof_options options = {.folder = folder, .node = node, .log_records = CAPACITY};
  assert_int_equal(tailproof_open(&store, &options), 0);
  return store;
}

static uint64_t random_state = 20240607;

static uint64_t random_next(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static struct tailproof_event event_random(int name) {
  struct tailproof_event event = {.name = name,
                                  .instance = (uint32_t)random_next(),
                                  .count = (uint32_t)(random_next() % (TAILPROOF_ARGUMENTS + 1))};
  event.start = random_next() >> (random_next() % 60);
  event.end = event.start + random_next() % 1000000;
  if (event.end < event.start)
    event.start = event.end;
  for (uint32_t i = 0; i < event.count; i++)
    event.arguments[i] = (int32_t)random_next();
  return event;
}

struct expected {
  const struct tailproof_event *events;
  uint64_t written, seen;
};

static int record_is_expected(void *context, const struct store_record *found) {
  struct expected *expected = context;
  const struct tailproof_event *event = &expected->events[found->position - 1];
  assert_in_range(found->position, expected->written - CAPACITY + 2, expected->written);
  assert_true(found->record.start == event->start && found->record.end == event->end);
  assert_int_equal(found->record.instance, event->instance);
  assert_int_equal(found->record.name, event->name);
  assert_int_equal(found->record.count, event->count);
  for (uint32_t i = 0; i < RECORD_ARGUMENTS; i++)
    assert_int_equal(found->record.arguments[i], i < event->count ? event->arguments[i] : 0);
  expected->seen++;
  return 0;
}

/* The log keeps the latest, whole; the histogram has all durations, rounded up. */
static void what_is_recorded_is_read(void **state) {
  (void)state;
  enum { COUNT = 5 * CAPACITY + 7 };
  struct tailproof_store *store = store_open("");
  int names[] = {tailproof_component(store, "A"), tailproof_action(store, "r.B", NULL),
                 tailproof_request(store, "round")};
  struct tailproof_writer *writer = tailproof_writer_open(store);
  static struct tailproof_event events[COUNT];
  static struct histogram expected[3], found;
  for (int i = 0; i < 3; i++)
    histogram_init(&expected[i]);
  for (int i = 0; i < COUNT; i++) {
    int which = (int)(random_next() % 3);
    events[i] = event_random(names[which]);
    assert_int_equal(tailproof_record(writer, &events[i]), 0);
    histogram_record(&expected[which], tailproof_ns_up(writer, events[i].end - events[i].start));
  }
  struct store_reader *reader = close_and_read(store);
  struct expected records = {events, COUNT, 0};
  assert_int_equal(store_reader_each(reader, record_is_expected, &records), 0);
  assert_int_equal(records.seen, CAPACITY - 1);
  assert_int_equal(store_reader_facts(reader)->overwritten, COUNT - (CAPACITY - 1));
  for (int i = 0; i < 3; i++) {
    int kept = store_reader_histogram(reader, (uint32_t)names[i], &found);
    assert_int_equal(kept, i != 1); /* the action has no component */
    if (kept)
      assert_memory_equal(&found, &expected[i], sizeof found);
  }
  store_reader_close(reader);
  folder_empty();
}

static int is_last(void *context, const struct store_record *found) {
  *(struct store_record *)context = *found;
  return 0;
}

/* One reading ends a part and begins the next. */
static void parts_without_gaps(void **state) {
  (void)state;
  struct tailproof_store *store = store_open("");
  int part = tailproof_component(store, "Part");
  struct tailproof_writer *writer = tailproof_writer_open(store);
  uint64_t start = tailproof_now(writer), at = start;
  for (int i = 0; i < 10; i++) {
    uint64_t end = tailproof_end(writer, part, at);
    assert_true(end >= at);
    at = end;
  }
  struct store_reader *reader = close_and_read(store);
  struct store_record last;
  store_reader_each(reader, is_last, &last);
  assert_int_equal(last.position, 10);
  assert_true(last.record.end == at && last.record.count == 0);
  assert_int_equal(total_of(reader, (uint32_t)part), 10);
  store_reader_close(reader);
  folder_empty();
}

static void a_name_after_the_writer(void **state) {
  (void)state;
  struct tailproof_store *store = store_open("");
  struct tailproof_writer *first = tailproof_writer_open(store);
  int late = tailproof_component(store, "Late");
  for (int i = 0; i < 3; i++)
    tailproof_end(first, late, 0);
  struct tailproof_writer *second = tailproof_writer_open(store);
  tailproof_end(second, late, 0);
  tailproof_writer_close(first);
  struct store_reader *reader = close_and_read(store);
  assert_int_equal(store_reader_facts(reader)->writers, 2);
  assert_int_equal(store_reader_facts(reader)->records, 4);
  assert_int_equal(total_of(reader, (uint32_t)late), 4);
  store_reader_close(reader);
  folder_empty();
}

/* What cannot be recorded is counted, and changes nothing else. */
static void refusals(void **state) {
  (void)state;
  struct tailproof_store *store = store_open("");
  int grant = tailproof_component(store, "Grant"), message = tailproof_message(store, "M", "d", "");
  struct tailproof_writer *writer = tailproof_writer_open(store);
  struct tailproof_event backwards = {.name = grant, .start = 2, .end = 1};
  assert_int_equal(tailproof_record(writer, &backwards), -EINVAL);
  assert_true(error_says("the clock went back"));
  struct tailproof_event many = {.name = grant, .count = 8};
  assert_int_equal(tailproof_record(writer, &many), -EINVAL);
  struct tailproof_event unknown = {.name = 99};
  assert_int_equal(tailproof_record(writer, &unknown), -EINVAL);
  struct tailproof_event far = {.name = INT32_MAX};
  assert_int_equal(tailproof_record(writer, &far), -EINVAL);
  struct tailproof_event kind = {.name = message};
  assert_int_equal(tailproof_record(writer, &kind), -EINVAL);
  assert_true(error_says("another kind"));
  tailproof_end(writer, grant, UINT64_MAX);
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
  struct tailproof_event no_message = {.name = grant};
  tailproof_send(writer, &no_message, stamp);
  struct tailproof_event huge = {.name = INT32_MAX};
  tailproof_send(writer, &huge, stamp);
  huge.end = tailproof_now(writer);
  tailproof_arrive(writer, &huge, stamp);
  tailproof_dequeue(writer, &huge);
  struct store_reader *reader = close_and_read(store);
  assert_int_equal(store_reader_facts(reader)->refused, 10);
  assert_int_equal(store_reader_facts(reader)->records, 0);
  assert_int_equal(total_of(reader, (uint32_t)grant), 0);
  store_reader_close(reader);
  folder_empty();
}

/* A program works on without its store. */
static void nothing_is_accepted_everywhere(void **state) {
  (void)state;
  struct tailproof_event event = {.end = 5};
  unsigned char stamp[TAILPROOF_STAMP_BYTES], zero[TAILPROOF_STAMP_BYTES] = {0};
  memset(stamp, 1, sizeof stamp);
  uint64_t before = tailproof_now(NULL);
  assert_true(before > 0);
  assert_true(tailproof_end(NULL, 0, 0) >= before);
  assert_int_equal(tailproof_record(NULL, &event), 0);
  assert_true(tailproof_send(NULL, &event, stamp) >= before);
  assert_memory_equal(stamp, zero, sizeof stamp);
  tailproof_reply_at(NULL, &event, 0, &event, stamp, stamp);
  assert_int_equal(tailproof_arrive(NULL, &event, stamp), 0);
  assert_int_equal(event.start, 5);
  assert_true(tailproof_dequeue(NULL, &event) >= before);
  tailproof_dequeue_at(NULL, &event);
  assert_int_equal(tailproof_ns_up(NULL, 7), 7);
  assert_int_equal(tailproof_ns_down(NULL, 7), 7);
  assert_null(tailproof_writer_open(NULL));
  tailproof_writer_close(NULL);
  assert_int_equal(tailproof_close(NULL), 0);
  assert_string_equal(tailproof_path(NULL), "");

  struct tailproof_store *store = store_open("");
  struct tailproof_writer *writer = tailproof_writer_open(store);
  struct tailproof_event nameless = {.name = -EINVAL};
  tailproof_end(writer, -EINVAL, 0);
  assert_int_equal(tailproof_record(writer, &nameless), -EINVAL);
  nameless.end = tailproof_send(writer, &nameless, stamp);
  assert_int_equal(tailproof_arrive(writer, &nameless, stamp), -EINVAL);
  tailproof_dequeue(writer, &nameless);
  struct store_reader *reader = close_and_read(store);
  assert_int_equal(store_reader_facts(reader)->records, 0);
  assert_int_equal(store_reader_facts(reader)->refused, 5); /* what has no name is missing */
  store_reader_close(reader);
  folder_empty();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_recorded_is_read),       cmocka_unit_test(parts_without_gaps),
      cmocka_unit_test(a_name_after_the_writer),        cmocka_unit_test(refusals),
      cmocka_unit_test(nothing_is_accepted_everywhere),
  };
  return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
