/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of two sides is slower where values may drift over time, so that a test of ranks that needs
 * one law (rank_test.h) cannot tell. Values are in the order they were made, of both sides together.
 * Where each side is in time decides between two tests; no value has a part in that choice, so that
 * each keeps its level.
 *
 *   within blocks  Where most of time has both sides, it is cut into short blocks, and ranks are
 *                  compared within each, so that what moves slower than a block takes no part: the
 *                  stratified test of ranks of van Elteren (Bulletin de l'Institut International de
 *                  Statistique 37, 1960). Its variance under permutation within blocks takes
 *                  neighbours for independent, that of the sums of up to BLOCKS_MOST longer
 *                  stretches takes only these so (Student's t): both must agree.
 *   apart          Where it has not, each side is cut into blocks of neighbours, and the means of
 *                  the blocks' mean ranks are held against each other (Welch's t). Nobody can tell
 *                  the side from its time: what drifts within a side counts as a difference of the
 *                  times that were seen, and what neighbouring blocks differ by is the noise. A
 *                  short incident in one side is noise by that, a long one is not. Blocks are long
 *                  against what neighbours of side a depend on each other (serial.h). Where sides
 *                  take turns BLOCKS_TURNS times or more, the noise is what blocks differ by.
 */
#ifndef DIST_STATISTICS_BLOCKS_H
#define DIST_STATISTICS_BLOCKS_H

#include <stdint.h>

#include "dist/statistics/rank_test.h"

enum {
  BLOCKS_LEAST = 8,        /* blocks that have both sides, to compare within them */
  BLOCKS_MOST = 40,        /* stretches of which sums are independent */
  BLOCKS_APART_LEAST = 10, /* of each side, and: */
  BLOCKS_APART_MOST = 40,
  BLOCKS_TURNS = 10,
  BLOCKS_MEANS_MOST = 128, /* of both sides together */
};

/* Where the sides are in time. */
enum blocks_place {
  BLOCKS_WITHIN,   /* both in most of it */
  BLOCKS_APART,    /* at other times */
  BLOCKS_IN_TURNS, /* at other times that alternate often */
};

/* `of_b` says by value which side it is of. With fewer than RANK_TEST_LEAST of a side: within. */
enum blocks_place blocks_place_of(const bool *of_b, size_t count);

/* RANK_UNDECIDED, RANK_A_SLOWER or RANK_B_SLOWER, by ranks; 0 < alpha < 1, of both directions
 * together. With fewer than RANK_TEST_LEAST of a side it is undecided. */
enum rank_verdict blocks_test(const int64_t *values, const bool *of_b, size_t count, double alpha);

/* The same of sides that are apart, by their means: no more than alpha of the ways to choose b's
 * blocks among up to BLOCKS_MEANS_MOST of both sides have so high a mean, or so low a one. It takes
 * blocks, which are long against the dependence of neighbours in either side, for exchangeable if
 * the sides do not differ, and sees what few blocks have much more of: not of one incident. */
enum rank_verdict blocks_means_test(const int64_t *values, const bool *of_b, size_t count,
                                    double alpha);

#endif
