/* SPDX-License-Identifier: GPL-3.0-or-later
 * Shortest executions of known length, and executions up to commuting steps against an enumeration
 * of all orders that decides by partial orders instead of normal forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "models.h"
#include "solver/judge/event.h"
#include "solver/search/explore.h"
#include "solver/judge/replay.h"

static struct interpreter *interpreter_of(const struct model *model, int64_t n) {
  struct text message;
  text_init(&message);
  struct interpreter *in = interpreter_new(model, &n, &message);
  if (in == NULL)
    fail_msg("%s", text_get(&message));
  text_clear(&message);
  return in;
}

/* An action by which every node may change its mind at any time, in private. */
static struct action *add_noise(struct model *m, const struct role *role) {
  struct type integer = plain(TYPE_INT);
  const struct component *tick = add_component(m, "Tick", COMPONENT_STEP, &integer);
  const struct state *ticked = add_state(m, "ticked", role, plain(TYPE_BOOL));
  const struct variable *i = variable(m, "i", of_role(TYPE_NODE, role), DOMAIN_NONE);
  const struct term *idle = term(m, TERM_NOT, plain(TYPE_BOOL), 1, state_at(m, ticked, use(m, i)));
  const struct term *index = term(m, TERM_INDEX, integer, 1, use(m, i));
  return add_action(m, "backup.Tick", role, i, NULL, NULL, idle, cost(m, tick, index),
                    block(m, 1, assign_to(m, ticked, truth(m, true))));
}

/* when `bit` in acked at primary */
static struct bound *acked_bound(struct primary_backup *p) {
  struct model *m = &p->model;
  struct bound *b = add_bound(m, "acked", TARGET_WHEN, cost(m, p->request, NULL));
  b->node = term(m, TERM_NODE, of_role(TYPE_NODE, p->primary), 0);
  b->formula =
      term(m, TERM_IN, plain(TYPE_BOOL), 2, term(m, TERM_FIRST, of_role(TYPE_NODE, p->backup), 0),
           state_at(m, p->acked, b->node));
  return b;
}

struct brute {
  struct interpreter *in;
  const struct bound *bound;
  size_t depth_max, words;
  step_vector steps;
  record_vector records;
  VECTOR(char *) traces; /* distinct, as partial orders */
  int64_t *bindings;
};

static bool sends_to(const struct step_record *earlier, const struct step *later) {
  for (size_t i = 0; i < earlier->sent.count; i++)
    if (earlier->sent.data[i].message == later->action->message &&
        memcmp(earlier->sent.data[i].fields, later->fields, sizeof later->fields) == 0)
      return true;
  return false;
}

static bool ordered(const struct brute *b, size_t i, size_t j) {
  const struct step *x = &b->steps.data[i], *y = &b->steps.data[j];
  return (x->action->role == y->action->role && x->node == y->node) ||
         sends_to(&b->records.data[i], y);
}

/* Every step is a cause of the last one, which is the primary's. */
static bool is_needed(const struct brute *b) {
  size_t count = b->steps.count;
  bool cause[32] = {false};
  for (size_t i = count; i-- > 0;) {
    cause[i] = i + 1 == count;
    for (size_t j = i + 1; j < count; j++)
      cause[i] |= cause[j] && ordered(b, i, j);
    if (!cause[i])
      return false;
  }
  return count == 0 || strcmp(b->steps.data[count - 1].action->role->name, "primary") == 0;
}

static int compare_texts(const void *x, const void *y) {
  return strcmp(*(char *const *)x, *(char *const *)y);
}

/* The set of pairs "x before y" of dependent steps, and the steps; every step occurs only once. */
static char *partial_order(const struct brute *b) {
  VECTOR(char *) lines = {0};
  for (size_t i = 0; i < b->steps.count; i++)
    for (size_t j = i; j < b->steps.count; j++) {
      if (i != j && !ordered(b, i, j))
        continue;
      struct text line;
      text_init(&line);
      step_print(&line, &b->steps.data[i]);
      text_append(&line, " < ");
      step_print(&line, &b->steps.data[j]);
      vector_push(&lines, text_take(&line));
    }
  if (lines.count != 0)
    qsort(lines.data, lines.count, sizeof *lines.data, compare_texts);
  struct text all;
  text_init(&all);
  text_append(&all, "start");
  for (size_t i = 0; i < lines.count; i++) {
    text_format(&all, "; %s", lines.data[i]);
    mem_free(lines.data[i]);
  }
  vector_clear(&lines);
  return text_take(&all);
}

static void note(struct brute *b) {
  if (!is_needed(b))
    return;
  char *order = partial_order(b);
  for (size_t i = 0; i < b->traces.count; i++)
    if (strcmp(b->traces.data[i], order) == 0) {
      mem_free(order);
      return;
    }
  vector_push(&b->traces, order);
}

static void brute_visit(struct brute *b, struct world *world) {
  b->words++;
  if (event_happened_for_any(world, b->bound, NULL, b->bindings)) {
    note(b);
    if (b->bound->target != TARGET_WHEN)
      return;
  }
  if (b->steps.count == b->depth_max)
    return;
  step_vector steps = {0};
  step_list(&steps, world);
  for (size_t i = 0; i < steps.count; i++) {
    struct world *after = world_copy(world);
    struct step_record record;
    record_init(&record);
    assert_int_equal(step_take(after, &steps.data[i], NULL, &record), STEP_TAKEN);
    vector_push(&b->steps, steps.data[i]);
    vector_push(&b->records, record);
    brute_visit(b, after);
    b->steps.count--;
    record_clear(&b->records.data[--b->records.count]);
    world_free(after);
  }
  vector_clear(&steps);
}

static size_t brute_count(struct interpreter *in, const struct bound *bound, size_t depth_max) {
  struct brute b = {.in = in, .bound = bound, .depth_max = depth_max};
  b.bindings = mem_alloc(in->model->variable_count, sizeof *b.bindings);
  struct world *world = world_new(in, NULL);
  brute_visit(&b, world);
  world_free(world);
  size_t count = b.traces.count;
  for (size_t i = 0; i < count; i++)
    mem_free(b.traces.data[i]);
  vector_clear(&b.traces);
  vector_clear(&b.steps);
  vector_clear(&b.records);
  mem_free(b.bindings);
  return count;
}

struct seen {
  struct interpreter *in;
  const struct bound *bound;
  size_t count, stop_at;
};

static bool see(const struct path *path, void *context) {
  struct seen *seen = context;
  struct replay replay;
  replay_init(&replay);
  replay_run(&replay, seen->in, seen->bound, path->steps.data, path->steps.count, NULL);
  assert_int_equal(replay.verdict, REPLAY_HAPPENED);
  replay_clear(&replay);
  return ++seen->count != seen->stop_at;
}

static size_t path_count(struct interpreter *in, const struct bound *bound, size_t depth_max,
                         enum explore_end end) {
  struct explore_limits limits = {.depth_max = depth_max};
  struct explored explored;
  explored_init(&explored);
  struct seen seen = {.in = in, .bound = bound};
  explore_paths(&explored, in, bound, &limits, see, &seen);
  assert_int_equal(explored.end, end);
  assert_int_equal(explored.paths, seen.count);
  explored_clear(&explored);
  return seen.count;
}

static void paths_of_primary_backup(void **state) {
  (void)state;
  static const size_t factorials[] = {1, 1, 2, 6, 24};
  for (int64_t n = 1; n <= 4; n++) {
    struct primary_backup p;
    primary_backup_build(&p, MISTAKE_NONE);
    struct bound *acked = acked_bound(&p);
    struct interpreter *in = interpreter_of(&p.model, n);
    assert_int_equal(path_count(in, p.reply, 0, EXPLORE_EXHAUSTED), factorials[n]);
    assert_int_equal(path_count(in, p.delivered, 0, EXPLORE_EXHAUSTED), factorials[n]);
    if (n < 4) {
      assert_int_equal(brute_count(in, p.reply, 32), factorials[n]);
      assert_int_equal(path_count(in, acked, 0, EXPLORE_EXHAUSTED), brute_count(in, acked, 32));
    }
    interpreter_free(in);
    models_free(&p.model);
  }
}

/* Backups tick once, before or after they answer: twice the executions for each backup. */
static void paths_with_noise(void **state) {
  (void)state;
  static const size_t expected[] = {0, 2, 8, 48};
  for (int64_t n = 1; n <= 2; n++) {
    struct primary_backup p;
    primary_backup_build(&p, MISTAKE_NONE);
    add_noise(&p.model, p.backup);
    struct bound *acked = acked_bound(&p);
    struct interpreter *in = interpreter_of(&p.model, n);
    assert_int_equal(path_count(in, p.reply, 0, EXPLORE_EXHAUSTED), expected[n]);
    assert_int_equal(brute_count(in, p.reply, 32), expected[n]);
    for (size_t depth = 1; depth <= 7; depth++) {
      size_t brute = brute_count(in, acked, depth);
      struct explore_limits limits = {.depth_max = depth};
      struct explored explored;
      explored_init(&explored);
      struct seen seen = {.in = in, .bound = acked};
      explore_paths(&explored, in, acked, &limits, see, &seen);
      if (seen.count != brute)
        fail_msg("n = %d, depth %zu: %zu paths, %zu by brute force", (int)n, depth, seen.count,
                 brute);
      explored_clear(&explored);
    }
    interpreter_free(in);
    models_free(&p.model);
  }
}

/* A guard about another node's message makes the order matter: Tick only before Ack(0) is sent. It
 * can be before or after each other step, so there are more executions than with private ticks. */
static void paths_of_readers(void **state) {
  (void)state;
  struct primary_backup p;
  primary_backup_build(&p, MISTAKE_NONE);
  struct action *tick = add_noise(&p.model, p.backup);
  const struct term *first = term(&p.model, TERM_FIRST, of_role(TYPE_NODE, p.backup), 0);
  const struct term *sent = about(&p.model, TERM_SENT, NULL, p.ack_message, first);
  const struct term *guards[] = {tick->guards[0],
                                 term(&p.model, TERM_NOT, plain(TYPE_BOOL), 1, sent)};
  tick->guards = guards;
  tick->guard_count = 2;
  struct interpreter *in = interpreter_of(&p.model, 2);
  assert_true(in->reads_others[tick->id]);
  assert_false(in->reads_others[0] || in->reads_others[1] || in->reads_others[2]);
  assert_true(path_count(in, p.reply, 0, EXPLORE_EXHAUSTED) > 8);
  interpreter_free(in);
  models_free(&p.model);
}

static void paths_of_ring(void **state) {
  (void)state;
  struct ring r;
  ring_build(&r);
  struct interpreter *in = interpreter_of(&r.model, 3);
  assert_int_equal(path_count(in, r.circle, 5, EXPLORE_LIMITED), 0);
  assert_int_equal(path_count(in, r.circle, 6, EXPLORE_LIMITED), 1);
  assert_int_equal(path_count(in, r.circle, 30, EXPLORE_LIMITED), 1);
  assert_int_equal(path_count(in, r.after_hops, 12, EXPLORE_LIMITED), 1);
  interpreter_free(in);
  models_free(&r.model);
}

/* A caller's stop ends the search; so do the limits. */
static void paths_stop(void **state) {
  (void)state;
  struct primary_backup p;
  primary_backup_build(&p, MISTAKE_NONE);
  struct interpreter *in = interpreter_of(&p.model, 4);
  struct explored explored;
  explored_init(&explored);
  struct seen seen = {.in = in, .bound = p.reply, .stop_at = 3};
  struct explore_limits limits = {.states_max = 0};
  explore_paths(&explored, in, p.reply, &limits, see, &seen);
  assert_int_equal(explored.end, EXPLORE_FOUND);
  assert_int_equal(seen.count, 3);
  explored_clear(&explored);
  explored_init(&explored);
  limits.states_max = 20;
  explore_paths(&explored, in, p.reply, &limits, see, &seen);
  assert_int_equal(explored.end, EXPLORE_LIMITED);
  explored_clear(&explored);
  interpreter_free(in);
  models_free(&p.model);
}

static void reach(struct explored *explored, struct interpreter *in, const struct bound *bound,
                  size_t depth_max) {
  struct explore_limits limits = {.depth_max = depth_max, .states_max = 100000};
  explored_init(explored);
  explore_reach(explored, in, bound, &limits);
  if (explored->end == EXPLORE_FOUND) {
    struct seen seen = {.in = in, .bound = bound};
    see(&explored->path, &seen);
  }
}

static void shortest_executions(void **state) {
  (void)state;
  for (int64_t n = 1; n <= 4; n++) {
    struct primary_backup p;
    primary_backup_build(&p, MISTAKE_NONE);
    struct interpreter *in = interpreter_of(&p.model, n);
    struct explored explored;
    reach(&explored, in, p.reply, 0);
    assert_int_equal(explored.end, EXPLORE_FOUND);
    assert_int_equal(explored.path.steps.count, 1 + 2 * n);
    assert_int_equal(explored.fault, STEP_TAKEN);
    explored_clear(&explored);
    reach(&explored, in, p.reply, (size_t)(2 * n));
    assert_int_equal(explored.end, EXPLORE_LIMITED);
    explored_clear(&explored);
    reach(&explored, in, NULL, 0);
    assert_int_equal(explored.end, EXPLORE_EXHAUSTED);
    size_t states = 1; /* the start, and each backup in one of three stages after it */
    for (int64_t i = 0; i < n; i++)
      states *= 3;
    assert_int_equal(explored.states, states + 1);
    explored_clear(&explored);
    interpreter_free(in);
    models_free(&p.model);
  }
  struct ring r;
  ring_build(&r);
  struct interpreter *in = interpreter_of(&r.model, 5);
  struct explored explored;
  reach(&explored, in, r.after_hops, 20);
  assert_int_equal(explored.end, EXPLORE_FOUND);
  assert_int_equal(explored.path.steps.count, 10);
  assert_int_equal(explored.path.binding.count, 1);
  assert_int_equal(explored.path.binding.data[0], 0);
  explored_clear(&explored);
  interpreter_free(in);
  models_free(&r.model);
}

static void faults(void **state) {
  (void)state;
  static const struct {
    enum mistake mistake;
    enum step_result fault;
    size_t steps;
  } cases[] = {{MISTAKE_SEND_TWICE, STEP_SENT_TWICE, 2},
               {MISTAKE_CHARGE_TWICE, STEP_CHARGED_TWICE, 2},
               {MISTAKE_ACK_COST, STEP_CHARGED_TWICE, 3}};
  for (size_t i = 0; i < 3; i++) {
    struct primary_backup p;
    primary_backup_build(&p, cases[i].mistake);
    struct interpreter *in = interpreter_of(&p.model, 2);
    struct explored explored;
    reach(&explored, in, p.reply, 0);
    assert_int_equal(explored.fault, cases[i].fault);
    assert_int_equal(explored.fault_path.steps.count, cases[i].steps);
    assert_int_equal(explored.end,
                     cases[i].mistake == MISTAKE_ACK_COST ? EXPLORE_EXHAUSTED : EXPLORE_FOUND);
    explored_clear(&explored);
    interpreter_free(in);
    models_free(&p.model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(paths_of_primary_backup),
                                     cmocka_unit_test(paths_with_noise),
                                     cmocka_unit_test(paths_of_ring),
                                     cmocka_unit_test(paths_of_readers),
                                     cmocka_unit_test(paths_stop),
                                     cmocka_unit_test(shortest_executions),
                                     cmocka_unit_test(faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
