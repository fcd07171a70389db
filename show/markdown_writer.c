/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A document as Markdown (document.h), for a comment or the summary of a CI job.
 */
#include <string.h>

#include "show/document.h"
#include "show/markdown.h"
#include "base/shown.h"

void markdown_escape(struct text *out, const char *text, const char *marks) {
  for (; *text != '\0'; text++)
    if (*text == '\n' || *text == '\r')
      text_append(out, " ");
    else if (*text == '&' || *text == '<' || *text == '>')
      text_append(out, *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : "&gt;");
    else if (strchr(marks, *text) != NULL)
      text_format(out, "\\%c", *text);
    else
      text_append_bytes(out, text, 1);
}

static void append_escaped(struct text *out, const char *text) {
  struct text clean;
  text_init(&clean);
  for (; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n') {
    text_append(&clean, clean.length == 0 ? "" : " ");
    shown_append(&clean, text, strcspn(text, "\n"));
  }
  markdown_escape(out, text_get(&clean), MARKDOWN_MARKS);
  text_clear(&clean);
}

void markdown_fenced(struct text *out, const char *text) {
  size_t longest = 2, now = 0, end = strlen(text);
  for (const char *at = text; *at != '\0'; at++) {
    now = *at == '`' ? now + 1 : 0;
    longest = now > longest ? now : longest;
  }
  char fence[128];
  size_t length = longest + 1 < sizeof fence ? longest + 1 : sizeof fence - 1;
  memset(fence, '`', length);
  fence[length] = '\0';
  text_format(out, "%s\n%s%s%s\n", fence, text, end != 0 && text[end - 1] == '\n' ? "" : "\n",
              fence);
}

/* A paragraph that begins with what begins a list elsewhere. */
static void append_paragraph(struct text *out, const char *text) {
  text_append(out, *text == '-' || *text == '+' ? "\\" : "");
  append_escaped(out, text);
  text_append(out, "\n");
}

static void append_row(struct text *out, char *const *cells, size_t count) {
  for (size_t c = 0; c < count; c++) {
    text_append(out, c == 0 ? "| " : " | ");
    append_escaped(out, cells[c]);
  }
  text_append(out, " |\n");
}

static void append_table(struct text *out, const struct table *table) {
  size_t columns = table->columns.count;
  VECTOR(char *) titles = {0};
  for (size_t c = 0; c < columns; c++)
    vector_push(&titles, table->columns.data[c].title);
  if (table->cells.count != 0)
    append_row(out, titles.data, columns);
  for (size_t c = 0; c < columns && table->cells.count != 0; c++)
    text_format(out, "|%s%s", table->columns.data[c].align == TABLE_LEFT ? "---" : "--:",
                c + 1 == columns ? "|\n" : "");
  for (size_t i = 0; i < table->cells.count; i += columns)
    append_row(out, &table->cells.data[i], columns);
  vector_clear(&titles);
}

static void append_verdict(struct text *out, const struct document_block *block) {
  text_append(out, block->status == STATUS_OK        ? "✅ "
                   : block->status == STATUS_REFUTED ? "❌ "
                                                     : "⚠️ ");
  append_escaped(out, block->about);
  text_append(out, ": **");
  append_escaped(out, block->state);
  text_append(out, *block->text == '\0' ? "**" : "**: ");
  append_escaped(out, block->text);
  text_append(out, "\n");
}

static void append_ledger(struct text *out, const struct ledger *ledger, bool full) {
  size_t left = 0, shown = 0;
  for (size_t i = 0; i < ledger->count; i++) {
    if (!full && ledger->lines[i].level == LEDGER_STANDARD) {
      left++;
      continue;
    }
    text_append(out, shown++ == 0 ? "### What this rests on\n\n" : "");
    text_format(out, "- %s: ", ledger_source_name(ledger->lines[i].source));
    append_escaped(out, ledger->lines[i].text);
    text_append(out, "\n");
  }
  if (left != 0)
    text_format(out, "%s%zu standard assumption%s: `--full` lists %s.\n",
                shown == 0 ? "This rests on " : "\nand on ", left, left == 1 ? "" : "s",
                left == 1 ? "it" : "them");
}

static void append_lines(struct text *out, const char *lines) {
  size_t length = strlen(lines);
  char *clean = mem_copy_text(lines, length);
  clean[shown_clean(clean, length, '?', true)] = '\0';
  markdown_fenced(out, clean);
  mem_free(clean);
}

static void append_block(struct text *out, const struct document_block *block, bool full) {
  struct table table;
  switch (block->kind) {
  case BLOCK_SECTION:
    text_append(out, "### ");
    append_paragraph(out, block->text);
    break;
  case BLOCK_SENTENCE:
    append_paragraph(out, block->text);
    break;
  case BLOCK_ITEM:
    text_append(out, "- ");
    append_escaped(out, block->text);
    text_append(out, "\n");
    break;
  case BLOCK_CODE:
    text_append(out, "> ");
    append_escaped(out, block->text);
    text_append(out, "\n");
    break;
  case BLOCK_PRE:
    append_lines(out, block->text);
    break;
  case BLOCK_VERDICT:
    append_verdict(out, block);
    break;
  case BLOCK_TABLE:
    document_make_table(&table, block, full);
    append_table(out, &table);
    table_clear(&table);
    break;
  case BLOCK_GRID:
    append_table(out, &block->grid);
    break;
  case BLOCK_LEDGER:
    append_ledger(out, block->ledger, full);
    break;
  default:
    break;
  }
}

void document_write_markdown(struct text *out, const struct document *document,
                             const struct style *style) {
  if (*document->title != '\0') {
    text_append(out, "## ");
    append_paragraph(out, document->title);
  }
  for (size_t i = 0; i < document->blocks.count; i++) {
    struct text bytes;
    text_init(&bytes);
    if (document_block_is_shown(&document->blocks.data[i], style->full, false))
      append_block(&bytes, &document->blocks.data[i], style->full);
    if (bytes.length != 0)
      text_format(out, "%s%s", out->length == 0 ? "" : "\n", bytes.data);
    text_clear(&bytes);
  }
}
