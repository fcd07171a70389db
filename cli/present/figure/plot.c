/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/plot.h"

#include <string.h>

void plot_init(struct plot *plot) {
  memset(plot, 0, sizeof *plot);
}

void plot_clear(struct plot *plot) {
  vector_clear(&plot->sources);
  vector_clear(&plot->links);
  vector_clear(&plot->marks);
  vector_clear(&plot->curves);
  vector_clear(&plot->rows);
  vector_clear(&plot->parts);
}
