/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `compare`, as text and as JSON, on stdout.
 */
#ifndef CLI_PRESENT_COMPARE_H
#define CLI_PRESENT_COMPARE_H

#include "cli/question/compare/compare.h"

/* `full`: also what is standard. */
void compare_print_text(const struct compare *compare, bool full);
void compare_print_json(const struct compare *compare);

#endif
