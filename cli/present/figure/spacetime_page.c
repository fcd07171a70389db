/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Space-time diagrams with all that belongs to them: as a sheet, and as a page.
 */
#include <math.h>
#include <stdio.h>

#include "cli/present/execution.h"
#include "show/document.h"
#include "cli/present/figure/spacetime.h"

#define WIDTH 1240.0
#define PAGE_WIDTH 1100.0
#define MARGIN 28.0
#define LINE 18.0
#define TEXT_SIZE 12.0
#define DETAILS 90.0

/* --- the sheet ----------------------------------------------------------------------------------
 */

static double draw_head(struct drawing *d, const struct spacetime *s) {
  double y = MARGIN + 14;
  drawing_fitting(d, INK_TEXT, 20, MARGIN, y, WIDTH - 2 * MARGIN, s->title);
  y += 4;
  const char *lines[] = {s->claim, s->reason, s->made};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (lines[i] != NULL)
      y = drawing_wrapped(d, INK_MUTED, TEXT_SIZE, MARGIN, y + LINE, WIDTH - 2 * MARGIN, lines[i]);
  return y + 8;
}

static void append_times(struct text *out, const struct timeline_row *row) {
  rational_print_short(out, &row->start);
  text_append(out, " .. ");
  rational_print_short(out, &row->end);
}

static double draw_steps(struct drawing *d, const struct timeline *execution, double y) {
  for (size_t i = 0; i < execution->rows.count; i++) {
    const struct timeline_row *row = &execution->rows.data[i];
    struct text text;
    text_init(&text);
    text_format(&text, "%zu", i + 1);
    drawing_text(d, INK_UPPER, TEXT_SIZE, ANCHOR_END, MARGIN + 24, y += LINE, text.data)->bold =
        true;
    text_clear(&text);
    text_format(&text, "%s: %s", row->node, row->step);
    if (execution->timed) {
      text_append(&text, ", ");
      append_times(&text, row);
      text_append(&text, " ns");
    }
    y = drawing_wrapped(d, INK_TEXT, TEXT_SIZE, MARGIN + 34, y, WIDTH - 2 * MARGIN - 34, text.data);
    text_clear(&text);
    if (row->what[0] != '\0')
      y = drawing_wrapped(d, INK_MUTED, TEXT_SIZE, MARGIN + DETAILS, y + LINE,
                          WIDTH - 2 * MARGIN - DETAILS, row->what);
  }
  if (execution->remark != NULL)
    y = drawing_wrapped(d, INK_TEXT, TEXT_SIZE, MARGIN, y + LINE + 8, WIDTH - 2 * MARGIN,
                        execution->remark);
  return y;
}

void spacetime_sheet(struct drawing *drawing, const struct spacetime *s) {
  struct drawing diagram;
  spacetime_draw(&diagram, s, WIDTH - 2 * MARGIN);
  struct text about;
  text_init(&about);
  spacetime_describe(&about, s->execution);
  if (s->made != NULL) /* whole; the line of the head may be cut */
    text_format(&about, " Made %s", s->made);
  drawing_init(drawing, WIDTH, 0, s->title, about.data);
  text_clear(&about);
  drawing_box(drawing, INK_PAPER, 1, 0, 0, WIDTH, 0);
  double y = draw_head(drawing, s);
  drawing_add(drawing, &diagram, MARGIN, y);
  y = draw_steps(drawing, s->execution, y + diagram.height + 6) + MARGIN;
  drawing_clear(&diagram);
  drawing->height = ceil(y);
  drawing->points.data[2].y = drawing->points.data[3].y = drawing->height;
}

/* --- the page -----------------------------------------------------------------------------------
 */

static void add_steps(struct document *document, const struct timeline *execution) {
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_RIGHT, "step");
  if (execution->timed)
    table_column(&table, TABLE_RIGHT, "time (ns)");
  table_column(&table, TABLE_LEFT, "node");
  table_column(&table, TABLE_LEFT, "action");
  table_column(&table, TABLE_LEFT, "what it does");
  for (size_t i = 0; i < execution->rows.count; i++) {
    const struct timeline_row *row = &execution->rows.data[i];
    struct text text;
    text_init(&text);
    table_cell(&table, "%zu", i + 1);
    if (execution->timed) {
      append_times(&text, row);
      table_take(&table, &text);
    }
    table_cell(&table, "%s", row->node);
    table_cell(&table, "%s", row->step);
    table_cell(&table, "%s", row->what);
  }
  document_grid(document, LINES_APART, 0, &table);
}

static void add_one(struct document *document, const struct spacetime *s, size_t number) {
  char id[32];
  struct drawing drawing;
  struct text claim;
  snprintf(id, sizeof id, "execution%zu", number);
  document_section(document, id, "%s", number == 0 ? "An execution" : s->title);
  text_init(&claim);
  text_append(&claim, s->claim);
  document_code(document, 0, &claim);
  if (s->reason != NULL)
    document_say(document, LINES_APART, "%s", s->reason);
  spacetime_draw(&drawing, s, PAGE_WIDTH);
  snprintf(id, sizeof id, "drawing%zu", number);
  document_figure(document, FIGURE_PLAIN, id, s->title, &drawing);
  snprintf(id, sizeof id, "steps%zu", number);
  document_section(document, id, "Its steps");
  add_steps(document, s->execution);
  if (s->execution->remark != NULL)
    document_say(document, LINES_APART, "%s", s->execution->remark);
}

void spacetime_document(struct document *document, const struct spacetime *list, size_t count) {
  document_init(document, "execution", NULL);
  document_title(document, "%s", list[0].title);
  for (size_t i = 0; i < count; i++)
    add_one(document, &list[i], i);
}
