/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conformance of single instances: verdicts, what is tolerated and counted, how times are told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/conform/conform.h"
#include "base/duration.h"
#include "tests/unit/solver/loaded.h"

/* Two nodes; a housekeeping step that no bound mentions; a step that reads its clock. */
#define PING                                                                                       \
  "role a\nrole b\ncomponent Ask, Answer, Tidy, Look\ndelay d\nmessage Q : a -> b\n"               \
  "state a { asked : bool = false }\nstate b { tidied : bool = false  seen : time = 0 }\n"         \
  "action a.Ask cost Ask { when not asked  asked := true  send Q }\n"                              \
  "action b.Tidy cost Tidy { when not tidied  tidied := true }\n"                                  \
  "action b.Look on Q reads t cost Look { when t >= 130 ns  seen := t }\n"                         \
  "bound there: delivered Q within Ask + d(Q)\n"

static const char standard[] = "protocol ping\n" PING;
static const char eager[] = "protocol ping\ntiming eager\n" PING;

struct fixture {
  struct loaded loaded;
  struct interpreter *interpreter;
  struct conform *conform;
  struct conform_event events[16];
  size_t count;
};

static void begin(struct fixture *f, const char *text, int64_t slack, bool timed) {
  loaded_init(&f->loaded, "ping", text);
  assert_non_null(f->loaded.model);
  struct text message;
  text_init(&message);
  f->interpreter = interpreter_new(f->loaded.model, NULL, &message);
  assert_non_null(f->interpreter);
  text_clear(&message);
  struct conform_settings settings = {.bounds = f->loaded.model->bounds.items,
                                      .bound_count = f->loaded.model->bounds.count,
                                      .timed = timed,
                                      .slack_ns = slack};
  f->conform = conform_new(f->interpreter, &settings);
  f->count = 0;
}

static void end(struct fixture *f) {
  conform_free(f->conform);
  interpreter_free(f->interpreter);
  loaded_clear(&f->loaded);
}

static struct conform_event *add(struct fixture *f, enum conform_kind kind, size_t role,
                                 int64_t from, int64_t to) {
  struct conform_event *event = &f->events[f->count];
  *event = (struct conform_event){.kind = (uint8_t)kind,
                                  .role = f->loaded.model->roles.items[role],
                                  .start = from,
                                  .end = to,
                                  .position = f->count++};
  return event;
}

static void add_step(struct fixture *f, size_t action, int64_t from, int64_t to) {
  const struct action *made = f->loaded.model->actions.items[action];
  add(f, CONFORM_STEP, made->role->id, from, to)->what.action = made;
}

static void add_message(struct fixture *f, int64_t sent, int64_t arrived) {
  const struct message *message = f->loaded.model->messages.items[0];
  add(f, CONFORM_SEND, 0, sent, sent)->what.message = message;
  add(f, CONFORM_ARRIVAL, 1, sent, arrived)->what.message = message;
}

enum { ASK, TIDY, LOOK };

/* Ask 1000 .. 1050, Q on its way to 1120, Look 1120 .. 1140. */
static void add_ping(struct fixture *f) {
  add_step(f, ASK, 1000, 1050);
  add_message(f, 1050, 1120);
  add_step(f, LOOK, 1120, 1140);
}

static enum conform_verdict judge(struct fixture *f) {
  return conform_instance(f->conform, f->events, f->count);
}

static void an_execution_fits(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, standard, 0, true);
  add_ping(&f);
  assert_int_equal(judge(&f), CONFORM_FITS);
  assert_int_equal(conform_origin(f.conform), 1000);
  assert_int_equal(conform_counts(f.conform)->steps, 2);
  assert_int_equal(conform_counts(f.conform)->messages, 1);
  assert_int_equal(conform_tightness(f.conform)[0].time_ns, 120);
  assert_int_equal(conform_tightness(f.conform)[0].limit_ns, 120);
  f.events[3].end = 1125; /* the clock cannot have shown 130 ns by then */
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  assert_ptr_equal(conform_culprit(f.conform), &f.events[3]);
  assert_string_equal(conform_reason(f.conform), "is not enabled");
  assert_int_equal(conform_counts(f.conform)->complete, 1);
  end(&f);
}

static void readings_are_taken_as_recorded(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, standard, 0, true);
  add_ping(&f);
  f.events[3].count = 1;
  f.events[3].arguments[0] = 10;
  assert_int_equal(judge(&f), CONFORM_FITS);
  f.events[3].arguments[0] = 9;
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  end(&f);
}

static void what_is_missing_is_told_from_what_is_wrong(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, standard, 0, true);
  add_ping(&f);
  add_step(&f, LOOK, 1140, 1160);
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  assert_string_equal(conform_reason(f.conform), "receives Q a second time");
  f.count = 1; /* Ask alone, without what it sends */
  assert_int_equal(judge(&f), CONFORM_LACKS);
  assert_string_equal(conform_reason(f.conform),
                      "sends Q in the protocol, but not in the recording");
  f.count = 2; /* sent, not arrived: nothing is wrong, but its bound says nothing */
  assert_int_equal(judge(&f), CONFORM_INCOMPLETE);
  end(&f);
}

static void slack_is_counted(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, standard, 5, true);
  add_ping(&f);
  f.events[3].start = 1124;
  assert_int_equal(judge(&f), CONFORM_FITS);
  assert_int_equal(conform_counts(f.conform)->tolerated, 1);
  assert_int_equal(conform_counts(f.conform)->tolerated_ns, 4);
  f.events[3].start = 1116;
  assert_int_equal(judge(&f), CONFORM_FITS);
  assert_int_equal(conform_counts(f.conform)->tolerated, 2);
  f.events[3].start = 1114;
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  end(&f);
}

/* Time before housekeeping is part of it, in the eager model too, where the model's step then comes
 * before others that started earlier; a step that a bound mentions has no such excuse. */
static void housekeeping_may_come_late(void **state) {
  (void)state;
  const char *texts[] = {standard, eager};
  for (size_t i = 0; i < 2; i++) {
    struct fixture f;
    begin(&f, texts[i], 0, true);
    add_ping(&f);
    add_step(&f, TIDY, 1060, 1100);
    assert_int_equal(judge(&f), CONFORM_FITS);
    assert_int_equal(conform_counts(f.conform)->counted_in, 1);
    assert_int_equal(conform_counts(f.conform)->counted_in_ns, 60);
    f.events[4].end = 1130; /* into Look */
    assert_int_equal(judge(&f), CONFORM_MISFIT);
    end(&f);
  }
}

static void without_times_order_is_that_of_messages(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, standard, 0, false);
  add_ping(&f);
  f.events[3].start = 7; /* of another clock */
  f.events[3].end = 9;
  assert_int_equal(judge(&f), CONFORM_FITS);
  add_step(&f, LOOK, 11, 12);
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  end(&f);
}

static void times_are_told_with_three_decimals(void **state) {
  (void)state;
  const struct {
    int64_t ns;
    const char *text;
  } cases[] = {{0, "0 ns"},
               {999, "999 ns"},
               {1000, "1.000 us"},
               {13249, "13.249 us"},
               {1000499, "1.000 ms"},
               {1000500, "1.001 ms"},
               {-2500000, "-2.500 ms"},
               {61000000000, "61.000 s"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct text text;
    text_init(&text);
    duration_print_nearest(&text, cases[i].ns);
    assert_string_equal(text_get(&text), cases[i].text);
    text_clear(&text);
  }
}

/* All of a recording is of one clock: that its rate is not known well excuses nothing. */
static void rates_excuse_nothing(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, standard, 0, true);
  conform_free(f.conform);
  struct conform_settings settings = {.bounds = f.loaded.model->bounds.items,
                                      .bound_count = f.loaded.model->bounds.count,
                                      .timed = true,
                                      .must_complete = true,
                                      .rate_ppb = 500000000};
  f.conform = conform_new(f.interpreter, &settings);
  add_ping(&f);
  struct conform_event *request = add(&f, CONFORM_REQUEST, 0, 1000, 1120);
  request->what.text = "ping";
  assert_int_equal(judge(&f), CONFORM_FITS);
  request->end = 1150;
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  assert_ptr_equal(conform_culprit(f.conform), request);
  request->end = 1100; /* before the event */
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  assert_ptr_equal(conform_culprit(f.conform), request);
  end(&f);
}

/* The first step is that of a timer. */
static void a_beginning_is_time_0(void **state) {
  (void)state;
  struct fixture f;
  begin(&f,
        "protocol late\nrole a\nexternal c\ncomponent Go\ndelay d\nmessage W : a -> c\n"
        "state a { said : bool = false }\n"
        "action a.Say on timer 100 ns cost Go { when not said  said := true  send W }\n"
        "bound out: delivered W within 100 ns + Go + d\n",
        0, true);
  add_step(&f, 0, 1100, 1110);
  add_message(&f, 1110, 1120);
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  struct conform_event *beginning = add(&f, CONFORM_BEGINNING, 0, 1000, 1000);
  assert_int_equal(judge(&f), CONFORM_FITS);
  assert_int_equal(conform_origin(f.conform), 1000);
  assert_int_equal(conform_tightness(f.conform)[0].time_ns, 120);
  beginning->start = beginning->end = 999;
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  beginning->start = beginning->end = 1001;
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  end(&f);
}

static void add_numbered(struct fixture *f, size_t message, int32_t k, int64_t sent,
                         int64_t arrived) {
  const struct message *made = f->loaded.model->messages.items[message];
  struct conform_event *send = add(f, CONFORM_SEND, made->sender->id, sent, sent);
  struct conform_event *arrival = add(f, CONFORM_ARRIVAL, made->receiver->id, sent, arrived);
  send->what.message = arrival->what.message = made;
  send->count = arrival->count = 1;
  send->arguments[0] = arrival->arguments[0] = k;
}

static struct conform_event *add_part(struct fixture *f, size_t cost, int64_t from, int64_t to) {
  struct conform_event *event = add(f, CONFORM_PART, 0, from, to);
  event->what.component = f->loaded.model->actions.items[0]->costs[cost]->component;
  return event;
}

/* Executions of repeated components have no names: they are those recorded in the step, one each,
 * in their order. One of no length at the very end of a step is not the next step's. */
static void executions_are_told_apart_by_their_records(void **state) {
  (void)state;
  struct fixture f;
  begin(&f,
        "protocol twice\nrole a\nexternal c\nrepeated Look, Copy\ndelay d\n"
        "message W(k: int) : a -> c\nstate a { n : int = 0 }\n"
        "action a.Say cost Look + Copy + Look { n := n + 1  send W(n) }\n"
        "bound out: delivered W(1) within 2*Look + Copy + d(W(1))\n",
        0, true);
  add_part(&f, 0, 1000, 1010);
  struct conform_event *copy = add_part(&f, 1, 1010, 1030);
  struct conform_event *last = add_part(&f, 2, 1030, 1060);
  add_step(&f, 0, 1000, 1060);
  assert_int_equal(judge(&f), CONFORM_LACKS); /* what it sends is not recorded */
  add_numbered(&f, 0, 1, 1060, 1070);
  assert_int_equal(judge(&f), CONFORM_FITS);
  assert_int_equal(conform_tightness(f.conform)[0].time_ns, 70);
  assert_int_equal(conform_tightness(f.conform)[0].limit_ns, 90); /* 30 is the longer Look */
  last->end = 1050;
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  last->start = last->end = 1060;
  copy->end = 1060;
  add_part(&f, 0, 1060, 1061);
  add_part(&f, 1, 1061, 1062);
  add_part(&f, 2, 1062, 1063);
  add_step(&f, 0, 1060, 1063);
  add_numbered(&f, 0, 2, 1063, 1070);
  assert_int_equal(judge(&f), CONFORM_FITS);
  copy->kind = CONFORM_BEGINNING; /* not recorded */
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  end(&f);
}

#define STREAM(STARTS)                                                                             \
  "protocol stream\nrole a\nrole b\nexternal c\ncomponent Ask[int], Look[int]\n"                   \
  "timeout Think\ndelay d\nmessage Q(k: int) : a -> b\nmessage R(k: int) : b -> c\n"               \
  "state a { asked : int = 0 }\n"                                                                  \
  "action a.Ask " STARTS " cost Ask[asked] { asked := asked + 1  send Q(asked) }\n"                \
  "action b.Look on Q(k) cost Look[k] { send R(k) }\n"                                             \
  "bound reply: from sent Q(k) delivered R(k) within "

/* A step of 10 ns that receives message `k`. */
static void add_step_on(struct fixture *f, size_t action, int32_t k, int64_t start) {
  add_step(f, action, start, start + 10);
  f->events[f->count - 1].count = 1;
  f->events[f->count - 1].arguments[0] = k;
}

/* Two requests; the second reply is slower. */
static void add_stream(struct fixture *f) {
  add_step(f, 0, 1000, 1010);
  add_numbered(f, 0, 1, 1010, 1020);
  add_step_on(f, 1, 1, 1020);
  add_numbered(f, 1, 1, 1030, 1040);
  add_step(f, 0, 2000, 2010);
  add_numbered(f, 0, 2, 2010, 2020);
  add_step_on(f, 1, 2, 2020);
  add_numbered(f, 1, 2, 2030, 2045);
}

static void check_stream(const char *fits, const char *too_small) {
  struct fixture f;
  begin(&f, fits, 0, true);
  add_stream(&f);
  assert_int_equal(judge(&f), CONFORM_FITS);
  assert_int_equal(conform_tightness(f.conform)[0].happened, 2);
  assert_int_equal(conform_tightness(f.conform)[0].time_ns, 30);
  assert_int_equal(conform_tightness(f.conform)[0].limit_ns, 30);
  end(&f);
  begin(&f, too_small, 0, true);
  add_stream(&f);
  assert_int_equal(judge(&f), CONFORM_MISFIT);
  assert_string_equal(
      conform_reason(f.conform),
      "brings about the event of bound reply for k = 2 35 ns after the sending of Q, "
      "and the recorded values allow 30 ns");
  end(&f);
}

static void bounds_count_from_each_request(void **state) {
  (void)state;
  check_stream(STREAM("on timeout Think") "d(Q(k)) + Look[k] + d(R(k))\n",
               STREAM("on timeout Think") "Look[k] + 2*d(Q(k))\n");
}

static void steps_at_any_time_are_never_late(void **state) {
  (void)state;
  check_stream(STREAM("at any time") "d(Q(k)) + Look[k] + d(R(k))\n",
               STREAM("at any time") "Look[k] + 2*d(Q(k))\n");
}

/* The requests of the stream are sent 1 us apart. */
static void arrivals_are_held_against_the_file(void **state) {
  (void)state;
  static const char *const fitting[] = {"1 us burst 1", "1001 ns jitter 1 ns", "2 us burst 2"};
  static const char *const misfits[] = {"1001 ns burst 1", "1002 ns jitter 1 ns"};
  for (size_t i = 0; i < 5; i++) {
    struct fixture f;
    struct text file;
    text_init(&file);
    text_format(&file,
                STREAM("on timeout Think") "d(Q(k)) + Look[k] + d(R(k))\narrivals Q every %s\n",
                i < 3 ? fitting[i] : misfits[i - 3]);
    begin(&f, text_get(&file), 0, true);
    text_clear(&file);
    add_stream(&f);
    assert_int_equal(judge(&f), i < 3 ? CONFORM_FITS : CONFORM_MISFIT);
    if (i >= 3)
      assert_string_equal(conform_reason(f.conform),
                          "sends a message sooner than its arrivals allow");
    end(&f);
  }
}

#define CHOOSING                                                                                   \
  "protocol choosing\nrole a\nrole b[3]\ncomponent Ask, Look[b]\ndelay d\n"                        \
  "message Q(x: b, k: int) : a -> b x\nstate a { tried : set of b = {} }\n"                        \
  "action a.Ask(x in b - tried, k in 1..4) at any time cost Ask { tried := b  send Q(x, k) }\n"    \
  "action b x.Look on Q(x, k) cost Look[x] { }\n"                                                  \
  "bound asked: delivered Q(last, 4) within Ask + d(Q(last, 4)) + 1 s\n"

static enum conform_verdict judge_choice(int32_t node, int32_t number, bool again) {
  struct fixture f;
  begin(&f, CHOOSING, 0, true);
  const struct message *q = f.loaded.model->messages.items[0];
  for (int64_t start = 1000; start <= (again ? 2000 : 1000); start += 1000) {
    add_step(&f, 0, start, start + 10);
    struct conform_event *step = &f.events[f.count - 1];
    step->count = 2;
    step->arguments[0] = node;
    step->arguments[1] = number;
  }
  struct conform_event *send = add(&f, CONFORM_SEND, q->sender->id, 1010, 1010);
  struct conform_event *arrival = add(&f, CONFORM_ARRIVAL, q->receiver->id, 1010, 1020);
  send->what.message = arrival->what.message = q;
  send->count = arrival->count = 2;
  send->arguments[0] = arrival->arguments[0] = arrival->node = node;
  send->arguments[1] = arrival->arguments[1] = number;
  enum conform_verdict verdict = judge(&f);
  end(&f);
  return verdict;
}

/* What a step chose is recorded with it, and must have been there to be chosen. */
static void choices_are_taken_as_recorded(void **state) {
  (void)state;
  assert_int_equal(judge_choice(2, 4, false), CONFORM_FITS);
  assert_int_equal(judge_choice(0, 1, false), CONFORM_INCOMPLETE); /* fits, and no event */
  assert_int_equal(judge_choice(2, 5, false), CONFORM_MISFIT);
  assert_int_equal(judge_choice(2, 0, false), CONFORM_MISFIT);
  assert_int_equal(judge_choice(1, 2, true), CONFORM_MISFIT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_execution_fits),
      cmocka_unit_test(rates_excuse_nothing),
      cmocka_unit_test(readings_are_taken_as_recorded),
      cmocka_unit_test(what_is_missing_is_told_from_what_is_wrong),
      cmocka_unit_test(slack_is_counted),
      cmocka_unit_test(housekeeping_may_come_late),
      cmocka_unit_test(without_times_order_is_that_of_messages),
      cmocka_unit_test(times_are_told_with_three_decimals),
      cmocka_unit_test(bounds_count_from_each_request),
      cmocka_unit_test(arrivals_are_held_against_the_file),
      cmocka_unit_test(steps_at_any_time_are_never_late),
      cmocka_unit_test(choices_are_taken_as_recorded),
      cmocka_unit_test(a_beginning_is_time_0),
      cmocka_unit_test(executions_are_told_apart_by_their_records),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
