/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts that keep within a width, and drawings in drawings.
 */
#include <string.h>

#include "show/drawing.h"

/* Bytes of as many characters as surely fit. */
static size_t fitting(double size, double width, const char *text) {
  size_t characters = (size_t)(width / (0.6 * size)), length = 0;
  for (; text[length] != '\0' && characters > 1; characters--)
    do
      length++;
    while ((text[length] & 0xC0) == 0x80);
  return length;
}

void drawing_fitting(struct drawing *d, enum ink ink, double size, double x, double y, double width,
                     const char *text) {
  size_t length = fitting(size, width, text);
  if (text[length] == '\0') {
    drawing_text(d, ink, size, ANCHOR_START, x, y, text);
    return;
  }
  struct text cut;
  text_init(&cut);
  text_append_bytes(&cut, text, length);
  text_append(&cut, "\u2026");
  drawing_text(d, ink, size, ANCHOR_START, x, y, cut.data);
  text_clear(&cut);
}

double drawing_wrapped(struct drawing *d, enum ink ink, double size, double x, double y,
                       double width, const char *text) {
  for (bool first = true; *text != '\0'; first = false) {
    size_t most = fitting(size, width, text), length = most;
    while (text[most] != '\0' && length > 0 && text[length] != ' ')
      length--;
    length = length == 0 ? most : length;
    struct text line;
    text_init(&line);
    text_append_bytes(&line, text, length);
    y += first ? 0 : 1.4 * size;
    drawing_text(d, ink, size, ANCHOR_START, x, y, line.data);
    text_clear(&line);
    text += length + (text[length] == ' ');
  }
  return y;
}

void drawing_add(struct drawing *drawing, const struct drawing *part, double x, double y) {
  for (size_t i = 0; i < part->shapes.count; i++) {
    struct shape shape = part->shapes.data[i];
    size_t first = shape.first;
    shape.first = drawing->points.count;
    if (shape.text != NULL)
      shape.text = mem_copy_text(shape.text, strlen(shape.text));
    for (size_t k = 0; k < shape.count; k++) {
      struct point point = part->points.data[first + k];
      vector_push(&drawing->points, (struct point){point.x + x, point.y + y});
    }
    vector_push(&drawing->shapes, shape);
  }
}
