/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a store's header, names and segments can be what the writer made (measure/core/format.h):
 * magic, version, byte order, sizes, ranges and checks. Proved: any contents in, no run-time error;
 * each check says yes exactly when all that it covers is in range (proofs/logic/header.acsl), so
 * that every number that a reader uses as size, offset or index can be used; what was sealed with
 * its fields in range is good. Tested: any one flipped bit of what a check covers is noticed.
 *
 * The check of a structure is a number in base HEADER_BASE modulo the prime HEADER_PRIME, whose
 * digits are the structure's half-words (32 bits) and the bytes of its texts, behind a 1. A change
 * of one digit by less than the prime, so of any one bit, changes it.
 */
#ifndef MEASURE_CORE_HEADER_H
#define MEASURE_CORE_HEADER_H

#include "measure/core/format.h"
#include "measure/core/ring.h"

#define HEADER_PRIME 4294967291u /* 2^32 - 5 */
#define HEADER_BASE 2654435769u
#define FORMAT_MAGIC_SWAPPED 0x54545053544f5245u /* FORMAT_MAGIC in the other byte order */

enum header_verdict {
  HEADER_GOOD,
  HEADER_SHORT,      /* smaller than header and table of names, FORMAT_SEGMENTS bytes */
  HEADER_NO_STORE,   /* another magic */
  HEADER_BYTE_ORDER, /* written on a machine of the other byte order */
  HEADER_VERSION,    /* another version of the format */
  HEADER_SIZES,      /* a size or a clock rate out of range, or a text without an end */
  HEADER_CHECK,      /* damaged: the check does not fit */
};

#include "proofs/logic/header.acsl"

/* Each fills in what never differs (magic, version, byte order, sizes) and the check; the caller
 * fills in the rest before. */
/*@ requires storage: \valid(header);
    assigns header->magic, header->version, header->byte_order, header->header_bytes,
      header->name_bytes, header->names_max, header->segment_header_bytes, header->record_words,
      header->sub_buckets, header->buckets, header->check;
    ensures ours: header_is_ours(header);
    ensures fixed: header_fixed(header);
    ensures check: header->check == header_digits(header);
*/
void header_seal(struct format_header *header);
/*@ requires storage: \valid(name);
    assigns name->check;
    ensures check: name->check == name_digits(name);
*/
void name_seal(struct format_name *name);
/*@ requires storage: \valid(segment);
    assigns segment->magic, segment->check;
    ensures magic: segment->magic == FORMAT_SEGMENT_MAGIC;
    ensures check: segment->check == segment_digits(segment);
*/
void segment_seal(struct format_segment *segment);

/* `bytes`: size of the file. For a file that is being written, check a copy. */
/*@ requires storage: \valid_read(header);
    assigns \nothing;
    ensures good: \result == HEADER_GOOD <==>
      FORMAT_SEGMENTS <= bytes && header_is_ours(header) &&
      header->check == header_digits(header) && header_fits(header);
    ensures too_short: \result == HEADER_SHORT <==> bytes < FORMAT_SEGMENTS;
    ensures no_store: \result == HEADER_NO_STORE <==> FORMAT_SEGMENTS <= bytes &&
      header->magic != FORMAT_MAGIC && header->magic != FORMAT_MAGIC_SWAPPED;
    ensures byte_order: \result == HEADER_BYTE_ORDER <==> FORMAT_SEGMENTS <= bytes &&
      (header->magic == FORMAT_MAGIC_SWAPPED ||
       (header->magic == FORMAT_MAGIC && header->byte_order != FORMAT_BYTE_ORDER));
    ensures version: \result == HEADER_VERSION <==> FORMAT_SEGMENTS <= bytes &&
      header->magic == FORMAT_MAGIC && header->byte_order == FORMAT_BYTE_ORDER &&
      header->version != FORMAT_VERSION;
    ensures damaged: \result == HEADER_CHECK <==> FORMAT_SEGMENTS <= bytes &&
      header_is_ours(header) && header->check != header_digits(header);
    ensures out_of_range: \result == HEADER_SIZES <==> FORMAT_SEGMENTS <= bytes &&
      header_is_ours(header) && header->check == header_digits(header) && !header_fits(header);
*/
enum header_verdict header_check(const struct format_header *header, uint64_t bytes);

/* 1 for a complete name: kind known, both texts terminated and of allowed characters, check fits.
 */
/*@ requires storage: \valid_read(name);
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures accepted: \result == 1 <==> name_fits(name) && name->check == name_digits(name);
*/
int name_check(const struct format_name *name);

/* 1 for a complete segment that ends within `left` bytes: of whole pages, with a writer below
 * FORMAT_WRITERS_MAX, large enough for its log, whose capacity is valid (measure/core/ring.h), or
 * for its histogram, whose name is one of those used. */
/*@ requires storage: \valid_read(segment);
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures accepted: \result == 1 <==>
      segment->magic == FORMAT_SEGMENT_MAGIC && segment->check == segment_digits(segment) &&
      segment_fits(segment, left, names_used);
*/
int segment_check(const struct format_segment *segment, uint64_t left, uint32_t names_used);

#endif
