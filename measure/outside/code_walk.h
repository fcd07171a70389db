/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of a code map that its two halves share: what follows code from one instruction to the
 * next (code_map.c), and what finds where a jump through a table can lead (code_tables.c).
 */
#ifndef MEASURE_OUTSIDE_CODE_WALK_H
#define MEASURE_OUTSIDE_CODE_WALK_H

#include <Zydis/Zydis.h>

#include "measure/outside/code_map.h"

/* Of each byte that can be executed. */
enum {
  BYTE_BEGINS = 1,  /* an instruction begins */
  BYTE_COVERED = 2, /* it is a later byte of one */
  BYTE_EDGE = 4,    /* a function begins or ends: nothing falls through */
  BYTE_IN_LINE =
      8 /* an instruction begins, when all of the function are read one behind the other */
};

struct code_region {
  uint64_t address, size;
  const unsigned char *bytes;
  unsigned char *flags; /* owned */
};

/* An address that code takes, and that may be a table of jumps. */
struct code_base {
  uint64_t address;
  size_t function; /* number of the function that takes it */
  bool done;
};

struct code_step {
  uint64_t address;
  unsigned length;
};

struct code_map {
  const struct image *image;
  const struct code_starts *starts;
  VECTOR(struct code_region) regions;
  VECTOR(uint64_t) ahead;            /* where to go on */
  VECTOR(struct code_step) doubtful; /* since the last call, which may not have returned */
  VECTOR(struct code_base) bases;
  VECTOR(struct code_base) labels; /* of these, those in the function itself */
  bool *indirect;                  /* by function: it jumps to where a register or memory says */
  bool *entered;                   /* by function: others jump into it */
  bool *in_line;                   /* by function: BYTE_IN_LINE is set where it holds */
  bool fixed;                      /* a program that is always at the same addresses */
  ZydisDecoder decoder;
};

/* The flags of an address that can be executed; NULL. `left`, unless NULL, gets how many bytes of
 * its region there are from it on. */
unsigned char *code_flags(const struct code_map *map, uint64_t address, uint64_t *left);

/* The number of the function that an address is in; SIZE_MAX. */
size_t code_function_of(const struct code_map *map, uint64_t address);

/* Whether an instruction begins there, too, when the function is read from its start on, one behind
 * the other: as compilers write code, without data in between. */
bool code_is_in_line(struct code_map *map, size_t function, uint64_t address);

/* Adds to `ahead` where tables and relocations lead that were not yet looked at; whether anything
 * was added. */
bool code_tables_follow(struct code_map *map);
void code_relocations_follow(struct code_map *map);

#endif
