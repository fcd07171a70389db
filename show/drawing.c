/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/drawing.h"

#include <math.h>
#include <string.h>

#include "base/shown.h"

static char *clean_copy(const char *text) {
  struct text clean;
  text_init(&clean);
  plot_clean_text(&clean, text);
  return text_take(&clean);
}

void drawing_init(struct drawing *drawing, double width, double height, const char *title,
                  const char *description) {
  memset(drawing, 0, sizeof *drawing);
  drawing->width = width;
  drawing->height = height;
  drawing->title = clean_copy(title);
  drawing->description = clean_copy(description);
}

void drawing_clear(struct drawing *drawing) {
  for (size_t i = 0; i < drawing->shapes.count; i++)
    mem_free(drawing->shapes.data[i].text);
  mem_free(drawing->title);
  mem_free(drawing->description);
  vector_clear(&drawing->points);
  vector_clear(&drawing->shapes);
}

static struct shape *add(struct drawing *drawing, struct shape shape, const char *text) {
  shape.first = drawing->points.count;
  shape.text = text == NULL ? NULL : clean_copy(text);
  vector_push(&drawing->shapes, shape);
  return &drawing->shapes.data[drawing->shapes.count - 1];
}

struct shape *drawing_line(struct drawing *drawing, enum ink ink, double width, enum dash dash,
                           const char *name) {
  struct shape line = {.kind = SHAPE_LINE, .ink = ink, .opacity = 1, .width = width, .dash = dash};
  return add(drawing, line, name);
}

struct shape *drawing_area(struct drawing *drawing, enum ink ink, double opacity,
                           const char *name) {
  struct shape area = {.kind = SHAPE_AREA, .ink = ink, .opacity = opacity};
  return add(drawing, area, name);
}

void drawing_point(struct drawing *drawing, double x, double y) {
  vector_push(&drawing->points, (struct point){x, y});
  drawing->shapes.data[drawing->shapes.count - 1].count++;
}

void drawing_segment(struct drawing *drawing, enum ink ink, double width, enum dash dash, double x0,
                     double y0, double x1, double y1) {
  drawing_line(drawing, ink, width, dash, NULL);
  drawing_point(drawing, x0, y0);
  drawing_point(drawing, x1, y1);
}

void drawing_box(struct drawing *drawing, enum ink ink, double opacity, double x, double y,
                 double width, double height) {
  drawing_area(drawing, ink, opacity, NULL);
  drawing_point(drawing, x, y);
  drawing_point(drawing, x + width, y);
  drawing_point(drawing, x + width, y + height);
  drawing_point(drawing, x, y + height);
}

struct shape *drawing_text(struct drawing *drawing, enum ink ink, double size, enum anchor anchor,
                           double x, double y, const char *text) {
  struct shape shape = {
      .kind = SHAPE_TEXT, .ink = ink, .opacity = 1, .size = size, .anchor = anchor};
  add(drawing, shape, text);
  drawing_point(drawing, x, y);
  return &drawing->shapes.data[drawing->shapes.count - 1];
}

static bool overlap(double a_low, double a_high, double b_low, double b_high) {
  return a_low <= b_high && b_low <= a_high;
}

static bool line_crosses(const struct drawing *d, const struct shape *line, double x, double y,
                         double width, double height) {
  for (size_t i = 1; i < line->count; i++) {
    const struct point *a = &d->points.data[line->first + i - 1], *b = a + 1;
    if (overlap(fmin(a->x, b->x), fmax(a->x, b->x), x, x + width) &&
        overlap(fmin(a->y, b->y), fmax(a->y, b->y), y, y + height))
      return true;
  }
  return false;
}

static bool text_crosses(const struct drawing *d, const struct shape *text, double x, double y,
                         double width, double height) {
  const struct point *at = &d->points.data[text->first];
  double own = drawing_text_width(text->size, text->text);
  double left = text->anchor == ANCHOR_START    ? at->x
                : text->anchor == ANCHOR_MIDDLE ? at->x - own / 2
                                                : at->x - own;
  return overlap(left, left + own, x, x + width) &&
         overlap(at->y - text->size, at->y, y, y + height);
}

bool drawing_crosses(const struct drawing *d, size_t first, double x, double y, double width,
                     double height) {
  bool found = false;
  for (size_t i = first; i < d->shapes.count && !found; i++) {
    const struct shape *shape = &d->shapes.data[i];
    found = shape->kind == SHAPE_LINE   ? line_crosses(d, shape, x, y, width, height)
            : shape->kind == SHAPE_TEXT ? text_crosses(d, shape, x, y, width, height)
                                        : false;
  }
  return found;
}

double drawing_text_width(double size, const char *text) {
  size_t characters = 0;
  for (; *text != '\0'; text++)
    characters += (*text & 0xC0) != 0x80;
  return 0.6 * size * (double)characters;
}

void plot_clean_text(struct text *out, const char *bytes) {
  const unsigned char *at = (const unsigned char *)bytes;
  text_append(out, "");
  while (*at != '\0') {
    uint32_t character;
    size_t length = shown_character(&character, (const char *)at, strlen((const char *)at));
    if (length == 0 || character == 0xfffe || character == 0xffff) /* no characters of XML */
      text_append(out, "\xEF\xBF\xBD");
    else if (shown_never(character))
      text_append(out, " ");
    else
      text_append_bytes(out, (const char *)at, length);
    at += length == 0 ? 1 : length;
  }
}

void plot_escape(struct text *out, const char *bytes) {
  struct text clean;
  text_init(&clean);
  plot_clean_text(&clean, bytes);
  for (const char *at = clean.data; *at != '\0'; at++)
    switch (*at) {
    case '&':
      text_append(out, "&amp;");
      break;
    case '<':
      text_append(out, "&lt;");
      break;
    case '>':
      text_append(out, "&gt;");
      break;
    case '"':
      text_append(out, "&quot;");
      break;
    case '\'':
      text_append(out, "&#39;");
      break;
    default:
      text_append_bytes(out, at, 1);
    }
  text_clear(&clean);
}

/* Told apart also without red and green (Okabe and Ito 2008), and by their dashes. */
static const struct {
  const char *name;
  uint32_t colour;
} inks[INKS] = {
    [INK_PAPER] = {"paper", 0xffffff},      [INK_TEXT] = {"text", 0x1b1f24},
    [INK_MUTED] = {"muted", 0x57606a},      [INK_GRID] = {"grid", 0xdfe3e8},
    [INK_UPPER] = {"upper", 0x0060a8},      [INK_LOWER] = {"lower", 0x0060a8},
    [INK_UNKNOWN] = {"unknown", 0x8a3a86},  [INK_OBSERVED] = {"observed", 0xb34700},
    [INK_FAILED] = {"failed", 0xc4002a},    [INK_GROUP] = {"group0", 0x0060a8},
    [INK_GROUP + 1] = {"group1", 0x1b7f4b}, [INK_GROUP + 2] = {"group2", 0x8a3a86},
    [INK_GROUP + 3] = {"group3", 0x7a6a00}, [INK_GROUP + 4] = {"group4", 0x007c8a},
    [INK_GROUP + 5] = {"group5", 0xa83262}, [INK_GROUP + 6] = {"group6", 0x5c4fc4},
    [INK_GROUP + 7] = {"group7", 0x57606a},
};

const char *ink_name(enum ink ink) {
  return inks[ink].name;
}

uint32_t ink_colour(enum ink ink) {
  return inks[ink].colour;
}

const double *dash_lengths(enum dash dash, size_t *count) {
  static const double lengths[][4] = {
      [DASH_LONG] = {9, 4}, [DASH_SHORT] = {4, 3}, [DASH_DOTS] = {1.5, 2.5}};
  *count = dash == DASH_NONE ? 0 : 2;
  return lengths[dash];
}
