/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/expression.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/yaml/value.h"

struct expression_reader {
  const char *at, *whole;
  char *message;
  size_t size;
};

static bool complain(struct expression_reader *reader, const char *what) {
  return value_complain(reader->message, reader->size, "\"%.80s\": %s", reader->whole, what);
}

static bool accept(struct expression_reader *reader, char wanted) {
  reader->at += strspn(reader->at, " ");
  if (*reader->at != wanted)
    return false;
  reader->at++;
  reader->at += strspn(reader->at, " ");
  return true;
}

/* A number in decimal or with 0x; false where there is none, or it is above `most`. */
static bool read_number(struct expression_reader *reader, uint64_t *number, uint64_t most) {
  char *end;
  if (!isdigit((unsigned char)*reader->at))
    return false;
  bool hex = reader->at[0] == '0' && reader->at[1] == 'x';
  const char *start = reader->at + (hex ? 2 : 0);
  *number = strtoull(start, &end, hex ? 16 : 10);
  if (end == start || end - start > 18 || *number > most)
    return false;
  reader->at = end;
  return true;
}

/* "arg" or "ret" and a number in a word: argN. */
static bool has_number(const char *word, const char *head, uint64_t *number) {
  size_t length = strlen(head);
  if (strncmp(word, head, length) != 0)
    return false;
  const char *rest = word + length;
  *number = rest[0] == '\0' ? 0 : (uint64_t)strtoul(rest, NULL, 10);
  return rest[0] == '\0' || (strspn(rest, "0123456789") == strlen(rest) && strlen(rest) <= 2);
}

static bool read_word(struct expression_reader *reader, struct read_value *value) {
  size_t length = 0;
  while (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_')
    length++;
  if (length == 0 || length > OUTSIDE_NAME)
    return complain(reader, "no argN, ret, field of a tracepoint, *(...) or string(...) there");
  memcpy(value->field, reader->at, length);
  value->field[length] = '\0';
  reader->at += length;
  value->base = READ_FIELD;
  if (strcmp(value->field, "goroutine") == 0)
    value->base = READ_GOROUTINE;
  else if (strcmp(value->field, "stack") == 0)
    value->base = READ_STACK;
  else if (strcmp(value->field, "begun") == 0)
    value->base = READ_BEGUN;
  else if (has_number(value->field, "ret", &value->number))
    value->base = READ_RESULT;
  else if (has_number(value->field, "arg", &value->number))
    value->base = READ_ARGUMENT;
  if (value->base == READ_RESULT && value->number == 0)
    value->number = 1;
  if (value->base == READ_ARGUMENT && value->number == 0)
    return complain(reader, "arguments are numbered from 1: write arg1");
  return true;
}

static bool read_value(struct expression_reader *reader, struct read_value *value);

/* What stands in *( ), behind the bracket. */
static bool read_pointer(struct expression_reader *reader, struct read_value *value) {
  if (!read_value(reader, value))
    return false;
  if (!accept(reader, ')'))
    return complain(reader, "write *(POINTER+OFFSET): a bracket is not closed");
  if (value->pointers == READ_POINTERS)
    return complain(reader, "at most 4 pointers can be followed");
  value->pointers++;
  return true;
}

static bool read_value(struct expression_reader *reader, struct read_value *value) {
  uint64_t number = 0;
  if (accept(reader, '*')) {
    if (!accept(reader, '('))
      return complain(reader, "write *(POINTER+OFFSET)");
    if (!read_pointer(reader, value))
      return false;
  } else if (isdigit((unsigned char)*reader->at)) {
    value->base = READ_NUMBER;
    if (!read_number(reader, &value->number, INT32_MAX))
      return complain(reader, "a number that is too large");
  } else if (!read_word(reader, value)) {
    return false;
  }
  bool plus = accept(reader, '+'), minus = !plus && accept(reader, '-');
  if (!plus && !minus)
    return true;
  if (!read_number(reader, &number, INT32_MAX))
    return complain(reader, "no number behind + or -; write *(arg1+16)");
  value->add[value->pointers] = (int32_t)(minus ? -(int64_t)number : (int64_t)number);
  return true;
}

static bool read_type(struct expression_reader *reader, struct read_expression *expression) {
  static const char *const heads[] = {"u", "i", "be"};
  const char *word = reader->at + strspn(reader->at, " ");
  expression->width = 8;
  if (*word == '\0')
    return true;
  for (unsigned i = 0; i < 3; i++)
    for (unsigned width = 1; width <= 8; width *= 2) {
      char name[8];
      snprintf(name, sizeof name, "%s%u", heads[i], 8 * width);
      if (strcmp(word, name) != 0 || (i == 2 && width == 1))
        continue;
      expression->width = width;
      expression->typed = true;
      expression->has_sign = i == 1;
      expression->big_endian = i == 2;
      return true;
    }
  return complain(reader, "a type that is none of u8 u16 u32 u64 i8 i16 i32 i64 be16 be32 be64");
}

/* Behind "string(". */
static bool read_string(struct expression_reader *reader, struct read_expression *expression) {
  static const char form[] = "write string(POINTER, MOST) or string(POINTER, LENGTH, MOST), MOST 1 "
                             "to 256";
  uint64_t most;
  expression->is_text = true;
  if (!read_value(reader, &expression->value))
    return false;
  if (!accept(reader, ','))
    return complain(reader, form);
  if (!read_value(reader, &expression->length))
    return false;
  expression->has_length = accept(reader, ',');
  if (!expression->has_length && expression->length.base == READ_NUMBER)
    most = expression->length.number;
  else if (!expression->has_length || !read_number(reader, &most, OUTSIDE_TEXT))
    return complain(reader, form);
  expression->most = (unsigned)most;
  if (!accept(reader, ')') || most == 0 || most > OUTSIDE_TEXT || *reader->at != '\0')
    return complain(reader, form);
  return true;
}

bool expression_parse(struct read_expression *expression, const char *text, char *message,
                      size_t size) {
  struct expression_reader reader = {text, text, message, size};
  *expression = (struct read_expression){0};
  if (strlen(text) > 200)
    return complain(&reader, "too long; 200 bytes are enough for all that can be read");
  if (strncmp(text, "string(", 7) == 0) {
    reader.at += 7;
    return read_string(&reader, expression);
  }
  if (!read_value(&reader, &expression->value) || !read_type(&reader, expression))
    return false;
  if (!expression->typed && expression->value.base == READ_RESULT &&
      expression->value.pointers == 0)
    expression->has_sign = true;
  return true;
}
