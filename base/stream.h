/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file of any size, read piece by piece, expanded if it is compressed (base/expand.h). For files that are read whole, base/file.h.
 */
#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

struct stream;

/* The path "-" is standard input. On failure *stream is NULL and `message` gets one line without a
 * newline that names the file, the cause and the remedy. STATUS_NO_INPUT: missing, a directory, no
 * permission. */
enum status stream_open(struct stream **stream, const char *path, struct text *message);
void stream_close(struct stream *stream); /* NULL is accepted */

/* Reads 1 .. most bytes; *got is 0 at the end of the file. STATUS_DATA with `message` for a broken
 * compressed file or one that cannot be read, STATUS_NO_INPUT for a pipe that gave nothing. */
enum status stream_read(struct stream *stream, char *bytes, size_t most, size_t *got,
                        struct text *message);

#endif
