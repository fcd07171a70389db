/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text in Markdown (GitHub's, https://github.github.com/gfm/).
 */
#ifndef SHOW_MARKDOWN_H
#define SHOW_MARKDOWN_H

#include "base/text.h"

/* What means something in a sentence or a cell of a table. */
#define MARKDOWN_MARKS "\\`*_[]|~#"

/* Appends the text on one line, as text, whatever is in it: with a backslash before each of the
 * marks, "" in HTML inside of Markdown. */
void markdown_escape(struct text *out, const char *text, const char *marks);

/* Appends the lines as they are, between fences longer than any in them. */
void markdown_fenced(struct text *out, const char *text);

#endif
