/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where functions begin and end, by a program's unwind table (Linux Standard Base, "Exception
 * Frames": .eh_frame_hdr), so that samples in a function without a name are at least together.
 */
#ifndef MEASURE_PROFILE_FUNCTIONS_H
#define MEASURE_PROFILE_FUNCTIONS_H

#include "measure/profile/symbols.h"

/* Adds functions that no symbol covers, without a name. The list must be in order, and is again. */
void functions_add(struct symbols *symbols, const struct image *image);

#endif
