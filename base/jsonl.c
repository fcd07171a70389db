/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/jsonl.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shown.h"

static json_t *object(struct jsonl *json) {
  return (json_t *)json;
}

static void put(struct jsonl *json, const char *key, json_t *value) {
  if (value == NULL || json_object_set_new(object(json), key, value) != 0)
    bug("cannot put \"%s\" into a JSON object", key);
}

struct jsonl *jsonl_new(const char *kind) {
  json_t *made = json_object();
  if (made == NULL)
    bug("cannot make a JSON object");
  if (kind != NULL)
    jsonl_text((struct jsonl *)made, "kind", kind);
  return (struct jsonl *)made;
}

/* A user's file name need not be UTF-8, but JSON must be: bad bytes become '?'. */
static json_t *as_string(const char *value) {
  json_t *made = json_string(value);
  if (made != NULL)
    return made;
  size_t length = 0;
  while (value[length] != '\0')
    length++;
  char *copy = mem_copy_text(value, length);
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)copy[i] >= 0x80)
      copy[i] = '?';
  made = json_string(copy);
  mem_free(copy);
  return made;
}

void jsonl_text(struct jsonl *json, const char *key, const char *value) {
  put(json, key, value == NULL ? json_null() : as_string(value));
}

void jsonl_flag(struct jsonl *json, const char *key, bool value) {
  put(json, key, json_boolean(value));
}

void jsonl_integer(struct jsonl *json, const char *key, int64_t value) {
  put(json, key, json_integer(value));
}

void jsonl_number(struct jsonl *json, const char *key, double value) {
  put(json, key, json_real(value));
}

struct jsonl *jsonl_inside(struct jsonl *json, const char *key) {
  json_t *made = json_object_get(object(json), key);
  if (json_is_object(made))
    return (struct jsonl *)made;
  made = json_object();
  put(json, key, made);
  return (struct jsonl *)made;
}

struct jsonl *jsonl_list(struct jsonl *json, const char *key) {
  json_t *made = json_array();
  put(json, key, made);
  return (struct jsonl *)made;
}

static json_t *append(struct jsonl *list, json_t *made) {
  if (made == NULL || json_array_append_new(object(list), made) != 0)
    bug("cannot put an item into a JSON list");
  return made;
}

struct jsonl *jsonl_item(struct jsonl *list) {
  return (struct jsonl *)append(list, json_object());
}

void jsonl_item_text(struct jsonl *list, const char *value) {
  append(list, value == NULL ? json_null() : as_string(value));
}

/* With what is never shown written as \\u...: JSON is also looked at on terminals. */
static char *dump_showable(const struct jsonl *json, size_t flags) {
  char *dump = json_dumps((const json_t *)json, flags);
  bool clean = true;
  for (const char *line = dump; line != NULL && clean; line = strchr(line, '\n')) {
    line += *line == '\n';
    clean = shown_is_clean(line, strcspn(line, "\n"));
  }
  if (!clean) {
    free(dump);
    dump = json_dumps((const json_t *)json, flags | JSON_ENSURE_ASCII);
  }
  if (dump == NULL)
    bug("cannot write JSON");
  return dump;
}

char *jsonl_take(struct jsonl *json) {
  char *dump = dump_showable(json, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
  struct text text;
  text_init(&text);
  text_format(&text, "%s\n", dump);
  free(dump);
  json_decref(object(json));
  return text_take(&text);
}

void jsonl_free(struct jsonl *json) {
  json_decref(object(json));
}

struct jsonl *jsonl_parse(const char *bytes, size_t length, struct text *message) {
  json_error_t error;
  json_t *made = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
  if (made == NULL)
    text_format(message, "line %d: %s", error.line, error.text);
  else if (!json_is_object(made))
    text_append(message, "is no JSON object");
  if (json_is_object(made))
    return (struct jsonl *)made;
  json_decref(made);
  return NULL;
}

const char *jsonl_get_text(const struct jsonl *json, const char *key) {
  return json_string_value(json_object_get((const json_t *)json, key));
}

bool jsonl_get_integer(int64_t *value, const struct jsonl *json, const char *key) {
  const json_t *found = json_object_get((const json_t *)json, key);
  if (json_is_integer(found))
    *value = json_integer_value(found);
  return json_is_integer(found);
}

bool jsonl_get_number(double *value, const struct jsonl *json, const char *key) {
  const json_t *found = json_object_get((const json_t *)json, key);
  if (json_is_number(found))
    *value = json_number_value(found);
  return json_is_number(found);
}

bool jsonl_get_flag(const struct jsonl *json, const char *key) {
  return json_is_true(json_object_get((const json_t *)json, key));
}

const struct jsonl *jsonl_get_list(const struct jsonl *json, const char *key) {
  json_t *found = json_object_get((const json_t *)json, key);
  return json_is_array(found) ? (const struct jsonl *)found : NULL;
}

size_t jsonl_count(const struct jsonl *list) {
  return json_array_size((const json_t *)list);
}

const struct jsonl *jsonl_at(const struct jsonl *list, size_t index) {
  json_t *found = json_array_get((const json_t *)list, index);
  return json_is_object(found) ? (const struct jsonl *)found : NULL;
}

void jsonl_line(struct jsonl *json, struct text *out) {
  char *dump = dump_showable(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
  text_append(out, dump);
  text_append(out, "\n");
  free(dump);
  json_decref(object(json));
}

void jsonl_write(struct jsonl *json, FILE *file) {
  struct text line;
  text_init(&line);
  jsonl_line(json, &line);
  fputs(line.data, file);
  text_clear(&line);
}

void jsonl_print(struct jsonl *json) {
  jsonl_write(json, stdout);
}
