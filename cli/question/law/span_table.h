/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded requests as a table of measurements that belong together (dist/source/joint.h): a row
 * for each request in the order of their starts, a column for each occurrence that a map
 * (span_map.h) names, `request`, how long the root took, and `status`, whether it failed.
 *
 * A cell is not measured where the request lacks a span that the map does not say "maybe" of, where
 * the clocks of two hosts contradict each other, and where a span was never ended. It has two ends
 * where a span's start was cut to a millisecond. A round [k] that a request does not make did not
 * happen.
 */
#ifndef CLI_QUESTION_LAW_SPAN_TABLE_H
#define CLI_QUESTION_LAW_SPAN_TABLE_H

#include "base/asker.h"
#include "base/ledger.h"
#include "base/text.h"

struct span_table_request {
  const char *map; /* its path; NULL: requests of whatever name, and no column but `request` */
  bool latencies;  /* no column but `request` in any case */
  const char *const *traces;
  size_t trace_count;
  const struct asker *asker;
};

/* Appends the table. Otherwise, after the asker was told, STATUS_DATA or what the reading ended
 * with; STATUS_USAGE where requests of several kinds are recorded and the map says not which. */
enum status span_table_make(struct text *table, const struct span_table_request *request,
                            struct ledger *ledger);

/* Whether the path is a file or a folder of traces. */
bool span_table_is_of(const char *path);

#endif
