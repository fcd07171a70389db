/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records that perf_event_open leaves in its rings for probes, and what probes read of them:
 * registers, and the fields of tracepoints. Memory of the process is not in them.
 *
 * A sample has, in 64-bit words behind its header (perf_event_open(2), "MMAP layout"):
 *
 *     [0] number of the event  [1] process and thread  [2] time
 *     size, bytes of the tracepoint's record      where that was asked for
 *     abi, registers unless the abi is 0          where some were asked for
 *
 * Words of any content are safe: what does not end within them is refused.
 */
#ifndef MEASURE_OUTSIDE_PERF_FIELDS_H
#define MEASURE_OUTSIDE_PERF_FIELDS_H

#include "measure/outside/probe_plan.h"

enum perf_source_kind { PERF_NUMBER, PERF_REGISTER, PERF_FIELD, PERF_TEXT, PERF_TEXT_ELSEWHERE };

/* Where one field comes from. */
struct perf_source {
  enum perf_source_kind kind;
  unsigned bit;           /* of the register in the mask (asm/perf_regs.h) */
  unsigned offset, width; /* bytes: in the tracepoint's record; what is taken of the register */
  bool has_sign;          /* of those bytes */
  uint64_t number;        /* itself, or what is added */
  unsigned as_width;      /* what the expression makes of it: 1, 2, 4, 8 bytes */
  bool as_signed, as_big;
  unsigned most; /* bytes of a text, with its NUL */
};

struct perf_reading {
  uint32_t count;
  struct perf_source source[OUTSIDE_FIELDS];
  uint64_t registers; /* those that are needed */
  bool raw;           /* whether the tracepoint's record is */
};

/* What a probe reads at one of its places (NULL: it has none). STATUS_DATA with one line in
 * `message` where a field cannot be read in this way: what it is and the remedy. */
enum status perf_reading_make(struct perf_reading *reading, const struct outside_probe *probe,
                              const struct outside_site *site, const struct planned_probe *planned,
                              const struct target_place *place, struct text *message);

/* Fills in all of the event but its probe from the `count` words of a sample. A field that the
 * sample has not is 0, and its bit is not set. False when the words are no such sample. */
bool perf_sample_read(struct outside_event *event, const struct perf_reading *reading,
                      const uint64_t *words, size_t count);

#endif
