/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where instructions begin in a program or library, so that no probe is put into the middle of one:
 * the byte that the kernel puts there would be part of another instruction, and kill the program;
 * or into data, and change what the program computes.
 *
 * Nothing is guessed from bytes: code is followed from where functions are known to begin (symbols,
 * the unwind table, Go's table) through what falls through, jumps and is called, through tables of
 * jumps (relative or absolute, as compilers write them) and through labels whose address stands in
 * a relocation. What no way leads to is unknown: it may be data. What follows a call is followed
 * unless it turns out to be none: a call may never return, or jump over data.
 */
#ifndef MEASURE_OUTSIDE_CODE_MAP_H
#define MEASURE_OUTSIDE_CODE_MAP_H

#include "measure/outside/code_starts.h"
#include "measure/profile/image.h"

enum code_found {
  CODE_BEGINS,    /* an instruction begins there, of which no other one is a part */
  CODE_INSIDE,    /* there is a part of an instruction that begins earlier */
  CODE_UNREACHED, /* no way that was followed leads there */
  CODE_NOWHERE,   /* it is in nothing that is executed */
};

struct code_map;

/* Of an image of x86, 64 or 32 bits; it and the starts, in order, must outlive the map. */
struct code_map *code_map_new(const struct image *image, const struct code_starts *starts);
void code_map_free(struct code_map *map);

/* What is at an address. *nearest is the last instruction that begins at or before it, or 0. */
enum code_found code_map_at(const struct code_map *map, uint64_t address, uint64_t *nearest);

#endif
