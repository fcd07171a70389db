/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much of an answer people are shown, and in how much room.
 */
#ifndef SHOW_STYLE_H
#define SHOW_STYLE_H

#include <stdbool.h>
#include <stddef.h>

struct style {
  bool full;           /* also the rows and lines that do not matter */
  bool colour;         /* escape sequences of a terminal */
  size_t width, prose; /* columns: of tables; of sentences, which are hard to read in long lines */
};

/* As what the descriptor leads to has it; where it is no terminal, 100 columns (terminal.h). */
struct style style_of_terminal(int descriptor, bool full);

#endif
