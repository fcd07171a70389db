/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A document as an HTML page (document.h, page.h), with all rows and all that it rests on.
 */
#include <string.h>

#include "show/document.h"
#include "show/page.h"

static void append_verdict(struct text *out, const struct document_block *block) {
  text_format(out, "<p class=\"verdict %s\">",
              block->status == STATUS_OK        ? "good"
              : block->status == STATUS_REFUTED ? "bad"
                                                : "open");
  plot_escape(out, block->about);
  text_append(out, ": <strong>");
  plot_escape(out, block->state);
  text_append(out, *block->text == '\0' ? "</strong>" : "</strong>: ");
  plot_escape(out, block->text);
  text_append(out, "</p>\n");
}

static void append_table(struct text *out, const struct document_block *block) {
  struct table table;
  document_make_table(&table, block, true);
  page_grid(out, &table);
  table_clear(&table);
}

/* Sections lie side by side: whatever belongs to none ends the one before. */
static void append_section(struct text *out, const struct document_block *block, bool *open) {
  text_append(out, *open ? "</section>\n" : "");
  *open = block != NULL;
  if (block == NULL)
    return;
  text_append(out, "<section id=\"");
  plot_escape(out, block->id);
  text_append(out, "\">\n<h2>");
  plot_escape(out, block->text);
  text_append(out, "</h2>\n");
}

/* What blocks that stand together are within. */
struct group {
  const char *begin, *end;
};

static const struct group *group_of(const struct document *document, size_t i) {
  static const struct group list = {"<ul>\n", "</ul>\n"};
  static const struct group figures[] = {[FIGURE_PLAIN] = {"<div class=\"wide\">\n", "</div>\n"},
                                         [FIGURE_READ] = {"<div class=\"figures\">\n", "</div>\n"},
                                         [FIGURE_SMALL] = {"<div class=\"small\">\n", "</div>\n"}};
  if (i >= document->blocks.count)
    return NULL;
  const struct document_block *block = &document->blocks.data[i];
  return block->kind == BLOCK_ITEM                                           ? &list
         : block->kind == BLOCK_FIGURE && figures[block->form].begin != NULL ? &figures[block->form]
                                                                             : NULL;
}

/* Whether a page has nothing of the block. */
static bool is_absent(const struct document_block *block) {
  return block->kind == BLOCK_OBJECTS || !document_block_is_shown(block, true, true);
}

/* The group of the next block that is there, or of the one before. */
static const struct group *group_beside(const struct document *document, size_t i, size_t step) {
  do
    i += step;
  while (i < document->blocks.count && is_absent(&document->blocks.data[i]));
  return group_of(document, i);
}

static void append_figure(struct text *out, const struct document_block *block) {
  if (block->form == FIGURE_READ)
    page_curves(out, block->drawing, block->id, block->text, &block->axes);
  else if (block->form == FIGURE_WALK)
    page_walk(out, block->drawing, block->id, block->text,
              block->axes.unit == NULL ? NULL : &block->axes);
  else
    drawing_to_svg(out, block->drawing, block->id);
}

static void append_grid(struct text *out, const struct document_block *block) {
  if (!block->folded) {
    page_grid(out, &block->grid);
    return;
  }
  text_format(out, "<details id=\"%s\">\n<summary>", block->id);
  plot_escape(out, block->text);
  text_append(out, "</summary>\n");
  page_grid(out, &block->grid);
  text_append(out, "</details>\n");
}

static void append_block(struct text *out, const struct document *document, size_t i, bool *open) {
  const struct document_block *block = &document->blocks.data[i];
  if (!document_block_is_shown(block, true, true))
    return;
  const struct group *group = group_of(document, i);
  if (group != NULL && group_beside(document, i, (size_t)-1) != group)
    text_append(out, group->begin);
  switch (block->kind) {
  case BLOCK_SECTION:
    append_section(out, block, open);
    break;
  case BLOCK_ITEM:
    text_append(out, "<li>");
    plot_escape(out, block->text);
    text_append(out, "</li>\n");
    break;
  case BLOCK_SENTENCE:
  case BLOCK_CODE:
    page_line(out, block->text, block->kind == BLOCK_CODE);
    break;
  case BLOCK_PRE:
    text_append(out, "<pre>");
    page_lines(out, block->text);
    text_append(out, "</pre>\n");
    break;
  case BLOCK_VERDICT:
    append_verdict(out, block);
    break;
  case BLOCK_TABLE:
    append_table(out, block);
    break;
  case BLOCK_GRID:
    append_grid(out, block);
    break;
  case BLOCK_FIGURE:
    append_figure(out, block);
    break;
  case BLOCK_LEDGER:
    append_section(out, NULL, open);
    page_ledger(out, block->ledger);
    break;
  case BLOCK_OBJECTS:
    break;
  }
  if (group != NULL && group_beside(document, i, 1) != group)
    text_append(out, group->end);
}

static bool is_in_header(enum block_kind kind) {
  return kind == BLOCK_SENTENCE || kind == BLOCK_CODE || kind == BLOCK_OBJECTS;
}

void document_write_html(struct text *out, const struct document *document) {
  bool open = false;
  size_t i = 0;
  page_begin(out, document->title, document->about);
  for (; i < document->blocks.count && is_in_header(document->blocks.data[i].kind); i++)
    append_block(out, document, i, &open);
  if (*document->made != '\0')
    page_line(out, document->made, true);
  text_append(out, "</header>\n");
  for (; i < document->blocks.count; i++)
    append_block(out, document, i, &open);
  append_section(out, NULL, &open);
  page_end(out, NULL);
}
