/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A store that is read again and again while two threads record as fast as they can: what a reader
 * claims is whole and was recorded, and nothing is taken for damage.
 */
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/core/ring.h"
#include "measure/read/store_read.h"
#include "measure/tailproof_measure.h"

enum { THREADS = 2, READINGS = 40, LOG = 256 };

static char folder[] = "/tmp/tailproof-live-XXXXXX";
static struct tailproof_store *store;
static int grant;
static atomic_int stop;
static _Atomic uint64_t recorded[THREADS]; /* so many are surely complete */

/* Occurrence i, from 1: the argument and the duration follow from it. */
static void *record_on(void *argument) {
  int32_t which = (int32_t)(intptr_t)argument;
  struct tailproof_writer *writer = tailproof_writer_open(store);
  for (uint64_t i = 1; !atomic_load(&stop); i++) {
    struct tailproof_event event = {.name = grant,
                                    .instance = (uint32_t)i,
                                    .start = 5 * i,
                                    .end = 5 * i + i % 1000,
                                    .count = 1,
                                    .arguments = {(int32_t)(i % 77)}};
    tailproof_record(writer, &event);
    atomic_store(&recorded[which], i);
  }
  return writer;
}

static int check_record(void *context, const struct store_record *at) {
  uint64_t *count = context, i = at->position;
  assert_int_equal(at->record.instance, i);
  assert_int_equal(at->record.start, 5 * i);
  assert_int_equal(at->record.end, 5 * i + i % 1000);
  assert_int_equal(at->record.arguments[0], i % 77);
  ++*count;
  return 0;
}

static void read_once(void) {
  static struct histogram histogram;
  struct store_reader *reader;
  char message[512] = "";
  uint64_t before = 0, after = 0, count = 0;
  for (size_t i = 0; i < THREADS; i++)
    before += atomic_load(&recorded[i]);
  assert_int_equal(store_reader_open(&reader, tailproof_path(store), message, sizeof message), 0);
  for (size_t i = 0; i < THREADS; i++)
    after += atomic_load(&recorded[i]) + 1; /* one each may be on its way */
  const struct store_facts *facts = store_reader_facts(reader);
  assert_false(facts->damaged || facts->closed);
  assert_in_range(facts->torn, 0, THREADS); /* under way, or between count and total */
  store_reader_each(reader, check_record, &count);
  assert_int_equal(count, facts->records);
  assert_in_range(facts->records + facts->overwritten, 0, after);
  store_reader_histogram(reader, 0, &histogram);
  assert_in_range(histogram.total, before, after);
  assert_in_range(histogram.saturated, 0, THREADS);
  store_reader_close(reader);
}

static void read_while_written(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, record_on, (void *)i), 0);
  for (int i = 0; i < READINGS; i++) {
    read_once();
    usleep(1000);
  }
  atomic_store(&stop, 1);
  for (size_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  read_once();
}

static int setup(void **state) {
  (void)state;
  struct tailproof_options options = {.log_records = LOG, .clock = TAILPROOF_CLOCK_MONOTONIC};
  options.folder = mkdtemp(folder);
  if (options.folder == NULL || tailproof_open(&store, &options) != 0)
    return -1;
  grant = tailproof_component(store, "Grant");
  return grant < 0 ? -1 : 0;
}

static int teardown(void **state) {
  (void)state;
  unlink(tailproof_path(store));
  return tailproof_close(store) != 0 || rmdir(folder) != 0 ? -1 : 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(read_while_written)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
