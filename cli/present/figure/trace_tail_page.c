/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page of trace_tail.h.
 */
#include "show/page.h"
#include "cli/present/figure/trace_tail.h"
#include "cli/present/tail.h"

#define PAGE_WIDTH 1100.0
#define SHEET_WIDTH 1184.0 /* within its margins */

/* What a picture is made of; owns its texts. */
struct tail_view {
  const struct tail_answer *answer;
  const char *command;
  char *title, *sides, *means, *verdict, *made;
};

static void draw_sheet(struct drawing *sheet, const void *subject) {
  const struct tail_view *view = subject;
  struct drawing drawing;
  tail_bars_draw(&drawing, view->answer, SHEET_WIDTH);
  const char *const lines[] = {view->sides, view->means, view->verdict, view->made};
  sheet_frame(sheet, &drawing, view->title, lines, sizeof lines / sizeof *lines);
  drawing_clear(&drawing);
}

void tail_figures(struct document *document, const void *answer, size_t part) {
  (void)part;
  struct drawing drawing;
  document_section(document, "tail", "Slow requests beside the others");
  tail_bars_draw(&drawing, answer, PAGE_WIDTH);
  document_figure(document, FIGURE_WALK, "bars", "What slow requests have more of", &drawing);
}

static void make_page(struct document *document, const void *subject) {
  const struct tail_view *view = subject;
  tail_document(document, view->answer, &(struct document_page){view->command, tail_figures});
}

static char *say(void (*what)(struct text *, const struct tail_answer *),
                 const struct tail_answer *answer) {
  struct text text;
  text_init(&text);
  text_append(&text, "");
  what(&text, answer);
  return text_take(&text);
}

enum status tail_draw(const struct tail_answer *answer, const char *path, const char *command,
                      struct text *message) {
  bool one = answer->verdict == TAIL_ONE;
  struct text text;
  text_init(&text);
  if (one)
    text_format(&text, "Why request %s takes its time", answer->request->request);
  else
    text_format(&text, "Why %zu of %zu requests are slow", answer->split.slow,
                answer->split.requests);
  struct tail_view view = {.answer = answer, .command = command, .title = text_take(&text)};
  view.sides = say(tail_sides_say, answer);
  view.means = one ? NULL : say(tail_means_say, answer);
  view.verdict = one ? NULL : say(tail_verdict_say, answer);
  picture_made(&text, command);
  view.made = text_take(&text);
  enum status status = picture_write(
      &(struct picture){.sheet = draw_sheet, .page = make_page, .subject = &view}, path, message);
  mem_free(view.title);
  mem_free(view.sides);
  mem_free(view.means);
  mem_free(view.verdict);
  mem_free(view.made);
  return status;
}
