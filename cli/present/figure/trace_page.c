/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/trace_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "show/page.h"
#include "cli/present/figure/trace_order.h"
#include "cli/present/figure/trace_waterfall.h"
#include "cli/present/figure/trace_words.h"
#include "cli/present/path.h"

#define WIDTH 1240.0
#define MARGIN 28.0
#define PAGE_WIDTH 1100.0

enum { FLOWS_DRAWN = 4, ROWS = 500, ITEMS = 100 }; /* what a page has of each at most */

/* What a picture is made of; owns its texts. */
struct path_view {
  const struct trace_path *answer;
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

static void append_rest(struct text *out, const struct path_rest *rest, const char *of) {
  if (rest->count == 0)
    return;
  struct text text;
  text_init(&text);
  text_format(&text, "and %zu %s: ", rest->count, of);
  duration_print_nearest(&text, rest->ns);
  text_append(&text, " in all");
  page_line(out, text.data, false);
  text_clear(&text);
}

static void append_request(struct text *out, const struct trace_path *answer) {
  struct drawing drawing;
  struct table table;
  waterfall_draw(&drawing, answer, PAGE_WIDTH);
  text_append(out, "<section id=\"request\">\n");
  page_walk(out, &drawing, "waterfall", "The request, span by span");
  text_append(out, "<details>\n<summary>The critical path step by step</summary>\n");
  struct path_rest rest = path_steps_table(&table, answer, ROWS);
  page_table(out, "steps", NULL, &table);
  append_rest(out, &rest, "shorter steps");
  text_append(out, "</details>\n</section>\n");
  table_clear(&table);
  drawing_clear(&drawing);
}

static void append_flow(struct text *out, const struct trace_path *answer, size_t flow) {
  struct drawing drawing;
  struct text title;
  char id[48];
  snprintf(id, sizeof id, "flow%zu", flow);
  text_init(&title);
  text_append(&title, "What waits for what in ");
  flow_share_say(&title, answer, flow);
  text_format(out, "<section id=\"%s\">\n<h2>", id);
  plot_escape(out, title.data);
  text_append(out, "</h2>\n");
  flow_draw(&drawing, answer, flow, PAGE_WIDTH);
  snprintf(id, sizeof id, "flow%zu-graph", flow);
  page_walk(out, &drawing, id, title.data);
  text_append(out, "</section>\n");
  drawing_clear(&drawing);
  text_clear(&title);
}

static void append_flows(struct text *out, const struct trace_path *answer) {
  size_t count = answer->graph.flows.count;
  for (size_t f = 0; f < count && f < FLOWS_DRAWN; f++)
    append_flow(out, answer, f);
  if (count < 2)
    return;
  struct table table;
  path_flows_table(&table, answer, ITEMS);
  page_table(out, "flows", "The ways in which requests make their calls", &table);
  table_clear(&table);
}

/* Takes the text, which is empty afterwards. */
static void append_item(struct text *out, struct text *text) {
  text_append(out, "<li>");
  plot_escape(out, text_get(text));
  text_append(out, "</li>\n");
  text_clear(text);
}

static void append_doubts(struct text *out, const struct trace_path *answer) {
  if (answer->doubts.count == 0 && answer->limits.count == 0)
    return;
  struct text text;
  text_init(&text);
  text_append(out, "<section id=\"undecided\">\n<h2>Undecided and suspected</h2>\n<ul>\n");
  for (size_t i = 0; i < answer->doubts.count && i < ITEMS; i++) {
    path_doubt_say(&text, answer, &answer->doubts.data[i]);
    append_item(out, &text);
  }
  for (size_t i = 0; i < answer->limits.count && i < ITEMS; i++) {
    path_limit_say(&text, answer, i);
    append_item(out, &text);
  }
  text_append(out, "</ul>\n</section>\n");
}

static void print_page(struct text *out, const void *subject) {
  const struct path_view *view = subject;
  struct table table;
  page_begin(out, view->title, "trace path");
  page_line(out, view->statement, false);
  page_line(out, view->made, true);
  text_append(out, "</header>\n");
  append_request(out, view->answer);
  append_flows(out, view->answer);
  struct path_rest rest = path_parts_table(&table, view->answer, ROWS);
  page_table(out, "parts", "Where the time of all requests is spent", &table);
  append_rest(out, &rest, "further");
  table_clear(&table);
  append_doubts(out, view->answer);
  page_ledger(out, &view->answer->ledger);
  page_end(out);
}

static void say_title(struct text *out, const struct trace_path *answer) {
  struct slice id = trace_request_shown(answer)->id;
  text_append(out, answer->request->id != NULL ? "Request " : "The slowest request, ");
  text_append_bytes(out, id.start, id.length);
  text_append(out, answer->request->id != NULL ? " took " : ", took ");
  duration_print_nearest(out, answer->finish.data[answer->finish.count - 1]);
}

enum status trace_path_draw(const struct trace_path *answer, const char *path, const char *command,
                            struct text *message) {
  struct text text;
  text_init(&text);
  say_title(&text, answer);
  struct path_view view = {.answer = answer, .title = text_take(&text)};
  text_format(&text, "of %" PRIu64 " request%s", answer->requests,
              answer->requests == 1 ? "" : "s");
  if (answer->graph.flows.count == 1)
    text_append(&text, answer->requests == 1 ? "" : ", which all make the same calls");
  else
    text_format(&text, ", which make their calls in %zu ways", answer->graph.flows.count);
  view.statement = text_take(&text);
  picture_made(&text, command);
  view.made = text_take(&text);
  enum status status =
      picture_write(&(struct picture){draw_sheet, print_page, &view}, path, message);
  mem_free(view.title);
  mem_free(view.statement);
  mem_free(view.made);
  return status;
}
