/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/evaluate/change.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static struct request_change parse(const char *text) {
  struct request_change change;
  struct text message;
  text_init(&message);
  if (change_parse(&change, text, &message) != STATUS_OK)
    fail_msg("%s: %s", text, text_get(&message));
  text_clear(&message);
  return change;
}

static void assert_change(const char *text, enum change_kind kind, const char *name, double value,
                          uint64_t number, const char *law) {
  struct request_change change = parse(text);
  assert_int_equal(change.kind, kind);
  assert_string_equal(change.name, name);
  assert_true(rational_double(&change.value) == value);
  assert_int_equal(change.number, number);
  if (law != NULL)
    assert_string_equal(change.law, law);
  else
    assert_null(change.law);
  change_clear(&change);
}

static void test_each_form_is_read(void **state) {
  (void)state;
  assert_change("cart/redis.get: *0.5", CHANGE_SCALE, "cart/redis.get", 0.5, 0, NULL);
  assert_change(" cart/*:*1.5 ", CHANGE_SCALE, "cart/*", 1.5, 0, NULL);
  assert_change("a:b/GET: + 3 ms", CHANGE_SHIFT, "a:b/GET", 3e6, 0, NULL);
  assert_change("io *: at most 5 ms", CHANGE_MOST, "io *", 5e6, 0, NULL);
  assert_change("web: -1us", CHANGE_SHIFT, "web", -1000, 0, NULL);
  assert_change("web/GET /x = a b.csv", CHANGE_LAW, "web/GET /x", 0, 0, "a b.csv");
  assert_change("cdn=mix(0.99 Hit, 0.01 Miss)", CHANGE_LAW, "cdn", 0, 0,
                "mix(0.99 Hit, 0.01 Miss)");
  assert_change("\"web/?a=b: *2\" = f.csv", CHANGE_LAW, "web/?a=b: *2", 0, 0, "f.csv");
  assert_change("sql@60 = f.csv", CHANGE_PROFILE, "sql", 0, 60, "f.csv");
  assert_change("mail@home = f.csv", CHANGE_LAW, "mail@home", 0, 0, "f.csv");
  assert_change("limit sql=30", CHANGE_LIMIT, "sql", 0, 30, NULL);
  assert_change("load=60", CHANGE_LOAD, "*", 0, 60, NULL);
  assert_change("load sql/q = 60", CHANGE_LOAD, "sql/q", 0, 60, NULL);
  assert_change("loader = f.csv", CHANGE_LAW, "loader", 0, 0, "f.csv");
  assert_change("fail=1/3", CHANGE_FAIL, "*", 0, 3, NULL);
  assert_change("shards table=4", CHANGE_SHARDS, "table", 0, 4, NULL);
  assert_change("cpu web=40% f.csv", CHANGE_CPU, "web", 40, 0, "f.csv");
}

static void assert_share(const char *text, uint64_t shard, double expected) {
  struct request_change change = parse(text);
  struct rational share;
  rational_init(&share);
  change_share(&share, &change, shard);
  assert_true(rational_double(&share) == expected);
  rational_clear(&share);
  change_clear(&change);
}

static void test_shares_of_shards(void **state) {
  (void)state;
  assert_share("shards=4", 3, 0.25);
  assert_share("shards=4 skew=0.5,0.25,1/8, 0.125", 1, 0.25);
  assert_share("shards=4 skew=0.5,0.25,1/8, 0.125", 3, 0.125);
}

static void test_mistakes_have_a_place_and_a_remedy(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"cart", "column 5: expected a change: NAME: *0.5, NAME: + 3 ms, NAME = FILE, limit NAME=30, "
               "load=60, fail=1/3, shards=4, cpu=40% FILE"},
      {": *2", "column 1: expected the name of a call, as in cart/redis.get: *0.5"},
      {"= f.csv", "column 1: expected the name of a call, as in cart/redis.get"},
      {"cart: *x", "column 8: expected a factor, as in *0.5"},
      {"cart: *-2", "column 8: expected a factor, as in *0.5"},
      {"cart: + 3", "column 9: expected a time, as in + 3 ms"},
      {"io: at most 5", "column 13: expected a time, as in at most 5 ms"},
      {"io: at most", "column 12: expected a time, as in at most 5 ms"},
      {"cart =", "column 7: expected a file of measurements, or a law such as mix(0.9 Hit, 0.1 "
                 "Miss)"},
      {"\"cart = x", "column 1: no second \" ends this name"},
      {"limit=30", "column 6: expected whose limit it is, as in limit sql=30"},
      {"limit sql=0", "column 11: expected a whole number from 1 to 1000000000"},
      {"sql@0 = f.csv", "column 5: expected a whole number from 1 to 1000000000"},
      {"load=many", "column 6: expected a whole number from 1 to 1000000000"},
      {"fail=1", "column 6: expected how many of how many replicas fail, as in fail=1/3"},
      {"fail=3/3", "column 6: no replica is left; fewer must fail than there are, as in fail=1/3"},
      {"shards=2 skew=0.5,0.6",
       "column 15: expected as many shares as shards, which add up to 1, as in skew=0.7,0.3"},
      {"shards=3 skew=0.5,0.5",
       "column 15: expected as many shares as shards, which add up to 1, as in skew=0.7,0.3"},
      {"shards=2 slow", "column 10: expected skew=SHARE,SHARE,... or the end"},
      {"shards=5000", "column 8: more than 1000 shards"},
      {"cpu=40 f.csv", "column 5: expected how busy the processor is and a file of factors, as in "
                       "cpu=40% factors.csv"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct request_change change;
    struct text message;
    text_init(&message);
    if (change_parse(&change, cases[i][0], &message) != STATUS_USAGE)
      fail_msg("accepted: %s", cases[i][0]);
    assert_string_equal(text_get(&message), cases[i][1]);
    text_clear(&message);
  }
}

static void test_names_have_wildcards(void **state) {
  (void)state;
  assert_true(change_means("*", "web", "GET /x"));
  assert_true(change_means("web", "web", "GET /x"));
  assert_true(change_means("web/GET*", "web", "GET /x"));
  assert_true(change_means("*/x", "web", "GET /x"));
  assert_true(change_means("w*b/*/*", "web", "GET /x"));
  assert_false(change_means("we", "web", "GET /x"));
  assert_false(change_means("web/GET", "web", "GET /x"));
  assert_false(change_means("*y", "web", "GET /x"));
  assert_false(change_means("", "web", "GET /x"));
}

static void test_changes_of_event_loops(void **state) {
  (void)state;
  assert_change("app.js:12: split 4", CHANGE_SPLIT, "app.js:12", 0, 4, NULL);
  assert_change("report.js:7:3 makeReport: offload", CHANGE_OFFLOAD, "report.js:7:3 makeReport", 0,
                0, NULL);
  assert_change("gc minor: rarer 2", CHANGE_RARER, "gc minor", 0, 2, NULL);
  assert_change("gc: *0.5", CHANGE_SCALE, "gc", 0.5, 0, NULL);
  assert_change("app.js:12: *0.5", CHANGE_SCALE, "app.js:12", 0.5, 0, NULL);
  assert_change("processes: 2", CHANGE_PROCESSES, "*", 0, 2, NULL);
  assert_change("processes = 2", CHANGE_LAW, "processes", 0, 0, "2"); /* a call may be called so */
}

/* Every text of a few signs is read or refused, without a crash. */
static void test_any_text(void **state) {
  (void)state;
  static const char *const parts[] = {"a",      ":",     "*",   "+",     "=",    "@",
                                      "1",      "%",     "\"",  " ",     "load", "fail",
                                      "shards", "skew=", "cpu", "limit", "/",    ","};
  enum { PARTS = sizeof parts / sizeof *parts };
  for (size_t n = 0; n < PARTS * PARTS * PARTS * PARTS; n++) {
    struct text text, message;
    text_init(&text);
    text_init(&message);
    for (size_t rest = n, i = 0; i < 4; i++, rest /= PARTS)
      text_append(&text, parts[rest % PARTS]);
    struct request_change change;
    if (change_parse(&change, text_get(&text), &message) == STATUS_OK)
      change_clear(&change);
    else if (message.length == 0)
      fail_msg("no message: %s", text_get(&text));
    text_clear(&text);
    text_clear(&message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_changes_of_event_loops),
      cmocka_unit_test(test_each_form_is_read),
      cmocka_unit_test(test_shares_of_shards),
      cmocka_unit_test(test_mistakes_have_a_place_and_a_remedy),
      cmocka_unit_test(test_names_have_wildcards),
      cmocka_unit_test(test_any_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
