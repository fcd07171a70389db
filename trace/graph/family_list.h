/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A list of families of flows (trace/graph/family.h), for those who hold one and do not look into
 * it.
 */
#ifndef TRACE_GRAPH_FAMILY_LIST_H
#define TRACE_GRAPH_FAMILY_LIST_H

#include "base/vector.h"

struct flow_family;

typedef VECTOR(struct flow_family *) flow_families; /* owned; released by flow_families_clear */

#endif
