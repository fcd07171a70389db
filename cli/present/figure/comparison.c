/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/comparison.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/duration.h"
#include "cli/present/compare.h"
#include "show/page.h"
#include "cli/present/figure/panel.h"

/* One component's picture, or the only one. */
struct view {
  struct plot plot;
  struct table table;
};

/* What a picture is made of; owns its texts and views. */
struct gallery {
  const struct compare *compare;
  struct view *views; /* one for each subject */
  VECTOR(char *) texts;
  const char *command, *title, *statement, *made;
};

static const char *keep(struct gallery *gallery, struct text *text) {
  char *kept = text_take(text);
  vector_push(&gallery->texts, kept);
  return kept;
}

/* Of A or B: what was observed, and both sides of its law or band. */
static void add_curve(struct gallery *gallery, struct plot *plot, const struct subject *subject,
                      size_t which) {
  static const enum plot_kind kinds[2][3] = {
      {PLOT_FIRST, PLOT_FIRST_UPPER, PLOT_FIRST_LOWER},
      {PLOT_OBSERVED, PLOT_BAND_UPPER, PLOT_BAND_LOWER},
  };
  const struct compared_curve *curve = &subject->curves[which];
  const char *path = gallery->compare->request->paths[which];
  bool observed = curve->sample.total != 0;
  struct text name;
  text_init(&name);
  if (observed) {
    text_format(&name, "%c: %s, %" PRIu64 " observations", "AB"[which], path,
                curve -> sample.total);
    vector_push(&plot->curves, (struct plot_curve){.name = keep(gallery, &name),
                                                   .kind = kinds[which][0],
                                                   .sample = &curve->sample});
    text_format(&name, "confidence band of %c", "AB"[which]);
  } else {
    text_format(&name, "%c: %s, between its sides", "AB"[which], path);
  }
  const char *band = keep(gallery, &name);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++)
    if (curve->sides[side].tail != NULL)
      vector_push(&plot->curves, (struct plot_curve){.name = band,
                                                     .kind = kinds[which][1 + side],
                                                     .survival = &curve->sides[side]});
}

static void add_gap(struct gallery *gallery, struct plot *plot, const struct two_sample_gap *gap,
                    const char *slower, const char *faster) {
  if (!gap->found)
    return;
  struct text text;
  text_init(&text);
  text_format(&text, "%s is slower at ", slower);
  duration_print_upper(&text, gap->at_ns);
  vector_push(&plot->marks, (struct plot_mark){(double)gap->at_ns, keep(gallery, &text)});
  text_format(&text, "%s against %s", slower, faster);
  const char *about = keep(gallery, &text);
  compare_describe_gap(&text, gap, slower, faster);
  vector_push(&plot->verdicts, (struct plot_verdict){about, "slower", keep(gallery, &text),
                                                     *slower == 'B' ? STATUS_REFUTED : STATUS_OK});
}

static void make_view(struct gallery *gallery, struct view *view, const struct subject *subject) {
  struct plot *plot = &view->plot;
  plot_init(plot);
  compare_fill_table(&view->table, gallery->compare, subject);
  add_curve(gallery, plot, subject, 1);
  add_curve(gallery, plot, subject, 0);
  if (subject->has_samples && !subject->unsettled) {
    add_gap(gallery, plot, &subject->a_slower, "A", "B");
    add_gap(gallery, plot, &subject->b_slower, "B", "A");
  }
  plot->title = subject->name == NULL ? gallery->title : subject->name;
  plot->statement = gallery->statement;
  plot->made = gallery->made;
  plot->table = &view->table;
  plot->ledger = &gallery->compare->ledger;
}

static void make_gallery(struct gallery *gallery, const struct compare *compare,
                         const char *command) {
  struct text text;
  text_init(&text);
  *gallery = (struct gallery){.compare = compare, .command = command};
  text_format(&text, "B is %s", compare_state(compare));
  if (compare->has_margin)
    text_format(&text, ", the margin being %s times A", compare->request->margin);
  gallery->title = keep(gallery, &text);
  text_format(&text, "A is %s, B is %s; all intervals hold together with confidence ",
              compare->request->paths[0], compare->request->paths[1]);
  rational_print_short(&text, &compare->request->of.confidence);
  gallery->statement = keep(gallery, &text);
  picture_made(&text, command);
  gallery->made = keep(gallery, &text);
  gallery->views = mem_alloc(compare->subjects.count, sizeof *gallery->views);
  for (size_t i = 0; i < compare->subjects.count; i++)
    make_view(gallery, &gallery->views[i], &compare->subjects.data[i]);
}

static void clear_gallery(struct gallery *gallery) {
  for (size_t i = 0; i < gallery->compare->subjects.count; i++) {
    plot_clear(&gallery->views[i].plot);
    table_clear(&gallery->views[i].table);
  }
  for (size_t i = 0; i < gallery->texts.count; i++)
    mem_free(gallery->texts.data[i]);
  vector_clear(&gallery->texts);
  mem_free(gallery->views);
}

static bool is_slower(const struct subject *subject) {
  bool slower = subject->b_slower.found && !subject->unsettled;
  for (size_t i = 0; i < subject->rows.count; i++)
    slower |= subject->rows.data[i].verdict == COMPARED_SLOWER;
  return slower;
}

static void draw_sheet(struct drawing *drawing, const void *subject) {
  const struct gallery *gallery = subject;
  size_t shown = 0, count = gallery->compare->subjects.count;
  while (shown < count && !is_slower(&gallery->compare->subjects.data[shown]))
    shown++;
  sheet_draw(drawing, &gallery->views[shown == count ? 0 : shown].plot);
}

void comparison_figures(struct document *document, const void *answer, size_t part) {
  struct gallery gallery;
  char prefix[40];
  snprintf(prefix, sizeof prefix, "subject%zu-", part);
  make_gallery(&gallery, answer, "");
  plot_figures(document, &gallery.views[part].plot, prefix);
  clear_gallery(&gallery);
}

static void make_page(struct document *document, const void *subject) {
  const struct gallery *gallery = subject;
  compare_document(document, gallery->compare,
                   &(struct document_page){gallery->command, comparison_figures});
}

enum status comparison_draw(const struct compare *compare, const char *path, const char *command,
                            struct text *message) {
  struct gallery gallery;
  make_gallery(&gallery, compare, command);
  enum status status =
      picture_write(&(struct picture){.sheet = draw_sheet, .page = make_page, .subject = &gallery},
                    path, message);
  clear_gallery(&gallery);
  return status;
}
