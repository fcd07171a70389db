/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The weights of the checks in records and stamps: a check is the sum of the half-words x_j (32
 * bits) times weight j. Weights are below 2^28, so that the sum of 15 products fits in 64 bits
 * without wrapping; they are odd and coprime to 2^32 - 1 = 3 * 5 * 17 * 257 * 65537, so that a
 * change of one half-word changes the sum also modulo 2^32 - 1 (but for one of 0 to 2^32 - 1);
 * otherwise they are arbitrary, so that small changes of two half-words do not cancel out.
 */
#ifndef MEASURE_CORE_WEIGHTS_H
#define MEASURE_CORE_WEIGHTS_H

#define WEIGHT_0 224837533
#define WEIGHT_1 233218211
#define WEIGHT_2 224051437
#define WEIGHT_3 196387823
#define WEIGHT_4 243483773
#define WEIGHT_5 214599677
#define WEIGHT_6 156815363
#define WEIGHT_7 221916971
#define WEIGHT_8 214709347
#define WEIGHT_9 215043313
#define WEIGHT_10 241753231
#define WEIGHT_11 190618253
#define WEIGHT_12 258312463
#define WEIGHT_13 234720871
#define WEIGHT_14 200409397

#endif
