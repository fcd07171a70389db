/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prediction alone, in double precision and in the order of operations of the published
 * calculations (SLOWPOKE, NSDI'26, equation 9): a throughput t that was measured while everybody
 * else paused is one of 1e6 / (1e6 / t - saved) with the shorter work, `saved` being the time in us
 * that one user request saves at the bottleneck, D * c / q.
 *
 * What `whatif throughput` predicts is reckoned in whole numbers instead
 * (measure/throughput/core/predict.h).
 */
#ifndef CLI_QUESTION_THROUGHPUT_CALCULATOR_H
#define CLI_QUESTION_THROUGHPUT_CALCULATOR_H

#include <stdbool.h>

#include "cli/command/options.h"

/* (before - after) * c / q, in that order. */
double calculator_saved(double before_us, double after_us, double calls, double workers);

/* False, with *predicted unchanged, when what is left of the time per request is not more than a
 * 64th of it, or than `noise` (a share of it, 0 or more). */
bool calculator_predict(double *predicted, double throughput, double saved_us, double noise);

/* The fewest digits that give this number back when they are read; at least one behind the point.
 */
void calculator_digits(char digits[32], double value);

/* `tailproof whatif predict`. */
enum status calculator_run(const struct options *options);

/* The same for each row of --points: cli/question/throughput/points.c. */
enum status points_run(const struct options *options);

#endif
