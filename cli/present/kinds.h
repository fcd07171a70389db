/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All kinds of objects of answers that are documents: for the JSON schema and the manual's table.
 */
#ifndef CLI_PRESENT_KINDS_H
#define CLI_PRESENT_KINDS_H

#include "show/object_kind.h"

/* Each once, sorted by name, NULL behind the last; the array is owned by the caller. */
const struct object_kind **kinds_all(void);

#endif
