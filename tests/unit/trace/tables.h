/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of calls as tests make them: by text, or of requests whose truth is known.
 */
#ifndef TESTS_UNIT_TRACE_TABLES_H
#define TESTS_UNIT_TRACE_TABLES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "trace/tail/table.h"

static char tables_said[600];

static inline void tables_say(void *context, enum saying saying, const char *line) {
  (void)context;
  (void)saying;
  snprintf(tables_said, sizeof tables_said, "%s", line);
}

/* Reads the text into the table, which is initialised; what was said is in tables_said. */
static inline enum status tables_read(struct call_table *table, const char *text,
                                      const struct call_reading *reading) {
  const struct asker asker = {.say = tables_say};
  tables_said[0] = '\0';
  call_table_init(table);
  return call_table_parse(table, "t.csv", text, strlen(text), reading, &asker);
}

/* Exponential, in whole us, with a mean of `mean_us`. */
static inline int64_t tables_time(struct random *random, double mean_us) {
  double uniform = ((double)(random_bits(random) >> 11) + 0.5) / 9007199254740992.0;
  return 1000 * (int64_t)floor(-mean_us * log(uniform));
}

/* A table with rows of zeros; the names end with NULL. */
static inline void tables_make(struct call_table *table, size_t rows, const char *const *names) {
  call_table_init(table);
  table->path = mem_copy_text("t.csv", 5);
  table->rows = rows;
  table->latency = (struct call_column){mem_copy_text("Latency", 7), mem_alloc(rows, 8)};
  for (; *names != NULL; names++)
    vector_push(&table->calls,
                (struct call_column){mem_copy_text(*names, strlen(*names)), mem_alloc(rows, 8)});
}

#endif
