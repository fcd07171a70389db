/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compressed bytes expanded piece by piece: gzip, all members of it, and zstd, all frames of it, also
 * with four bytes before each that say its length, as the OpenTelemetry collector writes files.
 */
#ifndef BASE_EXPAND_H
#define BASE_EXPAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "base/status.h"
#include "base/text.h"

enum compression { COMPRESSED_NOT, COMPRESSED_GZIP, COMPRESSED_ZSTD, COMPRESSED_ZSTD_FRAMES };

enum { COMPRESSION_BYTES = 8 }; /* of the beginning tell it */

enum compression compression_tell(struct slice beginning);

struct expander;

/* Of a file called `name` in messages, which outlives it. NULL: out of memory. Use expander_free. */
struct expander *expander_new(enum compression compression, const char *name);
void expander_free(struct expander *expander); /* NULL is accepted */

/* Expands some of `packed`, whose beginning it takes away, to at most `most` bytes. *got may be 0
 * while there is more. The last byte stays until all that the bytes expand to was taken.
 * STATUS_DATA with `message`, one line without a newline: damaged. */
enum status expander_take(struct expander *expander, struct slice *packed, char *bytes, size_t most,
                          size_t *got, struct text *message);

/* At the end of the file: STATUS_DATA with `message` if it was truncated. */
enum status expander_end(const struct expander *expander, struct text *message);

#endif
