/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/plot.h"

#include <string.h>

#include "base/file.h"
#include "cli/present/figure/panel.h"
#include "cli/present/figure/html.h"

/* Pixels of a PNG image for each of the sheet's, for sharp text on paper and dense screens. */
#define PNG_SCALE 2

enum picture { PICTURE_NONE, PICTURE_SVG, PICTURE_PNG, PICTURE_HTML };

void plot_init(struct plot *plot) {
  memset(plot, 0, sizeof *plot);
}

void plot_clear(struct plot *plot) {
  vector_clear(&plot->verdicts);
  vector_clear(&plot->sources);
  vector_clear(&plot->curves);
  vector_clear(&plot->rows);
  vector_clear(&plot->parts);
}

static enum picture picture_of(const char *path) {
  static const char *const suffixes[] = {
      [PICTURE_SVG] = ".svg", [PICTURE_PNG] = ".png", [PICTURE_HTML] = ".html"};
  const char *dot = strrchr(path, '.');
  for (enum picture i = PICTURE_SVG; dot != NULL && dot != path && i <= PICTURE_HTML; i++)
    if (strcmp(dot, suffixes[i]) == 0 && dot[-1] != '/')
      return i;
  return PICTURE_NONE;
}

enum status plot_check_name(const char *path, struct text *message) {
  enum picture picture = picture_of(path);
  if (picture != PICTURE_NONE)
    return picture == PICTURE_PNG ? png_check(message) : STATUS_OK;
  text_format(message, "%s: a picture's name says what it is to be: end it in .svg, .png or .html",
              path);
  return STATUS_USAGE;
}

enum status plot_write(const struct plot *plot, const char *path, struct text *message) {
  if (plot->curves.count == 0)
    bug("a plot without curves");
  enum status status = plot_check_name(path, message);
  if (status != STATUS_OK)
    return status;
  struct text bytes;
  text_init(&bytes);
  enum picture picture = picture_of(path);
  if (picture == PICTURE_HTML) {
    report_html(&bytes, plot);
  } else {
    struct drawing sheet;
    sheet_draw(&sheet, plot);
    if (picture == PICTURE_SVG) {
      text_append(&bytes, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
      drawing_to_svg(&bytes, &sheet, "sheet");
    } else {
      status = drawing_to_png(&bytes, &sheet, PNG_SCALE, message);
    }
    drawing_clear(&sheet);
  }
  if (status == STATUS_OK)
    status = file_write(path, bytes.data, bytes.length, message);
  text_clear(&bytes);
  return status;
}
