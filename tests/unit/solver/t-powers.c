/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lang/instantiate.h"
#include "lang/power.h"
#include "solver/encode/encode.h"
#include "solver/encode/symbolic.h"
#include "tests/unit/solver/loaded.h"

/* Powers of known numbers: their axioms must leave room for the true value (else they prove
 * anything), and none for another where the exponents stand near each other. */
enum { SCENARIOS = 300 };

static unsigned draw(unsigned *state, unsigned below) {
  *state = *state * 1103515245u + 12345u;
  return (*state >> 16) % below;
}

static int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 0;
  assert_true(integer_power(&result, base, exponent));
  return result;
}

/* A claim about base^i, with i, j and the time E known, that is off by `error`. */
static void write_claim(struct text *text, unsigned *state, int64_t i, int64_t unit, int error) {
  int64_t base = 2 + draw(state, 3), one = power(base, i), next = power(base, i + 1);
  switch (draw(state, 5)) {
  case 0:
    text_format(text, "%d^i == %d", (int)base, (int)one + error);
    return;
  case 1:
    text_format(text, "%d^i * E == %d ns", (int)base, (int)(one * unit) + error);
    return;
  case 2:
    text_format(text, "(%d^(i + 1) - 1) * E + E == %d ns", (int)base, (int)(next * unit) + error);
    return;
  case 3:
    text_format(text, "%d^(i + 1) - %d^i == %d", (int)base, (int)base, (int)(next - one) + error);
    return;
  default:
    text_format(text, "%d^(i - j) + 2*%d^j == %d", (int)base, (int)base,
                (int)(power(base, i - 2) + 2 * power(base, 2)) + error);
  }
}

/* Whether the solver finds that the claim cannot be. */
static bool contradicts(unsigned seed, int error, bool lemmas) {
  unsigned state = seed * 7919u + 1;
  int64_t i = (int64_t)draw(&state, 12) - 4, unit = 1 + draw(&state, 5);
  struct text text;
  text_init(&text);
  text_format(&text,
              "protocol powers\nparam i, j : int\nrole x\nexternal world\ncomponent E\ndelay d\n"
              "message M : x -> world\naction x.Do cost E { send M }\nbound m: sent M within E\n"
              "invariant scenario: i == %d and j == 2 and E == %d ns implies not (",
              (int)i, (int)unit);
  write_claim(&text, &state, i, unit, error);
  text_append(&text, ")\n");
  struct loaded loaded;
  loaded_init(&loaded, "powers.tp", text_get(&text));
  assert_non_null(loaded.model);
  struct smt *smt = smt_new();
  struct encoder e;
  smt_terms goals = {0};
  encoder_init(&e, smt, loaded.model, NULL, loaded.model->variable_count);
  smt_term formula = encode(&e, loaded.model->invariants.items[0]->formula, symbolic_any(&e));
  if (lemmas)
    encoder_lemmas(&e, &(struct encoder_mark){0}, &goals);
  smt_assert(smt, smt_not(smt, formula));
  for (size_t k = 0; k < e.axioms.count; k++)
    smt_assert(smt, e.axioms.data[k]);
  bool answer = smt_check(smt, 2000, false, NULL) == SMT_UNSAT;
  if (answer && error == 0)
    fprintf(stderr, "%s\n", text_get(&text));
  vector_clear(&goals);
  encoder_clear(&e);
  smt_free(smt);
  loaded_clear(&loaded);
  text_clear(&text);
  return answer;
}

static void true_values_are_possible(void **test) {
  (void)test;
  unsigned caught = 0;
  for (unsigned seed = 0; seed < SCENARIOS; seed++) {
    assert_false(contradicts(seed, 0, seed % 2 == 0));
    caught += contradicts(seed, 1 + (int)(seed % 3), seed % 2 == 0);
  }
  print_message("%u of %u wrong values contradict the axioms\n", caught, SCENARIOS);
  assert_true(caught * 3 >= SCENARIOS);
}

static void powers_of_numbers(void **test) {
  (void)test;
  int64_t result = -1;
  assert_int_equal(power(2, 0), 1);
  assert_int_equal(power(7, -1), 0);
  assert_true(power(2, 62) == INT64_C(1) << 62);
  assert_true(power(3, 39) == INT64_C(4052555153018976267));
  assert_false(integer_power(&result, 2, 63));
  assert_false(integer_power(&result, 3, 40));
  assert_false(integer_power(&result, 2, INT64_MAX));
  assert_int_equal(result, -1);
  assert_int_equal(power(2, INT64_MIN), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(powers_of_numbers),
      cmocka_unit_test(true_values_are_possible),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
