/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table of requests: a row for each, with its latency, how long its calls took, and labels.
 *
 *     Latency,cart_get,price_query,version
 *     131,20,16,v2
 *     105,18,19,v1
 *
 * A column of times ends in its unit (cart_get_us), or all of them have one that is told. A call's
 * column holds the time of all its calls in the request, with what they call in turn; "-" where it
 * was not called. A column whose first cell is no number, and any that is named as one, holds
 * labels. Time stamps and identities ("timestamp", "trace_id") are left out.
 *
 * The table owns all it has until call_table_clear.
 */
#ifndef TRACE_TAIL_TABLE_H
#define TRACE_TAIL_TABLE_H

#include "base/asker.h"
#include "base/vector.h"
#include "trace/span/names.h"

/* The most cells of a table, and the most columns. */
#define CALL_CELLS_MAX ((size_t)1 << 28)
#define CALL_COLUMNS_MAX ((size_t)256)
/* The longest time, in ns, so that sums of a row are exact. */
#define CALL_NS_MAX ((uint64_t)1 << 50)

struct call_column {
  char *name;
  int64_t *ns; /* by row */
};

struct label_column {
  char *name;
  uint32_t *values; /* by row: numbers of names */
};

struct call_table {
  char *path;
  size_t rows;
  struct call_column latency;
  VECTOR(struct call_column) calls;
  VECTOR(struct label_column) labels;
  VECTOR(char *) ignored; /* names of the columns left out */
  struct span_names names;
};

struct call_reading {
  const char *unit;          /* "ms": of columns whose names end in none; or NULL */
  const char *latency;       /* the latency's column; NULL: "latency" or "duration", in any case */
  const char *const *labels; /* columns of labels though they hold numbers */
  size_t label_count;
};

void call_table_init(struct call_table *table);
void call_table_clear(struct call_table *table);

/* Reads a table (.csv, .csv.gz, "-"). STATUS_USAGE, STATUS_NO_INPUT or STATUS_DATA after one line
 * to the asker; the table is then to be cleared all the same. */
enum status call_table_read(struct call_table *table, const char *path,
                            const struct call_reading *reading, const struct asker *asker);

/* The same without the file: `bytes` are followed by a NUL. */
enum status call_table_parse(struct call_table *table, const char *path, const char *bytes,
                             size_t length, const struct call_reading *reading,
                             const struct asker *asker);

/* The column of that name; SIZE_MAX when there is none. */
size_t call_table_find_call(const struct call_table *table, struct slice name);
size_t call_table_find_label(const struct call_table *table, struct slice name);

#endif
