/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files that generated code needs beside it: the library in steps/, and the Makefile and
 * scripts that prove it. They are copied, so that a generated folder builds and proves on its own,
 * wherever it is, and no other version of the library slips under what was proved. scripts/embed.sh
 * writes the texts into the program.
 */
#ifndef GENERATE_LIBRARY_H
#define GENERATE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library_file {
  const char *name;
  bool executable;
  bool loop; /* only for what has a loop */
  const char *text;
};

extern const struct library_file library_files[];
extern const size_t library_file_count;

#endif
