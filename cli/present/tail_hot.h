/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a profile says of slow requests (cli/question/tail/hot.h), as a part of a document.
 */
#ifndef CLI_PRESENT_TAIL_HOT_H
#define CLI_PRESENT_TAIL_HOT_H

#include "cli/question/tail/hot.h"
#include "show/document.h"

extern const struct object_kind hot_kind, joined_profile_kind;

/* Adds it; nothing of NULL. `level` of significance, which intervals have, too. */
void hot_document(struct document *document, const struct hot_answer *answer, double level);

#endif
