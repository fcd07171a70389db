/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Event logs of any format as one log: what our recorder writes (docs/node.md), what Node.js writes
 * by itself (node_trace.1.log), the data of clinic bubbleprof, and collections of clinic doctor. A
 * file may be compressed (.gz); a folder stands for all files in it that are event logs. The format
 * is told by the content.
 */
#ifndef TRACE_EVENT_READ_H
#define TRACE_EVENT_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/asker.h"
#include "base/ledger.h"
#include "trace/event/log.h"

/* Whether the path is an event log, or a folder with one in it. */
bool event_is_log(const char *path);

/* Reads all files into the log, which is initialised and empty. What is wrong with a file is said
 * to the asker as FILE: what, and what to do; what was odd, and what there is, goes into the
 * ledger. */
enum status event_read(struct event_log *log, const char *const *paths, size_t path_count,
                       struct ledger *ledger, const struct asker *asker);

/* STATUS_NO_INPUT or STATUS_DATA after the asker was told of a file that was named itself, not
 * found in a folder, and is not there or is no event log. Part of event_read. */
enum status event_check_named(const char *const *paths, size_t path_count,
                              const struct asker *asker);

/* STATUS_DATA after the asker was told: the log has more rows or pauses than EVENT_ROWS_MOST, which
 * nothing behind the reader can number. Part of event_read. */
enum status event_check_size(const struct event_log *log, const char *path,
                             const struct asker *asker);

/* STATUS_DATA after the asker was told that what event_read has read holds no HTTP request, why,
 * by what the files are, and what to do. */
enum status event_refuse_no_request(const char *const *paths, size_t path_count,
                                    const struct asker *asker);

/* Calls `opened` for each file that event_read would read; stops at any status but STATUS_OK and
 * returns it. */
enum status event_each_file(const char *const *paths, size_t path_count,
                            enum status (*opened)(const char *path, void *context), void *context);

/* How long the pauses last: taken together, and as time in which there is at least one. ns. */
struct event_paused {
  uint64_t count;
  int64_t sum, covered, longest;
};
struct event_paused event_paused_time(const struct event_log *log);

#endif
