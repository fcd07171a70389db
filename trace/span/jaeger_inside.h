/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trace of Jaeger's while it is read; private to the two files of its reader.
 */
#ifndef TRACE_SPAN_JAEGER_INSIDE_H
#define TRACE_SPAN_JAEGER_INSIDE_H

#include "trace/span/intake.h"
#include "trace/span/scan.h"

/* A stretch of jaeger.texts. */
struct piece {
  size_t first, length;
};

/* A span of the trace that is being read. */
struct staged {
  struct piece id, parent;
  uint32_t operation, service, instance;
  uint32_t process; /* name in process_ids; 0: service and instance are said */
  int64_t start, end;
  uint8_t kind, status, mark;
  size_t tag_first, tag_count, link_first, link_count;
};

struct process {
  uint64_t trace; /* of which trace this is; 0: of none yet */
  uint32_t service, instance;
  uint8_t rank; /* of the tag that says the instance */
  size_t tag_first, tag_count;
};

struct reference {
  struct slice trace, span;
  bool follows;
};

/* A span as it stands in the file, before it is known to be whole. */
struct written {
  struct slice id, trace, operation, process, old_parent, start, duration;
  enum span_kind kind;
  enum span_status status;
  struct process home; /* of a process within the span; its trace is 0 without one */
};

enum jaeger_member {
  MEMBER_END,
  MEMBER_OTHER,
  MEMBER_LIST,
  MEMBER_TRACE,
  MEMBER_SPANS,
  MEMBER_PROCESSES
};

struct jaeger {
  struct intake *intake;
  struct json_scan *scan;
  struct text texts; /* ids of the trace */
  struct piece trace_id;
  uint64_t trace; /* how many were read */
  VECTOR(struct staged) spans;
  VECTOR(struct piece) links;
  VECTOR(struct span_tag) tags, span_tags; /* of the trace; of the span or process at hand */
  VECTOR(struct reference) references;
  VECTOR(struct slice) slices;
  struct written written;
  struct process process; /* at hand */
  struct span_names process_ids;
  VECTOR(struct process) processes; /* by name in process_ids */
  enum jaeger_member member;        /* taken last */
};

static inline struct piece jaeger_put(struct jaeger *jaeger, struct slice text) {
  struct piece piece = {jaeger->texts.length, text.length};
  text_append_bytes(&jaeger->texts, text.start, text.length);
  return piece;
}

static inline struct slice jaeger_get(const struct jaeger *jaeger, struct piece piece) {
  return (struct slice){jaeger->texts.data + piece.first, piece.length};
}

/* Units of a scan, which set `member`; the context is the struct jaeger. */
bool jaeger_take_span(void *context);    /* the next of a list of spans */
bool jaeger_take_process(void *context); /* the next of a trace's processes: "p1": {...} */

#endif
