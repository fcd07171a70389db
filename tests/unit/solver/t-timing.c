/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every timing rule of lang/model.h, one concrete step at a time: what is allowed, when it starts
 * and ends, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/judge/evaluate.h"
#include "solver/judge/step.h"
#include "solver/judge/valuation.h"
#include "tests/unit/solver/loaded.h"

/* A protocol, a world and the values of its occurrences. */
struct bench {
  struct loaded loaded;
  struct interpreter *in;
  struct values values;
  struct valuation valuation;
  struct world *world;
  struct step_record record;
};

static const struct component *component(const struct bench *b, const char *name) {
  for (size_t i = 0; i < b->loaded.model->components.count; i++)
    if (strcmp(b->loaded.model->components.items[i]->name, name) == 0)
      return b->loaded.model->components.items[i];
  fail_msg("no component %s", name);
  return NULL;
}

static void set_bare(struct bench *b, const char *name, int64_t value) {
  struct rational v;
  rational_init(&v);
  rational_set_integer(&v, value);
  values_fix_bare(&b->values, component(b, name), &v);
  rational_clear(&v);
}

static void set_occurrence(struct bench *b, const struct occurrence *o, int64_t value) {
  struct rational v;
  rational_init(&v);
  rational_set_integer(&v, value);
  values_set(&b->values, o, &v);
  rational_clear(&v);
}

/* `constants`: "P", "Q", ... get 10, 20, ... before the first state. */
static void bench_init(struct bench *b, const char *text, const char *constants) {
  loaded_init(&b->loaded, "timing", text);
  assert_non_null(b->loaded.model);
  int64_t params[] = {2, 2};
  struct text message;
  text_init(&message);
  b->in = interpreter_new(b->loaded.model, params, &message);
  text_clear(&message);
  assert_non_null(b->in);
  values_init(&b->values, b->loaded.model);
  b->valuation = values_valuation(&b->values);
  int64_t value = 10;
  for (const char *at = constants; *at != '\0'; at++, value += 10)
    set_bare(b, (char[]){*at, '\0'}, value);
  b->world = world_new(b->in, &b->valuation);
  record_init(&b->record);
}

static void bench_clear(struct bench *b) {
  record_clear(&b->record);
  world_free(b->world);
  values_clear(&b->values);
  interpreter_free(b->in);
  loaded_clear(&b->loaded);
}

static const struct action *action(const struct bench *b, const char *name) {
  for (size_t i = 0; i < b->loaded.model->actions.count; i++)
    if (strcmp(b->loaded.model->actions.items[i]->name, name) == 0)
      return b->loaded.model->actions.items[i];
  fail_msg("no action %s", name);
  return NULL;
}

static const struct message *message(const struct bench *b, const char *name) {
  for (size_t i = 0; i < b->loaded.model->messages.count; i++)
    if (strcmp(b->loaded.model->messages.items[i]->name, name) == 0)
      return b->loaded.model->messages.items[i];
  fail_msg("no message %s", name);
  return NULL;
}

/* Values for the next step: of its repeated cost or timeout number `choice`, of its clock read. */
static void next_takes(struct bench *b, const char *name, size_t choice, int64_t value) {
  const struct component *c = component(b, name);
  set_occurrence(b, interpreter_execution(b->in, c, b->world->step_count, choice), value);
}

static void next_reads_after(struct bench *b, int64_t value) {
  set_occurrence(b, interpreter_read(b->in, b->world->step_count), value);
}

static void delay_is(struct bench *b, const char *name, int64_t field, int64_t value) {
  set_occurrence(b, interpreter_delay(b->in, message(b, name), &field), value);
}

static void wait_is(struct bench *b, const char *name, int64_t field, int64_t value) {
  set_occurrence(b, interpreter_wait(b->in, message(b, name), &field), value);
}

static enum step_result take(struct bench *b, const char *name, int64_t node, int64_t field) {
  struct step step = {.action = action(b, name), .node = node};
  if (step.action->message != NULL && step.action->message->field_count != 0)
    step.fields[0] = field;
  record_clear(&b->record);
  record_init(&b->record);
  return step_take(b->world, &step, &b->valuation, &b->record);
}

static void assert_window(const struct bench *b, int64_t start, int64_t end) {
  struct rational expected;
  rational_init(&expected);
  rational_set_integer(&expected, start);
  assert_int_equal(rational_compare(&b->record.start, &expected), 0);
  rational_set_integer(&expected, end);
  assert_int_equal(rational_compare(&b->record.end, &expected), 0);
  rational_clear(&expected);
}

static void timeouts_timers_and_repeated_costs(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol t\nparam P : time\nrole p\nexternal e\nrepeated A, B\ntimeout T\ndelay d\n"
             "state p { due : time = P  n : int = 0 }\nmessage M(k: int) : p -> e\n"
             "action p.Poll on timeout T cost A { }\n"
             "action p.Ring on timer due cost if n == 0 then A else A + B { n := n + 1  "
             "due := due + 3 * P  send M(n) }\n",
             "P");
  next_takes(&b, "T", 1, 4);
  next_takes(&b, "A", 0, 2);
  assert_int_equal(take(&b, "p.Poll", 0, 0), STEP_TAKEN);
  assert_window(&b, 4, 6);
  next_takes(&b, "A", 0, 1);
  assert_int_equal(take(&b, "p.Ring", 0, 0), STEP_TAKEN);
  assert_window(&b, 10, 11); /* not before P = 10; B only from the second on */
  assert_int_equal(b.record.costs.count, 1);
  next_takes(&b, "A", 0, 1);
  assert_int_equal(take(&b, "p.Ring", 0, 0), STEP_TAKEN);
  assert_int_equal(b.record.costs.count, 2);
  assert_int_equal(rational_sign(&b.record.start), 1);
  assert_int_equal(b.world->charges.count, 0);
  bench_clear(&b);
}

static void clock_reads(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol t\nparam P : time\nrole p\nrepeated A\nstate p { next : time = P }\n"
             "action p.Check reads t cost A { when t >= next  next := t + P }\n"
             "action p.Idle reads t cost A { when t < next }\n",
             "P");
  next_takes(&b, "A", 0, 9);
  next_reads_after(&b, 9);
  assert_int_equal(take(&b, "p.Check", 0, 0), STEP_NOT_ENABLED);
  next_reads_after(&b, 10);
  assert_int_equal(take(&b, "p.Check", 0, 0), STEP_READ_OUTSIDE);
  next_reads_after(&b, 9);
  assert_int_equal(take(&b, "p.Idle", 0, 0), STEP_TAKEN);
  next_takes(&b, "A", 0, 9);
  next_reads_after(&b, 1); /* 10 exactly */
  assert_int_equal(take(&b, "p.Idle", 0, 0), STEP_NOT_ENABLED);
  assert_int_equal(take(&b, "p.Check", 0, 0), STEP_TAKEN);
  assert_window(&b, 9, 18);
  struct rational next;
  rational_init(&next);
  rational_set_integer(&next, 20);
  const struct state *variable = b.loaded.model->states.items[0];
  assert_int_equal(rational_compare(world_time(b.world, variable, 0), &next), 0);
  rational_clear(&next);
  step_vector steps = {0}; /* without times both are possible */
  struct world *untimed = world_new(b.in, NULL);
  step_list(&steps, untimed);
  assert_int_equal(steps.count, 2);
  assert_int_equal(step_take(untimed, &steps.data[0], NULL, NULL), STEP_TAKEN);
  vector_clear(&steps);
  world_free(untimed);
  bench_clear(&b);
}

#define PAIR                                                                                       \
  "role p\nrole q\ncomponent S\nrepeated A, B\ndelay d\n"                                          \
  "state p { n : int = 0 }\nstate q { ready : bool = true }\n"

static void advanced_keeps_the_order_of_delivery(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol t\ntiming advanced\n" PAIR "message M(k: int) : p -> q\ntimeout T\n"
             "action p.Send cost A { when n < 3  n := n + 1  send M(n) }\n"
             "action q.Get on M(k) cost B { }\naction q.Poll on timeout T cost B { }\n",
             "");
  delay_is(&b, "M", 1, 8);
  delay_is(&b, "M", 2, 2);
  delay_is(&b, "M", 3, 20);
  for (int i = 0; i < 3; i++)
    assert_int_equal(take(&b, "p.Send", 0, 0), STEP_TAKEN);
  next_takes(&b, "B", 0, 30);
  assert_int_equal(take(&b, "q.Get", 0, 1), STEP_OVERTAKES); /* 2 is there before it */
  next_takes(&b, "B", 0, 30);
  assert_int_equal(take(&b, "q.Get", 0, 2), STEP_TAKEN);
  assert_window(&b, 2, 32);
  assert_int_equal(take(&b, "q.Get", 0, 1), STEP_TAKEN); /* late, but there is no queueing term */
  assert_window(&b, 32, 32);
  next_takes(&b, "T", 1, 5);
  assert_int_equal(take(&b, "q.Poll", 0, 0), STEP_TAKEN); /* idle until 37: nothing was there */
  assert_int_equal(
      rational_compare(world_arrival(b.world, action(&b, "q.Poll")->role, 0), &b.record.start), 0);
  assert_int_equal(take(&b, "q.Get", 0, 3), STEP_OVERTAKES);
  bench_clear(&b);
}

/* A node that is busy when a timer or timeout is over was not idle: what came meanwhile is there.
 */
static void advanced_keeps_what_comes_while_busy(void **state) {
  (void)state;
  static const char text[] =
      "protocol t\ntiming advanced\nparam P : time\n" PAIR "message M(k: int) : p -> q\ntimeout T\n"
      "action p.Send cost A { when n < 3  n := n + 1  send M(n) }\n"
      "action q.Work cost B { }\naction q.Get on M(k) cost B { }\n"
      "action q.Poll on timeout T cost B { }\naction q.Tick on timer P cost B { }\n";
  static const char *const waits[] = {"q.Tick", "q.Poll"};
  for (size_t busy = 0; busy < 2; busy++)
    for (size_t i = 0; i < 2; i++) {
      struct bench b;
      bench_init(&b, text, "P");
      delay_is(&b, "M", 1, 2);
      assert_int_equal(take(&b, "p.Send", 0, 0), STEP_TAKEN); /* arrives at 2 */
      next_takes(&b, "B", 0, busy ? 10 : 1);
      assert_int_equal(take(&b, "q.Work", 0, 0), STEP_TAKEN);
      next_takes(&b, "T", 1, busy ? 0 : 3);
      assert_int_equal(take(&b, waits[i], 0, 0), STEP_TAKEN);
      assert_int_equal(take(&b, "q.Get", 0, 1), busy ? STEP_TAKEN : STEP_OVERTAKES);
      bench_clear(&b);
    }
}

/* A message that its receiver cannot take is passed by. */
static void advanced_order_is_of_what_can_be_taken(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol t\ntiming advanced\n" PAIR "message M(k: int) : p -> q\n"
             "action p.Send cost A { when n < 3  n := n + 1  send M(n) }\n"
             "action q.Get on M(k) cost B { when k >= 2 }\n",
             "");
  delay_is(&b, "M", 1, 1);
  delay_is(&b, "M", 2, 2);
  assert_int_equal(take(&b, "p.Send", 0, 0), STEP_TAKEN);
  assert_int_equal(take(&b, "p.Send", 0, 0), STEP_TAKEN);
  assert_int_equal(take(&b, "q.Get", 0, 2), STEP_TAKEN);
  assert_window(&b, 2, 2);
  bench_clear(&b);
}

static void eager_waits_for_nobody(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol t\ntiming eager\nparam P : time\n" PAIR
             "queueing Q\nmessage M(k: int) : p -> q\n"
             "action p.Send cost A { when n < 2  n := n + 1  send M(n) }\n"
             "action p.Tick cost A { }\n"
             "action q.Get on M(k) cost B { when ready }\n"
             "action q.Stop on timer P cost B { when ready  ready := false }\n",
             "P");
  delay_is(&b, "M", 1, 3);
  wait_is(&b, "M", 1, 2);
  next_takes(&b, "A", 0, 4);
  assert_int_equal(take(&b, "p.Send", 0, 0), STEP_TAKEN); /* 0 .. 4; arrives 7, wait 2 */
  next_takes(&b, "A", 0, 5);
  assert_int_equal(take(&b, "p.Tick", 0, 0), STEP_TAKEN); /* 4 .. 9 */
  next_takes(&b, "A", 0, 1);
  assert_int_equal(take(&b, "p.Tick", 0, 0), STEP_TAKEN); /* 9 .. 10: q may be late by 2 */
  assert_int_equal(take(&b, "p.Tick", 0, 0), STEP_TOO_LATE);
  assert_int_equal(take(&b, "q.Get", 0, 1), STEP_TOO_EARLY); /* it would start at 7 */
  bench_clear(&b);
}

/* M is due at 0 if the guard leaves anything of 0..2. */
static void due_by_choice(const char *text, enum step_result tick, enum step_result get) {
  struct bench b;
  bench_init(&b, text, "");
  assert_int_equal(take(&b, "p.Send", 0, 0), STEP_TAKEN);
  next_takes(&b, "A", 0, 1);
  assert_int_equal(take(&b, "p.Tick", 0, 0), STEP_TAKEN);
  assert_int_equal(take(&b, "p.Tick", 0, 0), tick); /* at 1 */
  struct step last = {.action = action(&b, "q.Get"), .choices = {2}};
  assert_int_equal(step_take(b.world, &last, &b.valuation, NULL), get);
  bench_clear(&b);
}

static void eager_messages_are_due_by_choice(void **state) {
  (void)state;
#define GET                                                                                        \
  "protocol t\ntiming eager\n" PAIR "queueing Q\nmessage M : p -> q\n"                             \
  "action p.Tick cost A { }\naction p.Send { send M }\naction q.Get(x in 0..2) on M "
  due_by_choice(GET "{ when x > 1 }\n", STEP_TOO_LATE, STEP_TAKEN);
  due_by_choice(GET "{ when x > 2 }\n", STEP_TAKEN, STEP_NOT_ENABLED);
}

static void eager_timers_are_due(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol t\ntiming eager\nparam P : time\n" PAIR "action p.Tick cost A { }\n"
             "action q.Stop on timer P cost B { when ready  ready := false }\n",
             "P");
  next_takes(&b, "A", 0, 11);
  assert_int_equal(take(&b, "p.Tick", 0, 0), STEP_TAKEN); /* 0 .. 11 */
  assert_int_equal(take(&b, "p.Tick", 0, 0), STEP_TOO_LATE);
  assert_int_equal(take(&b, "q.Stop", 0, 0), STEP_TAKEN);
  assert_window(&b, 10, 10);
  assert_int_equal(take(&b, "p.Tick", 0, 0), STEP_TAKEN); /* nothing is due any more */
  bench_clear(&b);
}

static void fifo_channels(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol t\nrole p\nrole q\nrole r\nrepeated A\ndelay d\n"
             "message M(k: int) : p -> q fifo\nmessage N(k: int) : p -> q fifo\n"
             "message X(k: int) : p -> q\nmessage Y(k: int) : p -> r fifo\n"
             "state p { n : int = 0 }\n"
             "action p.Send cost A { when n == 0  n := 1  send M(1)  send N(2)  send X(3)  "
             "send Y(4) }\n"
             "action q.GetM on M(k) cost A { }\naction q.GetN on N(k) cost A { }\n"
             "action q.GetX on X(k) cost A { }\naction r.GetY on Y(k) cost A { }\n",
             "");
  assert_int_equal(take(&b, "p.Send", 0, 0), STEP_TAKEN);
  assert_int_equal(take(&b, "q.GetN", 0, 2), STEP_NOT_ENABLED);
  assert_int_equal(take(&b, "q.GetX", 0, 3), STEP_TAKEN);
  assert_int_equal(take(&b, "r.GetY", 0, 4), STEP_TAKEN);
  assert_int_equal(take(&b, "q.GetM", 0, 1), STEP_TAKEN);
  assert_int_equal(take(&b, "q.GetN", 0, 2), STEP_TAKEN);
  bench_clear(&b);
}

/* The order of sending is control while it can matter, and survives packing. */
static void fifo_order_is_control(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol t\nrole p\nrole q\nrepeated A\ndelay d\nmessage M(k: int) : p -> q fifo\n"
             "state p { one : bool = false  two : bool = false }\n"
             "action p.One cost A { when not one  one := true  send M(1) }\n"
             "action p.Two cost A { when not two  two := true  send M(2) }\n"
             "action q.Get on M(k) cost A { }\n",
             "");
  struct world *worlds[2];
  const char *const orders[2][2] = {{"p.One", "p.Two"}, {"p.Two", "p.One"}};
  for (size_t w = 0; w < 2; w++) {
    struct world *world = world_new(b.in, NULL);
    for (size_t i = 0; i < 2; i++) {
      struct step step = {.action = action(&b, orders[w][i])};
      assert_int_equal(step_take(world, &step, NULL, NULL), STEP_TAKEN);
    }
    struct text key;
    text_init(&key);
    world_pack(&key, world);
    worlds[w] = world_unpack(b.in, text_get(&key), key.length);
    assert_true(world_equal(worlds[w], world));
    text_clear(&key);
    world_free(world);
  }
  assert_false(world_equal(worlds[0], worlds[1]));
  for (size_t w = 0; w < 2; w++) {
    step_vector steps = {0};
    step_list(&steps, worlds[w]);
    assert_int_equal(steps.count, 1);
    assert_int_equal(steps.data[0].fields[0], w == 0 ? 1 : 2);
    assert_int_equal(step_take(worlds[w], &steps.data[0], NULL, NULL), STEP_TAKEN);
    steps.count = 0;
    step_list(&steps, worlds[w]);
    assert_int_equal(step_take(worlds[w], &steps.data[0], NULL, NULL), STEP_TAKEN);
    vector_clear(&steps);
  }
  assert_true(world_equal(worlds[0], worlds[1]));
  world_free(worlds[0]);
  world_free(worlds[1]);
  bench_clear(&b);
}

static void schedules(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol t\nrole p\nrole q\nrepeated A\ntimeout T\ndelay d\n"
             "message M(k: int) : p -> q\nstate p { n : int = 0 }\nstate q { got : bool = false }\n"
             "schedule q = [Take, Work] timeout T\n"
             "action p.Send cost A { when n < 2  n := n + 1  send M(n) }\n"
             "action q.Get in Take on M(k) { got := true }\n"
             "action q.Do in Work { when got  got := false }\n",
             "");
  set_bare(&b, "T", 5);
  delay_is(&b, "M", 1, 6);
  assert_int_equal(take(&b, "p.Send", 0, 0), STEP_TAKEN);
  assert_int_equal(take(&b, "q.Get", 0, 1), STEP_WAITS_TOO_LONG);
  assert_int_equal(take(&b, "q.Do", 0, 0), STEP_NOT_ENABLED);
  next_takes(&b, "T", 1, 1);
  assert_int_equal(take(&b, "q.idle(Take)", 0, 0), STEP_TAKEN);
  assert_int_equal(take(&b, "q.Get", 0, 1), STEP_NOT_ENABLED);
  assert_int_equal(take(&b, "q.idle(Work)", 0, 0), STEP_TAKEN);
  assert_int_equal(take(&b, "q.Get", 0, 1), STEP_TAKEN);
  assert_window(&b, 6, 6);
  assert_int_equal(take(&b, "q.idle(Work)", 0, 0), STEP_NOT_ENABLED);
  next_takes(&b, "Work", 0, 3);
  assert_int_equal(take(&b, "q.Do", 0, 0), STEP_TAKEN);
  assert_window(&b, 6, 9);
  bench_clear(&b);
}

static void sizes_and_ranks(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol t\nparam n : int\nrole p[n + 3]\nexternal e\ncomponent C[p]\ndelay d\n"
             "message M : p -> e\n"
             "invariant small: |p| == 5 and |{first(p)}| == 1\n"
             "bound kth: sent M within kth(2, x in p (C[x])) + kth(n - 2, x in p (C[x]))\n",
             "");
  static const int64_t costs[] = {7, 3, 9, 4, 8};
  for (int64_t i = 0; i < 5; i++)
    set_occurrence(&b, interpreter_cost(b.in, component(&b, "C"), &i), costs[i]);
  struct interpretation e = {
      .interpreter = b.in, .world = b.world, .valuation = &b.valuation, .bindings = b.in->scratch};
  assert_true(evaluate_holds(&e, b.loaded.model->invariants.items[0]->formula));
  struct rational value, expected;
  rational_init(&value);
  rational_init(&expected);
  evaluate_time(&value, &e, b.loaded.model->bounds.items[0]->expression);
  rational_set_integer(&expected, 4);
  assert_int_equal(rational_compare(&value, &expected), 0);
  rational_clear(&value);
  rational_clear(&expected);
  bench_clear(&b);
}

/* Three values: what is decided without times is decided, the rest is open. */
static void open_formulas(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol t\nparam P : time\nrole p\nrepeated A\nstate p { next : time = P  "
             "flag : bool = false }\n"
             "action p.One cost A { when next >= 3 ms and flag }\n"
             "action p.Two cost A { when next >= 3 ms or not flag }\n"
             "action p.Three cost A { when not (next >= 3 ms and not flag) }\n"
             "action p.Four cost A { when flag implies next >= 3 ms }\n"
             "action p.Five cost A { when (next >= 3 ms) iff flag }\n",
             "P");
  static const enum truth expected[] = {TRUTH_FALSE, TRUTH_TRUE, TRUTH_OPEN, TRUTH_TRUE,
                                        TRUTH_OPEN};
  static const bool timed[] = {false, true, true, true, true};
  struct world *untimed = world_new(b.in, NULL);
  struct interpretation e = {.interpreter = b.in, .world = untimed, .bindings = b.in->scratch};
  for (size_t i = 0; i < 5; i++) {
    const struct action *a = b.loaded.model->actions.items[i];
    b.in->scratch[a->node->id] = 0;
    e.world = untimed;
    e.valuation = NULL;
    assert_int_equal(evaluate_truth(&e, a->guards[0]), expected[i]);
    e.world = b.world;
    e.valuation = &b.valuation;
    assert_int_equal(evaluate_truth(&e, a->guards[0]), timed[i] ? TRUTH_TRUE : TRUTH_FALSE);
  }
  world_free(untimed);
  bench_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(timeouts_timers_and_repeated_costs),
                                     cmocka_unit_test(clock_reads),
                                     cmocka_unit_test(advanced_keeps_the_order_of_delivery),
                                     cmocka_unit_test(advanced_keeps_what_comes_while_busy),
                                     cmocka_unit_test(advanced_order_is_of_what_can_be_taken),
                                     cmocka_unit_test(eager_waits_for_nobody),
                                     cmocka_unit_test(eager_messages_are_due_by_choice),
                                     cmocka_unit_test(eager_timers_are_due),
                                     cmocka_unit_test(fifo_channels),
                                     cmocka_unit_test(fifo_order_is_control),
                                     cmocka_unit_test(schedules),
                                     cmocka_unit_test(sizes_and_ranks),
                                     cmocka_unit_test(open_formulas)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
