/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/object_kind.h"

#include <stdbool.h>
#include <string.h>

#include "base/jsonl.h"
#include "base/memory.h"

size_t object_kind_count(const struct object_kind *kind) {
  size_t count = 0;
  while (kind->keys[count].key != NULL)
    count++;
  return count;
}

size_t object_kind_find(const struct object_kind *kind, const char *key) {
  for (size_t i = 0; kind->keys[i].key != NULL; i++)
    if (strcmp(kind->keys[i].key, key) == 0)
      return i;
  bug("the kind \"%s\" has no key \"%s\"", kind->name, key);
}

/* --- the manual's row ------------------------------------------------------------------------- */

/* The end of the keys from `first` on that stand inside of the same object as it. */
static size_t end_of_inside(const struct object_key *keys, size_t first, size_t depth) {
  const char *point = strchr(keys[first].key + depth, '.');
  size_t length = point == NULL ? 0 : (size_t)(point - keys[first].key) + 1, end = first + 1;
  while (length != 0 && keys[end].key != NULL &&
         strncmp(keys[end].key, keys[first].key, length) == 0)
    end++;
  return end;
}

static void append_words(struct text *out, const char *words) {
  text_append(out, " (");
  for (const char *at = words; *at != '\0';) {
    size_t length = strcspn(at, "|");
    text_format(out, "%s`%.*s`", at == words ? "" : ", ", (int)length, at);
    at += length + (at[length] == '|');
  }
  text_append(out, ")");
}

static void append_keys(struct text *out, const struct object_key *keys, size_t first, size_t end,
                        size_t depth);

/* What stands behind a name: its words, its own keys, its note. */
static void append_about(struct text *out, const struct object_key *key) {
  if (key->words != NULL)
    append_words(out, key->words);
  if (key->type == KEY_OBJECTS) {
    text_append(out, ", a list of {");
    append_keys(out, key->objects->keys, 0, object_kind_count(key->objects), 0);
    text_append(out, "}");
  }
  if (key->note != NULL)
    text_format(out, " (%s)", key->note);
}

static bool is_bare(const struct object_key *key, size_t depth) {
  return key->words == NULL && key->note == NULL && key->type != KEY_OBJECTS &&
         strchr(key->key + depth, '.') == NULL;
}

/* Names share their quotes up to one of which there is more to say. */
static void append_keys(struct text *out, const struct object_key *keys, size_t first, size_t end,
                        size_t depth) {
  bool open = false;
  for (size_t i = first; i < end;) {
    const struct object_key *key = &keys[i];
    const char *name = key->key + depth, *point = strchr(name, '.');
    size_t length = point == NULL ? strlen(name) : (size_t)(point - name);
    size_t next = point == NULL ? i + 1 : end_of_inside(keys, i, depth);
    text_format(out, "%s%.*s%s",
                open         ? " "
                : i == first ? "`"
                             : " `",
                (int)length, name, key->marks & MARK_MAYBE ? "?" : "");
    open = is_bare(key, depth) && next < end;
    text_append(out, open ? "" : "`");
    if (point != NULL) {
      text_append(out, " {");
      append_keys(out, keys, i, next, depth + length + 1);
      text_append(out, "}");
    } else {
      append_about(out, key);
    }
    i = next;
  }
}

void object_kind_row(struct text *out, const struct object_kind *kind) {
  text_format(out, "| `%s` | ", kind->name);
  if (kind->note != NULL)
    text_format(out, "%s: ", kind->note);
  append_keys(out, kind->keys, 0, object_kind_count(kind), 0);
  text_append(out, " |\n");
}

/* --- the schema ------------------------------------------------------------------------------- */

static void put_properties(struct jsonl *schema, const struct object_key *keys, size_t first,
                           size_t end, size_t depth, const char *kind);

static void put_type(struct jsonl *property, const struct object_key *key) {
  static const char *const types[] = {
      [KEY_TEXT] = "string",    [KEY_FLAG] = "boolean",   [KEY_COUNT] = "integer",
      [KEY_NUMBER] = "number",  [KEY_SHARE] = "number",   [KEY_NS] = "integer",
      [KEY_SECONDS] = "number", [KEY_DECIMAL] = "string", [KEY_MAP] = "object",
      [KEY_TEXTS] = "array",    [KEY_OBJECTS] = "array"};
  bool digits = (key->marks & MARK_DIGITS) != 0;
  bool real = key->type == KEY_NUMBER || key->type == KEY_SHARE || key->type == KEY_SECONDS;
  struct jsonl *list = jsonl_list(property, "type");
  jsonl_item_text(list, digits ? "string" : types[key->type]);
  if (real)
    jsonl_item_text(list, "string"); /* an infinite one */
  if (key->marks & MARK_NULL)
    jsonl_item_text(list, "null");
  if (digits)
    jsonl_text(property, "pattern", "^([0-9]+|infinite)$");
  else if (real)
    jsonl_text(property, "pattern", "^-?infinite$");
}

static void put_property(struct jsonl *properties, const struct object_key *key, size_t depth) {
  struct jsonl *property = jsonl_inside(properties, key->key + depth);
  put_type(property, key);
  if (key->note != NULL)
    jsonl_text(property, "description", key->note);
  if (key->words != NULL) {
    struct jsonl *list = jsonl_list(property, "enum");
    for (const char *at = key->words; *at != '\0';) {
      size_t length = strcspn(at, "|");
      char *word = mem_copy_text(at, length);
      jsonl_item_text(list, word);
      mem_free(word);
      at += length + (at[length] == '|');
    }
    if (key->marks & MARK_NULL)
      jsonl_item_text(list, NULL);
  }
  if (key->type == KEY_MAP) {
    struct jsonl *types = jsonl_list(jsonl_inside(property, "additionalProperties"), "type");
    jsonl_item_text(types, "integer");
    jsonl_item_text(types, "string");
  }
  if (key->type == KEY_TEXTS)
    jsonl_text(jsonl_inside(property, "items"), "type", "string");
  if (key->type == KEY_OBJECTS)
    put_properties(jsonl_inside(property, "items"), key->objects->keys, 0,
                   object_kind_count(key->objects), 0, NULL);
}

/* Whether the object that the key is the first of, next to this depth, may be null. */
static bool outer_may_be_null(const struct object_key *key, size_t depth) {
  const char *point = strchr(key->key + depth, '.');
  return point != NULL && strchr(point + 1, '.') == NULL && (key->marks & MARK_OUTER_NULL);
}

/* Of an object inside, or of null. */
static struct jsonl *inner_schema(struct jsonl *properties, const char *name, bool nullable) {
  struct jsonl *inside = jsonl_inside(properties, name);
  if (!nullable)
    return inside;
  struct jsonl *any = jsonl_list(inside, "anyOf");
  jsonl_text(jsonl_item(any), "type", "null");
  return jsonl_item(any);
}

static void put_properties(struct jsonl *schema, const struct object_key *keys, size_t first,
                           size_t end, size_t depth, const char *kind) {
  jsonl_text(schema, "type", "object");
  struct jsonl *properties = jsonl_inside(schema, "properties");
  struct jsonl *required = jsonl_list(schema, "required");
  bool open = false;
  if (kind != NULL) {
    jsonl_text(jsonl_inside(properties, "kind"), "const", kind);
    jsonl_item_text(required, "kind");
  }
  for (size_t i = first; i < end;) {
    const char *name = keys[i].key + depth, *point = strchr(name, '.');
    size_t length = point == NULL ? strlen(name) : (size_t)(point - name);
    size_t next = point == NULL ? i + 1 : end_of_inside(keys, i, depth);
    char *only = mem_copy_text(name, length);
    bool is_inline = (keys[i].marks & MARK_INLINE) != 0,
         nullable = outer_may_be_null(&keys[i], depth);
    open |= is_inline;
    if (point == NULL && !is_inline)
      put_property(properties, &keys[i], depth);
    else if (point != NULL)
      put_properties(inner_schema(properties, only, nullable), keys, i, next, depth + length + 1,
                     NULL);
    if (!is_inline && (!(keys[i].marks & MARK_MAYBE) || nullable))
      jsonl_item_text(required, only);
    mem_free(only);
    i = next;
  }
  jsonl_flag(schema, "additionalProperties", open);
}

struct jsonl *object_kinds_schema(const struct object_kind *const *kinds) {
  struct jsonl *schema = jsonl_new(NULL);
  jsonl_text(schema, "$schema", "https://json-schema.org/draft/2020-12/schema");
  jsonl_text(schema, "title", "A line of what tailproof prints with --json");
  struct jsonl *any = jsonl_list(schema, "anyOf");
  for (size_t i = 0; kinds[i] != NULL; i++) {
    struct jsonl *one = jsonl_item(any);
    jsonl_text(one, "title", kinds[i]->name);
    if (kinds[i]->note != NULL)
      jsonl_text(one, "description", kinds[i]->note);
    put_properties(one, kinds[i]->keys, 0, object_kind_count(kinds[i]), 0, kinds[i]->name);
  }
  struct jsonl *other = jsonl_item(any), *list;
  jsonl_text(other, "title", "a kind that this schema does not have yet");
  jsonl_text(other, "type", "object");
  jsonl_item_text(jsonl_list(other, "required"), "kind");
  list = jsonl_list(jsonl_inside(jsonl_inside(jsonl_inside(other, "properties"), "kind"), "not"),
                    "enum");
  for (size_t i = 0; kinds[i] != NULL; i++)
    jsonl_item_text(list, kinds[i]->name);
  return schema;
}
