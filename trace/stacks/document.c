/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/document.h"

#include <string.h>

#include "base/decimal.h"

/* Each value of a document needs as many bytes again, or more. */
static const size_t DOCUMENT_MOST = (size_t)256 << 20;

static unsigned long line_of(struct slice bytes, const char *at) {
  unsigned long line = 1;
  for (const char *c = bytes.start; c < at; c++)
    line += *c == '\n';
  return line;
}

enum status stack_document_parse(struct stack_intake *intake, struct json *json) {
  *json = (struct json){0};
  enum status status = stack_lines_all(intake->lines, DOCUMENT_MOST, intake->message);
  if (status != STATUS_OK)
    return status;
  struct slice bytes = stack_lines_ahead(intake->lines);
  struct json_fault fault;
  if (json_parse(json, bytes.start, bytes.start + bytes.length, &fault))
    return STATUS_OK;
  text_format(intake->message, "%s:%lu: ", intake->lines->name, line_of(bytes, fault.found.start));
  if (fault.found.length != 0)
    text_format(intake->message, "'%.*s' stands ",
                (int)(fault.found.length > 40 ? 40 : fault.found.length), fault.found.start);
  text_append(intake->message, fault.reason);
  return STATUS_DATA;
}

enum status stack_document_fail(struct stack_intake *intake, const struct json *json, size_t value,
                                const char *format, ...) {
  va_list arguments;
  text_append(intake->message, intake->lines->name);
  if (value != JSON_NONE)
    text_format(intake->message, ":%lu",
                line_of(stack_lines_ahead(intake->lines), json->values.data[value].text.start));
  text_append(intake->message, ": ");
  va_start(arguments, format);
  text_format_list(intake->message, format, arguments);
  va_end(arguments);
  return STATUS_DATA;
}

bool stack_document_scaled(const struct json *json, size_t value, int shift, uint64_t *number) {
  uint64_t upper;
  return value != JSON_NONE && json->values.data[value].kind == JSON_NUMBER &&
         decimal_range(number, &upper, NULL, json->values.data[value].text, shift) == DECIMAL_OK;
}

bool stack_document_whole(const struct json *json, size_t value, uint64_t *number) {
  uint64_t upper;
  return value != JSON_NONE && json->values.data[value].kind == JSON_NUMBER &&
         decimal_range(number, &upper, NULL, json->values.data[value].text, 0) == DECIMAL_OK &&
         *number == upper;
}

uint32_t stack_document_name(struct stack_intake *intake, const struct json *json, size_t value) {
  if (value == JSON_NONE || json->values.data[value].kind != JSON_STRING)
    return 0;
  char *text = json_text(json->values.data[value].text);
  uint32_t name = names_number(&intake->profile->names, (struct slice){text, strlen(text)});
  mem_free(text);
  return name;
}

bool stack_document_is(const struct json *json, size_t value, const char *string) {
  if (value == JSON_NONE || json->values.data[value].kind != JSON_STRING)
    return false;
  char *text = json_text(json->values.data[value].text);
  bool is = strcmp(text, string) == 0;
  mem_free(text);
  return is;
}
