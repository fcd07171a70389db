/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the check makes of a right protocol: the model, field by field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lang/check.h"
#include "lang/parse.h"
#include "lang/source.h"

static struct model *model_of(const char *text) {
  struct source *source = source_from_text("test.tp", text, strlen(text));
  struct diagnostics queue;
  diagnostics_init(&queue);
  struct ast *ast = parse(source, &queue);
  struct model *model = check(ast, source, &queue);
  struct text out;
  text_init(&out);
  diagnostics_print(&out, &queue, source, false);
  if (model == NULL)
    print_message("%s", text_get(&out));
  assert_non_null(model);
  text_clear(&out);
  ast_free(ast);
  diagnostics_clear(&queue);
  source_free(source);
  return model; /* nothing in it may point into what was just freed */
}

static const char text[] =
    "protocol p\n"
    "param n : int >= 1\n"
    "param f : int\n"
    "assume n == 2*f + 1 # a majority\n"
    "  and d <= 10 ms\n"
    "enum Phase { idle, busy }\n"
    "role main\n"
    "role node[n]\n"
    "role plain[2*f]\n"
    "external client\n"
    "component Work, Step[node, int]\n"
    "delay d\n"
    "queueing Queuing\n"
    "message Ask(to: node, k: int) : main -> node to\n"
    "message Pass(k: int, from: node) : node from -> node\n"
    "message Reply : main -> client\n"
    "state main { phase : Phase = busy  seen : set of node = {}  mark : map node to int = 7 }\n"
    "state node i { held : bool = i == first(node)  last : int = index(i) }\n"
    "action main.Go cost Work { when phase == busy  when seen == {}\n"
    "  send Ask(b, k) for all b in node, k in 1..f\n"
    "  mark[first(node)] := mark[last(node)] + 1 }\n"
    "action node i.Take on Ask(i, k) cost Step[i, k] + Work {\n"
    "  if held { send Pass(last, i) to next(i) } else if i.held { last := 0 } }\n"
    "action node i.Same on Pass(k, j) { last := k }\n"
    "action node j.Own on Pass(k, j) { }\n"
    "invariant a: mark[first(node)] >= 0\n"
    "invariant b: time(first(node)) >= 0 and seen == {}\n"
    "bound x for all i in node: when held and last == f at i within d*2 + max(0, Work)\n"
    "bound y: delivered Reply within\n"
    "  Work   # the work\n"
    "  + d(Reply) + Queuing + Step + 1.5 us\n";

static void test_declarations(void **state) {
  (void)state;
  struct model *m = model_of(text);
  assert_string_equal(m->name, "p");
  assert_int_equal(m->params.count, 2);
  assert_int_equal(m->assumptions.count, 2);
  assert_string_equal(m->assumptions.items[0]->text, "n >= 1");
  assert_string_equal(m->assumptions.items[1]->text, "n == 2*f + 1 and d <= 10 ms");
  assert_int_equal(m->enumerations.items[0]->count, 2);
  assert_string_equal(m->enumerations.items[0]->values[1], "busy");
  assert_int_equal(m->roles.count, 4);
  assert_null(m->roles.items[0]->count);
  assert_int_equal(m->roles.items[1]->count->kind, TERM_PARAM);
  assert_true(m->roles.items[1]->ordered);
  assert_false(m->roles.items[2]->ordered);
  assert_true(m->roles.items[3]->external);
  assert_int_equal(m->components.count, 4);
  assert_int_equal(m->components.items[1]->index_count, 2);
  assert_int_equal(m->components.items[1]->index[0].kind, TYPE_NODE);
  assert_ptr_equal(m->messages.items[0]->delay, m->components.items[2]);
  assert_ptr_equal(m->queueing, m->components.items[3]);
  model_free(m);
}

static void test_messages(void **state) {
  (void)state;
  struct model *m = model_of(text);
  const struct message *ask = m->messages.items[0], *pass = m->messages.items[1];
  assert_int_equal(ask->field_count, 2);
  assert_int_equal(ask->sender_field, -1);
  assert_int_equal(ask->receiver_field, 0);
  assert_int_equal(pass->sender_field, 1);
  assert_int_equal(pass->receiver_field, -1);
  assert_ptr_equal(pass->receiver, m->roles.items[1]);
  model_free(m);
}

static void test_states(void **state) {
  (void)state;
  struct model *m = model_of(text);
  assert_int_equal(m->states.count, 5);
  assert_int_equal(m->states.items[0]->initial->kind, TERM_ENUM);
  assert_int_equal(m->states.items[0]->initial->integer, 1);
  assert_ptr_equal(m->states.items[1]->initial->type.role, m->roles.items[1]);
  assert_int_equal(m->states.items[2]->type.kind, TYPE_MAP);
  assert_int_equal(m->states.items[2]->initial->integer, 7);
  const struct state *held = m->states.items[3];
  assert_ptr_equal(held->initial->args[0]->variable, held->self);
  assert_true(held->self->id != m->states.items[4]->self->id);
  model_free(m);
}

static void test_actions(void **state) {
  (void)state;
  struct model *m = model_of(text);
  const struct action *go = m->actions.items[0], *take = m->actions.items[1];
  assert_string_equal(go->name, "main.Go");
  assert_int_equal(go->guard_count, 2);
  assert_ptr_equal(go->guards[0]->args[0]->args[0]->variable, go->node);
  assert_ptr_equal(go->guards[1]->args[1]->type.role, m->roles.items[1]);
  const struct statement *send = go->body.statements[0], *assign = go->body.statements[1];
  assert_int_equal(send->variable_count, 2);
  assert_int_equal(send->variables[1]->domain, DOMAIN_RANGE);
  assert_null(send->to);
  assert_int_equal(assign->key->kind, TERM_FIRST);
  assert_int_equal(assign->value->args[0]->kind, TERM_MAP_GET);
  assert_ptr_equal(take->fields[0], take->node);
  assert_int_equal(take->cost_count, 2);
  const struct statement *branch = take->body.statements[0];
  assert_int_equal(branch->then_block.statements[0]->to->kind, TERM_NEXT);
  const struct statement *other = branch->else_block.statements[0];
  assert_int_equal(other->kind, STATEMENT_IF);
  assert_ptr_equal(other->condition->args[0]->variable, take->node);
  assert_ptr_not_equal(m->actions.items[2]->fields[1], m->actions.items[2]->node);
  assert_ptr_equal(m->actions.items[3]->fields[1], m->actions.items[3]->node);
  model_free(m);
}

static void test_claims(void **state) {
  (void)state;
  struct model *m = model_of(text);
  assert_false(m->invariants.items[0]->timing);
  assert_true(m->invariants.items[1]->timing);
  const struct bound *x = m->bounds.items[0], *y = m->bounds.items[1];
  assert_int_equal(x->target, TARGET_WHEN);
  assert_ptr_equal(x->node->variable, x->variables[0]);
  assert_ptr_equal(x->formula->args[0]->args[0], x->node);
  const struct term *seen = m->invariants.items[1]->formula->args[1]->args[0];
  assert_int_equal(seen->args[0]->kind, TERM_NODE);
  const struct term *product = x->expression->args[0], *largest = x->expression->args[1];
  assert_int_equal(product->args[0]->type.kind, TYPE_INT);
  assert_int_equal(product->args[1]->type.kind, TYPE_TIME);
  assert_int_equal(largest->args[0]->kind, TERM_TIME);
  assert_string_equal(x->target_text, "when held and last == f at i");
  assert_int_equal(y->target, TARGET_DELIVERED);
  assert_string_equal(y->expression_text, "Work + d(Reply) + Queuing + Step + 1.5 us");
  const struct term *last = y->expression->args[1];
  struct rational expected;
  rational_init(&expected);
  rational_set_integer(&expected, 1500);
  assert_int_equal(rational_compare(&last->value, &expected), 0);
  rational_clear(&expected);
  assert_int_equal(y->expression->args[0]->args[1]->kind, TERM_BARE);
  model_free(m);
}

/* No two binders share an id, and every id is below the model's count. */
static void mark_binders(const struct term *term, bool *seen, const struct model *m) {
  for (size_t i = 0; i < term->variable_count; i++) {
    assert_true(term->variables[i]->id < m->variable_count);
    assert_false(seen[term->variables[i]->id]);
    seen[term->variables[i]->id] = true;
  }
  for (size_t i = 0; i < term->count; i++)
    mark_binders(term->args[i], seen, m);
}

static void test_binders(void **state) {
  (void)state;
  struct model *m = model_of("protocol p param n : int role node[n] component C[node]\n"
                             "action node i.A cost C[i] { }\n"
                             "invariant a: forall i in node, j in node. exists k in 0..n. k > 0\n"
                             "invariant b: (forall i in node. true) and (forall i in node. true)\n"
                             "bound c: when true at first within max i in node (C[i])\n");
  bool *seen = mem_alloc(m->variable_count, sizeof *seen);
  for (size_t i = 0; i < m->invariants.count; i++)
    mark_binders(m->invariants.items[i]->formula, seen, m);
  mark_binders(m->bounds.items[0]->expression, seen, m);
  assert_false(seen[m->actions.items[0]->node->id]);
  mem_free(seen);
  model_free(m);
}

static const char timed[] =
    "protocol p timing advanced param n : int param HB : time <= 1 s\n"
    "role main role node[n] external client component Work, Step[node] repeated Tick, Other\n"
    "timeout T0, T1 delay d, wan\n"
    "message Ask(to: node) : main -> node to over wan fifo\n"
    "message Done : main -> client over d\n"
    "schedule node = [Get, Look, Empty] timeout T0\n"
    "state main { ghost old : set of node = {} due : time = HB + 1 ms done : bool = false }\n"
    "state node i { beat : time = HB }\n"
    "action main.Go on timer max(due, HB) reads t\n"
    "  cost if done then Work + Tick else if n == 1 then 0 else Other {\n"
    "  when t >= due  due := t + HB  old := old + node  send Ask(b) for all b in node }\n"
    "action main.Wait on timeout T1 cost 0 { }\n"
    "action node i.Get in Get on Ask(i) { beat := HB }\n"
    "action node i.Other in Get cost Step[i] { when slot >= 0 }\n"
    "action node i.LookA in Look reads t { when t >= beat\n"
    "  when forall j in node. j == i or 1 == 1  beat := t }\n"
    "action node j.LookB in Look reads u cost Tick + Step[j] { when u < beat }\n"
    "phase one { start began <= 0 invariant p: time(main) <= began + HB\n"
    "  end when done at main within HB }\n"
    "phase two { start done end sent Done within 2*HB }\n"
    "invariant w: |old| <= n\n"
    "bound a: sent Done within 3*HB + upto(node, 2) by phases\n"
    "bound b: delivered Done within ?\n"
    "bound c: sent Done within kth(n, i in node (Step[i]))\n";

static void test_timing(void **state) {
  (void)state;
  struct model *m = model_of(timed);
  assert_int_equal(m->timing, TIMING_ADVANCED);
  static const struct {
    const char *name;
    enum component_kind kind;
    bool repeated;
  } expected[] = {{"HB", COMPONENT_CONSTANT, false}, {"Work", COMPONENT_STEP, false},
                  {"Step", COMPONENT_STEP, false},   {"Tick", COMPONENT_STEP, true},
                  {"Other", COMPONENT_STEP, true},   {"T0", COMPONENT_TIMEOUT, true},
                  {"T1", COMPONENT_TIMEOUT, true},   {"d", COMPONENT_DELAY, false},
                  {"wan", COMPONENT_DELAY, false},   {"Get", COMPONENT_STEP, true},
                  {"Look", COMPONENT_STEP, true},    {"Empty", COMPONENT_STEP, true}};
  assert_int_equal(m->components.count, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < m->components.count; i++) {
    assert_string_equal(m->components.items[i]->name, expected[i].name);
    assert_int_equal(m->components.items[i]->kind, expected[i].kind);
    assert_int_equal(m->components.items[i]->repeated, expected[i].repeated);
    assert_int_equal(m->components.items[i]->id, i);
  }
  assert_string_equal(m->assumptions.items[0]->text, "HB <= 1 s");
  assert_int_equal(m->assumptions.items[0]->formula->args[0]->kind, TERM_BARE);
  assert_true(m->messages.items[0]->fifo);
  assert_ptr_equal(m->messages.items[0]->delay, m->components.items[8]);
  assert_ptr_equal(m->messages.items[1]->delay, m->components.items[7]);
  assert_int_equal(m->params.count, 1);
  model_free(m);
}

static void test_triggers(void **state) {
  (void)state;
  struct model *m = model_of(timed);
  const struct action *go = m->actions.items[0], *wait = m->actions.items[1];
  assert_int_equal(go->timer->kind, TERM_MAX);
  assert_null(go->timeout);
  assert_int_equal(go->read->type.kind, TYPE_TIME);
  assert_int_equal(go->read->domain, DOMAIN_NONE);
  assert_ptr_equal(go->guards[0]->args[0]->variable, go->read);
  assert_int_equal(go->cost_count, 3);
  assert_int_equal(go->conditions[0]->kind, TERM_STATE);
  assert_int_equal(go->conditions[1]->kind, TERM_STATE);
  assert_int_equal(go->conditions[2]->kind, TERM_AND);
  assert_int_equal(go->conditions[2]->args[0]->kind, TERM_NOT);
  assert_int_equal(go->conditions[2]->args[1]->kind, TERM_NOT);
  assert_ptr_equal(wait->timeout, m->components.items[6]);
  assert_int_equal(wait->cost_count, 0);
  assert_null(wait->conditions);
  assert_true(m->states.items[1]->ghost);
  assert_int_equal(m->states.items[2]->type.kind, TYPE_TIME);
  model_free(m);
}

static void test_schedule(void **state) {
  (void)state;
  struct model *m = model_of(timed);
  assert_int_equal(m->schedules.count, 1);
  const struct schedule *s = m->schedules.items[0];
  assert_int_equal(s->slot_count, 3);
  assert_ptr_equal(s->timeout, m->components.items[5]);
  assert_string_equal(s->state->name, "slot");
  assert_ptr_equal(m->states.items[s->state->id], s->state);
  assert_int_equal(s->state->initial->integer, 0);
  assert_int_equal(m->actions.count, 9);
  for (size_t i = 2; i < 9; i++) { /* slot == k first, slot := k + 1 first */
    const struct action *a = m->actions.items[i];
    assert_ptr_equal(a->schedule, s);
    assert_int_equal(a->idle, i >= 6);
    assert_int_equal(a->id, i);
    assert_ptr_equal(a->guards[0]->args[0]->state, s->state);
    assert_ptr_equal(a->guards[0]->args[0]->args[0]->variable, a->node);
    assert_int_equal(a->guards[0]->args[1]->integer, a->slot);
    assert_ptr_equal(a->body.statements[0]->state, s->state);
    assert_int_equal(a->body.statements[0]->value->integer, (a->slot + 1) % 3);
  }
  assert_ptr_equal(m->actions.items[2]->costs[0]->component, s->slots[0]);
  assert_int_equal(m->actions.items[3]->cost_count, 1);
  assert_ptr_equal(m->actions.items[3]->costs[0]->component, m->components.items[2]);
  assert_int_equal(m->actions.items[5]->cost_count, 2);
  model_free(m);
}

static void test_idle(void **state) {
  (void)state;
  struct model *m = model_of(timed);
  const struct action *get = m->actions.items[6], *look = m->actions.items[7],
                      *empty = m->actions.items[8];
  assert_string_equal(get->name, "node.idle(Get)");
  assert_int_equal(get->guard_count, 1); /* a slot that receives: always */
  assert_ptr_equal(get->timeout, m->components.items[5]);
  assert_null(get->read);
  assert_string_equal(look->name, "node.idle(Look)");
  assert_null(look->timeout);
  assert_int_equal(look->guard_count, 3); /* the slot, and not one of its two actions */
  assert_int_equal(look->guards[1]->kind, TERM_NOT);
  assert_int_equal(look->guards[1]->args[0]->kind, TERM_AND);
  assert_ptr_equal(look->guards[1]->args[0]->args[0]->args[0]->variable, look->read);
  assert_ptr_equal(look->guards[2]->args[0]->args[0]->variable, look->read);
  assert_ptr_equal(look->guards[2]->args[0]->args[1]->args[0]->variable, look->node);
  assert_ptr_not_equal(look->read, m->actions.items[4]->read);
  assert_int_equal(empty->guard_count, 1);
  assert_null(empty->timeout);
  assert_ptr_equal(empty->costs[0]->component, m->schedules.items[0]->slots[2]);
  bool *seen = mem_alloc(m->variable_count, sizeof *seen);
  for (size_t i = 0; i < m->actions.count; i++)
    for (size_t j = 0; j < m->actions.items[i]->guard_count; j++)
      mark_binders(m->actions.items[i]->guards[j], seen, m);
  mem_free(seen);
  model_free(m);
}

static void test_phases(void **state) {
  (void)state;
  struct model *m = model_of(timed);
  assert_int_equal(m->phases.count, 2);
  const struct phase *one = m->phases.items[0], *two = m->phases.items[1];
  assert_int_equal(one->start->args[0]->kind, TERM_BEGAN);
  assert_int_equal(one->end.target, TARGET_WHEN);
  assert_int_equal(two->end.target, TARGET_SENT);
  assert_string_equal(two->end.target_text, "sent Done");
  assert_string_equal(two->end.name, "two");
  assert_int_equal(two->end.expression->kind, TERM_MUL);
  assert_ptr_equal(m->invariants.items[0]->phase, one);
  assert_true(m->invariants.items[0]->timing);
  assert_null(m->invariants.items[1]->phase);
  assert_int_equal(m->invariants.items[1]->formula->args[0]->kind, TERM_CARDINALITY);
  assert_true(m->bounds.items[0]->by_phases);
  assert_null(m->bounds.items[1]->expression);
  assert_string_equal(m->bounds.items[1]->expression_text, "?");
  const struct term *kth = m->bounds.items[2]->expression;
  assert_int_equal(kth->kind, TERM_KTH_OVER);
  assert_int_equal(kth->args[0]->kind, TERM_OCCURRENCE);
  assert_int_equal(kth->args[1]->kind, TERM_PARAM);
  assert_int_equal(kth->variables[0]->domain, DOMAIN_ROLE);
  model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_declarations), cmocka_unit_test(test_messages),
      cmocka_unit_test(test_states),       cmocka_unit_test(test_actions),
      cmocka_unit_test(test_claims),       cmocka_unit_test(test_binders),
      cmocka_unit_test(test_timing),       cmocka_unit_test(test_triggers),
      cmocka_unit_test(test_schedule),     cmocka_unit_test(test_idle),
      cmocka_unit_test(test_phases)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
