/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page of trace_tail.h.
 */
#include "cli/present/figure/html_parts.h"
#include "show/page.h"
#include "cli/present/figure/trace_page.h"
#include "cli/present/figure/trace_tail.h"
#include "cli/present/tail.h"

#define PAGE_WIDTH 1100.0
#define SHEET_WIDTH 1184.0 /* within its margins */

/* What a picture is made of; owns its texts. */
struct tail_view {
  const struct tail_answer *answer;
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

static void append_table(struct text *out, const struct tail_answer *answer, const char *id,
                         const char *heading,
                         void (*make)(struct table *, const struct tail_answer *, bool)) {
  struct table table;
  make(&table, answer, true);
  if (table.cells.count != 0)
    page_table(out, id, heading, &table);
  table_clear(&table);
}

static void append_judged(struct text *out, const struct tail_answer *answer) {
  append_table(out, answer, "causes", "What each cause adds to slow requests", tail_causes_table);
  append_table(out, answer, "groups",
               "Without the excess of these alone, a slow request would not be slow",
               tail_groups_table);
  if (answer->tags.findings.count != 0)
    append_table(out, answer, "tags", "Tags that slow requests have more often", tail_tags_table);
}

static void print_page(struct text *out, const void *subject) {
  const struct tail_view *view = subject;
  struct drawing drawing;
  page_begin(out, view->title, "tail");
  page_line(out, view->sides, false);
  page_line(out, view->means, false);
  page_line(out, view->verdict, false);
  page_line(out, view->made, true);
  text_append(out, "</header>\n<section id=\"tail\">\n");
  tail_bars_draw(&drawing, view->answer, PAGE_WIDTH);
  page_walk(out, &drawing, "bars", "What slow requests have more of");
  text_append(out, "</section>\n");
  drawing_clear(&drawing);
  if (view->answer->verdict == TAIL_ONE)
    append_table(out, view->answer, "causes", "On the critical path", tail_one_table);
  else
    append_judged(out, view->answer);
  page_ledger(out, &view->answer->ledger);
  page_end(out);
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
  struct tail_view view = {.answer = answer, .title = text_take(&text)};
  view.sides = say(tail_sides_say, answer);
  view.means = one ? NULL : say(tail_means_say, answer);
  view.verdict = one ? NULL : say(tail_verdict_say, answer);
  picture_made(&text, command);
  view.made = text_take(&text);
  enum status status =
      picture_write(&(struct picture){draw_sheet, print_page, &view}, path, message);
  mem_free(view.title);
  mem_free(view.sides);
  mem_free(view.means);
  mem_free(view.verdict);
  mem_free(view.made);
  return status;
}
