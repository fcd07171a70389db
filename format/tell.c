/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "format/tell.h"

#include <regex.h>
#include <string.h>

#include "base/memory.h"

/* A line is looked at so far, and so much of all lines. */
enum { LINE_MOST = 1000, LINES_MOST = 16 << 10 };

/* ---- signs */

/* Compiled once, and kept for the life of the process, as the table is. */
struct compiled {
  regex_t expression;
  bool is;
};

static regex_t *compile(struct compiled *compiled, const char *text, int flags) {
  if (!compiled->is &&
      regcomp(&compiled->expression, text, REG_EXTENDED | REG_NOSUB | REG_ICASE | flags) != 0)
    bug("format: no regular expression: %s", text);
  compiled->is = true;
  return &compiled->expression;
}

static bool matches(struct compiled *compiled, const char *text, struct slice line, int flags) {
  size_t most = flags == 0 ? LINE_MOST : LINES_MOST;
  regmatch_t part = {0, (regoff_t)(line.length > most ? most : line.length)};
  return regexec(compile(compiled, text, flags), line.start, 1, &part, REG_STARTEND) == 0;
}

static bool has_magic(const struct format_sign *sign, struct slice bytes) {
  return bytes.length >= sign->offset + sign->magic_length &&
         memcmp(bytes.start + sign->offset, sign->magic, sign->magic_length) == 0;
}

static bool names_column(struct slice header, struct slice wanted, char separator) {
  struct slice cell;
  while (slice_field(&cell, &header, separator)) {
    if (cell.length > 1 && cell.start[0] == '"' && cell.start[cell.length - 1] == '"')
      cell = (struct slice){cell.start + 1, cell.length - 2};
    if (cell.length != wanted.length)
      continue;
    char lower[64] = "";
    if (wanted.length < sizeof lower)
      memcpy(lower, wanted.start, wanted.length);
    if (slice_is_word(cell, lower))
      return true;
  }
  return false;
}

bool format_has_columns(const struct format_beginning *beginning, const char *columns) {
  struct slice wanted = {columns, strlen(columns)}, name;
  if (beginning->paths.json || beginning->line_count == 0)
    return false;
  struct slice header = beginning->lines[0];
  char separator = memchr(header.start, '\t', header.length) != NULL  ? '\t'
                   : memchr(header.start, ',', header.length) != NULL ? ','
                                                                      : ';';
  while (slice_field(&name, &wanted, ','))
    if (!names_column(header, name, separator))
      return false;
  return true;
}

/* Lines without the blanks that some have in front are looked at from their first byte. */
static bool has_lines(struct compiled compiled[3], const struct format_sign *sign,
                      const struct format_beginning *beginning) {
  struct slice bytes = beginning->bytes;
  bool body = beginning->body < beginning->line_count;
  if (!beginning->text || beginning->line_count == 0)
    return false;
  return (sign->first == NULL || matches(&compiled[0], sign->first, beginning->lines[0], 0)) &&
         (sign->body == NULL ||
          (body && matches(&compiled[1], sign->body, beginning->lines[beginning->body], 0))) &&
         (sign->lines == NULL || matches(&compiled[2], sign->lines, bytes, REG_NEWLINE));
}

static bool sign_holds(enum format_id id, size_t which, const struct format_sign *sign,
                       const struct format_beginning *beginning) {
  static struct compiled compiled[KNOWN_COUNT][FORMAT_SIGNS_MOST][3];
  bool lines = sign->first != NULL || sign->body != NULL || sign->lines != NULL;
  return (sign->magic == NULL || has_magic(sign, beginning->bytes)) &&
         (sign->keys == NULL || format_paths_meet(&beginning->paths, sign->keys)) &&
         (sign->columns == NULL || format_has_columns(beginning, sign->columns)) &&
         (sign->tell == NULL || sign->tell(beginning)) &&
         (!lines || has_lines(compiled[id][which], sign, beginning));
}

static bool is_sign(const struct format_sign *sign) {
  return sign->magic != NULL || sign->keys != NULL || sign->columns != NULL ||
         sign->first != NULL || sign->body != NULL || sign->lines != NULL || sign->tell != NULL;
}

bool format_holds(const struct format_entry *row, const struct format_beginning *beginning) {
  for (size_t i = 0; i < FORMAT_SIGNS_MOST && is_sign(&row->signs[i]); i++)
    if (sign_holds(row->id, i, &row->signs[i], beginning))
      return true;
  return false;
}

/* ---- which of them */

static bool ends_in(const char *name, const char *suffix) {
  size_t length = name == NULL ? 0 : strlen(name), size = suffix == NULL ? 0 : strlen(suffix);
  if (length > 3 && memcmp(name + length - 3, ".gz", 3) == 0)
    length -= 3;
  return size != 0 && length > size && memcmp(name + length - size, suffix, size) == 0;
}

static void weigh(struct format_told *told, const struct format_entry *row, const char *name) {
  const struct format_entry *best = format_row(told->id);
  if (told->id == KNOWN_NONE || row->rank > best->rank) {
    *told = (struct format_told){row->id, KNOWN_NONE};
    return;
  }
  if (row->rank < best->rank)
    return;
  bool one = ends_in(name, best->suffix), other = ends_in(name, row->suffix);
  if (one == other)
    told->other = row->id;
  else if (other)
    *told = (struct format_told){row->id, KNOWN_NONE};
}

struct format_told format_tell(const struct format_beginning *beginning, const char *name) {
  struct format_told told = {KNOWN_NONE, KNOWN_NONE};
  for (int id = KNOWN_NONE + 1; id < KNOWN_COUNT; id++) {
    const struct format_entry *row = format_row((enum format_id)id);
    bool surer = told.id == KNOWN_NONE || row->rank >= format_row(told.id)->rank;
    if (surer && format_holds(row, beginning))
      weigh(&told, row, name);
  }
  return told;
}

struct format_told format_tell_bytes(struct slice bytes, const char *name) {
  struct format_beginning beginning;
  format_beginning_init(&beginning, bytes);
  struct format_told told = format_tell(&beginning, name);
  format_beginning_clear(&beginning);
  return told;
}

struct format_told format_tell_file(const char *path) {
  char *bytes;
  size_t length;
  format_read_beginning(&bytes, &length, path);
  struct format_told told = format_tell_bytes((struct slice){bytes, length}, path);
  mem_free(bytes);
  return told;
}
