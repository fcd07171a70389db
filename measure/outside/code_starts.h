/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where functions begin and end in a program or library: by its symbols, those in its file of debug
 * symbols, its unwind table, and Go's own table. Labels that are not of a function are no
 * beginning, as data between functions has such labels, too.
 */
#ifndef MEASURE_OUTSIDE_CODE_STARTS_H
#define MEASURE_OUTSIDE_CODE_STARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "measure/profile/image.h"

struct code_start {
  uint64_t start, end; /* addresses; end = start: not known */
  bool named;          /* a symbol's, not only one of the unwind table */
};

struct code_range {
  uint64_t start, end;
};

struct code_starts {
  VECTOR(struct code_start) list; /* in order of start; of those at one place the longest */
  VECTOR(struct code_range) code; /* sections of code; without sections, what can be executed */
};

/* `path` is where the image came from. */
void code_starts_load(struct code_starts *starts, const struct image *image, const char *path);
void code_starts_clear(struct code_starts *starts);

/* The last that begins at or before an address, and does not end before it; NULL. */
const struct code_start *code_starts_find(const struct code_starts *starts, uint64_t address);

/* Whether there is code at an address, not data. */
bool code_starts_are_code(const struct code_starts *starts, uint64_t address);

#endif
