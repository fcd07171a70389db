/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A planned protocol as the text of a .tp file, in the form that `tailproof format` leaves as it
 * is, with comments that say what stands for what.
 */
#ifndef TRACE_DRAFT_PROTOCOL_H
#define TRACE_DRAFT_PROTOCOL_H

#include "trace/draft/plan.h"

struct draft_origin {
  const char *name;    /* of the protocol and its files: an identifier */
  uint64_t requests;   /* of all flows together */
  bool undecided_wait; /* how orders were read that the requests leave open */
};

void draft_protocol(struct text *text, const struct draft_plan *plan,
                    const struct draft_origin *origin);

#endif
