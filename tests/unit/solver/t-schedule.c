/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Searches through protocols whose nodes loop for ever: idle steps do not drown them, clocks that
 * force laps are waited for, and what is irrelevant comes last.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/search/attack.h"
#include "solver/search/hunt.h"
#include "solver/search/letter.h"
#include "solver/search/relevance.h"
#include "solver/tell/timeline.h"
#include "solver/search/witness.h"
#include "tests/unit/solver/loaded.h"

struct bench {
  struct loaded loaded;
  struct interpreter *in;
  const struct bound *bound; /* the first */
};

static void bench_init(struct bench *b, const char *text, int64_t param) {
  loaded_init(&b->loaded, "schedule", text);
  assert_non_null(b->loaded.model);
  struct text message;
  text_init(&message);
  b->in = interpreter_new(b->loaded.model, &param, &message);
  text_clear(&message);
  assert_non_null(b->in);
  b->bound = b->loaded.model->bounds.items[0];
}

static void bench_clear(struct bench *b) {
  interpreter_free(b->in);
  loaded_clear(&b->loaded);
}

static bool has_times(const struct bench *b, const struct path *path) {
  struct values values;
  struct replay replay;
  values_init(&values, b->loaded.model);
  replay_init(&replay);
  bool found = attack_path(&values, &replay, b->in, b->bound, path, ATTACK_HAPPEN, NULL);
  replay_clear(&replay);
  values_clear(&values);
  return found;
}

/* One command through a quorum, every replica in a strict loop of ten slots. */
static const char paxos[] =
    "protocol paxos\nparam f : int >= 1\nrole replica[2*f + 1]\nrole user\nexternal client\n"
    "component Ask\ntimeout T\ndelay d\nqueueing Q\n"
    "message Request : user -> replica\nmessage Propose(r: replica) : replica -> replica r\n"
    "message Accept(r: replica) : replica r -> replica\nmessage Reply : replica -> client\n"
    "schedule replica = [S0, S1, S2, S3, S4, S5, S6, S7, S8, S9] timeout T\n"
    "state user { asked : bool = false }\n"
    "state replica { queued : bool = false  proposed : bool = false  acked : set of replica = {}\n"
    "  known : bool = false  done : bool = false }\n"
    "action user.Start cost Ask { when not asked  asked := true  send Request to first(replica) }\n"
    "action replica r.OnRequest in S0 on Request { queued := true }\n"
    "action replica r.OnPropose in S0 on Propose(r) { send Accept(r) to first(replica) }\n"
    "action replica r.OnAccept in S0 on Accept(x) { acked := acked + {x} }\n"
    "action replica r.Propose in S3 { when queued and not proposed  proposed := true\n"
    "  send Propose(y) for all y in replica }\n"
    "action replica r.Decide in S5 { when |acked| >= f + 1 and not known and not done\n"
    "  known := true }\n"
    "action replica r.Execute in S6 { when known  known := false  done := true  send Reply }\n"
    "bound reply: sent Reply within 1 ms\n";

static void idle_steps_do_not_drown_the_search(void **state) {
  (void)state;
  static const size_t steps[] = {0, 30, 41}, most[] = {0, 100, 1000};
  for (int64_t f = 1; f <= 2; f++) {
    struct bench b;
    bench_init(&b, paxos, f);
    struct explored explored;
    explored_init(&explored);
    struct explore_limits limits = {.states_max = most[f]};
    explore_reach(&explored, b.in, b.bound, &limits);
    assert_int_equal(explored.end, EXPLORE_FOUND);
    assert_int_equal(explored.path.steps.count, steps[f]);
    assert_true(has_times(&b, &explored.path));
    explored_clear(&explored);
    bench_clear(&b);
  }
}

static void loops_without_the_event_are_exhausted(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol loop\nparam n : int >= 1\nrole p[n]\nexternal e\ndelay d\n"
             "message Never(x: p) : p x -> e\nstate p { flag : bool = false }\n"
             "schedule p = [A, B, C]\n"
             "action p x.On in A { when not flag  flag := true }\n"
             "action p x.Off in C { when flag and slot == 1  send Never(x) }\n"
             "bound never: sent Never(first(p)) within 1 ms\n",
             3);
  struct explored explored;
  explored_init(&explored);
  struct explore_limits limits = {.states_max = 100000};
  explore_reach(&explored, b.in, b.bound, &limits);
  assert_int_equal(explored.end, EXPLORE_EXHAUSTED);
  assert_int_equal(explored.states, 8); /* each of three before and after On */
  explored_clear(&explored);
  bench_clear(&b);
}

/* The alarm is due at 5 ms and a lap takes at most 2. */
static const char watch[] =
    "protocol watch\nparam n : int >= 1\nrole p[n]\nexternal e\ndelay d\n"
    "message Alarm(x: p) : p x -> e\nstate p { done : bool = false }\nschedule p = [A, B]\n"
    "assume A <= 1 ms and B <= 1 ms\n"
    "action p x.Ring in B reads t { when t >= 5 ms and not done  done := true  send Alarm(x) }\n"
    "bound alarm: sent Alarm(first(p)) within 6 ms\n";

struct tried {
  const struct bench *bench;
  size_t paths, steps; /* tried; of the first with times */
};

static bool try_times(const struct path *path, void *context) {
  struct tried *tried = context;
  tried->paths++;
  if (!has_times(tried->bench, path))
    return true;
  tried->steps = path->steps.count;
  return false;
}

static void laps_are_taken_when_a_clock_asks_for_them(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b, watch, 2);
  struct explored explored;
  explored_init(&explored);
  struct explore_limits limits = {.states_max = 100000};
  explore_reach(&explored, b.in, b.bound, &limits);
  assert_int_equal(explored.end, EXPLORE_FOUND);
  assert_int_equal(explored.path.steps.count, 2);
  assert_false(has_times(&b, &explored.path));
  explored_clear(&explored);
  explored_init(&explored);
  struct tried tried = {.bench = &b};
  explore_paths(&explored, b.in, b.bound, &limits, try_times, &tried);
  assert_int_equal(explored.end, EXPLORE_FOUND);
  assert_int_equal(tried.steps, 6);
  assert_int_equal(tried.paths, 3); /* with no lap, one, two */
  explored_clear(&explored);
  bench_clear(&b);
}

static void witnesses_by_chance_are_shortened(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b, watch, 2);
  struct values values;
  struct replay replay;
  struct path path;
  values_init(&values, b.loaded.model);
  replay_init(&replay);
  path_init(&path);
  struct hunt_options options = {.seed = 7, .runs = 5000, .steps_max = 200};
  size_t work = 0;
  assert_true(witness_find(&values, &replay, &path, b.in, b.bound, &options, &work));
  assert_true(work > 0);
  assert_true(replay.verdict == REPLAY_WITHIN || replay.verdict == REPLAY_EXCEEDED);
  assert_true(path.steps.count >= 6);
  for (size_t i = 0; i < path.steps.count; i++)
    assert_int_equal(path.steps.data[i].node, 0);
  struct valuation valuation = values_valuation(&values);
  struct timeline *timeline = timeline_new(b.loaded.model, &replay, &valuation);
  bool idle = false, reads = false;
  for (size_t i = 0; i < timeline->rows.count; i++) {
    const struct timeline_row *row = &timeline->rows.data[i];
    idle |= strncmp(row->step, "idle, ", strlen("idle, ")) == 0;
    reads |= strstr(row->what, "reads ") != NULL;
    assert_null(strstr(row->what, "slot :="));
  }
  assert_true(idle && reads);
  assert_true(timeline->rows.count < path.steps.count);
  timeline_free(timeline);
  path_clear(&path);
  replay_clear(&replay);
  values_clear(&values);
  bench_clear(&b);
}

/* A bound without an expression has events all the same, and nothing to compare them with. */
static void bounds_asked_for(void **state) {
  (void)state;
  char text[sizeof watch];
  memcpy(text, watch, sizeof watch);
  memcpy(strstr(text, "6 ms"), "?   ", 4);
  struct bench b;
  bench_init(&b, text, 1);
  assert_null(b.bound->expression);
  struct hunt hunt;
  hunt_init(&hunt, b.in);
  struct hunt_options options = {.seed = 3, .runs = 5000, .steps_max = 200};
  hunt_event(&hunt, b.in, b.bound, &options);
  assert_int_equal(hunt.verdict, HUNT_HAPPENED);
  assert_int_equal(hunt.replay.verdict, REPLAY_WITHIN);
  hunt_clear(&hunt);
  hunt_init(&hunt, b.in);
  options.runs = 20;
  hunt_random(&hunt, b.in, NULL, &options);
  assert_int_equal(hunt.verdict, HUNT_NOTHING);
  assert_int_equal(hunt.events, 0);
  hunt_clear(&hunt);
  bench_clear(&b);
}

static void letters_end_with_what_is_not_idle(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b, paxos, 1);
  struct world *world = world_new(b.in, NULL);
  struct letters letters = {.cut = false};
  letters_list(&letters, world, 0, true, NULL);
  assert_int_equal(letters.items.count, 1); /* nobody but the user has anything to do */
  assert_int_equal(letters.items.data[0].count, 1);
  assert_true(letters.cut);
  assert_int_equal(step_take(world, &letters.steps.data[0], NULL, NULL), STEP_TAKEN);
  letters_clear(&letters);
  letters = (struct letters){.cut = false};
  letters_list(&letters, world, 1, true, NULL);
  assert_int_equal(letters.items.count, 2); /* the request at once, or a lap later */
  assert_int_equal(letters.items.data[0].count, 1);
  assert_int_equal(letters.items.data[1].count, 11);
  assert_int_equal(letters.items.data[1].laps, 1);
  letters_clear(&letters);
  world_free(world);
  bench_clear(&b);
}

static void relevance_goes_backward(void **state) {
  (void)state;
  struct bench b;
  bench_init(&b,
             "protocol r\nparam n : int >= 1\nrole p\nrole q\nexternal e\ncomponent C\n"
             "repeated D\ndelay d\nmessage A : p -> q\nmessage B(k: int) : p -> q\n"
             "message R : q -> e\nstate p { k : int = 0 }\n"
             "state q { got : bool = false  beats : int = 0 }\n"
             "action p.Start cost C { when k == 0  k := 1  send A }\n"
             "action p.Beat cost D { when k > 0  send B(k) }\n"
             "action q.OnA on A cost D { got := true }\n"
             "action q.OnB on B(k) cost D { beats := beats + 1 }\n"
             "action q.Finish cost D { when got  got := false  send R }\n"
             "bound r: sent R within 1 ms\n",
             1);
  static const bool expected[] = {true, false, true, false, true};
  bool relevant[5];
  relevance(relevant, b.loaded.model, b.bound);
  assert_memory_equal(relevant, expected, sizeof expected);
  relevance(relevant, b.loaded.model, NULL);
  for (size_t i = 0; i < 5; i++)
    assert_true(relevant[i]);
  bench_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(idle_steps_do_not_drown_the_search),
                                     cmocka_unit_test(loops_without_the_event_are_exhausted),
                                     cmocka_unit_test(laps_are_taken_when_a_clock_asks_for_them),
                                     cmocka_unit_test(witnesses_by_chance_are_shortened),
                                     cmocka_unit_test(bounds_asked_for),
                                     cmocka_unit_test(letters_end_with_what_is_not_idle),
                                     cmocka_unit_test(relevance_goes_backward)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
