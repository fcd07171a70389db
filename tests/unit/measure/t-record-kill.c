/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A process with several threads that record, and one that registers names, is killed at random
 * moments. Every record says by its contents which one it must be.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/measure/stores.h"

enum { KILLS = 50, WORKERS = 3, LOG_RECORDS = 64, LATE_NAMES = 40 };

static struct tailproof_store *store_open(uint32_t log_records) {
  struct tailproof_store *store;
  struct tailproof_options options = {.folder = folder, .log_records = log_records};
  assert_int_equal(tailproof_open(&store, &options), 0);
  return store;
}

/* What the process reported before it was killed, in memory that survives it. */
struct reports {
  uint64_t written[WORKERS];
  uint64_t names;
};

struct worker {
  struct tailproof_store *store;
  struct reports *reports;
  int index;
};

static int32_t argument_of(uint64_t position, uint32_t index) {
  return (int32_t)((position + index) * 2654435761u >> 3);
}

/* Position p of a worker: everything in it follows from p. */
static struct tailproof_event event_of(int worker, uint64_t position) {
  struct tailproof_event event = {.name = worker, .instance = (uint32_t)position, .count = 7};
  event.start = position * 1000;
  event.end = event.start + 1000;
  for (uint32_t i = 0; i < event.count; i++)
    event.arguments[i] = argument_of(position, i);
  return event;
}

static void *work(void *argument) {
  const struct worker *worker = argument;
  struct tailproof_writer *writer = tailproof_writer_open(worker->store);
  for (uint64_t position = 1;; position++) {
    struct tailproof_event event = event_of(worker->index, position);
    if (tailproof_record(writer, &event) != 0)
      abort();
    __atomic_store_n(&worker->reports->written[worker->index], position, __ATOMIC_RELEASE);
  }
  return NULL;
}

__attribute__((noreturn)) static void be_killed(struct reports *reports) {
  struct tailproof_store *store = store_open(LOG_RECORDS);
  struct worker workers[WORKERS];
  pthread_t thread;
  for (int i = 0; i < WORKERS; i++)
    if (tailproof_component(store, (const char[]){(char)('A' + i), '\0'}) != i)
      abort();
  for (int i = 0; i < WORKERS; i++) {
    workers[i] = (struct worker){store, reports, i};
    if (pthread_create(&thread, NULL, work, &workers[i]) != 0)
      abort();
  }
  /* the file grows by a histogram for each of these */
  struct tailproof_writer *writer = tailproof_writer_open(store);
  for (uint64_t names = WORKERS + 1; names <= LATE_NAMES; names++) {
    char name[16];
    snprintf(name, sizeof name, "late.%u", (unsigned)names);
    struct tailproof_event event = {.name = tailproof_component(store, name), .end = 1};
    event.instance = (uint32_t)event.name;
    if (tailproof_record(writer, &event) != 0)
      abort();
    __atomic_store_n(&reports->names, names, __ATOMIC_RELEASE);
  }
  for (;;)
    pause();
}

struct check {
  uint64_t first[WORKERS], last[WORKERS], count[WORKERS];
  uint64_t late;
};

static int check_record(void *context, const struct store_record *found) {
  struct check *check = context;
  const struct record *record = &found->record;
  if (record->name >= WORKERS) {
    assert_true(record->instance == record->name && record->start == 0 && record->end == 1);
    check->late++;
    return 0;
  }
  struct tailproof_event event = event_of(record->name, found->position);
  assert_int_equal(record->kind, FORMAT_COMPONENT);
  assert_int_equal(record->instance, event.instance);
  assert_true(record->start == event.start && record->end == event.end);
  assert_int_equal(record->count, event.count);
  assert_memory_equal(record->arguments, event.arguments, sizeof event.arguments);
  if (check->count[record->name]++ == 0)
    check->first[record->name] = found->position;
  check->last[record->name] = found->position;
  return 0;
}

static struct reports *reports; /* of the process that was killed last */
static uint64_t all_records, all_stores;

static void check_store(const char *path) {
  if (strcmp(path + strlen(path) - 4, ".tps") != 0)
    return; /* killed before the header was complete */
  struct store_reader *reader = reader_open(path);
  const struct store_facts *facts = store_reader_facts(reader);
  assert_int_equal(facts->closed + facts->damaged, 0);
  assert_int_equal(facts->refused, 0);
  assert_true(facts->torn <= 2 * WORKERS + 4);
  assert_in_range(facts->names, reports->names, LATE_NAMES);
  struct check check = {.count = {0}};
  assert_int_equal(store_reader_each(reader, check_record, &check), 0);
  for (int i = 0; i < WORKERS; i++) {
    uint64_t reported = reports->written[i], total = total_of(reader, (uint32_t)i);
    assert_in_range(check.last[i], reported, reported + 1);
    assert_true(check.count[i] == 0 || check.last[i] - check.first[i] + 1 == check.count[i]);
    assert_true(check.count[i] >= (reported < LOG_RECORDS - 1 ? reported : LOG_RECORDS - 1));
    assert_in_range(total, reported, reported + 1);
    all_records += reported;
  }
  assert_true(check.late + WORKERS >= reports->names);
  for (uint32_t name = WORKERS; name < reports->names; name++)
    assert_int_equal(total_of(reader, name), 1);
  all_stores++;
  store_reader_close(reader);
}

/* Four of five are killed while they record, the others perhaps before. */
static void wait_for_records(int kill_number) {
  struct timespec pause = {0, 100000};
  for (int i = 0; kill_number % 5 != 0 && i < 72000000; i++) {
    if (__atomic_load_n(&reports->written[kill_number % WORKERS], __ATOMIC_ACQUIRE) > 0)
      return;
    nanosleep(&pause, NULL);
  }
}

/* Every store opens, all that was reported as recorded is there, and at most the one recording
 * under way in each thread besides. */
static void killed_at_any_moment(void **state) {
  (void)state;
  reports = mmap(NULL, sizeof *reports, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(reports != MAP_FAILED);
  tailproof_close(store_open(64)); /* calibrates the clock once for all */
  folder_empty();
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < KILLS; i++) {
    memset(reports, 0, sizeof *reports);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
      be_killed(reports);
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    wait_for_records(i);
    struct timespec pause = {0, (long)(random % 20000000)};
    nanosleep(&pause, NULL);
    assert_int_equal(kill(child, SIGKILL), 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_true(folder_files(check_store) <= 1);
    folder_empty();
  }
  assert_true(all_stores >= KILLS / 5 * 4 && all_records > all_stores);
  munmap(reports, sizeof *reports);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(killed_at_any_moment)};
  return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
