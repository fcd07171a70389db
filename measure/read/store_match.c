/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Logs, histograms and clocks of one store held against each other: what was cut off at the joint
 * of two segments leaves no other trace, and a rate that is wrong makes durations too short.
 */
#include <stdlib.h>
#include <string.h>

#include "measure/core/ticks.h"
#include "measure/read/store_load.h"

/* What two readings of one moment may be apart, and how far CLOCK_MONOTONIC may be slewed from the
 * rate it had during the calibration: Linux does so by at most 500 ppm. */
#define MOMENT_NS UINT64_C(20000000)
#define SLEW_PARTS 1000
#define WIDEST_PARTS 1000

static struct histogram *find_histogram(const struct store_reader *reader, uint32_t writer,
                                        uint32_t name) {
  for (size_t i = reader->log_count; i < reader->segment_count; i++) {
    const struct format_segment *header = &reader->segments[i].header;
    if (header->writer == writer && header->name == name)
      return reader->segments[i].histogram;
  }
  return NULL;
}

/* Recordings of the name in the log that its writer's histogram lacks. */
static uint64_t uncounted(const struct store_reader *reader, uint32_t writer, uint32_t name,
                          uint64_t recorded) {
  if (recorded == 0 || reader->names[name].series[0] == '\0')
    return 0;
  const struct histogram *histogram = find_histogram(reader, writer, name);
  uint64_t counted = histogram == NULL ? 0 : histogram->total;
  return recorded > counted ? recorded - counted : 0;
}

/* A recording goes to the histogram after it went to the log: the log's latest may still have been
 * on its way when the process ended, or when the copy was made. */
static int complete_latest(const struct store_reader *reader, const struct store_segment *log) {
  struct record latest;
  if (reader->header.mutable.closed != 0 || log->last < log->first ||
      !store_load_record(reader, log, log->last, &latest))
    return 0;
  struct histogram *histogram = find_histogram(reader, log->header.writer, latest.name);
  return histogram != NULL &&
         histogram_record(histogram,
                          ticks_to_ns_up(latest.end - latest.start, reader->header.ns_per_tick_up));
}

static void match_log(struct store_reader *reader, const struct store_segment *log) {
  uint64_t recorded[FORMAT_NAMES_MAX] = {0}, missing = 0;
  uint32_t writer = log->header.writer;
  struct record latest = {0};
  for (uint64_t p = log->first; p <= log->last; p++)
    if (store_load_record(reader, log, p, &latest))
      recorded[latest.name]++;
  for (uint32_t name = 0; name < reader->facts.names; name++)
    missing += uncounted(reader, writer, name, recorded[name]);
  if (missing == 1 && uncounted(reader, writer, latest.name, recorded[latest.name]) == 1 &&
      complete_latest(reader, log))
    return;
  reader->facts.torn += missing;
  if (missing != 0)
    reader->facts.damaged = 1;
}

void store_match_counts(struct store_reader *reader) {
  for (size_t i = 0; i < reader->log_count; i++)
    match_log(reader, &reader->segments[i]);
}

int store_match_rates(const struct format_header *header) {
  uint64_t up = header->ns_per_tick_up, down = header->ns_per_tick_down;
  if (header->clock == 1)
    return up == TICKS_RATE_ONE && down == TICKS_RATE_ONE;
  return up - down <= up / WIDEST_PARTS;
}

int store_match_clocks(const struct format_header *header) {
  const struct format_mutable *end = &header->mutable;
  if (end->end_ticks == 0 && end->end_monotonic_ns == 0)
    return 1; /* not known */
  if (end->end_ticks < header->start_ticks || end->end_monotonic_ns < header->start_monotonic_ns)
    return 0;
  uint64_t ticks = end->end_ticks - header->start_ticks;
  uint64_t passed = end->end_monotonic_ns - header->start_monotonic_ns;
  uint64_t least = ticks_to_ns_down(ticks, header->ns_per_tick_down);
  uint64_t most = ticks_to_ns_up(ticks, header->ns_per_tick_up);
  uint64_t slack = MOMENT_NS + passed / SLEW_PARTS;
  return passed <= most + slack && least <= passed + slack;
}
