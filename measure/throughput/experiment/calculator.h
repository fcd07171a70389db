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
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_CALCULATOR_H
#define MEASURE_THROUGHPUT_EXPERIMENT_CALCULATOR_H

#include <stdbool.h>

#include "base/asker.h"
#include "base/vector.h"

/* (before - after) * c / q, in that order. */
double calculator_saved(double before_us, double after_us, double calls, double workers);

/* False, with *predicted unchanged, when what is left of the time per request is not more than a
 * 64th of it, or than `noise` (a share of it, 0 or more). */
bool calculator_predict(double *predicted, double throughput, double saved_us, double noise);

/* The fewest digits that give this number back when they are read; at least one behind the point.
 */
void calculator_digits(char digits[32], double value);

struct prediction_request {
  const struct asker *asker;
  const char *throughput, *saved;      /* "1250.5", "225.8us" */
  const char *calls, *workers, *noise; /* "2", "8", "1.5%"; NULL: 1, 1, 0 */
};

struct prediction {
  bool asked; /* the numbers below are there */
  double throughput, each_us, calls, workers, noise;
  double saved_us; /* of a user request */
  bool given;      /* then: */
  double predicted, low, high;
};

/* The question of `whatif predict`. STATUS_UNKNOWN, after the asker was told why, when nothing can
 * be said. */
enum status prediction_ask(struct prediction *prediction, const struct prediction_request *request);

/* The same for each row of a table (measure/throughput/experiment/points.c). */
struct measured_point {
  unsigned line;
  double saved_us;
  char digits[32];   /* predicted; "": cannot be */
  char recorded[40]; /* what the table says; "": nothing */
  const char *same; /* "bits", "digits" (all that were printed) or "no"; NULL: nothing to compare */
};

struct points {
  VECTOR(struct measured_point) rows;
  unsigned long refused, compared, bits, digits, other;
};

/* STATUS_OK, STATUS_REFUTED when some differ from what was recorded, STATUS_UNKNOWN when some
 * cannot be predicted; STATUS_NO_INPUT and STATUS_DATA after the asker was told: the rows before a
 * mistake are there. */
enum status points_ask(struct points *points, const char *path, const struct asker *asker);
void points_clear(struct points *points);

#endif
