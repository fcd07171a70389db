/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One latency in a cell of a table with a header, for the readers of such tables. Nothing is owned.
 */
#ifndef DIST_SOURCE_VALUE_H
#define DIST_SOURCE_VALUE_H

#include "dist/source/reader.h"

/* What `finest` starts as: no digit seen. */
enum { VALUE_FINEST_UNKNOWN = 1000 };

/* The power of ten in ns of the unit that a column's name ends in ("latency_us", "us"); -1 when it
 * ends in none. */
int value_exponent(struct slice name);

/* "inf", "infinity" (with or without +), "timeout", in any case: one that never ended. */
bool value_is_endless(struct slice cell);

/* Whether it stands for what may be any time: whether and when it ended is not known. */
bool value_is_unpaired(struct slice cell);

/* The number in units of 10^exponent ns, rounded outward to ns. *finest becomes the least f such
 * that 10^f ns is what the last digit of a number read so far stands for. */
enum decimal value_read(uint64_t *lower, uint64_t *upper, int *finest, int exponent,
                        struct slice cell);

/* STATUS_DATA, with a message that says why the cell of the column `name` is no latency, `what`
 * being value_read's answer. */
enum status value_fail(const struct reader *reader, struct slice cell, enum decimal what,
                       struct slice name, int exponent);

#endif
