/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading a store file (measure/core/format.h), also one that is being written or whose writer was
 * killed. Only complete records are claimed; what is torn, overwritten or refused is counted.
 */
#ifndef MEASURE_READ_STORE_READ_H
#define MEASURE_READ_STORE_READ_H

#include "measure/core/format.h"
#include "measure/core/record.h"

#include <stddef.h>

struct store_reader; /* a mapped file */

/* What is known of a file as a whole. */
struct store_facts {
  const struct format_header *header; /* checked */
  uint32_t names;                     /* complete ones */
  uint32_t writers;
  uint64_t records; /* complete records in the logs */
  uint64_t
      overwritten; /* records that the logs no longer have; their durations are in histograms */
  uint64_t torn;   /* records, names, segments and histogram totals that were cut off */
  uint64_t refused, bad_stamps; /* as the writer counted them */
  int closed;                   /* 1 when the process closed the store itself */
};

/* Maps and checks a file. 0, or an errno value (EBADMSG, EPROTO (version), ... for bad contents)
 * with one line in `message` naming file, place and remedy. */
int store_reader_open(struct store_reader **reader, const char *path, char *message, size_t size);
void store_reader_close(struct store_reader *reader); /* NULL is accepted */

const struct store_facts *store_reader_facts(const struct store_reader *reader);

/* A name, checked; NULL beyond the last. Texts are those of the file: valid until the close. */
const struct format_name *store_reader_name(const struct store_reader *reader, uint32_t name);

/* Adds up the histograms of one name over all writers into `histogram` (initialised by this). 0
 * when the name has none. */
int store_reader_histogram(const struct store_reader *reader, uint32_t name,
                           struct histogram *histogram);

/* One complete record. Times are ns of the host's CLOCK_MONOTONIC as converted by the header's
 * rates, not here: take differences of ticks. */
struct store_record {
  struct record record;
  uint32_t writer;
  uint64_t position;
};

/* Calls `visit` for each complete record of all logs, by writer and position; stops when it returns
 * not 0 and returns that. */
int store_reader_each(const struct store_reader *reader,
                      int (*visit)(void *context, const struct store_record *record),
                      void *context);

/* A tick on the host's CLOCK_MONOTONIC, ns, nearest. Differences of moments of two stores of one
 * host with the same clock identity are better taken in ticks. */
uint64_t store_reader_moment_ns(const struct store_reader *reader, uint64_t ticks);

#endif
