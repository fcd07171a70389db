/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/trace_page.h"

#include <stdio.h>

#include "show/page.h"
#include "cli/present/figure/trace_order.h"
#include "cli/present/figure/trace_waterfall.h"
#include "cli/present/figure/trace_words.h"
#include "cli/present/path.h"

#define WIDTH 1240.0
#define MARGIN 28.0
#define PAGE_WIDTH 1100.0

enum { FLOWS_DRAWN = 4 };

/* What a picture is made of; owns its texts. */
struct path_view {
  const struct trace_path *answer;
  const char *command;
  char *title, *statement, *made;
};

/* --- the page of `trace path` ------------------------------------------------------------------*/

static void draw_sheet(struct drawing *sheet, const void *subject) {
  const struct path_view *view = subject;
  struct drawing drawing;
  waterfall_draw(&drawing, view->answer, WIDTH - 2 * MARGIN);
  const char *const lines[] = {view->statement, view->made};
  sheet_frame(sheet, &drawing, view->title, lines, sizeof lines / sizeof *lines);
  drawing_clear(&drawing);
}

static void add_flow(struct document *document, const struct trace_path *answer, size_t flow) {
  struct drawing drawing;
  struct text title;
  char id[48];
  snprintf(id, sizeof id, "flow%zu", flow);
  text_init(&title);
  text_append(&title, "What waits for what in ");
  flow_share_say(&title, answer, flow);
  document_section(document, id, "%s", title.data);
  flow_draw(&drawing, answer, flow, PAGE_WIDTH);
  snprintf(id, sizeof id, "flow%zu-graph", flow);
  document_figure(document, FIGURE_WALK, id, title.data, &drawing);
  text_clear(&title);
}

void trace_path_figures(struct document *document, const void *subject, size_t part) {
  const struct trace_path *answer = subject;
  struct drawing drawing;
  for (size_t f = 0; part == 1 && f < answer->graph.flows.count && f < FLOWS_DRAWN; f++)
    add_flow(document, answer, f);
  if (part == 1)
    return;
  document_section(document, "request", "The request");
  waterfall_draw(&drawing, answer, PAGE_WIDTH);
  document_figure(document, FIGURE_WALK, "waterfall", "The request, span by span", &drawing);
}

static void make_page(struct document *document, const void *subject) {
  const struct path_view *view = subject;
  path_document(document, view->answer, PATH_PAGE_ROWS,
                &(struct document_page){view->command, trace_path_figures});
}

enum status trace_path_draw(const struct trace_path *answer, const char *path, const char *command,
                            struct text *message) {
  struct text text;
  text_init(&text);
  path_title_say(&text, answer);
  struct path_view view = {.answer = answer, .command = command, .title = text_take(&text)};
  path_flows_say(&text, answer);
  view.statement = text_take(&text);
  picture_made(&text, command);
  view.made = text_take(&text);
  enum status status = picture_write(
      &(struct picture){.sheet = draw_sheet, .page = make_page, .subject = &view}, path, message);
  mem_free(view.title);
  mem_free(view.statement);
  mem_free(view.made);
  return status;
}
