/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pairing of questions and answers, and what a pair says about two clocks. Proved.
 *
 * A question leaves at t1 and its answer is back at t4, on the asker's clock; the answerer stamped
 * it with t2 on its own. With theta = answerer's clock - asker's clock: t1 <= t2 - theta <= t4, so
 * theta lies in [t2 - t4, t2 - t1], and the one-way delays are at most t2 - theta_low - t1 (there)
 * and t4 - (t2 - theta_high) (back).
 */
#ifndef MEASURE_CORE_ROUNDTRIP_H
#define MEASURE_CORE_ROUNDTRIP_H

#include <stdint.h>

#define ROUNDTRIP_WINDOW 64 /* questions of one peer that may be under way */

struct roundtrip_window {
  uint32_t next;                      /* sequence of the next question */
  uint64_t sent_ns[ROUNDTRIP_WINDOW]; /* by sequence mod ROUNDTRIP_WINDOW */
  uint8_t waiting[ROUNDTRIP_WINDOW];  /* 1 while its answer is awaited */
};

enum roundtrip_result { ROUNDTRIP_PAIRED, ROUNDTRIP_UNKNOWN, ROUNDTRIP_CLOCK_BACK };

void roundtrip_init(struct roundtrip_window *window);

/* The sequence of a question sent now. *lost becomes 1 when the slot's earlier question was never
 * answered (it counts as lost), else 0. */
uint32_t roundtrip_ask(struct roundtrip_window *window, uint64_t now_ns, uint8_t *lost);

/* Pairs an answer: PAIRED and the round trip once per question; UNKNOWN for a sequence that is not
 * awaited (a duplicate, a stray, one given up); CLOCK_BACK when now < sent (the question is
 * closed). */
enum roundtrip_result roundtrip_answer(struct roundtrip_window *window, uint32_t sequence,
                                       uint64_t now_ns, uint64_t *sent_ns, uint64_t *roundtrip_ns);

/* Gives up questions sent more than `timeout_ns` before now; returns how many. */
uint32_t roundtrip_expire(struct roundtrip_window *window, uint64_t now_ns, uint64_t timeout_ns);

/* An interval of clock offsets, in ns; empty is never stored. */
struct offset_interval {
  int64_t low, high; /* low <= high */
};

/* The interval that one pair gives; 0 when it does not fit 63 bits or t4 < t1. */
int offset_from_pair(struct offset_interval *interval, uint64_t t1, uint64_t t2, uint64_t t4);

/* Widens by drift (both ends outward by `drift_ns`, saturating), then intersects; 0 with *interval
 * = the new one alone when they do not meet (a clock jumped). */
int offset_combine(struct offset_interval *interval, uint64_t drift_ns,
                   const struct offset_interval *next);

/* Upper bounds of the one-way delays of a pair under an interval; saturate at UINT64_MAX. */
uint64_t oneway_there_up(uint64_t t1, uint64_t t2, const struct offset_interval *interval);
uint64_t oneway_back_up(uint64_t t2, uint64_t t4, const struct offset_interval *interval);

#endif
