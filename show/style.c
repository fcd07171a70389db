/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/style.h"

#include "show/terminal.h"
#include "show/wrapped.h"

struct style style_of_terminal(int descriptor, bool full) {
  return (struct style){.full = full,
                        .colour = terminal_has_colour(descriptor),
                        .width = terminal_width(descriptor),
                        .prose = wrapped_width()};
}
