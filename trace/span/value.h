/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of JSON files as spans have them; private to trace/span.
 */
#ifndef TRACE_SPAN_VALUE_H
#define TRACE_SPAN_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/slice.h"
#include "base/text.h"
#include "trace/span/scan.h"

/* A string as people mean it: escapes resolved, control characters as blanks. The slice itself
 * where nothing is to be done, else in *room. */
struct slice value_text(struct text *room, struct slice written);

/* A scalar as written; empty where it is null or missing. */
static inline struct slice value_said(struct slice written) {
  bool said = written.length != 0 && !SCAN_IS(written, "null");
  return said ? written : (struct slice){"", 0};
}

/* An id of OTLP in lower-case hexadecimal digits, also where it is written in base64; empty for one
 * of zeros. What is neither stays as it is. */
enum { VALUE_ID_MAX = 32, VALUE_LINK_MAX = 2 * VALUE_ID_MAX + 1 };
struct slice value_id(char room[VALUE_ID_MAX], struct slice written);

/* "TRACE/SPAN", as links to spans of other requests are (trace/span/builder.h); empty where an id is
 * longer than VALUE_ID_MAX. */
enum { VALUE_LINKS_MAX = 128 }; /* what OpenTelemetry's specification lets a span have */
struct slice value_link(char room[VALUE_LINK_MAX], struct slice trace, struct slice span);

/* *ns = the number * 10^shift, exact at any length and rounded down; fails with the place and
 * `what` for what is no number, and for what is outside of SPAN_TIME_MAX. */
bool value_time(struct json_scan *scan, int64_t *ns, struct slice number, int shift,
                const char *what);

/* *end = start + duration, both of value_time. */
bool value_end(struct json_scan *scan, int64_t *end, int64_t start, int64_t duration,
               struct slice number);

#endif
