/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recording in processes that have many threads, fork, run out of disk, or are killed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/measure/stores.h"

enum { THREADS = 8, TIMES = 20000 };

static struct tailproof_store *store_open(uint32_t log_records) {
  struct tailproof_store *store;
  struct tailproof_options options = {.folder = folder, .log_records = log_records};
  assert_int_equal(tailproof_open(&store, &options), 0);
  return store;
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *record_many(void *argument) {
  struct tailproof_store *store = argument;
  struct tailproof_writer *writer = tailproof_writer_open(store);
  int early = tailproof_component(store, "Early"); /* of all threads the same */
  int late = tailproof_component(store, "Late");   /* perhaps after the writer */
  for (int i = 0; i < TIMES; i++)
    tailproof_end(writer, late, tailproof_end(writer, early, tailproof_now(writer)));
  return NULL;
}

static void threads_lose_nothing(void **state) {
  (void)state;
  struct tailproof_store *store = store_open(256);
  int early = tailproof_component(store, "Early");
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, record_many, store), 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  int late = tailproof_component(store, "Late");
  struct store_reader *reader = reader_open(tailproof_path(store));
  assert_int_equal(total_of(reader, (uint32_t)early), THREADS * TIMES);
  assert_int_equal(total_of(reader, (uint32_t)late), THREADS * TIMES);
  const struct store_facts *facts = store_reader_facts(reader);
  assert_int_equal(facts->writers, THREADS);
  assert_int_equal(facts->records + facts->overwritten, 2 * THREADS * TIMES);
  assert_int_equal(facts->refused + facts->torn, 0);
  store_reader_close(reader);
  tailproof_close(store);
  folder_empty();
}

/* ---- fork ------------------------------------------------------------------------------------ */

/* The exit status of a child that runs `body`; what it prints is not of the test. */
static int status_of(int (*body)(void *context), void *context) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0)
    _exit(body(context));
  int status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

struct inherited {
  struct tailproof_store *store;
  struct tailproof_writer *writer;
  int name;
};

static int child_of_fork(void *context) {
  struct inherited *inherited = context;
  struct tailproof_event event = {.name = inherited->name};
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
  if (tailproof_record(inherited->writer, &event) != -ESTALE)
    return 1;
  tailproof_end(inherited->writer, inherited->name, 1);
  tailproof_send(inherited->writer, &event, stamp);
  if (tailproof_component(inherited->store, "Child") != -ESTALE)
    return 2;
  if (tailproof_writer_open(inherited->store) != NULL)
    return 3;
  if (tailproof_close(inherited->store) != 0)
    return 4;
  struct tailproof_store *own = store_open(64);
  int name = tailproof_component(own, "Child");
  struct tailproof_writer *writer = tailproof_writer_open(own);
  tailproof_end(writer, name, tailproof_now(writer));
  struct store_reader *reader = reader_open(tailproof_path(own));
  int good = total_of(reader, (uint32_t)name) == 1;
  store_reader_close(reader);
  tailproof_close(own);
  return good ? 0 : 5;
}

static void a_child_records_elsewhere(void **state) {
  (void)state;
  struct inherited inherited = {.store = store_open(64)};
  inherited.name = tailproof_component(inherited.store, "Parent");
  inherited.writer = tailproof_writer_open(inherited.store);
  tailproof_end(inherited.writer, inherited.name, 1);
  assert_int_equal(status_of(child_of_fork, &inherited), 0);
  tailproof_end(inherited.writer, inherited.name, 1);
  struct store_reader *reader = reader_open(tailproof_path(inherited.store));
  const struct store_facts *facts = store_reader_facts(reader);
  assert_int_equal(facts->records, 2);
  assert_int_equal(facts->refused, 0);
  assert_int_equal(facts->closed, 0);
  assert_int_equal(facts->names, 1);
  store_reader_close(reader);
  tailproof_close(inherited.store);
  assert_int_equal(folder_files(file_remove), 2);
}

/* ---- no space -------------------------------------------------------------------------------- */

/* Records until nothing more fits: all that was accepted is there, the rest is counted. The folder
 * has space for one store with a writer of 1024 records and some histograms. */
static int fill(int error) {
  struct tailproof_store *store;
  struct tailproof_options options = {.folder = folder, .log_records = 1024};
  if (tailproof_open(&store, &options) != 0)
    return 1;
  struct tailproof_writer *writer = tailproof_writer_open(store);
  if (writer == NULL)
    return 2;
  uint64_t accepted = 0, refused = 0;
  for (int i = 0; i < 40; i++) {
    char name[16];
    snprintf(name, sizeof name, "C%d", i);
    struct tailproof_event event = {.name = tailproof_component(store, name), .end = 1};
    for (int times = 0; times < 2; times++) {
      int result = tailproof_record(writer, &event);
      if (result != 0 && result != -error && result != -ENOSPC)
        return 3;
      accepted += result == 0;
      refused += result != 0;
    }
  }
  if (strstr(tailproof_error(), "no space") == NULL || tailproof_writer_open(store) != NULL)
    return 4;
  if (strstr(tailproof_error(), "what was recorded is kept") == NULL)
    return 5;
  struct tailproof_store *second;
  if (error == ENOSPC && tailproof_open(&second, &options) == 0 &&
      tailproof_writer_open(second) != NULL)
    return 6;
  struct store_reader *reader = reader_open(tailproof_path(store));
  const struct store_facts *facts = store_reader_facts(reader);
  int good = accepted > 1 && refused > 1 && facts->records == accepted &&
             facts->refused == refused && facts->torn == 0 && !facts->damaged;
  store_reader_close(reader);
  return tailproof_close(store) != 0 ? 7 : good ? 0 : 8;
}

static int with_a_limit(void *context) {
  (void)context;
  struct rlimit limit = {1500000, 1500000};
  setrlimit(RLIMIT_FSIZE, &limit); /* SIGXFSZ would end the process */
  return fill(EFBIG);
}

static void a_limit_on_files(void **state) {
  (void)state;
  assert_int_equal(status_of(with_a_limit, NULL), 0);
  folder_empty();
}

static int below_any_header(void *context) {
  (void)context;
  struct rlimit limit = {10000, 10000};
  setrlimit(RLIMIT_FSIZE, &limit);
  struct tailproof_store *store;
  struct tailproof_options options = {.folder = folder};
  if (tailproof_open(&store, &options) != -EFBIG || strstr(tailproof_error(), folder) == NULL)
    return 1;
  return folder_files(NULL) == 0 ? 0 : 2;
}

static void no_store_is_left_behind(void **state) {
  (void)state;
  assert_int_equal(status_of(below_any_header, NULL), 0);
}

static int on_a_full_disk(void *context) {
  (void)context;
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return 100;
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", folder, "tmpfs", 0, "size=1500k") != 0)
    return 100;
  return fill(ENOSPC);
}

static void a_full_disk(void **state) {
  (void)state;
  int status = status_of(on_a_full_disk, NULL);
  if (status == 100) {
    print_message("# skip: no file system can be mounted here\n");
    skip();
  }
  assert_int_equal(status, 0);
}

/* ---- kill ------------------------------------------------------------------------------------ */

enum { KILLS = 50, WORKERS = 3, LOG_RECORDS = 64, LATE_NAMES = 200 };

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
  for (uint64_t names = WORKERS + 1; names <= LATE_NAMES; names++) {
    char name[16];
    snprintf(name, sizeof name, "late.%u", (unsigned)names);
    tailproof_component(store, name);
    __atomic_store_n(&reports->names, names, __ATOMIC_RELEASE);
    struct timespec pause = {0, 50000};
    nanosleep(&pause, NULL);
  }
  for (;;)
    pause();
}

struct check {
  uint64_t first[WORKERS], last[WORKERS], count[WORKERS];
};

static int check_record(void *context, const struct store_record *found) {
  struct check *check = context;
  const struct record *record = &found->record;
  assert_true(record->name < WORKERS);
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
  assert_true(facts->torn <= 2 * WORKERS + 2);
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
  all_stores++;
  store_reader_close(reader);
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
    struct timespec pause = {0, (long)(random % 25000000)};
    nanosleep(&pause, NULL);
    assert_int_equal(kill(child, SIGKILL), 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_true(folder_files(check_store) <= 1);
    folder_empty();
  }
  assert_true(all_records > 0 && all_stores > 0);
  munmap(reports, sizeof *reports);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_lose_nothing), cmocka_unit_test(a_child_records_elsewhere),
      cmocka_unit_test(a_limit_on_files),     cmocka_unit_test(no_store_is_left_behind),
      cmocka_unit_test(a_full_disk),          cmocka_unit_test(killed_at_any_moment),
  };
  return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
