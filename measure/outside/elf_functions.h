/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The functions in a file's tables of symbols, each with its version: glibc has two and more of one
 * name, of which programs that are linked today get the default one ("name@@VERSION").
 */
#ifndef MEASURE_OUTSIDE_ELF_FUNCTIONS_H
#define MEASURE_OUTSIDE_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct Elf;

enum { ELF_FUNCTION_NAME = 1024 }; /* bytes of a name that are looked at */

struct elf_function {
  const char *name; /* without its version, `length` bytes of it */
  uint32_t length;
  const char *version; /* NULL: none */
  const char *source;  /* of a local one the source file that the table names before it; NULL */
  uint64_t start, size;
  bool defined; /* the code is in this file; else `start` says nothing */
  bool old;     /* of a version that is not the default one: only programs linked long ago use it */
  bool chosen;  /* IFUNC: what stands there chooses the function when the program starts */
};

/* Gives all, table after table, until `take` returns false. Texts live as long as `elf` is open. */
void elf_functions(struct Elf *elf,
                   bool (*take)(void *context, const struct elf_function *function), void *context);

#endif
