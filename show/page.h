/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What all pictures have in common: a file in one of three formats, and of the HTML page head,
 * style and end. A page needs nothing but itself, follows the reader's light or dark, fits narrow
 * screens, and can be printed. All of it can be read without its script, which adds a field to
 * search in, and what enlarges pictures.
 */
#ifndef SHOW_PAGE_H
#define SHOW_PAGE_H

#include "base/ledger.h"
#include "base/status.h"
#include "show/document.h"

/* How an answer is drawn: as a page its document, as a sheet what the document says at its head and
 * its first figure, or what `sheet` draws of it. All initialise what they make. */
struct picture {
  void (*document)(struct document *document, const void *answer, const struct document_page *page);
  const void *answer;
  struct document_page page;
  void (*sheet)(struct drawing *sheet, const struct document *document, const void *answer);
};

/* STATUS_OK when the name ends in .svg, .png or .html, and there is what draws a .png; otherwise
 * STATUS_USAGE or STATUS_UNAVAILABLE with a line in `message`. To be asked before anything is
 * computed. */
enum status picture_check_name(const char *path, struct text *message);

/* Draws into the file, which appears complete or not at all. STATUS_INTERNAL with one line in
 * `message` when it cannot be written. */
enum status picture_write(const struct picture *picture, const char *path, struct text *message);

#define SHEET_WIDTH 1240.0 /* pixels */

/* Begins a sheet with a document's title, head and verdicts; how far down. The end of it. */
double sheet_begin(struct drawing *sheet, const struct document *document);
void sheet_end(struct drawing *sheet, double y);
/* A sheet with the document's first figure, which is no wider than 1184 pixels; initialises it. */
void sheet_draw_first(struct drawing *sheet, const struct document *document);

/* Appends when, where, by which version and by which command line: "2026-01-31 12:00 UTC, HOST,
 * tailproof VERSION: COMMAND". The time is $SOURCE_DATE_EPOCH's where that is set
 * (https://reproducible-builds.org). */
void picture_made(struct text *out, const char *command);

/* From the beginning to the title in <main>; `about` goes into the browser's title. */
void page_begin(struct text *out, const char *title, const char *about);
/* A paragraph; `code`: of what a machine wrote, which may be long. Nothing for NULL. */
void page_line(struct text *out, const char *text, bool code);
/* Text of several lines, escaped. */
void page_lines(struct text *out, const char *lines);
/* The table, unless it has no rows. */
void page_grid(struct text *out, const struct table *table);
/* The same in a section with the identifier and, when not NULL, the heading. */
void page_table(struct text *out, const char *id, const char *heading, const struct table *table);
/* A drawing as a figure whose parts the arrow keys go through, each saying what it is. `id` names
 * it, `label` says what it is. `axes`: it has an axis of time of which a stretch can be enlarged;
 * else NULL. */
void page_walk(struct text *out, const struct drawing *drawing, const char *id, const char *label,
               const struct figure_axes *axes);
/* One whose curves are read at the pointer, or by the arrow keys. */
void page_curves(struct text *out, const struct drawing *drawing, const char *id, const char *label,
                 const struct figure_axes *axes);
/* What a result rests on, by source; nothing of an empty ledger, or of NULL. */
void page_ledger(struct text *out, const struct ledger *ledger);
/* With the scripts of every page, and `script` behind them unless it is NULL. */
void page_end(struct text *out, const char *script);

#endif
