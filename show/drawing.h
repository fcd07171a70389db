/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A drawing as a list of shapes, and what turns it into SVG (svg.c) or PNG (png.c, by another
 * program). Coordinates in pixels, y downwards. A drawing owns its shapes.
 */
#ifndef SHOW_DRAWING_H
#define SHOW_DRAWING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

/* What a shape is for; its colours follow. */
enum ink {
  INK_PAPER,
  INK_TEXT,
  INK_MUTED, /* text of less weight, axes */
  INK_GRID,
  INK_UPPER,
  INK_LOWER,
  INK_UNKNOWN,
  INK_OBSERVED,
  INK_FAILED,
  INK_GROUP, /* the first of INK_GROUPS: of things that belong together */
};
#define INK_GROUPS 8
#define INKS (INK_GROUP + INK_GROUPS)

enum dash { DASH_NONE, DASH_LONG, DASH_SHORT, DASH_DOTS };
enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct point {
  double x, y;
};

enum shape_kind { SHAPE_LINE, SHAPE_AREA, SHAPE_TEXT };

struct shape {
  enum shape_kind kind;
  enum ink ink;
  double opacity, width; /* width of a line */
  enum dash dash;
  size_t first, count; /* of the drawing's points; a text's only one is its baseline's anchor */
  char *text;          /* of a text; what a line or an area stands for, or NULL */
  double size;         /* of a text */
  enum anchor anchor;
  bool bold, upwards; /* a text; upwards: turned by 90 degrees */
};

/* Values low < high (0 < low when logarithmic) at the pixels `from` and `to`, which may be the
 * smaller one. */
struct axis {
  bool logarithmic;
  double low, high;
  double from, to;
};

struct drawing {
  double width, height;
  char *title, *description; /* for who cannot see it */
  VECTOR(struct point) points;
  VECTOR(struct shape) shapes;
};

void drawing_init(struct drawing *drawing, double width, double height, const char *title,
                  const char *description);
void drawing_clear(struct drawing *drawing);

/* A shape without points; points are then added to the last shape. `name` may be NULL. */
struct shape *drawing_line(struct drawing *drawing, enum ink ink, double width, enum dash dash,
                           const char *name);
struct shape *drawing_area(struct drawing *drawing, enum ink ink, double opacity, const char *name);
void drawing_point(struct drawing *drawing, double x, double y);

/* Shapes of few points. */
void drawing_segment(struct drawing *drawing, enum ink ink, double width, enum dash dash, double x0,
                     double y0, double x1, double y1);
void drawing_box(struct drawing *drawing, enum ink ink, double opacity, double x, double y,
                 double width, double height);
struct shape *drawing_text(struct drawing *drawing, enum ink ink, double size, enum anchor anchor,
                           double x, double y, const char *text);

/* A line of text that keeps within the width, cut off where it must be. */
void drawing_fitting(struct drawing *drawing, enum ink ink, double size, double x, double y,
                     double width, const char *text);

/* The same over several lines, the first at y; the last line's y. */
double drawing_wrapped(struct drawing *drawing, enum ink ink, double size, double x, double y,
                       double width, const char *text);

/* Adds all of another drawing, its left upper corner at x, y. */
void drawing_add(struct drawing *drawing, const struct drawing *part, double x, double y);

/* Whether a line or a text, from shape number `first` on, comes into the box; a piece of a line
 * that is neither level nor upright counts with all of the box around it. */
bool drawing_crosses(const struct drawing *drawing, size_t first, double x, double y, double width,
                     double height);

/* About how wide the text is. */
double drawing_text_width(double size, const char *text);

/* Appends `bytes` as valid UTF-8 without control characters. */
void plot_clean_text(struct text *out, const char *bytes);

/* The same for XML and HTML, also within quotes. */
void plot_escape(struct text *out, const char *bytes);

/* The class of an ink in SVG and HTML ("upper"), and its colour on white ("#rrggbb"). */
const char *ink_name(enum ink ink);
uint32_t ink_colour(enum ink ink);

/* In pixels, `count` of them: drawn, not drawn, ... */
const double *dash_lengths(enum dash dash, size_t *count);

/* Appends an <svg> element; `id` is a prefix for the identifiers in it. Colours are given as
 * attributes, which a style sheet overrides by the classes "stroke-upper", "fill-upper" etc. */
void drawing_to_svg(struct text *out, const struct drawing *drawing, const char *id);

/* Appends a PNG image, `scale` pixels for each of the drawing's. It is drawn from the SVG by the
 * program rsvg-convert (librsvg). One line in `message` when that fails: STATUS_UNAVAILABLE without
 * that program, else STATUS_INTERNAL. */
enum status drawing_to_png(struct text *out, const struct drawing *drawing, double scale,
                           struct text *message);

/* STATUS_OK where drawing_to_png has its program, else STATUS_UNAVAILABLE with a line in `message`.
 */
enum status png_check(struct text *message);

#endif
