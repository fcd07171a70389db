/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loop around steps: what it refuses, drops, keeps until a step can take it, and sends. Two
 * sources number items; a sink takes the items of all in the order of their numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "tp_loop.h"
#include "tp_packet.h"

enum { SOURCE, SINK, USER, ITEM = 0, DONE, MOST = 64 };

struct end {
  int32_t index, next, parameter;
  struct tp_message out; /* kind -1: nothing */
  /* what was sent, and what is to be received */
  int sent, got, given;
  int32_t to[MOST];
  uint8_t packets[MOST][TP_PACKET];
  uint8_t inbox[MOST][TP_PACKET + 1];
  size_t sizes[MOST];
  uint64_t arrivals[MOST]; /* 0: when it is received */
};

static void begin(void *node) {
  ((struct end *)node)->next = 0;
}

static bool valid(const void *node, const struct tp_message *m) {
  (void)node;
  return m->kind == DONE || (m->kind == ITEM && m->field[0] >= 0 && m->field[0] < 2);
}

static enum tp_verdict take(void *node, const struct tp_message *m, int64_t now,
                            struct tp_taken *taken) {
  (void)now;
  struct end *end = node;
  if (m->kind != ITEM || m->field[1] != end->next)
    return TP_DISABLED;
  end->next++;
  end->out = (struct tp_message){.kind = DONE};
  taken->action = 0;
  return TP_DONE;
}

static enum tp_verdict act(void *node, int64_t now, struct tp_taken *taken) {
  (void)now;
  struct end *end = node;
  if (end->next == MOST)
    return TP_RANGE;
  end->out = (struct tp_message){.kind = ITEM, .field = {end->index, end->next++}};
  taken->action = 0;
  return TP_DONE;
}

static void drain(const void *node, struct tp_loop *loop) {
  tp_loop_send(loop, &((const struct end *)node)->out, 0);
}

static int32_t count(const void *node, int32_t role) {
  (void)node;
  return role == SOURCE ? 2 : 1;
}

static uint64_t digest(const void *node) {
  return (uint64_t)((const struct end *)node)->parameter;
}

static const char *const roles[] = {"source", "sink", "user"};
static const struct tp_action acts[] = {{"source.Make", "Make"}}, takes[] = {{"sink.Take", "Take"}};
static const struct tp_kind kinds[] = {{.name = "Item",
                                        .delay = "d",
                                        .fields = 2,
                                        .sender = SOURCE,
                                        .receiver = SINK,
                                        .sender_field = 0,
                                        .receiver_field = -1,
                                        .taken = true},
                                       {.name = "Done",
                                        .delay = "d",
                                        .sender = SINK,
                                        .receiver = USER,
                                        .sender_field = -1,
                                        .receiver_field = -1}};

static const struct tp_role source_role = {.protocol = "test",
                                           .roles = roles,
                                           .role_count = 3,
                                           .role = SOURCE,
                                           .actions = acts,
                                           .kinds = kinds,
                                           .action_count = 1,
                                           .kind_count = 2,
                                           .begin = begin,
                                           .valid = valid,
                                           .take = take,
                                           .act = act,
                                           .drain = drain,
                                           .count = count,
                                           .digest = digest};
static const struct tp_role sink_role = {.protocol = "test",
                                         .roles = roles,
                                         .role_count = 3,
                                         .role = SINK,
                                         .actions = takes,
                                         .kinds = kinds,
                                         .action_count = 1,
                                         .kind_count = 2,
                                         .begin = begin,
                                         .valid = valid,
                                         .take = take,
                                         .drain = drain,
                                         .count = count,
                                         .digest = digest};

static bool send_packet(void *context, int32_t to, const uint8_t *bytes, size_t size) {
  struct end *end = context;
  assert_true(end->sent < MOST && size <= TP_PACKET);
  end->to[end->sent] = to;
  memcpy(end->packets[end->sent++], bytes, size);
  return true;
}

static int receive_packet(void *context, uint8_t *bytes, size_t size, uint64_t *arrived,
                          int64_t wait_ns) {
  struct end *end = context;
  (void)wait_ns;
  *arrived = 0;
  if (end->got == end->given)
    return 0;
  size_t length = end->sizes[end->got] < size ? end->sizes[end->got] : size;
  *arrived = end->arrivals[end->got];
  memcpy(bytes, end->inbox[end->got++], length);
  return (int)length;
}

static const struct tp_role user_role = {.protocol = "test",
                                         .roles = roles,
                                         .role_count = 3,
                                         .role = USER,
                                         .kinds = kinds,
                                         .kind_count = 2,
                                         .begin = begin,
                                         .valid = valid,
                                         .take = take,
                                         .count = count,
                                         .digest = digest};

static struct end sources[2], sink, user;
static struct tp_loop source_loops[2], sink_loop, user_loop;
static struct tp_port ports[4];

static void open_end(int i, struct tp_loop *loop, struct end *end, const struct tp_role *role) {
  memset(end, 0, sizeof *end);
  end->index = i;
  ports[i] = (struct tp_port){.context = end, .send = send_packet, .receive = receive_packet};
  assert_null(tp_loop_open(loop, role, end, i, 5, &ports[i], NULL));
  tp_loop_begin(loop, 1);
}

static int set_up(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++)
    open_end(i, &source_loops[i], &sources[i], &source_role);
  open_end(2, &sink_loop, &sink, &sink_role);
  open_end(3, &user_loop, &user, &user_role);
  return 0;
}

/* The next item of a source: its packet. */
static const uint8_t *item(int source) {
  assert_int_equal(tp_loop_turn(&source_loops[source], 0), TP_STEPPED);
  return sources[source].packets[sources[source].sent - 1];
}

static void give(const uint8_t *packet, size_t size) {
  memcpy(sink.inbox[sink.given], packet, size);
  sink.sizes[sink.given++] = size;
}

/* The sink's steps with what was given. */
static int steps(void) {
  int number = 0;
  while (tp_loop_turn(&sink_loop, 0) == TP_STEPPED)
    number++;
  sink.got = sink.given = 0;
  return number;
}

static void waits_until_enabled(void **state) {
  (void)state;
  const uint8_t *first = item(0), *second = item(0), *third = item(0);
  give(third, TP_PACKET);
  give(second, TP_PACKET);
  assert_int_equal(steps(), 0);
  assert_int_equal(sink_loop.waiting_count, 2);
  give(first, TP_PACKET);
  assert_int_equal(steps(), 3);
  assert_int_equal(sink.next, 3);
  assert_int_equal(sink.sent, 3); /* to the user, node number 3 */
  assert_int_equal(sink.to[2], 3);
  assert_int_equal(sink_loop.counts.refused, 0);
}

static void takes_once(void **state) {
  (void)state;
  const uint8_t *first = item(0);
  for (int i = 0; i < 3; i++)
    give(first, TP_PACKET);
  assert_int_equal(steps(), 1);
  assert_int_equal(sink_loop.counts.repeated, 2);
  /* the source is killed and comes back: its numbers begin again */
  open_end(0, &source_loops[0], &sources[0], &source_role);
  give(item(0), TP_PACKET);
  assert_int_equal(steps(), 0);
  assert_int_equal(sink_loop.counts.repeated, 3);
}

static void is_in_one_instance(void **state) {
  (void)state;
  const uint8_t *early = item(1);
  give(item(0), TP_PACKET);
  assert_int_equal(steps(), 1);
  tp_loop_begin(&source_loops[0], 2);
  give(item(0), TP_PACKET);
  assert_int_equal(steps(), 1); /* in the initial state: number 0 again */
  assert_int_equal(sink_loop.instance, 2);
  give(early, TP_PACKET);
  assert_int_equal(steps(), 0);
  assert_int_equal(sink_loop.counts.late, 1);
}

static void refuses_strangers(void **state) {
  (void)state;
  uint8_t packet[TP_PACKET + 1] = {0};
  memcpy(packet, item(0), TP_PACKET);
  give(packet, TP_PACKET - 1);
  give(packet, TP_PACKET + 1);
  give(packet, 1);
  /* from the other source, whose field says otherwise; from the sink; to a source */
  static const uint8_t wrong[][3] = {{16, 1, 0}, {16, 2, 0}, {18, 1, 2}};
  for (size_t i = 0; i < 3; i++) {
    packet[wrong[i][0]] = wrong[i][1];
    tp_packet_send(&source_loops[0], 2, packet, TP_PACKET);
    give(packet, TP_PACKET);
    packet[wrong[i][0]] = wrong[i][2];
  }
  assert_int_equal(steps(), 0);
  assert_int_equal(sink_loop.counts.refused, 6);
  open_end(0, &source_loops[0], &sources[0], &source_role);
  sources[0].parameter = 1; /* of other parameters */
  assert_null(tp_loop_open(&source_loops[0], &source_role, &sources[0], 0, 5, &ports[0], NULL));
  tp_loop_begin(&source_loops[0], 1);
  give(item(0), TP_PACKET);
  assert_int_equal(steps(), 0);
  assert_int_equal(sink_loop.counts.refused, 7);
}

/* Any bit of a packet changed. */
static void refuses_changed_packets(void **state) {
  (void)state;
  uint8_t packet[TP_PACKET];
  for (size_t at = 0; at < TP_PACKET; at++) {
    set_up(state);
    memcpy(packet, item(0), TP_PACKET);
    packet[at] ^= (uint8_t)(1 << at % 8);
    give(packet, TP_PACKET);
    assert_int_equal(steps(), 0);
    assert_int_equal(sink_loop.counts.refused, 1);
  }
}

/* A message that no action takes, to an external: once. */
static void delivers(void **state) {
  (void)state;
  give(item(0), TP_PACKET);
  assert_int_equal(steps(), 1);
  for (int i = 0; i < 2; i++) {
    memcpy(user.inbox[i], sink.packets[0], TP_PACKET);
    user.sizes[i] = TP_PACKET;
    user.given++;
  }
  assert_int_equal(tp_loop_turn(&user_loop, 0), TP_DELIVERED);
  assert_int_equal(user_loop.last.action, -1);
  assert_int_equal(tp_loop_turn(&user_loop, 0), TP_IDLE);
  assert_int_equal(user_loop.counts.delivered, 1);
  assert_int_equal(user_loop.counts.repeated, 1);
}

/* --- what the program decides */

static bool let_go;

static bool ready(void *context, uint64_t *since) {
  (void)context;
  *since = 77;
  return let_go;
}

static void holds_own_steps_back(void **state) {
  (void)state;
  ports[0].ready = ready;
  let_go = false;
  tp_loop_begin_at(&source_loops[0], 3, 50);
  assert_int_equal(tp_loop_turn(&source_loops[0], 0), TP_IDLE);
  assert_int_equal(sources[0].sent, 0);
  let_go = true;
  assert_int_equal(tp_loop_turn(&source_loops[0], 0), TP_STEPPED);
  assert_int_equal(source_loops[0].instance, 3);
  assert_int_equal(source_loops[0].last.start, 77);
  assert_int_equal(sources[0].sent, 1);
}

/* --- a timer */

enum { DUE = 500000 }; /* ns since the beginning */

static int fired_at; /* after so many items; -1: not yet */

static enum tp_verdict fire(void *node, int64_t now, struct tp_taken *taken) {
  if (now < DUE || fired_at >= 0)
    return TP_DISABLED;
  fired_at = ((struct end *)node)->next;
  taken->action = 0;
  return TP_DONE;
}

static int64_t due(const void *node) {
  (void)node;
  return fired_at < 0 ? DUE : INT64_MAX;
}

/* The item comes when the timer has passed, whenever the loop looked before. */
static int receive_late(void *context, uint8_t *bytes, size_t size, uint64_t *arrived,
                        int64_t wait_ns) {
  for (uint64_t start = tailproof_now(NULL); tailproof_now(NULL) - start < 2 * DUE;)
    ;
  return receive_packet(context, bytes, size, arrived, wait_ns);
}

static void takes_timers_in_turn(void **state) {
  (void)state;
  struct tp_role role = sink_role;
  struct tp_port port = {.context = &sink, .send = send_packet, .receive = receive_late};
  role.act = fire;
  role.due = due;
  role.timed = true;
  fired_at = -1;
  give(item(0), TP_PACKET);
  assert_null(tp_loop_open(&sink_loop, &role, &sink, 2, 5, &port, NULL));
  tp_loop_begin_at(&sink_loop, 1, tailproof_now(NULL));
  assert_int_equal(tp_loop_turn(&sink_loop, 10 * DUE), TP_STEPPED);
  assert_int_equal(fired_at, 0);
  assert_int_equal(sink.next, 0);
  assert_true(sink_loop.last.start == sink_loop.began + DUE); /* not when it woke up */
  assert_int_equal(tp_loop_turn(&sink_loop, 10 * DUE), TP_STEPPED);
  assert_int_equal(sink.next, 1);
  assert_true(sink_loop.last.start >= sink_loop.began + DUE);
}

/* A sink that rests for an hour, then does something for nothing. The tests begin hours ago, and
 * the clock has no time before the machine began: then this hour is shorter. */
static int64_t hour;

static void set_hour(void) {
  const int64_t most = (int64_t)tailproof_now(NULL) / 16 * 2;
  hour = most < 3600000000000 ? most : 3600000000000;
}

static const struct tp_action cheap[] = {{"sink.Take", NULL}, {"sink.Rise", NULL}};
static int64_t risen_at;
static bool tired;

static int64_t rests(const void *node, int64_t free) {
  (void)node;
  return tired ? free + hour : INT64_MAX;
}

static enum tp_verdict wake(void *node, int64_t free, int64_t now, struct tp_taken *taken) {
  if (!tired || now < free + hour)
    return TP_DISABLED;
  risen_at = now;
  ((struct end *)node)->out = (struct tp_message){.kind = DONE};
  taken->action = 1;
  return TP_DONE;
}

/* The sink rests for an hour. */
static void open_resting(void) {
  static struct tp_role role;
  set_hour();
  role = sink_role;
  role.actions = cheap;
  role.action_count = 2;
  role.rests = rests;
  role.wake = wake;
  role.timed = true;
  open_end(2, &sink_loop, &sink, &role);
}

/* Two hours and a half ago it began; messages came after half an hour and after two hours. */
static void rests_in_turn(void **state) {
  (void)state;
  open_resting();
  const uint64_t began = sink_loop.began - (uint64_t)(5 * hour / 2);
  tp_loop_begin_at(&sink_loop, 1, began);
  tired = true;
  give(item(0), TP_PACKET);
  give(item(0), TP_PACKET);
  sink.arrivals[0] = began + (uint64_t)hour / 2;
  sink.arrivals[1] = began + (uint64_t)hour * 2;
  assert_int_equal(tp_loop_turn(&sink_loop, 0), TP_STEPPED); /* though nothing had been read */
  assert_int_equal(sink_loop.last.action, 0);
  assert_true(sink_loop.last.start == began + (uint64_t)hour / 2);
  assert_int_equal(tp_loop_turn(&sink_loop, 0), TP_STEPPED); /* an hour after that step */
  assert_int_equal(sink_loop.last.action, 1);
  assert_int_equal(risen_at, hour / 2 + hour);
  assert_true(sink_loop.last.start == began + (uint64_t)(hour / 2 + hour));
  assert_int_equal(tp_loop_turn(&sink_loop, 0), TP_STEPPED);
  assert_int_equal(sink_loop.last.action, 0);
  assert_true(sink_loop.last.start == began + (uint64_t)hour * 2);
  assert_int_equal(tp_loop_turn(&sink_loop, 0), TP_IDLE); /* half an hour is left */
}

static uint64_t let_since;

static bool is_let_since(void *context, uint64_t *since) {
  (void)context;
  *since = let_since;
  return let_since != 0;
}

/* A program holds such a step back: messages are taken meanwhile, and it starts when it is let go.
 */
static void rests_as_long_as_the_program_says(void **state) {
  (void)state;
  open_resting();
  ports[2].ready = is_let_since;
  const uint64_t began = sink_loop.began - (uint64_t)(5 * hour);
  tp_loop_begin_at(&sink_loop, 1, began);
  tired = true;
  let_since = 0;
  assert_int_equal(tp_loop_turn(&sink_loop, 0), TP_IDLE);
  give(item(0), TP_PACKET);
  sink.arrivals[0] = began + (uint64_t)hour * 2;
  assert_int_equal(tp_loop_turn(&sink_loop, 0), TP_STEPPED);
  assert_int_equal(sink_loop.last.action, 0);
  let_since = began + (uint64_t)hour * 4;
  assert_int_equal(tp_loop_turn(&sink_loop, 0), TP_STEPPED);
  assert_int_equal(sink_loop.last.action, 1);
  assert_int_equal(risen_at, 4 * hour);
}

/* So much of a time, so often, that no number is too large. */
static void limits_are_no_longer_than_a_time(void **state) {
  (void)state;
  assert_int_equal(tp_product(0, 7), 0);
  assert_int_equal(tp_product(3, 7), 21);
  assert_int_equal(tp_product(INT32_MAX, INT64_C(1) << 40), TP_TIME_MAX);
  assert_int_equal(tp_product(1, TP_TIME_MAX), TP_TIME_MAX);
}

static void says_what_does_not_fit(void **state) {
  (void)state;
  for (int i = 0; i < MOST; i++)
    item(0);
  assert_int_equal(tp_loop_turn(&source_loops[0], 0), TP_STUCK);
}

static void numbers_nodes(void **state) {
  (void)state;
  assert_int_equal(tp_loop_number(&sink_role, &sink, SOURCE, 1), 1);
  assert_int_equal(tp_loop_number(&sink_role, &sink, SOURCE, 2), -1);
  assert_int_equal(tp_loop_number(&sink_role, &sink, SINK, 0), 2);
  assert_int_equal(tp_loop_number(&sink_role, &sink, USER, 0), 3);
  assert_int_equal(tp_loop_number(&sink_role, &sink, 3, 0), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(waits_until_enabled, set_up),
      cmocka_unit_test_setup(takes_once, set_up),
      cmocka_unit_test_setup(is_in_one_instance, set_up),
      cmocka_unit_test_setup(refuses_strangers, set_up),
      cmocka_unit_test_setup(refuses_changed_packets, set_up),
      cmocka_unit_test_setup(delivers, set_up),
      cmocka_unit_test_setup(holds_own_steps_back, set_up),
      cmocka_unit_test_setup(takes_timers_in_turn, set_up),
      cmocka_unit_test_setup(rests_in_turn, set_up),
      cmocka_unit_test_setup(rests_as_long_as_the_program_says, set_up),
      cmocka_unit_test(limits_are_no_longer_than_a_time),
      cmocka_unit_test_setup(says_what_does_not_fit, set_up),
      cmocka_unit_test_setup(numbers_nodes, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
