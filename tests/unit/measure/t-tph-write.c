/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file of a histogram, byte by byte and number by number, and what is left after a
 * failure.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/read/tph_write.h"

static char directory[] = "/tmp/tailproof-store-XXXXXX";
static char path[64];
static struct histogram histogram;

static int setup(void **state) {
  (void)state;
  if (mkdtemp(directory) == NULL)
    return -1;
  snprintf(path, sizeof path, "%s/Grant.tph", directory);
  histogram_init(&histogram);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  unlink(path);
  return rmdir(directory); /* fails if a test left something behind */
}

/* The file's bytes, in a static buffer. */
static const char *contents(void) {
  static char buffer[1 << 20];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  buffer[fread(buffer, 1, sizeof buffer - 1, file)] = '\0';
  fclose(file);
  return buffer;
}

static void empty(void **state) {
  (void)state;
  assert_int_equal(tph_write(path, &histogram, "Grant"), 0);
  assert_string_equal(contents(), "tailproof-histogram 1\nname Grant\nunit ns\nsub_buckets 1024\n"
                                  "total 0\nsaturated 0\ncounts\nend\n");
}

static void text(void **state) {
  (void)state;
  static const uint64_t values[] = {0, 1, 2048, 2049, 2050, 4098, 4096, UINT64_MAX, 1};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    histogram_record(&histogram, values[i]);
  histogram_record(&histogram, HISTOGRAM_VALUE_MAX_NS);
  assert_int_equal(tph_write(path, &histogram, "Vote_2"), 0);
  assert_string_equal(contents(),
                      "tailproof-histogram 1\nname Vote_2\nunit ns\nsub_buckets 1024\n"
                      "total 10\nsaturated 1\ncounts\n0 1\n1 2\n2048 1\n2050 2\n4096 1\n4100 1\n"
                      "4398046511104 1\nend\n");
}

static void all_buckets(void **state) {
  (void)state;
  histogram_init(&histogram);
  for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
    for (size_t n = 0; n <= i % 3; n++)
      histogram_record(&histogram, histogram_upper_edge_ns(i));
  assert_int_equal(tph_write(path, &histogram, "all"), 0);
  const char *at = strstr(contents(), "counts\n") + strlen("counts\n");
  for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
    char *end;
    assert_int_equal(strtoull(at, &end, 10), histogram_upper_edge_ns(i));
    assert_int_equal(strtoull(end, &end, 10), i % 3 + 1);
    at = end + 1;
  }
  assert_string_equal(at, "end\n");
}

static void failures_change_nothing(void **state) {
  (void)state;
  static const char *const names[] = {"", "a b", "a\nb", "../x", "d:1"};
  histogram_init(&histogram);
  assert_int_equal(tph_write(path, &histogram, "before"), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_int_equal(tph_write(path, &histogram, names[i]), EINVAL);
  assert_int_equal(tph_write("/tmp/no/such/directory/x.tph", &histogram, "x"), ENOENT);
  assert_int_equal(tph_write(directory, &histogram, "x"), EISDIR);
  assert_non_null(strstr(contents(), "\nname before\n"));
}

/* A limit on file sizes stands in for a full disk. */
static void full_disk(void **state) {
  (void)state;
  struct rlimit before, tiny;
  assert_int_equal(tph_write(path, &histogram, "before"), 0);
  for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
    histogram_record(&histogram, histogram_upper_edge_ns(i));
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  tiny = before;
  tiny.rlim_cur = 8192;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
  int error = tph_write(path, &histogram, "after");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_true(error == EFBIG || error == EIO);
  assert_non_null(strstr(contents(), "\nname before\n"));
}

/* A temporary name that is taken is refused rather than followed. */
static void taken_name(void **state) {
  (void)state;
  char temporary[96];
  snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
  assert_int_equal(symlink("/dev/full", temporary), 0);
  assert_int_equal(tph_write(path, &histogram, "x"), EEXIST);
  assert_int_equal(unlink(temporary), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(empty),       cmocka_unit_test(text),
      cmocka_unit_test(all_buckets), cmocka_unit_test(failures_change_nothing),
      cmocka_unit_test(full_disk),   cmocka_unit_test(taken_name),
  };
  return cmocka_run_group_tests_name("store", tests, setup, teardown);
}
