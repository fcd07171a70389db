/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A law on another grid, moved outward: up on the upper side, down on the lower.
 */
#ifndef DIST_SURVIVAL_REGRID_H
#define DIST_SURVIVAL_REGRID_H

#include "dist/survival/survival.h"

/* z, of any grid and of the side of x, becomes x on its grid. z is not x. */
void survival_regrid(struct survival *z, const struct survival *x);

#endif
