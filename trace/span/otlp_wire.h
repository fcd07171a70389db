/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OTLP in protocol buffers (opentelemetry/proto/trace/v1, TracesData): one message, as an exporter
 * sends it; messages with their length before each, as the specification of the file exporter has
 * it, or with the length in four bytes, as the collector writes. Private to trace/span.
 */
#ifndef TRACE_SPAN_OTLP_WIRE_H
#define TRACE_SPAN_OTLP_WIRE_H

#include "trace/span/intake.h"
#include "trace/span/scan.h"

/* What stands before each message. */
enum wire_framing {
  FRAMING_UNKNOWN, /* it is another format */
  FRAMING_NONE,
  FRAMING_VARINT,    /* its length, of 7 bits a byte */
  FRAMING_FOUR_BYTES /* its length, the most significant byte first */
};

/* What the file begins with, so far that there is a span in it. Takes nothing. */
enum wire_framing otlp_wire_tell(struct json_scan *scan);

/* Reads to the end of a file that is told to be one. What is wrong with the file is in the scan; the
 * status is then its own, else that of intake_scatter. */
enum status otlp_wire_read(struct intake *intake, struct json_scan *scan);

#endif
