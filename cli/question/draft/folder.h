/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The folder that drafts are written to.
 */
#ifndef CLI_QUESTION_DRAFT_FOLDER_H
#define CLI_QUESTION_DRAFT_FOLDER_H

#include "base/asker.h"
#include "base/text.h"

/* Makes it, or takes an empty one. */
enum status draft_make_folder(const struct asker *asker, const char *out);

/* OUT/NAME.ENDING; without an ending OUT/NAME. */
enum status draft_write(const struct asker *asker, const char *out, const char *name,
                        const char *ending, const struct text *content);

#endif
