/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests as ordinary systems record them: with ends that are late, starts that are cut to
 * milliseconds, and clocks of hosts that are off.
 */
#ifndef TESTS_UNIT_TRACE_NOISE_H
#define TESTS_UNIT_TRACE_NOISE_H

#include <stdio.h>

#include "base/random.h"
#include "tests/unit/trace/spans.h"

static const int64_t US = 1000, MS = 1000000, EPOCH = INT64_C(1700000000123456789);

static int64_t below(struct random *random, int64_t count) {
  return (int64_t)random_below(random, (uint64_t)count);
}

static void add_on(struct builder *builder, const char *host, const char *const text[4],
                   int64_t start, int64_t end, enum span_kind kind, enum span_status status) {
  builder_add(builder, &(struct span_record){.id = span_slice(text[0]),
                                             .parent = span_slice(text[1]),
                                             .service = span_slice(text[2]),
                                             .operation = span_slice(text[3]),
                                             .instance = span_slice(host),
                                             .start = start,
                                             .end = end,
                                             .kind = kind,
                                             .status = status});
}

static void add(struct builder *builder, const char *const text[4], int64_t start, int64_t end,
                enum span_kind kind, enum span_status status) {
  add_on(builder, NULL, text, start, end, kind, status);
}

static void begin(struct builder *builder, size_t number) {
  char id[24];
  snprintf(id, sizeof id, "%zu", number);
  builder_begin(builder, span_slice(id));
}

enum pair { BARE, ASKED, GAVE_UP }; /* no kinds; client and server; and the client failed if late */

/* All on one host. main calls ask, which calls answer: for 5 ms and more, `late` beyond ask's end.
 */
static void add_asked(struct builder *builder, struct random *random, size_t number, int64_t late,
                      enum pair pair) {
  int64_t start = EPOCH + (int64_t)number * MS, work = 5 * MS + below(random, 5000) * US;
  int64_t end = start + 500 * US + work;
  bool failed = pair == GAVE_UP && late > 0;
  begin(builder, number);
  add_on(builder, "host", (const char *const[]){"0", NULL, "front", "main"}, start, end + MS,
         pair == BARE ? SPAN_UNKNOWN : SPAN_SERVER, SPAN_UNSET);
  add_on(builder, "host", (const char *const[]){"1", "0", "front", "ask"}, start + 500 * US, end,
         pair == BARE ? SPAN_UNKNOWN : SPAN_CLIENT, failed ? SPAN_ERROR : SPAN_UNSET);
  add_on(builder, "host", (const char *const[]){"2", "1", "back", "answer"}, start + 700 * US,
         end + (late > 0 ? late : -100 * US), pair == BARE ? SPAN_UNKNOWN : SPAN_SERVER,
         SPAN_UNSET);
  builder_finish(builder);
}

static int64_t cut(int64_t time) {
  return time - time % MS;
}

/* As OpenTelemetry for Node.js writes it: each start cut, lengths exact. */
static void add_node(struct builder *builder, const char *const text[4], int64_t start,
                     int64_t end) {
  add(builder, text, cut(start), cut(start) + (end - start), SPAN_INTERNAL, SPAN_UNSET);
}

/* As OpenTelemetry for Java writes it: what a process was called with is cut, all below counts from
 * there. `overlap` is by how much the inner calls one and two of `back` run together. */
static void add_java(struct builder *builder, struct random *random, size_t number,
                     int64_t overlap) {
  int64_t start = EPOCH + (int64_t)number * 50 * MS + below(random, MS);
  int64_t served = start + 150 * US + below(random, 100 * US);
  int64_t one = served + 100 * US, ended = one + 2 * MS + below(random, 3 * MS);
  int64_t two = ended - overlap, last = two + 2 * MS + below(random, 3 * MS);
  int64_t front = cut(start) - start, back = cut(served) - served;
  begin(builder, number);
  add(builder, (const char *const[]){"0", NULL, "front", "main"}, start + front,
      last + 100 * US + front, SPAN_SERVER, SPAN_UNSET);
  add(builder, (const char *const[]){"1", "0", "front", "ask"}, start + 50 * US + front,
      last + 50 * US + front, SPAN_UNKNOWN, SPAN_UNSET);
  add(builder, (const char *const[]){"2", "1", "back", "answer"}, served + back,
      last + 10 * US + back, SPAN_UNKNOWN, SPAN_UNSET);
  add(builder, (const char *const[]){"3", "2", "back", "one"}, one + back, ended + back,
      SPAN_INTERNAL, SPAN_UNSET);
  add(builder, (const char *const[]){"4", "2", "back", "two"}, two + back, last + back,
      SPAN_INTERNAL, SPAN_UNSET);
  builder_finish(builder);
}

/* main calls one on a host and, `gap` after it, two on another; their clocks are off by up to
 * `off`, from request to request. `beside`: they run together. */
static void add_hosts(struct builder *builder, struct random *random, size_t number, int64_t gap,
                      int64_t off, const char *host) {
  int64_t start = EPOCH + (int64_t)number * 50 * MS;
  int64_t one = start + 500 * US, ended = one + 4 * MS + below(random, 3 * MS);
  int64_t two = ended + gap, last = two + 2 * MS + below(random, 2 * MS);
  int64_t a = below(random, 2 * off + 1) - off;
  int64_t b = below(random, 2 * off + 1) - off;
  begin(builder, number);
  add(builder, (const char *const[]){"0", NULL, "front", "main"}, start,
      (last > ended ? last : ended) + 600 * US, SPAN_UNKNOWN, SPAN_UNSET);
  add(builder, (const char *const[]){"1", "0", "x", "one"}, one + a, ended + a, SPAN_UNKNOWN,
      SPAN_UNSET);
  add(builder, (const char *const[]){"2", "0", host, "two"}, two + b, last + b, SPAN_UNKNOWN,
      SPAN_UNSET);
  builder_finish(builder);
}

#endif
