/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store file (.tps): what one process recorded. All numbers are in the byte order of the
 * machine that wrote it, which the header names; a reader refuses another one. Offsets are
 * multiples of 8.
 *
 *   0      struct format_header        one page; fixed once the file is made, but for `mutable`
 *   4096   struct format_name [names_max]
 *   then   segments, one after another, to the end of the file
 *
 * A segment starts with struct format_segment (one page) and holds one writer's log or one writer's
 * histogram of one name. The file grows by whole segments, whose blocks are allocated before they
 * are used. What is not yet complete when the process dies is recognised: a name or segment whose
 * check does not fit ends the list; a record whose position or check does not fit is torn; the
 * total of a histogram is the sum of its counts.
 *
 * A log of capacity C keeps the record with position p (from 1) in slot (p - 1) mod C. `written` is
 * the position of the latest complete record: positions max(1, written - C + 2) .. written are
 * complete; the slot after `written` may be torn. The position of a slot is set to 0 before its
 * record is changed and to p after, so that a reader of a live file can tell.
 */
#ifndef MEASURE_CORE_FORMAT_H
#define MEASURE_CORE_FORMAT_H

#include "measure/core/histogram.h"

#include <stdint.h>

#define FORMAT_MAGIC 0x45524f5453505454u         /* "TTPSTORE" in little-endian order */
#define FORMAT_SEGMENT_MAGIC 0x4d47455350545454u /* "TTTPSEGM" */

enum {
  FORMAT_VERSION = 1,
  FORMAT_BYTE_ORDER = 0x01020304,
  FORMAT_PAGE = 4096,
  FORMAT_NAMES_MAX = 512,
  FORMAT_SEGMENTS = 73728, /* where segments begin: after the header and the table of names */
  FORMAT_WRITERS_MAX = 1 << 16,
  FORMAT_RECORD_WORDS = 8,
  FORMAT_LOG_RECORDS_MAX = 1 << 24,
  FORMAT_RECORD_BYTES = 64,
  FORMAT_TEXT = 64,      /* bytes of a text with its terminator */
  FORMAT_NAME_TEXT = 60, /* of a name's */
};

enum format_kind {
  FORMAT_COMPONENT = 1, /* start .. end of an occurrence; arguments: its indices */
  FORMAT_ACTION = 2, /* start .. end of a step; arguments: fields of the message received, if any */
  FORMAT_SEND = 3,   /* start == end: when; arguments: the message's fields. No histogram */
  FORMAT_DELAY = 4,  /* sent .. arrived, of a message; arguments: its fields */
  FORMAT_WAIT = 5,   /* arrived .. dequeued, of a message; arguments: its fields */
  FORMAT_ROUNDTRIP = 6, /* of a message: start .. start + round trip without the peer's part */
  FORMAT_ARRIVAL = 7, /* start == end: when, for a message whose delay is not known. No histogram */
  FORMAT_REQUEST = 8, /* start .. end as its users see it */
};

struct format_mutable {
  uint64_t names_used; /* set after the name is complete */
  uint64_t closed;     /* after a proper close the bytes of the file; else 0 */
  uint64_t refused;    /* recordings refused: end before start, no such name, no space */
  uint64_t bad_stamps; /* messages whose stamp was none */
  uint64_t end_ticks, end_monotonic_ns; /* both clocks once more, at the close; 0 before */
};

struct format_header {
  uint64_t magic;
  uint32_t version, byte_order;
  uint32_t header_bytes, name_bytes, names_max, segment_header_bytes;
  uint32_t record_words, sub_buckets, buckets;
  uint32_t clock;            /* enum tailproof_clock: 1 or 2 */
  uint64_t ns_per_tick_up;   /* in units of 2^-32 ns, rounded up from the slowest plausible rate */
  uint64_t ns_per_tick_down; /* rounded down from the fastest */
  uint64_t clock_identity;   /* equal for processes whose ticks can be subtracted: boot and kind */
  uint64_t clock_resolution_ns,
      clock_cost_ps; /* least step seen; cost of one reading in picoseconds */
  uint64_t start_ticks, start_monotonic_ns, start_realtime_ns; /* one moment, on three clocks */
  uint64_t process;
  char node[FORMAT_TEXT], host[FORMAT_TEXT], program[FORMAT_TEXT];
  uint64_t check; /* of all before */
  struct format_mutable mutable;
};

struct format_name {
  uint32_t kind; /* enum format_kind */
  uint32_t reserved;
  char name[FORMAT_NAME_TEXT];   /* component, action, message or request */
  char series[FORMAT_NAME_TEXT]; /* the histogram's name: "BackupRequest", "d.Request"; "" for none
                                  */
  /* One tailproof_message makes consecutive names: SEND, DELAY, WAIT, ROUNDTRIP, ARRIVAL. */
  uint64_t check; /* of all before */
};

enum format_segment_kind { FORMAT_LOG = 1, FORMAT_HISTOGRAM = 2 };

struct format_segment {
  uint64_t magic;
  uint64_t bytes;    /* the whole segment, header included; a multiple of FORMAT_PAGE */
  uint32_t kind;     /* enum format_segment_kind */
  uint32_t writer;   /* from 0 */
  uint32_t name;     /* of a histogram */
  uint32_t capacity; /* of a log, in records */
  uint64_t check;    /* of all before */
  uint64_t written;  /* of a log; not covered by the check */
  uint64_t closed;   /* 1 when the writer was closed; not covered */
};

#endif
