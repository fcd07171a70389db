/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stores of all processes of one run, as events that solver/conform checks: names are those of
 * the protocol, times are nanoseconds of one clock since the first event, and the events of one
 * instance stand together, instances by number.
 *
 * The ticks of all stores are converted by one rate, rounded down, so that equal ticks are equal
 * times and parts that adjoin still do. Stores whose clocks cannot be compared (another host,
 * another kind of clock) make a recording without times.
 */
#ifndef CLI_QUESTION_REPLAY_RECORDING_H
#define CLI_QUESTION_REPLAY_RECORDING_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "measure/outside/left_over.h"
#include "solver/conform/conform.h"

struct recorded_store {
  char *path;
  char node[64];           /* as its header says */
  const struct role *role; /* NULL: no node of the protocol */
  int32_t index;
  uint64_t records, refused, torn, overwritten;
  bool closed;
  uint64_t process, start_ticks, start_realtime_ns; /* with the node, what tells it from others */
  uint64_t first_whole; /* instances before this one may have lost records to overwriting */
  uint64_t whole_after; /* as may those that began before this tick */
  bool has_last;
  uint32_t last; /* of a store that was not closed: instances from here on may lack an end */
};

struct recording {
  VECTOR(struct recorded_store) stores;
  VECTOR(struct conform_event)
  events;                    /* .source: the store's place in the high 16 bits, the writer
                              * in the low 16 */
  struct arena arena;        /* texts of events */
  struct text unpaired;      /* what pairings could not pair (left_over_tell), a line each */
  struct left_over doubtful; /* of which these may have ended; its other parts are unused */
  bool one_clock, has_requests;
  int64_t reading_ns; /* resolution and cost of a reading of the worst clock: the usual slack */
  int64_t rounding_ns;
  uint64_t rate_ppb;
  uint64_t base, rate; /* ticks of time 0; ns per tick in 2^-32 */
};

void recording_init(struct recording *recording);
void recording_clear(struct recording *recording);

/* Reads the stores at the paths: files, or folders with files that end in ".tps". Only requests
 * with the name `request` count, which some store must have; NULL: all. Not STATUS_OK: with one
 * line in `message` that names the file and the remedy. */
enum status recording_read(struct recording *recording, const struct interpreter *interpreter,
                           const char *const *paths, size_t count, const char *request,
                           struct text *message);

/* Whether parts of the instance, which starts with `first` and has `count` events, may have been
 * overwritten; whether it may lack an end, since a process did not close its store. */
bool recording_lacks_beginning(const struct recording *recording, const struct conform_event *first,
                               size_t count);
bool recording_may_lack_end(const struct recording *recording, uint32_t instance);

const struct recorded_store *recording_store(const struct recording *recording,
                                             const struct conform_event *event);

#endif
