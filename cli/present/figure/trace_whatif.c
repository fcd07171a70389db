/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/trace_whatif.h"

#include <inttypes.h>

#include "show/page.h"
#include "cli/present/figure/panel.h"
#include "cli/present/latency.h"
#include "cli/present/loops_whatif.h"
#include "cli/question/latency/latency.h"
#include "cli/question/loops/whatif.h"

enum { CURVES = 4 }; /* recorded, replayed in both readings, observed */

/* What a picture is made of; owns its samples and texts. */
struct latency_view {
  struct plot plot;
  struct sample samples[CURVES];
  size_t count;
  VECTOR(char *) texts;
};

static const char *keep(struct latency_view *view, struct text *text) {
  char *kept = text_take(text);
  vector_push(&view->texts, kept);
  return kept;
}

/* The curve of the latencies, if there are any; the text is its name, and empty afterwards. */
static void add_curve(struct latency_view *view, enum plot_kind kind, const int64_t *ns,
                      size_t count, struct text *name) {
  struct sample *sample = &view->samples[view->count++];
  const char *kept = keep(view, name);
  sample_init(sample);
  for (size_t i = 0; i < count; i++)
    if (ns[i] == LATENCY_NEVER)
      sample_add_beyond(sample, 1);
    else
      sample_add(sample, (uint64_t)ns[i], 1);
  sample_finish(sample);
  if (sample->count != 0)
    vector_push(&view->plot.curves,
                (struct plot_curve){.name = kept, .kind = kind, .sample = sample});
}

static void add_seen(struct latency_view *view, const int64_t *ns, size_t count) {
  struct text name;
  text_init(&name);
  text_format(&name, "observed after the real change, %zu requests", count);
  add_curve(view, PLOT_UPPER, ns, count, &name);
}

static void add_observed(struct latency_view *view, const struct span_store *store) {
  size_t count = store->requests.count;
  if (count == 0)
    return;
  int64_t *ns = mem_alloc(count, sizeof *ns);
  for (size_t i = 0; i < count; i++)
    ns[i] = span_store_latency(store, &store->requests.data[i]);
  add_seen(view, ns, count);
  mem_free(ns);
}

static void add_curves(struct latency_view *view, const struct latency_answer *answer) {
  const struct replayed *replayed = answer->replayed;
  bool both = answer->readings == 2;
  struct text name;
  text_init(&name);
  text_append(&name, both ? "replayed, if what is undecided waits" : "replayed with the change");
  add_curve(view, PLOT_OBSERVED, replayed[0].after.data, replayed[0].after.count, &name);
  if (both) {
    text_append(&name, "replayed, if it does not");
    add_curve(view, PLOT_UNKNOWN, replayed[1].after.data, replayed[1].after.count, &name);
  }
  text_format(&name, "recorded, %zu requests", replayed[0].before.count);
  add_curve(view, PLOT_FIRST, replayed[0].before.data, replayed[0].before.count, &name);
  add_observed(view, &answer->observed);
}

static void clear_view(struct latency_view *view) {
  plot_clear(&view->plot);
  for (size_t i = 0; i < view->count; i++)
    sample_clear(&view->samples[i]);
  for (size_t i = 0; i < view->texts.count; i++)
    mem_free(view->texts.data[i]);
  vector_clear(&view->texts);
}

static void show_figures(struct document *document, struct latency_view *view) {
  document_section(document, "figures", "Before and after");
  plot_figures(document, &view->plot, "");
  clear_view(view);
}

static void draw_view(struct drawing *sheet, const struct document *document,
                      struct latency_view *view) {
  sheet_draw(sheet, document, &view->plot, "percentiles");
  clear_view(view);
}

static void latency_figures(struct document *document, const void *answer, size_t part) {
  (void)part;
  struct latency_view view = {0};
  add_curves(&view, answer);
  show_figures(document, &view);
}

static void draw_sheet(struct drawing *sheet, const struct document *document, const void *answer) {
  struct latency_view view = {0};
  add_curves(&view, answer);
  draw_view(sheet, document, &view);
}

static void make_document(struct document *document, const void *answer,
                          const struct document_page *page) {
  latency_document(document, answer, page);
}

struct picture latency_picture(const struct latency_answer *answer, const char *command) {
  return (struct picture){.document = make_document,
                          .answer = answer,
                          .page = {command, latency_figures},
                          .sheet = draw_sheet};
}

/* --- event logs --- */

/* What is not told at some percentile is not drawn. */
static void add_loop_curves(struct latency_view *view, const struct loops_whatif *answer) {
  bool both = answer->readings == LOOPS_OTHERS;
  size_t first = loops_estimate(answer), second = first + 1;
  const char *other = "replayed, callbacks ready late";
  struct text name;
  if (first == LOOPS_READINGS) {
    both = true;
    first = 0;
    second = LOOPS_OTHERS;
    other = "replayed, if waits were long because of what is removed";
  }
  text_init(&name);
  text_append(&name, !both                    ? "replayed with the change"
                     : second == LOOPS_OTHERS ? "replayed, waits as recorded"
                                              : "replayed, callbacks ready early");
  bool told = true;
  for (size_t i = 0; i < answer->wanted.count; i++)
    told = told && loops_untold(answer, i) == LOOPS_TOLD;
  if (told)
    add_curve(view, PLOT_OBSERVED, answer->after[first].data, answer->after[first].count, &name);
  else
    text_clear(&name);
  if (told && both) {
    text_append(&name, other);
    add_curve(view, PLOT_UNKNOWN, answer->after[second].data, answer->after[second].count, &name);
  }
  text_format(&name, "recorded, %zu requests", answer->before.count);
  add_curve(view, PLOT_FIRST, answer->before.data, answer->before.count, &name);
  if (answer->seen.count != 0)
    add_seen(view, answer->seen.data, answer->seen.count);
}

static void loops_whatif_figures(struct document *document, const void *answer, size_t part) {
  (void)part;
  struct latency_view view = {0};
  add_loop_curves(&view, answer);
  show_figures(document, &view);
}

static void draw_loops_sheet(struct drawing *sheet, const struct document *document,
                             const void *answer) {
  struct latency_view view = {0};
  add_loop_curves(&view, answer);
  draw_view(sheet, document, &view);
}

static void make_loops_document(struct document *document, const void *answer,
                                const struct document_page *page) {
  loops_whatif_document(document, answer, page);
}

struct picture loops_whatif_picture(const struct loops_whatif *answer, const char *command) {
  return (struct picture){.document = make_loops_document,
                          .answer = answer,
                          .page = {command, loops_whatif_figures},
                          .sheet = draw_loops_sheet};
}
