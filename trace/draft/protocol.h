/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A planned protocol as the text of a .tp file, in the form that `tailproof format` leaves as it
 * is, with comments that say what stands for what.
 */
#ifndef TRACE_DRAFT_PROTOCOL_H
#define TRACE_DRAFT_PROTOCOL_H

#include "trace/draft/plan.h"
#include "trace/graph/family.h"

struct draft_origin {
  const char *name;          /* of the protocol and its files: an identifier */
  uint64_t requests;         /* of all flows together */
  uint64_t drafted;          /* of those that it is drafted from, */
  struct family_calls calls; /* which make so many calls */
  bool followed;             /* requests last until their messages are consumed */
  bool undecided_wait;       /* how orders were read that the requests leave open */
};

/* Appends " --set N_item=100" with the most rounds that were recorded of each loop; nothing where
 * there is none. */
void draft_set(struct text *text, const struct draft_plan *plan);

void draft_protocol(struct text *text, const struct draft_plan *plan,
                    const struct draft_origin *origin);

#endif
