/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `verify --plot`: the executions that break bounds, or rules of the model, as pictures.
 */
#ifndef CLI_PRESENT_FIGURE_EXECUTIONS_H
#define CLI_PRESENT_FIGURE_EXECUTIONS_H

#include "solver/verify.h"

/* Draws what was found: a page has all executions, another picture the first. Without any nothing
 * is written, and one line on stderr says so. What can go wrong: see picture_write (page.h).
 * `command`: what was typed. */
enum status executions_draw(const struct verification *verification, const char *path,
                            const char *command, struct text *message);

#endif
