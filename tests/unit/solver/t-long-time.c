/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Long times that several formulas share: which sums have a constant, which is defined from which,
 * and that a definition means what is written.
 */
#include "tests/unit/base/breaks.h"

#include "base/text.h"
#include "solver/encode/encode.h"
#include "solver/encode/long_time.h"
#include "tests/unit/solver/loaded.h"

enum { STAGES = 30 };

/* A + C0 + C1 + ... up to that many terms behind A. */
static void write_sum(struct text *t, int terms) {
  text_format(t, "A");
  for (int i = 0; i < terms; i++)
    text_format(t, " + C%d", i);
}

static void write_protocol(struct text *t) {
  text_format(t, "protocol long\nrole node\nexternal world\ncomponent A\n");
  for (int i = 0; i < STAGES; i++)
    text_format(t, "component C%d\n", i);
  text_format(t, "delay d\nmessage M : node -> world\nstate node { got : bool = false }\n"
                 "action node.Do cost A {\n when not got\n got := true\n send M\n}\n");
  const int terms[] = {10, 24, 29, 29};
  for (int i = 0; i < 4; i++) {
    text_format(t, "invariant i%d: sent M implies time(M) <= d(M) + A + (", i);
    write_sum(t, terms[i]);
    text_format(t, ")\n");
  }
  text_format(t, "bound b: sent M within A\n");
}

struct made {
  struct loaded loaded;
  struct long_times times;
  const struct term *sums[4]; /* in parentheses, of the invariants */
};

static void made_init(struct made *m) {
  struct text text;
  text_init(&text);
  write_protocol(&text);
  loaded_init(&m->loaded, "long.tp", text_get(&text));
  text_clear(&text);
  assert_non_null(m->loaded.model);
  long_times_init(&m->times);
  for (int i = 0; i < 4; i++) {
    const struct term *formula = m->loaded.model->invariants.items[i]->formula;
    long_times_add(&m->times, formula);
    m->sums[i] = formula->args[1]->args[1]->args[1];
    assert_int_equal(m->sums[i]->kind, TERM_ADD);
  }
  long_times_finish(&m->times);
}

static void made_clear(struct made *m) {
  long_times_clear(&m->times);
  loaded_clear(&m->loaded);
}

static void numbers(void **state) {
  (void)state;
  struct made m;
  made_init(&m);
  size_t number[4];
  for (int i = 0; i < 4; i++)
    number[i] = long_times_number(&m.times, m.sums[i]);
  assert_int_equal(number[0], LONG_TIME_NONE); /* 11 terms */
  assert_int_not_equal(number[1], LONG_TIME_NONE);
  assert_int_not_equal(number[2], LONG_TIME_NONE);
  assert_int_not_equal(number[1], number[2]);
  assert_int_equal(number[2], number[3]); /* written alike */
  assert_int_equal(long_times_before(&m.times, number[2]), number[1]);
  assert_int_equal(long_times_before(&m.times, number[1]), LONG_TIME_NONE);
  assert_int_equal(m.times.sums.data[number[2]].count, 30);
  assert_int_equal(long_times_number(NULL, m.sums[2]), LONG_TIME_NONE);
  /* the beginning of a longer sum, which stands nowhere for itself */
  assert_int_equal(long_times_number(&m.times, m.sums[2]->args[0]), LONG_TIME_NONE);
  made_clear(&m);
}

/* The solver agrees that a constant is the sum as it is written; and with a term less it does not.
 */
static void meaning(void **state) {
  (void)state;
  struct made m;
  made_init(&m);
  struct smt *smt = smt_new();
  struct encoder e;
  encoder_init(&e, smt, m.loaded.model, NULL, m.loaded.model->variable_count);
  smt_term plain = encode(&e, m.sums[2], NULL), less = encode(&e, m.sums[2]->args[0], NULL);
  e.long_times = &m.times;
  struct encoder_mark mark = encoder_mark(&e);
  smt_term named = encode(&e, m.sums[2], NULL);
  assert_ptr_not_equal(named, plain);
  assert_ptr_equal(named, encode(&e, m.sums[3], NULL));
  assert_int_equal(e.defined.count, 2);
  for (size_t i = 0; i < e.axioms.count; i++)
    smt_assert(smt, e.axioms.data[i]);
  struct smt_effort effort = {.strategy = SMT_QUICK, .resources = 10000000, .limit_ms = 60000};
  smt_push(smt);
  smt_assert(smt, smt_not(smt, smt_equal(smt, named, plain)));
  assert_int_equal(smt_try(smt, &effort, NULL), SMT_UNSAT);
  smt_pop(smt);
  smt_assert(smt, smt_not(smt, smt_equal(smt, named, less)));
  assert_int_equal(smt_try(smt, &effort, NULL), SMT_SAT);
  /* back at the mark nothing is defined, and what is met again is defined again */
  size_t axioms = e.axioms.count;
  encoder_return(&e, &mark);
  assert_int_equal(e.defined.count, 0);
  assert_ptr_equal(named, encode(&e, m.sums[2], NULL));
  assert_int_equal(e.axioms.count, axioms);
  encoder_clear(&e);
  smt_free(smt);
  made_clear(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(meaning)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
