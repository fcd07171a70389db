/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whom a processor quota stops, by groups of version 1 and 2, of its own and above.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/throughput/experiment/quota.h"

static void texts(void **state) {
  (void)state;
  uint64_t ns = 0;
  assert_true(quota_stat(&ns, "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 1234\n"));
  assert_int_equal(ns, 1234000);
  assert_true(quota_stat(&ns, "nr_periods 9\nnr_throttled 3\nthrottled_time 77\n"));
  assert_int_equal(ns, 77);
  assert_false(quota_stat(&ns, "usage_usec 5\nuser_usec 3\n"));
  assert_false(quota_stat(&ns, ""));
}

static char root[] = "/tmp/quota-XXXXXX";

static void put(const char *folder, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", root, folder);
  for (char *slash = path + strlen(root); (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
    *slash = '\0';
    mkdir(path, 0700);
  }
  mkdir(path, 0700);
  strcat(path, "/cpu.stat");
  FILE *file = fopen(path, "we");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void groups(void **state) {
  (void)state;
  static const struct {
    const char *groups;
    bool found;
    uint64_t ns;
  } cases[] = {
      {"0::/a/b\n", true, 50000},                       /* that above has a smaller quota */
      {"0::/a\n", true, 50000},                         /* its own */
      {"0::/a/b/c\n", true, 50000},                     /* two above */
      {"0::/free\n", true, 3000},                       /* the root's */
      {"0::/\n", true, 3000},                           /* in the root */
      {"0::/gone\n", true, 3000},                       /* whose own is not there */
      {"4:memory:/a\n2:cpu,cpuacct:/x/y\n", true, 900}, /* version 1 */
      {"2:cpu,cpuacct:/x\n0::/none\n", true, 3000},     /* both, and more in the other */
      {"3:cpuset:/x\n4:cpuacct:/x\n", false, 0},        /* other controllers */
      {"", false, 0},                                   /* none */
      {"nonsense\n", false, 0},                         /* of no known form */
  };
  assert_non_null(mkdtemp(root));
  put("a", "nr_throttled 1\nthrottled_usec 50\n");
  put("a/b", "nr_throttled 1\nthrottled_usec 20\n");
  put("a/b/c", "usage_usec 20\n");
  put("free", "usage_usec 3\n");
  put("cpu,cpuacct/x", "throttled_time 900\n");
  put("cpu,cpuacct/x/y", "throttled_time 100\n");
  put(".", "throttled_usec 3\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t ns = 1;
    bool found = quota_of(&ns, cases[i].groups, root);
    if (found != cases[i].found || ns != cases[i].ns)
      fail_msg("case %zu: %d, %llu", i, found, (unsigned long long)ns);
  }
  char command[80];
  snprintf(command, sizeof command, "rm -r %s", root);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(groups)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
