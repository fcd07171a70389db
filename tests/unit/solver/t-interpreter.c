/* SPDX-License-Identifier: GPL-3.0-or-later
 * Worlds, terms and steps against executions computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"
#include "models.h"
#include "solver/judge/evaluate.h"
#include "solver/judge/event.h"
#include "solver/judge/step.h"
#include "solver/judge/valuation.h"

static struct interpreter *interpreter_of(const struct model *model, int64_t n) {
  struct text message;
  text_init(&message);
  struct interpreter *in = interpreter_new(model, &n, &message);
  if (in == NULL)
    fail_msg("%s", text_get(&message));
  text_clear(&message);
  return in;
}

static struct step step_of(const struct model *model, size_t action, int64_t node, int64_t field) {
  return (struct step){.action = model->actions.items[action], .node = node, .fields = {field}};
}

static void set(struct values *values, const struct occurrence *occurrence, const char *value) {
  struct rational x;
  rational_init(&x);
  assert_true(rational_parse(&x, value));
  values_set(values, occurrence, &x);
  rational_clear(&x);
}

static void assert_rational(const struct rational *x, const char *expected) {
  struct text text;
  text_init(&text);
  rational_print(&text, x);
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
}

static void refuses_parameters(void **state) {
  (void)state;
  struct primary_backup p;
  primary_backup_build(&p, MISTAKE_NONE);
  static const int64_t refused[] = {0, -3, 65, INT64_MAX};
  static const char *const why[] = {"n >= 1", "n >= 1", "backup has 65 nodes", "backup has"};
  for (size_t i = 0; i < 4; i++) {
    struct text message;
    text_init(&message);
    assert_null(interpreter_new(&p.model, &refused[i], &message));
    assert_non_null(strstr(text_get(&message), why[i]));
    text_clear(&message);
  }
  struct interpreter *in = interpreter_of(&p.model, 64);
  assert_int_equal(in->node_count, 66);
  struct world *world = world_new(in, NULL);
  struct interpretation e = {.interpreter = in, .world = world, .bindings = in->scratch};
  const struct term *all = term(&p.model, TERM_ROLE_SET, of_role(TYPE_SET, p.backup), 0);
  assert_true(evaluate_scalar(&e, all) == -1);
  const struct term *last = term(&p.model, TERM_LAST, of_role(TYPE_NODE, p.backup), 0);
  assert_true(evaluate_holds(&e, term(&p.model, TERM_IN, plain(TYPE_BOOL), 2, last, all)));
  world_free(world);
  interpreter_free(in);
  models_free(&p.model);
}

/* n = 2: the second acknowledgement waits 5 for the first, the reply leaves at 20. */
static void set_times(struct values *values, struct interpreter *in, struct primary_backup *p,
                      const char *wait) {
  static const char *const request_delay[] = {"1", "4"}, *const handle[] = {"3", "1"};
  static const char *const ack_delay[] = {"2", "1"}, *const collect[] = {"5", "7"};
  set(values, interpreter_cost(in, p->request, NULL), "2");
  for (int64_t b = 0; b < 2; b++) {
    set(values, interpreter_delay(in, p->request_message, &b), request_delay[b]);
    set(values, interpreter_delay(in, p->ack_message, &b), ack_delay[b]);
    set(values, interpreter_cost(in, p->handle, &b), handle[b]);
    set(values, interpreter_cost(in, p->ack_cost, &b), collect[b]);
  }
  int64_t one = 1;
  set(values, interpreter_wait(in, p->ack_message, &one), wait);
  set(values, interpreter_delay(in, p->reply_message, NULL), "3");
}

static void assert_record(const struct step_record *record, const char *step, const char *start,
                          const char *end) {
  struct text text;
  text_init(&text);
  step_print(&text, &record->step);
  assert_string_equal(text_get(&text), step);
  text_clear(&text);
  assert_int_equal(record->result, STEP_TAKEN);
  assert_rational(&record->start, start);
  assert_rational(&record->end, end);
}

static void primary_backup_by_hand(void **state) {
  (void)state;
  struct primary_backup p;
  primary_backup_build(&p, MISTAKE_NONE);
  struct interpreter *in = interpreter_of(&p.model, 2);
  struct values values;
  values_init(&values, &p.model);
  set_times(&values, in, &p, "5");
  struct valuation valuation = values_valuation(&values);
  struct world *world = world_new(in, &valuation);
  const struct step steps[] = {step_of(&p.model, 0, 0, 0), step_of(&p.model, 1, 0, 0),
                               step_of(&p.model, 1, 1, 1), step_of(&p.model, 2, 0, 0),
                               step_of(&p.model, 2, 0, 1)};
  static const char *const expected[][3] = {{"primary.Broadcast", "0", "2"},
                                            {"backup[0].Handle on Request(0)", "3", "6"},
                                            {"backup[1].Handle on Request(1)", "6", "7"},
                                            {"primary.Collect on Ack(0)", "8", "13"},
                                            {"primary.Collect on Ack(1)", "13", "20"}};
  struct step_record record;
  for (size_t i = 0; i < 5; i++) {
    record_init(&record);
    assert_int_equal(step_take(world, &steps[i], &valuation, &record), STEP_TAKEN);
    assert_record(&record, expected[i][0], expected[i][1], expected[i][2]);
    if (i == 0) {
      assert_int_equal(record.sent.count, 2);
      assert_string_equal(record.sent.data[1].delay->label, "d(Request(1))");
      assert_int_equal(record.sent.data[1].receiver, 1);
      assert_rational(&record.sent.data[1].delivered, "6");
      assert_string_equal(record.costs.data[0]->label, "PrimaryRequest");
      assert_string_equal(record.assignments.data[0].name, "started");
      assert_string_equal(record.assignments.data[0].value, "true");
      assert_null(record.wait);
    }
    if (i == 4) {
      assert_string_equal(record.assignments.data[0].value, "{backup[0], backup[1]}");
      assert_string_equal(record.wait->label, "Queuing(Ack(1))");
      assert_string_equal(record.wait_delay->label, "d(Ack(1))");
      assert_rational(&record.sent.data[0].delivered, "23");
    }
    record_clear(&record);
  }
  assert_rational(&world_message(world, p.reply_message, NULL)->sent_at, "20");
  assert_rational(&world_message(world, p.reply_message, NULL)->delivered, "23");
  assert_rational(world_clock(world, p.backup, 1), "7");
  step_vector left = {0};
  step_list(&left, world);
  assert_int_equal(left.count, 0);
  vector_clear(&left);
  world_free(world);
  values_clear(&values);
  interpreter_free(in);
  models_free(&p.model);
}

/* A refused step leaves the world as it was, clocks included. */
static void refusals_change_nothing(void **state) {
  (void)state;
  struct primary_backup p;
  primary_backup_build(&p, MISTAKE_NONE);
  struct interpreter *in = interpreter_of(&p.model, 2);
  struct values values;
  values_init(&values, &p.model);
  set_times(&values, in, &p, "9/2");
  struct valuation valuation = values_valuation(&values);
  struct world *world = world_new(in, &valuation);
  struct step broadcast = step_of(&p.model, 0, 0, 0), handle = step_of(&p.model, 1, 0, 0);
  assert_int_equal(step_take(world, &handle, &valuation, NULL), STEP_NOT_ENABLED);
  assert_int_equal(step_take(world, &broadcast, &valuation, NULL), STEP_TAKEN);
  assert_int_equal(step_take(world, &broadcast, &valuation, NULL), STEP_NOT_ENABLED);
  struct step stranger = step_of(&p.model, 1, 1, 0), nowhere = step_of(&p.model, 1, 7, 0);
  assert_int_equal(step_take(world, &stranger, &valuation, NULL), STEP_NOT_ENABLED);
  assert_int_equal(step_take(world, &nowhere, &valuation, NULL), STEP_NOT_ENABLED);
  assert_int_equal(step_take(world, &handle, &valuation, NULL), STEP_TAKEN);
  assert_int_equal(step_take(world, &handle, &valuation, NULL), STEP_NOT_ENABLED);
  handle = step_of(&p.model, 1, 1, 1);
  assert_int_equal(step_take(world, &handle, &valuation, NULL), STEP_TAKEN);
  struct step collect = step_of(&p.model, 2, 0, 0);
  assert_int_equal(step_take(world, &collect, &valuation, NULL), STEP_TAKEN);
  struct world *before = world_copy(world);
  collect = step_of(&p.model, 2, 0, 1);
  assert_int_equal(step_take(world, &collect, &valuation, NULL), STEP_WAIT_EXCEEDED);
  assert_true(world_equal(before, world));
  assert_rational(world_clock(world, p.primary, 0), "13");
  world_free(before);
  world_free(world);
  values_clear(&values);
  interpreter_free(in);
  models_free(&p.model);
}

static void faults_are_named(void **state) {
  (void)state;
  static const struct {
    enum mistake mistake;
    enum step_result result;
    const char *fault;
    size_t steps; /* before the one at fault */
  } cases[] = {{MISTAKE_SEND_TWICE, STEP_SENT_TWICE, "Request(0)", 1},
               {MISTAKE_CHARGE_TWICE, STEP_CHARGED_TWICE, "PrimaryRequest", 1},
               {MISTAKE_ACK_COST, STEP_CHARGED_TWICE, "BackupRequest[1]", 2}};
  for (size_t i = 0; i < 3; i++) {
    struct primary_backup p;
    primary_backup_build(&p, cases[i].mistake);
    struct interpreter *in = interpreter_of(&p.model, 2);
    struct world *world = world_new(in, NULL);
    struct step steps[] = {step_of(&p.model, 0, 0, 0), step_of(&p.model, 1, 1, 1)};
    for (size_t j = 0; j < cases[i].steps; j++)
      assert_int_equal(step_take(world, &steps[j], NULL, NULL), STEP_TAKEN);
    struct step last = cases[i].steps == 2 ? step_of(&p.model, 2, 0, 1) : steps[0];
    struct world *before = world_copy(world);
    struct step_record record;
    record_init(&record);
    assert_int_equal(step_take(world, &last, NULL, &record), cases[i].result);
    assert_string_equal(record.fault, cases[i].fault);
    assert_true(world_equal(before, world));
    record_clear(&record);
    world_free(before);
    world_free(world);
    interpreter_free(in);
    models_free(&p.model);
  }
}

/* Grant[k] = k + 1, every delay 10, Accept[k] = 1/2: three hops take 6 + 30 + 3/2. */
static void ring_by_hand(void **state) {
  (void)state;
  struct ring r;
  ring_build(&r);
  struct interpreter *in = interpreter_of(&r.model, 3);
  struct values values;
  values_init(&values, &r.model);
  static const char *const grants[] = {"1", "2", "3"};
  for (int64_t k = 0; k < 3; k++) {
    int64_t next = k + 1;
    set(&values, interpreter_cost(in, r.grant, &k), grants[k]);
    set(&values, interpreter_cost(in, r.accept, &k), "0.5");
    set(&values, interpreter_delay(in, r.transfer, &next), "10");
  }
  struct valuation valuation = values_valuation(&values);
  struct world *world = world_new(in, &valuation);
  static const char *const clocks[] = {"23/2", "24", "75/2"}; /* of the node that accepts */
  for (int64_t k = 0; k < 3; k++) {
    step_vector steps = {0};
    step_list(&steps, world);
    assert_int_equal(steps.count, 1);
    assert_int_equal(steps.data[0].node, k);
    assert_int_equal(step_take(world, &steps.data[0], &valuation, NULL), STEP_TAKEN);
    steps.count = 0;
    step_list(&steps, world);
    assert_int_equal(steps.count, 1);
    assert_int_equal(steps.data[0].node, (k + 1) % 3);
    assert_int_equal(step_take(world, &steps.data[0], &valuation, NULL), STEP_TAKEN);
    assert_rational(world_clock(world, r.node, (k + 1) % 3), clocks[k]);
    vector_clear(&steps);
  }
  assert_int_equal(*world_cell(world, r.epoch, 0), 3);
  int64_t least, greatest;
  world_integers(world, &least, &greatest);
  assert_int_equal(least, 0);
  assert_int_equal(greatest, 3);
  struct text key;
  text_init(&key);
  world_pack(&key, world);
  struct world *unpacked = world_unpack(in, text_get(&key), key.length);
  assert_true(world_equal(world, unpacked));
  *world_cell(unpacked, r.epoch, 1) = -5;
  assert_false(world_equal(world, unpacked));
  world_free(unpacked);
  text_clear(&key);
  world_free(world);
  values_clear(&values);
  interpreter_free(in);
  models_free(&r.model);
}

/* forall k in int. sent Transfer(k) implies k >= low */
static bool numbered(struct ring *r, const struct interpretation *e, int64_t low) {
  struct model *m = &r->model;
  const struct variable *k = variable(m, "k", plain(TYPE_INT), DOMAIN_INT);
  e->interpreter->scratch = mem_resize(e->interpreter->scratch, m->variable_count, 8);
  struct interpretation fresh = *e;
  fresh.bindings = e->interpreter->scratch;
  const struct term *sent = about(m, TERM_SENT, NULL, r->transfer, use(m, k));
  const struct term *at_least = term(m, TERM_GE, plain(TYPE_BOOL), 2, use(m, k), number(m, low));
  return evaluate_holds(&fresh, binder(m, TERM_FORALL, k,
                                       term(m, TERM_IMPLIES, plain(TYPE_BOOL), 2, sent, at_least)));
}

static void terms(void **state) {
  (void)state;
  struct ring r;
  ring_build(&r);
  struct model *m = &r.model;
  struct interpreter *in = interpreter_of(m, 3);
  struct world *world = world_new(in, NULL);
  struct step grant = step_of(m, 0, 0, 0);
  assert_int_equal(step_take(world, &grant, NULL, NULL), STEP_TAKEN);
  struct interpretation e = {.interpreter = in, .world = world, .bindings = in->scratch};
  assert_true(numbered(&r, &e, 1));
  assert_false(numbered(&r, &e, 2));
  e.bindings = in->scratch;
  struct type node = of_role(TYPE_NODE, r.node), set = of_role(TYPE_SET, r.node);
  const struct term *first = term(m, TERM_FIRST, node, 0), *last = term(m, TERM_LAST, node, 0);
  assert_int_equal(evaluate_scalar(&e, term(m, TERM_PREV, node, 1, first)), 2);
  assert_int_equal(evaluate_scalar(&e, term(m, TERM_NEXT, node, 1, last)), 0);
  assert_int_equal(evaluate_scalar(&e, about(m, TERM_PENDING, NULL, r.transfer, number(m, 1))), 1);
  assert_int_equal(evaluate_scalar(&e, about(m, TERM_RECEIVED, NULL, r.transfer, number(m, 1))), 0);
  assert_int_equal(evaluate_scalar(&e, about(m, TERM_RECEIVER, NULL, r.transfer, number(m, 1))), 1);
  assert_int_equal(evaluate_scalar(&e, about(m, TERM_CHARGED, r.grant, NULL, number(m, 0))), 1);
  assert_int_equal(evaluate_scalar(&e, about(m, TERM_CHARGED, r.accept, NULL, number(m, 0))), 0);
  const struct term *ends = term(m, TERM_SET, set, 2, first, last);
  const struct term *all = term(m, TERM_ROLE_SET, set, 0);
  const struct term *middle = term(m, TERM_DIFFERENCE, set, 2, all, ends);
  assert_int_equal(evaluate_scalar(&e, middle), 2);
  assert_int_equal(evaluate_scalar(&e, term(m, TERM_UNION, set, 2, middle, ends)), 7);
  assert_int_equal(evaluate_scalar(&e, term(m, TERM_INTERSECTION, set, 2, all, ends)), 5);
  const struct term *largest =
      term(m, TERM_MAX, plain(TYPE_INT), 3, number(m, -4), number(m, 9), number(m, 2));
  assert_int_equal(evaluate_scalar(&e, largest), 9);
  for (int64_t a = -9; a < 10; a++)
    for (int64_t by = 1; by < 5; by++) {
      int64_t down =
          evaluate_scalar(&e, term(m, TERM_DIV, plain(TYPE_INT), 2, number(m, a), number(m, by)));
      assert_true(by * down <= a && a < by * down + by);
    }
  const struct term *least = number(m, INT64_MIN);
  assert_true(evaluate_scalar(&e, term(m, TERM_DIV, plain(TYPE_INT), 2, least, number(m, 3))) ==
              -INT64_C(3074457345618258603));
  assert_false(in->overflow);
  evaluate_scalar(&e, times(m, 2, number(m, INT64_MAX)));
  assert_true(in->overflow);
  world_free(world);
  interpreter_free(in);
  models_free(m);
}

/* A map, and statements that see the assignments before them but not their own sends. */
static void statements(void **state) {
  (void)state;
  struct ring r;
  ring_build(&r);
  struct model *m = &r.model;
  static const struct type element = {.kind = TYPE_INT};
  struct type map = {.kind = TYPE_MAP, .role = r.node, .element = &element};
  const struct state *votes = add_state(m, "votes", r.node, map);
  ((struct state *)votes)->initial = number(m, 7);
  struct action *grant = (struct action *)m->actions.items[0];
  const struct term *me = use(m, grant->node), *two = number(m, 2);
  struct statement *vote = assign_to(m, votes, plus(m, state_at(m, r.epoch, me), number(m, 40)));
  vote->key = term(m, TERM_NEXT, of_role(TYPE_NODE, r.node), 1, me);
  struct statement *raise = assign_to(m, r.epoch, two);
  struct statement *guess = NEW(m, statement);
  guess->kind = STATEMENT_IF;
  guess->condition = about(m, TERM_SENT, NULL, r.transfer, number(m, 9));
  guess->then_block = block(m, 1, assign_to(m, r.held, truth(m, false)));
  grant->body = block(m, 4, raise, vote, send(m, r.transfer, number(m, 9)), guess);
  struct interpreter *in = interpreter_of(m, 2);
  struct world *world = world_new(in, NULL);
  struct step step = step_of(m, 0, 0, 0);
  struct step_record record;
  record_init(&record);
  assert_int_equal(step_take(world, &step, NULL, &record), STEP_TAKEN);
  assert_string_equal(record.assignments.data[1].name, "votes[node[1]]");
  assert_string_equal(record.assignments.data[1].value, "42");
  assert_int_equal(record.assignments.count, 2);
  record_clear(&record);
  struct interpretation e = {.interpreter = in, .world = world, .bindings = in->scratch};
  const struct term *own = state_at(m, votes, term(m, TERM_FIRST, of_role(TYPE_NODE, r.node), 0));
  for (int64_t key = 0; key < 2; key++) {
    in->scratch[grant->node->id] = key;
    assert_int_equal(evaluate_scalar(&e, term(m, TERM_MAP_GET, element, 2, own, me)),
                     key == 1 ? 42 : 7);
  }
  assert_int_equal(*world_cell(world, r.held, 0), 1);
  world_free(world);
  interpreter_free(in);
  models_free(m);
}

/* One step that sends an identity twice is as wrong as two that do. */
static void twice_in_one_step(void **state) {
  (void)state;
  struct ring r;
  ring_build(&r);
  struct model *m = &r.model;
  struct action *grant = (struct action *)m->actions.items[0];
  struct statement *one = send(m, r.transfer, number(m, 5));
  grant->body = block(m, 2, one, one);
  struct interpreter *in = interpreter_of(m, 2);
  struct world *world = world_new(in, NULL);
  struct step step = step_of(m, 0, 0, 0);
  assert_int_equal(step_take(world, &step, NULL, NULL), STEP_SENT_TWICE);
  grant->body = block(m, 1, one);
  const struct term *costs[] = {grant->costs[0], grant->costs[0]};
  grant->costs = costs;
  grant->cost_count = 2;
  assert_int_equal(step_take(world, &step, NULL, NULL), STEP_CHARGED_TWICE);
  assert_int_equal(world->messages.count + world->charges.count + world->step_count, 0);
  world_free(world);
  interpreter_free(in);
  models_free(m);
}

struct seen {
  size_t visits;
  int64_t last;
};

static bool note_number(const struct interpretation *e, void *context) {
  struct seen *seen = context;
  seen->visits++;
  seen->last = e->bindings[e->interpreter->model->variable_count - 1];
  return true;
}

/* from sent Transfer(k): of the 2^62 numbers that the world knows of, those of its messages. */
static void numbers_of_messages(void **state) {
  (void)state;
  struct ring r;
  ring_build(&r);
  struct model *m = &r.model;
  int64_t far = INT64_C(1) << 62;
  struct action *grant = (struct action *)m->actions.items[0];
  grant->body =
      block(m, 2, send(m, r.transfer, number(m, far)), send(m, r.transfer, number(m, -7)));
  const struct variable *k = variable(m, "k", plain(TYPE_INT), DOMAIN_INT);
  const struct term *arg = use(m, k);
  struct bound bound = {.from = r.transfer,
                        .from_args = &arg,
                        .message = r.transfer,
                        .args = &arg,
                        .target = TARGET_DELIVERED,
                        .variables = &k,
                        .variable_count = 1};
  struct interpreter *in = interpreter_of(m, 2);
  struct world *world = world_new(in, NULL);
  struct step step = step_of(m, 0, 0, 0);
  assert_int_equal(step_take(world, &step, NULL, NULL), STEP_TAKEN);
  struct interpretation e = {.interpreter = in, .world = world, .bindings = in->scratch};
  struct seen begun = {0, 0}, happened = {0, 0};
  assert_true(event_each_begun(&e, &bound, note_number, &begun));
  assert_true(event_each_happened(&e, &bound, note_number, &happened));
  assert_int_equal(begun.visits, 2);
  assert_int_equal(begun.last, far);
  assert_int_equal(happened.visits, 2);
  world_free(world);
  interpreter_free(in);
  models_free(m);
}

static bool count_visit(const struct interpretation *e, void *context) {
  (void)e;
  ++*(size_t *)context;
  return true;
}

/* A range is tried to an end that does not depend on its size, and that is noted. */
static void long_ranges(void **state) {
  (void)state;
  struct ring r;
  ring_build(&r);
  struct model *m = &r.model;
  struct variable *i = (struct variable *)variable(m, "i", plain(TYPE_INT), DOMAIN_RANGE);
  i->low = number(m, 1);
  i->high = number(m, 100);
  struct interpreter *in = interpreter_of(m, 2);
  struct world *world = world_new(in, NULL);
  struct interpretation e = {.interpreter = in, .world = world, .bindings = in->scratch};
  const struct variable *const variables[] = {i};
  size_t visits = 0;
  assert_true(evaluate_each(&e, variables, 1, count_visit, &visits));
  assert_int_equal(visits, 100);
  assert_false(in->overflow);
  i->high = number(m, INT64_MAX);
  visits = 0;
  assert_true(evaluate_each(&e, variables, 1, count_visit, &visits));
  assert_true(visits < 100000 && in->overflow);
  world_free(world);
  interpreter_free(in);
  models_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refuses_parameters),
                                     cmocka_unit_test(primary_backup_by_hand),
                                     cmocka_unit_test(refusals_change_nothing),
                                     cmocka_unit_test(faults_are_named),
                                     cmocka_unit_test(ring_by_hand),
                                     cmocka_unit_test(terms),
                                     cmocka_unit_test(statements),
                                     cmocka_unit_test(twice_in_one_step),
                                     cmocka_unit_test(numbers_of_messages),
                                     cmocka_unit_test(long_ranges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
