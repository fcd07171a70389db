/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads what `perf script` prints, by the rules of stackcollapse-perf.pl (Gregg, FlameGraph): the
 * same stacks with the same counts. A sample ends with an empty line; one that the file's end cuts
 * off is not counted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/stacks/known.h"
#include "trace/stacks/order.h"
#include "trace/stacks/perf_header.h"
#include "trace/stacks/perf_symbol.h"
#include "trace/stacks/readers.h"
#include "trace/stacks/threads.h"

enum { LINES_MOST = 32 << 20 }; /* bytes of them that are kept */

struct perf_reader {
  struct stack_intake *intake;
  struct stack_thread_table threads;
  struct text event;             /* the first one; others are left out */
  bool within, untimed, weighed; /* within a sample; some have no moment; some have a period */
  bool java;
  struct perf_header header;      /* of the sample; its texts are gone */
  uint32_t first, thread;         /* its outermost frame, its thread */
  VECTOR(uint32_t) frames;        /* innermost first */
  VECTOR(uint32_t) before, nodes; /* the stack of the last sample, outermost first */
  struct perf_symbol symbol;
  struct stack_known lines[2]; /* of frames, with the frame of each; [1]: of Java */
  uint64_t samples;
};

static uint32_t first_frame(struct perf_reader *reader, const struct perf_header *header) {
  struct stack_profile *profile = reader->intake->profile;
  struct text text;
  text_init(&text);
  text_append_bytes(&text, header->command.start, header->command.length);
  for (size_t i = 0; i < text.length; i++)
    if (text.data[i] == ' ')
      text.data[i] = '_';
  enum stack_first first = reader->intake->reading->first;
  if (first != STACK_FIRST_COMMAND && header->process == 0)
    text_append(&text, "-?");
  else if (first != STACK_FIRST_COMMAND)
    text_format(&text, "-%" PRIu32, header->process);
  if (first == STACK_FIRST_THREAD)
    text_format(&text, "/%" PRIu32, header->thread);
  struct stack_frame frame = {.kind = FRAME_THREAD};
  frame.function = names_number(&profile->names, (struct slice){text.data, text.length});
  text_clear(&text);
  return stack_profile_frame(profile, &frame);
}

/* Whether the event is the one that counts. */
static bool is_wanted(struct perf_reader *reader, struct slice event) {
  if (event.length == 0)
    return true;
  if (reader->event.length == 0)
    text_append_bytes(&reader->event, event.start, event.length);
  return reader->event.length == event.length &&
         memcmp(reader->event.data, event.start, event.length) == 0;
}

static void begin(struct perf_reader *reader, const struct perf_header *header) {
  struct stack_profile *profile = reader->intake->profile;
  reader->within = false;
  profile->lost += header->lost;
  if (header->lost != 0 || !is_wanted(reader, header->event))
    return;
  reader->within = true;
  reader->header = *header;
  reader->frames.count = 0;
  reader->first = first_frame(reader, header);
  reader->java = header->command.length >= 4 && memcmp(header->command.start, "java", 4) == 0;
  reader->thread = stack_thread_number(&reader->threads, profile, header->process, header->thread,
                                       names_number(&profile->names, header->command));
}

/* A line may be several frames, as functions that are part of another are named behind it. */
static void take_new_line(struct perf_reader *reader, struct slice line) {
  struct stack_profile *profile = reader->intake->profile;
  bool addresses = reader->intake->reading->addresses;
  size_t first = reader->frames.count, last;
  if (!perf_symbol_parse(&reader->symbol, line))
    return;
  struct slice name;
  for (bool inlined = false; perf_symbol_next(&reader->symbol, &name); inlined = true) {
    struct stack_frame frame = {0};
    perf_symbol_frame(&reader->symbol, name, inlined, reader->java, addresses, &profile->names,
                      &frame);
    vector_push(&reader->frames, stack_profile_frame(profile, &frame));
  }
  for (last = reader->frames.count; last > first + 1; first++) { /* innermost first */
    uint32_t outer = reader->frames.data[first];
    reader->frames.data[first] = reader->frames.data[--last];
    reader->frames.data[last] = outer;
  }
}

/* Most lines are as one before them, and are not taken apart again. */
static void take_frame(struct perf_reader *reader, struct slice line) {
  uint64_t hash = 0;
  size_t first = reader->frames.count;
  uint32_t frame = stack_known_find(&reader->lines[reader->java], line, &hash);
  if (frame != UINT32_MAX) {
    vector_push(&reader->frames, frame);
    return;
  }
  take_new_line(reader, line);
  if (reader->frames.count == first + 1)
    stack_known_add(&reader->lines[reader->java], line, hash, reader->frames.data[first]);
}

/* The node of the sample's stack: outer frames that the one before has too are not looked up. */
static uint32_t node_of(struct perf_reader *reader) {
  struct stack_profile *profile = reader->intake->profile;
  size_t depth = reader->frames.count, at = 0;
  vector_push(&reader->frames, reader->first);
  while (at < reader->before.count && at <= depth &&
         reader->before.data[at] == reader->frames.data[depth - at])
    at++;
  reader->before.count = reader->nodes.count = at;
  for (uint32_t node = at == 0 ? 0 : reader->nodes.data[at - 1]; at <= depth; at++) {
    node = stack_profile_node(profile, node, reader->frames.data[depth - at]);
    vector_push(&reader->before, reader->frames.data[depth - at]);
    vector_push(&reader->nodes, node);
  }
  return reader->nodes.data[depth];
}

static uint64_t sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void finish(struct perf_reader *reader) {
  struct stack_profile *profile = reader->intake->profile;
  if (!reader->within)
    return;
  reader->within = false;
  uint32_t node = node_of(reader);
  uint64_t weight = reader->header.period;
  stack_profile_add(profile, node, weight);
  struct stack_thread *thread = &profile->threads.data[reader->thread];
  thread->weight = sum(thread->weight, weight);
  profile->count = sum(profile->count, 1);
  profile->heaviest = weight > profile->heaviest ? weight : profile->heaviest;
  reader->samples++;
  reader->weighed |= reader->header.period != 1;
  reader->untimed |= !reader->header.timed;
  if (!reader->untimed)
    vector_push(&profile->samples,
                (struct stack_sample){reader->header.time, reader->thread, node, weight});
}

static void take(struct perf_reader *reader, struct slice line) {
  struct perf_header header;
  if (line.length == 0)
    finish(reader);
  else if (line.start[0] == '#')
    return;
  else if (perf_header_parse(&header, line))
    begin(reader, &header);
  else if (reader->within)
    take_frame(reader, line);
}

/* Periods of software clocks are nanoseconds. */
static enum stack_unit unit_of(const struct perf_reader *reader) {
  const char *event = text_get(&reader->event);
  if (!reader->weighed)
    return STACK_SAMPLES;
  return strncmp(event, "cpu-clock", 9) == 0 || strncmp(event, "task-clock", 10) == 0
             ? STACK_NANOSECONDS
             : STACK_PERIODS;
}

/* What the file says of all samples; `before` samples were there before it was read. */
static void conclude(struct perf_reader *reader, size_t before) {
  struct stack_profile *profile = reader->intake->profile;
  if (profile->event == 0 && reader->event.length != 0)
    profile->event =
        names_number(&profile->names, (struct slice){reader->event.data, reader->event.length});
  if (profile->count == reader->samples)
    profile->unit = unit_of(reader);
  if (reader->untimed || (before == 0 && profile->count != reader->samples))
    profile->samples.count = 0;
  stack_samples_sort(profile);
  if (profile->samples.count != 0) {
    profile->start = profile->samples.data[0].time;
    profile->end = profile->samples.data[profile->samples.count - 1].time;
  }
}

enum status stack_read_perf(struct stack_intake *intake) {
  struct perf_reader reader = {.intake = intake,
                               .lines = {{.most = LINES_MOST}, {.most = LINES_MOST}}};
  size_t before = intake->profile->samples.count;
  struct slice line;
  bool more;
  enum status status;
  for (;;) {
    status = stack_lines_next(intake->lines, &line, &more, intake->message);
    if (status != STATUS_OK || !more)
      break;
    take(&reader, line);
  }
  if (status == STATUS_OK && reader.samples == 0) {
    text_format(intake->message,
                "%s: holds no sample; print it with `perf script`, without -F or --fields",
                intake->lines->name);
    status = STATUS_DATA;
  }
  conclude(&reader, before);
  text_clear(&reader.event);
  vector_clear(&reader.frames);
  vector_clear(&reader.before);
  vector_clear(&reader.nodes);
  stack_known_clear(&reader.lines[0]);
  stack_known_clear(&reader.lines[1]);
  perf_symbol_clear(&reader.symbol);
  stack_thread_table_clear(&reader.threads);
  return status;
}
