/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sheet of a document (page.h): what an SVG or PNG file has of it.
 */
#include <math.h>
#include <string.h>

#include "show/document.h"
#include "show/page.h"

#define MARGIN 28.0
#define LINE 20.0
#define SMALL 12.0

/* The first figure; as many blocks as there are without one. */
static size_t find_figure(const struct document *document) {
  size_t i = 0;
  while (i < document->blocks.count && document->blocks.data[i].kind != BLOCK_FIGURE)
    i++;
  return i;
}

/* In words, for who cannot see it; the command line as a whole, which may be cut above. */
static void describe(struct text *text, const struct document *document) {
  size_t figure = find_figure(document);
  if (figure < document->blocks.count)
    text_append(text, document->blocks.data[figure].drawing->description);
  for (size_t i = 0; i < document->blocks.count; i++) {
    const struct document_block *block = &document->blocks.data[i];
    if (block->kind == BLOCK_VERDICT)
      text_format(text, " %s: %s.", block->about, block->state);
  }
  if (*document->made != '\0')
    text_format(text, " Made %s", document->made);
}

double sheet_begin(struct drawing *sheet, const struct document *document) {
  const double width = SHEET_WIDTH - 2 * MARGIN;
  double y = MARGIN + 14;
  struct text about;
  text_init(&about);
  describe(&about, document);
  drawing_init(sheet, SHEET_WIDTH, 0, document->title, text_get(&about));
  text_clear(&about);
  drawing_box(sheet, INK_PAPER, 1, 0, 0, SHEET_WIDTH, 0);
  drawing_fitting(sheet, INK_TEXT, 20, MARGIN, y, 0.9 * width, document->title);
  sheet->shapes.data[sheet->shapes.count - 1].bold = true;
  for (size_t i = 0; i < document->blocks.count && document->blocks.data[i].kind != BLOCK_SECTION;
       i++) {
    const struct document_block *block = &document->blocks.data[i];
    if (block->kind == BLOCK_CODE)
      drawing_fitting(sheet, INK_MUTED, SMALL, MARGIN, y += LINE, width, block->text);
    else if (block->kind == BLOCK_SENTENCE || block->kind == BLOCK_ITEM)
      y = drawing_wrapped(sheet, INK_MUTED, SMALL, MARGIN, y + LINE, width, block->text);
  }
  if (*document->made != '\0')
    y = drawing_wrapped(sheet, INK_MUTED, SMALL, MARGIN, y + LINE, width, document->made);
  for (size_t i = 0; i < document->blocks.count; i++) {
    const struct document_block *block = &document->blocks.data[i];
    struct text line;
    if (block->kind != BLOCK_VERDICT)
      continue;
    text_init(&line);
    text_format(&line, "%s: %s%s%s", block->about, block->state, *block->text == '\0' ? "" : ": ",
                block->text);
    drawing_fitting(sheet, INK_TEXT, 14, MARGIN, y += LINE, width, line.data);
    text_clear(&line);
  }
  return y;
}

void sheet_end(struct drawing *sheet, double y) {
  sheet->height = ceil(y);
  sheet->points.data[2].y = sheet->points.data[3].y = sheet->height; /* of the paper */
}

void sheet_draw_first(struct drawing *sheet, const struct document *document) {
  const struct document_block *blocks = document->blocks.data;
  size_t figure = find_figure(document), first = figure;
  double y = sheet_begin(sheet, document);
  while (first > 0 && blocks[first - 1].kind != BLOCK_SECTION)
    first--;
  for (; first < figure; first++)
    if (blocks[first].kind == BLOCK_SENTENCE)
      y = drawing_wrapped(sheet, INK_MUTED, SMALL, MARGIN, y + LINE, SHEET_WIDTH - 2 * MARGIN,
                          blocks[first].text);
  y += MARGIN;
  if (figure < document->blocks.count) {
    drawing_add(sheet, blocks[figure].drawing, MARGIN, y);
    y += blocks[figure].drawing->height;
  }
  sheet_end(sheet, y + MARGIN / 2);
}
