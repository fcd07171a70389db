/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/regrid.h"

#include "base/memory.h"

void survival_regrid(struct survival *z, const struct survival *x) {
  if (z->side != x->side)
    bug("an upper bound regridded to a lower one");
  for (size_t k = 0; k < grid_count(&z->grid); k++)
    z->tail[k] = survival_tail(x, survival_threshold(z, k));
}
