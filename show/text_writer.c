/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A document as text for a terminal (document.h).
 */
#include <string.h>

#include "base/shown.h"
#include "show/document.h"
#include "show/ledger.h"
#include "show/wrapped.h"

enum { VERDICT_INDENT = 6 };

/* In one line; to be released. */
static char *clean(const char *text) {
  char *line = mem_copy_text(text, strlen(text));
  shown_clean_text(line, '?');
  return line;
}

static void append_sentence(struct text *out, const struct document_block *block,
                            const struct style *style) {
  char *line = clean(block->text);
  text_format(out, "%*s", (int)block->indent, "");
  wrapped_append(out, line, block->indent, block->indent + block->hang, style->prose);
  mem_free(line);
}

/* The reason behind the state where it fits, else below it. */
static void append_verdict(struct text *out, const struct document_block *block,
                           const struct style *style) {
  char *about = clean(block->about), *reason = clean(block->text);
  size_t start = out->length;
  text_format(out, "%*s%s: %s%s", (int)block->indent, "", about, block->state,
              *reason == '\0' ? ".\n" : ":");
  size_t column = out->length - start;
  bool fits = column + 1 + strlen(reason) <= style->prose;
  if (*reason != '\0') {
    text_append(out, fits ? " " : "\n      ");
    wrapped_append(out, reason, fits ? column : VERDICT_INDENT, VERDICT_INDENT, style->prose);
  }
  mem_free(about);
  mem_free(reason);
}

/* Green, red or yellow. */
static void append_head(struct text *out, const struct document_block *block,
                        const struct style *style) {
  const char *colour = !style->colour                    ? ""
                       : block->status == STATUS_OK      ? "\033[32m"
                       : block->status == STATUS_REFUTED ? "\033[31m"
                                                         : "\033[33m";
  char *about = clean(block->about), *reason = clean(block->text);
  text_format(out, "%s: %s%s%s%s%s\n", about, colour, block->state,
              *colour == '\0' ? "" : "\033[0m", *reason == '\0' ? "" : ": ", reason);
  mem_free(about);
  mem_free(reason);
}

static void append_lines(struct text *out, const char *lines) {
  size_t start = out->length;
  text_append(out, lines);
  out->length = start + shown_clean(out->data + start, out->length - start, '?', true);
  out->data[out->length] = '\0';
  if (out->length != start && out->data[out->length - 1] != '\n')
    text_append(out, "\n");
}

static void append_table(struct text *out, const struct document_block *block,
                         const struct style *style) {
  struct table table;
  document_make_table(&table, block, style->full);
  table_format(out, &table, block->indent, style->width);
  table_clear(&table);
}

static void append_block(struct text *out, const struct document_block *block,
                         const struct style *style) {
  switch (block->kind) {
  case BLOCK_SENTENCE:
  case BLOCK_ITEM:
  case BLOCK_CODE:
    append_sentence(out, block, style);
    break;
  case BLOCK_PRE:
    append_lines(out, block->text);
    break;
  case BLOCK_VERDICT:
    if (block->indent == 0)
      append_head(out, block, style);
    else
      append_verdict(out, block, style);
    break;
  case BLOCK_TABLE:
    append_table(out, block, style);
    break;
  case BLOCK_GRID:
    table_format(out, &block->grid, block->indent, style->width);
    break;
  case BLOCK_LEDGER:
    ledger_append(out, block->ledger, style);
    break;
  default:
    break;
  }
}

void document_write_text(struct text *out, const struct document *document,
                         const struct style *style) {
  for (size_t i = 0; i < document->blocks.count; i++) {
    const struct document_block *block = &document->blocks.data[i];
    struct text bytes;
    text_init(&bytes);
    if (document_block_is_shown(block, style->full, false))
      append_block(&bytes, block, style);
    if (bytes.length != 0)
      text_format(out, "%s%s", block->lines == LINES_APART && out->length != 0 ? "\n" : "",
                  bytes.data);
    text_clear(&bytes);
  }
}
