/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/objects.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

struct objects *objects_new(const struct object_kind *kind) {
  struct objects *objects = mem_alloc(1, sizeof *objects);
  *objects = (struct objects){.kind = kind, .keys = object_kind_count(kind)};
  return objects;
}

static void clear_value(struct object_value *value) {
  mem_free(value->text);
  mem_free(value->words);
  for (size_t i = 0; i < value->texts.count; i++)
    mem_free(value->texts.data[i]);
  vector_clear(&value->texts);
  for (size_t i = 0; i < value->pairs.count; i++) {
    mem_free(value->pairs.data[i].name);
    mem_free(value->pairs.data[i].digits);
  }
  vector_clear(&value->pairs);
  objects_free(value->objects);
}

void objects_free(struct objects *objects) {
  if (objects == NULL)
    return;
  for (size_t i = 0; i < objects->items.count; i++) {
    for (size_t k = 0; k < objects->keys; k++)
      clear_value(&objects->items.data[i].values[k]);
    mem_free(objects->items.data[i].values);
  }
  vector_clear(&objects->items);
  mem_free(objects);
}

void objects_add(struct objects *objects) {
  struct object object = {.values = mem_alloc(objects->keys, sizeof *object.values)};
  vector_push(&objects->items, object);
}

static struct object *last_of(struct objects *objects) {
  if (objects->items.count == 0)
    bug("%s: a value of no object", objects->kind->name);
  return &objects->items.data[objects->items.count - 1];
}

void object_shown(struct objects *objects, enum object_shown shown) {
  last_of(objects)->shown = shown;
}

/* --- values ----------------------------------------------------------------------------------- */

static struct object_value *place_of(struct objects *objects, const char *key) {
  return &last_of(objects)->values[object_kind_find(objects->kind, key)];
}

/* Of a key with one of two types; marked as given. */
static struct object_value *take(struct objects *objects, const char *key, enum key_type type,
                                 enum key_type other) {
  enum key_type is = objects->kind->keys[object_kind_find(objects->kind, key)].type;
  if (is != type && is != other)
    bug("%s: \"%s\" has another type", objects->kind->name, key);
  struct object_value *value = place_of(objects, key);
  value->state = VALUE_GIVEN;
  return value;
}

static char *copy(const char *text) {
  return mem_copy_text(text, strlen(text));
}

void object_null(struct objects *objects, const char *key) {
  place_of(objects, key)->state = VALUE_NULL;
}

void object_text(struct objects *objects, const char *key, const char *text) {
  struct object_value *value = take(objects, key, KEY_TEXT, KEY_DECIMAL);
  value->state = text == NULL ? VALUE_NULL : VALUE_GIVEN;
  mem_free(value->text);
  value->text = text == NULL ? NULL : copy(text);
  bool decimal = objects->kind->keys[object_kind_find(objects->kind, key)].type == KEY_DECIMAL;
  if (decimal && text != NULL && strcmp(text, "infinite") == 0)
    value->state = VALUE_INFINITE;
}

void object_flag(struct objects *objects, const char *key, bool flag) {
  take(objects, key, KEY_FLAG, KEY_FLAG)->flag = flag;
}

static void put_whole(struct objects *objects, const char *key, bool negative, uint64_t magnitude) {
  struct object_value *value = take(objects, key, KEY_COUNT, KEY_NS);
  value->negative = negative;
  value->magnitude = magnitude;
}

static void put_signed(struct objects *objects, const char *key, int64_t integer) {
  put_whole(objects, key, integer < 0, integer < 0 ? -(uint64_t)integer : (uint64_t)integer);
}

void object_count(struct objects *objects, const char *key, uint64_t count) {
  put_whole(objects, key, false, count);
}

void object_integer(struct objects *objects, const char *key, int64_t integer) {
  put_signed(objects, key, integer);
}

void object_ns(struct objects *objects, const char *key, int64_t ns) {
  put_signed(objects, key, ns);
}

void object_infinite(struct objects *objects, const char *key) {
  place_of(objects, key)->state = VALUE_INFINITE;
}

void object_time(struct objects *objects, const char *key, bool finite, uint64_t ns) {
  put_whole(objects, key, false, ns);
  if (!finite)
    object_infinite(objects, key);
}

void object_mean(struct objects *objects, const char *key, double ns) {
  if (isfinite(ns))
    put_signed(objects, key, (int64_t)llround(ns));
}

void object_number(struct objects *objects, const char *key, double number) {
  enum key_type is = objects->kind->keys[object_kind_find(objects->kind, key)].type;
  struct object_value *value =
      take(objects, key, is == KEY_SECONDS ? KEY_SECONDS : KEY_NUMBER, KEY_SHARE);
  value->state = isnan(number) ? VALUE_ABSENT : isinf(number) ? VALUE_INFINITE : VALUE_GIVEN;
  value->negative = number < 0;
  value->number = number;
}

void object_texts(struct objects *objects, const char *key) {
  take(objects, key, KEY_TEXTS, KEY_TEXTS);
}

void object_item(struct objects *objects, const char *key, const char *text) {
  vector_push(&take(objects, key, KEY_TEXTS, KEY_TEXTS)->texts, copy(text));
}

void object_map(struct objects *objects, const char *key) {
  take(objects, key, KEY_MAP, KEY_MAP);
}

void object_pair_digits(struct objects *objects, const char *key, const char *name,
                        const char *digits) {
  struct object_pair pair = {copy(name), false, copy(digits)};
  vector_push(&take(objects, key, KEY_MAP, KEY_MAP)->pairs, pair);
}

void object_pair_integer(struct objects *objects, const char *key, const char *name,
                         int64_t integer) {
  struct text digits;
  text_init(&digits);
  text_format(&digits, "%" PRId64, integer);
  object_pair_digits(objects, key, name, digits.data);
  struct object_value *value = place_of(objects, key);
  value->pairs.data[value->pairs.count - 1].is_number = true;
  text_clear(&digits);
}

struct objects *object_list(struct objects *objects, const char *key) {
  struct object_value *value = take(objects, key, KEY_OBJECTS, KEY_OBJECTS);
  if (value->objects == NULL)
    value->objects = objects_new(objects->kind->keys[object_kind_find(objects->kind, key)].objects);
  return value->objects;
}

void object_words(struct objects *objects, const char *key, const char *format, ...) {
  struct text text;
  va_list arguments;
  text_init(&text);
  va_start(arguments, format);
  text_format_list(&text, format, arguments);
  va_end(arguments);
  mem_free(place_of(objects, key)->words);
  place_of(objects, key)->words = text_take(&text);
}

const struct object_value *object_value(const struct objects *objects, size_t index,
                                        const char *key) {
  return &objects->items.data[index].values[object_kind_find(objects->kind, key)];
}

/* --- who is shown what ------------------------------------------------------------------------ */

bool object_is_answer(const struct object *object) {
  return object->shown < SHOWN_PEOPLE;
}

bool object_is_for_people(const struct object *object, bool full) {
  switch (object->shown) {
  case SHOWN_ALWAYS:
  case SHOWN_PEOPLE:
    return true;
  case SHOWN_FULL:
  case SHOWN_PEOPLE_FULL:
    return full;
  case SHOWN_BRIEF:
    return !full;
  default:
    return false;
  }
}

/* Whether "found|too few" has the word. */
static bool is_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; *at != '\0';) {
    size_t next = strcspn(at, "|");
    if (next == length && strncmp(at, word, length) == 0)
      return true;
    at += next + (at[next] == '|');
  }
  return false;
}

static void check_value(const struct object_kind *kind, const struct object_key *key,
                        const struct object_value *value) {
  if (value->state == VALUE_ABSENT && !(key->marks & MARK_MAYBE))
    bug("%s: without \"%s\"", kind->name, key->key);
  if (value->state == VALUE_NULL && !(key->marks & MARK_NULL))
    bug("%s: \"%s\" is null", kind->name, key->key);
  if (key->words != NULL && value->state == VALUE_GIVEN && !is_word(key->words, value->text))
    bug("%s: \"%s\" is \"%s\"", kind->name, key->key, value->text);
  if (value->objects != NULL)
    objects_check(value->objects);
}

void objects_check(const struct objects *objects) {
  for (size_t i = 0; i < objects->items.count; i++)
    for (size_t k = 0; k < objects->keys && object_is_answer(&objects->items.data[i]); k++)
      check_value(objects->kind, &objects->kind->keys[k], &objects->items.data[i].values[k]);
}
