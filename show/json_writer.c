/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A document as JSON, an object a line (document.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonl.h"
#include "show/document.h"
#include "show/value.h"

static void put_object(struct jsonl *json, const struct objects *objects, size_t index);

static void put_whole(struct jsonl *json, const char *key, bool digits,
                      const struct object_value *value) {
  char text[24];
  if (digits) {
    snprintf(text, sizeof text, "%s%" PRIu64, value->negative ? "-" : "", value->magnitude);
    jsonl_text(json, key, text);
  } else {
    jsonl_integer(json, key,
                  value->negative ? (int64_t)-value->magnitude : (int64_t)value->magnitude);
  }
}

static void put_lists(struct jsonl *list, const struct object_value *value) {
  for (size_t i = 0; i < value->texts.count; i++)
    jsonl_item_text(list, value->texts.data[i]);
  for (size_t i = 0; value->objects != NULL && i < value->objects->items.count; i++)
    put_object(jsonl_item(list), value->objects, i);
}

static void put_map(struct jsonl *json, const struct object_value *value) {
  for (size_t i = 0; i < value->pairs.count; i++) {
    const struct object_pair *pair = &value->pairs.data[i];
    if (pair->is_number)
      jsonl_integer(json, pair->name, strtoll(pair->digits, NULL, 10));
    else
      jsonl_text(json, pair->name, pair->digits);
  }
}

static void put_value(struct jsonl *json, const char *name, const struct object_key *key,
                      const struct object_value *value) {
  if (value->state == VALUE_NULL)
    jsonl_text(json, name, NULL);
  else if (value->state == VALUE_INFINITE)
    jsonl_text(json, name, value->negative ? "-infinite" : "infinite");
  if (value->state != VALUE_GIVEN)
    return;
  switch (key->type) {
  case KEY_TEXT:
  case KEY_DECIMAL:
    jsonl_text(json, name, value->text);
    break;
  case KEY_FLAG:
    jsonl_flag(json, name, value->flag);
    break;
  case KEY_COUNT:
  case KEY_NS:
    put_whole(json, name, (key->marks & MARK_DIGITS) != 0, value);
    break;
  case KEY_NUMBER:
  case KEY_SHARE:
  case KEY_SECONDS:
    jsonl_number(json, name, value_number(key, value));
    break;
  case KEY_MAP:
    put_map(key->marks & MARK_INLINE ? json : jsonl_inside(json, name), value);
    break;
  case KEY_TEXTS:
  case KEY_OBJECTS:
    put_lists(jsonl_list(json, name), value);
    break;
  }
}

/* Where the points of a key lead, from object to object; those that stand together share them. */
struct inner_place {
  char at[80]; /* the key up to its last point */
  struct jsonl *inside;
};

static void enter(struct inner_place *place, struct jsonl *json, const char *key, size_t length) {
  if (place->inside != NULL && strlen(place->at) == length && strncmp(place->at, key, length) == 0)
    return;
  snprintf(place->at, sizeof place->at, "%.*s", (int)length, key);
  place->inside = json;
  char *rest = place->at;
  for (char *point; length != 0; rest = point + 1) {
    point = strchr(rest, '.');
    char *name = mem_copy_text(rest, point == NULL ? strlen(rest) : (size_t)(point - rest));
    place->inside = jsonl_inside(place->inside, name);
    mem_free(name);
    if (point == NULL)
      return;
  }
}

/* Unless that one's outer object is null itself. */
static void put_outer_null(struct inner_place *place, struct jsonl *json, const char *key) {
  size_t length = (size_t)(strrchr(key, '.') - key), outer = length;
  do
    outer--;
  while (outer > 0 && key[outer] != '.');
  if (outer != 0 && strncmp(place->at, key, outer) != 0)
    return;
  char *name = mem_copy_text(key + outer + (outer != 0), length - outer - (outer != 0));
  enter(place, json, key, outer);
  jsonl_text(place->inside, name, NULL);
  mem_free(name);
}

static void put_object(struct jsonl *json, const struct objects *objects, size_t index) {
  struct inner_place place = {.inside = NULL};
  for (size_t k = 0; k < objects->keys; k++) {
    const struct object_key *key = &objects->kind->keys[k];
    const struct object_value *value = &objects->items.data[index].values[k];
    const char *point = strrchr(key->key, '.');
    if (value->state == VALUE_ABSENT && key->marks & MARK_OUTER_NULL)
      put_outer_null(&place, json, key->key);
    if (value->state == VALUE_ABSENT)
      continue;
    enter(&place, json, key->key, point == NULL ? 0 : (size_t)(point - key->key));
    put_value(place.inside, point == NULL ? key->key : point + 1, key, value);
  }
}

void document_write_json(struct text *out, const struct document *document) {
  for (size_t b = 0; b < document->blocks.count; b++) {
    const struct document_block *block = &document->blocks.data[b];
    for (size_t i = 0; block->kind == BLOCK_OBJECTS && i < block->objects->items.count; i++)
      if (object_is_answer(&block->objects->items.data[i])) {
        struct jsonl *line = jsonl_new(block->objects->kind->name);
        put_object(line, block->objects, i);
        jsonl_line(line, out);
      }
  }
}
