/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table of joint measurements (dist/source/joint.h) while it is made: values of occurrences are
 * added in any order, each with the instance that it belongs to; then a row is written for each
 * instance. The rows own their names and entries.
 */
#ifndef CLI_QUESTION_STORE_JOINT_ROWS_H
#define CLI_QUESTION_STORE_JOINT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/vector.h"

enum rows_kind {
  ROWS_OCCURRENCE,
  ROWS_SENDING, /* of a message, named as its delay: without an arrival the delay is infinite */
  ROWS_REQUEST, /* as its users see it */
};

struct rows_column {
  char *name;
  enum rows_kind kind;
  bool used;       /* an instance that was not forgotten has it */
  bool repeated;   /* an instance has it more than once, so that it names no occurrence */
  uint16_t target; /* of a SENDING: the column of its delay; ROWS_NONE: nobody records arrivals */
};

enum { ROWS_NONE = UINT16_MAX };

struct rows_entry {
  uint32_t instance;
  uint16_t column;
  bool unknown;                /* it happened, and was not measured */
  uint64_t lower_ns, upper_ns; /* above SAMPLE_NS_MAX: infinite */
};

struct joint_rows {
  VECTOR(struct rows_column) columns;
  VECTOR(struct rows_entry) entries;
};

/* What stands in the cells of a row for what the instance does not have. */
struct rows_lacking {
  const char *cell;    /* "-": it did not happen. "": not known */
  const char *request; /* the same of requests; "inf": not ended; "unpaired": not known if it did */
  bool doubtful;       /* not even what never arrived is known to have done so */
};

void joint_rows_clear(struct joint_rows *rows);

/* The column of that name and kind, made when it is new; ROWS_NONE when there are too many. */
uint16_t joint_rows_column(struct joint_rows *rows, const char *name, enum rows_kind kind);

void joint_rows_sort(struct joint_rows *rows); /* by instance, then column */

/* One past the last entry of the instance that `first` begins; sorted. */
size_t joint_rows_end(const struct joint_rows *rows, size_t first);

/* Drops the entries of an instance; sorted. */
void joint_rows_forget(struct joint_rows *rows, uint32_t instance);

/* Settles which columns are used, which repeated, and which delay a sending is of; sorted. */
void joint_rows_settle(struct joint_rows *rows);

/* Whether the table has the column: it is used, not repeated, and no sending whose delay is one. */
bool joint_rows_writes(const struct joint_rows *rows, size_t column);

/* Appends the table, of what is settled, in order of instances and names; `lacking` is asked of
 * each instance, by its entries. The number of rows. */
uint64_t joint_rows_print(struct text *text, const struct joint_rows *rows,
                          struct rows_lacking (*lacking)(void *context,
                                                         const struct rows_entry *entries,
                                                         size_t count),
                          void *context);

#endif
