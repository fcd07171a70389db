/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads what `jfr print` writes of a recording of Java: of all events those of
 * jdk.ExecutionSample, each a sample of a thread that runs. Where it printed less than the whole
 * stack ("..."; of 5 frames it may be the whole) or the recording has no more, the outermost frame
 * is [unknown].
 */
#include <string.h>

#include "trace/stacks/readers.h"
#include "trace/stacks/values.h"

enum jfr_place { JFR_BETWEEN, JFR_OTHER /* event */, JFR_SAMPLE, JFR_STACK };

struct jfr_reader {
  struct stack_intake *intake;
  enum jfr_place place;
  VECTOR(uint32_t) frames; /* innermost first */
  bool cut;
  uint64_t samples, cuts, others;
};

static uint32_t frame_of(struct stack_profile *profile, struct slice name) {
  struct stack_frame frame = {.kind = FRAME_USER};
  frame.function = name.length == 0 ? 0 : names_number(&profile->names, name);
  return stack_profile_frame(profile, &frame);
}

/* `J.fib(int) line: 3`, in older versions `J.fib(int) line:3`. */
static void take_frame(struct jfr_reader *reader, struct slice line) {
  static const char place[] = " line:";
  const size_t length = sizeof place - 1;
  if (slice_is(line, "...")) {
    reader->cut = true;
    return;
  }
  for (size_t i = line.length; i >= length; i--)
    if (memcmp(line.start + i - length, place, length) == 0) {
      line.length = i - length;
      break;
    }
  vector_push(&reader->frames, frame_of(reader->intake->profile, slice_trim(line)));
}

static void finish(struct jfr_reader *reader) {
  struct stack_profile *profile = reader->intake->profile;
  uint32_t node = 0;
  if (reader->cut)
    node = stack_profile_node(profile, 0, frame_of(profile, (struct slice){"", 0}));
  for (size_t i = reader->frames.count; i > 0; i--)
    node = stack_profile_node(profile, node, reader->frames.data[i - 1]);
  stack_profile_add(profile, node, 1);
  reader->samples++;
  reader->cuts += reader->cut;
}

static void take(struct jfr_reader *reader, struct slice line) {
  struct slice text = slice_trim(line);
  switch (reader->place) {
  case JFR_BETWEEN:
    if (text.length == 0 || text.start[text.length - 1] != '{')
      break;
    reader->place = slice_is(text, "jdk.ExecutionSample {") ? JFR_SAMPLE : JFR_OTHER;
    reader->others += reader->place == JFR_OTHER;
    reader->frames.count = 0;
    reader->cut = false;
    break;
  case JFR_STACK:
    if (slice_is(text, "]"))
      reader->place = JFR_SAMPLE;
    else if (text.length != 0)
      take_frame(reader, text);
    break;
  case JFR_SAMPLE:
  case JFR_OTHER:
    if (reader->place == JFR_SAMPLE && slice_is(text, "stackTrace = ["))
      reader->place = JFR_STACK;
    else if (line.length == 1 && line.start[0] == '}') {
      if (reader->place == JFR_SAMPLE)
        finish(reader);
      reader->place = JFR_BETWEEN;
    }
  }
}

static enum status conclude(struct jfr_reader *reader, uint64_t before) {
  struct stack_profile *profile = reader->intake->profile;
  struct stack_unit_line said = {.unit = STACK_SAMPLES,
                                 .samples = reader->samples,
                                 .heaviest = 1,
                                 .torn = reader->place != JFR_BETWEEN,
                                 .event = {"", 0}};
  if (reader->samples == 0) {
    text_format(reader->intake->message,
                "%s: holds no jdk.ExecutionSample; print it with jfr print --events "
                "jdk.ExecutionSample --stack-depth 1000 RECORDING.jfr",
                reader->intake->lines->name);
    return STATUS_DATA;
  }
  if (!stack_unit_take(profile, &said, before)) {
    text_format(reader->intake->message, "%s: %s", reader->intake->lines->name, STACK_UNIT_DIFFERS);
    return STATUS_DATA;
  }
  struct text cut = {0};
  if (reader->cuts != 0)
    text_format(
        &cut,
        "outer callers of %llu of %llu stacks, which jfr print --stack-depth 1000 or a recording "
        "with -XX:FlightRecorderOptions=stackdepth=1000 may have",
        (unsigned long long)reader->cuts, (unsigned long long)reader->samples);
  if (cut.length != 0)
    stack_left_out(profile, cut.data);
  text_clear(&cut);
  return STATUS_OK;
}

enum status stack_read_jfr_text(struct stack_intake *intake) {
  struct jfr_reader reader = {.intake = intake};
  uint64_t before = intake->profile->total;
  struct slice line;
  bool more;
  enum status status;
  while ((status = stack_lines_next(intake->lines, &line, &more, intake->message)) == STATUS_OK &&
         more)
    take(&reader, line);
  if (status == STATUS_OK)
    status = conclude(&reader, before);
  vector_clear(&reader.frames);
  return status;
}
