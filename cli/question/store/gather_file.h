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

#endif
