/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A drawing as SVG (drawing.h), with coordinates in hundredths of a pixel.
 */
#include "show/drawing.h"

#include <stdio.h>

/* Hundredths of a pixel, without needless zeros: files of thousands of points stay small. */
static void append_number(struct text *out, double x) {
  char digits[40];
  int length = snprintf(digits, sizeof digits, "%.2f", x);
  while (digits[length - 1] == '0')
    length--;
  length -= digits[length - 1] == '.';
  text_append_bytes(out, digits, (size_t)length);
}

static void append_points(struct text *out, const struct drawing *drawing,
                          const struct shape *shape) {
  text_append(out, " points=\"");
  for (size_t i = 0; i < shape->count; i++) {
    const struct point *point = &drawing->points.data[shape->first + i];
    text_append(out, i == 0 ? "" : " ");
    append_number(out, point->x);
    text_append(out, ",");
    append_number(out, point->y);
  }
  text_append(out, "\"");
}

static void append_dashes(struct text *out, enum dash dash) {
  size_t count;
  const double *lengths = dash_lengths(dash, &count);
  if (count == 0)
    return;
  text_append(out, " stroke-dasharray=\"");
  for (size_t i = 0; i < count; i++) {
    text_append(out, i == 0 ? "" : " ");
    append_number(out, lengths[i]);
  }
  text_append(out, "\"");
}

static void append_end(struct text *out, const struct shape *shape, const char *element) {
  if (shape->text == NULL) {
    text_append(out, "/>\n");
    return;
  }
  text_append(out, "><title>");
  plot_escape(out, shape->text);
  text_format(out, "</title></%s>\n", element);
}

static void append_outline(struct text *out, const struct drawing *drawing,
                           const struct shape *shape) {
  const char *element = shape->kind == SHAPE_LINE ? "polyline" : "polygon";
  const char *what = shape->kind == SHAPE_LINE ? "stroke" : "fill";
  text_format(out, "<%s class=\"%s-%s\"", element, what, ink_name(shape->ink));
  if (shape->kind == SHAPE_LINE) {
    text_format(out, " fill=\"none\" stroke=\"#%06x\" stroke-width=\"", ink_colour(shape->ink));
    append_number(out, shape->width);
    text_append(out, "\" stroke-linejoin=\"round\"");
    append_dashes(out, shape->dash);
  } else {
    text_format(out, " fill=\"#%06x\"", ink_colour(shape->ink));
    if (shape->opacity < 1) {
      text_append(out, " fill-opacity=\"");
      append_number(out, shape->opacity);
      text_append(out, "\"");
    }
  }
  append_points(out, drawing, shape);
  append_end(out, shape, element);
}

static void append_text(struct text *out, const struct drawing *drawing,
                        const struct shape *shape) {
  static const char *const anchors[] = {"start", "middle", "end"};
  const struct point *at = &drawing->points.data[shape->first];
  text_format(out, "<text class=\"fill-%s\" fill=\"#%06x\" text-anchor=\"%s\" font-size=\"",
              ink_name(shape->ink), ink_colour(shape->ink), anchors[shape->anchor]);
  append_number(out, shape->size);
  text_append(out, shape->bold ? "\" font-weight=\"bold\" x=\"" : "\" x=\"");
  append_number(out, at->x);
  text_append(out, "\" y=\"");
  append_number(out, at->y);
  text_append(out, "\"");
  if (shape->upwards) {
    text_append(out, " transform=\"rotate(-90 ");
    append_number(out, at->x);
    text_append(out, " ");
    append_number(out, at->y);
    text_append(out, ")\"");
  }
  text_append(out, ">");
  plot_escape(out, shape->text);
  text_append(out, "</text>\n");
}

void drawing_to_svg(struct text *out, const struct drawing *drawing, const char *id) {
  text_append(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 ");
  append_number(out, drawing->width);
  text_append(out, " ");
  append_number(out, drawing->height);
  text_append(out, "\" width=\"");
  append_number(out, drawing->width);
  text_append(out, "\" height=\"");
  append_number(out, drawing->height);
  text_format(out,
              "\" aria-labelledby=\"%s-title %s-about\" "
              "font-family=\"DejaVu Sans, Verdana, sans-serif\">\n<title id=\"%s-title\">",
              id, id, id);
  plot_escape(out, drawing->title);
  text_format(out, "</title>\n<desc id=\"%s-about\">", id);
  plot_escape(out, drawing->description);
  text_append(out, "</desc>\n");
  for (size_t i = 0; i < drawing->shapes.count; i++) {
    const struct shape *shape = &drawing->shapes.data[i];
    if (shape->kind == SHAPE_TEXT)
      append_text(out, drawing, shape);
    else if (shape->count != 0)
      append_outline(out, drawing, shape);
  }
  text_append(out, "</svg>\n");
}
