/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What may be sent to an output beside text, and how wide its lines may be. Sources:
 * https://no-color.org, https://force-color.org.
 */
#ifndef SHOW_TERMINAL_H
#define SHOW_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether to colour what goes to the descriptor: no with NO_COLOR, yes with FORCE_COLOR (other than
 * 0), both being ignored when empty; otherwise on a terminal that is not TERM=dumb. */
bool terminal_has_colour(int descriptor);

/* Whether it is a terminal on which a line can be written over. */
bool terminal_can_rewrite(int descriptor);

/* Characters in a line: $COLUMNS, else the terminal's; 100 where it is none, so that what is
 * written to files does not depend on a window. From 60 to 200. */
size_t terminal_width(int descriptor);

#endif
