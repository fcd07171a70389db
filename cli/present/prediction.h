/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `whatif predict`, as text or JSON, on stdout.
 */
#ifndef CLI_PRESENT_PREDICTION_H
#define CLI_PRESENT_PREDICTION_H

#include "measure/throughput/experiment/calculator.h"

void prediction_print(const struct prediction *prediction, bool json);

/* The rows, and how many there are on stderr unless a mistake ended them. */
void points_print(const struct points *points, bool complete, bool json);

#endif
