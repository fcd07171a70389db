/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events that are paired, for tests of measure/outside/pair.h: settled at the end, and as soon as
 * possible, which must be the same.
 */
#ifndef TESTS_UNIT_MEASURE_PAIR_FIXTURE_H
#define TESTS_UNIT_MEASURE_PAIR_FIXTURE_H

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

static void check_refused(const char *moments, const char *words) {
  char line[512] = "";
  struct outside_mapping *mapping = read_mapping(moments, line, sizeof line);
  assert_null(mapping);
  if (strstr(line, words) == NULL)
    fail_msg("\"%s\" lacks \"%s\"", line, words);
}

#endif
