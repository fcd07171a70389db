/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Unsigned 128-bit integers, which hold a product of two probabilities (10^18 each) exactly.
 */
#ifndef DIST_SURVIVAL_WIDE_H
#define DIST_SURVIVAL_WIDE_H

#include <stdint.h>

typedef unsigned __int128 uint128;

#endif
