/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jaeger's JSON, as its pages and its /api/traces give it: {"data": [TRACE, ...]}, {"data": TRACE},
 * or TRACE alone, one or several in a file. Processes may stand behind the spans that name them.
 * Private to trace/span.
 */
#ifndef TRACE_SPAN_JAEGER_H
#define TRACE_SPAN_JAEGER_H

#include "trace/span/intake.h"
#include "trace/span/scan.h"

/* Reads to the end of the file. What is wrong with the file is in the scan; the status is then its
 * own, else that of intake_finish. */
enum status jaeger_read(struct intake *intake, struct json_scan *scan);

#endif
