/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The environment of the encoder: what a variable stands for is the same after a term as before it,
 * a forgotten restoration ends the program, and an effect is read with the values that its
 * variables had when it was laid down.
 */
#include "tests/unit/base/breaks.h"

#include "solver/encode/encode.h"
#include "solver/encode/symbolic.h"
#include "tests/unit/solver/loaded.h"

static const char protocol[] =
    "protocol pass\nparam n : int >= 1\nrole node[n]\nexternal world\ncomponent C[node]\ndelay d\n"
    "message M(k: int) : node -> world\nstate node x {\n got : bool = false\n}\n"
    "invariant quiet: forall k in int. sent M(k) implies k >= 1 + (if k > 2 then 1 else 0)\n"
    "action node x.Do cost C[x] {\n when not x.got\n send M(index(x) + 1)\n}\n"
    "bound b: sent M(1) within C\n";

struct made {
  struct loaded loaded;
  struct smt *smt;
  struct encoder encoder;
  const struct action *action;
  const struct statement *send;
};

static void made_init(struct made *m) {
  loaded_init(&m->loaded, "pass.tp", protocol);
  assert_non_null(m->loaded.model);
  m->smt = smt_new();
  encoder_init(&m->encoder, m->smt, m->loaded.model, NULL, m->loaded.model->variable_count);
  m->action = m->loaded.model->actions.items[0];
  m->send = m->action->body.statements[0];
}

static void made_clear(struct made *m) {
  encoder_clear(&m->encoder);
  smt_free(m->smt);
  loaded_clear(&m->loaded);
}

static smt_term forgets(struct encoder *e, void *context, smt_term *pattern) {
  (void)pattern;
  const struct made *m = context;
  encode_fresh(e, m->action->node);
  return smt_bool(e->smt, true);
}

static void leave_unbalanced(void *context) {
  struct made *m = context;
  const struct variable *const *none = NULL;
  struct quantified q = {.forall = true, .variables = none, .body = forgets, .context = m};
  encode_quantified(&m->encoder, &q);
}

static void assign_nothing(void *context) {
  struct made *m = context;
  symbolic_push(&m->encoder, (struct symbolic){.kind = SYMBOLIC_ASSIGN,
                                               .before = symbolic_any(&m->encoder),
                                               .guard = smt_bool(m->smt, true),
                                               .state = m->loaded.model->states.items[0]});
}

static void read_unbound(void *context) {
  struct made *m = context;
  symbolic_push(&m->encoder, (struct symbolic){.kind = SYMBOLIC_SEND,
                                               .before = symbolic_any(&m->encoder),
                                               .guard = smt_bool(m->smt, true),
                                               .send = m->send,
                                               .end = smt_real_zero(m->smt),
                                               .left = smt_real_zero(m->smt)});
}

static void let_stranger(void *context) {
  struct made *m = context;
  struct variable stranger = {.id = m->encoder.environment_size};
  encoder_let(&m->encoder, &stranger, smt_int(m->smt, 0));
}

static void broken(void **state) {
  (void)state;
  struct made m;
  made_init(&m);
  breaks(leave_unbalanced, &m, "e->balance == balance");
  breaks(assign_nothing, &m, "symbolic_is_valid(&layer)");
  breaks(read_unbound, &m, "symbolic_is_valid(&layer)");
  breaks(let_stranger, &m, "id < e->environment_size");
  made_clear(&m);
}

static void balanced(void **state) {
  (void)state;
  struct made m;
  made_init(&m);
  struct encoder *e = &m.encoder;
  assert_int_equal(e->balance, 0);
  smt_term one = smt_int(m.smt, 1), two = smt_int(m.smt, 2);
  assert_null(encoder_let(e, m.action->node, one));
  uint64_t with_one = e->balance;
  assert_ptr_equal(encoder_let(e, m.action->node, two), one);
  assert_true(e->balance != with_one && with_one != 0);
  assert_ptr_equal(encoder_let(e, m.action->node, one), two);
  assert_int_equal(e->balance, with_one);
  encode(e, m.loaded.model->invariants.items[0]->formula, symbolic_any(e));
  assert_int_equal(e->balance, with_one);
  encoder_let(e, m.action->node, NULL);
  assert_int_equal(e->balance, 0);
  made_clear(&m);
}

/* As for another action's guards, the environment may have changed since the message was sent. */
static void sent_then(void **state) {
  (void)state;
  struct made m;
  made_init(&m);
  struct encoder *e = &m.encoder;
  smt_term field = smt_fresh(m.smt, "k", smt_sort_int(m.smt));
  encode_fresh(e, m.action->node);
  const struct symbolic *at = symbolic_push(e, (struct symbolic){.kind = SYMBOLIC_SEND,
                                                                 .before = symbolic_initial(e),
                                                                 .guard = smt_bool(m.smt, true),
                                                                 .send = m.send,
                                                                 .end = smt_real_zero(m.smt),
                                                                 .left = smt_real_zero(m.smt)});
  smt_term before = symbolic_sent(e, at, m.send->message, &field);
  encode_fresh(e, m.action->node);
  uint64_t balance = e->balance;
  assert_ptr_equal(symbolic_sent(e, at, m.send->message, &field), before);
  assert_int_equal(e->balance, balance);
  made_clear(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broken),
      cmocka_unit_test(balanced),
      cmocka_unit_test(sent_then),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
