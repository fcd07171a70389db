/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sentences in lines that fit a terminal of 98 columns.
 */
#ifndef CLI_PRESENT_WRAPPED_H
#define CLI_PRESENT_WRAPPED_H

#include <stddef.h>

/* Prints the text from `column` on, where the line stands, broken at blanks, further lines behind
 * `indent` of them; and ends the line. */
void wrapped_print(const char *text, size_t column, size_t indent);

#endif
