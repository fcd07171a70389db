/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `draft`, as text and as JSON, on stdout.
 */
#ifndef CLI_PRESENT_DRAFT_H
#define CLI_PRESENT_DRAFT_H

#include "cli/question/draft/draft.h"

void draft_print_text(const struct draft_answer *answer, const struct draft_request *request);
void draft_print_json(const struct draft_answer *answer, const struct draft_request *request);

#endif
