/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages: what a stamp tells the receiver with the same clock, with another one, and what the
 * answer tells the asker.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/core/stamp.h"
#include "measure/core/ticks.h"
#include "tests/unit/measure/stores.h"

/* Two ends; each has its store, as two processes would. */
struct end {
  struct tailproof_store *store;
  struct tailproof_writer *writer;
  int question, answer;
};

static struct end end_open(const char *node, int others) {
  struct end end;
  struct tailproof_options options = {.folder = folder, .node = node};
  assert_int_equal(tailproof_open(&end.store, &options), 0);
  for (char name = 'A'; name < 'A' + others; name++) /* numbers differ between the ends */
    tailproof_component(end.store, (const char[]){name, '\0'});
  end.question = tailproof_message(end.store, "Question", "d", "Queuing");
  end.answer = tailproof_message(end.store, "Answer", "d", NULL);
  end.writer = tailproof_writer_open(end.store);
  assert_non_null(end.writer);
  return end;
}

static struct store_reader *end_close(struct end *end) {
  char path[256];
  snprintf(path, sizeof path, "%s", tailproof_path(end->store));
  assert_int_equal(tailproof_close(end->store), 0);
  return reader_open(path);
}

struct found {
  struct record records[16];
  uint64_t count;
};

static int keep(void *context, const struct store_record *record) {
  struct found *found = context;
  assert_true(found->count < 16);
  found->records[found->count++] = record->record;
  return 0;
}

static struct found records_of(const struct store_reader *reader) {
  struct found found = {.count = 0};
  assert_int_equal(store_reader_each(reader, keep, &found), 0);
  return found;
}

static void is_record(const struct record *record, uint8_t kind, int name, uint64_t start,
                      uint64_t end) {
  assert_int_equal(record->kind, kind);
  assert_int_equal(record->name, name);
  assert_true(record->start == start && record->end == end);
}

static void one_clock(void **state) {
  (void)state;
  struct end here = end_open("here", 0), there = end_open("there", 3);
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
  struct tailproof_event event = {
      .name = here.question, .instance = 9, .count = 2, .arguments = {4, -5}};
  uint64_t sent = tailproof_send(here.writer, &event, stamp);
  event.name = there.question;
  event.end = tailproof_now(there.writer);
  uint64_t arrived = event.end;
  assert_int_equal(tailproof_arrive(there.writer, &event, stamp), 0);
  assert_true(event.start == sent && event.end == arrived);
  event.start = event.end;
  uint64_t dequeued = tailproof_dequeue(there.writer, &event);
  event.end = dequeued + 3;
  tailproof_dequeue_at(there.writer, &event);

  struct store_reader *reader = end_close(&here);
  struct found found = records_of(reader);
  assert_int_equal(found.count, 1);
  is_record(&found.records[0], FORMAT_SEND, here.question, sent, sent);
  assert_int_equal(found.records[0].arguments[1], -5);
  store_reader_close(reader);
  reader = end_close(&there);
  found = records_of(reader);
  assert_int_equal(found.count, 3);
  is_record(&found.records[0], FORMAT_DELAY, there.question + 1, sent, arrived);
  is_record(&found.records[1], FORMAT_WAIT, there.question + 2, arrived, dequeued);
  is_record(&found.records[2], FORMAT_WAIT, there.question + 2, arrived, dequeued + 3);
  assert_int_equal(found.records[0].instance, 9);
  assert_int_equal(found.records[0].arguments[0], 4);
  assert_int_equal(total_of(reader, (uint32_t)there.question + 1), 1);
  assert_int_equal(total_of(reader, (uint32_t)there.question + 2), 2);
  store_reader_close(reader);
  folder_empty();
}

/* The same stamp from another host: its ticks mean nothing here. */
static void another_clock(void **state) {
  (void)state;
  struct end end = end_open("", 0);
  struct stamp stamp = {.clock_identity = 12345, .sent = 1, .name = 7};
  unsigned char bytes[TAILPROOF_STAMP_BYTES];
  stamp_encode(bytes, &stamp);
  struct tailproof_event event = {.name = end.question, .end = 1000};
  assert_int_equal(tailproof_arrive(end.writer, &event, bytes), 1);
  assert_int_equal(event.start, 1000);
  struct store_reader *reader = end_close(&end);
  struct found found = records_of(reader);
  assert_int_equal(found.count, 1);
  is_record(&found.records[0], FORMAT_ARRIVAL, end.question + 4, 1000, 1000);
  assert_int_equal(store_reader_facts(reader)->refused, 0);
  store_reader_close(reader);
  folder_empty();
}

/* The receiver's clock went back: no delay, but the message did arrive. */
static void a_clock_that_went_back(void **state) {
  (void)state;
  struct end end = end_open("", 0);
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
  struct tailproof_event event = {.name = end.question};
  tailproof_send_at(end.writer, &event, 1001, stamp);
  event.end = 1000;
  assert_int_equal(tailproof_arrive(end.writer, &event, stamp), 1);
  assert_non_null(strstr(tailproof_error(), "the clock went back"));
  struct store_reader *reader = end_close(&end);
  struct found found = records_of(reader);
  assert_int_equal(found.count, 2);
  is_record(&found.records[1], FORMAT_ARRIVAL, end.question + 4, 1000, 1000);
  assert_int_equal(store_reader_facts(reader)->refused, 1);
  store_reader_close(reader);
  folder_empty();
}

/* Each byte of a stamp, changed. */
static void damaged_stamps(void **state) {
  (void)state;
  struct end end = end_open("", 0);
  unsigned char stamp[TAILPROOF_STAMP_BYTES], zero[TAILPROOF_STAMP_BYTES] = {0};
  struct tailproof_event event = {.name = end.question};
  tailproof_send_at(end.writer, &event, 1, stamp);
  event.end = 1000;
  for (int i = 0; i < TAILPROOF_STAMP_BYTES; i++) {
    stamp[i] ^= 0x10;
    assert_int_equal(tailproof_arrive(end.writer, &event, stamp), -EBADMSG);
    assert_int_equal(event.start, 1000);
    stamp[i] ^= 0x10;
  }
  assert_int_equal(tailproof_arrive(end.writer, &event, zero), -EBADMSG);
  struct store_reader *reader = end_close(&end);
  assert_int_equal(store_reader_facts(reader)->bad_stamps, TAILPROOF_STAMP_BYTES + 1);
  assert_int_equal(store_reader_facts(reader)->records, 1);
  store_reader_close(reader);
  folder_empty();
}

/* Asked at 1000 ticks, held for `held`, answered at `back`; the answerer's clock is another's when
 * `foreign`. Returns what the asker's store has. */
static struct found ask(struct end *here, uint64_t held, uint64_t back, int foreign,
                        struct store_reader **reader) {
  struct end there = end_open("there", 3);
  *here = end_open("here", 1);
  unsigned char stamp[TAILPROOF_STAMP_BYTES], answer_stamp[TAILPROOF_STAMP_BYTES];
  struct tailproof_event question = {.name = here->question, .instance = 1};
  tailproof_send_at(here->writer, &question, 1000, stamp);
  question.name = there.question;
  question.end = 5000; /* on the answerer's clock, which is ahead */
  assert_int_equal(tailproof_arrive(there.writer, &question, stamp), 0);
  struct tailproof_event answer = {.name = there.answer, .instance = 1};
  tailproof_reply_at(there.writer, &answer, 5000 + held, &question, stamp, answer_stamp);
  if (foreign) {
    struct stamp fields;
    assert_true(stamp_decode(&fields, answer_stamp));
    fields.clock_identity++;
    stamp_encode(answer_stamp, &fields);
  }
  answer.name = here->answer;
  answer.end = back;
  tailproof_arrive(here->writer, &answer, answer_stamp);
  store_reader_close(end_close(&there));
  *reader = end_close(here);
  return records_of(*reader);
}

static void a_round_trip(void **state) {
  (void)state;
  struct end here;
  struct store_reader *reader;
  struct found found = ask(&here, 300000, 901000, 1, &reader);
  assert_int_equal(found.count, 3);
  is_record(&found.records[2], FORMAT_ARRIVAL, here.answer + 4, 901000, 901000);
  const struct record *trip = &found.records[1];
  assert_int_equal(trip->kind, FORMAT_ROUNDTRIP);
  assert_int_equal(trip->name, here.question + 3);
  assert_int_equal(trip->start, 1000);
  /* 900000 ticks less 300000, not too little and at most rounding and drift more */
  uint64_t ticks = trip->end - trip->start;
  const struct format_header *header = store_reader_facts(reader)->header;
  uint64_t slack =
      300000 -
      (uint64_t)(300000 * (double)header->ns_per_tick_down / (double)header->ns_per_tick_up) + 4 +
      300 + 1;
  assert_in_range(ticks, 600300, 600000 + slack);
  assert_int_equal(total_of(reader, trip->name), 1);
  store_reader_close(reader);
  folder_empty();
}

/* Held for longer than it took: an answer to something else, or a clock that went back. */
static void impossible_round_trips(void **state) {
  (void)state;
  struct end here;
  struct store_reader *reader;
  struct found found = ask(&here, 500000, 301000, 1, &reader);
  assert_int_equal(found.count, 2);
  assert_int_equal(store_reader_facts(reader)->refused, 1);
  store_reader_close(reader);
  found = ask(&here, 10, 900, 1, &reader);
  assert_int_equal(found.count, 2);
  assert_int_equal(store_reader_facts(reader)->refused, 1);
  store_reader_close(reader);
  folder_empty();
}

/* The answer goes to another host than the question came from: no round trip of its. */
static void an_answer_to_another(void **state) {
  (void)state;
  struct end end = end_open("", 0);
  unsigned char question_stamp[TAILPROOF_STAMP_BYTES], bytes[TAILPROOF_STAMP_BYTES];
  struct stamp asked = {.clock_identity = 12345, .sent = 900, .name = (uint16_t)end.question};
  stamp_encode(question_stamp, &asked);
  struct tailproof_event question = {.name = end.question, .end = 950},
                         answer = {.name = end.answer, .end = 1000};
  tailproof_reply_at(end.writer, &answer, 960, &question, question_stamp, bytes);
  assert_int_equal(tailproof_arrive(end.writer, &answer, bytes), 0);
  struct store_reader *reader = end_close(&end);
  struct found found = records_of(reader);
  assert_int_equal(found.count, 2);
  is_record(&found.records[1], FORMAT_DELAY, end.answer + 1, 960, 1000);
  store_reader_close(reader);
  folder_empty();
}

/* An answer that claims a question of a name that is no message here. */
static void an_answer_to_nobody(void **state) {
  (void)state;
  struct end end = end_open("", 1);
  const uint16_t names[] = {0, 2, 11, 511, 65535};
  unsigned char bytes[TAILPROOF_STAMP_BYTES];
  for (int i = 0; i < 5; i++) {
    struct stamp stamp = {.clock_identity = 1, .answer = 1, .question_name = names[i]};
    stamp_encode(bytes, &stamp);
    struct tailproof_event event = {.name = end.answer, .end = 1000};
    assert_int_equal(tailproof_arrive(end.writer, &event, bytes), 1);
  }
  struct store_reader *reader = end_close(&end);
  assert_int_equal(store_reader_facts(reader)->bad_stamps, 5);
  assert_int_equal(store_reader_facts(reader)->records, 5);
  store_reader_close(reader);
  folder_empty();
}

/* A damaged question is answered by a message that is no answer. */
static void an_answer_to_garbage(void **state) {
  (void)state;
  struct end end = end_open("", 0);
  unsigned char garbage[TAILPROOF_STAMP_BYTES] = "TP", bytes[TAILPROOF_STAMP_BYTES];
  struct tailproof_event question = {.name = end.question, .end = 10},
                         answer = {.name = end.answer};
  tailproof_reply_at(end.writer, &answer, 20, &question, garbage, bytes);
  struct stamp stamp;
  assert_true(stamp_decode(&stamp, bytes));
  assert_int_equal(stamp.answer, 0);
  assert_int_equal(stamp.sent, 20);
  assert_int_equal(stamp.name, end.answer);
  store_reader_close(end_close(&end));
  folder_empty();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_clock),
      cmocka_unit_test(another_clock),
      cmocka_unit_test(a_clock_that_went_back),
      cmocka_unit_test(damaged_stamps),
      cmocka_unit_test(a_round_trip),
      cmocka_unit_test(impossible_round_trips),
      cmocka_unit_test(an_answer_to_another),
      cmocka_unit_test(an_answer_to_nobody),
      cmocka_unit_test(an_answer_to_garbage),
  };
  return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
