/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A document as CSV (document.h; RFC 4180, with line ends of Unix): one table for all kinds, so
 * that every reader of CSV takes it. The first column is the kind; then come all keys that the
 * document may have, whether this answer has them or not, so that the header does not depend on the
 * data.
 *
 * An object of a list inside another has a line of its own. Its kind is that of the outer one with
 * the key ("slo.improvements"), and the keys that name the outer one are repeated.
 *
 * A text that a spreadsheet would take for a formula gets an apostrophe in front
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
#include <stdio.h>
#include <string.h>

#include "base/jsonl.h"
#include "base/shown.h"
#include "show/document.h"
#include "show/value.h"

struct sheet {
  VECTOR(char *) columns;
  VECTOR(char *) cells; /* of the line that is made; NULL: empty */
};

static char *joined(const char *prefix, const char *key) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s%s", prefix, key);
  return text_take(&text);
}

static size_t find(const struct sheet *sheet, const char *name) {
  size_t i = 0;
  while (i < sheet->columns.count && strcmp(sheet->columns.data[i], name) != 0)
    i++;
  return i;
}

/* The column of each key; prefix: of a list inside, with its point. */
static void collect(struct sheet *sheet, const struct object_kind *kind, const char *prefix) {
  for (const struct object_key *key = kind->keys; key->key != NULL; key++) {
    char *name = joined(prefix, key->key);
    if (key->type == KEY_OBJECTS) {
      char *inside = joined(name, ".");
      collect(sheet, key->objects, inside);
      mem_free(inside);
    } else if (find(sheet, name) == sheet->columns.count) {
      vector_push(&sheet->columns, name);
      vector_push(&sheet->cells, NULL);
      continue;
    }
    mem_free(name);
  }
}

/* --- cells ------------------------------------------------------------------------------------ */

static void append_lines(struct text *out, const char *text) {
  size_t start = out->length;
  text_append(out, text);
  out->length = start + shown_clean(out->data + start, out->length - start, '?', true);
  out->data[out->length] = '\0';
}

static void append_text(struct text *out, const char *text, bool lines) {
  if (*text != '\0' && strchr("=+-@\t\r", *text) != NULL)
    text_append(out, "'");
  if (lines)
    append_lines(out, text);
  else
    value_print_text(out, text);
}

/* A list of texts as JSON has it: a text may hold whatever would part them. */
static void append_texts(struct text *out, const struct object_value *value) {
  struct jsonl *json = jsonl_new(NULL), *list = jsonl_list(json, "");
  struct text line;
  text_init(&line);
  for (size_t i = 0; i < value->texts.count; i++)
    jsonl_item_text(list, value->texts.data[i]);
  jsonl_line(json, &line);
  text_append_bytes(out, line.data + strlen("{\"\":"), line.length - strlen("{\"\":}\n"));
  text_clear(&line);
}

static void append_map(struct text *out, const struct object_value *value) {
  text_append(out, "{");
  for (size_t i = 0; i < value->pairs.count; i++) {
    const struct object_pair *pair = &value->pairs.data[i];
    const char *quote = pair->is_number ? "" : "\"";
    text_format(out, "%s\"%s\":%s%s%s", i == 0 ? "" : ",", pair->name, quote, pair->digits, quote);
  }
  text_append(out, "}");
}

/* NULL where there is none. */
static char *cell_of(const struct object_key *key, const struct object_value *value) {
  struct text text;
  text_init(&text);
  if (value->state == VALUE_GIVEN && key->type == KEY_TEXT)
    append_text(&text, value->text, (key->marks & MARK_LINES) != 0);
  else if (value->state == VALUE_GIVEN && key->type == KEY_TEXTS)
    append_texts(&text, value);
  else if (value->state == VALUE_GIVEN && key->type == KEY_MAP)
    append_map(&text, value);
  else if (value->state == VALUE_GIVEN && key->type == KEY_FLAG)
    text_append(&text, value->flag ? "true" : "false");
  else
    value_print(&text, key, value, "inf");
  return text.length == 0 ? NULL : text_take(&text);
}

static void append_cell(struct text *out, const char *cell) {
  if (strpbrk(cell, "\",\n\r") == NULL && *cell != ' ') {
    text_append(out, cell);
    return;
  }
  text_append(out, "\"");
  for (; *cell != '\0'; cell++)
    text_format(out, *cell == '"' ? "\"\"" : "%c", *cell);
  text_append(out, "\"");
}

/* --- lines ------------------------------------------------------------------------------------ */

static void set_cell(struct sheet *sheet, size_t column, char *cell) {
  mem_free(sheet->cells.data[column]);
  sheet->cells.data[column] = cell;
}

enum change_of_cells { SET_ALL, EMPTY_BUT_NAMES, EMPTY_ALL };

/* Sets the cells of an object, or empties those of its kind. */
static void set_cells(struct sheet *sheet, const struct objects *objects, size_t index,
                      const char *prefix, enum change_of_cells change) {
  for (size_t k = 0; k < objects->keys; k++) {
    const struct object_key *key = &objects->kind->keys[k];
    if (key->type == KEY_OBJECTS || (change == EMPTY_BUT_NAMES && (key->marks & MARK_NAMES)))
      continue;
    char *name = joined(prefix, key->key);
    size_t column = find(sheet, name);
    mem_free(name);
    set_cell(sheet, column,
             change == SET_ALL ? cell_of(key, &objects->items.data[index].values[k]) : NULL);
  }
}

static void append_line(struct text *out, const struct sheet *sheet, const char *kind) {
  append_cell(out, kind);
  for (size_t c = 0; c < sheet->cells.count; c++) {
    text_append(out, ",");
    append_cell(out, sheet->cells.data[c] == NULL ? "" : sheet->cells.data[c]);
  }
  text_append(out, "\n");
}

static void append_objects(struct text *out, struct sheet *sheet, const struct objects *objects,
                           const char *kind, const char *prefix);

/* The lists inside of an object. */
static void append_lists(struct text *out, struct sheet *sheet, const struct objects *objects,
                         size_t index, const char *kind, const char *prefix) {
  for (size_t k = 0; k < objects->keys; k++) {
    const struct object_value *value = &objects->items.data[index].values[k];
    if (value->objects == NULL)
      continue;
    char *name = joined(prefix, objects->kind->keys[k].key), *inside = joined(name, ".");
    char *point = joined(kind, "."), *kind_inside = joined(point, objects->kind->keys[k].key);
    append_objects(out, sheet, value->objects, kind_inside, inside);
    mem_free(name);
    mem_free(inside);
    mem_free(point);
    mem_free(kind_inside);
  }
}

static void append_objects(struct text *out, struct sheet *sheet, const struct objects *objects,
                           const char *kind, const char *prefix) {
  for (size_t i = 0; i < objects->items.count; i++) {
    if (!object_is_answer(&objects->items.data[i]))
      continue;
    set_cells(sheet, objects, i, prefix, SET_ALL);
    append_line(out, sheet, kind);
    set_cells(sheet, objects, i, prefix, EMPTY_BUT_NAMES);
    append_lists(out, sheet, objects, i, kind, prefix);
    set_cells(sheet, objects, i, prefix, EMPTY_ALL);
  }
}

void document_write_csv(struct text *out, const struct document *document) {
  struct sheet sheet = {0};
  for (size_t i = 0; document->kinds[i] != NULL; i++)
    collect(&sheet, document->kinds[i], "");
  text_append(out, "kind");
  for (size_t c = 0; c < sheet.columns.count; c++)
    text_format(out, ",%s", sheet.columns.data[c]);
  text_append(out, "\n");
  for (size_t b = 0; b < document->blocks.count; b++)
    if (document->blocks.data[b].kind == BLOCK_OBJECTS)
      append_objects(out, &sheet, document->blocks.data[b].objects,
                     document->blocks.data[b].objects->kind->name, "");
  for (size_t c = 0; c < sheet.columns.count; c++)
    mem_free(sheet.columns.data[c]);
  vector_clear(&sheet.columns);
  vector_clear(&sheet.cells);
}
