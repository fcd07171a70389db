/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OTLP's JSON: {"resourceSpans": [...]}, one or many in a file, in the spellings that file
 * exporters and query services write: "batches", "instrumentationLibrarySpans", "result" or "trace"
 * around it, ids in hexadecimal digits or base64, numbers as strings, words for kinds. Private to
 * trace/span.
 */
#ifndef TRACE_SPAN_OTLP_H
#define TRACE_SPAN_OTLP_H

#include "trace/span/intake.h"
#include "trace/span/scan.h"

/* Reads to the end of the file. What is wrong with the file is in the scan; the status is then its
 * own, else that of intake_scatter. */
enum status otlp_read(struct intake *intake, struct json_scan *scan);

#endif
