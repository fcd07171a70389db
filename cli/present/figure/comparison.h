/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `compare --plot`: both curves with their bands, and where they differ.
 */
#ifndef CLI_PRESENT_FIGURE_COMPARISON_H
#define CLI_PRESENT_FIGURE_COMPARISON_H

#include "cli/question/compare/compare.h"
#include "show/document.h"

/* Draws an answer that kept its curves: a page has all components, another picture the first that
 * is slower, or the first. What can go wrong: see picture_write (page.h). `command`: what was
 * typed. */
enum status comparison_draw(const struct compare *compare, const char *path, const char *command,
                            struct text *message);

/* Adds both curves of subject `part` to a document; `answer`: a compare (struct document_page). */
void comparison_figures(struct document *document, const void *answer, size_t part);

#endif
