/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/spacetime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/present/figure/scale.h"

#define LANE 62.0
#define ROUNDED 1e5 /* ns from which on marks are rounded */
#define BOX 20.0
#define NAMES 190.0 /* at most, of the lanes' names */
#define TEXT_SIZE 12.0
#define PIECES 16
#define SCALE_MOST 80.0 /* the whole over the shortest stretch */
#define HEAD 34.0       /* above the lanes, for the marks */

/* Where something happens, and where that is drawn. */
struct moment {
  double ns, x;
};

struct spacetime_stage {
  struct drawing *drawing;
  const struct timeline *execution;
  VECTOR(const char *) lanes;
  VECTOR(struct moment) moments; /* in order, each time once */
  bool to_scale;
  double left, right, top;
};

/* --- lanes and times ----------------------------------------------------------------------------
 */

static size_t lane_of(struct spacetime_stage *s, const char *node) {
  for (size_t i = 0; i < s->lanes.count; i++)
    if (strcmp(s->lanes.data[i], node) == 0)
      return i;
  vector_push(&s->lanes, node);
  return s->lanes.count - 1;
}

static double lane_y(struct spacetime_stage *s, const char *node) {
  return s->top + LANE * (0.5 + (double)lane_of(s, node));
}

static double number(const char *text) {
  char *rest;
  double value = strtod(text, &rest);
  return *rest == '/' ? value / strtod(rest + 1, NULL) : value;
}

static double ns_of(const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print_short(&text, value);
  double ns = number(text_get(&text));
  text_clear(&text);
  return ns;
}

/* Without times each row takes one unit, one after the other. */
static double start_of(const struct spacetime_stage *s, size_t row) {
  return s->execution->timed ? ns_of(&s->execution->rows.data[row].start) : (double)row + 0.2;
}

static double end_of(const struct spacetime_stage *s, size_t row) {
  return s->execution->timed ? ns_of(&s->execution->rows.data[row].end) : (double)row + 0.7;
}

/* What a pacer holds leaves later than its step ends. */
static double leaving_of(const struct spacetime_stage *s, const struct timeline_message *m) {
  return s->execution->timed && m->held ? ns_of(&m->left) : end_of(s, m->sent);
}

static double delivery_of(const struct spacetime_stage *s, const struct timeline_message *m) {
  if (s->execution->timed)
    return ns_of(&m->delivered);
  return m->received == TIMELINE_NEVER ? end_of(s, m->sent) + 0.5 : start_of(s, m->received);
}

static int in_order(const void *a, const void *b) {
  double x = ((const struct moment *)a)->ns, y = ((const struct moment *)b)->ns;
  return x < y ? -1 : x > y;
}

static void add_moment(struct spacetime_stage *s, double ns) {
  vector_push(&s->moments, (struct moment){.ns = ns});
}

static void find_moments(struct spacetime_stage *s, const struct spacetime *spacetime) {
  add_moment(s, 0);
  for (size_t i = 0; i < s->execution->rows.count; i++) {
    add_moment(s, start_of(s, i));
    add_moment(s, end_of(s, i));
  }
  for (size_t i = 0; i < s->execution->messages.count; i++) {
    add_moment(s, leaving_of(s, &s->execution->messages.data[i]));
    add_moment(s, delivery_of(s, &s->execution->messages.data[i]));
  }
  if (spacetime->limit != NULL)
    add_moment(s, number(spacetime->limit));
  if (spacetime->time != NULL)
    add_moment(s, number(spacetime->time));
  qsort(s->moments.data, s->moments.count, sizeof *s->moments.data, in_order);
  size_t kept = 1;
  for (size_t i = 1; i < s->moments.count; i++)
    if (s->moments.data[i].ns > s->moments.data[kept - 1].ns)
      s->moments.data[kept++] = s->moments.data[i];
  s->moments.count = kept;
}

/* To scale, unless something would be too narrow to be seen: then each stretch between two moments
 * is as long as the logarithm of its time. */
static void place_moments(struct spacetime_stage *s) {
  struct moment *m = s->moments.data;
  size_t count = s->moments.count;
  double least = INFINITY, last = m[count - 1].ns, sum = 0;
  for (size_t i = 1; i < count; i++)
    least = fmin(least, m[i].ns - m[i - 1].ns);
  s->to_scale = count < 2 || last / least <= SCALE_MOST;
  m[0].x = 0;
  for (size_t i = 1; i < count; i++) {
    double stretch = m[i].ns - m[i - 1].ns;
    sum += s->to_scale ? stretch : 1 + log2(stretch / least);
    m[i].x = sum;
  }
  for (size_t i = 0; i < count; i++)
    m[i].x = s->left + (sum == 0 ? 0 : m[i].x / sum) * (s->right - s->left);
}

/* Only of moments. */
static double x_of(const struct spacetime_stage *s, double ns) {
  for (size_t i = 0; i < s->moments.count; i++)
    if (s->moments.data[i].ns >= ns)
      return s->moments.data[i].x;
  return s->right;
}

static void set_stage(struct spacetime_stage *s, struct drawing *d,
                      const struct spacetime *spacetime, double width) {
  const struct timeline *execution = spacetime->execution;
  *s = (struct spacetime_stage){.drawing = d, .execution = execution, .top = HEAD};
  double names = 60;
  for (size_t i = 0; i < execution->rows.count; i++)
    lane_of(s, execution->rows.data[i].node);
  for (size_t i = 0; i < execution->messages.count; i++)
    lane_of(s, execution->messages.data[i].receiver);
  for (size_t i = 0; i < s->lanes.count; i++)
    names = fmax(names, 24 + 0.62 * TEXT_SIZE * (double)strlen(s->lanes.data[i]));
  s->left = fmin(names, NAMES);
  s->right = width - (spacetime->time != NULL ? 100 : 24); /* room for the event's label */
  find_moments(s, spacetime);
  place_moments(s);
}

/* --- parts --------------------------------------------------------------------------------------
 */

static void draw_lanes(struct spacetime_stage *s) {
  for (size_t i = 0; i < s->lanes.count; i++) {
    double y = s->top + LANE * (0.5 + (double)i);
    drawing_fitting(s->drawing, INK_TEXT, TEXT_SIZE, 4, y + 4, s->left - 12, s->lanes.data[i]);
    drawing_segment(s->drawing, INK_GRID, 1.5, DASH_NONE, s->left, y, s->right, y);
  }
}

static void draw_tick(struct spacetime_stage *s, double x, const char *label) {
  double bottom = s->top + LANE * (double)s->lanes.count;
  drawing_segment(s->drawing, INK_GRID, 1, DASH_NONE, x, s->top, x, bottom);
  if (label != NULL)
    drawing_text(s->drawing, INK_MUTED, TEXT_SIZE, ANCHOR_MIDDLE, x, bottom + 18, label);
}

static void draw_ticks(struct spacetime_stage *s, struct time_unit unit) {
  struct tick ticks[TICKS_MAX];
  struct axis axis = {
      .high = s->moments.data[s->moments.count - 1].ns, .from = s->left, .to = s->right};
  size_t count = axis_ticks(ticks, &axis, unit.ns);
  for (size_t i = 0; i < count; i++)
    draw_tick(s, axis_pixel(&axis, ticks[i].value), ticks[i].label);
}

/* Each moment, where its time has room. */
static void draw_moments(struct spacetime_stage *s, struct time_unit unit) {
  double free = -INFINITY;
  for (size_t i = 0; i < s->moments.count; i++) {
    const struct moment *m = &s->moments.data[i];
    char label[32];
    snprintf(label, sizeof label, "%.8g", m->ns / unit.ns);
    double half = drawing_text_width(TEXT_SIZE, label) / 2;
    bool fits = m->x - half > free;
    draw_tick(s, m->x, fits ? label : NULL);
    free = fits ? m->x + half + 6 : free;
  }
}

static void draw_axis(struct spacetime_stage *s) {
  if (!s->execution->timed)
    return;
  struct time_unit unit = time_unit_for(s->moments.data[s->moments.count - 1].ns);
  (s->to_scale ? draw_ticks : draw_moments)(s, unit);
  char title[64];
  snprintf(title, sizeof title, "time (%s)%s", unit.name, s->to_scale ? "" : ", not to scale");
  drawing_text(s->drawing, INK_TEXT, TEXT_SIZE, ANCHOR_MIDDLE, (s->left + s->right) / 2,
               s->top + LANE * (double)s->lanes.count + 38, title);
}

static void draw_arrow(struct spacetime_stage *s, enum ink ink, struct point from, struct point to,
                       const char *name) {
  double length = hypot(to.x - from.x, to.y - from.y), x = (to.x - from.x) / length;
  double y = (to.y - from.y) / length;
  drawing_line(s->drawing, ink, 1.6, DASH_NONE, name);
  for (size_t i = 0; i <= PIECES; i++) /* whose boxes leave room for names */
    drawing_point(s->drawing, from.x + (to.x - 6 * x - from.x) * (double)i / PIECES,
                  from.y + (to.y - 6 * y - from.y) * (double)i / PIECES);
  drawing_area(s->drawing, ink, 1, NULL);
  drawing_point(s->drawing, to.x, to.y);
  drawing_point(s->drawing, to.x - 9 * x + 4 * y, to.y - 9 * y - 4 * x);
  drawing_point(s->drawing, to.x - 9 * x - 4 * y, to.y - 9 * y + 4 * x);
}

/* Where the arrow of a message begins and ends, at the boxes' edges. A node's message to itself is
 * a bow below its lane. */
static void draw_message(struct spacetime_stage *s, const struct timeline_message *m) {
  double from_y = lane_y(s, s->execution->rows.data[m->sent].node), to_y = lane_y(s, m->receiver);
  struct point from = {x_of(s, leaving_of(s, m)), from_y};
  struct point to = {x_of(s, delivery_of(s, m)), to_y};
  enum ink ink = m->received == TIMELINE_NEVER ? INK_MUTED : INK_OBSERVED;
  double edge = BOX / 2;
  if (from_y == to_y) {
    double below = from_y + edge + 8;
    drawing_line(s->drawing, ink, 1.6, DASH_NONE, m->name);
    drawing_point(s->drawing, from.x, from_y + edge);
    drawing_point(s->drawing, from.x, below);
    drawing_point(s->drawing, to.x, below);
    draw_arrow(s, ink, (struct point){to.x, below + 1}, (struct point){to.x, from_y + edge - 4},
               NULL);
    return;
  }
  from.y += from_y < to_y ? edge : -edge;
  to.y += from_y < to_y ? -edge : edge;
  draw_arrow(s, ink, from, to, m->name);
}

static bool hits_step(struct spacetime_stage *s, double left, double top, double width,
                      double height) {
  for (size_t i = 0; i < s->execution->rows.count; i++) {
    double y = lane_y(s, s->execution->rows.data[i].node);
    if (x_of(s, start_of(s, i)) <= left + width && x_of(s, end_of(s, i)) + 3 >= left &&
        y - BOX / 2 <= top + height && y + BOX / 2 >= top)
      return true;
  }
  return false;
}

/* The message's name, beside the middle of its arrow, where there is room for it. */
static void name_message(struct spacetime_stage *s, size_t first,
                         const struct timeline_message *m) {
  double width = drawing_text_width(TEXT_SIZE - 1, m->name);
  double x = (x_of(s, leaving_of(s, m)) + x_of(s, delivery_of(s, m))) / 2;
  double y = (lane_y(s, s->execution->rows.data[m->sent].node) + lane_y(s, m->receiver)) / 2;
  for (double far = 4; far < 90; far += 4)
    for (int side = -1; side <= 1; side += 2)
      for (double up = -14; up <= 14; up += 7) {
        double left = side < 0 ? x - far - width : x + far, top = y + up - 7;
        if (left < s->left || left + width > s->right || hits_step(s, left, top, width, 14) ||
            drawing_crosses(s->drawing, first, left, top, width, 14))
          continue;
        drawing_text(s->drawing, INK_TEXT, TEXT_SIZE - 1, ANCHOR_START, left, top + 11, m->name);
        return;
      }
}

/* Above the box, over what stands there. */
static void number_above(struct spacetime_stage *s, size_t first, double x, double y,
                         const char *digits) {
  double width = drawing_text_width(TEXT_SIZE, digits);
  for (int i = 0; i < 3 && drawing_crosses(s->drawing, first, x, y - TEXT_SIZE, width, TEXT_SIZE);
       i++)
    x += width + 2;
  drawing_text(s->drawing, INK_TEXT, TEXT_SIZE, ANCHOR_START, x, y, digits)->bold = true;
}

/* The number stands in the box, or above where that is too narrow. */
static void draw_step(struct spacetime_stage *s, size_t first, size_t row) {
  const struct timeline_row *r = &s->execution->rows.data[row];
  double y = lane_y(s, r->node), x = x_of(s, start_of(s, row));
  double width = fmax(3, x_of(s, end_of(s, row)) - x - 1);
  char digits[24];
  snprintf(digits, sizeof digits, "%zu", row + 1);
  struct text name;
  text_init(&name);
  text_format(&name, "%zu: %s does %s; %s", row + 1, r->node, r->step, r->what);
  drawing_area(s->drawing, INK_UPPER, 1, name.data);
  drawing_point(s->drawing, x, y - BOX / 2);
  drawing_point(s->drawing, x + width, y - BOX / 2);
  drawing_point(s->drawing, x + width, y + BOX / 2);
  drawing_point(s->drawing, x, y + BOX / 2);
  text_clear(&name);
  if (width >= 8 + drawing_text_width(TEXT_SIZE, digits))
    drawing_text(s->drawing, INK_PAPER, TEXT_SIZE, ANCHOR_MIDDLE, x + width / 2, y + 4, digits)
        ->bold = true;
  else
    number_above(s, first, x + 2, y - BOX / 2 - 3, digits);
}

/* The bound's label is left of its line, the event's right of its where there is room. */
static void draw_mark(struct spacetime_stage *s, const char *what, const char *ns, enum ink ink,
                      double above) {
  double bottom = s->top + LANE * (double)s->lanes.count, x = x_of(s, number(ns));
  struct text label;
  text_init(&label);
  text_format(&label, "%s ", what);
  if (number(ns) < ROUNDED)
    text_format(&label, "%s ns", ns);
  else
    plot_duration(&label, (uint64_t)number(ns), true);
  bool left = ink == INK_MUTED || x + drawing_text_width(TEXT_SIZE, label.data) > s->right + 90;
  drawing_text(s->drawing, ink, TEXT_SIZE, left ? ANCHOR_END : ANCHOR_START, x + (left ? -4 : 4),
               s->top - above, label.data)
      ->bold = true;
  text_clear(&label);
  drawing_segment(s->drawing, ink, 1.5, DASH_SHORT, x, s->top - above - 10, x, bottom);
}

void spacetime_draw(struct drawing *drawing, const struct spacetime *spacetime, double width) {
  struct text about;
  struct spacetime_stage s;
  text_init(&about);
  spacetime_describe(&about, spacetime->execution);
  drawing_init(drawing, width, 0, spacetime->title, about.data);
  text_clear(&about);
  set_stage(&s, drawing, spacetime, width);
  draw_axis(&s);
  draw_lanes(&s);
  size_t first = drawing->shapes.count;
  if (spacetime->limit != NULL)
    draw_mark(&s, "bound", spacetime->limit, INK_MUTED, 20);
  if (spacetime->time != NULL)
    draw_mark(&s, "event", spacetime->time, INK_UNKNOWN, 4);
  for (size_t i = 0; i < s.execution->messages.count; i++)
    draw_message(&s, &s.execution->messages.data[i]);
  for (size_t i = 0; i < s.execution->rows.count; i++)
    draw_step(&s, first, i);
  for (size_t i = 0; i < s.execution->messages.count; i++)
    name_message(&s, first, &s.execution->messages.data[i]);
  drawing->height = ceil(s.top + LANE * (double)s.lanes.count + (s.execution->timed ? 48 : 12));
  vector_clear(&s.moments);
  vector_clear(&s.lanes);
}

void spacetime_describe(struct text *out, const struct timeline *execution) {
  for (size_t i = 0; i < execution->rows.count; i++) {
    const struct timeline_row *row = &execution->rows.data[i];
    text_format(out, "%s%zu: ", i == 0 ? "" : " ", i + 1);
    if (execution->timed) {
      rational_print_short(out, &row->start);
      text_append(out, " to ");
      rational_print_short(out, &row->end);
      text_append(out, " ns, ");
    }
    text_format(out, "%s does %s.", row->node, row->step);
  }
}
