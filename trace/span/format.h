/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which format of traces a file has, as its first bytes and keys tell; private to trace/span.
 */
#ifndef TRACE_SPAN_FORMAT_H
#define TRACE_SPAN_FORMAT_H

#include "trace/span/scan.h"

enum trace_format {
  TRACE_NONE,  /* no traces */
  TRACE_EMPTY, /* a list without anything in it */
  TRACE_JAEGER,
  TRACE_OTLP,
  TRACE_OTLP_WIRE, /* in protocol buffers */
  TRACE_ZIPKIN,
  TRACE_CHROME,
  TRACE_STORE, /* .tps */
};

/* Takes a byte order mark, and else nothing. The scan may have failed: what it says then is why
 * this is TRACE_NONE. */
enum trace_format trace_format_tell(struct json_scan *scan);

/* Of what is TRACE_NONE: appends "FILE: ...", one line, which format it has and what to do. */
void trace_format_refuse(struct text *message, const struct json_scan *scan);

/* Whether it is of a format that is known, rather than JSON that is damaged. */
bool trace_format_is_foreign(const struct json_scan *scan);

/* "Jaeger JSON" */
const char *trace_format_name(enum trace_format format);

#endif
