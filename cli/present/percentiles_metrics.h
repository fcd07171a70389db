/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The percentiles of a bound and of what was observed as metrics, in the text that Prometheus
 * collects (0.0.4), for its node exporter or for `tailproof agent`.
 */
#ifndef CLI_PRESENT_PERCENTILES_METRICS_H
#define CLI_PRESENT_PERCENTILES_METRICS_H

#include <time.h>

#include "base/text.h"

struct percentiles;

/* Appends them. `now` is the moment that they are from. */
void percentiles_print_metrics(struct text *text, const struct percentiles *run, time_t now);

#endif
