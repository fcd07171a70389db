/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which activity of a shape comes before which in all flows of a family (trace/graph/family.h). For
 * the files of trace/graph only.
 */
#ifndef TRACE_GRAPH_RELATION_H
#define TRACE_GRAPH_RELATION_H

#include "trace/graph/family.h"

/* Activities are 2 p for the lead of the shape's call p and 2 p + 1 for its tail, as the shape has
 * none before relation_finish. */
struct flow_relation {
  size_t words;     /* of a row */
  uint64_t *before; /* rows of bits: row b has bit a when a is before b; transitive */
};

/* That of the shape's first flow. */
void relation_make(struct flow_relation *relation, const struct flow_shape *shape,
                   const struct shape_fit *fit);
void relation_clear(struct flow_relation *relation);

/* Takes out what the flow does not keep to. False, and nothing is changed, if it makes none of a
 * loop's calls and does not wait across them as the others do. */
bool relation_join(struct flow_relation *relation, const struct flow_shape *shape,
                   const struct shape_fit *fit);

/* Makes the activities, waits and orders of the family's shape. Its first fit is that which the
 * shape was made from. */
void relation_finish(const struct flow_relation *relation, struct flow_family *family);

#endif
