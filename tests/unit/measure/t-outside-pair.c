/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/outside/event_text.h"
#include "measure/outside/pair.h"
#include "measure/outside/write.h"

static const struct outside_probe probes[] = {
    {"begin", 2, {{"fd", OUTSIDE_UNSIGNED}, {"key", OUTSIDE_TEXTS}}, 0, false},
    {"end", 2, {{"fd", OUTSIDE_UNSIGNED}, {"key", OUTSIDE_TEXTS}}, 0, false},
    {"log", 1, {{"lsn", OUTSIDE_UNSIGNED}}, 0, false},
    {"flush", 1, {{"lsn", OUTSIDE_UNSIGNED}}, 0, false},
    {"send", 2, {{"port", OUTSIDE_UNSIGNED}, {"ends", OUTSIDE_UNSIGNED}}, 0, false},
    {"take", 2, {{"port", OUTSIDE_UNSIGNED}, {"ends", OUTSIDE_UNSIGNED}}, 0, false},
    {"pass", 2, {{"port", OUTSIDE_UNSIGNED}, {"begun", OUTSIDE_UNSIGNED}}, 2, true},
};
enum { PROBES = sizeof probes / sizeof *probes };

static const char places[] = "places: {client: bench, 'disk[0]': disk0, 'disk[1]': disk1}\n"
                             "request: {name: put, node: client, from: asked, to: answered}\n"
                             "steps: {client.Ask: {from: asked, to: answered}}\n";

/* Process 1 is the client, 2 and 3 are disks, others are nothing. */
static const char *command(void *context, uint32_t pid) {
  (void)context;
  return pid == 1 ? "bench" : pid == 2 ? "disk0" : pid == 3 ? "disk1" : NULL;
}

static struct outside_mapping *read_mapping(const char *moments, char *message, size_t size) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s", places, moments);
  struct tree_node *file = tree_parse(text, strlen(text), message, size);
  assert_non_null(file);
  struct outside_mapping *mapping = mapping_read(file, probes, PROBES, message, size);
  tree_free(file);
  return mapping;
}

/* A mapping with events, paired. */
struct made {
  struct outside_mapping *mapping;
  struct pairing *pairing;
};

static struct pairing *pair(const struct outside_mapping *mapping, const char *events,
                            size_t every) {
  char path[] = "/tmp/t-outside-pair.XXXXXX";
  struct pairing *pairing =
      pairing_new(mapping, probes, PROBES, (struct pair_processes){command, NULL});
  if (every != 0)
    pairing_settle_every(pairing, every);
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, events, strlen(events)) == (ssize_t)strlen(events));
  close(file);
  struct outside_run run;
  struct text message = {0};
  struct outside_sink sink = {pairing_take, pairing, NULL};
  assert_int_equal(STATUS_OK, event_text_read(&run, probes, PROBES, path, &sink, &message));
  unlink(path);
  text_clear(&message);
  assert_int_equal(0, pairing_end(pairing));
  return pairing;
}

static void check_same(const struct outside_mapping *mapping, const struct pairing *one,
                       const struct pairing *other) {
  assert_int_equal(pairing_count(one), pairing_count(other));
  assert_int_equal(pairing_ordered(one), pairing_ordered(other));
  for (size_t i = 0; i < pairing_count(one); i++) {
    struct pair_request a = pairing_request(one, i), b = pairing_request(other, i);
    if (a.reason != b.reason || a.moment != b.moment || a.doubtful != b.doubtful)
      fail_msg("request %zu: %d %u %d, and %d %u %d settled while events come", i, a.reason,
               a.moment, a.doubtful, b.reason, b.moment, b.doubtful);
    for (uint32_t m = 0; m < mapping->moment_count; m++)
      for (uint32_t k = 0; k < mapping->members; k++)
        assert_int_equal(pairing_moment(one, i, m, k), pairing_moment(other, i, m, k));
  }
}

/* Settled at the end, and as soon as possible: that is the same. */
static struct made make(const char *moments, const char *events) {
  char line[512] = "";
  struct made made = {.mapping = read_mapping(moments, line, sizeof line)};
  assert_string_equal("", line);
  made.pairing = pair(made.mapping, events, 0);
  for (size_t every = 1; every < 4; every += 2) {
    struct pairing *often = pair(made.mapping, events, every);
    check_same(made.mapping, made.pairing, often);
    pairing_free(often);
  }
  return made;
}

static void clear(struct made *made) {
  pairing_free(made->pairing);
  mapping_free(made->mapping);
}

static void check_request(const struct made *made, size_t request, enum pair_reason reason,
                          uint32_t moment) {
  struct pair_request is = pairing_request(made->pairing, request);
  assert_int_equal(reason, is.reason);
  assert_int_equal(moment, is.moment);
}

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

/* A connection: by port and positions, as docs/outside.md writes it. Process 1 asks, 2 answers. */
static const char stream[] =
    "moments:\n"
    "  asked: {probe: send, at: client}\n"
    "  taken: {probe: take, at: 'disk[0]', where: port == asked.port and ends >= asked.ends}\n"
    "  told: {probe: send, at: 'disk[0]', where: port == asked.port and thread == taken.thread}\n"
    "  answered: {probe: take, at: client, where: port == asked.port and ends >= told.ends}\n";

/* The times of taken, told and answered of each request; 0: not paired. */
static void check_stream(const char *events, size_t count, const uint64_t expected[][3]) {
  struct made made = make(stream, events);
  assert_int_equal(count, pairing_count(made.pairing));
  for (size_t i = 0; i < count; i++) {
    struct pair_request request = pairing_request(made.pairing, i);
    if ((request.reason == PAIR_WHOLE) != (expected[i][2] != 0))
      fail_msg("request %zu: reason %d at moment %u", i, request.reason, request.moment);
    for (uint32_t m = 0; m < 3 && expected[i][2] != 0; m++)
      assert_int_equal(expected[i][m], pairing_moment(made.pairing, i, m + 1, 0));
  }
  clear(&made);
}
#define CHECK_STREAM(count, events, ...)                                                           \
  check_stream(events, count, (const uint64_t[][3]){__VA_ARGS__})

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

static void check_refused(const char *moments, const char *words) {
  char line[512] = "";
  struct outside_mapping *mapping = read_mapping(moments, line, sizeof line);
  assert_null(mapping);
  if (strstr(line, words) == NULL)
    fail_msg("\"%s\" lacks \"%s\"", line, words);
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
  size_t whole = 0, others = 0, ordered = 0;
  for (uint64_t seed = 1; seed <= 150; seed++) {
    uint64_t random = seed;
    struct text events = {0};
    append_random(&events, &random);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
      made = make(moments[i], text_get(&events));
      for (size_t k = 0; k < pairing_count(made.pairing); k++)
        (*(pairing_request(made.pairing, k).reason == PAIR_WHOLE ? &whole : &others))++;
      ordered += pairing_ordered(made.pairing);
      clear(&made);
    }
    text_clear(&events);
  }
  assert_true(whole > 1000 && others > 1000 && ordered > 100);
}

/* The places are 0: client, 1 and 2: disks. */
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
      cmocka_unit_test(test_logs),      cmocka_unit_test(test_begun),
      cmocka_unit_test(test_settled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
