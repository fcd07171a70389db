/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One document in all formats: what each makes of hostile names, ends that are rounded, numbers
 * that are none or infinite, objects inside of objects, and of what is for some readers alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#include <cmocka.h>

#include "base/jsonl.h"
#include "show/document.h"

static const struct object_key step_keys[] = {
    KEY("step", TEXT, .marks = MARK_NAMES), KEY("took_ns", NS), {0}};
static const struct object_kind step_kind = {"step", NULL, step_keys};

static const struct object_key thing_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES, .note = "what \"it\" is"),
    KEY("state", TEXT, .marks = MARK_NULL, .words = "good|not good"),
    KEY("limit_ns", NS, .marks = MARK_MAYBE | MARK_DIGITS | MARK_UPPER),
    KEY("share.count", COUNT, .marks = MARK_MAYBE),
    KEY("share.of", COUNT, .marks = MARK_MAYBE),
    KEY("share.least", SHARE, .marks = MARK_MAYBE | MARK_LOWER),
    KEY("share.most", SHARE, .marks = MARK_MAYBE | MARK_UPPER),
    KEY("ratio", NUMBER, .marks = MARK_MAYBE),
    KEY("known", FLAG, .marks = MARK_MAYBE),
    KEY("tags", TEXTS, .marks = MARK_MAYBE),
    KEY("steps", OBJECTS, .marks = MARK_MAYBE, .objects = &step_kind),
    {0}};
static const struct object_kind thing_kind = {"thing", "of a test", thing_keys};
static const struct object_kind *const kinds[] = {&thing_kind, &assumption_kind, NULL};

static const struct object_column columns[] = {
    {.title = "thing", .key = "name"},
    {.title = "limit", .align = TABLE_RIGHT, .key = "limit_ns"},
    {.title = "share", .align = TABLE_RIGHT, .form = COLUMN_SHARE, .key = "share"},
    {.title = "ratio", .align = TABLE_RIGHT, .key = "ratio", .decimals = -1},
    {.title = "never", .key = "tags"},
};

static void begin(struct document *document, struct objects **things) {
  document_init(document, "test", kinds);
  *things = document_objects(document, &thing_kind);
}

static struct objects *add(struct objects *things, const char *name) {
  objects_add(things);
  object_text(things, "name", name);
  object_null(things, "state");
  return things;
}

static void expect(struct document *document, enum document_format format, bool full,
                   const char *expected) {
  const struct style style = {.full = full, .width = 80, .prose = 78};
  struct text text;
  text_init(&text);
  document_write(&text, document, format, &style);
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
}

/* A name with all that some format obeys. */
static const char hostile[] = "=a\x1b[31m\"b\",\\c\n|<i>\xff";

static void test_hostile_names_stay_names(void **state) {
  (void)state;
  struct document document;
  struct objects *things;
  begin(&document, &things);
  object_count(add(things, hostile), "share.count", 1);
  object_item(things, "tags", "a\"b;c");
  static const struct object_column name = {.title = "thing", .key = "name"};
  document_table(&document, LINES_APART, 2, things, &name, 1);
  expect(&document, DOCUMENT_JSON, false,
         "{\"kind\":\"thing\",\"name\":\"=a\\u001B[31m\\\"b\\\",\\\\c\\n|<i>?\","
         "\"state\":null,\"share\":{\"count\":1},\"tags\":[\"a\\\"b;c\"]}\n");
  expect(&document, DOCUMENT_CSV, false,
         "kind,name,state,limit_ns,share.count,share.of,share.least,share.most,ratio,known,tags,"
         "steps.step,steps.took_ns,source,level,text\n"
         "thing,\"'=a\xef\xbf\xbd[31m\"\"b\"\",\\c\xef\xbf\xbd|<i>\xef\xbf\xbd\",,,1,,,,,,"
         "\"[\"\"a\\\"\"b;c\"\"]\",,,,,\n");
  expect(&document, DOCUMENT_PROMETHEUS, false,
         "# HELP tailproof_thing_share share.count of thing\n"
         "# TYPE tailproof_thing_share gauge\n"
         "tailproof_thing_share{name=\"=a\xef\xbf\xbd[31m\\\"b\\\",\\\\c\xef\xbf\xbd|<i>"
         "\xef\xbf\xbd\"} 1\n");
  expect(&document, DOCUMENT_TEXT, false, "  thing\n  =a?[31m\"b\",\\c\n  |<i>?\n");
  expect(&document, DOCUMENT_MARKDOWN, false,
         "| thing |\n|---|\n| =a?\\[31m\"b\",\\\\c \\|&lt;i&gt;? |\n");
  struct text html;
  text_init(&html);
  document_write(&html, &document, DOCUMENT_HTML, NULL);
  assert_non_null(strstr(html.data, "<th scope=\"row\" class=\"left\">=a?[31m&quot;b&quot;,\\c"));
  assert_null(strstr(html.data, "<i>"));
  assert_null(strchr(html.data, '\x1b'));
  text_clear(&html);
  document_clear(&document);
}

static void test_a_formula_is_a_text(void **state) {
  (void)state;
  static const char *const names[] = {"=1+1", "+1", "-1", "@SUM(1)", "1-1", ""};
  struct document document;
  struct objects *things;
  begin(&document, &things);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    object_number(add(things, names[i]), "ratio", -1);
  struct text csv;
  text_init(&csv);
  document_write(&csv, &document, DOCUMENT_CSV, NULL);
  assert_string_equal(strchr(csv.data, '\n') + 1, "thing,'=1+1,,,,,,,-1,,,,,,,\n"
                                                  "thing,'+1,,,,,,,-1,,,,,,,\n"
                                                  "thing,'-1,,,,,,,-1,,,,,,,\n"
                                                  "thing,'@SUM(1),,,,,,,-1,,,,,,,\n"
                                                  "thing,1-1,,,,,,,-1,,,,,,,\n"
                                                  "thing,,,,,,,,-1,,,,,,,\n");
  text_clear(&csv);
  document_clear(&document);
}

static void test_ends_are_rounded_outward(void **state) {
  (void)state;
  struct document document;
  struct objects *things;
  begin(&document, &things);
  object_time(add(things, "a"), "limit_ns", true, 1000000001);
  object_count(things, "share.count", 1);
  object_count(things, "share.of", 3);
  object_number(things, "share.least", 0.12999999999);
  object_number(things, "share.most", 0.46000000001);
  document_table(&document, LINES_APART, 2, things, columns, 5);
  expect(&document, DOCUMENT_TEXT, false,
         "  thing    limit            share\n"
         "  a      1.001 s  33 % (12 .. 47)\n");
  expect(&document, DOCUMENT_JSON, false,
         "{\"kind\":\"thing\",\"name\":\"a\",\"state\":null,\"limit_ns\":\"1000000001\","
         "\"share\":{\"count\":1,\"of\":3,\"least\":0.129999999,\"most\":0.460000001}}\n");
  document_clear(&document);
  begin(&document, &things); /* what is no end of anything, or exact, stays what it is */
  object_number(add(things, "a"), "share.least", 0.92);
  object_number(things, "share.most", 0.92);
  object_count(things, "share.count", 92);
  object_count(things, "share.of", 100);
  document_table(&document, LINES_APART, 2, things, columns, 5);
  expect(&document, DOCUMENT_TEXT, false,
         "  thing            share\n"
         "  a      92 % (92 .. 92)\n");
  document_clear(&document);
}

/* Rates have as many digits as make sense, ends of them rounded outward. */
static void test_numbers_of_four_digits(void **state) {
  static const struct object_key rate_keys[] = {KEY("rate", NUMBER),
                                                KEY("low", NUMBER, .marks = MARK_LOWER),
                                                KEY("high", NUMBER, .marks = MARK_UPPER),
                                                {0}};
  static const struct object_kind rate_kind = {"rate", NULL, rate_keys};
  static const struct object_kind *const rate_kinds[] = {&rate_kind, NULL};
  static const struct object_column rate_columns[] = {
      {.title = "rate", .align = TABLE_RIGHT, .key = "rate", .decimals = -4},
      {.title = "between",
       .align = TABLE_RIGHT,
       .form = COLUMN_RANGE,
       .key = "low",
       .to = "high",
       .decimals = -4}};
  static const double rates[] = {0, 0.00012345, 0.98765, 12.3456, 1234.56, 1234567.8};
  struct document document;
  (void)state;
  document_init(&document, "test", rate_kinds);
  struct objects *objects = document_objects(&document, &rate_kind);
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    objects_add(objects);
    object_number(objects, "rate", rates[i]);
    object_number(objects, "low", rates[i]);
    object_number(objects, "high", rates[i]);
  }
  document_table(&document, LINES_CLOSE, 0, objects, rate_columns, 2);
  expect(&document, DOCUMENT_TEXT, false,
         "     rate                 between\n"
         "    0.000          0.000 .. 0.000\n"
         "0.0001235  0.0001234 .. 0.0001235\n"
         "   0.9877        0.9876 .. 0.9877\n"
         "    12.35          12.34 .. 12.35\n"
         "     1235            1234 .. 1235\n"
         "  1234568      1234567 .. 1234568\n");
  document_clear(&document);
}

/* A line for text alone stands behind the last item of a list: on a page the list ends all the
 * same. */
static void test_a_list_ends_where_a_hidden_item_is(void **state) {
  struct document document;
  struct objects *things;
  struct text text;
  (void)state;
  begin(&document, &things);
  text_init(&text);
  text_append(&text, "one");
  document_item(&document, LINES_CLOSE, 2, &text);
  document_show(&document, SHOWN_BRIEF);
  text_append(&text, "and 1 more");
  document_item(&document, LINES_CLOSE, 2, &text);
  document_show(&document, SHOWN_ALWAYS);
  document_say(&document, LINES_CLOSE, "The end.");
  document_write(&text, &document, DOCUMENT_HTML, NULL);
  assert_non_null(strstr(text.data, "<ul>\n<li>one</li>\n</ul>\n<p>The end.</p>"));
  assert_null(strstr(text.data, "more"));
  text_clear(&text);
  document_clear(&document);
}

static void test_what_is_infinite_or_no_number(void **state) {
  (void)state;
  struct document document;
  struct objects *things;
  begin(&document, &things);
  object_time(add(things, "a"), "limit_ns", false, 7);
  object_number(things, "ratio", -INFINITY);
  object_number(add(things, "b"), "ratio", NAN);
  document_table(&document, LINES_APART, 2, things, columns, 5);
  expect(&document, DOCUMENT_JSON, false,
         "{\"kind\":\"thing\",\"name\":\"a\",\"state\":null,\"limit_ns\":\"infinite\","
         "\"ratio\":\"-infinite\"}\n{\"kind\":\"thing\",\"name\":\"b\",\"state\":null}\n");
  expect(&document, DOCUMENT_TEXT, false,
         "  thing     limit      ratio\n"
         "  a      infinite  -infinite\n"
         "  b\n");
  expect(&document, DOCUMENT_PROMETHEUS, false,
         "# HELP tailproof_thing_limit_seconds limit_ns of thing\n"
         "# TYPE tailproof_thing_limit_seconds gauge\n"
         "tailproof_thing_limit_seconds{name=\"a\"} +Inf\n"
         "# HELP tailproof_thing_ratio ratio of thing\n"
         "# TYPE tailproof_thing_ratio gauge\n"
         "tailproof_thing_ratio{name=\"a\"} -Inf\n");
  struct text csv;
  text_init(&csv);
  document_write(&csv, &document, DOCUMENT_CSV, NULL);
  assert_string_equal(strchr(csv.data, '\n') + 1, "thing,a,,inf,,,,,-inf,,,,,,,\n"
                                                  "thing,b,,,,,,,,,,,,,,\n");
  text_clear(&csv);
  document_clear(&document);
}

static void test_lists_of_objects(void **state) {
  (void)state;
  struct document document;
  struct objects *things;
  begin(&document, &things);
  struct objects *steps = object_list(add(things, "a"), "steps");
  objects_add(steps);
  object_text(steps, "step", "read");
  object_ns(steps, "took_ns", -1500000001);
  objects_add(steps);
  object_text(steps, "step", "write");
  object_ns(steps, "took_ns", 0);
  object_flag(add(things, "b"), "known", true);
  expect(&document, DOCUMENT_JSON, false,
         "{\"kind\":\"thing\",\"name\":\"a\",\"state\":null,\"steps\":[{\"step\":\"read\","
         "\"took_ns\":-1500000001},{\"step\":\"write\",\"took_ns\":0}]}\n"
         "{\"kind\":\"thing\",\"name\":\"b\",\"state\":null,\"known\":true}\n");
  expect(&document, DOCUMENT_PROMETHEUS, false,
         "# HELP tailproof_thing_known known of thing\n"
         "# TYPE tailproof_thing_known gauge\n"
         "tailproof_thing_known{name=\"b\"} 1\n"
         "# HELP tailproof_thing_steps_took_seconds took_ns of step\n"
         "# TYPE tailproof_thing_steps_took_seconds gauge\n"
         "tailproof_thing_steps_took_seconds{name=\"a\",step=\"read\"} -1.500000001\n"
         "tailproof_thing_steps_took_seconds{name=\"a\",step=\"write\"} 0.000000000\n");
  struct text csv;
  text_init(&csv);
  document_write(&csv, &document, DOCUMENT_CSV, NULL);
  assert_string_equal(strchr(csv.data, '\n') + 1, "thing,a,,,,,,,,,,,,,,\n"
                                                  "thing.steps,a,,,,,,,,,,read,-1500000001,,,\n"
                                                  "thing.steps,a,,,,,,,,,,write,0,,,\n"
                                                  "thing,b,,,,,,,,true,,,,,,\n");
  text_clear(&csv);
  document_clear(&document);
}

/* Two of one name, also by what is blanked, are two metrics; three of them three. */
static void test_metrics_are_told_apart(void **state) {
  (void)state;
  struct document document;
  struct objects *things;
  begin(&document, &things);
  object_text(add(things, "a\x1b"), "state", "good");
  object_text(add(things, "b"), "state", "not good");
  object_text(add(things, "a\x07"), "state", "good");
  expect(&document, DOCUMENT_PROMETHEUS, false,
         "# HELP tailproof_thing_state state of thing\n"
         "# TYPE tailproof_thing_state gauge\n"
         "tailproof_thing_state{name=\"a\xef\xbf\xbd\",n=\"1\",state=\"good\"} 1\n"
         "tailproof_thing_state{name=\"b\",state=\"not good\"} 1\n"
         "tailproof_thing_state{name=\"a\xef\xbf\xbd\",n=\"2\",state=\"good\"} 1\n");
  document_clear(&document);
}

static void test_who_is_shown_what(void **state) {
  (void)state;
  static const struct object_column name = {.title = "", .key = "name"};
  struct document document;
  struct objects *things;
  begin(&document, &things);
  add(things, "always");
  object_shown(add(things, "full"), SHOWN_FULL);
  object_shown(add(things, "programs"), SHOWN_PROGRAMS);
  object_shown(add(things, "people"), SHOWN_PEOPLE);
  object_shown(add(things, "people, full"), SHOWN_PEOPLE_FULL);
  object_shown(add(things, "brief"), SHOWN_BRIEF);
  document_table(&document, LINES_APART, 0, things, &name, 1);
  document_show(&document, SHOWN_BRIEF);
  document_say(&document, LINES_APART, "%d more", 2);
  expect(&document, DOCUMENT_TEXT, false, "always\npeople\nbrief\n\n  2 more\n");
  expect(&document, DOCUMENT_TEXT, true, "always\nfull\npeople\npeople, full\n");
  expect(&document, DOCUMENT_MARKDOWN, false,
         "|  |\n|---|\n| always |\n| people |\n| brief |\n\n2 more\n");
  expect(&document, DOCUMENT_JSON, false,
         "{\"kind\":\"thing\",\"name\":\"always\",\"state\":null}\n"
         "{\"kind\":\"thing\",\"name\":\"full\",\"state\":null}\n"
         "{\"kind\":\"thing\",\"name\":\"programs\",\"state\":null}\n");
  document_clear(&document);
}

static void test_the_ledger_is_in_every_format(void **state) {
  (void)state;
  struct document document;
  struct ledger ledger;
  ledger_init(&ledger);
  ledger_warn(&ledger, LEDGER_DATA, "%s: drifts", "a.csv");
  ledger_add(&ledger, LEDGER_DIST, "independent");
  document_init(&document, "test", kinds);
  document_say(&document, LINES_APART, "An answer.");
  document_verdict(&document, STATUS_REFUTED, "p99<1ms", "BROKEN", "p99 is at least 2 ms.");
  document_ledger(&document, &ledger);
  expect(&document, DOCUMENT_TEXT, false,
         "  An answer.\n\n  p99<1ms: BROKEN: p99 is at least 2 ms.\n\n  warning: a.csv: drifts\n\n"
         "  This rests on 1 standard assumption: --full lists it.\n");
  expect(&document, DOCUMENT_MARKDOWN, true,
         "An answer.\n\n❌ p99&lt;1ms: **BROKEN**: p99 is at least 2 ms.\n\n"
         "### What this rests on\n\n- data: warning: a.csv: drifts\n- dist: independent\n");
  expect(&document, DOCUMENT_JSON, false,
         "{\"kind\":\"assumption\",\"source\":\"data\",\"level\":\"warning\",\"text\":\"warning: "
         "a.csv: drifts\"}\n{\"kind\":\"assumption\",\"source\":\"dist\",\"level\":\"standard\","
         "\"text\":\"independent\"}\n");
  expect(&document, DOCUMENT_PROMETHEUS, false,
         "# HELP tailproof_assumptions what the answer rests on: lines of the ledger\n"
         "# TYPE tailproof_assumptions gauge\n"
         "tailproof_assumptions{level=\"standard\"} 1\n"
         "tailproof_assumptions{level=\"notable\"} 0\n"
         "tailproof_assumptions{level=\"warning\"} 1\n");
  document_clear(&document);
  ledger_clear(&ledger);
}

/* Whether the leak checker has anything to say is the test of what is taken. */
static void test_what_is_empty_is_taken_and_says_nothing(void **state) {
  (void)state;
  struct document document;
  struct text text;
  struct table table;
  document_init(&document, "test", kinds);
  text_init(&text);
  text_append(&text, "");
  document_take(&document, LINES_APART, 2, &text);
  assert_null(text.data);
  text_append(&text, "");
  document_item(&document, LINES_APART, 2, &text);
  assert_null(text.data);
  table_init(&table);
  table_column(&table, TABLE_LEFT, "nothing");
  document_grid(&document, LINES_APART, 2, &table);
  expect(&document, DOCUMENT_TEXT, true, "");
  expect(&document, DOCUMENT_MARKDOWN, true, "");
  expect(&document, DOCUMENT_JSON, true, "");
  document_clear(&document);
}

static void test_maps_nulls_and_lines(void **state) {
  (void)state;
  static const struct object_key keys[] = {
      KEY("names", MAP, .marks = MARK_INLINE),
      KEY("reached.scope", MAP, .marks = MARK_MAYBE | MARK_OUTER_NULL),
      KEY("reached.steps", COUNT, .marks = MARK_MAYBE),
      KEY("lines", TEXT, .marks = MARK_LINES),
      {0}};
  static const struct object_kind kind = {"it", NULL, keys};
  static const struct object_kind *const its[] = {&kind, NULL};
  struct document document;
  document_init(&document, "test", its);
  struct objects *objects = document_objects(&document, &kind);
  for (int i = 0; i < 2; i++) {
    objects_add(objects);
    object_pair_integer(objects, "names", "n", -2);
    object_text(objects, "lines", "one\ntwo\x1b");
  }
  object_pair_digits(objects, "reached.scope", "T", "1.5");
  object_count(objects, "reached.steps", 3);
  expect(&document, DOCUMENT_JSON, false,
         "{\"kind\":\"it\",\"n\":-2,\"reached\":null,\"lines\":\"one\\ntwo\\u001B\"}\n"
         "{\"kind\":\"it\",\"n\":-2,\"reached\":{\"scope\":{\"T\":\"1.5\"},\"steps\":3},"
         "\"lines\":\"one\\ntwo\\u001B\"}\n");
  expect(&document, DOCUMENT_CSV, false,
         "kind,names,reached.scope,reached.steps,lines\n"
         "it,\"{\"\"n\"\":-2}\",,,\"one\ntwo?\"\n"
         "it,\"{\"\"n\"\":-2}\",\"{\"\"T\"\":\"\"1.5\"\"}\",3,\"one\ntwo?\"\n");
  document_clear(&document);
}

static void test_the_manual_and_the_schema(void **state) {
  (void)state;
  struct text row;
  text_init(&row);
  object_kind_row(&row, &thing_kind);
  assert_string_equal(
      row.data, "| `thing` | of a test: `name` (what \"it\" is) `state` (`good`, `not good`) "
                "`limit_ns? share?` {`count? of? least? most?`} `ratio? known? tags? steps?`, a "
                "list of {`step took_ns`} |\n");
  text_clear(&row);
  struct jsonl *schema = object_kinds_schema(kinds);
  char *text = jsonl_take(schema);
  assert_non_null(strstr(text, "\"const\": \"thing\""));
  assert_non_null(strstr(text, "\"not good\""));
  mem_free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hostile_names_stay_names),
      cmocka_unit_test(test_a_formula_is_a_text),
      cmocka_unit_test(test_ends_are_rounded_outward),
      cmocka_unit_test(test_numbers_of_four_digits),
      cmocka_unit_test(test_a_list_ends_where_a_hidden_item_is),
      cmocka_unit_test(test_what_is_infinite_or_no_number),
      cmocka_unit_test(test_lists_of_objects),
      cmocka_unit_test(test_metrics_are_told_apart),
      cmocka_unit_test(test_who_is_shown_what),
      cmocka_unit_test(test_the_ledger_is_in_every_format),
      cmocka_unit_test(test_what_is_empty_is_taken_and_says_nothing),
      cmocka_unit_test(test_maps_nulls_and_lines),
      cmocka_unit_test(test_the_manual_and_the_schema),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
