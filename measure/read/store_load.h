/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Copies a store file into memory, part by part, and judges what is there; private to measure/read.
 */
#ifndef MEASURE_READ_STORE_LOAD_H
#define MEASURE_READ_STORE_LOAD_H

#include "measure/read/store_read.h"

/* A log or a histogram as it was copied; the other pointer is NULL. */
struct store_segment {
  struct format_segment header;
  uint64_t *words;      /* of a log: the slots that were ever used, owned */
  uint64_t first, last; /* of a log: positions that should be complete; none if first > last */
  int still;            /* of a log: nothing was recorded while it was copied */
  struct histogram *histogram; /* owned; conserved */
};

struct store_reader {
  struct format_header header;
  struct format_name names[FORMAT_NAMES_MAX];
  struct store_segment *segments; /* logs by writer and place in the file, then histograms */
  size_t segment_count, log_count, capacity;
  struct store_facts facts;
};

/* Fills a zeroed reader from an open file. 0, or an errno value: a negative one for a header that
 * is not good, whose verdict (enum header_verdict) is then in *verdict. */
int store_load(struct store_reader *reader, int file, int *verdict);

/* 1 and the record at a position of a log, or 0 where there is no complete one. */
int store_load_record(const struct store_reader *reader, const struct store_segment *log,
                      uint64_t position, struct record *record);

void store_load_clear(struct store_reader *reader);

/* ---- store_match.c */

/* Completes the histograms by what was on its way to them from a log when the process ended; counts
 * all else that a log has and they do not as torn, and as damage. Names and segments are there,
 * logs first. */
void store_match_counts(struct store_reader *reader);

/* Whether the header's rates are such as the library writes. */
int store_match_rates(const struct format_header *header);

/* Whether the ticks that passed between opening and closing took as long as the rates say. */
int store_match_clocks(const struct format_header *header);

#endif
