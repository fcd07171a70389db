/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages that a loop holds for a pacer: when and in which order they leave, and what becomes of
 * them without place or with another instance. Time is what the test says it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tp_clock.h"
#include "tp_hold.h"
#include "tp_loop.h"

enum { CLIENT, SERVER, PLAIN = 0, CALL, KINDS, MOST = 400 };

/* The client: when the next call leaves, and the packets that have left. */
struct end {
  int64_t next;
  int count;
  uint8_t packets[MOST][TP_PACKET];
};

static void begin(void *node) {
  ((struct end *)node)->next = 0;
}

static bool valid(const void *node, const struct tp_message *m) {
  (void)node, (void)m;
  return true;
}

static enum tp_verdict take(void *node, const struct tp_message *m, int64_t now,
                            struct tp_taken *taken) {
  (void)node, (void)m, (void)now, (void)taken;
  return TP_DISABLED;
}

/* One call every 100 ns. */
static int64_t release(void *node, int32_t kind, int64_t end) {
  struct end *client = node;
  if (kind != CALL)
    return end;
  const int64_t left = tp_later(end, client->next);
  client->next = tp_sum(left, 100);
  return left;
}

static int32_t count(const void *node, int32_t role) {
  (void)node, (void)role;
  return 1;
}

static uint64_t digest(const void *node) {
  (void)node;
  return 0;
}

static bool send_packet(void *context, int32_t to, const uint8_t *bytes, size_t size) {
  struct end *end = context;
  assert_int_equal(to, 1);
  assert_int_equal(size, TP_PACKET);
  memcpy(end->packets[end->count++], bytes, size);
  return true;
}

static int receive_packet(void *context, uint8_t *bytes, size_t size, uint64_t *arrived,
                          int64_t wait_ns) {
  (void)context, (void)bytes, (void)size, (void)arrived, (void)wait_ns;
  return 0;
}

static const char *const roles[] = {"client", "server"};
static const struct tp_action actions[] = {{"Act", "Act"}};
#define KIND(n)                                                                                    \
  .name = (n), .delay = "d", .fields = 1, .sender = CLIENT, .receiver = SERVER,                    \
  .sender_field = -1, .receiver_field = -1, .taken = true
static const struct tp_kind kinds[] = {
    [PLAIN] = {KIND("Plain")}, [CALL] = {KIND("Call"), .fifo = true}};
static const struct tp_role client_role = {.protocol = "test",
                                           .roles = roles,
                                           .role_count = 2,
                                           .role = CLIENT,
                                           .actions = actions,
                                           .action_count = 1,
                                           .kinds = kinds,
                                           .kind_count = KINDS,
                                           .timed = true,
                                           .begin = begin,
                                           .valid = valid,
                                           .take = take,
                                           .release = release,
                                           .count = count,
                                           .digest = digest};

static struct end client;
static struct tp_loop loop;
static struct tp_port port = {.context = &client, .send = send_packet, .receive = receive_packet};

/* The instance began at tick 1000. */
static void open_client(void) {
  memset(&client, 0, sizeof client);
  assert_null(tp_loop_open(&loop, &client_role, &client, 0, 5, &port, NULL));
  tp_loop_begin_at(&loop, 1, 1000);
}

/* A step that ends so many ns after the beginning sends a message with this number. */
static void send_at(int64_t end, int32_t kind, int32_t number) {
  const struct tp_message m = {.kind = kind, .field = {number}};
  loop.last = (struct tp_step){.start = 1000, .end = 1000 + (uint64_t)end};
  tp_loop_send(&loop, &m, 0);
}

static uint32_t word(int packet, size_t at) {
  const uint8_t *b = &client.packets[packet][at];
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static int32_t field_of(int packet) {
  struct tp_message m;
  assert_true(tp_message_decode(
      &m, client.packets[packet] + TP_PACKET - TP_BYTES - TAILPROOF_STAMP_BYTES, TP_BYTES));
  return m.field[0];
}

static void test_order(void **state) {
  (void)state;
  open_client();
  send_at(10, CALL, 1); /* leaves with its step */
  assert_int_equal(loop.held_count, 0);
  assert_int_equal(loop.leaving_count, 1);
  loop.leaving_count = 0;
  send_at(10, CALL, 2);
  send_at(20, CALL, 3);
  assert_int_equal(loop.held_count, 2);
  assert_int_equal(loop.leaving_count, 0);
  tp_hold_let_go(&loop, 1000 + 109);
  assert_int_equal(client.count, 0);
  send_at(50, PLAIN, 7); /* goes round the pacer, and is the second packet */
  assert_int_equal(loop.leaving_count, 1);
  tp_hold_let_go(&loop, 1000 + 110);
  assert_int_equal(client.count, 1);
  tp_hold_let_go(&loop, 1000 + 209);
  assert_int_equal(client.count, 1);
  tp_hold_let_go(&loop, 1000 + 5000);
  assert_int_equal(client.count, 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(field_of(i), 2 + i);
    assert_int_equal(word(i, 20), 3 + i);              /* its number, and */
    assert_int_equal(word(i, 24), i == 0 ? 1 : 2 + i); /* that of the call before */
  }
  assert_int_equal(loop.held_count, 0);
}

static void test_place(void **state) {
  (void)state;
  open_client();
  for (int32_t i = 0; i < TP_HELD + 3; i++)
    send_at(0, CALL, i);
  assert_int_equal(loop.held_count, TP_HELD);
  assert_int_equal(loop.counts.full, 2); /* the first one did not wait */
  tp_hold_let_go(&loop, UINT64_MAX);
  assert_int_equal(client.count, TP_HELD);
  assert_int_equal(field_of(TP_HELD - 1), TP_HELD);
  /* Behind those that were dropped nothing of the channel is taken: no packet has that number. */
  loop.leaving_count = 0;
  send_at(INT64_C(1) << 40, CALL, 9999);
  assert_int_equal(loop.leaving_count, 1);
  memcpy(client.packets[client.count++], loop.leaving[0].packet, TP_PACKET);
  assert_int_equal(word(TP_HELD, 24), word(TP_HELD - 1, 20) + 1);
  assert_int_equal(word(TP_HELD, 20), word(TP_HELD - 1, 20) + 2);
}

static void test_instance(void **state) {
  (void)state;
  open_client();
  send_at(0, CALL, 1);
  send_at(0, CALL, 2);
  assert_int_equal(loop.held_count, 1);
  tp_loop_begin(&loop, 2);
  assert_int_equal(loop.held_count, 0);
  tp_hold_let_go(&loop, UINT64_MAX);
  assert_int_equal(client.count, 0);
}

static void test_wait(void **state) {
  (void)state;
  open_client();
  assert_int_equal(tp_hold_wait(&loop, 77), 77);
  send_at(0, CALL, 1);
  send_at(0, CALL, 2); /* long past */
  assert_int_equal(tp_hold_wait(&loop, 77), 0);
  loop.held[0].at = tp_clock_now(&loop) + 3600 * UINT64_C(1000000000);
  assert_int_equal(tp_hold_wait(&loop, 77), 77);
  loop.held[0].at = 0;
  tp_loop_flush(&loop);
  assert_int_equal(client.count, 1);
}

static void test_future(void **state) {
  (void)state;
  open_client();
  assert_int_equal(tp_clock_future(&loop, -5), 1000);
  assert_int_equal(tp_clock_future(&loop, 0), 1000);
  assert_int_equal(tp_clock_future(&loop, 1), 1001);
  assert_int_equal(tp_clock_future(&loop, 123456789), 1000 + 123456789);
  assert_int_equal(tp_clock_future(&loop, INT64_C(1) << 61), 1000 + (UINT64_C(1) << 61));
  assert_int_equal(tp_sum(INT64_MAX - 3, 4), INT64_MAX);
  assert_int_equal(tp_sum(-3, 4), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order), cmocka_unit_test(test_place),  cmocka_unit_test(test_instance),
      cmocka_unit_test(test_wait),  cmocka_unit_test(test_future),
  };
  return cmocka_run_group_tests_name("steps/hold", tests, NULL, NULL);
}
