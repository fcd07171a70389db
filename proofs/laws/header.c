/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/header.h"

/* What was sealed with its fields in range is good. */
/*@ requires storage: \valid(header);
    requires clock: header_clock_fits(header);
    requires texts: header_texts_end(header);
    requires names: header->mutable.names_used <= FORMAT_NAMES_MAX;
    requires bytes: FORMAT_SEGMENTS <= bytes;
    assigns header->magic, header->version, header->byte_order, header->header_bytes,
      header->name_bytes, header->names_max, header->segment_header_bytes, header->record_words,
      header->sub_buckets, header->buckets, header->check;
    ensures good: \result == HEADER_GOOD;
*/
enum header_verdict header_sealed(struct format_header *header, uint64_t bytes) {
  header_seal(header);
  return header_check(header, bytes);
}

/*@ requires storage: \valid(name);
    requires in_range: name_fits(name);
    assigns name->check;
    ensures good: \result == 1;
*/
int name_sealed(struct format_name *name) {
  name_seal(name);
  return name_check(name);
}

/*@ requires storage: \valid(segment);
    requires in_range: segment_fits(segment, left, names_used);
    assigns segment->magic, segment->check;
    ensures good: \result == 1;
*/
int segment_sealed(struct format_segment *segment, uint64_t left, uint32_t names_used) {
  segment_seal(segment);
  return segment_check(segment, left, names_used);
}
