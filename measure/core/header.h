/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a store's header, names and segments can be what the writer made (measure/core/format.h):
 * magic, version, byte order, sizes, ranges and checks. Proved: any bytes in, no run-time error;
 * after HEADER_GOOD every number that a reader uses as size, offset or index is in range.
 */
#ifndef MEASURE_CORE_HEADER_H
#define MEASURE_CORE_HEADER_H

#include "measure/core/format.h"

enum header_verdict {
  HEADER_GOOD,
  HEADER_SHORT,      /* smaller than a header */
  HEADER_NO_STORE,   /* another magic */
  HEADER_BYTE_ORDER, /* written on a machine of the other byte order */
  HEADER_VERSION,    /* another version of the format */
  HEADER_SIZES,      /* a size or a clock rate out of range */
  HEADER_CHECK,      /* damaged: the check does not fit */
};

/* `bytes`: size of the file. */
enum header_verdict header_check(const struct format_header *header, uint64_t bytes);

/* 1 for a complete name: kind known, both texts terminated and of allowed characters, check fits.
 */
int name_check(const struct format_name *name);

/* 1 for a complete segment that ends within `left` bytes. */
int segment_check(const struct format_segment *segment, uint64_t left, uint32_t names_used);

#endif
