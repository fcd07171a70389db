/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `compare --plot`: both curves with their bands, and where they differ.
 */
#ifndef CLI_PRESENT_FIGURE_COMPARISON_H
#define CLI_PRESENT_FIGURE_COMPARISON_H

#include "cli/question/compare/compare.h"
#include "show/page.h"

/* An answer that kept its curves: a page has all components, another picture the first that is
 * slower, or the first. `command`: what was typed. */
struct picture comparison_picture(const struct compare *compare, const char *command);

#endif
