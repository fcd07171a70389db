/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `generate`: which files there are, that its own check finds them as they are, and
 * names each contract that somebody changed.
 */
#include "cli/question/generate/generate.h"
#include "tests/unit/cli/heard.h"

static enum status ask(struct code_answer *answer, struct code_request request) {
  static struct asker asker;
  asker = heard_asker();
  request.asker = &asker;
  request.path = heard_path("pair.tp");
  return code_ask(answer, &request);
}

static bool is_written(const char *name) {
  char path[64];
  snprintf(path, sizeof path, "c/%s", name);
  return access(heard_path(path), R_OK) == 0;
}

/* As a user would: the first "old" of the file becomes "new", of the same length. */
static void change(const char *path, const char *old, const char *new) {
  static char text[1 << 18];
  FILE *file = fopen(path, "r+");
  assert_non_null(file);
  size_t length = fread(text, 1, sizeof text - 1, file);
  text[length] = '\0';
  char *at = strstr(text, old);
  assert_non_null(at);
  assert_int_equal(strlen(old), strlen(new));
  memcpy(at, new, strlen(new));
  rewind(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static void files_of_roles(void **state) {
  (void)state;
  struct code_answer answer;
  heard_protocol("pair.tp", heard_right);
  assert_int_equal(ask(&answer, (struct code_request){.out = heard_path("c"), .role = "a"}),
                   STATUS_OK);
  assert_true(is_written("pair_a.c") && is_written("pair_a.h") && !is_written("pair_b.c"));
  code_answer_clear(&answer);
  assert_int_equal(ask(&answer, (struct code_request){.out = heard_path("c")}), STATUS_OK);
  assert_true(is_written("pair_a.c") && is_written("pair_b.c"));
  assert_false(is_written("pair_a_main.c"));
  code_answer_clear(&answer);
  assert_int_equal(ask(&answer, (struct code_request){.out = heard_path("c"), .loop = true}),
                   STATUS_OK);
  assert_true(is_written("pair_a_main.c"));
  code_answer_clear(&answer);
}

static void stale_contracts(void **state) {
  (void)state;
  struct code_answer answer;
  heard_protocol("pair.tp", heard_right);
  assert_int_equal(ask(&answer, (struct code_request){.out = heard_path("c")}), STATUS_OK);
  code_answer_clear(&answer);
  const struct code_request check = {.check = heard_path("c")};
  assert_int_equal(ask(&answer, check), STATUS_OK);
  assert_string_equal(text_get(&answer.stale), "");
  code_answer_clear(&answer);
  change(heard_path("c/pair_a.h"), "ensures", "assumes");
  assert_int_equal(ask(&answer, check), STATUS_REFUTED);
  assert_non_null(strstr(text_get(&answer.stale), "pair_a.h"));
  code_answer_clear(&answer);
  assert_int_equal(unlink(heard_path("c/pair_a.h")), 0);
  assert_int_equal(ask(&answer, check), STATUS_NO_INPUT);
  code_answer_clear(&answer);
}

static void what_has_no_code(void **state) {
  (void)state;
  struct code_answer answer;
  heard_protocol("pair.tp", heard_right);
  assert_int_equal(ask(&answer, (struct code_request){.out = heard_path("c"), .role = "nobody"}),
                   STATUS_USAGE);
  heard_only(SAYING_MISTAKE, "nobody");
  code_answer_clear(&answer);
  heard_protocol("pair.tp", "A + Missing");
  assert_int_equal(ask(&answer, (struct code_request){.out = heard_path("c")}), STATUS_DATA);
  code_answer_clear(&answer);
  assert_int_not_equal(access(heard_path("c"), R_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(files_of_roles), TEST(stale_contracts),
                                     TEST(what_has_no_code)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
