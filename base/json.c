/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text.h"

enum { DEPTH_MAX = 64 };

struct parser {
  const char *end; /* of the document */
  struct json_fault *fault;
  struct json *json;
  const char *at;
  size_t open[DEPTH_MAX]; /* the objects and lists around this place */
  size_t depth;
};

static void skip_blanks(struct parser *parser) {
  const char *end = parser->end;
  while (parser->at < end && strchr(" \t\r\n", *parser->at) != NULL && *parser->at != '\0')
    parser->at++;
}

static bool fail(const struct parser *parser, struct slice found, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(const struct parser *parser, struct slice found, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  parser->fault->found = found;
  vsnprintf(parser->fault->reason, sizeof parser->fault->reason, format, arguments);
  va_end(arguments);
  return false;
}

static bool fail_end(const struct parser *parser) {
  return fail(parser, (struct slice){parser->end, 0},
              "the JSON document is not closed: the file is truncated; write or copy it again");
}

static bool fail_here(const struct parser *parser, const char *expected) {
  const char *end = parser->at, *stop = parser->end;
  if (end == stop)
    return fail_end(parser);
  while (end < stop && strchr(" \t\r\n,:]}", *end) == NULL)
    end++;
  end += end == parser->at;
  return fail(parser, (struct slice){parser->at, (size_t)(end - parser->at)},
              "where %s is expected; the JSON is damaged", expected);
}

/* Behind an escape sequence's backslash; false when it is none of JSON's. */
static bool skip_escape(struct parser *parser) {
  const char *end = parser->end;
  if (*parser->at != 'u')
    return strchr("\"\\/bfnrt", *parser->at++) != NULL;
  for (size_t i = 1; i <= 4; i++)
    if (end - parser->at <= (ptrdiff_t)i || parser->at[i] == '\0' ||
        strchr("0123456789abcdefABCDEF", parser->at[i]) == NULL)
      return false;
  parser->at += 5;
  return true;
}

static bool take_string(struct parser *parser, struct slice *text) {
  const char *end = parser->end, *start = parser->at + 1;
  for (parser->at = start; parser->at < end && *parser->at != '"';) {
    if ((unsigned char)*parser->at < 0x20)
      return fail_here(parser, "a closing quote");
    if (*parser->at++ == '\\' && parser->at < end && !skip_escape(parser))
      return fail_here(parser, "an escape such as \\n");
  }
  if (parser->at == end)
    return fail_end(parser);
  *text = (struct slice){start, (size_t)(parser->at - start)};
  parser->at++;
  return true;
}

/* What JSON allows: no sign +, no leading zeros, digits around a point. */
static bool is_number(struct slice text) {
  size_t i = text.length != 0 && text.start[0] == '-', digits = 0;
  bool zero = i < text.length && text.start[i] == '0';
  for (; i < text.length && text.start[i] >= '0' && text.start[i] <= '9'; i++)
    digits++;
  if (digits == 0 || (zero && digits > 1))
    return false;
  if (i < text.length && text.start[i] == '.' &&
      (i + 1 == text.length || text.start[i + 1] < '0' || text.start[i + 1] > '9'))
    return false;
  uint64_t ignored;
  return decimal_upper(&ignored, NULL, text, 0) != DECIMAL_NOT;
}

static bool take_bare(struct parser *parser, struct json_value *value) {
  const char *start = parser->at, *end = parser->end;
  const char *stop = start;
  while (stop < end && strchr(" \t\r\n,:]}[{\"", *stop) == NULL)
    stop++;
  value->text = (struct slice){start, (size_t)(stop - start)};
  if (slice_is_word(value->text, "nan") || slice_is_word(value->text, "infinity") ||
      slice_is_word(value->text, "-infinity"))
    return fail(parser, value->text, "which is no number; measure again");
  bool word = slice_is(value->text, "true") || slice_is(value->text, "false") ||
              slice_is(value->text, "null");
  if (!word && !is_number(value->text))
    return stop == end && start != end ? fail_end(parser) : fail_here(parser, "a value");
  value->kind = word ? JSON_WORD : JSON_NUMBER;
  parser->at = stop;
  return true;
}

/* One value without what is in it. */
static bool take_value(struct parser *parser, struct slice key) {
  struct json_value value = {.key = key};
  bool good = true;
  skip_blanks(parser);
  char c = parser->at < parser->end ? *parser->at : ' ';
  bool opens = c == '{' || c == '[';
  if (opens) {
    value.kind = c == '{' ? JSON_OBJECT : JSON_LIST;
    value.text = (struct slice){parser->at++, 1};
    if (parser->depth == DEPTH_MAX)
      return fail(parser, value.text, "but JSON nested deeper than %d levels is not read",
                  DEPTH_MAX);
  } else if (c == '"') {
    value.kind = JSON_STRING;
    good = take_string(parser, &value.text);
  } else {
    good = take_bare(parser, &value);
  }
  if (!good)
    return false;
  size_t index = parser->json->values.count;
  value.next = index + 1;
  vector_push(&parser->json->values, value);
  if (opens)
    parser->open[parser->depth++] = index;
  return true;
}

static bool take_member(struct parser *parser, const struct json_value *parent) {
  struct slice key = {NULL, 0};
  if (parent->kind == JSON_OBJECT) {
    skip_blanks(parser);
    if (parser->at == parser->end || *parser->at != '"')
      return fail_here(parser, "a key in quotes");
    if (!take_string(parser, &key))
      return false;
    skip_blanks(parser);
    if (parser->at == parser->end || *parser->at != ':')
      return fail_here(parser, "a colon behind the key");
    parser->at++;
  }
  return take_value(parser, key);
}

/* Goes on within the innermost object or list. */
static bool take_more(struct parser *parser) {
  struct json *json = parser->json;
  size_t index = parser->open[parser->depth - 1];
  const struct json_value parent = json->values.data[index];
  bool first = json->values.count == index + 1;
  skip_blanks(parser);
  char c = parser->at < parser->end ? *parser->at : ' ';
  if (c == (parent.kind == JSON_OBJECT ? '}' : ']')) {
    parser->at++;
    json->values.data[index].next = json->values.count;
    parser->depth--;
    return true;
  }
  if (!first && c != ',')
    return fail_here(parser, parent.kind == JSON_OBJECT ? "a comma or }" : "a comma or ]");
  parser->at += !first;
  return take_member(parser, &parent);
}

bool json_parse(struct json *json, const char *bytes, const char *end, struct json_fault *fault) {
  struct parser parser = {.end = end, .fault = fault, .json = json, .at = bytes};
  *json = (struct json){0};
  bool good = take_value(&parser, (struct slice){NULL, 0});
  while (good && parser.depth != 0)
    good = take_more(&parser);
  skip_blanks(&parser);
  if (good && parser.at != end)
    good = fail(&parser, (struct slice){parser.at, 0},
                "the JSON document ends before this; keep one document to a file");
  if (!good)
    json_clear(json);
  return good;
}

void json_clear(struct json *json) {
  vector_clear(&json->values);
}

size_t json_first(const struct json *json, size_t parent) {
  if (parent == JSON_NONE || json->values.data[parent].next == parent + 1)
    return JSON_NONE;
  return parent + 1;
}

size_t json_next(const struct json *json, size_t parent, size_t child) {
  size_t next = json->values.data[child].next;
  return next < json->values.data[parent].next ? next : JSON_NONE;
}

size_t json_find(const struct json *json, size_t object, const char *key, bool *twice) {
  size_t found = JSON_NONE;
  bool again = false;
  if (object != JSON_NONE && json->values.data[object].kind == JSON_OBJECT)
    for (size_t i = json_first(json, object); i != JSON_NONE; i = json_next(json, object, i))
      if (slice_is(json->values.data[i].key, key)) {
        again = found != JSON_NONE;
        found = again ? found : i;
      }
  if (twice != NULL)
    *twice = again;
  return found;
}

static uint32_t hex(const char *digits) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; i++) {
    char c = digits[i];
    value = 16 * value + (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

static void put_character(struct text *text, uint32_t point) {
  if (point == 0 || (point >= 0xd800 && point < 0xe000))
    point = 0xfffd;
  unsigned bytes = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
  char put[4];
  for (unsigned i = bytes; i-- > 1; point >>= 6)
    put[i] = (char)(0x80 | (point & 0x3f));
  put[0] = (char)(marks[bytes] | point);
  text_append_bytes(text, put, bytes);
}

/* Behind "\u"; the number of bytes used. */
static size_t put_escaped(struct text *text, const char *at, const char *end) {
  uint32_t high = hex(at), low;
  if (high >= 0xd800 && high < 0xdc00 && end - at >= 10 && at[4] == '\\' && at[5] == 'u' &&
      (low = hex(at + 6)) >= 0xdc00 && low < 0xe000) {
    put_character(text, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
    return 10;
  }
  put_character(text, high);
  return 4;
}

char *json_text(struct slice string) {
  static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  struct text text;
  text_init(&text);
  text_append(&text, "");
  const char *at = string.start, *end = at + string.length;
  while (at < end) {
    const char *letter = *at == '\\' && end - at > 1 ? strchr(letters, at[1]) : NULL;
    if (letter != NULL && *letter != '\0') {
      text_append_bytes(&text, &meant[letter - letters], 1);
      at += 2;
    } else if (*at == '\\' && end - at >= 6 && at[1] == 'u') {
      at += 2;
      at += put_escaped(&text, at, end);
    } else {
      text_append_bytes(&text, at++, 1);
    }
  }
  return text_take(&text);
}
