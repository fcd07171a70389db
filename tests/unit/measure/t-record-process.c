/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recording in processes that have many threads, fork, or run out of disk.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

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

enum { NO_MOUNTS = 100 };

/* A file system of its own at the folder, seen by this process alone; 0 where that is forbidden. */
static int mount_here(unsigned long flags, const char *size) {
  return (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
         mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount("none", folder, "tmpfs", flags, size) == 0;
}

static void mounted(int (*body)(void *context)) {
  int status = status_of(body, NULL);
  if (status == NO_MOUNTS) {
    print_message("# skip: no file system can be mounted here\n");
    skip();
  }
  assert_int_equal(status, 0);
}

static int on_a_full_disk(void *context) {
  (void)context;
  return mount_here(0, "size=1500k") ? fill(ENOSPC) : NO_MOUNTS;
}

static void a_full_disk(void **state) {
  (void)state;
  mounted(on_a_full_disk);
}

static int on_a_read_only_disk(void *context) {
  (void)context;
  if (!mount_here(MS_RDONLY, "size=1500k"))
    return NO_MOUNTS;
  struct tailproof_store *store;
  struct tailproof_options options = {.folder = folder};
  if (tailproof_open(&store, &options) != -EROFS || strstr(tailproof_error(), folder) == NULL)
    return 1;
  return strstr(tailproof_error(), "name another folder") == NULL ? 2 : 0;
}

static void a_read_only_folder(void **state) {
  (void)state;
  mounted(on_a_read_only_disk);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_lose_nothing), cmocka_unit_test(a_child_records_elsewhere),
      cmocka_unit_test(a_limit_on_files),     cmocka_unit_test(no_store_is_left_behind),
      cmocka_unit_test(a_full_disk),          cmocka_unit_test(a_read_only_folder),
  };
  return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
