/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which format a file has: one look at its beginning, the same for all commands, and one refusal
 * for what a command does not read.
 */
#ifndef FORMAT_TELL_H
#define FORMAT_TELL_H

#include "base/text.h"
#include "format/beginning.h"
#include "format/format.h"

struct format_told {
  enum format_id id;    /* KNOWN_NONE: the file is empty, or cannot be read */
  enum format_id other; /* another that it may as well be; KNOWN_NONE: none */
};

/* Whether the first line of a table names all of these columns, lower case and separated by commas;
 * case does not count. */
bool format_has_columns(const struct format_beginning *beginning, const char *columns);

/* Whether a sign of the row holds. */
bool format_holds(const struct format_entry *row, const struct format_beginning *beginning);

/* The surest row; where several are as sure, the one whose suffix the name has (NULL: no name). */
struct format_told format_tell(const struct format_beginning *beginning, const char *name);

/* The same of bytes, and of a file, expanded if it is compressed. */
struct format_told format_tell_bytes(struct slice bytes, const char *name);
struct format_told format_tell_file(const char *path);

/* What a command reads. */
struct format_wanted {
  unsigned yields;  /* bits, 1u << YIELDS_... */
  const char *what; /* "traces" */
  const char *read; /* "Jaeger JSON and OTLP JSON are read" */
};

/* Whether it is of what the command reads. */
bool format_is_wanted(const struct format_told *told, const struct format_wanted *wanted);

/* Appends to the message, behind "FILE: ", which format was seen, and what to do with it: one line. */
void format_refuse(struct text *message, const char *path, const struct format_told *told,
                   const struct format_beginning *beginning, const struct format_wanted *wanted);

/* Of bytes, or a file, that the command does not read: appends "FILE: ..." to the message. false,
 * and no message, of what is wanted, or is of no known format, so that the reader has more to say.
 */
bool format_refuse_bytes(struct text *message, const char *path, struct slice bytes,
                         const struct format_wanted *wanted);
bool format_refuse_file(struct text *message, const char *path, const struct format_wanted *wanted);

/* "FILE: ..." of whatever they are: for a reader that has nothing more to say. */
void format_refuse_bytes_any(struct text *message, const char *path, struct slice bytes,
                             const struct format_wanted *wanted);

#endif
