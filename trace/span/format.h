/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which format of traces a file has, as its first bytes and keys tell; private to trace/span.
 */
#ifndef TRACE_SPAN_FORMAT_H
#define TRACE_SPAN_FORMAT_H

#include "trace/span/layout.h"
#include "trace/span/scan.h"

enum trace_format {
  TRACE_NONE,  /* no traces */
  TRACE_EMPTY, /* a list without anything in it */
  TRACE_JAEGER,
  TRACE_OTLP,
  TRACE_OTLP_WIRE, /* in protocol buffers */
  TRACE_ZIPKIN,
  TRACE_CHROME,
  TRACE_ROWS,  /* JSON of which a layout says what it means */
  TRACE_TABLE, /* the same as a table */
  TRACE_STORE, /* .tps */
};

/* Of --columns: what they say, and where they are in a file. */
struct format_columns {
  struct span_columns columns;
  struct span_layout layout;
  struct text room[2];
};

/* Takes a byte order mark, and else nothing. The scan may have failed: what it says then is why
 * this is TRACE_NONE. `given`, unless NULL, are columns for what is of no other format that is
 * read. *layout is set for TRACE_ROWS and TRACE_TABLE. */
enum trace_format trace_format_tell(struct json_scan *scan, struct format_columns *given,
                                    const struct span_layout **layout);

/* Of what is TRACE_NONE: appends "FILE: ...", one line, which format it has and what to do. */
void trace_format_refuse(struct text *message, const struct json_scan *scan);

/* Whether it is of a format that is known, rather than JSON that is damaged. */
bool trace_format_is_foreign(const struct json_scan *scan);

/* "Jaeger JSON" */
const char *trace_format_name(enum trace_format format);

#endif
