/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Landing pads: where code goes on when an exception is caught, or passes by something to clean up. Only the
 * tables lead there that compilers write for exceptions (LSB, "Exception Frames";
 * .gcc_except_table, to which the unwind table points).
 */
#ifndef MEASURE_OUTSIDE_CODE_PADS_H
#define MEASURE_OUTSIDE_CODE_PADS_H

#include <stdint.h>

#include "base/vector.h"
#include "measure/profile/image.h"

typedef VECTOR(uint64_t) code_pads;

/* Adds their addresses. What is written in a way that is not understood here has none. */
void code_pads_find(code_pads *pads, const struct image *image);

#endif
