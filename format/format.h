/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The formats of files that tools write, ours and foreign ones: one table, format/formats.def. A row
 * says how a file is told, what is in it, and, for what is not read, the way out. The table is all
 * that is known here; who reads a format knows its id.
 */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

enum format_id {
  KNOWN_NONE,
#define FORMAT(id, ...) KNOWN_##id,
#include "format/formats.def"
#undef FORMAT
  KNOWN_COUNT
};

/* What is in a file, and so which commands read it. */
enum format_yield {
  YIELDS_NOTHING, /* no command reads it: the row has a way out */
  YIELDS_SAMPLES, /* what parts took, or how much of them took how long */
  YIELDS_SPANS,   /* recorded requests */
  YIELDS_LOOP,    /* what an event loop did */
  YIELDS_STACKS,  /* sampled stacks */
  YIELDS_STORE,   /* a recording of ours: samples and spans */
  YIELDS_FOLD,    /* a summary of traces */
  YIELDS_PROTOCOL
};

/* How sure the signs of a row are. Of several rows those with the surest count. */
enum format_rank {
  FORMAT_FALLBACK, /* what it is made of: JSON, a table, text */
  FORMAT_LOOSE,    /* lines of a shape that other files may have by chance */
  FORMAT_SURE      /* words or bytes that nothing else writes */
};

struct format_beginning; /* format/beginning.h */

/* What all has to hold; what is NULL asks nothing. Regular expressions are POSIX' extended ones, and
 * ignore case. */
struct format_sign {
  const char *magic; /* bytes at `offset` */
  size_t magic_length, offset;
  const char *keys;    /* of JSON: format/paths.h */
  const char *columns; /* names among those of the first line of a table, separated by commas */
  const char *first;   /* the first line that is not blank */
  const char *body;    /* the first that is no comment (#) either */
  const char *lines;   /* some line */
  bool (*tell)(const struct format_beginning *beginning);
};

enum { FORMAT_SIGNS_MOST = 4 };

struct format_entry {
  enum format_id id;
  enum format_yield yields;
  enum format_rank rank;
  const char *name;   /* "a table of hey" */
  const char *suffix; /* ".hgrm": chooses between formats whose signs are equally good; or NULL */
  const char *way;    /* what to do, or NULL: the commands for what it yields */
  struct format_sign signs[FORMAT_SIGNS_MOST]; /* one of them tells it */
};

/* The row; of KNOWN_NONE there is none. */
const struct format_entry *format_row(enum format_id id);

/* The commands that read what is yielded: "`tailproof tail` or ..."; NULL: none. */
const char *format_commands(enum format_yield yields);

/* "latency samples". */
const char *format_yield_words(enum format_yield yields);

#endif
