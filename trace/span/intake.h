/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where all readers put the spans they find: one request after the other, which goes through the
 * builder into the store and to whoever asked; private to trace/span.
 */
#ifndef TRACE_SPAN_INTAKE_H
#define TRACE_SPAN_INTAKE_H

#include "base/index.h"
#include "base/text.h"
#include "trace/span/builder.h"
#include "trace/span/spans_sort.h"
#include "trace/span/read.h"

/* What was odd in files, as counts; trace_read says it in the ledger. */
struct intake_notes {
  uint64_t untimed;         /* spans without a start: left out */
  uint64_t unfinished;      /* spans without an end */
  uint64_t foreign;         /* references into another request */
  uint64_t serviceless;     /* spans of a process or resource that names no service */
  uint64_t nameless;        /* spans of a process that the file lacks */
  uint64_t unbegun;         /* ends without a beginning: left out */
  uint64_t misnamed;        /* ends of overlapping slices, none of which has their name */
  uint64_t idless;          /* spans that name no trace: left out */
  uint64_t rows;            /* of tables and of JSON with named keys */
  uint64_t no_spans;        /* rows of tables that name no span, or no end: passed over */
  uint64_t misshapen;       /* rows with another number of cells than the header: left out */
  uint64_t broken_off;      /* files that end within an event, which is left out */
  uint64_t without_request; /* recordings in stores of instance 0: left out */
  uint64_t overwritten;     /* requests of stores that may lack parts: left out */
  uint64_t not_closed;      /* stores that their processes did not close */
  uint64_t unpaired;        /* requests of stores that `pair` could not pair */
  uint64_t stores_again;    /* stores that were read before: taken once */
  uint64_t doubled;         /* requests that were read before, alike in all: taken once */
  uint64_t crowded;         /* values of tags that were left out: too many or too long */
  uint32_t crowded_key;     /* the name of such a tag */
};

struct intake {
  struct span_store *store;
  struct builder *builder;
  const struct trace_reading *reading;
  const struct asker *asker;
  struct intake_notes notes;
  struct text room; /* of intake_name */
  uint64_t digest;  /* of the request begun: of its spans in any order */
  bool empty;       /* of the request begun */
  bool anonymous;   /* the request begun has no id */
  uint64_t files, requests, spans, spans_before; /* the request begun */
  VECTOR(uint64_t) seen;                         /* digests of requests */
  struct index index;                            /* of `seen` */
  struct spans_sort *gather;                     /* NULL until a span came alone */
  VECTOR(uint32_t) values; /* by name: how many values a tag of that key has */
};

void intake_init(struct intake *intake, struct span_store *store,
                 const struct trace_reading *reading, const struct asker *asker);
void intake_clear(struct intake *intake);

/* The number of a string of a JSON file. */
uint32_t intake_name(struct intake *intake, struct slice written);
struct slice intake_text(const struct intake *intake, uint32_t name);

/* A tag that is wanted, in *tag; false when it is left out. */
bool intake_tag(struct intake *intake, struct span_tag *tag, struct slice key, struct slice value);

/* A request is begun, gets its spans, and is finished; slices live until then. What intake_finish
 * returns other than STATUS_OK ends the reading. */
void intake_begin(struct intake *intake, struct slice trace_id);
void intake_add(struct intake *intake, const struct span_record *record);
enum status intake_finish(struct intake *intake);

/* A span of any request, while none is begun; slices are copied. Requests of such spans are
 * finished by intake_end, once, when all files are read. */
enum status intake_scatter(struct intake *intake, struct slice trace_id,
                           const struct span_record *record);
enum status intake_end(struct intake *intake);

#endif
