/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Evidence put together: of 400 random records, that the order of doing so does not matter, that
 * evidence of nothing changes nothing, and that what is known is known of each; what is written is
 * read again.
 */
#include "base/evidence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

static struct random drawn = {20261129};

static bool coin(void) {
  return random_below(&drawn, 2) == 0;
}

static void draw_texts(struct evidence_texts *texts, size_t most) {
  char word[24];
  for (uint64_t i = random_below(&drawn, most + 1); i > 0; i--) {
    snprintf(word, sizeof word, "{tag=\"%u\"}", (unsigned)random_below(&drawn, 3 * most));
    evidence_add_text(texts, word, strlen(word));
  }
  texts->known = coin();
}

static void draw_kinds(struct evidence *e) {
  char word[24];
  for (uint64_t i = random_below(&drawn, 50); i > 0; i--) {
    snprintf(word, sizeof word, "{a=\"%u\"}", (unsigned)random_below(&drawn, 120));
    evidence_add_kind(e, word, strlen(word));
  }
  e->kinds.known = coin();
}

static void draw_range(struct evidence_range *range, int64_t least) {
  int64_t lower = least + (int64_t)random_below(&drawn, 1000);
  if (coin())
    evidence_set_range(range, lower, lower + (int64_t)random_below(&drawn, 1000));
}

static void draw_order(struct evidence *e) {
  struct source_order order;
  order_set_independent(&order, e->draws);
  order.all.upper = order.all.lower = 1 + random_below(&drawn, e->draws);
  for (size_t i = 0; i < ORDER_LEVELS; i++)
    order.at[i] = (struct order_worth){.upper = 1 + random_below(&drawn, e->draws),
                                       .lower = 1 + random_below(&drawn, e->draws),
                                       .settled = random_below(&drawn, 8) != 0};
  evidence_keep_order(e, &order);
}

static void draw(struct evidence *e) {
  static const char *const units[] = {NULL, "ns", "ms"};
  static const uint64_t most[] = {10, 5000, UINT64_C(1) << 33, UINT64_C(1) << 61};
  evidence_init(e);
  if (random_below(&drawn, 10) == 0)
    return; /* of nothing */
  evidence_set_unknown(e, 1 + random_below(&drawn, most[random_below(&drawn, 4)]));
  e->parts += random_below(&drawn, 3);
  if (random_below(&drawn, 4) != 0)
    draw_order(e);
  e->runs = random_below(&drawn, 3);
  if (e->runs > e->draws)
    e->runs = 1;
  e->compared = e->order != NULL && e->runs == 2 && coin();
  e->unit = units[random_below(&drawn, 3)];
  e->halved = coin();
  for (int i = 0; i < EVIDENCE_LOST; i++)
    e->lost[i] = (struct evidence_count){random_below(&drawn, 100), coin()};
  draw_kinds(e);
  draw_texts(&e->clocks, 2);
  draw_texts(&e->sources, 20);
  draw_texts(&e->tools, 2);
  draw_range(&e->resolution_ns, 0);
  draw_range(&e->offset_ns, -500);
  draw_range(&e->rate_mhz, 0);
  draw_range(&e->reached_mhz, 0);
  e->edges = (enum evidence_edges)random_below(&drawn, 4);
}

/* All of it as text. */
static void print(struct text *text, const struct evidence *e) {
  text_init(text);
  text_format(text, "%llu %llu %s %d %d\n", (unsigned long long)e->parts,
              (unsigned long long)e->draws, e->unit == NULL ? "?" : e->unit, e->halved, e->edges);
  evidence_print(text, e, "");
  for (size_t i = 0; i < e->sources.list.count; i++)
    text_format(text, "%s %d\n", e->sources.list.data[i], e->sources.known);
  for (size_t i = 0; e->order != NULL && i <= ORDER_LEVELS; i++) {
    const struct order_worth *w = i == 0 ? &e->order->all : &e->order->at[i - 1];
    text_format(text, "%llu %llu %d\n", (unsigned long long)w->upper, (unsigned long long)w->lower,
                w->settled);
  }
}

static void assert_same(const struct evidence *a, const struct evidence *b) {
  struct text x, y;
  assert_true(evidence_is_valid(a));
  assert_true(evidence_is_valid(b));
  print(&x, a);
  print(&y, b);
  assert_string_equal(text_get(&x), text_get(&y));
  text_clear(&x);
  text_clear(&y);
}

static void copy(struct evidence *to, const struct evidence *from) {
  evidence_init(to);
  evidence_copy(to, from);
}

static void test_any_order(void **state) {
  (void)state;
  for (int k = 0; k < 400; k++) {
    struct evidence a, b, c, left, right, both;
    draw(&a);
    draw(&b);
    draw(&c);
    copy(&left, &a);
    evidence_merge(&left, &b);
    copy(&both, &b);
    evidence_merge(&both, &a);
    assert_same(&left, &both); /* a b = b a */
    evidence_merge(&left, &c);
    copy(&right, &b);
    evidence_merge(&right, &c);
    evidence_clear(&both);
    copy(&both, &a);
    evidence_merge(&both, &right);
    assert_same(&left, &both); /* (a b) c = a (b c) */
    struct evidence *all[] = {&a, &b, &c, &left, &right, &both};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
      evidence_clear(all[i]);
  }
}

static void test_nothing(void **state) {
  (void)state;
  for (int k = 0; k < 100; k++) {
    struct evidence a, b, nothing;
    draw(&a);
    copy(&b, &a);
    evidence_init(&nothing);
    evidence_merge(&b, &nothing);
    assert_same(&a, &b);
    evidence_merge(&nothing, &a);
    assert_same(&a, &nothing);
    evidence_clear(&a);
    evidence_clear(&b);
    evidence_clear(&nothing);
  }
}

/* What one does not know the whole does not; what both have counts. */
static void test_meaning(void **state) {
  (void)state;
  struct evidence a, b;
  struct source_order order;
  evidence_init(&a);
  evidence_init(&b);
  evidence_set_unknown(&a, 100);
  evidence_set_unknown(&b, 300);
  evidence_set_lost(&a, EVIDENCE_FAILED, 2);
  evidence_set_range(&a.resolution_ns, 1, 10);
  evidence_set_range(&b.resolution_ns, 5, 1000);
  order_set_independent(&order, 100);
  order.all = (struct order_worth){.upper = 50, .lower = 50, .settled = true};
  evidence_keep_order(&a, &order);
  order_set_independent(&order, 300);
  order.all = (struct order_worth){.upper = 30, .lower = 30, .settled = false};
  evidence_keep_order(&b, &order);
  evidence_add_kind(&a, "{op=\"read\"}", 11);
  a.kinds.known = true;
  a.unit = b.unit = "ms";
  a.edges = EDGES_EXACT;
  b.edges = EDGES_OPEN_BELOW;
  evidence_merge(&a, &b);
  assert_int_equal(a.parts, 2);
  assert_int_equal(a.draws, 400);
  assert_int_equal(a.lost[EVIDENCE_FAILED].least, 2);
  assert_false(a.lost[EVIDENCE_FAILED].known);
  assert_int_equal(a.resolution_ns.lower, 1);
  assert_int_equal(a.resolution_ns.upper, 1000);
  /* 400^2 / (100^2 / 50 + 300^2 / 30) */
  assert_int_equal(a.order->all.upper, 50);
  assert_false(a.order->all.settled);
  assert_int_equal(a.order->at[7].upper, 400);
  assert_true(a.order->at[7].settled);
  assert_true(evidence_has_text(&a.kinds, "{op=\"read\"}"));
  assert_false(a.kinds.known);
  assert_string_equal(a.unit, "ms");
  assert_int_equal(a.edges, EDGES_OPEN_BELOW);
  evidence_forget_order(&b);
  evidence_merge(&a, &b);
  assert_null(a.order);
  struct text text;
  text_init(&text);
  evidence_print_unknown(&text, &a);
  assert_non_null(
      strstr(text_get(&text),
             "of what kinds of requests they are, how many failed, how many were cut off"));
  assert_null(strstr(text_get(&text), "clock"));
  text_clear(&text);
  evidence_clear(&a);
  evidence_clear(&b);
}

static bool read_line(struct evidence *e, const char *line) {
  return evidence_read(e, (struct slice){line, strlen(line)});
}

/* What a file of others calls its kinds. */
static void test_strange_texts(void **state) {
  (void)state;
  struct evidence e;
  evidence_init(&e);
  evidence_set_unknown(&e, 1);
  evidence_add_kind(&e, " {a=\"x\ny\"} ", 11);
  evidence_add_kind(&e, "   ", 3);
  evidence_add_kind(&e, "", 0);
  evidence_add_text(&e.sources, "\n", 1);
  evidence_add_text(&e.sources, "a\0b", 3);
  assert_true(evidence_is_valid(&e));
  assert_int_equal(e.kinds.list.count, 2);
  assert_string_equal(e.kinds.list.data[0], "{a=\"x y\"}");
  assert_string_equal(e.kinds.list.data[1], "{}");
  assert_int_equal(e.sources.list.count, 1);
  evidence_clear(&e);
}

static void test_written_and_read(void **state) {
  (void)state;
  for (int k = 0; k < 200; k++) {
    struct evidence a, b;
    struct text text, again;
    draw(&a);
    evidence_init(&b);
    evidence_set_unknown(&b, a.draws);
    text_init(&text);
    text_init(&again);
    evidence_print(&text, &a, "");
    for (char *at = text.data; text.length != 0 && *at != '\0';) {
      char *end = strchr(at, '\n');
      *end = '\0';
      assert_true(read_line(&b, at + strlen("evidence ")));
      *end = '\n';
      at = end + 1;
    }
    if (a.parts != 0)
      evidence_print(&again, &b, "");
    else
      text_append(&again, text_get(&text));
    assert_string_equal(text_get(&text), text_get(&again));
    text_clear(&text);
    text_clear(&again);
    evidence_clear(&a);
    evidence_clear(&b);
  }
}

static void test_bad_lines(void **state) {
  (void)state;
  static const char *const bad[] = {"",
                                    "failed",
                                    "failed x",
                                    "failed 3 more",
                                    "failed 3 or-more 1",
                                    "runs 0",
                                    "runs 1 2",
                                    "runs 1 compared",
                                    "edges wide",
                                    "kind",
                                    "kinds maybe",
                                    "kinds known more",
                                    "resolution-ns 5",
                                    "resolution-ns -1 5",
                                    "resolution-ns 7 5",
                                    "offset-ns 1 2 3",
                                    "weather fine"};
  struct evidence e;
  evidence_init(&e);
  evidence_set_unknown(&e, 5);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (read_line(&e, bad[i]))
      fail_msg("\"%s\" was read", bad[i]);
  struct text text;
  text_init(&text);
  evidence_print(&text, &e, "");
  assert_int_equal(text.length, 0);
  text_clear(&text);
  assert_true(read_line(&e, "offset-ns -3 2"));
  assert_int_equal(e.offset_ns.lower, -3);
  evidence_clear(&e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_order), cmocka_unit_test(test_nothing),
      cmocka_unit_test(test_meaning),   cmocka_unit_test(test_written_and_read),
      cmocka_unit_test(test_bad_lines), cmocka_unit_test(test_strange_texts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
