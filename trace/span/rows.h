/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON that holds spans as objects with named keys: answers of data bases and of many tools, one
 * document or one on each line. A layout says where the spans are and what their keys mean. Private
 * to trace/span.
 */
#ifndef TRACE_SPAN_ROWS_H
#define TRACE_SPAN_ROWS_H

#include "trace/span/intake.h"
#include "trace/span/layout.h"
#include "trace/span/scan.h"

/* Reads to the end of the file. What is wrong with the file is in the scan; the status is then its
 * own, else that of the intake. */
enum status rows_read(struct intake *intake, struct json_scan *scan,
                      const struct span_layout *layout, const struct span_columns *columns);

#endif
