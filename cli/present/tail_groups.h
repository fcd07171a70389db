/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What slow requests have in common, as parts of the document of `tail` (tail.h): the causes without
 * which together they would not be slow, and their tags.
 */
#ifndef CLI_PRESENT_TAIL_GROUPS_H
#define CLI_PRESENT_TAIL_GROUPS_H

#include "cli/question/tail/tail.h"
#include "show/document.h"

extern const struct object_kind tail_group_kind, tail_tag_kind;

/* Each adds a section with its objects; nothing where there are no groups, or no tags to try. */
void tail_show_groups(struct document *document, const struct tail_answer *answer);
void tail_show_tags(struct document *document, const struct tail_answer *answer);

#endif
