/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lang/print.h"
#include "solver/infer/match.h"
#include "solver/infer/time.h"
#include "tests/unit/solver/loaded.h"

/* Formulas to take apart. Of each `forall e in int, a in node, x in int, b in node. L == R` e and a
 * are what is known, x and b what is asked for. */
static const char *const text =
    "protocol forms\n"
    "param n : int >= 1\n"
    "role node[n]\n"
    "enum Colour { red, green }\n"
    "component Step[int]\n"
    "repeated Look\n"
    "delay d\n"
    "message M(to: node, e: int) : node -> node to\n"
    "state node { epoch : int = 0  colour : Colour = red }\n"
    "action node i.Go on M(i, e) cost Step[e] { when e > epoch  epoch := e  send M(next(i), e + 1) "
    "}\n"
    "invariant plus_one:   forall e in int, a in node, x in int, b in node. e == x + 1\n"
    "invariant twice:      forall e in int, a in node, x in int, b in node. e == 2*x\n"
    "invariant itself:     forall e in int, a in node, x in int, b in node. x == x + 1\n"
    "invariant given:      forall e in int, a in node, x in int, b in node. e + 2 == n\n"
    "invariant after:      forall e in int, a in node, x in int, b in node. a == next(b)\n"
    "invariant two:        forall e in int, a in node, x in int, b in node. x == e - 1 and b == "
    "prev(a)\n"
    "invariant colours:    forall e in int, a in node, x in int, b in node. red == green\n"
    "invariant ends:       forall e in int, a in node, x in int, b in node. first == last or a == "
    "b\n"
    "invariant tidy_1:     forall e in int, x in int. e + 1 + 2*(x - e) - 3 == 0\n"
    "invariant tidy_2:     forall e in int, x in int. -(e - x) + e - 0*x == 0\n"
    "invariant tidy_3:     forall e in int, a in node. index(last) - (e - n)*3 == index(a)\n"
    "invariant sum_1:      forall e in int. sum k in 0..e - 1 (Step[k]) + Step[e] <= 1 s\n"
    "invariant sum_2:      forall e in int. Step[e] + sum k in e + 1..n (Step[k]) <= 1 s\n"
    "invariant sum_3:      forall e in int. sum k in 0..e - 1 (Step[k]) + Step[e + 1] <= 1 s\n"
    "invariant sum_4:      sum k in n..n + 1 (Step[k]) <= 1 s\n"
    "invariant most:       Look + Step[1] + Step[2] <= 1 s\n"
    "invariant other:      Step[2] + Look <= 1 s\n"
    "bound b: sent M(first, 1) within 1 s\n";

struct bench {
  struct loaded loaded;
  struct arena arena;
  struct rational zero;
  struct term_maker m;
};

static int set_up(void **state) {
  struct bench *b = mem_alloc(1, sizeof *b);
  loaded_init(&b->loaded, "forms.tp", text);
  assert_non_null(b->loaded.model);
  arena_init(&b->arena);
  rational_init(&b->zero);
  b->m = (struct term_maker){&b->arena, b->loaded.model->variable_count, &b->zero};
  *state = b;
  return 0;
}

static int tear_down(void **state) {
  struct bench *b = *state;
  rational_clear(&b->zero);
  arena_clear(&b->arena);
  loaded_clear(&b->loaded);
  mem_free(b);
  return 0;
}

static const struct term *formula(const struct bench *b, const char *name) {
  const struct model *model = b->loaded.model;
  for (size_t i = 0; i < model->invariants.count; i++)
    if (strcmp(model->invariants.items[i]->name, name) == 0)
      return model->invariants.items[i]->formula;
  fail_msg("no invariant %s", name);
  return NULL;
}

static const struct term *body(const struct term *t) {
  return t->kind == TERM_FORALL ? t->args[0] : t;
}

static void assert_prints(const struct bench *b, const struct term *t, const char *expected) {
  struct text printed;
  text_init(&printed);
  print_term(&printed, b->loaded.model, t);
  assert_string_equal(text_get(&printed), expected);
  text_clear(&printed);
}

/* --- sums of integers ------------------------------------------------------------------------ */

static void test_tidy(void **state) {
  struct bench *b = *state;
  assert_prints(b, integer_plus(&b->m, body(formula(b, "tidy_1"))->args[0], 0), "2*x - 2 - e");
  assert_prints(b, integer_plus(&b->m, body(formula(b, "tidy_2"))->args[0], 0), "x");
  assert_prints(b, integer_plus(&b->m, body(formula(b, "tidy_2"))->args[0], -4), "x - 4");
  const struct term *last = body(formula(b, "tidy_3"));
  struct linear sum;
  linear_of(&sum, &b->m, last->args[0]);
  linear_add(&sum, &b->m, last->args[1], -1);
  assert_int_equal(sum.constant, -1); /* the last one's place is n - 1 */
  assert_int_equal(sum.parts.count, 3);
  assert_int_equal(linear_coefficient(&sum, last->args[1]), -1);
  linear_clear(&sum);
}

enum { ATOMS = 3 };

struct tree {
  struct bench *bench;
  const struct term *atoms[ATOMS];
  int64_t values[ATOMS];
  unsigned state;
};

static unsigned draw(struct tree *t, unsigned below) {
  t->state = t->state * 1103515245u + 12345u;
  return (t->state >> 16) % below;
}

/* A random term, and what it is worth. */
static const struct term *draw_term(struct tree *t, unsigned depth, int64_t *value) {
  struct term_maker *m = &t->bench->m;
  unsigned form = depth == 0 ? draw(t, 2) : draw(t, 6);
  if (form == 0) {
    size_t atom = draw(t, ATOMS);
    *value = t->values[atom];
    return t->atoms[atom];
  }
  int64_t x = (int64_t)draw(t, 9) - 4, y = 0;
  if (form == 1) {
    *value = x;
    return maker_integer(m, x);
  }
  const struct term *left = draw_term(t, depth - 1, &x);
  if (form == 2) {
    *value = -x;
    return maker_term(m, TERM_NEG, TYPE_INT, &left, 1);
  }
  const struct term *right = draw_term(t, depth - 1, &y);
  *value = form == 3 ? x + y : form == 4 ? x - y : x * y;
  return maker_pair(m,
                    form == 3   ? TERM_ADD
                    : form == 4 ? TERM_SUB
                                : TERM_MUL,
                    TYPE_INT, left, right);
}

static int64_t worth(const struct tree *t, const struct term *term) {
  for (size_t i = 0; i < ATOMS; i++)
    if (term == t->atoms[i])
      return t->values[i];
  if (term->kind == TERM_INT)
    return term->integer;
  int64_t x = worth(t, term->args[0]);
  if (term->kind == TERM_NEG)
    return -x;
  int64_t y = worth(t, term->args[1]);
  return term->kind == TERM_ADD ? x + y : term->kind == TERM_SUB ? x - y : x * y;
}

/* Neither a sum's parts nor the term made of them are worth anything else than the term. */
static void test_random_sums(void **state) {
  struct tree t = {.bench = *state, .state = 7};
  for (size_t i = 0; i < ATOMS; i++)
    t.atoms[i] = maker_mention(&t.bench->m,
                               maker_variable(&t.bench->m, "v", (struct type){.kind = TYPE_INT}));
  size_t shorter = 0;
  for (unsigned round = 0; round < 2000; round++) {
    int64_t expected = 0;
    for (size_t i = 0; i < ATOMS; i++)
      t.values[i] = (int64_t)draw(&t, 21) - 10;
    const struct term *term = draw_term(&t, 4, &expected);
    struct linear sum;
    linear_of(&sum, &t.bench->m, term);
    int64_t total = sum.constant;
    for (size_t i = 0; i < sum.parts.count; i++) {
      assert_int_not_equal(sum.parts.data[i].coefficient, 0);
      total += sum.parts.data[i].coefficient * worth(&t, sum.parts.data[i].atom);
    }
    assert_int_equal(total, expected);
    assert_int_equal(worth(&t, linear_term(&t.bench->m, &sum)), expected);
    shorter += sum.parts.count < 2;
    int64_t difference = 0;
    assert_true(
        integer_difference(&t.bench->m, integer_plus(&t.bench->m, term, 5), term, &difference));
    assert_int_equal(difference, 5);
    linear_clear(&sum);
  }
  assert_in_range(shorter, 100, 1900);
}

/* --- equations ------------------------------------------------------------------------------- */

/* e and a are formals, x and b are not. */
static const struct term *match_named(struct bench *b, struct match *match, const char *name) {
  const struct term *all = formula(b, name);
  const struct term **formals = arena_alloc(&b->arena, 2, sizeof *formals);
  for (size_t i = 0; i < 2; i++)
    formals[i] = maker_mention(&b->m, all->variables[i]);
  match_init(match, &b->m, formals, 2);
  match_formula(match, all->args[0]);
  return all;
}

static void assert_solved(struct bench *b, const char *name, size_t unknown, const char *value) {
  struct match match;
  const struct term *all = match_named(b, &match, name);
  const struct term *x = maker_mention(&b->m, all->variables[unknown]);
  assert_false(match.impossible);
  assert_int_equal(match.conditions.count, 0);
  if (value == NULL) {
    assert_ptr_equal(match_open(&match, match_apply(&match, x))->variable, x->variable);
  } else {
    assert_null(match_open(&match, match_apply(&match, x)));
    assert_prints(b, match_apply(&match, x), value);
  }
  match_clear(&match);
}

static void test_solved(void **state) {
  struct bench *b = *state;
  assert_solved(b, "plus_one", 2, "e - 1");
  assert_solved(b, "plus_one", 3, NULL);
  assert_solved(b, "twice", 2, NULL);
  assert_solved(b, "after", 3, "prev(a)");
  assert_solved(b, "two", 2, "e - 1");
  assert_solved(b, "two", 3, "prev(a)");
  assert_solved(b, "ends", 3, NULL); /* one of two: neither is known */
}

static void test_impossible(void **state) {
  static const char *const names[] = {"itself", "colours"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct match match;
    match_named(*state, &match, names[i]);
    assert_true(match.impossible);
    match_clear(&match);
  }
}

static void test_condition(void **state) {
  struct bench *b = *state;
  struct match match;
  match_named(b, &match, "given");
  assert_false(match.impossible);
  assert_int_equal(match.solved.count, 0);
  assert_int_equal(match.conditions.count, 1);
  assert_prints(b, match.conditions.data[0].from, "e");
  assert_prints(b, match.conditions.data[0].to, "n - 2");
  match_clear(&match);
}

/* --- times ----------------------------------------------------------------------------------- */

static const struct term *time_of(const struct bench *b, const char *name) {
  return body(formula(b, name))->args[0];
}

static void test_sums_grow(void **state) {
  struct bench *b = *state;
  assert_prints(b, time_tidy(&b->m, time_of(b, "sum_1")), "sum k in 0..e (Step[k])");
  assert_prints(b, time_tidy(&b->m, time_of(b, "sum_2")), "sum k in e..n (Step[k])");
  assert_prints(b, time_tidy(&b->m, time_of(b, "sum_3")),
                "sum k in 0..e - 1 (Step[k]) + Step[e + 1]");
  assert_prints(b, time_tidy(&b->m, time_of(b, "sum_4")), "Step[n] + Step[n + 1]");
}

static void test_maxima(void **state) {
  struct bench *b = *state;
  const struct term *times[] = {time_of(b, "most"), time_of(b, "other")};
  assert_true(time_covers(&b->m, times[0], times[1]));
  assert_false(time_covers(&b->m, times[1], times[0]));
  assert_prints(b, time_without(&b->m, times[0], times[1]->args[0]), "Look + Step[1]");
  assert_prints(b, time_max(&b->m, times, 2), "Look + Step[2] + Step[1]");
  assert_prints(b, time_plus(&b->m, NULL, times[1]), "Step[2] + Look");
  assert_null(time_plus(&b->m, NULL, NULL));
}

static void test_repeated_addends(void **state) {
  struct bench *b = *state;
  const struct term *look = time_of(b, "other")->args[1];
  const struct term *two = time_plus(&b->m, time_of(b, "other"), look);
  assert_prints(b, time_written(&b->m, two), "Step[2] + 2*Look");
  assert_prints(b, time_written(&b->m, time_of(b, "other")), "Step[2] + Look");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_tidy, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_random_sums, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_solved, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_impossible, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_condition, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_sums_grow, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_maxima, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_repeated_addends, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
