/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opening stores and registering names; what a store then says of itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/measure/stores.h"

static struct tailproof_store *store_open(const char *node) {
  struct tailproof_store *store;
  struct tailproof_options options = {.folder = folder, .node = node, .log_records = 64};
  assert_int_equal(tailproof_open(&store, &options), 0);
  return store;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void a_header_says_who_recorded(void **state) {
  (void)state;
  struct tailproof_store *store = store_open("backup[2]");
  assert_non_null(strstr(tailproof_path(store), "/backup[2]."));
  struct store_reader *reader = close_and_read(store);
  const struct format_header *header = store_reader_facts(reader)->header;
  assert_string_equal(header->node, "backup[2]");
  assert_string_equal(header->program, "t-record-open");
  assert_int_equal(header->process, getpid());
  assert_true(header->clock_cost_ps > 0 && header->clock_resolution_ns > 0);
  assert_true(header->mutable.end_ticks > header->start_ticks);
  assert_true(header->mutable.end_monotonic_ns > header->start_monotonic_ns);
  store_reader_close(reader);
  assert_int_equal(folder_files(file_remove), 1);
}

/* Stores of one process, and files that have the name already, stay apart. */
static void names_of_files_differ(void **state) {
  (void)state;
  struct tailproof_store *first = store_open(""), *second = store_open("");
  unsigned process, number, next;
  assert_int_equal(sscanf(strrchr(tailproof_path(first), '/'), "/%u.%u.tps", &process, &number), 2);
  assert_int_equal(process, getpid());
  assert_int_equal(sscanf(strrchr(tailproof_path(second), '/'), "/%u.%u.tps", &process, &next), 2);
  assert_int_equal(next, number + 1);
  char taken[128];
  snprintf(taken, sizeof taken, "%s/%u.%u.tps", folder, process, next + 1);
  int descriptor = open(taken, O_CREAT | O_WRONLY, 0600);
  assert_true(descriptor >= 0);
  close(descriptor);
  struct tailproof_store *third = store_open("");
  assert_string_not_equal(tailproof_path(third), taken);
  tailproof_close(third);
  tailproof_close(second);
  tailproof_close(first);
  assert_int_equal(folder_files(file_remove), 4);
}

static void opening_that_fails(void **state) {
  (void)state;
  char file[96], below[128];
  snprintf(file, sizeof file, "%s/file", folder);
  snprintf(below, sizeof below, "%s/below", file);
  int descriptor = open(file, O_CREAT | O_WRONLY, 0600);
  close(descriptor);
  const struct {
    struct tailproof_options options;
    int error;
    const char *line;
  } cases[] = {
      {{.folder = file}, -ENOTDIR, file},
      {{.folder = below}, -ENOTDIR, "; make it, or name another folder"},
      {{.folder = folder, .node = "a/b"}, -EINVAL, "'a/b'"},
      {{.folder = folder, .node = "a b"}, -EINVAL, "'a b'"},
      {{.folder = folder, .log_records = 3}, -EINVAL, "log_records is 3"},
      {{.folder = folder, .log_records = 1 << 25}, -EINVAL, "log_records is 33554432"},
      {{.folder = folder, .clock = 3}, -EINVAL, "clock is 3"},
      {{.folder = folder,
        .node = "0123456789012345678901234567890123456789012345678901234567890123"},
       -ENAMETOOLONG,
       "63 bytes"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct tailproof_store *store = (struct tailproof_store *)file;
    assert_int_equal(tailproof_open(&store, &cases[i].options), cases[i].error);
    assert_null(store);
    assert_true(error_says(cases[i].line));
  }
  assert_int_equal(folder_files(file_remove), 1);
}

/* The remedy is the way in which the folder was named. */
static void a_folder_of_the_environment_that_fails(void **state) {
  (void)state;
  struct tailproof_store *store;
  setenv("TAILPROOF_STORE", "/proc/none", 1);
  assert_int_equal(tailproof_open(&store, NULL), -ENOENT);
  assert_true(error_says("name another folder with TAILPROOF_STORE"));
  assert_int_equal(tailproof_open(&store, &(struct tailproof_options){.folder = "/proc/other"}),
                   -ENOENT);
  assert_false(error_says("TAILPROOF_STORE"));
  unsetenv("TAILPROOF_STORE");
}

static void variables_of_the_environment(void **state) {
  (void)state;
  setenv("TAILPROOF_STORE", folder, 1);
  setenv("TAILPROOF_NODE", "primary", 1);
  struct tailproof_store *store;
  assert_int_equal(tailproof_open(&store, NULL), 0);
  unsetenv("TAILPROOF_STORE");
  unsetenv("TAILPROOF_NODE");
  assert_true(strncmp(tailproof_path(store), folder, strlen(folder)) == 0);
  struct store_reader *reader = close_and_read(store);
  assert_string_equal(store_reader_facts(reader)->header->node, "primary");
  store_reader_close(reader);
  folder_empty();
}

/* ---- names ----------------------------------------------------------------------------------- */

static void names(void **state) {
  (void)state;
  struct tailproof_store *store = store_open("");
  assert_int_equal(tailproof_component(store, "Grant"), 0);
  assert_int_equal(tailproof_component(store, "Accept"), 1);
  assert_int_equal(tailproof_component(store, "Grant"), 0);
  assert_int_equal(tailproof_action(store, "node.Grant", "Grant"), 2);
  assert_int_equal(tailproof_action(store, "node.Free", NULL), 3);
  assert_int_equal(tailproof_action(store, "node.Free", ""), 3);
  assert_int_equal(tailproof_action(store, "node.Grant", "Accept"), -EEXIST);
  assert_true(error_says("'Accept'"));
  int message = tailproof_message(store, "Transfer", "d", "Queuing");
  assert_int_equal(message, 4);
  assert_int_equal(tailproof_message(store, "Transfer", "d", "Queuing"), message);
  assert_int_equal(tailproof_message(store, "Transfer", "d", NULL), -EEXIST);
  assert_int_equal(tailproof_message(store, "Plain", "d", NULL), message + 5);
  assert_int_equal(tailproof_request(store, "round"), message + 10);
  const char *const bad[] = {"", "a b", "a/b", "d[1]", "\303\251", NULL};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(tailproof_component(store, bad[i]), -EINVAL);
  assert_int_equal(
      tailproof_component(store, "012345678901234567890123456789012345678901234567890123456789"),
      -ENAMETOOLONG);
  assert_int_equal(
      tailproof_message(store, "0123456789012345678901234567890123456789012345678901234", "d", "Q"),
      message + 11);
  assert_int_equal(tailproof_message(store,
                                     "01234567890123456789012345678901234567890123456789012345",
                                     "d", NULL),
                   -ENAMETOOLONG);
  assert_int_equal(tailproof_component(NULL, "Grant"), -EINVAL);
  struct store_reader *reader = close_and_read(store);
  assert_int_equal(store_reader_facts(reader)->names, message + 16);
  static const char *const series[] = {"", "d.Transfer", "Queuing.Transfer", "rtt.Transfer", ""};
  for (uint32_t i = 0; i < 5; i++) {
    const struct format_name *name = store_reader_name(reader, (uint32_t)message + i);
    assert_int_equal(name->kind, FORMAT_SEND + i);
    assert_string_equal(name->name, "Transfer");
    assert_string_equal(name->series, series[i]);
  }
  assert_string_equal(store_reader_name(reader, 2)->series, "Grant");
  assert_string_equal(store_reader_name(reader, 3)->series, "");
  store_reader_close(reader);
  folder_empty();
}

static void names_run_out(void **state) {
  (void)state;
  struct tailproof_store *store = store_open("");
  char name[16];
  for (int i = 0; i < FORMAT_NAMES_MAX - 4; i++) {
    snprintf(name, sizeof name, "a.%d", i);
    assert_int_equal(tailproof_action(store, name, NULL), i);
  }
  assert_int_equal(tailproof_message(store, "m", "d", NULL), -ENOSPC);
  for (int i = FORMAT_NAMES_MAX - 4; i < FORMAT_NAMES_MAX; i++) {
    snprintf(name, sizeof name, "a.%d", i);
    assert_int_equal(tailproof_action(store, name, NULL), i);
  }
  assert_int_equal(tailproof_component(store, "one_more"), -ENOSPC);
  assert_true(error_says("'one_more'"));
  struct tailproof_writer *writer = tailproof_writer_open(store);
  struct tailproof_event last = {.name = FORMAT_NAMES_MAX - 1};
  assert_int_equal(tailproof_record(writer, &last), 0);
  last.name++;
  assert_int_equal(tailproof_record(writer, &last), -EINVAL);
  tailproof_close(store);
  folder_empty();
}

/* ---- files that somebody cuts short ------------------------------------------------------------ */

static void record_many(struct tailproof_writer *writer, int name, int count) {
  for (int i = 0; i < count; i++) {
    tailproof_end(writer, name, tailproof_now(writer));
  }
}

static void a_store_cut_short_ends_nobody(void **state) {
  (void)state;
  for (off_t left = 0; left <= 4096; left += 4096) {
    struct tailproof_store *store = store_open("");
    int name = tailproof_component(store, "c");
    struct tailproof_writer *writer = tailproof_writer_open(store);
    assert_non_null(writer);
    record_many(writer, name, 10);
    assert_int_equal(truncate(tailproof_path(store), left), 0);
    record_many(writer, name, 500);
    assert_null(tailproof_writer_open(store)); /* nothing is written behind the hole */
    assert_non_null(strstr(tailproof_error(), "cut the store"));
    tailproof_writer_close(writer);
    assert_int_equal(tailproof_close(store), -EIO);
    assert_non_null(strstr(tailproof_error(), "what was recorded in it is lost"));
    folder_empty();
  }
}

static volatile int handled;

static void handle(int signal) {
  (void)signal;
  handled++;
  _exit(7);
}

/* Ends with 7 where a handler of the program's saw it. */
static int end_of_bus_error(bool handler, bool stored, bool sent) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGBUS, handler ? handle : SIG_DFL); /* not the test's own */
    struct tailproof_store *store = stored ? store_open("") : NULL;
    if (sent)
      raise(SIGBUS);
    int file = fileno(tmpfile());
    volatile char *page = ftruncate(file, 4096) == 0
                              ? mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                              : NULL;
    if (page != NULL && ftruncate(file, 0) == 0)
      *page = 1;
    _exit(store == NULL ? 8 : 9);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void other_bus_errors_stay_what_they_are(void **state) {
  (void)state;
  struct sigaction before, now;
  assert_int_equal(sigaction(SIGBUS, NULL, &before), 0);
  for (int sent = 0; sent < 2; sent++) {
    for (int handler = 0; handler < 2; handler++) {
      int plain = end_of_bus_error(handler, false, sent);
      assert_int_equal(plain, handler ? 7 : 128 + SIGBUS);
      assert_int_equal(end_of_bus_error(handler, true, sent), plain);
    }
  }
  folder_empty();
  struct tailproof_store *store = store_open("");
  assert_int_equal(sigaction(SIGBUS, NULL, &now), 0);
  assert_true(now.sa_handler != before.sa_handler);
  tailproof_close(store);
  assert_int_equal(sigaction(SIGBUS, NULL, &now), 0);
  assert_true(now.sa_handler == before.sa_handler);
  folder_empty();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_header_says_who_recorded),
      cmocka_unit_test(names_of_files_differ),
      cmocka_unit_test(opening_that_fails),
      cmocka_unit_test(a_folder_of_the_environment_that_fails),
      cmocka_unit_test(variables_of_the_environment),
      cmocka_unit_test(names),
      cmocka_unit_test(names_run_out),
      cmocka_unit_test(a_store_cut_short_ends_nobody),
      cmocka_unit_test(other_bus_errors_stay_what_they_are),
  };
  return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
