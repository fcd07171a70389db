/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <cairo/cairo.h>
#include <math.h>

#include "cli/present/figure/drawing.h"

static void take_ink(cairo_t *cairo, const struct shape *shape) {
  uint32_t colour = ink_colour(shape->ink);
  cairo_set_source_rgba(cairo, (colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0,
                        (colour & 255) / 255.0, shape->opacity);
}

static void draw_outline(cairo_t *cairo, const struct drawing *drawing, const struct shape *shape) {
  cairo_new_path(cairo); /* a text leaves one behind */
  for (size_t i = 0; i < shape->count; i++) {
    const struct point *point = &drawing->points.data[shape->first + i];
    cairo_line_to(cairo, point->x, point->y);
  }
  if (shape->kind == SHAPE_AREA) {
    cairo_close_path(cairo);
    cairo_fill(cairo);
    return;
  }
  size_t count;
  const double *lengths = dash_lengths(shape->dash, &count);
  cairo_set_dash(cairo, lengths, (int)count, 0);
  cairo_set_line_width(cairo, shape->width);
  cairo_stroke(cairo);
}

static void draw_text(cairo_t *cairo, const struct drawing *drawing, const struct shape *shape) {
  const struct point *at = &drawing->points.data[shape->first];
  cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         shape->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, shape->size);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, shape->text, &extents);
  static const double before[] = {[ANCHOR_START] = 0, [ANCHOR_MIDDLE] = 0.5, [ANCHOR_END] = 1};
  cairo_save(cairo);
  cairo_translate(cairo, at->x, at->y);
  if (shape->upwards)
    cairo_rotate(cairo, -acos(0));
  cairo_move_to(cairo, -before[shape->anchor] * extents.x_advance, 0);
  cairo_show_text(cairo, shape->text);
  cairo_restore(cairo);
}

static cairo_status_t append(void *context, const unsigned char *bytes, unsigned length) {
  text_append_bytes(context, (const char *)bytes, length);
  return CAIRO_STATUS_SUCCESS;
}

enum status drawing_to_png(struct text *out, const struct drawing *drawing, double scale,
                           struct text *message) {
  cairo_surface_t *surface = cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, (int)ceil(drawing->width * scale), (int)ceil(drawing->height * scale));
  cairo_t *cairo = cairo_create(surface);
  cairo_set_source_rgb(cairo, 1, 1, 1);
  cairo_paint(cairo);
  cairo_scale(cairo, scale, scale);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  for (size_t i = 0; i < drawing->shapes.count; i++) {
    const struct shape *shape = &drawing->shapes.data[i];
    take_ink(cairo, shape);
    if (shape->kind == SHAPE_TEXT)
      draw_text(cairo, drawing, shape);
    else if (shape->count != 0)
      draw_outline(cairo, drawing, shape);
  }
  cairo_status_t status = cairo_status(cairo);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream(surface, append, out);
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return STATUS_OK;
  text_format(message, "the picture cannot be drawn: %s", cairo_status_to_string(status));
  return STATUS_INTERNAL;
}
