/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `load`, for people and as JSON.
 */
#ifndef CLI_PRESENT_LOAD_H
#define CLI_PRESENT_LOAD_H

#include "cli/question/load/load.h"

/* `path`: of the file that was written. */
void load_print(const struct load_answer *answer, const char *path, bool json);

#endif
