/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Predicted throughput against the share of a service's time that is saved: a panel for each
 * target, all on one scale, with the interval of each prediction and the throughput now
 * (throughput.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/present/figure/scale.h"
#include "measure/throughput/experiment/estimate.h"
#include "cli/present/throughput.h"
#include "show/page.h"

#define WIDTH 1184.0 /* within the margins of a sheet */
#define COLUMNS 3
#define GAP 30.0
#define LEFT 64.0 /* of a panel, for the labels of its axis */
#define PANEL_HEIGHT 300.0
#define TEXT_SIZE 12.0
#define LINE 20.0

struct frame {
  struct drawing *drawing;
  struct axis saved, throughput; /* percent; requests/s */
};

static void find_range(struct axis *axis, const struct experiment *experiment) {
  double low = INFINITY, high = 0;
  for (size_t c = 0; c < experiment->checks; c++) {
    const struct cell *cell = &experiment->cells.data[c];
    if (!cell->estimate.given || (c >= 2 && cell->target == PLAN_SERVICES))
      continue;
    low = fmin(low, cell->estimate.low);
    high = fmax(high, cell->estimate.high);
  }
  double room = fmax(0.08 * (high - low), 0.01 * high);
  axis->low = fmax(low - room, 0);
  axis->high = high + room;
}

static void draw_axes(const struct frame *frame, const char *title) {
  struct drawing *d = frame->drawing;
  const struct axis *x = &frame->saved, *y = &frame->throughput;
  struct tick ticks[TICKS_MAX];
  drawing_text(d, INK_TEXT, 14, ANCHOR_START, x->from, y->to - 12, title)->bold = true;
  size_t count = axis_ticks(ticks, y, 1);
  for (size_t i = 0; i < count; i++) {
    double at = axis_pixel(y, ticks[i].value);
    drawing_segment(d, INK_GRID, 1, DASH_NONE, x->from, at, x->to, at);
    drawing_text(d, INK_MUTED, TEXT_SIZE, ANCHOR_END, x->from - 8, at + 4, ticks[i].label);
  }
  for (int percent = 0; percent <= 100; percent += 20) {
    char label[16];
    double at = axis_pixel(x, percent);
    snprintf(label, sizeof label, "%d", percent);
    drawing_segment(d, INK_GRID, 1, DASH_NONE, at, y->from, at, y->to);
    drawing_text(d, INK_MUTED, TEXT_SIZE, ANCHOR_MIDDLE, at, y->from + 18, label);
  }
  drawing_segment(d, INK_MUTED, 1.2, DASH_NONE, x->from, y->to, x->from, y->from);
  drawing_segment(d, INK_MUTED, 1.2, DASH_NONE, x->from, y->from, x->to, y->from);
}

static void draw_start(const struct frame *frame, const struct throughput_estimate *start) {
  struct drawing *d = frame->drawing;
  const struct axis *x = &frame->saved, *y = &frame->throughput;
  if (!start->given)
    return;
  double top = axis_pixel(y, start->high), bottom = axis_pixel(y, start->low);
  drawing_box(d, INK_OBSERVED, 0.2, x->from, top, x->to - x->from, fmax(bottom - top, 1));
  double at = axis_pixel(y, start->value);
  drawing_segment(d, INK_OBSERVED, 1.5, DASH_LONG, x->from, at, x->to, at);
}

static void draw_point(const struct frame *frame, double percent,
                       const struct throughput_estimate *known) {
  struct drawing *d = frame->drawing;
  double x = axis_pixel(&frame->saved, percent);
  double y = axis_pixel(&frame->throughput, known->value);
  double low = axis_pixel(&frame->throughput, known->low);
  double high = axis_pixel(&frame->throughput, known->high);
  drawing_segment(d, INK_UPPER, 1.5, DASH_NONE, x, low, x, high);
  drawing_segment(d, INK_UPPER, 1.5, DASH_NONE, x - 5, low, x + 5, low);
  drawing_segment(d, INK_UPPER, 1.5, DASH_NONE, x - 5, high, x + 5, high);
  drawing_box(d, INK_UPPER, 1, x - 3.5, y - 3.5, 7, 7);
}

/* The points, joined from the throughput without a change on. */
static void draw_curve(const struct frame *frame, const struct experiment *experiment,
                       uint32_t target) {
  struct drawing *d = frame->drawing;
  const struct throughput_estimate *start = &experiment->cells.data[1].estimate;
  char name[PLAN_NAME + 40];
  snprintf(name, sizeof name, "predicted throughput if %s were faster",
           experiment->plan->services[target].name);
  drawing_line(d, INK_UPPER, 2, DASH_NONE, name);
  if (start->given)
    drawing_point(d, axis_pixel(&frame->saved, 0), axis_pixel(&frame->throughput, start->value));
  for (int points = 0; points <= 1; points++)
    for (size_t c = FIRST_CHANGE; c < experiment->checks; c++) {
      const struct cell *cell = &experiment->cells.data[c];
      double percent = cell->level_ppm / 1e4;
      if (cell->target != target || !cell->estimate.given)
        continue;
      if (points == 1)
        draw_point(frame, percent, &cell->estimate);
      else
        drawing_point(d, axis_pixel(&frame->saved, percent),
                      axis_pixel(&frame->throughput, cell->estimate.value));
    }
}

static void draw_panel(struct drawing *drawing, const struct experiment *experiment,
                       uint32_t target, size_t place, double top) {
  double width = (WIDTH - (COLUMNS - 1) * GAP) / COLUMNS;
  double left = (double)(place % COLUMNS) * (width + GAP);
  double y = top + (double)(place / COLUMNS) * PANEL_HEIGHT;
  struct frame frame = {.drawing = drawing,
                        .saved = {.low = 0, .high = 100, .from = left + LEFT, .to = left + width},
                        .throughput = {.from = y + PANEL_HEIGHT - 60, .to = y + 30}};
  find_range(&frame.throughput, experiment);
  draw_axes(&frame, experiment->plan->services[target].name);
  draw_start(&frame, &experiment->cells.data[0].estimate);
  draw_curve(&frame, experiment, target);
  drawing_text(drawing, INK_TEXT, TEXT_SIZE, ANCHOR_MIDDLE, (frame.saved.from + frame.saved.to) / 2,
               frame.throughput.from + 38, "% of its time per call saved");
  if (place % COLUMNS == 0)
    drawing_text(drawing, INK_TEXT, TEXT_SIZE, ANCHOR_MIDDLE, left + 8,
                 (frame.throughput.from + frame.throughput.to) / 2, "requests/s")
        ->upwards = true;
}

/* Targets with something to draw; how many. */
static size_t drawn_targets(uint32_t targets[PLAN_SERVICES], const struct experiment *experiment) {
  struct rank ranks[PLAN_SERVICES];
  size_t count = estimate_ranks(ranks, experiment), drawn = 0;
  for (size_t i = 0; i < count; i++)
    if (ranks[i].best != NULL)
      targets[drawn++] = ranks[i].target;
  return drawn;
}

static void draw(struct drawing *d, const struct experiment *experiment, const uint32_t targets[],
                 size_t count) {
  static const char about[] = "Predicted throughput against the share of the time per call that is "
                              "saved, for each service, with intervals.";
  double rows = (double)((count + COLUMNS - 1) / COLUMNS);
  drawing_init(d, WIDTH, rows * PANEL_HEIGHT, "What if a service were faster", about);
  for (size_t i = 0; i < count; i++)
    draw_panel(d, experiment, targets[i], i, 0);
}

void throughput_figures(struct document *document, const void *experiment, size_t part) {
  (void)part;
  uint32_t targets[PLAN_SERVICES];
  struct drawing drawing;
  size_t count = drawn_targets(targets, experiment);
  if (count == 0)
    return;
  draw(&drawing, experiment, targets, count);
  document_section(document, "curves", "Predicted throughput, best service first");
  document_show(document, SHOWN_PAGES);
  document_say(document, LINES_APART,
               "User requests/s predicted from paused runs; bars are 95 %% intervals, the dashed "
               "line is the throughput now.");
  document_show(document, SHOWN_ALWAYS);
  document_figure(document, FIGURE_PLAIN, "throughput",
                  "Predicted throughput against the time saved", &drawing);
}

static void make_document(struct document *document, const void *experiment,
                          const struct document_page *page) {
  throughput_document(document, experiment, page);
}

enum status throughput_draw(const struct experiment *experiment, const char *path,
                            const char *command, struct text *message) {
  uint32_t targets[PLAN_SERVICES];
  if (drawn_targets(targets, experiment) == 0) {
    text_format(message, "%s: there is no curve to draw", path);
    return STATUS_UNKNOWN;
  }
  const struct picture picture = {
      .document = make_document, .answer = experiment, .page = {command, throughput_figures}};
  return picture_write(&picture, path, message);
}
