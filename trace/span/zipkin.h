/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Zipkin's JSON, version 2: a span, a list of them, or lists in a list. Private to trace/span.
 */
#ifndef TRACE_SPAN_ZIPKIN_H
#define TRACE_SPAN_ZIPKIN_H

#include "trace/span/intake.h"
#include "trace/span/scan.h"

/* Reads to the end of the file. What is wrong with the file is in the scan; the status is then its
 * own, else that of intake_scatter. */
enum status zipkin_read(struct intake *intake, struct json_scan *scan);

#endif
