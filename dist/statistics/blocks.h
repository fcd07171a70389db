/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of two sides is slower where values drift over time, so that a test of ranks that needs one
 * law (rank_test.h) cannot tell. Values are in the order they were made, of both sides together.
 *
 *   within blocks  Where most of time has both sides, it is cut into short blocks, and ranks are
 *                  compared within each, so that what moves slower than a block takes no part: the
 *                  stratified test of ranks of van Elteren (Bulletin de l'Institut International de
 *                  Statistique 37, 1960). Its variance under permutation within blocks takes
 *                  neighbours for independent, that of the sums of up to BLOCKS_MOST longer
 *                  stretches takes only these so (Student's t): both must agree.
 *   apart          Where it has not, each side is cut into blocks of as many neighbours, and the
 *                  blocks' mean ranks are held against each other by the exact test of Wilcoxon
 *                  (Biometrics Bulletin 1, 1945). It takes blocks for exchangeable if the sides do
 *                  not differ: what made the values drift is a difference of the sides then, and
 *                  nobody can tell the side from its time. Blocks are long against what neighbours
 *                  of side a depend on each other (serial.h).
 */
#ifndef DIST_STATISTICS_BLOCKS_H
#define DIST_STATISTICS_BLOCKS_H

#include <stdint.h>

#include "dist/statistics/rank_test.h"

enum {
  BLOCKS_LEAST = 10,       /* blocks that have both sides, to compare within them */
  BLOCKS_MOST = 40,        /* stretches of which sums are independent */
  BLOCKS_APART_LEAST = 10, /* of each side, and: */
  BLOCKS_APART_MOST = 40,
};

struct blocks_test {
  enum rank_verdict verdict; /* RANK_UNDECIDED, RANK_A_SLOWER or RANK_B_SLOWER */
  bool apart;
};

/* `of_b` says by value which side it is of; 0 < alpha < 1, of both directions together. With fewer
 * than RANK_TEST_LEAST of a side it is undecided. */
struct blocks_test blocks_test(const int64_t *values, const bool *of_b, size_t count, double alpha);

#endif
