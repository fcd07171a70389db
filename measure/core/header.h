/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a store's header, names and segments can be what the writer made (measure/core/format.h):
 * magic, version, byte order, sizes, ranges and checks. Tested and fuzzed, not yet proved: any
 * bytes in, no run-time error; any one flipped bit of what a check covers is noticed; after
 * HEADER_GOOD every number that a reader uses as size, offset or index is in range.
 */
#ifndef MEASURE_CORE_HEADER_H
#define MEASURE_CORE_HEADER_H

#include "measure/core/format.h"

enum header_verdict {
  HEADER_GOOD,
  HEADER_SHORT,      /* smaller than header and table of names, FORMAT_SEGMENTS bytes */
  HEADER_NO_STORE,   /* another magic */
  HEADER_BYTE_ORDER, /* written on a machine of the other byte order */
  HEADER_VERSION,    /* another version of the format */
  HEADER_SIZES,      /* a size or a clock rate out of range, or a text without an end */
  HEADER_CHECK,      /* damaged: the check does not fit */
};

/* Each fills in what never differs (magic, version, byte order, sizes) and the check; the caller
 * fills in the rest before. */
void header_seal(struct format_header *header);
void name_seal(struct format_name *name);
void segment_seal(struct format_segment *segment);

/* `bytes`: size of the file. For a file that is being written, check a copy. */
enum header_verdict header_check(const struct format_header *header, uint64_t bytes);

/* 1 for a complete name: kind known, both texts terminated and of allowed characters, check fits.
 */
int name_check(const struct format_name *name);

/* 1 for a complete segment that ends within `left` bytes: of whole pages, with a writer below
 * FORMAT_WRITERS_MAX, large enough for its log, whose capacity is valid (measure/core/ring.h), or for
 * its histogram, whose name is one of those used. */
int segment_check(const struct format_segment *segment, uint64_t left, uint32_t names_used);

#endif
