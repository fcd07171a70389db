/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The check of a structure is a number in base HEADER_BASE modulo the prime HEADER_PRIME, whose
 * digits are the structure's half-words (32 bits) and the bytes of its texts, behind a 1. A change
 * of one digit by less than the prime, so of any one bit, changes it.
 */
#include "measure/core/header.h"
#include "measure/core/ring.h"

#define HEADER_PRIME 4294967291u /* 2^32 - 5 */
#define HEADER_BASE 2654435769u
#define HEADER_2_32 4294967296u
#define FORMAT_MAGIC_SWAPPED 0x54545053544f5245u /* FORMAT_MAGIC in the other byte order */

static uint64_t header_add(uint64_t check, uint64_t digit) {
  return (check * HEADER_BASE + digit) % HEADER_PRIME;
}

static uint64_t header_add_word(uint64_t check, uint64_t word) {
  return header_add(header_add(check, word % HEADER_2_32), word / HEADER_2_32);
}

static uint64_t header_add_text(uint64_t check, const char *text, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i++)
    check = header_add(check, (uint8_t)text[i]);
  return check;
}

static uint64_t header_sum(const struct format_header *header) {
  uint64_t sum = header_add_word(1, header->magic);
  sum = header_add(sum, header->version);
  sum = header_add(sum, header->byte_order);
  sum = header_add(sum, header->header_bytes);
  sum = header_add(sum, header->name_bytes);
  sum = header_add(sum, header->names_max);
  sum = header_add(sum, header->segment_header_bytes);
  sum = header_add(sum, header->record_words);
  sum = header_add(sum, header->sub_buckets);
  sum = header_add(sum, header->buckets);
  sum = header_add(sum, header->clock);
  sum = header_add_word(sum, header->ns_per_tick_up);
  sum = header_add_word(sum, header->ns_per_tick_down);
  sum = header_add_word(sum, header->clock_identity);
  sum = header_add_word(sum, header->clock_resolution_ns);
  sum = header_add_word(sum, header->clock_cost_ps);
  sum = header_add_word(sum, header->start_ticks);
  sum = header_add_word(sum, header->start_monotonic_ns);
  sum = header_add_word(sum, header->start_realtime_ns);
  sum = header_add_word(sum, header->process);
  sum = header_add_text(sum, header->node, FORMAT_TEXT);
  sum = header_add_text(sum, header->host, FORMAT_TEXT);
  return header_add_text(sum, header->program, FORMAT_TEXT);
}

static uint64_t name_sum(const struct format_name *name) {
  uint64_t sum = header_add(header_add(1, name->kind), name->reserved);
  sum = header_add_text(sum, name->name, FORMAT_NAME_TEXT);
  return header_add_text(sum, name->series, FORMAT_NAME_TEXT);
}

static uint64_t segment_sum(const struct format_segment *segment) {
  uint64_t sum = header_add_word(header_add_word(1, segment->magic), segment->bytes);
  sum = header_add(header_add(sum, segment->kind), segment->writer);
  return header_add(header_add(sum, segment->name), segment->capacity);
}

void header_seal(struct format_header *header) {
  header->magic = FORMAT_MAGIC;
  header->version = FORMAT_VERSION;
  header->byte_order = FORMAT_BYTE_ORDER;
  header->header_bytes = FORMAT_PAGE;
  header->name_bytes = sizeof(struct format_name);
  header->names_max = FORMAT_NAMES_MAX;
  header->segment_header_bytes = FORMAT_PAGE;
  header->record_words = FORMAT_RECORD_WORDS;
  header->sub_buckets = HISTOGRAM_SUB_BUCKETS;
  header->buckets = HISTOGRAM_BUCKETS;
  header->check = header_sum(header);
}

void name_seal(struct format_name *name) {
  name->check = name_sum(name);
}

void segment_seal(struct format_segment *segment) {
  segment->magic = FORMAT_SEGMENT_MAGIC;
  segment->check = segment_sum(segment);
}

static int header_terminated(const char *text, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i++)
    if (text[i] == 0)
      return 1;
  return 0;
}

static int header_sizes(const struct format_header *header) {
  return header->header_bytes == FORMAT_PAGE && header->name_bytes == sizeof(struct format_name) &&
         header->names_max == FORMAT_NAMES_MAX && header->segment_header_bytes == FORMAT_PAGE &&
         header->record_words == FORMAT_RECORD_WORDS &&
         header->sub_buckets == HISTOGRAM_SUB_BUCKETS && header->buckets == HISTOGRAM_BUCKETS &&
         header->mutable.names_used <= FORMAT_NAMES_MAX;
}

static int header_clock(const struct format_header *header) {
  return (header->clock == 1 || header->clock == 2) && header->ns_per_tick_down >= 1 &&
         header->ns_per_tick_down <= header->ns_per_tick_up &&
         header->ns_per_tick_up <= HEADER_2_32;
}

enum header_verdict header_check(const struct format_header *header, uint64_t bytes) {
  if (bytes < FORMAT_SEGMENTS)
    return HEADER_SHORT;
  if (header->magic == FORMAT_MAGIC_SWAPPED)
    return HEADER_BYTE_ORDER;
  if (header->magic != FORMAT_MAGIC)
    return HEADER_NO_STORE;
  if (header->byte_order != FORMAT_BYTE_ORDER)
    return HEADER_BYTE_ORDER;
  if (header->version != FORMAT_VERSION)
    return HEADER_VERSION;
  if (header->check != header_sum(header))
    return HEADER_CHECK;
  if (!header_sizes(header) || !header_clock(header) ||
      !header_terminated(header->node, FORMAT_TEXT) ||
      !header_terminated(header->host, FORMAT_TEXT) ||
      !header_terminated(header->program, FORMAT_TEXT))
    return HEADER_SIZES;
  return HEADER_GOOD;
}

static int name_letter(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
         c == '.';
}

/* Whether only allowed characters come before the terminator, and there is one. */
static int name_text(const char *text) {
  for (uint32_t i = 0; i < FORMAT_NAME_TEXT; i++) {
    if (text[i] == 0)
      return 1;
    if (!name_letter(text[i]))
      return 0;
  }
  return 0;
}

int name_check(const struct format_name *name) {
  return name->kind >= FORMAT_COMPONENT && name->kind <= FORMAT_REQUEST && name->name[0] != 0 &&
         name_text(name->name) && name_text(name->series) && name->check == name_sum(name);
}

int segment_check(const struct format_segment *segment, uint64_t left, uint32_t names_used) {
  if (segment->magic != FORMAT_SEGMENT_MAGIC || segment->check != segment_sum(segment) ||
      segment->bytes > left || segment->bytes % FORMAT_PAGE != 0 ||
      segment->writer >= FORMAT_WRITERS_MAX)
    return 0;
  if (segment->kind == FORMAT_LOG)
    return ring_capacity_valid(segment->capacity) &&
           segment->bytes >= FORMAT_PAGE + segment->capacity * (uint64_t)FORMAT_RECORD_BYTES;
  return segment->kind == FORMAT_HISTOGRAM && segment->name < names_used &&
         segment->bytes >= FORMAT_PAGE + sizeof(struct histogram);
}
