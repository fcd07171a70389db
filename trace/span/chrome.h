/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chrome's trace events, as Chrome, Node.js and many libraries write them: {"traceEvents": [...]}
 * or the list alone, which need not be closed. Such a file knows no requests. Taken for one are
 *
 *   - each outermost slice of a thread (phases X, B and E) with all slices within it;
 *   - each outermost slice of an asynchronous track (phases b and e, or S and F, of one category
 *     and id) with all slices within it.
 *
 * Each is named for its thread or track and its number there: "4711/1#3". Private to trace/span.
 */
#ifndef TRACE_SPAN_CHROME_H
#define TRACE_SPAN_CHROME_H

#include "trace/span/intake.h"
#include "trace/span/scan.h"

/* Reads to the end of the file. What is wrong with the file is in the scan; the status is then its
 * own, else that of intake_finish. */
enum status chrome_read(struct intake *intake, struct json_scan *scan);

#endif
