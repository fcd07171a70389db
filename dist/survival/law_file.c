/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/law_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"

/* The largest grid, both sides, no two tails alike, is below this. */
#define FILE_MAX ((size_t)1 << 30)
#define MAGIC "tailproof-law 2"
#define MAGIC_BINARY "tailproof-law 1" /* tails in units of 2^-61 */
#define BINARY_ONE (UINT64_C(1) << 61)

static const char *const side_names[] = {[SIDE_UPPER] = "upper", [SIDE_LOWER] = "lower"};

void law_file_init(struct saved_law *file) {
  memset(file, 0, sizeof *file);
}

void law_file_clear(struct saved_law *file) {
  for (size_t i = 0; i < file->notes.count; i++)
    mem_free(file->notes.data[i]);
  vector_clear(&file->notes);
  survival_clear(&file->sides[SIDE_UPPER]);
  survival_clear(&file->sides[SIDE_LOWER]);
}

bool law_file_is(const char *bytes, size_t length) {
  static const char name[] = "tailproof-law ";
  return length >= strlen(name) && memcmp(bytes, name, strlen(name)) == 0;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void print_side(struct text *out, const struct survival *s) {
  if (s == NULL)
    return;
  text_format(out, "side %s\n", side_names[s->side]);
  size_t points = grid_count(&s->grid);
  for (size_t k = 0, run; k < points; k += run) {
    run = 1;
    while (k + run < points && s->tail[k + run] == s->tail[k])
      run++;
    text_format(out, "%zu %" PRIu64 "\n", run, s->tail[k]);
  }
}

void law_file_print(struct text *out, const struct survival *upper, const struct survival *lower,
                    const char *const *notes, size_t note_count) {
  const struct survival *either = upper != NULL ? upper : lower;
  if (either == NULL || (upper != NULL && upper->side != SIDE_UPPER) ||
      (lower != NULL && lower->side != SIDE_LOWER) ||
      (lower != NULL && !grid_equal(&either->grid, &lower->grid)))
    bug("a law to be saved is on the wrong side or grid");
  struct text text;
  text_init(&text);
  text_append(&text, MAGIC "\n");
  for (size_t i = 0; i < note_count; i++) {
    text_append(&text, "# ");
    for (const char *at = notes[i]; *at != '\0'; at++)
      text_append_bytes(&text, *at == '\n' || *at == '\r' ? " " : at, 1);
    text_append(&text, "\n");
  }
  const struct grid *grid = &either->grid;
  if (grid_is_linear(grid))
    text_format(&text, "grid linear %u %zu\n", grid->shift, grid->points);
  else
    text_format(&text, "grid log %u %u\n", grid->sub_bits, grid->octaves);
  print_side(&text, upper);
  print_side(&text, lower);
  char digest[DIGEST_LENGTH + 1];
  digest_bytes(digest, text.data, text.length);
  text_format(&text, "checksum %s\n", digest);
  text_append_bytes(out, text.data, text.length);
  text_clear(&text);
}

enum status law_file_write(const char *path, const struct survival *upper,
                           const struct survival *lower, const char *const *notes,
                           size_t note_count, struct text *message) {
  struct text text;
  text_init(&text);
  law_file_print(&text, upper, lower, notes, note_count);
  enum status status = file_write(path, text.data, text.length, message);
  text_clear(&text);
  return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

struct input {
  const char *path;
  const char *bytes, *at, *end; /* the current line begins at `line` and ends before `at` */
  const char *line;
  size_t length; /* of the line, without its line feed */
  size_t number; /* from 1 */
  uint64_t one;  /* what the tails are parts of */
  struct text *message;
};

static enum status fail(const struct input *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum status fail(const struct input *in, const char *format, ...) {
  text_format(in->message, "%s:%zu: ", in->path, in->number);
  va_list arguments;
  va_start(arguments, format);
  text_format_list(in->message, format, arguments);
  va_end(arguments);
  return STATUS_DATA;
}

/* What stands in the line, for a message: short, printable. */
static enum status fail_found(const struct input *in, const char *expected) {
  char found[41];
  size_t length = in->length < sizeof found - 1 ? in->length : sizeof found - 1;
  for (size_t i = 0; i < length; i++)
    found[i] = in->line[i] >= ' ' && in->line[i] <= '~' ? in->line[i] : '?';
  found[length] = '\0';
  return fail(in, "found \"%s\"%s, where %s is expected; save the law again", found,
              length < in->length ? "..." : "", expected);
}

static enum status next_line(struct input *in) {
  in->number++;
  const char *feed = in->at == in->end ? NULL : memchr(in->at, '\n', (size_t)(in->end - in->at));
  if (feed == NULL)
    return fail(in, "the file ends before its line \"checksum ...\": it is truncated; save or copy "
                    "it again");
  in->line = in->at;
  in->length = (size_t)(feed - in->at);
  in->at = feed + 1;
  return STATUS_OK;
}

/* A number without sign or leading zeros, at most `most`, at *at; *at moves behind it. */
static bool take_number(uint64_t *value, const char **at, const char *end, uint64_t most) {
  const char *start = *at;
  uint64_t x = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
    unsigned digit = (unsigned)(**at - '0');
    if (x > (most - digit) / 10)
      return false;
    x = 10 * x + digit;
  }
  *value = x;
  return *at != start && (*start != '0' || *at == start + 1);
}

/* Whether the line is the words and then two numbers, separated by single blanks. */
static bool take_pair(const struct input *in, const char *words, uint64_t most, uint64_t *first,
                      uint64_t *second) {
  size_t length = strlen(words);
  const char *at = in->line + length, *end = in->line + in->length;
  if (in->length < length || memcmp(in->line, words, length) != 0)
    return false;
  return take_number(first, &at, end, most) && at < end && *at++ == ' ' &&
         take_number(second, &at, end, most) && at == end;
}

static bool line_is(const struct input *in, const char *words) {
  return in->length == strlen(words) && memcmp(in->line, words, in->length) == 0;
}

static bool line_begins(const struct input *in, const char *words) {
  return in->length >= strlen(words) && memcmp(in->line, words, strlen(words)) == 0;
}

static enum status read_head(struct saved_law *file, struct input *in) {
  if (next_line(in) != STATUS_OK)
    return STATUS_DATA;
  in->one = line_is(in, MAGIC_BINARY) ? BINARY_ONE : SURVIVAL_ONE;
  if (!line_is(in, MAGIC) && !line_is(in, MAGIC_BINARY))
    return law_file_is(in->line, in->length)
               ? fail(in, "this program reads only versions 1 and 2 of saved laws; save the law "
                          "again with this version")
               : fail_found(in, "\"" MAGIC "\"");
  while (next_line(in) == STATUS_OK) {
    if (!line_begins(in, "# "))
      return STATUS_OK;
    vector_push(&file->notes, mem_copy_text(in->line + 2, in->length - 2));
  }
  return STATUS_DATA;
}

static enum status read_grid(struct grid *grid, const struct input *in) {
  uint64_t first = 0, second = 0;
  *grid = (struct grid){0};
  if (take_pair(in, "grid log ", 64, &first, &second)) {
    grid->sub_bits = (unsigned)first;
    grid->octaves = (unsigned)second;
  } else if (take_pair(in, "grid linear ", (uint64_t)1 << 32, &first, &second)) {
    grid->shift = first < 64 ? (unsigned)first : 64;
    grid->points = (size_t)second;
  } else {
    return fail_found(in, "\"grid log SUB_BITS OCTAVES\" or \"grid linear SHIFT POINTS\"");
  }
  if (!grid_is_valid(grid) || (grid_is_linear(grid) && grid->points == 0))
    return fail_found(in, "a grid within the limits of this program");
  return STATUS_OK;
}

static enum status read_tails(struct survival *s, struct input *in) {
  size_t points = grid_count(&s->grid), k = 0;
  uint64_t before = in->one + 1;
  while (k < points) {
    uint64_t run = 0, tail = 0;
    if (next_line(in) != STATUS_OK)
      return STATUS_DATA;
    if (!take_pair(in, "", UINT64_MAX, &run, &tail))
      return fail_found(in, "\"COUNT TAIL\", two whole numbers,");
    if (run == 0 || run > points - k)
      return fail(in,
                  "the counts of this side do not add up to the %zu points of the grid; save "
                  "the law again",
                  points);
    if (tail >= before)
      return fail(in,
                  "tails are at most %" PRIu64 " and decrease from line to line, and %" PRIu64
                  " does not; save the law again",
                  in->one, tail);
    uint64_t chance = survival_share(s->side, tail, in->one); /* itself in units of 10^-18 */
    for (uint64_t i = 0; i < run; i++)
      s->tail[k++] = chance;
    before = tail;
  }
  return STATUS_OK;
}

static enum status read_sides(struct saved_law *file, const struct grid *grid, struct input *in) {
  for (;;) {
    if (next_line(in) != STATUS_OK)
      return STATUS_DATA;
    if (line_begins(in, "checksum "))
      return STATUS_OK;
    enum survival_side side = line_is(in, "side lower") ? SIDE_LOWER : SIDE_UPPER;
    if (side == SIDE_UPPER && !line_is(in, "side upper"))
      return fail_found(in, "\"side upper\", \"side lower\" or \"checksum ...\"");
    if (file->sides[side].tail != NULL)
      return fail(in, "\"side %s\" a second time; save the law again", side_names[side]);
    survival_init_side(&file->sides[side], grid, side);
    if (read_tails(&file->sides[side], in) != STATUS_OK)
      return STATUS_DATA;
  }
}

static enum status read_end(const struct saved_law *file, const struct input *in) {
  if (file->sides[SIDE_UPPER].tail == NULL && file->sides[SIDE_LOWER].tail == NULL)
    return fail(in, "the file holds neither side of a law; save it again");
  char digest[DIGEST_LENGTH + 1];
  digest_bytes(digest, in->bytes, (size_t)(in->line - in->bytes));
  if (in->length != strlen("checksum ") + DIGEST_LENGTH ||
      memcmp(in->line + strlen("checksum "), digest, DIGEST_LENGTH) != 0)
    return fail(in, "the checksum is that of other contents: the file is damaged or was edited; "
                    "save the law again");
  if (in->at != in->end)
    return fail(in, "more follows behind the checksum; one file holds one law");
  return STATUS_OK;
}

enum status law_file_parse(struct saved_law *file, const char *path, const char *bytes,
                           size_t length, struct text *message) {
  struct input in = {
      .path = path, .bytes = bytes, .at = bytes, .end = bytes + length, .message = message};
  struct grid grid;
  enum status status = read_head(file, &in);
  if (status == STATUS_OK)
    status = read_grid(&grid, &in);
  if (status == STATUS_OK)
    status = read_sides(file, &grid, &in);
  if (status == STATUS_OK)
    status = read_end(file, &in);
  if (status != STATUS_OK)
    law_file_clear(file);
  return status;
}

enum status law_file_read(struct saved_law *file, const char *path, struct text *message) {
  char *bytes;
  size_t length;
  enum status status = file_read_or_input(path, FILE_MAX, &bytes, &length, message);
  if (status == STATUS_OK)
    status = law_file_parse(file, file_name(path), bytes, length, message);
  mem_free(bytes);
  return status;
}
