/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Phases along an execution: which one a state belongs to, when it began, and phases that end in
 * the state in which they begin.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/judge/progress.h"
#include "solver/judge/step.h"
#include "solver/judge/valuation.h"
#include "tests/unit/solver/loaded.h"

static const char text[] = "protocol phases\nrole p\nexternal e\ncomponent C, D\ndelay d\n"
                           "message A : p -> e\nmessage B : p -> e\nstate p { n : int = 0 }\n"
                           "action p.First cost C { when n == 0  n := 1  send A }\n"
                           "action p.Second cost D { when n == 1  n := 2  send B }\n"
                           "phase one {\n  end sent A within C\n}\n"
                           "phase two {\n  start n == 1\n  end sent A within 2 ns\n}\n"
                           "phase three {\n  start time(p) <= began\n  end sent B within D\n}\n"
                           "bound b: sent B within C + 2 ns + D by phases\n";

struct seen {
  struct text text;
};

static void see(const struct stage *stage, void *context) {
  struct seen *seen = context;
  text_format(&seen->text, "%s from ", stage->phase->name);
  rational_print_short(&seen->text, stage->began);
  text_append(&seen->text, stage->begins ? " begins" : "");
  if (stage->ends) {
    text_append(&seen->text, " ends ");
    rational_print_short(&seen->text, stage->time);
    text_append(&seen->text, " <= ");
    rational_print_short(&seen->text, stage->limit);
  }
  text_append(&seen->text, "; ");
}

static void phases_follow_one_another(void **state) {
  (void)state;
  struct loaded loaded;
  loaded_init(&loaded, "phases", text);
  assert_non_null(loaded.model);
  struct text message;
  text_init(&message);
  struct interpreter *in = interpreter_new(loaded.model, NULL, &message);
  text_clear(&message);
  struct values values;
  values_init(&values, loaded.model);
  struct valuation valuation = values_valuation(&values);
  for (int64_t i = 0; i < 2; i++) {
    struct rational cost;
    rational_init(&cost);
    rational_set_integer(&cost, 5 + i);
    values_set(&values, interpreter_cost(in, loaded.model->components.items[i], NULL), &cost);
    rational_clear(&cost);
  }
  static const char *const expected[] = {
      "one from 0 begins; ",
      "one from 0 ends 5 <= 5; two from 5 begins ends 5 <= 7; three from 7 begins; ",
      "three from 7 ends 11 <= 13; ", ""};
  struct world *world = world_new(in, &valuation);
  struct progress progress;
  progress_init(&progress, loaded.model);
  for (size_t i = 0; i < 4; i++) {
    struct seen seen;
    text_init(&seen.text);
    progress_visit(&progress, world, &valuation, in->scratch, see, &seen);
    assert_string_equal(text_get(&seen.text), expected[i]);
    text_clear(&seen.text);
    struct step step = {.action = loaded.model->actions.items[i == 0 ? 0 : 1]};
    if (i < 2)
      assert_int_equal(step_take(world, &step, &valuation, NULL), STEP_TAKEN);
  }
  progress_clear(&progress);
  world_free(world);
  values_clear(&values);
  interpreter_free(in);
  loaded_clear(&loaded);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(phases_follow_one_another)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
