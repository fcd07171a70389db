/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The objects of a document as a table for people (document.h).
 */
#include <stdio.h>
#include <string.h>

#include "show/document.h"
#include "show/value.h"

enum { KEY_LENGTH = 80 };

static const struct object_key *key_of(const struct objects *objects, const char *key) {
  return &objects->kind->keys[object_kind_find(objects->kind, key)];
}

/* "necessary" and ".count" */
static const char *inner(char *buffer, const char *key, const char *end) {
  snprintf(buffer, KEY_LENGTH, "%s%s", key, end);
  return buffer;
}

static bool has_words(const struct object_value *value) {
  if (value->words != NULL)
    return *value->words != '\0';
  return value->state == VALUE_GIVEN || value->state == VALUE_INFINITE;
}

/* The key whose value decides whether there is something in the cell. */
static const char *main_key(char *buffer, const struct object_column *column) {
  return column->form == COLUMN_SHARE ? inner(buffer, column->key, ".count") : column->key;
}

static void say_key(struct text *text, const struct objects *objects, size_t row, const char *key,
                    int decimals) {
  value_say(text, key_of(objects, key), object_value(objects, row, key), decimals);
}

/* Without the unit behind it: "88" of "88 %". */
static void say_end(struct text *text, const struct objects *objects, size_t row, const char *key,
                    int decimals) {
  say_key(text, objects, row, key, decimals);
  if (text->length > 2 && strcmp(text->data + text->length - 2, " %") == 0)
    text->data[text->length -= 2] = '\0';
}

/* Nothing of no objects. */
static void say_share(struct text *text, const struct objects *objects, size_t row,
                      const struct object_column *column) {
  char key[KEY_LENGTH];
  const struct object_value *count = object_value(objects, row, inner(key, column->key, ".count"));
  if (count->words != NULL || count->state != VALUE_GIVEN) {
    text_append(text, count->words == NULL ? "" : count->words);
    return;
  }
  const struct object_value *of = object_value(objects, row, inner(key, column->key, ".of"));
  if (of->magnitude == 0)
    return;
  text_format(text, "%.*f %% (", column->decimals < 0 ? 0 : column->decimals,
              100 * (double)count->magnitude / (double)of->magnitude);
  say_end(text, objects, row, inner(key, column->key, ".least"), column->decimals);
  text_append(text, " .. ");
  say_end(text, objects, row, inner(key, column->key, ".most"), column->decimals);
  text_append(text, ")");
}

static void say_range(struct text *text, const struct objects *objects, size_t row,
                      const struct object_column *column) {
  const struct object_value *from = object_value(objects, row, column->key);
  const struct object_value *to = object_value(objects, row, column->to);
  bool shares = key_of(objects, column->key)->type == KEY_SHARE;
  if (from->words != NULL || !has_words(from) || !has_words(to)) {
    text_append(text, from->words == NULL ? "" : from->words);
    return;
  }
  if (shares)
    say_end(text, objects, row, column->key, column->decimals);
  else
    say_key(text, objects, row, column->key, column->decimals);
  text_append(text, " .. ");
  say_key(text, objects, row, column->to, column->decimals);
}

static void add_cell(struct table *table, const struct objects *objects, size_t row,
                     const struct object_column *column) {
  struct text text;
  text_init(&text);
  if (column->form == COLUMN_SHARE)
    say_share(&text, objects, row, column);
  else if (column->form == COLUMN_RANGE)
    say_range(&text, objects, row, column);
  else
    say_key(&text, objects, row, column->key, column->decimals);
  table_take(table, &text);
}

/* Whether an object that is shown has something in the column. */
static bool is_used(const struct document_block *block, const struct object_column *column,
                    bool full) {
  char key[KEY_LENGTH];
  const char *main = main_key(key, column);
  for (size_t i = 0; i < block->objects->items.count; i++)
    if (object_is_for_people(&block->objects->items.data[i], full) &&
        has_words(object_value(block->objects, i, main)))
      return true;
  return false;
}

static const char *title_of(const struct document_block *block, size_t column) {
  const char *own = column < block->titles.count ? block->titles.data[column] : NULL;
  return own == NULL ? block->columns[column].title : own;
}

void document_make_table(struct table *table, const struct document_block *block, bool full) {
  VECTOR(const struct object_column *) used = {0};
  table_init(table);
  for (size_t c = 0; c < block->columns_count; c++)
    if (is_used(block, &block->columns[c], full)) {
      vector_push(&used, &block->columns[c]);
      table_column(table, block->columns[c].align, title_of(block, c));
    }
  for (size_t i = 0; i < block->objects->items.count; i++)
    if (object_is_for_people(&block->objects->items.data[i], full))
      for (size_t c = 0; c < used.count; c++)
        add_cell(table, block->objects, i, used.data[c]);
  vector_clear(&used);
}

void document_first_table(struct table *table, const struct document *document) {
  size_t i = 0;
  while (i < document->blocks.count && document->blocks.data[i].kind != BLOCK_TABLE)
    i++;
  if (i == document->blocks.count)
    bug("%s: a document without a table", document->about);
  document_make_table(table, &document->blocks.data[i], true);
}
