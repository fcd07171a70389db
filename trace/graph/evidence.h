/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much it says that X had ended when Y started in each of n requests. Both are counted from the
 * start of X, so that whatever came before X and delayed both says nothing: x is how long X took,
 * and y when Y started after that. (Where Y is known to wait for others, both are counted from the
 * latest end of these: then x is how much later X ended, and y what is left to explain.)
 *
 * Let d be the least y - x of all requests: each Y started at least d after X had ended. If x had
 * nothing to do with y, each x might as well have met the y of another request. So the chance of
 * what was seen is the share of the n! ways to pair the recorded x with the recorded y in which
 * every y is at least x + d: a permutation test, exact whatever the laws of x and y.
 * In some requests Y may have started sooner, because Y does not wait there or clocks are off. They
 * are passed over: then d is the least y - x of the others. Fewer ways to pair than as many as that
 * many requests could be chosen, times those in which the others agree, are as good; that is an
 * upper bound of the chance, and tries of several numbers are paid for. Example: X took 1, 2, 3, 4,
 * 5 ms, and Y started 0.1 ms after X ended: only one of 120 ways, 0.8
 * %. If instead Y always starts after 10 ms, then d is 5 ms, and 24 of 120 ways agree: 20 %. That Y
 * waited for X is what such a dependence suggests; a common cause that makes X and what comes
 * before Y slow in the same requests is not told from it.
 */
#ifndef TRACE_GRAPH_EVIDENCE_H
#define TRACE_GRAPH_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

struct order_evidence {
  double by_chance; /* share of the ways to pair with every y >= x + d */
  double violated;  /* share of the pairs (x, y) of different requests with x > y; 0 for n = 1 */
};

/* Of `count` requests, at least 1, those `against` with the least y[i] - x[i] are passed over. Both
 * are sorted in place, and x moved by d. */
void evidence_of(struct order_evidence *evidence, int64_t *x, int64_t *y, size_t count,
                 size_t against);

/* About how many requests more than `count` an order needs to be refuted, or supported at the
 * level. ORDER_NEVER (graph.h) when no number does. */
uint64_t evidence_needed(const struct order_evidence *evidence, uint64_t count, double level);

#endif
