/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests of random shape, as tables of spans: any tree of calls, and loops with something below
 * their rounds and beside them.
 */
#ifndef TESTS_UNIT_TRACE_GROWN_H
#define TESTS_UNIT_TRACE_GROWN_H

#include <stdio.h>

#include "base/random.h"
#include "tests/unit/trace/spans.h"

/* 1 .. 1000 ns. */
static int64_t some(struct random *random) {
  return 1 + (int64_t)random_below(random, 1000);
}

/* A request of random shape: stages of calls side by side, some of them of the same service. */
struct grown {
  struct span_row rows[64];
  char ids[64][4];
  size_t count;
  struct random random, times;
};

static const char *const services[] = {"a", "b", "c"};

static int64_t grow(struct grown *shape, const char *parent, size_t service, int depth,
                    int64_t start, bool client) {
  size_t row = shape->count++;
  snprintf(shape->ids[row], sizeof shape->ids[row], "%zu", row);
  int64_t now = start + some(&shape->times);
  uint64_t stages = depth == 0 ? 0 : client ? 1 : random_below(&shape->random, 3);
  for (uint64_t s = 0; s < stages; s++) {
    uint64_t width = client ? 1 : 1 + random_below(&shape->random, 2);
    int64_t last = now;
    for (uint64_t w = 0; w < width && shape->count < 60; w++) {
      bool is_client = !client && random_below(&shape->random, 3) == 0;
      size_t other = client      ? (service + 1) % 3
                     : is_client ? service
                                 : (size_t)random_below(&shape->random, 3);
      int64_t end =
          grow(shape, shape->ids[row], other, depth - 1, now + some(&shape->times), is_client);
      last = end > last ? end : last;
    }
    now = last + some(&shape->times);
  }
  shape->rows[row] = (struct span_row){shape->ids[row], parent, services[service], shape->ids[row],
                                       start,           now,    SPAN_UNKNOWN,      0};
  return now;
}

/* Below one round of a loop. */
enum below { NOTHING, A_CALL, A_LOOP, EITHER, BELOW_COUNT };

/* A row of the table, `length` long; returns its end. */
static int64_t add_row(struct grown *shape, const char *parent, const char *service,
                       const char *operation, int64_t start, int64_t end) {
  size_t row = shape->count++;
  snprintf(shape->ids[row], sizeof shape->ids[row], "%zu", row);
  shape->rows[row] =
      (struct span_row){shape->ids[row], parent, service, operation, start, end, SPAN_UNKNOWN, 0};
  return end;
}

/* One round from now on; returns when it has ended. */
static int64_t add_round(struct grown *shape, enum below below, int64_t now) {
  size_t row = shape->count;
  uint64_t calls = below == A_LOOP   ? 1 + random_below(&shape->random, 5)
                   : below == EITHER ? random_below(&shape->random, 2)
                                     : below == A_CALL;
  add_row(shape, "0", "shop", "item", now, now);
  for (uint64_t i = 0; i < calls; i++) {
    now += some(&shape->times);
    now = add_row(shape, shape->ids[row], "stock", "look", now, now + some(&shape->times));
  }
  return shape->rows[row].end = now + some(&shape->times);
}

/* shop asks auth, makes a round for each of some items, perhaps none, and asks pay. Beside that it
 * may watch, and sends a note after the second round. */
static void add_looping(struct grown *shape, enum below below, bool beside) {
  memset(shape->rows, 0, sizeof shape->rows);
  shape->count = 0;
  add_row(shape, NULL, "shop", "buy", 0, 0);
  int64_t watch = some(&shape->times), now = some(&shape->times), noted = 0;
  now = add_row(shape, "0", "auth", "in", now, now + some(&shape->times));
  for (uint64_t rounds = random_below(&shape->random, 8), i = 0; i < rounds; i++) {
    now = add_round(shape, below, now + some(&shape->times));
    noted = i == 1 ? now + some(&shape->times) : noted;
  }
  now += some(&shape->times);
  now = add_row(shape, "0", "pay", "in", now, now + some(&shape->times));
  if (beside)
    add_row(shape, "0", "shop", "watch", watch, watch + 8 * some(&shape->times));
  if (beside && noted > 0)
    add_row(shape, "0", "mail", "note", noted, noted + 8 * some(&shape->times));
  for (size_t row = 0; row < shape->count; row++)
    now = shape->rows[row].end > now ? shape->rows[row].end : now;
  shape->rows[0].end = now + some(&shape->times);
}

#endif
