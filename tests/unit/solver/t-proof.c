/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The small protocols of tests/verdicts, each with true bounds and their nearest false neighbours.
 * The name of a bound says what is right: t_ is true and must be proved, f_ is false and must be
 * refuted by an execution, u_ must be neither (there is no execution, or the model breaks its own
 * rules).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "solver/verify.h"
#include "tests/unit/solver/loaded.h"

static bool is_right(const struct bound_report *report) {
  switch (report->bound->name[0]) {
  case 't':
    return report->verdict == VERDICT_PROVED && report->reached && report->failed == 0;
  case 'f':
    return report->verdict == VERDICT_REFUTED && report->execution != NULL;
  default:
    return report->verdict == VERDICT_UNKNOWN && report->reason != NULL;
  }
}

/* How many verdicts are wrong. */
static size_t judge(const char *path) {
  struct text message;
  text_init(&message);
  char *bytes = NULL;
  size_t length = 0;
  assert_int_equal(file_read(path, 1 << 20, &bytes, &length, &message), STATUS_OK);
  struct loaded loaded;
  loaded_init(&loaded, path, bytes);
  assert_non_null(loaded.model);
  struct verify_options options = {
      .jobs = parallel_processors(), .limit_ms = 300, .search_seconds = 4};
  struct verification v;
  verification_init(&v, loaded.model, &options);
  size_t wrong = 0;
  for (size_t i = 0; i < v.bounds.count; i++) {
    const struct bound_report *r = &v.bounds.data[i];
    if (is_right(r))
      continue;
    print_error("%s: %s is %s: %s\n%s\n", path, r->bound->name, verdict_name(r->verdict),
                r->reason ? r->reason : "", r->execution ? "an execution" : "");
    wrong++;
  }
  assert_true(v.bounds.count != 0);
  verification_clear(&v);
  loaded_clear(&loaded);
  mem_free(bytes);
  text_clear(&message);
  return wrong;
}

static void test_verdicts(void **state) {
  (void)state;
  size_t wrong = 0;
  glob_t found = {0};
  assert_int_equal(glob("tests/verdicts/*.tp", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++)
    wrong += judge(found.gl_pathv[i]);
  globfree(&found);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
