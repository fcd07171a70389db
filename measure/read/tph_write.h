/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes a histogram as text (docs/manual.md, "Files"); dist/source/tph_read.c reads it:
 *
 *   tailproof-histogram 1
 *   name Grant
 *   unit ns
 *   sub_buckets 1024
 *   total 12
 *   saturated 1
 *   counts
 *   1001 4               values in the bucket whose upper edge is 1001 ns; edges increase strictly
 *   2048 7
 *   end
 *
 * Not part of the proved core, and not for the recording path.
 */
#ifndef MEASURE_READ_TPH_WRITE_H
#define MEASURE_READ_TPH_WRITE_H

#include "measure/core/histogram.h"

/* Writes `histogram` to the file `path`, which appears whole or not at all: it is written beside
 * its place, synchronised and renamed. `name` is letters, digits and `_`. Returns 0, or an errno
 * value: then nothing is left behind, and what was at `path` before is unchanged. */
int tph_write(const char *path, const struct histogram *histogram, const char *name);

#endif
