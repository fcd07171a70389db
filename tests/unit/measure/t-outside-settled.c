/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Moments at which calls began, and requests that are settled while events come.
 */
#include "tests/unit/measure/pair_fixture.h"

static void test_begun(void **state) {
  (void)state;
  static const char moments[] =
      "moments:\n"
      "  asked: {probe: begin, at: client}\n"
      "  passed: {probe: pass, where: port == asked.fd}\n"
      "  done: {probe: pass, when: done, where: thread == passed.thread}\n"
      "  answered: {probe: end, after: passed, where: fd == asked.fd}\n";
  /* the answer is there before the call is done that sends it, and before a later one's */
  struct made made =
      make(moments, "1 begin 1 11 fd=7\n20 end 1 11 fd=7\n25 pass 2 22 port=7 begun=21\n"
                    "30 pass 2 21 port=7 begun=9\n");
  check_request(&made, 0, PAIR_WHOLE, 0);
  assert_int_equal(9, pairing_moment(made.pairing, 0, 1, 0));
  assert_int_equal(30, pairing_moment(made.pairing, 0, 2, 0));
  assert_int_equal(20, pairing_moment(made.pairing, 0, 3, 0));
  assert_int_equal(0, pairing_uncertain(made.pairing));
  clear(&made);
  /* it is not known when it began: what has no answer may have one */
  made = make(moments, "1 begin 1 11 fd=7\n8 end 1 11 fd=7\n9 pass 2 21 port=7\n");
  check_request(&made, 0, PAIR_NEVER, 1);
  assert_int_equal(1, pairing_uncertain(made.pairing));
  struct left_over left;
  struct outside_run run = {0};
  left_over_init(&left);
  pairing_left_over(&left, made.pairing, made.mapping, PROBES, &run);
  assert_true(left_over_is_doubtful(&left, 1));
  left_over_clear(&left);
  clear(&made);
  check_refused("moments: {asked: {probe: begin, when: begun}}\n", "add read: {begun: begun}");
  check_refused("moments: {asked: {probe: pass, when: now}}\n", "when is begun or done");
}

/* --- settled while events come, as at the end --- */

static uint64_t draw(uint64_t *seed, uint64_t below) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (*seed >> 33) % below;
}

/* Requests on few connections: some overlap, answers are late, lost, in pieces, or of nobody; now
 * and then nothing comes for seconds. */
static void append_random(struct text *text, uint64_t *seed) {
  uint64_t time = 5, position[2] = {10, 10}, answered[2] = {0, 0};
  for (int i = 0; i < 60; i++) {
    uint64_t port = draw(seed, 2), kind = draw(seed, 16), thread = 11 + draw(seed, 2);
    time += draw(seed, 8) == 0 ? draw(seed, 6) * UINT64_C(3000000000) : draw(seed, 4);
    if (kind < 5)
      position[port] += 10;
    if (kind >= 8 && kind < 11)
      answered[port] += 5;
    if (kind < 5)
      text_format(text, "%" PRIu64 " send 1 %" PRIu64 " port=%" PRIu64 " ends=%" PRIu64 "\n", time,
                  thread, port, position[port]);
    else if (kind < 8)
      text_format(text, "%" PRIu64 " take 2 %" PRIu64 " port=%" PRIu64 " ends=%" PRIu64 "\n", time,
                  10 + thread, port, position[port] - 10 * draw(seed, 2));
    else if (kind < 11)
      text_format(text, "%" PRIu64 " send 2 %" PRIu64 " port=%" PRIu64 " ends=%" PRIu64 "\n", time,
                  10 + thread, port, answered[port]);
    else if (kind < 14)
      text_format(text, "%" PRIu64 " take 1 %" PRIu64 " port=%" PRIu64 " ends=%" PRIu64 "\n", time,
                  thread, port, answered[port]);
    else
      text_format(text, "%" PRIu64 " pass 2 %" PRIu64 " port=%" PRIu64 " begun=%" PRIu64 "\n", time,
                  thread, port, time - draw(seed, 4));
  }
}

static void test_between(void **state) {
  (void)state;
  /* the only answer is the first one's, which is settled before it is known that the second has none:
   * the third may still have it */
  struct made made =
      make("moments:\n"
           "  asked: {probe: begin}\n"
           "  got: {probe: log, where: lsn == asked.fd}\n"
           "  answered: {probe: flush, where: lsn == got.lsn}\n",
           "1 begin 1 11 fd=1\n2 begin 1 11 fd=2\n3 log 2 21 lsn=1\n4 flush 2 21 lsn=1\n"
           "9000000000 begin 1 11 fd=3\n9000000001 log 2 21 lsn=3\n"
           "12000000000 log 2 21 lsn=9\n13000000000 log 2 21 lsn=9\n"
           "40000000000 log 2 21 lsn=9\n");
  check_request(&made, 1, PAIR_LATE, 1);
  assert_false(pairing_request(made.pairing, 1).doubtful);
  clear(&made);
  /* the second was watched for 14 s, and the first took 15 s */
  static const char slow[] = "moments:\n"
                             "  asked: {probe: begin}\n"
                             "  got: {probe: log, where: lsn == asked.fd}\n"
                             "  answered: {probe: flush, where: lsn == got.lsn}\n";
  made = make(slow, "1 begin 1 11 fd=1\n1000000000 begin 1 11 fd=2\n8000000000 log 2 21 lsn=1\n"
                    "15000000000 flush 2 21 lsn=1\n15000000001 log 2 21 lsn=9\n");
  assert_true(pairing_request(made.pairing, 1).doubtful);
  clear(&made);
  made = make(slow, "1 begin 1 11 fd=1\n1000000000 begin 1 11 fd=2\n8000000000 log 2 21 lsn=1\n"
                    "15000000000 flush 2 21 lsn=1\n16000000001 log 2 21 lsn=9\n");
  assert_false(pairing_request(made.pairing, 1).doubtful);
  clear(&made);
  /* two in their order, of which one is settled before the other one's answer has come */
  CHECK_STREAM(3,
               "1 send 1 11 port=7 ends=10\n2 send 1 11 port=7 ends=20\n"
               "3 take 2 21 port=7 ends=10\n4 take 2 21 port=7 ends=20\n"
               "5 send 2 21 port=7 ends=5\n6 send 2 21 port=7 ends=9\n7 take 1 11 port=7 ends=5\n"
               "11 send 1 11 port=7 ends=30\n13 take 2 21 port=7 ends=30\n"
               "14 send 2 21 port=7 ends=12\n16 take 1 11 port=7 ends=9\n"
               "17 take 1 11 port=7 ends=12\n",
               {3, 5, 7}, {4, 6, 16}, {13, 14, 17});
}

static void test_settled(void **state) {
  (void)state;
  static const char *const moments[] = {
      stream,
      "moments:\n"
      "  asked: {probe: send, at: client}\n"
      "  taken: {probe: take, where: port == asked.port}\n"
      "  'kept[r]': {probe: send, at: 'disk[0]', where: port == asked.port, shared: yes}\n"
      "  first: {kth: 1, of: kept}\n"
      "  passed: {probe: pass, after: taken, where: port == asked.port, optional: yes}\n"
      "  answered: {probe: take, after: first, at: client, where: port == asked.port}\n",
      "moments:\n"
      "  asked: {probe: pass}\n"
      "  answered: {probe: take, where: port == asked.port}\n"};
  size_t whole = 0, others = 0, ordered = 0;
  for (uint64_t seed = 1; seed <= 150; seed++) {
    uint64_t random = seed;
    struct text events = {0};
    append_random(&events, &random);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
      struct made made = make(moments[i], text_get(&events));
      for (size_t k = 0; k < pairing_count(made.pairing); k++)
        (*(pairing_request(made.pairing, k).reason == PAIR_WHOLE ? &whole : &others))++;
      ordered += pairing_ordered(made.pairing);
      clear(&made);
    }
    text_clear(&events);
  }
  assert_true(whole > 1000 && others > 1000 && ordered > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_begun), cmocka_unit_test(test_between),
                                     cmocka_unit_test(test_settled)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
