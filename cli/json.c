/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "base/memory.h"

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

void jsonl_seconds(struct jsonl *json, const char *key, double value) {
  put(json, key, json_real(round(value * 1e6) / 1e6));
}

struct jsonl *jsonl_inside(struct jsonl *json, const char *key) {
  json_t *made = json_object();
  put(json, key, made);
  return (struct jsonl *)made;
}

void jsonl_print(struct jsonl *json) {
  if (json_dumpf(object(json), stdout, JSON_COMPACT | JSON_REAL_PRECISION(9)) != 0)
    bug("cannot write JSON");
  putchar('\n');
  json_decref(object(json));
}
