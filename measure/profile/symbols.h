/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of functions by address, in one sorted table for each program or library: of its symbols,
 * of those in a separate file of debug symbols where it has none itself, and of where functions
 * begin by its unwind table for those that have no name at all.
 *
 * An address that is in no function has no name: it is never given the name of what stands before
 * it. Of several names for the same code one is chosen, the same each time.
 */
#ifndef MEASURE_PROFILE_SYMBOLS_H
#define MEASURE_PROFILE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "measure/profile/image.h"

struct code_symbol {
  uint64_t start, end; /* end = start: up to the next one; settled by symbols_sort */
  const char *name;    /* as the file has it, not demangled; NULL: none */
  uint32_t rank;       /* the lower is preferred among names of the same code */
};

struct symbols {
  VECTOR(struct code_symbol) list;
  VECTOR(uint64_t) bounds; /* where sections of code begin and end: no function goes beyond */
  struct image debug;      /* that names are in; not open where they are in the image itself */
  char *texts;             /* or in here: owned; NULL: no */
  bool named;              /* the image has names, not only beginnings of functions */
};

/* Of an image, which must stay open; `path` is where it came from. */
void symbols_load(struct symbols *symbols, const struct image *image, const char *path);
/* Of the running kernel; empty where it does not tell. */
void symbols_load_kernel(struct symbols *symbols);
/* Where the running kernel has the functions of its scheduler; 0, 0 where it does not tell. */
void symbols_find_scheduler(uint64_t *start, uint64_t *end);
void symbols_clear(struct symbols *symbols);

/* The function that an address is in, or NULL. */
const struct code_symbol *symbols_find(const struct symbols *symbols, uint64_t address);

/* Puts the list in order: one symbol for each start, ends settled. For who fills the list. */
void symbols_sort(struct symbols *symbols);

#endif
