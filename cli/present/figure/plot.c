/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/plot.h"

#include <string.h>

#include "cli/present/figure/html.h"
#include "show/page.h"
#include "cli/present/figure/panel.h"

void plot_init(struct plot *plot) {
  memset(plot, 0, sizeof *plot);
}

void plot_clear(struct plot *plot) {
  vector_clear(&plot->verdicts);
  vector_clear(&plot->sources);
  vector_clear(&plot->links);
  vector_clear(&plot->marks);
  vector_clear(&plot->curves);
  vector_clear(&plot->rows);
  vector_clear(&plot->parts);
}

static void draw_sheet(struct drawing *drawing, const void *plot) {
  sheet_draw(drawing, plot);
}

static void print_page(struct text *out, const void *plot) {
  report_html(out, plot);
}

enum status plot_write(const struct plot *plot, const char *path, struct text *message) {
  if (plot->curves.count == 0)
    bug("a plot without curves");
  return picture_write(&(struct picture){draw_sheet, print_page, plot}, path, message);
}
