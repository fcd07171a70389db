/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Laws kept in a file, as text:
 *
 *   tailproof-law 2
 *   # what it rests on                 any number of notes, one a line
 *   grid log 10 33                     log-linear: sub_bits octaves; or: grid linear SHIFT POINTS
 *   side upper                         once, or also "side lower", each with its tails
 *   900 1000000000000000000            COUNT TAIL: so many further points have this tail, in units
 *   100 500000000000000000             of 10^-18; tails decrease, counts add up to the grid's
 * points
 *   ...
 *   checksum 0123...                   SHA-256 of all bytes before this line, in hexadecimal
 *
 * Every line ends with a line feed. A file that was cut off or altered is refused. What is read is
 * exactly what was written, on the same grid. Version 1 counted in units of 2^-61: its tails are
 * rounded to their side.
 */
#ifndef DIST_SURVIVAL_LAW_FILE_H
#define DIST_SURVIVAL_LAW_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "dist/survival/survival.h"

struct saved_law {
  struct survival sides[2]; /* by enum survival_side, on one grid; a NULL tail: not in the file */
  VECTOR(char *) notes;     /* owned, without "# " */
};

void law_file_init(struct saved_law *file);
void law_file_clear(struct saved_law *file);

/* Whether the bytes begin like such a file. */
bool law_file_is(const char *bytes, size_t length);

/* Appends the file's text. `upper` or `lower` may be NULL, not both; both are on one grid. Line
 * feeds in a note become blanks. */
void law_file_print(struct text *out, const struct survival *upper, const struct survival *lower,
                    const char *const *notes, size_t note_count);

/* The same into a file, which appears complete or not at all. STATUS_INTERNAL with one line in
 * `message` when it cannot be written. */
enum status law_file_write(const char *path, const struct survival *upper,
                           const struct survival *lower, const char *const *notes,
                           size_t note_count, struct text *message);

/* Reads the bytes into *file, initialised by law_file_init; on failure it is empty, STATUS_DATA
 * comes back and `message` gets one line "PATH:LINE: what is wrong; the remedy". */
enum status law_file_parse(struct saved_law *file, const char *path, const char *bytes,
                           size_t length, struct text *message);

/* The same of a file, perhaps compressed with gzip; also STATUS_NO_INPUT. */
enum status law_file_read(struct saved_law *file, const char *path, struct text *message);

#endif
