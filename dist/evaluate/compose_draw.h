/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One draw of a law that the user composed (compose.h), from draws of the laws it names: exact, in
 * whole nanoseconds, without a grid. Every draw takes the same number of draws of each name,
 * whatever their values are, since a number that depended on them would favour some values.
 */
#ifndef DIST_EVALUATE_COMPOSE_DRAW_H
#define DIST_EVALUATE_COMPOSE_DRAW_H

#include "base/random.h"
#include "dist/evaluate/compose.h"
#include "dist/evaluate/row.h"

/* Draws of all names that one draw takes; UINT64_MAX when it does not fit. */
uint64_t compose_draw_size(const struct compose *compose);

/* Random things that one draw is made of: draws of names, and choices of mixtures. 0: every draw is
 * the same, and needs neither `draw` nor `random`. */
uint64_t compose_draw_choices(const struct compose *compose);

/* The same as compose_draw_size of one name, by its index in compose_name. */
uint64_t compose_draw_count(const struct compose *compose, size_t name);

struct compose_draws {
  struct row_value (*draw)(void *context, const char *name);
  void *context;
  struct random *random; /* of mixtures */
};

/* compose_draw_size is at most ROW_STEPS_MAX. */
struct row_value compose_draw(const struct compose *compose, const struct compose_draws *draws);

/* From the least to the most that a draw can be, if `draw` gives that of each name; no `random` is
 * needed. compose_draw_size is at most ROW_STEPS_MAX. */
struct row_value compose_extent(const struct compose *compose, const struct compose_draws *draws);

#endif
