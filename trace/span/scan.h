/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON of any length, token by token, for readers that keep little of it; private to trace/span. A
 * reader works in units that fit into memory, such as a span:
 *
 *     scan_unit(scan, take_span, reader)
 *
 * take_span is called again from the start of the span when the bytes in memory end within it, so
 * it must not change anything before it has taken all. Slices are good until the next unit begins.
 * Within a unit all functions return false once something went wrong.
 */
#ifndef TRACE_SPAN_SCAN_H
#define TRACE_SPAN_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/status.h"
#include "base/stream.h"
#include "base/text.h"
#include "base/vector.h"

/* A unit is at most so long. */
#define SCAN_UNIT_MAX ((size_t)64 << 20)

enum scan_state {
  SCAN_GOOD,
  SCAN_STARVED, /* the bytes in memory ended; more may follow */
  SCAN_FAILED,  /* message and status say why */
};

struct json_scan {
  const char *at, *end; /* the bytes in memory not yet taken; *end is NUL */
  bool fresh;           /* nothing was taken since an opening bracket */
  enum scan_state state;
  enum status status;
  struct text message; /* one line, without a newline */
  const char *name;    /* of the file */
  struct stream *stream;
  bool ended;     /* the file has no more */
  bool truncated; /* failed: the file ends within a value */
  char *bytes;
  size_t capacity;
  const char *unit;  /* its beginning */
  bool unit_fresh;   /* `fresh` there */
  uint64_t line;     /* of bytes[0], from 1 */
  uint64_t column;   /* bytes of that line before bytes[0] */
  VECTOR(char) open; /* scan_skip: closing brackets that are due */
};

/* Opens a file; STATUS_OK, or the scan has failed. Use scan_close in both cases. */
enum status scan_open(struct json_scan *scan, const char *path);
void scan_close(struct json_scan *scan);

/* Takes a unit; false when the scan has failed. */
bool scan_unit(struct json_scan *scan, bool (*take)(void *context), void *context);

void scan_rewind(struct json_scan *scan); /* to where the latest unit began */

/* Within a unit: more bytes are needed. Returns false. */
bool scan_starve(struct json_scan *scan);

static inline bool scan_good(const struct json_scan *scan) {
  return scan->state == SCAN_GOOD;
}

/* The next byte that is no blank, which is not taken; 0 at the end of the bytes in memory. */
char scan_peek(struct json_scan *scan);
/* Whether a scan that failed ended within a value: then it is as if the file had ended before. */
bool scan_forgive_end(struct json_scan *scan);

/* Whether nothing follows, the scan having failed included; a unit of its own. */
bool scan_at_end(struct json_scan *scan);

/* Takes an opening bracket. */
bool scan_enter(struct json_scan *scan, char bracket);
/* Takes the next key of an object, or its closing bracket: false. The key is as written. */
bool scan_key(struct json_scan *scan, struct slice *key);
/* Takes what stands before the next item of a list, or its closing bracket: false. */
bool scan_item(struct json_scan *scan);

/* A string as written, without its quotes; escapes stay as they are. */
bool scan_string(struct json_scan *scan, struct slice *text);
/* A string, number or word as written, without quotes; *quoted unless NULL: whether it had them.
 * Anything else is skipped, and *text empty. */
bool scan_scalar(struct json_scan *scan, struct slice *text, bool *quoted);
bool scan_skip(struct json_scan *scan); /* any value */

/* Fails with FILE:LINE:COLUMN: ... of a place in the bytes in memory. Returns false. */
bool scan_fail(struct json_scan *scan, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a slice is a string literal. */
#define SCAN_IS(slice, literal)                                                                    \
  ((slice).length == sizeof(literal) - 1 &&                                                        \
   memcmp((slice).start, (literal), sizeof(literal) - 1) == 0)

#endif
