/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/comparison.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/duration.h"
#include "cli/present/compare.h"
#include "cli/present/figure/panel.h"
#include "show/page.h"

/* One component's picture, or the only one; owns its texts. */
struct view {
  struct plot plot;
  VECTOR(char *) texts;
};

static const char *keep(struct view *view, struct text *text) {
  char *kept = text_take(text);
  vector_push(&view->texts, kept);
  return kept;
}

/* Of A or B: what was observed, and both sides of its law or band. */
static void add_curve(struct view *view, const struct compare *compare,
                      const struct subject *subject, size_t which) {
  static const enum plot_kind kinds[2][3] = {
      {PLOT_FIRST, PLOT_FIRST_UPPER, PLOT_FIRST_LOWER},
      {PLOT_OBSERVED, PLOT_BAND_UPPER, PLOT_BAND_LOWER},
  };
  const struct compared_curve *curve = &subject->curves[which];
  const char *path = compare->request->paths[which];
  struct text name;
  text_init(&name);
  if (curve->sample.total != 0) {
    uint64_t total = curve->sample.total;
    text_format(&name, "%c: %s, %" PRIu64 " observations", "AB"[which], path, total);
    vector_push(&view->plot.curves, (struct plot_curve){.name = keep(view, &name),
                                                        .kind = kinds[which][0],
                                                        .sample = &curve->sample});
    text_format(&name, "confidence band of %c", "AB"[which]);
  } else {
    text_format(&name, "%c: %s, between its sides", "AB"[which], path);
  }
  const char *band = keep(view, &name);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++)
    if (curve->sides[side].tail != NULL)
      vector_push(&view->plot.curves, (struct plot_curve){.name = band,
                                                          .kind = kinds[which][1 + side],
                                                          .survival = &curve->sides[side]});
}

static void add_gap(struct view *view, const struct two_sample_gap *gap, const char *slower) {
  struct text text;
  if (!gap->found)
    return;
  text_init(&text);
  text_format(&text, "%s is slower at ", slower);
  duration_print_upper(&text, gap->at_ns);
  vector_push(&view->plot.marks, (struct plot_mark){(double)gap->at_ns, keep(view, &text)});
}

static void make_view(struct view *view, const struct compare *compare, size_t index) {
  const struct subject *subject = &compare->subjects.data[index];
  *view = (struct view){0};
  add_curve(view, compare, subject, 1);
  add_curve(view, compare, subject, 0);
  if (subject->has_samples && !subject->unsettled) {
    add_gap(view, &subject->a_slower, "A");
    add_gap(view, &subject->b_slower, "B");
  }
}

static void clear_view(struct view *view) {
  plot_clear(&view->plot);
  for (size_t i = 0; i < view->texts.count; i++)
    mem_free(view->texts.data[i]);
  vector_clear(&view->texts);
}

static bool is_slower(const struct subject *subject) {
  bool slower = subject->b_slower.found && !subject->unsettled;
  for (size_t i = 0; i < subject->rows.count; i++)
    slower |= subject->rows.data[i].verdict == COMPARED_SLOWER;
  return slower;
}

static void draw_sheet(struct drawing *sheet, const struct document *document, const void *answer) {
  const struct compare *compare = answer;
  size_t shown = 0, count = compare->subjects.count;
  struct view view;
  char section[40];
  while (shown < count && !is_slower(&compare->subjects.data[shown]))
    shown++;
  shown = shown == count ? 0 : shown;
  snprintf(section, sizeof section, "subject%zu", shown);
  make_view(&view, compare, shown);
  sheet_draw(sheet, document, &view.plot, section);
  clear_view(&view);
}

static void comparison_figures(struct document *document, const void *answer, size_t part) {
  struct view view;
  char prefix[40];
  snprintf(prefix, sizeof prefix, "subject%zu-", part);
  make_view(&view, answer, part);
  plot_figures(document, &view.plot, prefix);
  clear_view(&view);
}

static void make_document(struct document *document, const void *answer,
                          const struct document_page *page) {
  compare_document(document, answer, page);
}

struct picture comparison_picture(const struct compare *compare, const char *command) {
  return (struct picture){.document = make_document,
                          .answer = compare,
                          .page = {command, comparison_figures},
                          .sheet = draw_sheet};
}
