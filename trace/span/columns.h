/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which column or key of a table of spans says what: as --columns has it, and as the layouts of
 * known tables have it (trace/span/layout.h). Private to trace/span.
 *
 *     trace=TraceId,span=SpanId,start:ms=begin|startTime,duration:us=took
 *
 * ROLE[:UNIT]=PATH[|PATH..], a role may be repeated: of what has a value the first counts. Layouts
 * have more: `^PATH` is looked for in what is around the span, the nearest first, `^^PATH` the
 * outermost first, `$PATH` in the document that had it last; `A+B` is both, joined by a point;
 * `PATH{WORD}` is what stands behind WORD up to the next slash; 'text' is that text.
 */
#ifndef TRACE_SPAN_COLUMNS_H
#define TRACE_SPAN_COLUMNS_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/text.h"
#include "base/vector.h"

enum span_role {
  COLUMN_TRACE,
  COLUMN_SPAN,
  COLUMN_PARENT,
  COLUMN_PARENT_TRACE, /* of which trace the parent is */
  COLUMN_RPC,          /* "0.1.2": a span whose parent is "0.1" */
  COLUMN_START,
  COLUMN_END,
  COLUMN_DURATION,
  COLUMN_SERVICE,
  COLUMN_CALLER, /* with `rpc`: the service of a row with a duration of 0 or more */
  COLUMN_CALLED, /* and of one with a negative duration, which is the server's */
  COLUMN_NAME,
  COLUMN_KIND,
  COLUMN_STATUS,
  COLUMN_ERROR, /* true or 1 */
  COLUMN_HOST,
  COLUMN_RELATION, /* FOLLOWS_FROM: of the parent */
  COLUMN_TAGS,     /* objects of which each member is a tag; repeatable, all count */
  COLUMN_COUNT
};

enum column_from { FROM_SPAN, FROM_AROUND, FROM_OUTERMOST, FROM_LATEST, FROM_TEXT };

struct column_source {
  enum span_role role;
  enum column_from from;
  int shift; /* a number * 10^shift is ns; -1: the unit is not said */
  struct slice path, other, word;
};

struct span_columns {
  char *text; /* what the slices point into */
  VECTOR(struct column_source) sources;
};

/* False, with a line in `message` that says what is wrong and what to write: it is no such list, or
 * lacks what a span needs. Clear *columns in both cases. */
bool columns_read(struct span_columns *columns, const char *text, struct text *message);
void columns_clear(struct span_columns *columns);

/* The unit that a name says by its end, as a shift: `duration_ms`, `startTimeUnixNano`; -1: none. */
int columns_unit(struct slice name);

/* What a row says. */
struct column_values {
  struct slice text[COLUMN_COUNT]; /* as written; empty: nothing */
  int shift[COLUMN_COUNT];
  struct text joined[COLUMN_COUNT]; /* of texts made of two */
};

/* Looks a path up; empty: it has no value. */
typedef struct slice column_look(void *context, const struct column_source *source,
                                 struct slice path);

void columns_fill(struct column_values *values, const struct span_columns *columns,
                  column_look *look, void *context);
void column_values_clear(struct column_values *values);

#endif
