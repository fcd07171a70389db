/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Load tools that write a row for each request: what their columns say, as data (dist/source/tools.c).
 * One reader takes them all. What a row does not say is never guessed: a request that failed never
 * ended, several kinds are refused until one is chosen, and a time that was rounded is a range.
 */
#ifndef DIST_SOURCE_TOOL_H
#define DIST_SOURCE_TOOL_H

#include "dist/source/reader.h"
#include "format/format.h"

enum tool_role {
  TOOL_NOTHING,
  TOOL_TIME,  /* how long it took */
  TOOL_START, /* when it began, and ended: how long is the difference */
  TOOL_END,
  TOOL_UNIT,       /* the unit of its time: ns, us, ms, s */
  TOOL_KIND,       /* what kind of request it is; empty: not said */
  TOOL_STATUS,     /* of HTTP: 2xx is good; 0 is no answer */
  TOOL_STATUS_3XX, /* the same, and 3xx is good; of gRPC 0 and OK are */
  TOOL_TRUE,       /* "true" is good, and empty */
  TOOL_OK,         /* OK is good, KO is not, and nothing else stands there */
  TOOL_ERROR,      /* any text says that it failed */
  TOOL_METRIC,     /* rows of other metrics are passed over */
  TOOL_ONE,        /* of how many operations the time is the sum: of one alone it is read */
  TOOL_WHOLE,      /* a whole number, which says nothing here */
  TOOL_SECONDS     /* since 1970, ten digits: of other releases other units are known */
};

struct tool_column {
  const char *name; /* as the header has it, in small letters */
  enum tool_role role;
  bool needed;
  size_t place; /* without a header: from 0 */
};

enum tool_rounding {
  TOOL_AS_PRINTED, /* all digits that were measured */
  TOOL_NEAREST,    /* to the last digit that is printed */
  TOOL_CUT         /* both moments cut off to a whole unit */
};

enum { TOOL_COLUMNS_MOST = 12, TOOL_COUNTS_MOST = 2, TOOL_NOTES_MOST = 3, TOOL_METRICS_MOST = 3 };

struct tool {
  enum format_id id;
  const char *what; /* "a table of oha" */
  char separator;
  int exponent; /* times are in 10^exponent ns */
  enum tool_rounding rounding;
  bool once;                       /* no row may stand there twice */
  bool answered;                   /* what got no answer has no row */
  uint64_t rows_most;              /* which it writes; 0: all */
  size_t counts[TOOL_COUNTS_MOST]; /* how many columns its releases write, without a header; 0: with
                                    * one */
  bool sorted;                     /* by their times, so that their order says nothing */
  const char *line; /* rows begin with this cell, others are passed over, and there is no header;
                          * the columns are counted from the end; NULL: there is a header */
  const char *metrics[TOOL_METRICS_MOST]; /* for TOOL_METRIC; those that are measured */
  const char *dropped;                    /* the metric that counts requests never sent; or NULL */
  struct tool_column columns[TOOL_COLUMNS_MOST];
  const char *notes[TOOL_NOTES_MOST]; /* what reading it assumes, behind the file's name */
};

/* The row of a format, or NULL. */
const struct tool *tool_find(enum format_id id);

/* As the readers of dist/source/reader.h. */
enum status tool_read(struct sample *out, const struct reader *reader, const struct tool *tool);

#endif
