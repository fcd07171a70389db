/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which grid a calculation uses: the one on which less is lost by rounding, as predicted from the
 * expression alone. On the log-linear grid that is depth / B of any result; on a linear one each
 * draw that is added up may be moved by a step, which is seen relative to the median of the result.
 * A log-linear grid is the long one where values may lie beyond the usual one, or where nobody
 * knows how far they go.
 */
#ifndef CLI_QUESTION_LAW_GRID_CHOICE_H
#define CLI_QUESTION_LAW_GRID_CHOICE_H

#include <stdbool.h>

#include "dist/survival/grid.h"

struct expression;
struct laws;
struct ledger;
struct text;

struct grid_choice {
  struct grid grid;
  double slack; /* predicted, relative: at most, or for a linear grid at the median */
  bool by_user; /* --grid */
  double other; /* the slack on the other kind; negative: it was not possible */
  bool is_cut;  /* what was measured adds up to more than the grid's last point */
};

/* The laws are read, their bands not made. False, with one line in `message`, where --grid linear
 * is asked for and impossible. Adds to the ledger. */
bool grid_choose(struct grid_choice *choice, const struct laws *laws,
                 const struct expression *expression, struct ledger *ledger, struct text *message);

#endif
