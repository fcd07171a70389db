/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What simulated machines showed of a bound, as a document.
 */
#ifndef CLI_PRESENT_MACHINES_H
#define CLI_PRESENT_MACHINES_H

#include "show/document.h"

struct machines_answer;

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const machines_kinds[];

/* Initialises the document. */
void machines_document(struct document *document, const struct machines_answer *answer);

#endif
