/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/style.h"

#include "show/terminal.h"

enum { MARGIN = 2, PROSE_MOST = 98 }; /* longer lines are hard to read */

struct style style_of_terminal(int descriptor, bool full) {
  size_t width = terminal_width(descriptor), prose = width - MARGIN;
  return (struct style){.full = full,
                        .colour = terminal_has_colour(descriptor),
                        .width = width,
                        .prose = prose < PROSE_MOST ? prose : PROSE_MOST};
}
