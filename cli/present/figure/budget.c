/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/budget.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "cli/present/budget.h"
#include "cli/present/figure/scale.h"
#include "cli/question/budget/budget.h"
#include "cli/question/budget/budget_file.h"

#define WIDTH 1184.0
#define ROW 34.0 /* of a bar, with the gap below it */
#define BAR 28.0
#define TOP 34.0
#define TEXT_SIZE 12.0
#define BRANCHES 6 /* of an order statistic or maximum that are drawn */

struct budget_layout {
  const struct budget *b;
  struct drawing *drawing; /* NULL: only measured */
  const double *values;    /* by node, at the limits */
  double scale;            /* pixels a ns */
};

static enum ink ink_of(size_t part) {
  return (enum ink)(INK_GROUP + part % INK_GROUPS);
}

static void draw_leaf(const struct budget_layout *l, size_t g, double x, double y, double factor) {
  const struct budget_part *part = &l->b->parts.data[g];
  double width = (double)part->promise.limit_ns * factor * l->scale;
  double now = part->now_ns == SAMPLE_NS_MAX ? width : (double)part->now_ns * factor * l->scale;
  struct text label;
  text_init(&label);
  text_format(&label, "%s ", part->name);
  promise_print(&label, &part->promise);
  drawing_box(l->drawing, ink_of(g), 0.25, x, y, fmax(width - 1, 0.5), BAR);
  drawing_area(l->drawing, now > width ? INK_FAILED : ink_of(g), 0.85, text_get(&label));
  double height = BAR / 3, below = y + BAR - height, right = x + fmax(fmin(now, width) - 1, 0.5);
  drawing_point(l->drawing, x, below);
  drawing_point(l->drawing, right, below);
  drawing_point(l->drawing, right, below + height);
  drawing_point(l->drawing, x, below + height);
  if (width > 40)
    drawing_fitting(l->drawing, INK_TEXT, TEXT_SIZE, x + 4, y + 14, width - 8, text_get(&label));
  text_clear(&label);
}

static double place(const struct budget_layout *l, size_t n, double x, double y, double factor);

/* Branches below each other, and a line along their beginnings. */
static double place_branches(const struct budget_layout *l, const struct budget_node *node,
                             double x, double y, double factor) {
  const struct budget_nodes *nodes = &l->b->nodes;
  size_t drawn = node->count <= BRANCHES ? node->count : BRANCHES / 2;
  double from = y;
  char label[64];
  for (size_t i = 0; i < drawn; i++)
    y = place(l, nodes->children.data[node->first + i], x, y, factor);
  snprintf(label, sizeof label, node->kind == BUDGET_MAX ? "the slowest of %zu" : "%zu. of %zu",
           node->kind == BUDGET_MAX ? node->count : node->rank, node->count);
  if (l->drawing != NULL) {
    drawing_segment(l->drawing, INK_MUTED, 1.5, DASH_NONE, x - 1, from, x - 1, y - (ROW - BAR));
    drawing_text(l->drawing, INK_MUTED, TEXT_SIZE - 1, ANCHOR_START, x + 3, y + 8, label);
  }
  return y + 16;
}

/* Places the node with its left upper corner there; how far down it comes. */
static double place(const struct budget_layout *l, size_t n, double x, double y, double factor) {
  const struct budget_nodes *nodes = &l->b->nodes;
  const struct budget_node *node = &nodes->nodes.data[n];
  double bottom = y + ROW;
  switch (node->kind) {
  case BUDGET_OCCURRENCE:
    if (l->drawing != NULL)
      draw_leaf(l, node->part, x, y, factor);
    return bottom;
  case BUDGET_CONSTANT:
    if (l->drawing != NULL)
      drawing_box(l->drawing, INK_MUTED, 0.4, x, y, fmax(node->value * factor * l->scale, 0.5),
                  BAR);
    return bottom;
  case BUDGET_SCALE:
    return place(l, nodes->children.data[node->first], x, y, factor * node->value);
  case BUDGET_ADD:
    for (size_t i = 0; i < node->count; i++) {
      size_t child = nodes->children.data[node->first + i];
      bottom = fmax(bottom, place(l, child, x, y, factor));
      x += l->values[child] * factor * l->scale;
    }
    return bottom;
  default:
    return place_branches(l, node, x, y, factor);
  }
}

static void draw_axis(struct drawing *d, const struct budget *b, double scale, double bottom) {
  double limit = rational_double(&b->slos.data[0].limit_ns);
  const struct axis axis = {.low = 0, .high = limit, .from = 0, .to = limit * scale};
  struct tick ticks[TICKS_MAX];
  struct time_unit unit = time_unit_for(limit);
  size_t count = axis_ticks(ticks, &axis, unit.ns);
  for (size_t i = 0; i < count; i++) {
    double x = axis_pixel(&axis, ticks[i].value);
    drawing_segment(d, INK_GRID, 1, DASH_NONE, x, TOP - 8, x, bottom);
    if (x < WIDTH - 200) /* the objective's own label is there */
      drawing_text(d, INK_MUTED, TEXT_SIZE, i == 0 ? ANCHOR_START : ANCHOR_MIDDLE, x, TOP - 14,
                   ticks[i].label);
  }
  drawing_segment(d, INK_UPPER, 2, DASH_LONG, limit * scale, TOP - 8, limit * scale, bottom);
  struct text label;
  text_init(&label);
  text_format(&label, "%s (%s)", b->slos.data[0].text, unit.name);
  drawing_text(d, INK_UPPER, TEXT_SIZE, ANCHOR_END, WIDTH, TOP - 14, text_get(&label))->bold = true;
  text_clear(&label);
}

/* What is spent of the chance, from left to right. */
static void draw_spend(struct drawing *d, const struct budget *b, double y) {
  double scale = (WIDTH - 60) / (double)b->chance, x = 0;
  drawing_text(d, INK_TEXT, 14, ANCHOR_START, 0, y - 8, "Chance that is spent, of what is allowed")
      ->bold = true;
  drawing_box(d, INK_GRID, 0.6, 0, y, (double)b->chance * scale, BAR);
  for (size_t g = 0; g < b->parts.count; g++) {
    const struct budget_part *part = &b->parts.data[g];
    double width = (double)part->promise.miss * (double)part->alone_in_sum * scale;
    if (width <= 0)
      continue;
    drawing_box(d, ink_of(g), 0.7, x, y, fmax(width - 1, 0.5), BAR);
    if (width > 30)
      drawing_fitting(d, INK_TEXT, TEXT_SIZE, x + 4, y + 18, width - 8, part->name);
    x += width;
  }
  for (size_t i = 0; i < b->quorums.count; i++) {
    double width = (double)b->quorums.data[i].spend.spend * scale;
    drawing_box(d, INK_UNKNOWN, 0.5, x, y, fmax(width - 1, 0.5), BAR);
    if (width > 30)
      drawing_fitting(d, INK_TEXT, TEXT_SIZE, x + 4, y + 18, width - 8, b->quorums.data[i].name);
    x += width;
  }
}

static void draw(struct drawing *drawing, const struct budget *b) {
  const struct budget_nodes *nodes = &b->nodes;
  struct spending spending;
  double *limits = mem_alloc(b->parts.count + 1, sizeof *limits);
  for (size_t g = 0; g < b->parts.count; g++)
    limits[g] = (double)b->parts.data[g].promise.limit_ns;
  spending_init(&spending, nodes, b->request->independent);
  spending_value(&spending, limits);
  struct budget_layout layout = {.b = b, .values = spending.values};
  layout.scale = (WIDTH - 60) / rational_double(&b->slos.data[0].limit_ns);
  double bottom = place(&layout, nodes->nodes.count - 1, 0, TOP, 1);
  drawing_init(drawing, WIDTH, bottom + 90, "Promises of parts",
               "The bound as bars along time; within each bar what the part takes today.");
  draw_axis(drawing, b, layout.scale, bottom);
  layout.drawing = drawing;
  place(&layout, nodes->nodes.count - 1, 0, TOP, 1);
  draw_spend(drawing, b, bottom + 40);
  spending_clear(&spending);
  mem_free(limits);
}

static void add_figure(struct document *document, const void *answer, size_t part) {
  const struct budget *b = answer;
  struct drawing drawing;
  (void)part;
  if (!b->found)
    return;
  draw(&drawing, b);
  document_figure(document, FIGURE_WALK, "budget", "Limits of the parts, and what they take today",
                  &drawing);
}

static void make(struct document *document, const void *answer, const struct document_page *page) {
  budget_document(document, answer, page);
}

static void draw_sheet(struct drawing *out, const struct document *document, const void *answer) {
  (void)answer;
  sheet_draw_first(out, document);
}

struct picture budget_picture(const struct budget *budget, const char *command) {
  return (struct picture){
      .document = make, .answer = budget, .page = {command, add_figure}, .sheet = draw_sheet};
}
