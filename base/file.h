/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole files. Reading expands gzip transparently, all members of it (`cat a.gz b.gz`); what stands
 * behind them is an error. Writing never leaves a half-written file: the bytes go to a temporary
 * name in the same folder, are synced, and are renamed into place. Where the name is a link, what
 * it points to is replaced; devices and pipes are written to.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <limits.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

/* The greatest limit of a reading: zlib counts up to UINT_MAX. */
#define FILE_LIMIT_MAX ((size_t)UINT_MAX / 2)

/* Reads at most `limit` bytes (as they are, and after expansion; <= FILE_LIMIT_MAX) of the file
 * into *bytes (owned by the caller, NUL-terminated, *length without the NUL). On failure *bytes is
 * NULL and `message` gets one line without a newline that names the file, the cause and the remedy.
 * STATUS_NO_INPUT: missing, a directory, no permission; STATUS_DATA: too large or broken gzip. */
enum status file_read(const char *path, size_t limit, char **bytes, size_t *length,
                      struct text *message);

/* The same where the path "-" is standard input, read to its end. There is only one: who reads it
 * again gets the same bytes. `limit` is one for all of them. */
enum status file_read_or_input(const char *path, size_t limit, char **bytes, size_t *length,
                               struct text *message);

/* A pipe that gives nothing, of which a reader cannot tell why. Reading does not wait for a writer that may never come. */
#define FILE_NOTHING_CAME                                                                          \
  "%s: is a pipe, and nothing came through it; start what writes to it first"

/* What messages call the file: FILE_INPUT_NAME where the path is "-". */
#define FILE_INPUT_NAME "<stdin>"
const char *file_name(const char *path);

/* STATUS_OK, or STATUS_INTERNAL with `message`; the file is then as it was before. A file that is
 * replaced keeps its permissions. */
enum status file_write(const char *path, const char *bytes, size_t length, struct text *message);

/* The same with the bytes compressed (gzip). */
enum status file_write_gzip(const char *path, const char *bytes, size_t length,
                            struct text *message);

#endif
