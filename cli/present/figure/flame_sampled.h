/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `profile` as a flame graph.
 */
#ifndef CLI_PRESENT_FIGURE_FLAME_SAMPLED_H
#define CLI_PRESENT_FIGURE_FLAME_SAMPLED_H

#include "cli/question/profile/profile.h"

/* As flame_write. `typed`: the command line. */
enum status profile_draw(const struct profile_answer *answer, const char *path, const char *typed,
                         struct text *message);

#endif
