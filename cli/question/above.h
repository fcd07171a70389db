/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What --above says is slow: a percentile, "p99.9", or a time, "250ms".
 */
#ifndef CLI_QUESTION_ABOVE_H
#define CLI_QUESTION_ABOVE_H

#include <stdint.h>

#include "base/asker.h"

/* *percent is above 0 and below 100, and *threshold_ns 0; or *percent is 0. STATUS_USAGE after a
 * complaint. */
enum status above_read(double *percent, int64_t *threshold_ns, const char *above,
                       const struct asker *asker);

#endif
