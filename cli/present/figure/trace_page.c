/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/trace_page.h"

#include <stdio.h>

#include "show/page.h"
#include "cli/present/figure/trace_order.h"
#include "cli/present/figure/trace_waterfall.h"
#include "cli/present/figure/trace_words.h"
#include "cli/present/path.h"

#define PAGE_WIDTH 1184.0

enum { FLOWS_DRAWN = 4 };

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
  struct figure_axes axes;
  for (size_t f = 0; part == 1 && f < answer->graph.flows.count && f < FLOWS_DRAWN; f++)
    add_flow(document, answer, f);
  if (part == 1)
    return;
  document_section(document, "request", "The request");
  waterfall_draw(&drawing, &axes, answer, PAGE_WIDTH);
  document_timeline(document, "waterfall", "The request, span by span", &drawing, &axes);
}

static void make_document(struct document *document, const void *answer,
                          const struct document_page *page) {
  path_document(document, answer, PATH_PAGE_ROWS, page);
}

enum status trace_path_draw(const struct trace_path *answer, const char *path, const char *command,
                            struct text *message) {
  const struct picture picture = {
      .document = make_document, .answer = answer, .page = {command, trace_path_figures}};
  return picture_write(&picture, path, message);
}
