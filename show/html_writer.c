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

static void append_lines(struct text *out, const char *lines) {
  while (*lines != '\0') {
    size_t length = strcspn(lines, "\n");
    char *line = mem_copy_text(lines, length);
    plot_escape(out, line);
    text_append(out, "\n");
    mem_free(line);
    lines += length + (lines[length] == '\n');
  }
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

/* Items that stand together are one list. */
static void append_list_end(struct text *out, const struct document *document, size_t i,
                            const char *tag) {
  size_t other = *tag == '/' ? i + 1 : i - 1;
  while (other < document->blocks.count && document->blocks.data[other].kind == BLOCK_OBJECTS)
    other += *tag == '/' ? 1 : (size_t)-1;
  if (document->blocks.data[i].kind == BLOCK_ITEM &&
      (other >= document->blocks.count || document->blocks.data[other].kind != BLOCK_ITEM))
    text_format(out, "<%s>\n", tag);
}

static void append_block(struct text *out, const struct document *document, size_t i, bool *open) {
  const struct document_block *block = &document->blocks.data[i];
  if (!document_block_is_shown(block, true, true))
    return;
  append_list_end(out, document, i, "ul");
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
    append_lines(out, block->text);
    text_append(out, "</pre>\n");
    break;
  case BLOCK_VERDICT:
    append_verdict(out, block);
    break;
  case BLOCK_TABLE:
    append_table(out, block);
    break;
  case BLOCK_GRID:
    page_grid(out, &block->grid);
    break;
  case BLOCK_FIGURE:
    page_walk(out, block->drawing, block->id, block->text);
    break;
  case BLOCK_LEDGER:
    append_section(out, NULL, open);
    page_ledger(out, block->ledger);
    break;
  case BLOCK_OBJECTS:
    break;
  }
  append_list_end(out, document, i, "/ul");
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
  page_end(out);
}
