/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "show/page.h"

static const struct object_key assumption_keys[] = {
    KEY("source", TEXT, .words = "model|solver|dist|data"),
    KEY("level", TEXT, .words = "standard|notable|warning"),
    KEY("text", TEXT),
    {0}};
const struct object_kind assumption_kind = {"assumption", NULL, assumption_keys};

void document_init(struct document *document, const char *about,
                   const struct object_kind *const *kinds) {
  *document = (struct document){.about = about, .kinds = kinds};
  document->title = mem_copy_text("", 0);
  document->made = mem_copy_text("", 0);
}

static void clear_block(struct document_block *block) {
  mem_free(block->id);
  mem_free(block->text);
  mem_free(block->about);
  mem_free(block->state);
  for (size_t i = 0; i < block->titles.count; i++)
    mem_free(block->titles.data[i]);
  vector_clear(&block->titles);
  if (block->kind == BLOCK_OBJECTS)
    objects_free(block->objects);
  if (block->kind == BLOCK_GRID)
    table_clear(&block->grid);
  if (block->drawing != NULL)
    drawing_clear(block->drawing);
  mem_free(block->drawing);
}

void document_clear(struct document *document) {
  for (size_t i = 0; i < document->blocks.count; i++)
    clear_block(&document->blocks.data[i]);
  vector_clear(&document->blocks);
  mem_free(document->title);
  mem_free(document->made);
  document->title = document->made = NULL;
}

static char *copy(const char *text) {
  return mem_copy_text(text, strlen(text));
}

static struct document_block *add(struct document *document, enum block_kind kind, enum lines lines,
                                  size_t indent) {
  struct document_block block = {.kind = kind,
                                 .shown = document->shown,
                                 .lines = lines,
                                 .indent = indent,
                                 .hang = kind == BLOCK_ITEM || kind == BLOCK_CODE ? 2 : 0};
  vector_push(&document->blocks, block);
  return &document->blocks.data[document->blocks.count - 1];
}

void document_show(struct document *document, enum object_shown shown) {
  document->shown = shown;
}

bool document_block_is_shown(const struct document_block *block, bool full, bool page) {
  struct object object = {.shown = block->shown};
  return block->shown == SHOWN_PAGES ? page : object_is_for_people(&object, full);
}

/* --- for people ------------------------------------------------------------------------------- */

#define TAKE_FORMATTED(result, format)                                                             \
  do {                                                                                             \
    struct text formatted;                                                                         \
    va_list arguments;                                                                             \
    text_init(&formatted);                                                                         \
    va_start(arguments, format);                                                                   \
    text_format_list(&formatted, format, arguments);                                               \
    va_end(arguments);                                                                             \
    (result) = text_take(&formatted);                                                              \
  } while (0)

void document_title(struct document *document, const char *format, ...) {
  mem_free(document->title);
  TAKE_FORMATTED(document->title, format);
}

void document_made(struct document *document, const struct document_page *page) {
  struct text text;
  if (page == NULL)
    return;
  text_init(&text);
  picture_made(&text, page->command);
  mem_free(document->made);
  document->made = text_take(&text);
}

void document_figures(struct document *document, const struct document_page *page,
                      const void *answer, size_t part) {
  if (page != NULL)
    page->figures(document, answer, part);
}

void document_section(struct document *document, const char *id, const char *format, ...) {
  struct document_block *block = add(document, BLOCK_SECTION, LINES_CLOSE, 0);
  block->id = copy(id);
  TAKE_FORMATTED(block->text, format);
}

void document_say(struct document *document, enum lines lines, const char *format, ...) {
  TAKE_FORMATTED(add(document, BLOCK_SENTENCE, lines, 2)->text, format);
}

void document_take(struct document *document, enum lines lines, size_t indent, struct text *text) {
  if (text->length != 0)
    add(document, BLOCK_SENTENCE, lines, indent)->text = text_take(text);
  text_clear(text);
}

void document_hang(struct document *document, size_t hang) {
  document->blocks.data[document->blocks.count - 1].hang = hang;
}

void document_pre(struct document *document, enum lines lines, struct text *text) {
  if (text->length != 0)
    add(document, BLOCK_PRE, lines, 0)->text = text_take(text);
  text_clear(text);
}

void document_head(struct document *document, enum lines lines, enum status status,
                   const char *about, const char *state, const char *reason) {
  document_verdict(document, status, about, state, reason);
  struct document_block *block = &document->blocks.data[document->blocks.count - 1];
  block->lines = lines;
  block->indent = 0;
}

void document_item(struct document *document, enum lines lines, size_t indent, struct text *text) {
  if (text->length != 0)
    add(document, BLOCK_ITEM, lines, indent)->text = text_take(text);
  text_clear(text);
}

void document_code(struct document *document, size_t indent, struct text *text) {
  if (text->length != 0)
    add(document, BLOCK_CODE, LINES_CLOSE, indent)->text = text_take(text);
  text_clear(text);
}

void document_verdict(struct document *document, enum status status, const char *about,
                      const char *state, const char *reason) {
  struct document_block *block = add(document, BLOCK_VERDICT, LINES_APART, 2);
  block->status = status;
  block->about = copy(about);
  block->state = copy(state);
  block->text = copy(reason);
}

void document_grid(struct document *document, enum lines lines, size_t indent, struct table *grid) {
  if (grid->cells.count == 0)
    table_clear(grid);
  else
    add(document, BLOCK_GRID, lines, indent)->grid = *grid;
  table_init(grid);
}

void document_folded(struct document *document, const char *id, const char *summary,
                     struct table *grid) {
  enum object_shown shown = document->shown;
  if (grid->cells.count == 0)
    bug("%s: nothing to fold", document->about);
  document_show(document, SHOWN_PAGES);
  document_grid(document, LINES_APART, 2, grid);
  document_show(document, shown);
  struct document_block *block = &document->blocks.data[document->blocks.count - 1];
  block->folded = true;
  block->id = copy(id);
  block->text = copy(summary);
}

void document_figure(struct document *document, enum figure_form form, const char *id,
                     const char *label, struct drawing *drawing) {
  struct document_block *block = add(document, BLOCK_FIGURE, LINES_CLOSE, 0);
  block->form = form;
  block->id = copy(id);
  block->text = copy(label);
  block->drawing = mem_alloc(1, sizeof *block->drawing);
  *block->drawing = *drawing;
  *drawing = (struct drawing){0};
}

void document_timeline(struct document *document, const char *id, const char *label,
                       struct drawing *drawing, const struct figure_axes *axes) {
  document_figure(document, FIGURE_WALK, id, label, drawing);
  document->blocks.data[document->blocks.count - 1].axes = *axes;
}

void document_curves(struct document *document, const char *id, const char *label,
                     struct drawing *drawing, const struct figure_axes *axes) {
  document_figure(document, FIGURE_READ, id, label, drawing);
  document->blocks.data[document->blocks.count - 1].axes = *axes;
}

/* --- objects ---------------------------------------------------------------------------------- */

struct objects *document_objects(struct document *document, const struct object_kind *kind) {
  struct document_block *block = add(document, BLOCK_OBJECTS, LINES_CLOSE, 0);
  block->objects = objects_new(kind);
  return block->objects;
}

void document_table(struct document *document, enum lines lines, size_t indent,
                    struct objects *objects, const struct object_column *columns, size_t count) {
  struct document_block *block = add(document, BLOCK_TABLE, lines, indent);
  block->objects = objects;
  block->columns = columns;
  block->columns_count = count;
}

void document_column_title(struct document *document, size_t column, const char *format, ...) {
  struct document_block *block = &document->blocks.data[document->blocks.count - 1];
  if (block->kind != BLOCK_TABLE || column >= block->columns_count)
    bug("%s: a title of no column", document->about);
  while (block->titles.count <= column)
    vector_push(&block->titles, NULL);
  mem_free(block->titles.data[column]);
  TAKE_FORMATTED(block->titles.data[column], format);
}

void document_ledger(struct document *document, const struct ledger *ledger) {
  add(document, BLOCK_LEDGER, LINES_CLOSE, 0)->ledger = ledger;
  struct objects *lines = document_objects(document, &assumption_kind);
  for (size_t i = 0; i < ledger->count; i++) {
    objects_add(lines);
    object_text(lines, "source", ledger_source_name(ledger->lines[i].source));
    object_text(lines, "level", ledger_level_name(ledger->lines[i].level));
    object_text(lines, "text", ledger->lines[i].text);
  }
}

/* --- writers ---------------------------------------------------------------------------------- */

/* Objects that are for people alone may be of any kind. */
static void check_objects(const struct document *document, const struct objects *objects) {
  size_t answers = 0, i = 0;
  for (size_t k = 0; k < objects->items.count; k++)
    answers += object_is_answer(&objects->items.data[k]);
  while (answers != 0 && document->kinds[i] != NULL && document->kinds[i] != objects->kind)
    i++;
  if (answers != 0 && document->kinds[i] == NULL)
    bug("%s prints no objects of the kind \"%s\"", document->about, objects->kind->name);
  objects_check(objects);
}

void document_write(struct text *out, const struct document *document, enum document_format format,
                    const struct style *style) {
  for (size_t i = 0; i < document->blocks.count; i++)
    if (document->blocks.data[i].kind == BLOCK_OBJECTS)
      check_objects(document, document->blocks.data[i].objects);
  switch (format) {
  case DOCUMENT_TEXT:
    document_write_text(out, document, style);
    break;
  case DOCUMENT_JSON:
    document_write_json(out, document);
    break;
  case DOCUMENT_MARKDOWN:
    document_write_markdown(out, document, style);
    break;
  case DOCUMENT_CSV:
    document_write_csv(out, document);
    break;
  case DOCUMENT_HTML:
    document_write_html(out, document);
    break;
  case DOCUMENT_PROMETHEUS:
    document_write_prometheus(out, document);
    break;
  }
}

void document_print(const struct document *document, enum document_format format, bool full) {
  struct text text;
  struct style style = style_of_terminal(STDOUT_FILENO, full);
  text_init(&text);
  document_write(&text, document, format, &style);
  fwrite(text_get(&text), 1, text.length, stdout);
  text_clear(&text);
}
