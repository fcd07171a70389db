/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The records that the kernel writes into a ring of perf_event_open, one after the other. Of each:
 *
 *     a header of 8 bytes: kind, flags, size of all of it, a multiple of 8
 *     a sample:      words, of which the first is the number of its event (perf_fields.h)
 *     fork or exit:  process and parent (32 bits each), thread and parent's, time in ns
 *     exec:          process and thread, the new name, and at its end who, time, event's number
 *
 * Bytes of any content are safe: a header that cannot be one ends the reading, and records of other
 * kinds, or too short for theirs, are passed over.
 */
#ifndef MEASURE_OUTSIDE_PERF_RECORDS_H
#define MEASURE_OUTSIDE_PERF_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "measure/outside/interest.h"

/* What became of a process. FATE_FORK: `process` has started `other`; FATE_EXIT: the thread `other`
 * of it ended; FATE_EXEC: it is another program now, as its thread `other`. */
struct perf_fate {
  enum capture_fate fate;
  uint32_t process, other;
  uint64_t time_ns;
};

struct perf_record_sink {
  void *context;
  void (*sample)(void *context, const uint64_t *words, size_t count); /* count > 0 */
  void (*fate)(void *context, const struct perf_fate *fate);
};

/* `bytes` is aligned to 8. Returns how many bytes are whole records: `count`, unless something that
 * is no record comes first. */
size_t perf_records_read(const unsigned char *bytes, size_t count,
                         const struct perf_record_sink *sink);

#endif
