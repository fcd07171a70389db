/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of what is compiled at run time: the file perf-PID.map, which Node (--perf-basic-prof),
 * Java (a perf-map agent; jcmd PID Compiler.perfmap) and Python from 3.12 on (-X perf) write: lines
 * of an address, a size, both hexadecimal, and a name. It grows while the program runs, so it is
 * read as it grows; where code lies on older code, the newer name counts.
 */
#ifndef MEASURE_PROFILE_JIT_H
#define MEASURE_PROFILE_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"

/* A line of 64 kB ends the reading of a map, and so do more bytes or lines than these: whoever is
 * sampled may write anything there. 3 million functions have 190 MB. */
#define JIT_BYTES_MOST ((uint64_t)512 << 20)
#define JIT_LINES_MOST ((uint64_t)8 << 20)

struct jit_code {
  uint64_t start, end;
  const char *name;
  uint32_t frame; /* of whom asks; UINT32_MAX: none yet */
};

struct jit {
  int descriptor; /* 0: not open */
  uint64_t read;  /* bytes of the file that were read */
  struct arena names;
  VECTOR(struct jit_code) codes; /* in the order of addresses; none overlap */
  VECTOR(struct jit_code) fresh; /* lines that are not yet among them, in their order */
  uint64_t lines, all_read;      /* in all, also where the file was written anew */
  bool refused;                  /* the rest of the file is not read: it is no map, or too long */
};

void jit_clear(struct jit *jit);

/* Reads what the process has added to its file. Whether there was anything. */
bool jit_read(struct jit *jit, uint32_t process);

/* The code at an address, or NULL. */
struct jit_code *jit_find(const struct jit *jit, uint64_t address);

/* Takes in lines; how many bytes of them, up to the end of the last whole line. */
size_t jit_add_lines(struct jit *jit, const char *bytes, size_t length);

#endif
