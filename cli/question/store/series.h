/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Series: what was measured of one component, added up over recordings, and written as a .tph file
 * (dist/source/tph_read.c). Observations are ranges in ns, so that adding never narrows one.
 *
 * The table owns its series, a series its sample and lines.
 */
#ifndef CLI_QUESTION_STORE_SERIES_H
#define CLI_QUESTION_STORE_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vector.h"
#include "dist/source/sample.h"
#include "measure/core/histogram.h"

typedef VECTOR(char *) lines;

void lines_add(lines *list, const char *line); /* a copy, unless it is there already */
bool lines_have(const lines *list, const char *line);
void lines_clear(lines *list);

/* What is known of the stores that a series was recorded in. */
struct series_stores {
  uint64_t count, open;            /* how many; of these not closed by their process */
  uint64_t missing, bad_stamps;    /* recordings refused or cut off; messages without a stamp */
  uint64_t resolution_ns, cost_ps; /* the largest of a clock */
  bool counter, monotonic;         /* which clocks */
};

struct series {
  char *name;           /* the file's: "d.Request", "BackupRequest.1" */
  char *group;          /* the node or host it is of, NULL for all */
  int kind;             /* enum format_kind; 0: not known */
  uint64_t steps;       /* buckets a doubling; 0: no histogram of ours */
  struct sample sample; /* finished by series_table_finish */
  struct series_stores stores;
  lines notes; /* what it rests on, besides its sample's evidence */
};

struct series_table {
  VECTOR(struct series) rows; /* in order of group, then name, once finished */
};

void series_init(struct series *series, const char *name);
void series_clear(struct series *series);

/* Adds the counts of a histogram of whole ns that were rounded up from ticks with the rates of a
 * store's header; false when there are too many. */
bool series_add_histogram(struct series *series, const struct histogram *histogram,
                          uint64_t rate_up, uint64_t rate_down);

/* One observation in [lower_ns, upper_ns], rounded up to the edge of a bucket; beyond the last it
 * is infinite. false when there are too many. */
bool series_add_range(struct series *series, uint64_t lower_ns, uint64_t upper_ns, uint64_t count);

/* The same for observations whose edges are kept as they are: an objective may stand at one. */
bool series_add_kept(struct series *series, uint64_t lower_ns, uint64_t upper_ns, uint64_t count);

/* Adds `part` to the series of its name in all and, unless NULL, in `group`. STATUS_DATA with one
 * line for what cannot be added up: a recording that is in it already, another kind of thing under
 * the name, another number of buckets. `path` is where the part comes from, for messages. The
 * part's evidence gets the number of its draws. */
enum status series_table_add(struct series_table *table, struct series *part, const char *group,
                             const char *path, struct text *message);

/* The series of all, or of a group; NULL without. */
struct series *series_table_find(struct series_table *table, const char *name, const char *group);

/* Sorts, finishes the samples and writes what is known of the stores as notes. */
void series_table_finish(struct series_table *table);
void series_table_clear(struct series_table *table);

/* Appends the text of the .tph file. */
void series_print(struct text *text, const struct series *series);

#endif
