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

/* An event of which there are samples. */
struct perf_event {
  uint32_t name; /* of the profile's names */
  uint64_t samples;
};

struct perf_reader {
  struct stack_intake *intake;
  struct stack_thread_table threads;
  VECTOR(struct perf_event) events;
  bool within, untimed, weighed; /* within a sample; some have no moment; some have a period */
  bool java;
  struct perf_header header;      /* of the sample; its texts are gone */
  uint32_t first, thread;         /* its outermost frame, its thread */
  VECTOR(uint32_t) frames;        /* innermost first */
  VECTOR(uint32_t) before, nodes; /* the stack of the last sample, outermost first */
  struct perf_symbol symbol;
  struct stack_known lines[2]; /* of frames, with the frame of each; [1]: of Java */
  uint64_t samples;
  uint64_t bare; /* samples of one line, without a stack */
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

/* Counts a sample of the event, and says whether it is one that is asked for. */
static bool is_wanted(struct perf_reader *reader, struct slice event) {
  const char *wanted = reader->intake->reading->event;
  if (event.length == 0)
    return wanted == NULL;
  uint32_t name = names_number(&reader->intake->profile->names, event);
  size_t i = 0;
  while (i < reader->events.count && reader->events.data[i].name != name)
    i++;
  if (i == reader->events.count)
    vector_push(&reader->events, (struct perf_event){name, 0});
  reader->events.data[i].samples++;
  return wanted == NULL ? i == 0 : slice_is(event, wanted);
}

static void begin(struct perf_reader *reader, const struct perf_header *header) {
  struct stack_profile *profile = reader->intake->profile;
  reader->bare += reader->within && reader->header.more && reader->frames.count == 0;
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
  else if (perf_header_parse(&header, slice_trim(line)))
    reader->bare += header.timed && header.more; /* its command stands at the right */
}

/* The event of the samples; 0: not said. */
static uint32_t event_of(const struct perf_reader *reader) {
  const char *wanted = reader->intake->reading->event;
  if (wanted != NULL)
    return names_find(&reader->intake->profile->names, (struct slice){wanted, strlen(wanted)});
  return reader->events.count == 0 ? 0 : reader->events.data[0].name;
}

/* Periods of software clocks are nanoseconds. */
static enum stack_unit unit_of(const struct perf_reader *reader) {
  const char *event = names_text(&reader->intake->profile->names, event_of(reader));
  if (!reader->weighed)
    return STACK_SAMPLES;
  return strncmp(event, "cpu-clock", 9) == 0 || strncmp(event, "task-clock", 10) == 0
             ? STACK_NANOSECONDS
             : STACK_PERIODS;
}

/* --- what is refused --- */

static void list_events(const struct perf_reader *reader, struct text *text) {
  for (size_t i = 0; i < reader->events.count; i++)
    text_format(text, "%s%s (%llu)", i == 0 ? "" : ", ",
                names_text(&reader->intake->profile->names, reader->events.data[i].name),
                (unsigned long long)reader->events.data[i].samples);
}

/* Weights of several events mean nothing together, and one of them alone is not the whole. */
static enum status check(const struct perf_reader *reader) {
  const struct stack_intake *intake = reader->intake;
  const char *wanted = intake->reading->event, *name = intake->lines->name;
  bool several = wanted == NULL && reader->events.count > 1;
  if (reader->samples != 0 && !several)
    return STATUS_OK;
  if (several)
    text_format(intake->message,
                "%s: holds samples of several events, which are not added up: ", name);
  else if (wanted != NULL && reader->events.count != 0 && event_of(reader) == 0)
    text_format(intake->message, "%s: holds no sample of --event %s, but of ", name, wanted);
  else if (reader->bare != 0)
    text_format(intake->message,
                "%s: its samples have no stacks, only one line each; record with `perf record -g`",
                name);
  else if (reader->within)
    text_format(intake->message,
                "%s: no empty line stands behind its only sample, so that outer callers may be "
                "missing; put one there if it is whole",
                name);
  else
    text_format(intake->message,
                "%s: holds no sample; print it with `perf script`, without -F or --fields", name);
  if (several || (wanted != NULL && reader->events.count != 0 && event_of(reader) == 0))
    list_events(reader, intake->message);
  if (several)
    text_append(intake->message, "; keep one with `tailproof profile show FILE --event NAME "
                                 "--format pprof --out NAME.pb.gz`");
  return STATUS_DATA;
}

/* What the file says of all samples; `before` samples were there before it was read. */
static void conclude(struct perf_reader *reader, size_t before) {
  struct stack_profile *profile = reader->intake->profile;
  if (profile->event == 0)
    profile->event = event_of(reader);
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
                               .symbol = {.whole = intake->reading->signatures},
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
  reader.bare += reader.within && reader.header.more && reader.frames.count == 0;
  if (status == STATUS_OK)
    status = check(&reader);
  conclude(&reader, before);
  vector_clear(&reader.events);
  vector_clear(&reader.frames);
  vector_clear(&reader.before);
  vector_clear(&reader.nodes);
  stack_known_clear(&reader.lines[0]);
  stack_known_clear(&reader.lines[1]);
  perf_symbol_clear(&reader.symbol);
  stack_thread_table_clear(&reader.threads);
  return status;
}
