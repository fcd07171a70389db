/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to cli/question/store: a measurement file as a part of what is gathered.
 */
#ifndef CLI_QUESTION_STORE_GATHER_FILE_H
#define CLI_QUESTION_STORE_GATHER_FILE_H

#include "cli/question/store/gather.h"

/* A file that dist/source reads, named after its series; its values are rounded up to our buckets.
 */
enum status gather_file(struct gather *gather, const char *path, struct text *message);

struct source_page;
/* Adds a page of metrics to the series `name`; NULL: to those that --select makes of it. */
enum status gather_page(struct gather *gather, const char *name, const struct source_page *page,
                        struct text *message);

#endif
