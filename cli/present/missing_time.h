/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the difference between requests and their bounds lies, as a part of the document of
 * `percentiles`. Nothing where there is no difference to speak of.
 */
#ifndef CLI_PRESENT_MISSING_TIME_H
#define CLI_PRESENT_MISSING_TIME_H

#include "show/document.h"

struct percentiles;

void missing_time_document(struct document *document, const struct percentiles *run);
extern const struct object_kind missing_kind;

#endif
