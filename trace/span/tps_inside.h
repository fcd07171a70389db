/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is known while our own stores are read; private to tps*.c.
 */
#ifndef TRACE_SPAN_TPS_INSIDE_H
#define TRACE_SPAN_TPS_INSIDE_H

#include "measure/read/store_read.h"
#include "trace/span/intake.h"

enum { TPS_MESSAGE = 0 /* beside enum format_kind: a message's delay and wait together */ };

/* Of stores whose ticks can be subtracted: one rate for all, so that equal ticks are equal times.
 */
struct tps_clock {
  uint64_t identity, ticks, rate;
  int64_t realtime; /* ns at `ticks` */
};

/* Of the stores of a folder. */
struct tps_run {
  char *folder;
  uint64_t first_whole; /* instances before it may have lost records to overwriting */
};

/* A record of a request. */
struct tps_part {
  int64_t start, end;
  struct slice service, operation, instance;
  uint32_t node;    /* parts of one node and writer are nested */
  unsigned kind;    /* enum format_kind, TPS_MESSAGE */
  uint32_t message; /* a name; 0: it is of no message */
  size_t pair;      /* of a delay, its wait and what is around both: which of those; 0: none */
  size_t above;     /* of the parts; SIZE_MAX: the root */
};

/* A moment at which a message was sent, or arrived. */
struct tps_letter {
  uint32_t message;
  bool arrived;
  int64_t at;
  struct slice sender;
  size_t delay; /* of an arrival: its part */
};

struct tps {
  struct intake *intake;
  struct spans_sort *sort;
  VECTOR(struct tps_clock) clocks;
  VECTOR(struct tps_run) runs;
  VECTOR(uint32_t) processes; /* by place: the id as a name; 0: not wanted */
  VECTOR(uint64_t) stores;    /* hashes of what tells those that were read from others */
  VECTOR(struct tps_part) parts;
  VECTOR(size_t) stack;
  VECTOR(struct tps_letter) letters;
  VECTOR(size_t) pairs; /* by pair: the part around delay and wait */
  struct text ids;
  struct slice trace_id; /* of the request at hand: "FOLDER#INSTANCE" */
  uint64_t not_closed;
  /* of the store at hand */
  const struct store_reader *reader;
  struct tps_clock clock;
  struct tps_run *run;
  uint32_t node, host, place;
  uint32_t writer;
  bool any;
  enum status status;
};

uint32_t tps_name(struct tps *tps, const char *text);

/* Of the request at hand: delays and waits of one message stand in one part, which is named by its
 * sender; sendings are no parts. */
void tps_join_messages(struct tps *tps);

#endif
