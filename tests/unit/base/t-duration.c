/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One grammar of times for every place that reads one, and the printers of reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/duration.h"
#include "dist/evaluate/compose.h"
#include "measure/throughput/experiment/plan.h"

static const struct {
  const char *text, *ns; /* NULL: none */
} times[] = {
    {"0ns", "0"},
    {"300ms", "300000000"},
    {"1.5 s", "1500000000"},
    {"0.25us", "250"},
    {"7\u00B5s", "7000"},
    {"7\u03BCs", "7000"},
    {"2\tms", "2000000"},
    {"0.1ns", "1/10"},
    {"1.0000000000000001ns", "10000000000000001/10000000000000000"},
    {"", NULL},
    {"300", NULL},
    {"ms", NULL},
    {"-1ms", NULL},
    {"+1ms", NULL},
    {"1e3us", NULL},
    {"0x10us", NULL},
    {"1,5ms", NULL},
    {"1.5.2ms", NULL},
    {"1 m", NULL},
    {"1ms ", NULL},
    {" 1ms", NULL},
    {"1MS", NULL},
    {"1 ms 2", NULL},
    {"nanms", NULL},
    {"1min", NULL},
};

static void one_grammar(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    struct rational ns;
    struct text text;
    rational_init(&ns);
    text_init(&text);
    rational_set_integer(&ns, 77);
    assert_int_equal(duration_parse(&ns, times[i].text), times[i].ns != NULL);
    rational_print(&text, &ns);
    assert_string_equal(text.data, times[i].ns != NULL ? times[i].ns : "77");
    text_clear(&text);
    rational_clear(&ns);
  }
}

static bool is_one_of(const char *word, const char *words) {
  char padded[64], list[64];
  snprintf(padded, sizeof padded, " %s ", word);
  snprintf(list, sizeof list, " %s ", words);
  return strstr(list, padded) != NULL;
}

/* What the grammar refuses, laws (where it is no name) and plans refuse too; of what it takes,
 * blanks apart, both agree.
 */
static void laws_and_plans_agree(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    if (strpbrk(times[i].text, " \t") != NULL || times[i].text[0] == '\0')
      continue;
    struct compose *law;
    struct text why;
    text_init(&why);
    bool taken = compose_parse(&law, times[i].text, &why) == STATUS_OK;
    bool is_name = is_one_of(times[i].text, "ms nanms 0x10us 1MS 1min 1.5.2ms");
    if (taken)
      compose_clear(law);
    if (taken != (times[i].ns != NULL || is_name))
      fail_msg("as a law \"%s\" is %s: %s", times[i].text, taken ? "taken" : "refused",
               text_get(&why));
    text_clear(&why);

    char yaml[300], message[PLAN_MESSAGE];
    struct experiment_plan plan;
    snprintf(yaml, sizeof yaml,
             "entry: web\nload: run\nwindow: '%s'\nservices:\n"
             "  - {name: web, command: ./web, workers: 1, work: 1ms}\n",
             times[i].text);
    int error = plan_parse(&plan, "plan.yaml", yaml, strlen(yaml), message);
    if (error == 0)
      plan_clear(&plan);
    if (times[i].ns == NULL)
      assert_int_not_equal(error, 0);
    else if (error != 0)
      assert_non_null(strstr(message, "out of range"));
  }
}

static void rounded_to_a_side(void **state) {
  (void)state;
  static const struct {
    uint64_t ns;
    const char *upper, *lower, *nearest;
  } cases[] = {
      {0, "0 ns", "0 ns", "0 ns"},
      {999, "999 ns", "999 ns", "999 ns"},
      {1000, "1.000 us", "1.000 us", "1.000 us"},
      {1234567, "1.235 ms", "1.234 ms", "1.235 ms"},
      {1234499, "1.235 ms", "1.234 ms", "1.234 ms"},
      {999999999, "1000.000 ms", "999.999 ms", "1000.000 ms"},
      {9223372036854775807u, "9223372036.855 s", "9223372036.854 s", "9223372036.855 s"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct text text;
    text_init(&text);
    duration_print_upper(&text, cases[i].ns);
    assert_string_equal(text.data, cases[i].upper);
    text_clear(&text);
    duration_print_lower(&text, cases[i].ns);
    assert_string_equal(text.data, cases[i].lower);
    text_clear(&text);
    duration_print_nearest(&text, (int64_t)cases[i].ns);
    assert_string_equal(text.data, cases[i].nearest);
    text_clear(&text);
    duration_print_nearest(&text, -(int64_t)cases[i].ns);
    assert_string_equal(text.data + 1, cases[i].nearest + (cases[i].ns == 0));
    text_clear(&text);
  }
}

static void exactly(void **state) {
  (void)state;
  static const struct {
    const char *ns, *text;
  } cases[] = {{"0", "0 ns"},         {"1000", "1 us"},   {"1500", "1500 ns"},
               {"2000000000", "2 s"}, {"1/4", "0.25 ns"}, {"60000000000", "60 s"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rational ns;
    struct text text;
    rational_init(&ns);
    text_init(&text);
    assert_true(rational_parse(&ns, cases[i].ns));
    duration_print_exact(&text, &ns);
    assert_string_equal(text.data, cases[i].text);
    text_clear(&text);
    rational_clear(&ns);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_grammar), cmocka_unit_test(laws_and_plans_agree),
      cmocka_unit_test(rounded_to_a_side), cmocka_unit_test(exactly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
