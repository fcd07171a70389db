/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The folder that `import` and `merge` write: it appears whole, or not at all. An older one is
 * replaced when it was written by them and holds nothing else; any other is left alone.
 */
#ifndef CLI_QUESTION_STORE_FOLDER_H
#define CLI_QUESTION_STORE_FOLDER_H

#include "base/text.h"
#include "cli/question/store/joined.h"
#include "cli/question/store/series.h"

/* Writes each series of all to DIR/NAME.tph, of a group to DIR/GROUP/NAME.tph, the table of what
 * belongs together, where there is one, to DIR/joint.csv.gz, and DIR/ledger, which lists them with
 * what they rest on. STATUS_USAGE for a folder that is not replaced,
 * STATUS_INTERNAL when it cannot be written; with one line, and what was there is unchanged. */
enum status folder_write(const char *path, const struct series_table *table,
                         const struct joined *joined, struct text *message);

/* Whether folder_write would not refuse `path`; asked before anything is read. */
enum status folder_may_write(const char *path, struct text *message);

#endif
