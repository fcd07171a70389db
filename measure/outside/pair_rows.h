/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests that are settled, in a file without a name: in $TMPDIR or /var/tmp, once there are some
 * megabytes of them. So pairing does not need more memory for a longer recording.
 */
#ifndef MEASURE_OUTSIDE_PAIR_ROWS_H
#define MEASURE_OUTSIDE_PAIR_ROWS_H

#include "base/vector.h"
#include "measure/outside/pair.h"

/* {.cells = ...} is empty. */
struct pair_rows {
  size_t cells; /* times of each request */
  size_t count;
  VECTOR(uint64_t) waiting; /* rows that are not in the file: what became of it, and the times */
  bool in_file;             /* whether there is one */
  int file;
  int cause;            /* errno of what failed; 0 */
  const uint64_t *read; /* all rows, after pair_rows_end */
  size_t mapped;        /* bytes of the file there */
};

void pair_rows_add(struct pair_rows *rows, struct pair_request request, const uint64_t *times);

/* No more come: they can be read from here on. */
void pair_rows_end(struct pair_rows *rows);
struct pair_request pair_rows_request(const struct pair_rows *rows, size_t number);
uint64_t pair_rows_time(const struct pair_rows *rows, size_t number, size_t cell);

/* It may have ended; before pair_rows_end. */
void pair_rows_doubt(struct pair_rows *rows, size_t number);
void pair_rows_clear(struct pair_rows *rows);

#endif
