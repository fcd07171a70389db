/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of a table that stand there more than once, where none of them has an identity: a file that
 * was put together twice, or of parts that overlap. Single rows may well be equal, if times are
 * coarse; what is looked for no independent requests leave.
 *
 *   all     Each row stands there k times, or 2k: of 32 different rows or more, each of which has
 *           an odd number with a chance of 1/2 or more where k is 2, and so on (a number of draws
 *           that is Poisson's and above 0 is divisible by k with a chance of about 1/k at most).
 *           The least k is told.
 *   block   64 rows or more that follow each other, with 32 different ones among them, follow each
 *           other a second time.
 *
 * Use: repeats_add for each row; repeats_find; repeats_clear in any case. Rows are known by hashes.
 */
#ifndef DIST_SOURCE_REPEATS_H
#define DIST_SOURCE_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/vector.h"

enum { REPEATS_BLOCK = 64, REPEATS_DIFFERENT = 32 };

struct repeats {
  VECTOR(uint64_t) rows; /* of more than 2^20 none is looked at */
  bool many;
};

void repeats_add(struct repeats *repeats, struct slice row);

struct repeats_found {
  size_t times;        /* that each row stands there; 0: not all of them */
  size_t block;        /* rows of a block that stands there twice; 0: none */
  size_t first, again; /* where it begins, from 0 */
};

/* false: neither. */
bool repeats_find(struct repeats_found *found, const struct repeats *repeats);

void repeats_clear(struct repeats *repeats);

#endif
