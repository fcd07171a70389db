/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page of loops.h.
 */
#include <stdio.h>

#include "cli/present/figure/loops.h"
#include "show/page.h"
#include "cli/present/loops.h"
#include "cli/question/loops/loops.h"

#define PAGE_WIDTH 1100.0

struct loops_view {
  const struct loops_answer *answer;
  const struct hot_answer *hot;
};

/* For pages: the slow requests beside the others, and one of them step by step. */
void loops_figures(struct document *document, const void *answer, size_t part) {
  const struct loops_answer *a = answer;
  struct drawing drawing;
  struct table table;
  struct text text;
  (void)part;
  document_show(document, SHOWN_PAGES);
  document_section(document, "tail", "Slow requests beside the others");
  loops_bars_draw(&drawing, a, PAGE_WIDTH);
  document_figure(document, FIGURE_WALK, "bars", "What slow requests consist of", &drawing);
  document_section(document, "request", "A slow request and its loop");
  text_init(&text);
  loops_followed_say(&text, a);
  document_take(document, LINES_APART, 2, &text);
  loops_timeline_draw(&drawing, a, PAGE_WIDTH);
  document_figure(document, FIGURE_WALK, "timeline", "A slow request and what its loop did",
                  &drawing);
  document_section(document, "steps", "Step by step");
  loops_timeline_table(&table, a);
  document_grid(document, LINES_APART, 2, &table);
  document_show(document, SHOWN_ALWAYS);
}

static void make_document(struct document *document, const void *answer,
                          const struct document_page *page) {
  const struct loops_view *view = answer;
  loops_document(document, view->answer, view->hot, page);
}

enum status loops_draw(const struct loops_answer *a, const struct hot_answer *hot, const char *path,
                       const char *command, struct text *message) {
  const struct picture picture = {.document = make_document,
                                  .answer = &(struct loops_view){a, hot},
                                  .page = {command, loops_figures}};
  return picture_write(&picture, path, message);
}
