/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page of loops.h.
 */
#include <stdio.h>

#include "cli/present/figure/html_parts.h"
#include "cli/present/figure/loops.h"
#include "show/page.h"
#include "cli/present/figure/trace_page.h"
#include "cli/present/loops.h"
#include "cli/question/loops/loops.h"

#define PAGE_WIDTH 1100.0
#define SHEET_WIDTH 1184.0 /* within its margins */

enum { ROUTES_TOLD = 8 };

/* What a picture is made of; owns its texts. */
struct loops_view {
  const struct loops_answer *answer;
  char *title, *followed, *made;
};

static void draw_sheet(struct drawing *sheet, const void *subject) {
  const struct loops_view *view = subject;
  struct drawing drawing;
  loops_bars_draw(&drawing, view->answer, SHEET_WIDTH);
  const char *const lines[] = {view->made};
  sheet_frame(sheet, &drawing, view->title, lines, 1);
  drawing_clear(&drawing);
}

static void append_figure(struct text *out, const struct loops_answer *a, const char *id,
                          const char *label,
                          void (*draw)(struct drawing *, const struct loops_answer *, double)) {
  struct drawing drawing;
  draw(&drawing, a, PAGE_WIDTH);
  page_walk(out, &drawing, id, label);
  drawing_clear(&drawing);
}

static void append_route(struct text *out, const struct loops_answer *a, size_t index) {
  const struct loops_route *route = &a->routes.data[index];
  struct table table;
  struct text text;
  char id[40];
  snprintf(id, sizeof id, "route%zu", index);
  text_init(&text);
  loops_slow_say(&text, a, route);
  text_append(&text, " ");
  loops_verdict_say(&text, a, route);
  text_format(out, "<section id=\"%s\">\n<h2>", id);
  plot_escape(out, loops_route_name(a, route));
  text_append(out, "</h2>\n");
  page_line(out, text.data, false);
  text_append(out, "</section>\n");
  text_clear(&text);
  if (route->verdict == LOOPS_EXPLAINED) {
    loops_causes_table(&table, a, route);
    snprintf(id, sizeof id, "route%zu-causes", index);
    page_table(out, id, NULL, &table);
    table_clear(&table);
  }
  if (route->judgement.lines.count == 0)
    return;
  loops_parts_table(&table, a, route, false);
  snprintf(id, sizeof id, "route%zu-parts", index);
  page_table(out, id, NULL, &table);
  table_clear(&table);
}

static void append_followed(struct text *out, const struct loops_view *view) {
  struct table table;
  text_append(out, "<section id=\"request\">\n<h2>A slow request and its loop</h2>\n");
  page_line(out, view->followed, false);
  append_figure(out, view->answer, "timeline", "A slow request and what its loop did",
                loops_timeline_draw);
  text_append(out, "<details>\n<summary>Step by step</summary>\n");
  loops_timeline_table(&table, view->answer);
  page_table(out, "steps", NULL, &table);
  table_clear(&table);
  text_append(out, "</details>\n</section>\n");
}

static void print_page(struct text *out, const void *subject) {
  const struct loops_view *view = subject;
  struct table table;
  page_begin(out, view->title, "tail");
  page_line(out, view->made, true);
  text_append(out, "</header>\n<section id=\"tail\">\n");
  append_figure(out, view->answer, "bars", "What slow requests consist of", loops_bars_draw);
  text_append(out, "</section>\n");
  append_followed(out, view);
  loops_routes_table(&table, view->answer, true);
  page_table(out, "routes", "Percentiles", &table);
  table_clear(&table);
  for (size_t i = 0; i < view->answer->routes.count && i < ROUTES_TOLD; i++)
    append_route(out, view->answer, i);
  page_ledger(out, &view->answer->ledger);
  page_end(out);
}

enum status loops_draw(const struct loops_answer *a, const char *path, const char *command,
                       struct text *message) {
  struct text text;
  text_init(&text);
  size_t requests = 0, slow = 0;
  for (size_t i = 0; i < a->routes.count; i++) {
    requests += a->routes.data[i].judgement.split.requests;
    slow += a->routes.data[i].judgement.split.slow;
  }
  text_format(&text, "Why %zu of %zu requests are slow", slow, requests);
  struct loops_view view = {.answer = a, .title = text_take(&text)};
  loops_followed_say(&text, a);
  view.followed = text_take(&text);
  picture_made(&text, command);
  view.made = text_take(&text);
  enum status status =
      picture_write(&(struct picture){draw_sheet, print_page, &view}, path, message);
  mem_free(view.title);
  mem_free(view.followed);
  mem_free(view.made);
  return status;
}
