/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The percentiles of an answer (latency.h): of what was replayed, and of the laws.
 */
#ifndef CLI_QUESTION_LATENCY_RANGES_H
#define CLI_QUESTION_LATENCY_RANGES_H

struct latency_answer;
struct variants;

/* Sets answer->percentiles and no_law, and adds to the ledger; `variants` by reading. */
void ranges_find(struct latency_answer *answer, const struct variants *const *variants);

#endif
