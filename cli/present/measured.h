/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `percentiles --data FILE` as a document.
 */
#ifndef CLI_PRESENT_MEASURED_H
#define CLI_PRESENT_MEASURED_H

#include "show/document.h"

struct measured;

extern const struct object_kind *const measured_kinds[];

void measured_document(struct document *document, const struct measured *measured,
                       const struct document_page *page);

#endif
