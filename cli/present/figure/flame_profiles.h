/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `profile show` and `profile diff` as flame graphs.
 */
#ifndef CLI_PRESENT_FIGURE_FLAME_PROFILES_H
#define CLI_PRESENT_FIGURE_FLAME_PROFILES_H

#include "cli/question/stacks/show.h"

/* As flame_write. `typed`: the command line. */
enum status show_draw(const struct show_answer *answer, const char *path, const char *typed,
                      struct text *message);
enum status change_draw(const struct change_answer *answer, const char *path, const char *typed,
                        struct text *message);

#endif
