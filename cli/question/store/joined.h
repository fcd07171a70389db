/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The records of one run's stores as a table of joint measurements: a row for each instance, a
 * column for each occurrence, named as its series is with its arguments. Of folders that were
 * imported before, their tables one below the other.
 *
 * A row is never dropped for what it says. An instance whose request is not recorded, where others
 * have one, is not finished: its request is infinite, as is the delay of a message that was sent
 * and did not arrive, and what else it lacks is not known. What a finished instance lacks did not
 * happen ("-"), unless a store says that records were refused or torn, or ends too early. Only
 * instances of which a log may have overwritten records have no row; they are counted.
 *
 * Where no table can be made, `why` says so. The table owns what it holds.
 */
#ifndef CLI_QUESTION_STORE_JOINED_H
#define CLI_QUESTION_STORE_JOINED_H

#include "base/status.h"
#include "cli/question/store/joint_rows.h"
#include "cli/question/store/series.h"
#include "measure/outside/left_over.h"

struct store_reader;

/* Of a store that overwrote records: instances from `first_whole` on that began after `whole_after`
 * have all of theirs. */
struct joined_store {
  uint64_t clock, first_whole, whole_after;
  bool overwritten, closed;
  bool numbered; /* has a record whose instance is not 0; else it is of no instance */
  uint32_t last; /* the largest instance */
};

/* The earliest start of an instance's records, as far as was seen. */
struct joined_moment {
  uint32_t instance, store;
  uint64_t start;
};

struct joined {
  struct joint_rows rows;
  VECTOR(struct joined_store) stores;
  VECTOR(struct joined_moment) moments;
  bool one_clock, full;
  uint64_t lost;             /* records refused or torn */
  VECTOR(char *) tables;     /* of imported folders */
  size_t without;            /* imported folders and files that have none */
  struct text table;         /* the result; empty: there is none */
  struct text why;           /* why there is none */
  lines notes;               /* of the table, for people */
  lines unpaired;            /* shares of requests that could not be paired */
  struct left_over doubtful; /* of which these may have ended; its other parts are unused */
  uint64_t row_count, unfinished, cut;
  size_t occurrences, requests; /* columns */
};

void joined_clear(struct joined *joined);

/* Adds the records of a store that is not damaged. */
void joined_add_store(struct joined *joined, const struct store_reader *reader);

/* Adds the table of an imported folder, or notes that it has none. STATUS_DATA with one line for a
 * table that cannot be read. */
enum status joined_add_folder(struct joined *joined, const char *folder, struct text *message);

/* Private to the parts of joined: a line of the notes; the result of tables alone. */
void joined_note(struct joined *joined, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void joined_join_tables(struct joined *joined);

/* After the last: makes the table, or says why not. */
void joined_finish(struct joined *joined);

#endif
