/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parts of the question of `tail`, private to it.
 */
#ifndef CLI_QUESTION_TAIL_ASKING_H
#define CLI_QUESTION_TAIL_ASKING_H

#include "cli/question/tail/tail.h"

/* Sets sides by the percentile or the threshold, in ns, that was asked for. */
void tail_split_by_time(struct tail_answer *answer, const int64_t *latency, int64_t threshold);

/* STATUS_DATA, after a message, when a side has no request. */
enum status tail_check_sides(const struct tail_answer *answer);

/* Reads traces, and makes sides, causes and marks of them. */
enum status tail_ask_traces(struct tail_answer *answer, int64_t threshold);

/* Joins the profile that was asked for to traces that are split. */
enum status tail_ask_profile(struct tail_answer *answer);
void tail_clear_profile(struct tail_answer *answer);

#endif
