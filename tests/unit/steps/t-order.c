/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In which order a loop takes messages: FIFO channels of two sources, one of which may lose
 * messages, and priorities.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tp_loop.h"
#include "tp_order.h"

enum { SOURCE, SINK, PLAIN = 0, QUEUED, ALSO_QUEUED, URGENT, KINDS, MOST = 128 };

struct end {
  struct tp_message next; /* what a source sends */
  uint8_t packet[TP_PACKET];
  /* what the sink is to receive, has taken, and does not take now */
  int given, got, taken_count;
  uint8_t inbox[MOST][TP_PACKET];
  int32_t taken[MOST];
  bool closed[KINDS];
};

static void begin(void *node) {
  (void)node;
}

static bool valid(const void *node, const struct tp_message *m) {
  (void)node, (void)m;
  return true;
}

static enum tp_verdict take(void *node, const struct tp_message *m, int64_t now,
                            struct tp_taken *taken) {
  (void)now;
  struct end *end = node;
  if (end->closed[m->kind])
    return TP_DISABLED;
  taken->action = 0;
  end->taken[end->taken_count++] = m->field[0];
  return TP_DONE;
}

static enum tp_verdict act(void *node, int64_t now, struct tp_taken *taken) {
  (void)node, (void)now;
  taken->action = 0;
  return TP_DONE;
}

static void drain(const void *node, struct tp_loop *loop) {
  tp_loop_send(loop, &((const struct end *)node)->next, 0);
}

static int32_t count(const void *node, int32_t role) {
  (void)node;
  return role == SOURCE ? 2 : 1;
}

static uint64_t digest(const void *node) {
  (void)node;
  return 0;
}

static const char *const roles[] = {"source", "sink"};
static const struct tp_action actions[] = {{"Act", "Act"}};

/* Those of a protocol whose FIFO messages may be lost, or not. */
#define KIND(n)                                                                                    \
  .name = (n), .delay = "d", .fields = 1, .sender = SOURCE, .receiver = SINK, .sender_field = -1,  \
  .receiver_field = -1, .taken = true
#define TABLE(loses)                                                                               \
  {                                                                                                \
    [PLAIN] = {KIND("Plain")}, [QUEUED] = {KIND("Queued"), .fifo = true, .lossy = (loses)},        \
    [ALSO_QUEUED] = {KIND("AlsoQueued"), .fifo = true, .lossy = (loses), .priority = 1},           \
    [URGENT] = {                                                                                   \
      KIND("Urgent"),                                                                              \
      .priority = 1                                                                                \
    }                                                                                              \
  }
static const struct tp_kind kinds[] = TABLE(false), lossy_kinds[] = TABLE(true);
#define ROLE                                                                                       \
  .protocol = "test", .roles = roles, .role_count = 2, .actions = actions, .action_count = 1,      \
  .kind_count = KINDS, .begin = begin, .valid = valid, .take = take, .count = count,               \
  .digest = digest
static const struct tp_role source_role = {ROLE, .role = SOURCE, .kinds = kinds, .act = act,
                                           .drain = drain};
static const struct tp_role sink_role = {ROLE, .role = SINK, .kinds = kinds};
static const struct tp_role lossy_role = {ROLE, .role = SINK, .kinds = lossy_kinds};
static const struct tp_role urgent_role = {ROLE, .role = SINK, .kinds = kinds, .priorities = 1};

static bool send_packet(void *context, int32_t to, const uint8_t *bytes, size_t size) {
  struct end *end = context;
  assert_int_equal(to, 2);
  assert_int_equal(size, TP_PACKET);
  memcpy(end->packet, bytes, size);
  return true;
}

static int receive_packet(void *context, uint8_t *bytes, size_t size, uint64_t *arrived,
                          int64_t wait_ns) {
  struct end *end = context;
  (void)wait_ns, (void)size;
  *arrived = 0;
  if (end->got == end->given)
    return 0;
  memcpy(bytes, end->inbox[end->got++], TP_PACKET);
  return TP_PACKET;
}

static struct end sources[2], sink;
static struct tp_loop source_loops[2], sink_loop;
static struct tp_port ports[3];

static void open_end(int i, struct tp_loop *loop, struct end *end, const struct tp_role *role) {
  memset(end, 0, sizeof *end);
  ports[i] = (struct tp_port){.context = end, .send = send_packet, .receive = receive_packet};
  assert_null(tp_loop_open(loop, role, end, i, 5, &ports[i], NULL));
  tp_loop_begin(loop, 1);
}

static void open_all(const struct tp_role *role) {
  for (int i = 0; i < 2; i++)
    open_end(i, &source_loops[i], &sources[i], &source_role);
  open_end(2, &sink_loop, &sink, role);
}

struct sent {
  uint8_t packet[TP_PACKET];
};

/* A source sends a message with this number. */
static struct sent sends(int source, int32_t kind, int32_t number) {
  struct sent sent;
  sources[source].next = (struct tp_message){.kind = kind, .field = {number}};
  assert_int_equal(tp_loop_turn(&source_loops[source], 0), TP_STEPPED);
  memcpy(sent.packet, sources[source].packet, TP_PACKET);
  return sent;
}

/* It comes to the sink. */
static void comes(struct sent sent) {
  memcpy(sink.inbox[sink.given++], sent.packet, TP_PACKET);
}

/* The numbers of all that the sink has taken by now, as the digits of one. */
static int taken(void) {
  int digits = 0;
  while (tp_loop_turn(&sink_loop, 0) == TP_STEPPED)
    continue;
  for (int i = 0; i < sink.taken_count; i++)
    digits = 10 * digits + sink.taken[i];
  return digits;
}

static void keeps_the_order_of_a_channel(void **state) {
  (void)state;
  open_all(&sink_role);
  struct sent first = sends(0, QUEUED, 1), second = sends(0, ALSO_QUEUED, 2),
              plain = sends(0, PLAIN, 3), third = sends(0, QUEUED, 4);
  comes(third);
  comes(second);
  assert_int_equal(taken(), 0);
  comes(sends(1, QUEUED, 5)); /* of another channel */
  comes(plain);               /* of none */
  assert_int_equal(taken(), 53);
  comes(first);
  assert_int_equal(taken(), 53124);
  assert_int_equal(sink_loop.waiting_count, 0);
}

static void waits_for_what_no_action_takes_yet(void **state) {
  (void)state;
  open_all(&sink_role);
  sink.closed[QUEUED] = true;
  comes(sends(0, QUEUED, 1));
  comes(sends(0, ALSO_QUEUED, 2));
  assert_int_equal(taken(), 0);
  sink.closed[QUEUED] = false;
  comes(sends(0, PLAIN, 3));
  assert_int_equal(taken(), 123);
}

static void takes_nothing_behind_a_loss(void **state) {
  (void)state;
  open_all(&sink_role);
  comes(sends(0, QUEUED, 1));
  (void)sends(0, QUEUED, 2);
  comes(sends(0, QUEUED, 3));
  assert_int_equal(taken(), 1);
  tp_loop_begin(&source_loops[0], 2); /* another instance is another channel */
  comes(sends(0, QUEUED, 4));
  assert_int_equal(taken(), 14);
}

static void drops_what_counts_as_lost(void **state) {
  (void)state;
  open_all(&lossy_role);
  struct sent first = sends(0, QUEUED, 1), second = sends(0, QUEUED, 2),
              third = sends(0, QUEUED, 3);
  sink.closed[QUEUED] = true;
  comes(first);
  assert_int_equal(taken(), 0);
  comes(sends(0, ALSO_QUEUED, 4)); /* second and third are missing; the first is there */
  assert_int_equal(taken(), 0);
  sink.closed[QUEUED] = false;
  comes(third);
  assert_int_equal(taken(), 134);
  comes(second);
  assert_int_equal(taken(), 134);
  assert_int_equal(sink_loop.counts.late, 1);
}

/* What waits of another source, or on no channel, holds nothing. */
static void holds_its_own_channel(void **state) {
  (void)state;
  open_all(&lossy_role);
  sink.closed[QUEUED] = sink.closed[PLAIN] = true;
  comes(sends(1, QUEUED, 1));
  comes(sends(0, PLAIN, 2));
  (void)sends(0, ALSO_QUEUED, 3);
  comes(sends(0, ALSO_QUEUED, 4));
  assert_int_equal(taken(), 4);
}

/* It was there when those before it were. */
static void comes_when_its_channel_hands_it_over(void **state) {
  (void)state;
  struct tp_waiting first = {.message.kind = QUEUED, .number = 1, .arrived = 30},
                    second = {.message.kind = QUEUED, .number = 2, .before = 1, .arrived = 20},
                    plain = {.message.kind = PLAIN, .arrived = 20};
  open_all(&sink_role);
  tp_order_taken(&sink_loop, &first);
  assert_true(tp_order_arrived(&sink_loop, &second) == 30);
  assert_true(tp_order_arrived(&sink_loop, &plain) == 20);
  tp_loop_begin(&sink_loop, 2);
  assert_true(tp_order_arrived(&sink_loop, &second) == 20);
}

static void takes_what_is_urgent(void **state) {
  (void)state;
  open_all(&urgent_role);
  comes(sends(0, PLAIN, 1)); /* the sink is free, and takes it */
  comes(sends(0, PLAIN, 2));
  comes(sends(1, URGENT, 3));
  assert_int_equal(taken(), 132);
  sink.closed[URGENT] = true;
  comes(sends(0, PLAIN, 4));
  comes(sends(1, URGENT, 5));
  assert_int_equal(taken(), 1324);
}

/* What was read ahead is looked at, and what waits is not forgotten, whatever it was. */
static void bears_strangers_ahead(void **state) {
  (void)state;
  open_all(&urgent_role);
  comes(sends(0, PLAIN, 1));
  comes(sends(0, PLAIN, 2));
  comes((struct sent){{0}});
  assert_int_equal(taken(), 12);
  assert_int_equal(sink_loop.counts.refused, 1);
}

/* What comes while a node has nothing to do is taken then. */
static void is_urgent_only_if_it_is_there(void **state) {
  (void)state;
  struct tp_role role = urgent_role;
  role.timed = true;
  open_all(&role);
  sink.closed[PLAIN] = true;
  comes(sends(0, PLAIN, 1));
  assert_int_equal(taken(), 0);
  sink.closed[PLAIN] = false;
  comes(sends(1, URGENT, 2));
  assert_int_equal(taken(), 12);
}

/* However many come: a step is taken now and then. */
static void does_not_read_for_ever(void **state) {
  (void)state;
  open_all(&urgent_role);
  for (int32_t i = 0; i <= TP_AHEAD; i++)
    comes(sends(0, PLAIN, i));
  comes(sends(1, URGENT, -1));
  assert_int_equal(tp_loop_turn(&sink_loop, 0), TP_STEPPED);
  assert_int_equal(sink_loop.ahead_count, TP_AHEAD);
  assert_int_equal(tp_loop_turn(&sink_loop, 0), TP_STEPPED);
  assert_int_equal(sink.taken[1], 1);
  assert_int_equal(tp_loop_turn(&sink_loop, 0), TP_STEPPED);
  assert_int_equal(sink.taken[2], -1);
  (void)taken();
  assert_int_equal(sink.taken_count, TP_AHEAD + 2);
}

static void is_no_more_urgent_than_its_channel(void **state) {
  (void)state;
  open_all(&urgent_role);
  comes(sends(1, PLAIN, 1));
  comes(sends(0, QUEUED, 2));
  comes(sends(0, ALSO_QUEUED, 3));
  assert_int_equal(taken(), 123);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keeps_the_order_of_a_channel),
      cmocka_unit_test(waits_for_what_no_action_takes_yet),
      cmocka_unit_test(takes_nothing_behind_a_loss),
      cmocka_unit_test(drops_what_counts_as_lost),
      cmocka_unit_test(holds_its_own_channel),
      cmocka_unit_test(comes_when_its_channel_hands_it_over),
      cmocka_unit_test(takes_what_is_urgent),
      cmocka_unit_test(bears_strangers_ahead),
      cmocka_unit_test(is_urgent_only_if_it_is_there),
      cmocka_unit_test(does_not_read_for_ever),
      cmocka_unit_test(is_no_more_urgent_than_its_channel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
