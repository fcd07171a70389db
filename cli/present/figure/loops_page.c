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

enum { CAUSES_DRAWN = 6 };

struct loops_view {
  const struct loops_answer *answer;
  const struct hot_answer *hot;
};

/* A request, as a timeline. */
static void draw_request(struct document *document, const struct loops_answer *a, uint32_t chain,
                         const char *id) {
  struct drawing drawing;
  struct text text;
  text_init(&text);
  loops_request_say(&text, a, chain);
  document_take(document, LINES_APART, 2, &text);
  loops_timeline_draw(&drawing, a, chain, PAGE_WIDTH);
  document_figure(document, FIGURE_WALK, id, "A slow request and what its loop did", &drawing);
}

/* What a cause is shown by. */
struct shown_cause {
  char name[120], section[24], figure[24];
  uint32_t chain;
};

/* The causes that are named, with the request that each delays most. */
static size_t find_causes(struct shown_cause *causes, const struct loops_answer *a) {
  size_t count = 0, place;
  for (size_t r = 0; r < a->routes.count; r++) {
    const struct loops_route *route = &a->routes.data[r];
    const struct loop_judgement *j = &route->judgement;
    for (size_t i = 0;
         route->verdict == LOOPS_EXPLAINED && i < j->named.count && count < CAUSES_DRAWN; i++) {
      struct shown_cause *cause = &causes[count++];
      uint32_t request = loops_shows(route, j->named.data[i], &place);
      uint32_t named = j->report.findings.data[j->named.data[i]].cause;
      cause->chain = j->route->chains.data[request];
      snprintf(cause->name, sizeof cause->name, "%s: %s", loops_route_name(a, route),
               j->route->causes.causes.data[named].name);
      snprintf(cause->section, sizeof cause->section, "cause%zu", count);
      snprintf(cause->figure, sizeof cause->figure, "timeline%zu", count);
    }
  }
  return count;
}

/* The causes lead to the requests that show them; the one that is followed has its own section. */
static void draw_causes(struct document *document, const struct loops_answer *a) {
  struct shown_cause causes[CAUSES_DRAWN];
  size_t count = find_causes(causes, a);
  struct table table;
  if (count == 0)
    return;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "cause");
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < count; i++) {
    table_cell(&table, "%s", causes[i].name);
    table_cell(&table, "%s", "a request that shows it");
    table_link(&table, causes[i].chain == a->followed ? "request" : causes[i].section);
  }
  document_grid(document, LINES_APART, 2, &table);
  for (size_t i = 0; i < count; i++) {
    if (causes[i].chain == a->followed)
      continue;
    document_section(document, causes[i].section, "%s", causes[i].name);
    draw_request(document, a, causes[i].chain, causes[i].figure);
  }
}

/* For pages: the slow requests beside the others, a request for each cause, and one of them step by
 * step. */
void loops_figures(struct document *document, const void *answer, size_t part) {
  const struct loops_answer *a = answer;
  struct drawing drawing;
  struct table table;
  (void)part;
  document_show(document, SHOWN_PAGES);
  document_section(document, "tail", "Slow requests beside the others");
  loops_bars_draw(&drawing, a, PAGE_WIDTH);
  document_figure(document, FIGURE_WALK, "bars", "What slow requests consist of", &drawing);
  draw_causes(document, a);
  if (loops_use_draw(&drawing, a, PAGE_WIDTH)) {
    document_section(document, "use", "The process over time");
    document_figure(document, FIGURE_PLAIN, "use-curves", "The process over time", &drawing);
  }
  document_section(document, "request", "A slow request and its loop");
  draw_request(document, a, a->followed, "timeline");
  document_section(document, "steps", "Step by step");
  loops_timeline_table(&table, a, a->followed);
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
