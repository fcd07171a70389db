/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of spans, a row each, with names of columns in the first line: CSV (RFC 4180) with commas,
 * semicolons or tabs. Columns that say nothing of the span itself are its tags. Private to
 * trace/span.
 */
#ifndef TRACE_SPAN_TABLE_H
#define TRACE_SPAN_TABLE_H

#include "trace/span/intake.h"
#include "trace/span/layout.h"
#include "trace/span/scan.h"

/* Reads to the end of the file. What is wrong with the file is in the scan; the status is then its
 * own, else that of the intake. */
enum status table_read(struct intake *intake, struct json_scan *scan,
                       const struct span_layout *layout, const struct span_columns *columns);

#endif
