/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The fields of a profile of google/pprof (proto/profile.proto there), and how Tailproof says in
 * them what pprof has no field for. Private to trace/stacks.
 *
 * A sample of one moment has the labels `time` (ns, CLOCK_MONOTONIC), `process`, `thread` and
 * `command`; what is not of one moment is a sample of its stack. The kind of a frame is a mark at
 * the end of its function's system_name (trace/stacks/frame.h; _[t]: a thread), which viewers do
 * not show. Samples whose rate is known have their processor time as a second value, and times
 * whose samples are known how many these are, as Go's profiles have both; the comment's `unit` says
 * which of them is the weight. A function that is not known has no line, and its offset as the address. A comment
 * `tailproof count=5 lost=0 throttled=0 pruned=0 start=0 end=0` keeps the counts.
 */
#ifndef TRACE_STACKS_PPROF_H
#define TRACE_STACKS_PPROF_H

#include <stdint.h>

enum {
  PROFILE_SAMPLE_TYPE = 1,
  PROFILE_SAMPLE = 2,
  PROFILE_MAPPING = 3,
  PROFILE_LOCATION = 4,
  PROFILE_FUNCTION = 5,
  PROFILE_STRING = 6,
  PROFILE_DROP = 7, /* frames, by a pattern */
  PROFILE_KEEP = 8,
  PROFILE_TIME = 9, /* ns since 1970 */
  PROFILE_DURATION = 10,
  PROFILE_PERIOD_TYPE = 11,
  PROFILE_PERIOD = 12,
  PROFILE_COMMENT = 13,
  PROFILE_DEFAULT_TYPE = 14,

  TYPE_TYPE = 1,
  TYPE_UNIT = 2,

  SAMPLE_LOCATIONS = 1, /* innermost first */
  SAMPLE_VALUES = 2,
  SAMPLE_LABEL = 3,

  LABEL_KEY = 1,
  LABEL_TEXT = 2,
  LABEL_NUMBER = 3,
  LABEL_UNIT = 4,

  MAPPING_ID = 1,
  MAPPING_START = 2,
  MAPPING_OFFSET = 4,
  MAPPING_FILE = 5,
  MAPPING_BUILD_ID = 6,
  MAPPING_HAS_FUNCTIONS = 7,

  LOCATION_ID = 1,
  LOCATION_MAPPING = 2,
  LOCATION_ADDRESS = 3,
  LOCATION_LINE = 4, /* innermost first, the others with it as part of them */

  LINE_FUNCTION = 1,
  LINE_NUMBER = 2,

  FUNCTION_ID = 1,
  FUNCTION_NAME = 2,
  FUNCTION_SYSTEM_NAME = 3,
};

#define PPROF_MARK_THREAD "_[t]"

/* The count that a comment keeps under a name: 0 when it has none. */
#define PPROF_COMMENT "tailproof"

#endif
