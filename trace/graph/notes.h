/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a reader of any result about a graph of requests must know of the spans it was made of.
 */
#ifndef TRACE_GRAPH_NOTES_H
#define TRACE_GRAPH_NOTES_H

#include "base/ledger.h"
#include "trace/graph/graph.h"

/* How dependence was learned; spans that were cut or left apart, and orders not looked at, if any.
 */
void graph_note(struct ledger *ledger, const struct request_graph *graph);

/* That spans end after their caller and are waited for nevertheless, if any; graph_note says it,
 * too.
 */
void graph_note_late(struct ledger *ledger, const struct request_graph *graph);

#endif
