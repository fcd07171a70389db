/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a reader claims of a store: all that is complete and nothing else, whatever happened to the
 * file. Stores are made by the recording library, then changed byte by byte.
 */
#include "tests/unit/measure/changed_store.h"

static void whole(void **state) {
  (void)state;
  write_file(original, original_size);
  struct store_reader *reader = open_changed();
  assert_non_null(reader);
  const struct store_facts *facts = store_reader_facts(reader);
  assert_int_equal(facts->names, 2);
  assert_int_equal(facts->writers, WRITERS);
  assert_int_equal(facts->records, LOG - 1 + COMPONENTS + 1);
  assert_int_equal(facts->overwritten, LONG - (LOG - 1));
  assert_int_equal(facts->torn, 0);
  assert_int_equal(facts->refused, 1);
  assert_true(facts->closed && !facts->damaged);
  assert_string_equal(facts->header->node, "node[3]");
  assert_string_equal(store_reader_name(reader, 0)->series, "Grant");
  assert_string_equal(store_reader_name(reader, 1)->name, "node.Hold");
  assert_null(store_reader_name(reader, 2));
  assert_true(store_reader_histogram(reader, 0, &histogram));
  assert_int_equal(histogram.total, LONG + COMPONENTS);
  assert_int_equal(histogram.counts[histogram_bucket(100)], WRITERS);
  assert_int_equal(histogram.counts[histogram_bucket(100 + LONG - 1)], 1);
  assert_false(store_reader_histogram(reader, 1, &histogram));
  assert_false(store_reader_histogram(reader, 99, &histogram));
  uint64_t start = facts->header->start_ticks, moment = facts->header->start_monotonic_ns;
  assert_int_equal(store_reader_moment_ns(reader, start), moment);
  assert_int_equal(store_reader_moment_ns(reader, start + 12345), moment + 12345);
  assert_int_equal(store_reader_moment_ns(reader, start - 1000), moment - 1000);
  store_reader_close(reader);
  store_reader_close(NULL);
}

static int stop_at_third(void *context, const struct store_record *record) {
  (void)record;
  return ++*(int *)context == 3 ? 7 : 0;
}

static void stops(void **state) {
  (void)state;
  write_file(original, original_size);
  struct store_reader *reader = open_changed();
  int seen = 0;
  assert_int_equal(store_reader_each(reader, stop_at_third, &seen), 7);
  assert_int_equal(seen, 3);
  store_reader_close(reader);
}

/* The copy does not care what becomes of the file. */
static void shrinks(void **state) {
  (void)state;
  write_file(original, original_size);
  struct store_reader *reader = open_changed();
  assert_int_equal(truncate(path, 0), 0);
  claimed = 0;
  store_reader_each(reader, check_record, NULL);
  assert_int_equal(claimed, LOG - 1 + COMPONENTS + 1);
  assert_true(store_reader_histogram(reader, 0, &histogram));
  store_reader_close(reader);
}

/* While it is written: opened again after each recording. */
static void live(void **state) {
  (void)state;
  struct tailproof_options options = {
      .folder = folder, .log_records = LOG, .clock = TAILPROOF_CLOCK_MONOTONIC};
  struct tailproof_store *store;
  struct store_reader *reader;
  assert_int_equal(tailproof_open(&store, &options), 0);
  int grant = tailproof_component(store, "Grant");
  struct tailproof_writer *writer = tailproof_writer_open(store);
  for (uint64_t i = 0; i < 3 * LOG; i++) {
    assert_int_equal(store_reader_open(&reader, tailproof_path(store), message, sizeof message), 0);
    const struct store_facts *facts = store_reader_facts(reader);
    assert_true(!facts->closed && !facts->damaged && facts->torn == 0);
    assert_int_equal(facts->records + facts->overwritten, i);
    assert_int_equal(facts->records, i < LOG ? i : LOG - 1);
    store_reader_histogram(reader, 0, &histogram);
    assert_int_equal(histogram.total, i);
    store_reader_close(reader);
    tailproof_end(writer, grant, tailproof_now(writer));
  }
  unlink(tailproof_path(store));
  assert_int_equal(tailproof_close(store), 0);
}

/* What a process leaves that is killed while it writes a record, and while it makes a segment. */
static void killed(void **state) {
  (void)state;
  unsigned char *bytes = copy_original();
  struct format_header *header = (struct format_header *)(void *)bytes;
  header->mutable.closed = 0;
  struct format_segment *log = find_segment(bytes, FORMAT_LOG, 0);
  slot_of(log, LONG + 1)[0] = 0;
  slot_of(log, LONG + 1)[3] ^= 5;
  write_file(bytes, original_size);
  struct store_reader *reader = open_changed();
  assert_int_equal(store_reader_facts(reader)->torn, 1);
  assert_int_equal(store_reader_facts(reader)->records, LOG - 1 + COMPONENTS + 1);
  assert_false(store_reader_facts(reader)->damaged);
  store_reader_close(reader);
  unsigned char *longer = calloc(1, original_size + 2 * FORMAT_PAGE);
  memcpy(longer, bytes, original_size);
  write_file(longer, original_size + 2 * FORMAT_PAGE); /* room, and no header yet */
  reader = open_changed();
  assert_int_equal(store_reader_facts(reader)->torn, 1);
  assert_false(store_reader_facts(reader)->damaged);
  store_reader_close(reader);
  memcpy(longer + original_size, log, 24); /* half a header */
  write_file(longer, original_size + 2 * FORMAT_PAGE);
  reader = open_changed();
  assert_int_equal(store_reader_facts(reader)->torn, 2);
  assert_false(store_reader_facts(reader)->damaged);
  store_reader_close(reader);
  longer[original_size + FORMAT_PAGE + 8] = 1; /* half a header, and something behind it */
  write_file(longer, original_size + 2 * FORMAT_PAGE);
  reader = open_changed();
  assert_true(store_reader_facts(reader)->damaged);
  store_reader_close(reader);
  free(longer);
  free(bytes);
}

/* A count that the total knows and the buckets do not is infinite. */
static void torn_total(void **state) {
  (void)state;
  unsigned char *bytes = copy_original();
  struct format_segment *segment = find_segment(bytes, FORMAT_HISTOGRAM, 1);
  struct histogram *counts = (struct histogram *)(void *)((unsigned char *)segment + FORMAT_PAGE);
  counts->counts[histogram_bucket(105)] = 0;
  write_file(bytes, original_size);
  struct store_reader *reader = open_changed();
  assert_int_equal(store_reader_facts(reader)->torn, 1);
  store_reader_histogram(reader, 0, &histogram);
  assert_int_equal(histogram.total, LONG + COMPONENTS);
  assert_int_equal(histogram.saturated, 1);
  store_reader_close(reader);
  counts->counts[7] = UINT64_MAX; /* which nobody counted */
  write_file(bytes, original_size);
  reader = open_changed();
  assert_true(store_reader_facts(reader)->damaged);
  store_reader_histogram(reader, 0, &histogram);
  assert_int_equal(histogram.total, LONG);
  store_reader_close(reader);
  free(bytes);
}

/* A byte of a record changed: the record is not claimed, and it is known that one is missing. */
static void damaged_records(void **state) {
  (void)state;
  unsigned char *bytes = copy_original();
  for (size_t i = 0; i < RECORD_WORDS * 8; i++) {
    struct format_segment *log = find_segment(bytes, FORMAT_LOG, 1);
    ((unsigned char *)slot_of(log, 4))[i] ^= (unsigned char)(1u << i % 8);
    write_file(bytes, original_size);
    struct store_reader *reader = open_changed();
    assert_int_equal(store_reader_facts(reader)->records, LOG - 1 + COMPONENTS);
    assert_int_equal(store_reader_facts(reader)->torn, 1);
    assert_true(store_reader_facts(reader)->damaged);
    store_reader_close(reader);
    ((unsigned char *)slot_of(log, 4))[i] ^= (unsigned char)(1u << i % 8);
  }
  free(bytes);
}

/* How many cuts are taken for a whole file. */
static size_t cut(const unsigned char *bytes) {
  size_t joints = 0;
  for (size_t size = 0; size < original_size; size += size < 512 ? 32 : 2048 - size % 2048) {
    write_file(bytes, size);
    struct store_reader *reader = open_changed();
    if (size < FORMAT_SEGMENTS) {
      assert_null(reader);
    } else {
      assert_non_null(reader);
      joints += !store_reader_facts(reader)->damaged;
    }
    store_reader_close(reader);
  }
  return joints;
}

/* Cut anywhere: refused, or known to be damaged. Of a process that was killed all of a writer may
 * be missing, but no histogram of what its log has. */
static void truncated(void **state) {
  (void)state;
  assert_int_equal(cut(original), 0);
  unsigned char *bytes = copy_original();
  ((struct format_header *)(void *)bytes)->mutable.closed = 0;
  assert_int_equal(cut(bytes), WRITERS);
  free(bytes);
}

/* Killed between log and histogram: the histogram gets what the log has. More than that cannot have
 * been under way, nor anything in a store that was closed. */
static void completed(void **state) {
  (void)state;
  unsigned char *bytes = copy_original();
  struct format_header *header = (struct format_header *)(void *)bytes;
  struct format_segment *segment = find_segment(bytes, FORMAT_HISTOGRAM, 1);
  struct histogram *counts = (struct histogram *)(void *)((unsigned char *)segment + FORMAT_PAGE);
  struct format_segment *log = find_segment(bytes, FORMAT_LOG, 1);
  memset(slot_of(log, log->written), 0, RECORD_WORDS * sizeof(uint64_t)); /* of no component */
  log->written--;
  struct record latest;
  assert_int_equal(record_decode(&latest, slot_of(log, log->written)), 1);
  size_t bucket = histogram_bucket(latest.end - latest.start);
  for (int taken = 0; taken < 2; taken++) {
    while (counts->counts[bucket] == 0)
      bucket--;
    counts->counts[bucket]--;
    counts->total--;
    for (uint64_t closed = 0; closed <= original_size; closed += original_size) {
      header->mutable.closed = closed;
      write_file(bytes, original_size);
      struct store_reader *reader = open_changed();
      int good = taken == 0 && closed == 0;
      assert_int_equal(store_reader_facts(reader)->damaged, !good);
      store_reader_histogram(reader, 0, &histogram);
      assert_int_equal(histogram.total, LONG + COMPONENTS - (good ? 0 : taken + 1));
      assert_int_equal(histogram.saturated, 0);
      store_reader_close(reader);
    }
  }
  free(bytes);
}

/* A counter of another rate than the header says, as the two clocks at the close show. */
static void clock_off(void **state) {
  (void)state;
  unsigned char *bytes = copy_original();
  struct format_header *header = (struct format_header *)(void *)bytes;
  static const struct {
    uint64_t ticks, ns;
    int off;
  } cases[] = {
      {3000000000, 1000000000, 0},
      {3000000000, 1020000000, 0},
      {3000000000, 1030000000, 1},
      {3000000000, 970000000, 1},
      {6000000000, 1000000000, 1},
      {1500000000, 1000000000, 1},
      {0, 0, 0},
  };
  header->clock = 2;
  header->ns_per_tick_down = (UINT64_C(1) << 32) / 3;
  header->ns_per_tick_up = header->ns_per_tick_down + 1000;
  header->start_ticks = 5000;
  header->start_monotonic_ns = 7000;
  header_seal(header);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    header->mutable.end_ticks = 5000 + cases[i].ticks;
    header->mutable.end_monotonic_ns = 7000 + cases[i].ns;
    write_file(bytes, original_size);
    struct store_reader *reader = open_changed();
    assert_non_null(reader);
    assert_int_equal(store_reader_facts(reader)->clock_off, cases[i].off);
    store_reader_close(reader);
  }
  header->mutable.end_ticks = 1; /* back */
  write_file(bytes, original_size);
  struct store_reader *reader = open_changed();
  assert_true(store_reader_facts(reader)->clock_off);
  store_reader_close(reader);
  free(bytes);
}

/* Any one byte: no record is claimed that was not made, and the file is refused or read. */
static void any_byte(void **state) {
  (void)state;
  unsigned char *bytes = copy_original();
  struct format_segment *log = find_segment(bytes, FORMAT_LOG, 0);
  size_t log_at = (size_t)((unsigned char *)log - bytes);
  for (size_t i = 0; i < 2200; i++) {
    size_t at = i < 600 ? i : i < 1000 ? FORMAT_PAGE + i - 600 : log_at + (i - 1000) * 7 % 5200;
    unsigned char before = bytes[at];
    bytes[at] = (unsigned char)(before ^ (1u << (i * 5 % 8)));
    write_file(bytes, original_size);
    store_reader_close(open_changed());
    bytes[at] = before;
  }
  free(bytes);
}

static void refuse(int error, const char *words) {
  struct store_reader *reader;
  assert_int_equal(store_reader_open(&reader, path, message, sizeof message), error);
  assert_null(reader);
  if (strstr(message, words) == NULL)
    fail_msg("\"%s\" does not say \"%s\"", message, words);
}

/* What is no store that this program reads, each with its message. */
static void refused(void **state) {
  (void)state;
  unsigned char *bytes = copy_original();
  struct format_header *header = (struct format_header *)(void *)bytes;
  write_file(bytes, 0);
  refuse(EBADMSG, "is too short");
  header->version = 2;
  header_seal(header);
  header->version = 2;
  write_file(bytes, original_size);
  refuse(EPROTO, "is a store of version 2, but this program reads version 1");
  memcpy(bytes, original, original_size);
  for (size_t i = 0; i < 4; i++) {
    unsigned char *word = bytes + 4 * i; /* magic as two words, version, byte order */
    unsigned char swapped[] = {word[3], word[2], word[1], word[0]};
    memcpy(word, swapped, 4);
  }
  unsigned char low[4];
  memcpy(low, bytes, 4);
  memcpy(bytes, bytes + 4, 4);
  memcpy(bytes + 4, low, 4);
  write_file(bytes, original_size);
  refuse(EPROTO, "the other byte order");
  memset(bytes, 'x', original_size);
  write_file(bytes, original_size);
  refuse(EBADMSG, "is no store of recordings");
  memcpy(bytes, original, original_size);
  bytes[offsetof(struct format_header, node)] ^= 1;
  write_file(bytes, original_size);
  refuse(EBADMSG, "its header is damaged");
  memcpy(bytes, original, original_size);
  header->ns_per_tick_down -= header->ns_per_tick_down / 500; /* no calibration is that wide */
  header_seal(header);
  write_file(bytes, original_size);
  refuse(EBADMSG, "a clock rate that no store has");
  header->clock = 2;
  header_seal(header);
  write_file(bytes, original_size);
  refuse(EBADMSG, "a clock rate that no store has");
  free(bytes);
  unlink(path);
  refuse(ENOENT, "cannot be opened");
  assert_int_equal(mkdir(path, 0777), 0);
  refuse(EISDIR, "cannot be opened");
  rmdir(path);
  assert_int_equal(mkfifo(path, 0666), 0);
  refuse(EBADMSG, "is no regular file");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole),           cmocka_unit_test(stops),
      cmocka_unit_test(shrinks),         cmocka_unit_test(live),
      cmocka_unit_test(killed),          cmocka_unit_test(torn_total),
      cmocka_unit_test(damaged_records), cmocka_unit_test(truncated),
      cmocka_unit_test(completed),       cmocka_unit_test(clock_off),
      cmocka_unit_test(any_byte),        cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
