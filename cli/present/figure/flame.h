/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A flame graph: each function a box as wide as the weight of the stacks that it is in, above its
 * caller. As a page it can be searched, enlarged, turned round, and asked who calls a function; a
 * drawing alone is the same without. Two profiles held against each other are drawn both, so that
 * what is gone is seen; functions with a significantly different share have a colour, red for more
 * and blue for less, and all others are grey.
 */
#ifndef CLI_PRESENT_FIGURE_FLAME_H
#define CLI_PRESENT_FIGURE_FLAME_H

#include "base/ledger.h"
#include "base/status.h"
#include "show/table.h"
#include "trace/stacks/profile.h"

/* What a difference says of a function: of its own share. */
struct flame_change {
  double change; /* -1 .. 1 */
  enum { FLAME_NOT_SEEN, FLAME_SETTLED, FLAME_SIGNIFICANT, FLAME_UNKNOWN } found;
};

struct flame {
  const struct stack_profile *profile; /* made by stack_profile_by_text */
  const uint64_t *before; /* of a difference: own weights of the same nodes before; or NULL */
  uint64_t before_total;
  const struct flame_change *changes; /* of it: by frame of the profile */
  const char *title, *about, *made;   /* one line each */
  const struct table *table;          /* in the page, below the graph; or NULL */
  const struct ledger *ledger;        /* or NULL */
};

/* STATUS_USAGE with a line in `message` where the name ends in neither .svg nor .html. */
enum status flame_check_name(const char *path, struct text *message);

/* Draws into the file. STATUS_INTERNAL with `message` when it cannot be written. */
enum status flame_write(const struct flame *flame, const char *path, struct text *message);

#endif
