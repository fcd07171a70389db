/* SPDX-License-Identifier: GPL-3.0-or-later
 * Replays judge exactly: the verdict at equality, one unit beyond it, and every rule broken once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"
#include "models.h"
#include "solver/judge/replay.h"
#include "solver/judge/valuation.h"

struct fixture {
  struct primary_backup p;
  struct interpreter *in;
  struct values values;
  struct step steps[5];
  struct replay replay;
};

static struct step step_of(const struct model *model, size_t action, int64_t node, int64_t field) {
  return (struct step){.action = model->actions.items[action], .node = node, .fields = {field}};
}

static void set(struct fixture *f, const struct occurrence *occurrence, const char *value) {
  struct rational x;
  rational_init(&x);
  assert_true(rational_parse(&x, value));
  values_set(&f->values, occurrence, &x);
  rational_clear(&x);
}

static void fix(struct fixture *f, const struct component *component, const char *value) {
  struct rational x;
  rational_init(&x);
  assert_true(rational_parse(&x, value));
  values_fix_bare(&f->values, component, &x);
  rational_clear(&x);
}

/* n = 2, everything at once except that the primary takes 1 for each acknowledgement: the reply
 * leaves at 2 when the second acknowledgement has waited 1. */
static void setup(struct fixture *f, enum mistake mistake, const char *wait) {
  primary_backup_build(&f->p, mistake);
  struct text message;
  text_init(&message);
  int64_t n = 2;
  f->in = interpreter_new(&f->p.model, &n, &message);
  assert_non_null(f->in);
  text_clear(&message);
  values_init(&f->values, &f->p.model);
  replay_init(&f->replay);
  const struct step steps[] = {step_of(&f->p.model, 0, 0, 0), step_of(&f->p.model, 1, 0, 0),
                               step_of(&f->p.model, 1, 1, 1), step_of(&f->p.model, 2, 0, 0),
                               step_of(&f->p.model, 2, 0, 1)};
  memcpy(f->steps, steps, sizeof steps);
  for (int64_t b = 0; b < 2; b++)
    set(f, interpreter_cost(f->in, f->p.ack_cost, &b), "1");
  int64_t one = 1;
  set(f, interpreter_wait(f->in, f->p.ack_message, &one), wait);
}

static void teardown(struct fixture *f) {
  replay_clear(&f->replay);
  values_clear(&f->values);
  interpreter_free(f->in);
  models_free(&f->p.model);
}

static enum replay_verdict run(struct fixture *f, const struct bound *bound, size_t count) {
  struct valuation valuation = values_valuation(&f->values);
  replay_run(&f->replay, f->in, bound, f->steps, count, &valuation);
  return f->replay.verdict;
}

static void assert_rational(const struct rational *x, const char *expected) {
  struct text text;
  text_init(&text);
  rational_print(&text, x);
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
}

static void bounds_at_equality(void **state) {
  (void)state;
  struct fixture f;
  setup(&f, MISTAKE_NONE, "1");
  assert_int_equal(run(&f, f.p.reply, 5), REPLAY_WITHIN);
  assert_rational(&f.replay.time, "2");
  assert_rational(&f.replay.limit, "2");
  assert_int_equal(f.replay.records.count, 5);
  assert_int_equal(run(&f, f.p.no_wait, 5), REPLAY_EXCEEDED);
  assert_rational(&f.replay.time, "2");
  assert_rational(&f.replay.limit, "1");
  assert_int_equal(run(&f, f.p.uniform, 5), REPLAY_WITHIN);
  assert_rational(&f.replay.limit, "3");
  assert_int_equal(run(&f, f.p.early, 5), REPLAY_WITHIN);
  set(&f, interpreter_delay(f.in, f.p.reply_message, NULL), "1/1000");
  assert_int_equal(run(&f, f.p.early, 5), REPLAY_EXCEEDED);
  assert_rational(&f.replay.time, "2001/1000");
  assert_int_equal(run(&f, f.p.delivered, 5), REPLAY_WITHIN);
  assert_rational(&f.replay.limit, "2001/1000");
  assert_int_equal(run(&f, f.p.reply, 4), REPLAY_NO_EVENT);
  replay_run(&f.replay, f.in, f.p.reply, f.steps, 5, NULL);
  assert_int_equal(f.replay.verdict, REPLAY_HAPPENED);
  teardown(&f);
}

static void every_rule(void **state) {
  (void)state;
  struct fixture f;
  setup(&f, MISTAKE_NONE, "999999999/1000000000");
  assert_int_equal(run(&f, f.p.reply, 5), REPLAY_INVALID);
  assert_non_null(strstr(f.replay.reason, "step 5, primary.Collect on Ack(1), receives a message"));
  assert_int_equal(f.replay.records.count, 5);
  teardown(&f);

  setup(&f, MISTAKE_NONE, "1");
  f.steps[1] = f.steps[0];
  assert_int_equal(run(&f, f.p.reply, 5), REPLAY_INVALID);
  assert_string_equal(f.replay.reason, "step 2, primary.Broadcast, is not enabled");
  teardown(&f);

  setup(&f, MISTAKE_NONE, "1");
  int64_t zero = 0;
  set(&f, interpreter_cost(f.in, f.p.handle, &zero), "-1");
  assert_int_equal(run(&f, f.p.reply, 5), REPLAY_INVALID);
  assert_non_null(strstr(f.replay.reason, "the value of BackupRequest[0] is negative"));
  teardown(&f);

  setup(&f, MISTAKE_NONE, "1");
  fix(&f, f.p.ack_cost, "1");
  assert_int_equal(run(&f, f.p.uniform, 5), REPLAY_WITHIN);
  fix(&f, f.p.ack_cost, "0.999");
  assert_int_equal(run(&f, f.p.uniform, 5), REPLAY_INVALID);
  assert_non_null(strstr(f.replay.reason, "PrimaryAck[0]"));
  teardown(&f);

  setup(&f, MISTAKE_NONE, "1");
  struct model *m = &f.p.model;
  const struct term *less =
      term(m, TERM_LT, plain(TYPE_BOOL), 2, bare(m, f.p.ack_cost), bare(m, f.p.handle));
  add_assumption(m, less, "PrimaryAck < BackupRequest");
  assert_int_equal(run(&f, f.p.reply, 5), REPLAY_INVALID);
  assert_string_equal(f.replay.reason, "the assumption PrimaryAck < BackupRequest does not hold");
  fix(&f, f.p.handle, "1.001");
  assert_int_equal(run(&f, f.p.reply, 5), REPLAY_WITHIN);
  teardown(&f);
}

static void double_faults(void **state) {
  (void)state;
  struct fixture f;
  setup(&f, MISTAKE_SEND_TWICE, "1");
  f.steps[1] = f.steps[0];
  assert_int_equal(run(&f, NULL, 5), REPLAY_SENT_TWICE);
  assert_string_equal(f.replay.reason, "step 2, primary.Broadcast, sends again Request(0)");
  teardown(&f);
  setup(&f, MISTAKE_ACK_COST, "1");
  assert_int_equal(run(&f, NULL, 5), REPLAY_CHARGED_TWICE);
  assert_int_equal(f.replay.records.count, 4);
  teardown(&f);
}

/* for all b: sent Ack(b) within 1: the one that exceeds it most is reported, first or last. */
static void worst_of_all_values(void **state) {
  (void)state;
  for (int64_t slow = 0; slow < 2; slow++) {
    struct fixture f;
    setup(&f, MISTAKE_NONE, "1");
    struct model *m = &f.p.model;
    struct term *one = term(m, TERM_TIME, plain(TYPE_TIME), 0);
    rational_init(&one->value);
    rational_set_integer(&one->value, 1);
    struct bound *bound = add_bound(m, "answered", TARGET_SENT, one);
    const struct variable *b = variable(m, "b", of_role(TYPE_NODE, f.p.backup), DOMAIN_ROLE);
    bound->message = f.p.ack_message;
    bound->arg_count = bound->variable_count = 1;
    bound->args = ONE(m, term, use(m, b));
    bound->variables = ONE(m, variable, b);
    int64_t fast = 1 - slow;
    set(&f, interpreter_cost(f.in, f.p.handle, &slow), "7");
    set(&f, interpreter_cost(f.in, f.p.handle, &fast), "3");
    assert_int_equal(run(&f, bound, 3), REPLAY_EXCEEDED);
    assert_rational(&f.replay.time, "7");
    assert_int_equal(f.replay.binding.count, 1);
    assert_int_equal(f.replay.binding.data[0], slow);
    rational_clear(&one->value);
    teardown(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_at_equality),
                                     cmocka_unit_test(every_rule), cmocka_unit_test(double_faults),
                                     cmocka_unit_test(worst_of_all_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
