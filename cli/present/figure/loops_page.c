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
#define SHEET_WIDTH 1184.0 /* within its margins */

/* What a picture is made of; owns its texts. */
struct loops_view {
  const struct loops_answer *answer;
  const struct hot_answer *hot;
  const char *command;
  char *title, *made;
};

static void draw_sheet(struct drawing *sheet, const void *subject) {
  const struct loops_view *view = subject;
  struct drawing drawing;
  loops_bars_draw(&drawing, view->answer, SHEET_WIDTH);
  const char *const lines[] = {view->made};
  sheet_frame(sheet, &drawing, view->title, lines, 1);
  drawing_clear(&drawing);
}

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

static void make_page(struct document *document, const void *subject) {
  const struct loops_view *view = subject;
  loops_document(document, view->answer, view->hot,
                 &(struct document_page){view->command, loops_figures});
}

enum status loops_draw(const struct loops_answer *a, const struct hot_answer *hot, const char *path,
                       const char *command, struct text *message) {
  struct text text;
  text_init(&text);
  size_t requests = 0, slow = 0;
  for (size_t i = 0; i < a->routes.count; i++) {
    requests += a->routes.data[i].judgement.split.requests;
    slow += a->routes.data[i].judgement.split.slow;
  }
  text_format(&text, "Why %zu of %zu requests are slow", slow, requests);
  struct loops_view view = {.answer = a, .hot = hot, .command = command, .title = text_take(&text)};
  picture_made(&text, command);
  view.made = text_take(&text);
  enum status status = picture_write(
      &(struct picture){.sheet = draw_sheet, .page = make_page, .subject = &view}, path, message);
  mem_free(view.title);
  mem_free(view.made);
  return status;
}
