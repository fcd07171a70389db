/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counting of a service in the page that its pauser made: nothing is lost by threads and processes,
 * the pauser is woken once, and a pauser that is not there, or gone, is no trouble.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/throughput/poker/folder.h"
#include "measure/tailproof_measure.h"

enum { THREADS = 6, TIMES = 20000 };

static struct poker_folder folder;
static struct tailproof_counter *counter;

static int open_all(void **state) {
  char message[FOLDER_MESSAGE];
  (void)state;
  assert_int_equal(folder_make(&folder, true, message), 0);
  setenv("TAILPROOF_POKER", folder.path, 1);
  assert_int_equal(tailproof_counter_open(&counter), 0);
  assert_non_null(counter);
  return 0;
}

static int close_all(void **state) {
  struct stat about;
  char path[FOLDER_PATH];
  (void)state;
  strcpy(path, folder.path);
  tailproof_counter_close(counter);
  folder_remove(&folder);
  assert_int_equal(stat(path, &about), -1);
  return 0;
}

static void without_a_pauser(void **state) {
  (void)state;
  struct tailproof_counter *none = (void *)&folder;
  unsetenv("TAILPROOF_POKER");
  assert_int_equal(tailproof_counter_open(&none), 0);
  assert_null(none);
  setenv("TAILPROOF_POKER", "", 1);
  assert_int_equal(tailproof_counter_open(&none), 0);
  assert_null(none);
  assert_int_equal(tailproof_count_begin(NULL), 0);
  tailproof_count_end(NULL, 0);
  assert_int_equal(tailproof_count_neighbour(NULL, "nonsense"), 0);
  tailproof_counter_close(NULL);
}

static void fails(int error, const char *part) {
  struct tailproof_counter *none = (void *)&folder;
  assert_int_equal(tailproof_counter_open(&none), -error);
  assert_null(none);
  if (strstr(tailproof_error(), part) == NULL)
    print_error("%s\n", tailproof_error());
  assert_ptr_not_equal(strstr(tailproof_error(), part), NULL);
}

static void with_a_wrong_one(void **state) {
  (void)state;
  char path[FOLDER_PATH + 8], wake[FOLDER_PATH + 8];
  snprintf(path, sizeof path, "%s/page", folder.path);
  snprintf(wake, sizeof wake, "%s/wake", folder.path);
  setenv("TAILPROOF_POKER", "/nowhere/at/all", 1);
  fails(ENOENT, "tailproof poker");
  setenv("TAILPROOF_POKER", folder.path, 1);
  unlink(wake);
  fails(ENOENT, "/wake: ");
  folder.page->version++;
  fails(EBADMSG, "another version");
  folder.page->version--;
  folder.page->bytes--;
  fails(EBADMSG, "another version");
  folder.page->bytes++;
  folder.page->magic ^= 1;
  fails(EBADMSG, "another version");
  assert_int_equal(truncate(path, 100), 0); /* nobody looks into the page any more */
  fails(EBADMSG, "another version");
  unlink(path);
  assert_int_equal(symlink("/etc/passwd", path), 0);
  fails(ELOOP, "/page: ");
}

static void one_after_the_other(void **state) {
  (void)state;
  for (int i = 1; i <= 5; i++) {
    uint64_t start = tailproof_count_begin(counter);
    assert_true(start > 0);
    assert_int_equal(folder_begun(&folder), i);
    assert_int_equal(folder.page->ended, i - 1);
    const struct timespec wait = {0, 2000000};
    nanosleep(&wait, NULL);
    tailproof_count_end(counter, start);
    assert_int_equal(folder.page->ended, i);
    assert_true(folder.page->busy_ns >= 2000000u * (unsigned)i);
  }
  assert_int_equal(folder.page->at_once_most, 1);
  assert_int_equal(folder_drain(folder.wake), 0);
}

static void *count_many(void *unused) {
  for (int i = 0; i < TIMES; i++)
    tailproof_count_end(counter, tailproof_count_begin(counter));
  return unused;
}

static void threads_and_processes_lose_nothing(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  pid_t child = fork();
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, count_many, NULL), 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  if (child == 0)
    _exit(0);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(folder_begun(&folder), 2 * THREADS * TIMES);
  assert_int_equal(folder.page->ended, 2 * THREADS * TIMES);
  assert_in_range(folder.page->at_once_most, 1, 2 * THREADS);
}

static void as_many_at_once_as_there_are(void **state) {
  (void)state;
  uint64_t starts[7];
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 7; i++)
      starts[i] = tailproof_count_begin(counter);
    for (int i = 0; i < 7; i++)
      tailproof_count_end(counter, starts[i]);
  }
  assert_int_equal(folder.page->at_once_most, 7);
}

/* Each armed count wakes once, whoever gets there. */
static void woken_once(void **state) {
  (void)state;
  assert_true(folder_arm(&folder, 3));
  tailproof_count_begin(counter);
  tailproof_count_begin(counter);
  assert_int_equal(folder_drain(folder.wake), 0);
  tailproof_count_begin(counter);
  tailproof_count_begin(counter);
  assert_int_equal(folder_drain(folder.wake), 1);
  assert_false(folder_arm(&folder, 4)); /* is there already: the pauser need not wait */
  tailproof_count_begin(counter);
  assert_int_equal(folder_drain(folder.wake), 1);
  assert_true(folder_arm(&folder, UINT64_MAX));
  pthread_t threads[THREADS];
  uint64_t rounds = 0, there = 0, base = folder_begun(&folder);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, count_many, NULL), 0);
  while (rounds < THREADS) { /* as the pauser does it: nobody sleeps on a count that is there */
    if (folder_arm(&folder, base + (rounds + 1) * TIMES))
      while (folder_drain(folder.wake) == 0)
        ;
    else
      there++;
    rounds++;
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  assert_true(folder_begun(&folder) == base + THREADS * TIMES);
  assert_true(folder_drain(folder.wake) <= there); /* a byte that was not waited for, no other */
}

/* A pauser that is gone: no signal, no waiting, although nobody reads. */
static void the_pauser_is_gone(void **state) {
  (void)state;
  signal(SIGPIPE, SIG_DFL);
  close(folder.wake);
  folder.wake = -1;
  for (uint64_t i = 1; i <= 100000; i++) { /* more than a FIFO holds */
    folder.page->wake_at = i;
    errno = 12345;
    tailproof_count_end(counter, tailproof_count_begin(counter));
    assert_int_equal(errno, 12345);
    assert_true(folder.page->wake_at == UINT64_MAX);
  }
  assert_int_equal(folder_begun(&folder), 100000);
}

static void neighbours(void **state) {
  (void)state;
  char text[PAGE_NEIGHBOUR_TEXT];
  static const char *const wrong[] = {
      "",       "cart",     ":80",
      "cart:",  "cart:0",   "cart:65536",
      "::1:80", "ca rt:80", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:8"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(tailproof_count_neighbour(counter, wrong[i]), -EINVAL);
  assert_false(folder_neighbour(&folder, 0, text));
  assert_int_equal(tailproof_count_neighbour(counter, "cart:80"), 0);
  assert_int_equal(tailproof_count_neighbour(counter, "[::1]:80"), 0);
  assert_int_equal(tailproof_count_neighbour(counter, "cart:80"), 0);
  assert_int_equal(folder_drain(folder.wake), 2);
  assert_true(folder_neighbour(&folder, 0, text));
  assert_string_equal(text, "cart:80");
  assert_true(folder_neighbour(&folder, 1, text));
  assert_string_equal(text, "[::1]:80");
  assert_false(folder_neighbour(&folder, 2, text));
  for (int i = 2; i < PAGE_NEIGHBOURS; i++) {
    snprintf(text, sizeof text, "host%d:1", i);
    assert_int_equal(tailproof_count_neighbour(counter, text), 0);
  }
  assert_int_equal(tailproof_count_neighbour(counter, "late:1"), -ENOSPC);
  assert_int_equal(tailproof_count_neighbour(counter, "host31:1"), 0); /* known */
  /* a slot that is taken and not filled yet is not read, one that never ends is cut */
  folder.page->neighbours[5][0] = '\0';
  assert_false(folder_neighbour(&folder, 5, text));
  memset(folder.page->neighbours[6], 'x', PAGE_NEIGHBOUR_TEXT);
  assert_true(folder_neighbour(&folder, 6, text));
  assert_int_equal(strlen(text), PAGE_NEIGHBOUR_TEXT - 1);
}

/* Folders of pausers that were killed go away, once their services have, and no others. */
static void abandoned_folders(void **state) {
  (void)state;
  struct poker_folder left, next;
  char message[FOLDER_MESSAGE];
  struct stat about;
  const struct timespec old[2] = {{1000000, 0}, {1000000, 0}};
  assert_int_equal(folder_make(&left, true, message), 0);
  assert_int_equal(utimensat(AT_FDCWD, left.path, old, 0), 0);
  assert_int_equal(utimensat(AT_FDCWD, folder.path, old, 0), 0);
  assert_int_equal(folder_make(&next, false, message), 0);
  folder_remove(&next);
  assert_int_equal(stat(left.path, &about), 0); /* its pauser has it open */
  close(left.wake);
  close(left.count);
  assert_int_equal(folder_make(&next, false, message), 0);
  folder_remove(&next);
  assert_int_equal(stat(left.path, &about), -1);
  assert_int_equal(stat(folder.path, &about), 0);
  left.wake = left.count = -1;
  left.path[0] = '\0';
  folder_remove(&left);
}

/* The times of the latest requests are there for the poker, in order; older ones are known to be
 * lost, not taken for others. */
static void times_of_requests(void **state) {
  (void)state;
  uint64_t start, end, starts[PAGE_RECENT + 2];
  assert_int_equal(folder_times(&folder, 1, &start, &end), FOLDER_TIMES_NONE);
  for (int i = 1; i <= PAGE_RECENT + 1; i++) {
    starts[i] = tailproof_count_begin(counter);
    assert_int_equal(folder_times(&folder, (uint64_t)i, &start, &end), FOLDER_TIMES_NONE);
    tailproof_count_end(counter, starts[i]);
    assert_int_equal(folder_times(&folder, (uint64_t)i, &start, &end), FOLDER_TIMES);
    assert_true(start == starts[i] && end >= start);
  }
  assert_int_equal(folder_times(&folder, 1, &start, &end), FOLDER_TIMES_LOST);
  assert_int_equal(folder_times(&folder, 2, &start, &end), FOLDER_TIMES);
  assert_true(start == starts[2]);
}

int main(void) {
#define WITH_PAGE(test) cmocka_unit_test_setup_teardown(test, open_all, close_all)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_pauser),
      WITH_PAGE(with_a_wrong_one),
      WITH_PAGE(one_after_the_other),
      WITH_PAGE(threads_and_processes_lose_nothing),
      WITH_PAGE(as_many_at_once_as_there_are),
      WITH_PAGE(woken_once),
      WITH_PAGE(the_pauser_is_gone),
      WITH_PAGE(neighbours),
      WITH_PAGE(times_of_requests),
      WITH_PAGE(abandoned_folders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
