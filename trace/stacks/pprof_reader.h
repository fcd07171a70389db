/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reads a profile of google/pprof works with: its tables and samples are taken by
 * pprof_read.c, what it says of itself by pprof_about.c. Private to them.
 */
#ifndef TRACE_STACKS_PPROF_READER_H
#define TRACE_STACKS_PPROF_READER_H

#include "trace/stacks/pprof.h"
#include "trace/stacks/readers.h"
#include "trace/stacks/threads.h"

/* A row of a table, known by its id. */
struct pprof_row {
  uint64_t id;
  uint64_t a, b; /* function: name, system name; location: mapping, address; mapping: file, start */
  uint64_t offset;    /* mapping */
  struct slice lines; /* location: the message, for its lines */
};

typedef VECTOR(struct pprof_row) pprof_rows;

/* Values of a sample that are kept, and keys of labels that are named as left out. */
enum { VALUES_MOST = 16, KEYS_MOST = 4 };

/* What is in the file and not in the profile. */
struct pprof_unread {
  bool lines, addresses, filters, comments, values;
  struct slice keys[KEYS_MOST]; /* of labels */
  size_t key_count;
};

struct pprof_reader {
  struct stack_intake *intake;
  VECTOR(struct slice) strings;
  pprof_rows functions, locations, mappings;
  VECTOR(struct slice) types;
  struct slice period_type;
  VECTOR(uint64_t) comments;
  VECTOR(uint32_t) frames; /* of one sample, innermost first */
  uint64_t default_type;
  size_t value;               /* which of a sample's values counts */
  size_t counter;             /* which is a number of samples; SIZE_MAX: none */
  size_t places[VALUES_MOST]; /* of a sample's values: in the profile; SIZE_MAX: not kept */
  struct pprof_unread unread;
  uint64_t count;
  bool counted; /* a comment says how many samples there were */
  uint64_t heaviest, rate, assumed,
      torn;              /* that it says; and what samples that are counted weigh */
  uint64_t negative;     /* samples whose value is below 0 */
  bool untimed, missing; /* samples without a moment; the value that is wanted */
  uint64_t time, duration, period;
  struct stack_thread_table threads;
};

/* Up to four fields of a message that are numbers; 0 where they are missing. */
struct pprof_row pprof_row_of(struct slice message, const uint32_t fields[4]);

/* A string by its number; empty where there is none. */
struct slice pprof_string(const struct pprof_reader *reader, uint64_t number);

/* Which value of samples is the weight, and the unit of the profile. False, with a message, where
 * what the user wants is not there. After the tables, before the samples. */
bool pprof_choose_value(struct pprof_reader *reader);

/* After all samples. `before`: the moments that the profile had before; `first`: it was empty. */
void pprof_conclude(struct pprof_reader *reader, size_t before, bool first);

#endif
