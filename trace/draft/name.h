/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Identifiers of the protocol language for services and operations, which are any text.
 */
#ifndef TRACE_DRAFT_NAME_H
#define TRACE_DRAFT_NAME_H

#include "base/text.h"

struct draft_plan;

/* Appends the text as an identifier: its letters in lower case and its digits, everything else as
 * one underline; at most 60 characters; "call" when nothing is left. No word of the language. */
void draft_identifier(struct text *identifier, const char *text);

/* Gives each drafted call a name: service and operation, or, where that is long and no other
 * service has it, the operation; with a number from the second call of one name on. */
void draft_names_make(struct draft_plan *plan);

#endif
