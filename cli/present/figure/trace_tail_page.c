/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page of trace_tail.h.
 */
#include "show/page.h"
#include "cli/present/figure/trace_tail.h"
#include "cli/present/tail.h"

#define PAGE_WIDTH 1184.0

static void tail_figures(struct document *document, const void *answer, size_t part) {
  (void)part;
  struct drawing drawing;
  document_section(document, "tail", "Slow requests beside the others");
  tail_bars_draw(&drawing, answer, PAGE_WIDTH);
  document_figure(document, FIGURE_WALK, "bars", "What slow requests have more of", &drawing);
}

static void make_document(struct document *document, const void *answer,
                          const struct document_page *page) {
  tail_document(document, answer, page);
}

struct picture tail_picture(const struct tail_answer *answer, const char *command) {
  return (struct picture){
      .document = make_document, .answer = answer, .page = {command, tail_figures}};
}
