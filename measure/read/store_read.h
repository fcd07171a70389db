/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading a store file (measure/core/format.h), also one that is being written or whose writer was
 * killed. Only complete records are claimed; what is torn, overwritten or refused is counted.
 *
 * The reader takes a copy of what is there when it is opened: a file that grows, is overwritten or
 * is cut off later changes nothing in it, and cannot crash it. While the process still records, the
 * parts of the copy are of slightly different moments, each complete in itself; what a log loses
 * during the copying counts as overwritten.
 */
#ifndef MEASURE_READ_STORE_READ_H
#define MEASURE_READ_STORE_READ_H

#include "measure/core/format.h"
#include "measure/core/record.h"

#include <stddef.h>

struct store_reader; /* owns its copy and all that is handed out, until the close */

/* What is known of a file as a whole. */
struct store_facts {
  const struct format_header *header; /* checked, but for its `mutable` */
  uint32_t names;                     /* complete ones */
  uint32_t writers;                   /* logs: one for each writer */
  uint64_t records;                   /* complete records in the logs */
  uint64_t overwritten; /* that the logs no longer have; their durations are in histograms */
  uint64_t torn;        /* records, names, segments and histogram totals that were cut off */
  uint64_t refused, bad_stamps; /* as the writer counted them */
  int closed;                   /* 1 when the process closed the store itself */
  /* 1 when more is missing than the end of a process explains: the file was cut short or damaged,
   * and how many recordings were lost is not known. No claim should rest on its counts. */
  int damaged;
  /* 1 when the counter did not keep the rate that the header says, as CLOCK_MONOTONIC tells of the
   * time between opening and closing: durations may be too short. Not known of a store that was not
   * closed. */
  int clock_off;
};

/* Reads and checks a file. 0, or an errno value with one line in `message` that names file, place
 * and remedy, and *reader is NULL: EBADMSG for bytes that are no store, EPROTO for another version
 * or byte order, else why the file cannot be read. */
int store_reader_open(struct store_reader **reader, const char *path, char *message, size_t size);
void store_reader_close(struct store_reader *reader); /* NULL is accepted */

const struct store_facts *store_reader_facts(const struct store_reader *reader);

/* A name, checked; NULL beyond the last. */
const struct format_name *store_reader_name(const struct store_reader *reader, uint32_t name);

/* Adds up the histograms of one name over all writers into `histogram` (initialised by this); 0
 * when the name has none. Its total is the sum of its counts; where the file's own total is larger,
 * the missing ones are counted as saturated, and as torn. */
int store_reader_histogram(const struct store_reader *reader, uint32_t name,
                           struct histogram *histogram);

/* One complete record. Times are ticks as recorded: take differences within stores of one clock
 * identity, then convert by the header's rates (measure/core/ticks.h). */
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
