/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/scan.h"

#include <endian.h>
#include <stdarg.h>
#include <string.h>

#include "base/file.h"

enum {
  CHUNK = 256 * 1024,
  WORD = 8, /* bytes looked at together; so many may be read behind the end */
};

enum status scan_open(struct json_scan *scan, const char *path) {
  *scan = (struct json_scan){.name = path, .line = 1};
  text_init(&scan->message);
  scan->bytes = mem_alloc(CHUNK + WORD, 1);
  scan->capacity = CHUNK;
  scan->at = scan->end = scan->unit = scan->bytes;
  scan->status = stream_open(&scan->stream, path, &scan->message);
  scan->state = scan->status == STATUS_OK ? SCAN_GOOD : SCAN_FAILED;
  return scan->status;
}

void scan_close(struct json_scan *scan) {
  stream_close(scan->stream);
  mem_free(scan->bytes);
  vector_clear(&scan->open);
  text_clear(&scan->message);
}

/* ---- places */

static void pass_lines(uint64_t *line, uint64_t *column, const char *from, const char *to) {
  for (const char *at; (at = memchr(from, '\n', (size_t)(to - from))) != NULL; from = at + 1) {
    *line += 1;
    *column = 0;
  }
  *column += (uint64_t)(to - from);
}

bool scan_fail(struct json_scan *scan, const char *place, const char *format, ...) {
  if (scan->state == SCAN_FAILED)
    return false;
  uint64_t line = scan->line, column = scan->column;
  pass_lines(&line, &column, scan->bytes, place);
  text_clear(&scan->message);
  text_format(&scan->message, "%s:%llu:%llu: ", file_name(scan->name), (unsigned long long)line,
              (unsigned long long)column + 1);
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&scan->message, format, arguments);
  va_end(arguments);
  scan->state = SCAN_FAILED;
  scan->status = STATUS_DATA;
  return false;
}

bool scan_starve(struct json_scan *scan) {
  if (scan->ended) {
    scan->truncated = scan_good(scan);
    return scan_fail(scan, scan->end,
                     "the file ends within a value; it is truncated: fetch or write it again");
  }
  if (scan->state == SCAN_GOOD)
    scan->state = SCAN_STARVED;
  return false;
}

static bool fail_here(struct json_scan *scan, const char *expected) {
  if (!scan_good(scan))
    return false;
  if (scan->at == scan->end)
    return scan_starve(scan);
  unsigned char c = (unsigned char)*scan->at;
  if (c < 0x20 || c >= 0x7f)
    return scan_fail(scan, scan->at, "byte 0x%02x stands where %s is expected; the JSON is damaged",
                     c, expected);
  return scan_fail(scan, scan->at, "'%c' stands where %s is expected; the JSON is damaged", c,
                   expected);
}

/* ---- bytes */

static void begin(struct json_scan *scan) {
  scan->unit = scan->at;
  scan->unit_fresh = scan->fresh;
}

void scan_rewind(struct json_scan *scan) {
  scan->at = scan->unit;
  scan->fresh = scan->unit_fresh;
}

/* The unit goes to the front, and behind it there is room for another chunk. */
static void make_room(struct json_scan *scan) {
  size_t kept = (size_t)(scan->end - scan->unit);
  pass_lines(&scan->line, &scan->column, scan->bytes, scan->unit);
  if (scan->capacity - kept >= CHUNK / 2) {
    memmove(scan->bytes, scan->unit, kept);
  } else {
    scan->capacity *= 2;
    char *bytes = mem_alloc(scan->capacity + WORD, 1);
    memcpy(bytes, scan->unit, kept);
    mem_free(scan->bytes);
    scan->bytes = bytes;
  }
  scan->unit = scan->bytes;
  scan->end = scan->bytes + kept;
}

/* Whether the unit is to be taken again. */
static bool again(struct json_scan *scan) {
  if (scan->state != SCAN_STARVED)
    return false;
  make_room(scan);
  size_t kept = (size_t)(scan->end - scan->bytes), got = 0;
  scan_rewind(scan);
  scan->state = SCAN_GOOD;
  if (kept >= SCAN_UNIT_MAX)
    return scan_fail(scan, scan->at, "a value of more than %zu MB begins here; split the file",
                     SCAN_UNIT_MAX >> 20);
  scan->status =
      stream_read(scan->stream, scan->bytes + kept, scan->capacity - kept, &got, &scan->message);
  if (scan->status != STATUS_OK)
    scan->state = SCAN_FAILED;
  scan->ended = got == 0;
  scan->end = scan->bytes + kept + got;
  memset(scan->bytes + kept + got, 0, WORD);
  return scan_good(scan);
}

bool scan_unit(struct json_scan *scan, bool (*take)(void *context), void *context) {
  begin(scan);
  while (!take(context) && again(scan))
    ;
  return scan_good(scan);
}

/* ---- tokens */

static inline void skip_blanks(struct json_scan *scan) {
  const char *at = scan->at;
  while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
    at++;
  scan->at = at;
}

char scan_peek(struct json_scan *scan) {
  if (!scan_good(scan))
    return 0;
  skip_blanks(scan);
  return *scan->at;
}

bool scan_forgive_end(struct json_scan *scan) {
  if (!scan->truncated)
    return false;
  scan->truncated = false;
  scan->state = SCAN_GOOD;
  scan->status = STATUS_OK;
  return true;
}

bool scan_at_end(struct json_scan *scan) {
  while (scan_peek(scan) == 0 && scan->at == scan->end && !scan->ended && scan_good(scan)) {
    begin(scan);
    scan->state = SCAN_STARVED;
    again(scan);
  }
  return !scan_good(scan) || scan->at == scan->end;
}

bool scan_enter(struct json_scan *scan, char bracket) {
  if (scan_peek(scan) != bracket)
    return fail_here(scan, bracket == '{' ? "an object, {...}," : "a list, [...],");
  scan->at++;
  scan->fresh = true;
  return true;
}

/* Takes the comma before the next of an object or a list, or the closing bracket. */
static bool take_next(struct json_scan *scan, char closing) {
  char c = scan_peek(scan);
  if (c == closing) {
    scan->at++;
    scan->fresh = false;
    return false;
  }
  if (scan->fresh && c != 0) {
    scan->fresh = false;
    return true;
  }
  if (c != ',')
    return fail_here(scan, closing == '}' ? "a comma or }" : "a comma or ]");
  scan->at++;
  return true;
}

bool scan_key(struct json_scan *scan, struct slice *key) {
  if (!take_next(scan, '}'))
    return false;
  if (scan_peek(scan) != '"')
    return fail_here(scan, "a key in quotes");
  if (!scan_string(scan, key))
    return false;
  if (scan_peek(scan) != ':')
    return fail_here(scan, "a colon behind the key");
  scan->at++;
  return true;
}

bool scan_item(struct json_scan *scan) {
  return take_next(scan, ']');
}

/* The first quote, backslash or control byte. Eight at a time: the lowest of the bits that are set
 * is right (Mycroft's test; Warren, Hacker's Delight, 6-1). */
static inline const char *end_of_plain(const char *at) {
  const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
  for (;; at += WORD) {
    uint64_t word;
    memcpy(&word, at, WORD);
    word = le64toh(word);
    uint64_t quote = word ^ (ones * '"'), back = word ^ (ones * '\\');
    uint64_t found =
        (((quote - ones) & ~quote) | ((back - ones) & ~back) | ((word - ones * 0x20) & ~word)) &
        highs;
    if (found != 0)
      return at + __builtin_ctzll(found) / 8;
  }
}

static bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Behind a backslash. */
static bool skip_escape(struct json_scan *scan) {
  if (*scan->at == 'u') {
    for (int i = 1; i <= 4; i++)
      if (!is_hex(scan->at[i])) {
        scan->at += i;
        return fail_here(scan, "a hexadecimal digit");
      }
    scan->at += 5;
    return true;
  }
  if (*scan->at == 0 || strchr("\"\\/bfnrt", *scan->at) == NULL)
    return fail_here(scan, "an escape such as \\n");
  scan->at++;
  return true;
}

bool scan_string(struct json_scan *scan, struct slice *text) {
  if (scan_peek(scan) != '"')
    return fail_here(scan, "a string");
  const char *start = scan->at + 1;
  for (scan->at = end_of_plain(start); *scan->at != '"'; scan->at = end_of_plain(scan->at)) {
    if (*scan->at != '\\')
      return fail_here(scan, "a closing quote");
    scan->at++;
    if (!skip_escape(scan))
      return false;
  }
  *text = (struct slice){start, (size_t)(scan->at - start)};
  scan->at++;
  return true;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *at) {
  while (is_digit(*at))
    at++;
  return at;
}

/* What JSON allows: no sign +, no leading zeros, digits around a point. */
static bool take_number(struct json_scan *scan) {
  const char *start = scan->at, *at = start + (*start == '-'), *digits = at;
  at = skip_digits(at);
  bool good = at != digits && (*digits != '0' || at == digits + 1);
  if (good && *at == '.') {
    digits = at + 1;
    at = skip_digits(digits);
    good = at != digits;
  }
  if (good && (*at == 'e' || *at == 'E')) {
    digits = at + 1 + (at[1] == '+' || at[1] == '-');
    at = skip_digits(digits);
    good = at != digits;
  }
  scan->at = at;
  if (at >= scan->end)
    return scan_starve(scan); /* it may go on */
  return good || scan_fail(scan, start, "%.*s is no number; the JSON is damaged",
                           at - start < 40 ? (int)(at - start) : 40, start);
}

static bool take_word(struct json_scan *scan) {
  static const char *const words[] = {"true", "false", "null"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]), same = 0;
    while (same < length && scan->at[same] == words[i][same])
      same++;
    if (same == length) {
      scan->at += length;
      return true;
    }
    if (scan->at + same == scan->end)
      return scan_starve(scan);
  }
  return fail_here(scan, "a value");
}

bool scan_scalar(struct json_scan *scan, struct slice *text, bool *quoted) {
  char c = scan_peek(scan);
  if (quoted != NULL)
    *quoted = c == '"';
  *text = (struct slice){scan->at, 0};
  if (c == '"')
    return scan_string(scan, text);
  if (c == '{' || c == '[')
    return scan_skip(scan);
  if (!scan_good(scan) || !(c == '-' || is_digit(c) ? take_number(scan) : take_word(scan)))
    return false;
  text->length = (size_t)(scan->at - text->start);
  return true;
}

/* One value within the innermost bracket, or that bracket's end. */
static bool skip_one(struct json_scan *scan) {
  char closing = scan->open.data[scan->open.count - 1];
  struct slice ignored;
  if (closing == '}' ? !scan_key(scan, &ignored) : !scan_item(scan)) {
    scan->open.count--;
    return scan_good(scan);
  }
  char c = scan_peek(scan);
  if (c == '{' || c == '[') {
    vector_push(&scan->open, c == '{' ? '}' : ']');
    return scan_enter(scan, c);
  }
  return scan_scalar(scan, &ignored, NULL);
}

bool scan_skip(struct json_scan *scan) {
  struct slice ignored;
  char c = scan_peek(scan);
  if (c != '{' && c != '[')
    return scan_scalar(scan, &ignored, NULL);
  scan->open.count = 0;
  vector_push(&scan->open, c == '{' ? '}' : ']');
  scan_enter(scan, c);
  while (scan->open.count != 0 && skip_one(scan))
    ;
  return scan_good(scan);
}
