/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of the event log from the turns of a Node.js log. Private to trace/event.
 */
#ifndef TRACE_EVENT_NODE_ROWS_H
#define TRACE_EVENT_NODE_ROWS_H

#include "trace/event/node_build.h"

/* A turn has come: its rows, and what was kept for it. */
void node_rows_add_turn(struct node_build *build, const struct node_record *run);

/* The turn of what was kept is not in the log: no row can be told for it. */
void node_rows_lose_turn(struct node_build *build);

/* Rows for what was registered and did not begin; the loop's count. */
void node_rows_finish(struct node_build *build);

/* A resource that was registered in a row, or EVENT_NONE; its type's name is in `text`. */
void node_rows_add_resource(struct node_build *build, const struct node_record *record,
                            uint32_t row);

/* What a resource of the type with this name waits for: node_class, looked up once for each. */
uint8_t node_rows_class(struct node_build *build, uint32_t type);

/* The innermost row from `first` on that holds the moment, or EVENT_NONE. */
uint32_t node_rows_at(const struct event_log *log, uint32_t first, int64_t moment);

/* Part of the builder: a record about a request that happened in this row, or EVENT_NONE. */
void node_build_take(struct node_build *build, const struct node_record *record, uint32_t row);

/* Part of the builder: when the last byte of an answer was handed over, at or after `first` in the
 * turn; the time of the record where no stamp tells. */
int64_t node_build_sent(struct node_build *build, const struct node_record *record, int64_t first);

#endif
