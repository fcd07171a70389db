/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/header.h"

#define HEADER_2_32 4294967296u

/*@ requires reduced: check < HEADER_PRIME;
    requires digit: digit < 4294967296;
    assigns \nothing;
    ensures range: 0 <= \result < HEADER_PRIME;
    ensures added: \result == header_added(check, digit);
*/
static uint64_t header_add(uint64_t check, uint64_t digit) {
  return (check * HEADER_BASE + digit) % HEADER_PRIME;
}

/*@ requires reduced: check < HEADER_PRIME;
    assigns \nothing;
    ensures range: 0 <= \result < HEADER_PRIME;
    ensures added: \result == header_added_word(check, word);
*/
static uint64_t header_add_word(uint64_t check, uint64_t word) {
  return header_add(header_add(check, word % HEADER_2_32), word / HEADER_2_32);
}

/*@ requires reduced: check < HEADER_PRIME;
    requires storage: \valid_read(text + (0 .. bytes - 1));
    assigns \nothing;
    ensures range: 0 <= \result < HEADER_PRIME;
    ensures added: \result == header_added_text(check, text, bytes);
*/
static uint64_t header_add_text(uint64_t check, const char *text, uint32_t bytes) {
  /*@ loop invariant range: 0 <= i <= bytes;
      loop invariant reduced: 0 <= check < HEADER_PRIME;
      loop invariant added: check == header_added_text(\at(check, Pre), text, i);
      loop assigns i, check;
      loop variant bytes - i;
  */
  for (uint32_t i = 0; i < bytes; i++)
    check = header_add(check, (uint8_t)text[i]);
  return check;
}

/*@ requires storage: \valid_read(header);
    assigns \nothing;
    ensures range: 0 <= \result < HEADER_PRIME;
    ensures digits: \result == header_sum_sizes(header);
*/
static uint64_t header_add_sizes(const struct format_header *header) {
  uint64_t sum = header_add_word(1, header->magic);
  sum = header_add(sum, header->version);
  sum = header_add(sum, header->byte_order);
  sum = header_add(sum, header->header_bytes);
  sum = header_add(sum, header->name_bytes);
  sum = header_add(sum, header->names_max);
  sum = header_add(sum, header->segment_header_bytes);
  sum = header_add(sum, header->record_words);
  sum = header_add(sum, header->sub_buckets);
  return header_add(sum, header->buckets);
}

/*@ requires reduced: sum < HEADER_PRIME;
    requires storage: \valid_read(header);
    assigns \nothing;
    ensures range: 0 <= \result < HEADER_PRIME;
    ensures digits: \result == header_sum_clock(sum, header);
*/
static uint64_t header_add_clock(uint64_t sum, const struct format_header *header) {
  sum = header_add(sum, header->clock);
  sum = header_add_word(sum, header->ns_per_tick_up);
  sum = header_add_word(sum, header->ns_per_tick_down);
  sum = header_add_word(sum, header->clock_identity);
  sum = header_add_word(sum, header->clock_resolution_ns);
  return header_add_word(sum, header->clock_cost_ps);
}

/*@ requires reduced: sum < HEADER_PRIME;
    requires storage: \valid_read(header);
    assigns \nothing;
    ensures range: 0 <= \result < HEADER_PRIME;
    ensures digits: \result == header_sum_start(sum, header);
*/
static uint64_t header_add_start(uint64_t sum, const struct format_header *header) {
  sum = header_add_word(sum, header->start_ticks);
  sum = header_add_word(sum, header->start_monotonic_ns);
  sum = header_add_word(sum, header->start_realtime_ns);
  return header_add_word(sum, header->process);
}

/*@ requires reduced: sum < HEADER_PRIME;
    requires storage: \valid_read(header);
    assigns \nothing;
    ensures range: 0 <= \result < HEADER_PRIME;
    ensures digits: \result == header_sum_texts(sum, header);
*/
static uint64_t header_add_texts(uint64_t sum, const struct format_header *header) {
  sum = header_add_text(sum, header->node, FORMAT_TEXT);
  sum = header_add_text(sum, header->host, FORMAT_TEXT);
  return header_add_text(sum, header->program, FORMAT_TEXT);
}

/*@ requires storage: \valid_read(header);
    assigns \nothing;
    ensures digits: \result == header_digits(header);
*/
static uint64_t header_sum(const struct format_header *header) {
  uint64_t sum = header_add_clock(header_add_sizes(header), header);
  return header_add_texts(header_add_start(sum, header), header);
}

/*@ requires storage: \valid_read(name);
    assigns \nothing;
    ensures digits: \result == name_digits(name);
*/
static uint64_t name_sum(const struct format_name *name) {
  uint64_t sum = header_add(header_add(1, name->kind), name->reserved);
  sum = header_add_text(sum, name->name, FORMAT_NAME_TEXT);
  return header_add_text(sum, name->series, FORMAT_NAME_TEXT);
}

/*@ requires storage: \valid_read(segment);
    assigns \nothing;
    ensures digits: \result == segment_digits(segment);
*/
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

/*@ requires storage: \valid_read(text + (0 .. bytes - 1));
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures ends: \result == 1 <==> header_ends(text, bytes);
*/
static int header_terminated(const char *text, uint32_t bytes) {
  /*@ loop invariant range: 0 <= i <= bytes;
      loop invariant not_yet: \forall integer j; 0 <= j < i ==> text[j] != 0;
      loop assigns i;
      loop variant bytes - i;
  */
  for (uint32_t i = 0; i < bytes; i++)
    if (text[i] == 0)
      return 1;
  return 0;
}

/*@ requires storage: \valid_read(header);
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures fit: \result == 1 <==> header_sizes_fit(header);
*/
static int header_sizes(const struct format_header *header) {
  return header->header_bytes == FORMAT_PAGE && header->name_bytes == sizeof(struct format_name) &&
         header->names_max == FORMAT_NAMES_MAX && header->segment_header_bytes == FORMAT_PAGE &&
         header->record_words == FORMAT_RECORD_WORDS &&
         header->sub_buckets == HISTOGRAM_SUB_BUCKETS && header->buckets == HISTOGRAM_BUCKETS &&
         header->mutable.names_used <= FORMAT_NAMES_MAX;
}

/*@ requires storage: \valid_read(header);
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures fits: \result == 1 <==> header_clock_fits(header);
*/
static int header_clock(const struct format_header *header) {
  return (header->clock == 1 || header->clock == 2) && header->ns_per_tick_down >= 1 &&
         header->ns_per_tick_down <= header->ns_per_tick_up &&
         header->ns_per_tick_up <= HEADER_2_32;
}

/*@ requires storage: \valid_read(header);
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures end: \result == 1 <==> header_texts_end(header);
*/
static int header_texts(const struct format_header *header) {
  return header_terminated(header->node, FORMAT_TEXT) &&
         header_terminated(header->host, FORMAT_TEXT) &&
         header_terminated(header->program, FORMAT_TEXT);
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
  if (!header_sizes(header) || !header_clock(header) || !header_texts(header))
    return HEADER_SIZES;
  return HEADER_GOOD;
}

/*@ assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures allowed: \result == 1 <==> name_letter_allowed(c);
*/
static int name_letter(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
         c == '.';
}

/* Whether only allowed characters come before the terminator, and there is one. */
/*@ requires storage: \valid_read(text + (0 .. FORMAT_NAME_TEXT - 1));
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures allowed: \result == 1 <==> name_text_allowed(text);
*/
static int name_text(const char *text) {
  /*@ loop invariant range: 0 <= i <= FORMAT_NAME_TEXT;
      loop invariant not_yet: \forall integer j; 0 <= j < i ==> text[j] != 0;
      loop invariant letters: \forall integer j; 0 <= j < i ==> name_letter_allowed(text[j]);
      loop assigns i;
      loop variant FORMAT_NAME_TEXT - i;
  */
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
