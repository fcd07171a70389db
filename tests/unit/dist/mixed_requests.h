/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests of two kinds, or of which some failed.
 */
#ifndef TESTS_UNIT_DIST_MIXED_REQUESTS_H
#define TESTS_UNIT_DIST_MIXED_REQUESTS_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct request {
  bool other; /* of the second kind */
  bool good;
  uint64_t ms;
};

enum { REQUESTS = 400 };

/* 19 of 20 take 1 ms, the others, of another kind, 50 ms. */
static void make_kinds(struct request *requests) {
  for (size_t i = 0; i < REQUESTS; i++)
    requests[i] = i % 20 == 3 ? (struct request){true, true, 50} : (struct request){false, true, 1};
}

/* 3 of 5 fail after 1 ms, the others take 300 ms. */
static void make_failures(struct request *requests) {
  for (size_t i = 0; i < REQUESTS; i++)
    requests[i] =
        i % 5 < 3 ? (struct request){false, false, 1} : (struct request){false, true, 300};
}

static uint64_t count_of(const struct request *requests, bool other, bool good) {
  uint64_t count = 0;
  for (size_t i = 0; i < REQUESTS; i++)
    count += requests[i].other == other && requests[i].good == good;
  return count;
}

#define MS UINT64_C(1000000)

static uint64_t ms_of(const struct request *requests, bool other) {
  for (size_t i = 0; i < REQUESTS; i++)
    if (requests[i].other == other && requests[i].good)
      return requests[i].ms;
  return 0;
}

#endif
