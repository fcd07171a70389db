/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/measure/pair_fixture.h"

static const char by_thread[] =
    "moments:\n"
    "  asked: {probe: begin, at: client}\n"
    "  answered: {probe: end, at: client, where: thread == asked.thread}\n";

static void test_thread(void **state) {
  (void)state;
  /* out of order in the file; two threads; one of a process that is no place */
  struct made made =
      make(by_thread,
           "20 end 1 11\n10 begin 1 11\n12 begin 1 12\n13 begin 9 13\n14 end 9 13\n25 end 1 12\n");
  assert_int_equal(2, pairing_count(made.pairing));
  check_request(&made, 0, PAIR_WHOLE, 0);
  assert_int_equal(10, pairing_moment(made.pairing, 0, 0, 0));
  assert_int_equal(20, pairing_moment(made.pairing, 0, 1, 0));
  assert_int_equal(25, pairing_moment(made.pairing, 1, 1, 0));
  assert_int_equal(1, pairing_elsewhere(made.pairing, 0));
  clear(&made);
}

static void test_missing_end(void **state) {
  (void)state;
  /* the first end is not there: the second one's must not stand for it; the thread then ends */
  struct made made = make(by_thread, "10 begin 1 11\n20 begin 1 11\n21 end 1 11\n30 begin 1 11\n");
  assert_int_equal(3, pairing_count(made.pairing));
  check_request(&made, 0, PAIR_AGAIN, 1);
  check_request(&made, 1, PAIR_WHOLE, 0);
  check_request(&made, 2, PAIR_NEVER, 1);
  assert_int_equal(1, pairing_lacking(made.pairing, 1, PAIR_AGAIN));
  assert_int_equal(1, pairing_lacking(made.pairing, 1, PAIR_NEVER));
  assert_int_equal(PAIR_MISSING, pairing_moment(made.pairing, 2, 1, 0));
  clear(&made);
}

static void test_late(void **state) {
  (void)state;
  struct made made = make(by_thread, "10 begin 1 11\n10000000011 end 1 11\n");
  check_request(&made, 0, PAIR_LATE, 1);
  clear(&made);
}

static void test_descriptor(void **state) {
  (void)state;
  /* another thread answers; descriptor 5 is used again */
  struct made made = make(
      "moments:\n"
      "  asked: {probe: begin, at: client}\n"
      "  answered: {probe: end, where: process == asked.process and fd == asked.fd}\n",
      "10 begin 1 11 fd=5\n11 begin 1 11 fd=6\n12 end 1 99 fd=6\n13 end 1 99 fd=5\n"
      "20 begin 1 11 fd=5\n21 begin 1 11 fd=5\n22 end 1 99 fd=5\n23 begin 1 11\n24 end 1 99\n");
  assert_int_equal(13, pairing_moment(made.pairing, 0, 1, 0));
  assert_int_equal(12, pairing_moment(made.pairing, 1, 1, 0));
  check_request(&made, 2, PAIR_AGAIN, 1);
  assert_int_equal(22, pairing_moment(made.pairing, 3, 1, 0));
  check_request(&made, 4, PAIR_NEVER, 1); /* a descriptor that could not be read equals no other */
  clear(&made);
}

static void test_key(void **state) {
  (void)state;
  struct made made = make(
      "moments:\n"
      "  asked: {probe: begin}\n"
      "  answered: {probe: end, where: key == asked.key}\n",
      "1 begin 1 1 key=\"a\"\n2 begin 1 1 key=\"b\"\n3 end 2 2 key=\"b\"\n4 end 2 2 key=\"a\"\n");
  assert_int_equal(4, pairing_moment(made.pairing, 0, 1, 0));
  assert_int_equal(3, pairing_moment(made.pairing, 1, 1, 0));
  clear(&made);
}

static void test_text(void **state) {
  (void)state;
  struct made made = make("moments:\n"
                          "  asked: {probe: begin, where: 'key == \"a b\"'}\n"
                          "  answered: {probe: end, where: 'key != \"a b\" and key != \"\"'}\n",
                          "1 begin 1 1 key=\"a\"\n2 begin 1 1 key=\"a b\"\n3 end 1 1 key=\"a b\"\n"
                          "4 end 1 1 key=\"\"\n5 end 1 1 key=\"a\"\n");
  assert_int_equal(2, pairing_moment(made.pairing, 0, 0, 0));
  assert_int_equal(5, pairing_moment(made.pairing, 0, 1, 0));
  clear(&made);
}

static const char group[] =
    "moments:\n"
    "  asked: {probe: begin, at: client}\n"
    "  logged: {probe: log, at: client, where: thread == asked.thread}\n"
    "  kept[r]: {probe: flush, at: 'disk[r]', where: lsn >= logged.lsn, shared: yes}\n"
    "  first: {earliest: [kept]}\n"
    "  all: {latest: [kept, logged]}\n"
    "  second: {kth: 2, of: kept}\n"
    "  answered: {probe: end, at: client, where: thread == asked.thread}\n";

static void test_group_commit(void **state) {
  (void)state;
  struct made made = make(
      group, "1 begin 1 11\n2 begin 1 12\n3 log 1 11 lsn=100\n4 log 1 12 lsn=200\n"
             "5 flush 2 2 lsn=99\n6 flush 2 2 lsn=150\n7 flush 3 3 lsn=250\n8 flush 2 2 lsn=200\n"
             "9 end 1 11\n10 end 1 12\n");
  static const uint64_t expected[2][6] = {{1, 3, 6, 6, 7, 9}, {2, 4, 8, 7, 8, 10}};
  static const uint32_t moments[6] = {0, 1, 2, 3, 4, 6};
  for (size_t i = 0; i < 2; i++)
    for (size_t m = 0; m < 6; m++)
      assert_int_equal(expected[i][m], pairing_moment(made.pairing, i, moments[m], 0));
  assert_int_equal(7, pairing_moment(made.pairing, 0, 2, 1)); /* one flush covers both */
  assert_int_equal(7, pairing_moment(made.pairing, 1, 2, 1));
  assert_int_equal(7, pairing_moment(made.pairing, 0, 5, 0)); /* the second of two */
  clear(&made);
}

static void test_member(void **state) {
  (void)state;
  struct made made = make("moments:\n"
                          "  asked: {probe: begin}\n"
                          "  told[r]: {probe: end, where: fd == r + 7 and key == asked.key}\n"
                          "  answered: {latest: [told]}\n",
                          "1 begin 1 1 fd=1 key=\"a\"\n2 end 1 1 fd=8 key=\"a\"\n"
                          "3 end 1 1 fd=7 key=\"b\"\n4 end 1 1 fd=7 key=\"a\"\n");
  assert_int_equal(4, pairing_moment(made.pairing, 0, 1, 0));
  assert_int_equal(2, pairing_moment(made.pairing, 0, 1, 1));
  clear(&made);
}

static void test_backwards(void **state) {
  (void)state;
  struct made made = make(
      "moments:\n"
      "  asked: {probe: begin}\n"
      "  logged: {probe: log}\n"
      "  answered: {probe: end, after: asked}\n"
      "messages: {M: {from: client, to: 'disk[0]', sent: logged, arrived: answered, delay: d}}\n",
      "1 begin 1 1\n2 end 1 1\n3 log 1 1 lsn=1\n");
  check_request(&made, 0, PAIR_BACKWARDS, 1); /* behind one step, message 0 */
  clear(&made);
}

static void test_wrapping(void **state) {
  (void)state;
  /* 2^64 - 1 + 2 is 1, and 1 is behind 2^64 - 1 */
  struct made made =
      make("moments:\n"
           "  asked: {probe: log}\n"
           "  answered: {probe: flush, where: lsn >= asked.lsn + 2}\n",
           "1 log 1 1 lsn=18446744073709551615\n2 flush 1 1 lsn=0\n3 flush 1 1 lsn=1\n");
  assert_int_equal(3, pairing_moment(made.pairing, 0, 1, 0));
  clear(&made);
}

static void test_overlap(void **state) {
  (void)state;
  /* the second was asked before the first was answered, and taken up after that */
  CHECK_STREAM(2,
               "1 send 1 11 port=7 ends=10\n2 send 1 11 port=7 ends=20\n"
               "3 take 2 21 port=7 ends=10\n4 send 2 21 port=7 ends=5\n5 take 1 11 port=7 ends=5\n"
               "6 take 2 21 port=7 ends=20\n7 send 2 21 port=7 ends=9\n8 take 1 11 port=7 ends=9\n",
               {3, 4, 5}, {6, 7, 8});
  /* both were taken up before the first was answered: in order */
  CHECK_STREAM(3,
               "1 send 1 11 port=7 ends=10\n2 send 1 11 port=7 ends=20\n"
               "3 take 2 21 port=7 ends=10\n4 take 2 21 port=7 ends=20\n"
               "5 send 2 21 port=7 ends=5\n6 send 2 21 port=7 ends=9\n"
               "7 take 1 11 port=7 ends=5\n8 take 1 11 port=7 ends=9\n"
               "11 send 1 11 port=7 ends=30\n13 take 2 21 port=7 ends=30\n"
               "14 send 2 21 port=7 ends=12\n15 take 1 11 port=7 ends=12\n",
               {3, 5, 7}, {4, 6, 8}, {13, 14, 15});
  /* one read and one write have both, whose bytes the client reads at once */
  CHECK_STREAM(2,
               "1 send 1 11 port=7 ends=10\n2 send 1 11 port=7 ends=20\n"
               "3 take 2 21 port=7 ends=20\n4 send 2 21 port=7 ends=9\n5 take 1 11 port=7 ends=9\n",
               {3, 4, 5}, {3, 4, 5});
  /* two connections of one thread do not hinder each other */
  CHECK_STREAM(2,
               "1 send 1 11 port=7 ends=10\n2 send 1 11 port=8 ends=20\n"
               "3 take 2 21 port=7 ends=10\n4 take 2 22 port=8 ends=20\n"
               "5 send 2 22 port=8 ends=5\n6 take 1 11 port=8 ends=5\n"
               "7 send 2 21 port=7 ends=5\n8 take 1 11 port=7 ends=5\n",
               {3, 7, 8}, {4, 5, 6});
}

static void test_doubt(void **state) {
  (void)state;
  /* answers in two pieces each: which is whose is not known, and no order is made up */
  struct made made = make(stream, "1 send 1 11 port=7 ends=10\n2 send 1 11 port=7 ends=20\n"
                                  "3 take 2 21 port=7 ends=10\n4 take 2 21 port=7 ends=20\n"
                                  "5 send 2 21 port=7 ends=3\n6 send 2 21 port=7 ends=5\n"
                                  "7 send 2 21 port=7 ends=7\n8 send 2 21 port=7 ends=9\n"
                                  "9 take 1 11 port=7 ends=9\n");
  check_request(&made, 0, PAIR_AGAIN, 2);
  assert_true(pairing_request(made.pairing, 0).doubtful);
  assert_int_equal(0, pairing_ordered(made.pairing));
  clear(&made);
  /* no answer came, and none is under way: that is known */
  made = make(stream, "1 send 1 11 port=7 ends=10\n3 take 2 21 port=7 ends=10\n");
  check_request(&made, 0, PAIR_NEVER, 2);
  assert_false(pairing_request(made.pairing, 0).doubtful);
  clear(&made);
  /* an answer came, of which not all events are there */
  made = make(stream, "1 send 1 11 port=7 ends=10\n4 send 2 21 port=7 ends=5\n"
                      "5 take 1 11 port=7 ends=5\n");
  check_request(&made, 0, PAIR_NEVER, 1);
  assert_true(pairing_request(made.pairing, 0).doubtful);
  clear(&made);
  /* the connection was lost, and a new one has its port: another stream, positions are far apart */
  made = make(stream, "1 send 1 11 port=7 ends=4294967296000\n"
                      "5 send 1 11 port=7 ends=8589934592000000000\n"
                      "6 take 2 21 port=7 ends=8589934592000000000\n"
                      "7 send 2 21 port=7 ends=5\n8 take 1 11 port=7 ends=5\n");
  check_request(&made, 0, PAIR_AGAIN, 1);
  check_request(&made, 1, PAIR_WHOLE, 0);
  clear(&made);
}

static void test_mistakes(void **state) {
  (void)state;
  check_refused("", "moments: a section");
  check_refused("moments: {asked: {probe: nothing}}\n", "no probe \"nothing\"");
  check_refused("moments: {asked: {probe: begin, at: moon}}\n", "no place");
  check_refused("moments: {asked: {probe: begin}}\n",
                "no moment before this of the name \"answered\"");
  check_refused("moments: {asked: {probe: begin, where: thread = 1}}\n", "one of == != >= <=");
  check_refused("moments: {asked: {probe: begin, where: lsn == 1}}\n", "reads no field \"lsn\"");
  check_refused("moments: {asked: {probe: begin, were: lsn == 1}}\n", "no key \"were\"");
  check_refused("moments: {'asked[r]': {probe: begin}}\n", "begins with an event without [r]");
  check_refused("moments: {asked: {probe: begin}, asked2: {kth: 1}}\n",
                "it needs a probe, latest, earliest, or kth and of");
  check_refused("moments: {asked: {probe: begin}, answered: {probe: end, after: later}}\n",
                "\"later\"");
  check_refused("moments: {asked: {probe: begin, where: fd == r}}\n", "in moments of a family");
  check_refused("moments: {asked: {probe: begin, where: 'key == \"a'}}\n", "ends with");
}

/* A log that does not hold all is told of. */
static void test_logs(void **state) {
  (void)state;
  struct made made = make(by_thread, "10 begin 1 11\n12 begin 1 12\n20 end 1 11\n25 end 1 12\n");
  struct text told = {0};
  struct pairing_logs all = pairing_logs(made.pairing, made.mapping, PAIRING_LOG_MOST);
  pairing_tell_logs(&told, all);
  assert_true(all.wanted >= 2 && all.held >= all.wanted);
  assert_string_equal("", text_get(&told));
  struct pairing_logs some = pairing_logs(made.pairing, made.mapping, 1);
  pairing_tell_logs(&told, some);
  assert_int_equal(1, some.held);
  assert_int_equal(all.wanted, some.wanted);
  assert_non_null(
      strstr(text_get(&told), "holds its last 1 records, and these requests make up to "));
  text_clear(&told);
  clear(&made);
}

/* The places are 0: client, 1 and 2: disks. */
static void test_looks(void **state) {
  (void)state;
  char why[512] = "";
  struct outside_mapping *mapping =
      read_mapping("moments:\n"
                   "  asked: {probe: begin, at: client}\n"
                   "  'kept[r]': {probe: flush, at: 'disk[r]', shared: yes}\n"
                   "  first: {probe: log, at: 'disk[1]', after: asked}\n"
                   "  answered: {probe: end, after: asked}\n",
                   why, sizeof why);
  assert_string_equal("", why);
  assert_int_equal(1, mapping_looks_at(mapping, 0));
  assert_true(mapping_looks_at(mapping, 1) == UINT64_MAX);
  assert_int_equal(4, mapping_looks_at(mapping, 2));
  assert_int_equal(6, mapping_looks_at(mapping, 3));
  mapping_free(mapping);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_thread),    cmocka_unit_test(test_missing_end),
      cmocka_unit_test(test_late),      cmocka_unit_test(test_descriptor),
      cmocka_unit_test(test_key),       cmocka_unit_test(test_group_commit),
      cmocka_unit_test(test_backwards), cmocka_unit_test(test_wrapping),
      cmocka_unit_test(test_member),    cmocka_unit_test(test_text),
      cmocka_unit_test(test_looks),     cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_overlap),   cmocka_unit_test(test_doubt),
      cmocka_unit_test(test_logs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
