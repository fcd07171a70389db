/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many nodes a family may have in C. Sets and maps have place for TP_NODES (steps/tp_set.h). A
 * family that no step puts into a set, a map or a ring, or does something for all of, is limited by
 * what is stored of a node alone: its number, in 32 bits.
 */
#ifndef GENERATE_FAMILY_H
#define GENERATE_FAMILY_H

#include "generate/range.h"

/* RANGE_NODES or INT32_MAX; of a role that is one node, or none (NULL), RANGE_NODES. */
int64_t family_most(const struct model *model, const struct role *role);

#endif
