/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads files of speedscope (https://www.speedscope.app/file-format-schema.json): `sampled` profiles
 * have stacks and their weights, `evented` ones moments at which functions begin and end, and what
 * lies between two moments is the weight of the stack then. How many samples there were is in
 * neither; ours say it behind their exporter's name (trace/stacks/unit.h).
 *
 * Of several profiles in a file, which are mostly threads, each is below a frame of its name.
 */
#include <inttypes.h>
#include <string.h>

#include "trace/stacks/document.h"
#include "trace/stacks/frame.h"

struct speedscope_reader {
  struct stack_intake *intake;
  struct json json;
  VECTOR(uint32_t) frames; /* in the profile, by number in the file */
  VECTOR(size_t) open;     /* of an evented profile: the frames that are open, */
  VECTOR(uint32_t) nodes;  /* and the nodes of them and what is open before */
  uint32_t root;           /* the node that stacks are below */
  int shift;               /* of numbers, in decimals, to make ns of them */
  enum stack_unit unit;
  size_t profile; /* value */
  bool evented;   /* one of them is */
  struct stack_numbers numbers;
};

static const struct speedscope_unit {
  const char *word;
  enum stack_unit unit;
  int shift;
} units[] = {
    {"none", STACK_SAMPLES, 0},
    {"nanoseconds", STACK_NANOSECONDS, 0},
    {"microseconds", STACK_NANOSECONDS, 3},
    {"milliseconds", STACK_NANOSECONDS, 6},
    {"seconds", STACK_NANOSECONDS, 9},
    {"bytes", STACK_PERIODS, 0},
};

static enum status fail(struct speedscope_reader *reader, size_t value, const char *what) {
  return stack_document_fail(reader->intake, &reader->json, value, "%s", what);
}

static size_t member(const struct speedscope_reader *reader, size_t object, const char *key) {
  return json_find(&reader->json, object, key, NULL);
}

static bool is_kind(const struct speedscope_reader *reader, size_t value, enum json_kind kind) {
  return value != JSON_NONE && reader->json.values.data[value].kind == kind;
}

static enum status take_frames(struct speedscope_reader *reader) {
  struct stack_profile *profile = reader->intake->profile;
  size_t list = member(reader, member(reader, 0, "shared"), "frames");
  if (!is_kind(reader, list, JSON_LIST))
    return fail(reader, list, "shared.frames is no list of frames, as speedscope writes it");
  for (size_t at = json_first(&reader->json, list); at != JSON_NONE;
       at = json_next(&reader->json, list, at)) {
    uint32_t name = stack_document_name(reader->intake, &reader->json, member(reader, at, "name"));
    struct slice text = profile->names.texts.data[name];
    struct stack_frame frame = {.kind = stack_frame_unmark(&text)};
    frame.function = names_number(&profile->names, text);
    frame.module = stack_document_name(reader->intake, &reader->json, member(reader, at, "file"));
    vector_push(&reader->frames, stack_profile_frame(profile, &frame));
  }
  return STATUS_OK;
}

static bool take_frame(const struct speedscope_reader *reader, size_t value, uint64_t *number) {
  return stack_document_whole(&reader->json, value, number) && *number < reader->frames.count;
}

static enum status add(struct speedscope_reader *reader, uint32_t node, uint64_t weight) {
  enum status status = reader->unit == STACK_SAMPLES && !reader->evented
                           ? stack_intake_weigh(reader->intake, &weight)
                           : STATUS_OK;
  if (status != STATUS_OK)
    return status;
  stack_profile_add(reader->intake->profile, node, weight);
  stack_numbers_add(&reader->numbers, weight);
  return STATUS_OK;
}

/* --- stacks and their weights --- */

static enum status take_stack(struct speedscope_reader *reader, size_t stack, size_t weight) {
  uint64_t frame, number;
  uint32_t node = reader->root;
  for (size_t at = json_first(&reader->json, stack); at != JSON_NONE;
       at = json_next(&reader->json, stack, at)) {
    if (!take_frame(reader, at, &frame))
      return fail(reader, at, "a stack names a frame that shared.frames does not have");
    node = stack_profile_node(reader->intake->profile, node, reader->frames.data[frame]);
  }
  bool whole = reader->unit != STACK_NANOSECONDS;
  if (whole ? !stack_document_whole(&reader->json, weight, &number)
            : !stack_document_scaled(&reader->json, weight, reader->shift, &number))
    return fail(reader, weight,
                whole ? "a weight without a unit is no whole number from 0; write the profile "
                        "with its unit, \"milliseconds\""
                      : "a weight is no number from 0");
  return add(reader, node, number);
}

static enum status take_sampled(struct speedscope_reader *reader) {
  size_t samples = member(reader, reader->profile, "samples");
  size_t weights = member(reader, reader->profile, "weights");
  enum status status = STATUS_OK;
  if (!is_kind(reader, samples, JSON_LIST) || !is_kind(reader, weights, JSON_LIST))
    return fail(reader, reader->profile, "a sampled profile has no samples, or no weights");
  size_t stack = json_first(&reader->json, samples), weight = json_first(&reader->json, weights);
  while (status == STATUS_OK && stack != JSON_NONE && weight != JSON_NONE) {
    status = is_kind(reader, stack, JSON_LIST) ? take_stack(reader, stack, weight)
                                               : fail(reader, stack, "a stack is no list");
    stack = json_next(&reader->json, samples, stack);
    weight = json_next(&reader->json, weights, weight);
  }
  if (status == STATUS_OK && stack != weight)
    return fail(reader, reader->profile, "a profile has more samples than weights, or fewer");
  return status;
}

/* --- moments --- */

static bool is_time(struct speedscope_reader *reader, size_t value, uint64_t *time) {
  return reader->unit == STACK_NANOSECONDS
             ? stack_document_scaled(&reader->json, value, reader->shift, time)
             : stack_document_whole(&reader->json, value, time);
}

static uint32_t innermost(const struct speedscope_reader *reader) {
  return reader->nodes.data[reader->nodes.count - 1];
}

static enum status take_event(struct speedscope_reader *reader, size_t event) {
  size_t type = member(reader, event, "type"), frame = member(reader, event, "frame");
  uint64_t number;
  if (!take_frame(reader, frame, &number))
    return fail(reader, event, "an event names no frame of shared.frames");
  if (stack_document_is(&reader->json, type, "O")) {
    vector_push(&reader->open, number);
    vector_push(&reader->nodes, stack_profile_node(reader->intake->profile, innermost(reader),
                                                   reader->frames.data[number]));
    return STATUS_OK;
  }
  if (!stack_document_is(&reader->json, type, "C"))
    return fail(reader, event, "an event neither opens nor closes a frame");
  if (reader->open.count == 0 || reader->open.data[reader->open.count - 1] != number)
    return fail(reader, event, "an event closes a frame that is not the innermost one");
  reader->open.count--;
  reader->nodes.count--;
  return STATUS_OK;
}

static enum status pass(struct speedscope_reader *reader, uint64_t *last, uint64_t now,
                        size_t event) {
  if (now < *last)
    return fail(reader, event, "an event comes before the one that stands before it");
  uint64_t weight = now - *last;
  *last = now;
  return reader->open.count == 0 ? STATUS_OK : add(reader, innermost(reader), weight);
}

static enum status take_evented(struct speedscope_reader *reader) {
  size_t events = member(reader, reader->profile, "events");
  uint64_t last = 0, now;
  enum status status = STATUS_OK;
  reader->evented = true;
  reader->open.count = reader->nodes.count = 0;
  vector_push(&reader->nodes, reader->root);
  if (!is_kind(reader, events, JSON_LIST))
    return fail(reader, reader->profile, "an evented profile has no events");
  for (size_t at = json_first(&reader->json, events); at != JSON_NONE && status == STATUS_OK;
       at = json_next(&reader->json, events, at)) {
    if (!is_time(reader, member(reader, at, "at"), &now))
      return fail(reader, at, "an event is at no time from 0");
    status = pass(reader, &last, now, at);
    if (status == STATUS_OK)
      status = take_event(reader, at);
  }
  size_t end = member(reader, reader->profile, "endValue");
  if (status == STATUS_OK && reader->open.count != 0 && is_time(reader, end, &now))
    status = pass(reader, &last, now, end);
  return status;
}

/* --- all profiles of the file --- */

static enum status take_unit(struct speedscope_reader *reader, bool first) {
  size_t unit = member(reader, reader->profile, "unit");
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (stack_document_is(&reader->json, unit, units[i].word)) {
      if (!first && reader->unit != units[i].unit)
        return fail(reader, unit,
                    "its profiles are of several units; keep one with `tailproof profile show FILE "
                    "--event NAME --format folded --out NAME.folded`, NAME being a profile's name");
      reader->unit = units[i].unit;
      reader->shift = units[i].shift;
      return STATUS_OK;
    }
  return fail(reader, unit, "a profile is of a unit that speedscope does not have");
}

static enum status take_profile(struct speedscope_reader *reader, bool first, bool alone) {
  struct stack_profile *profile = reader->intake->profile;
  enum status status = take_unit(reader, first);
  if (status != STATUS_OK)
    return status;
  reader->root = 0;
  if (!alone) {
    struct stack_frame frame = {.kind = FRAME_THREAD};
    frame.function =
        stack_document_name(reader->intake, &reader->json, member(reader, reader->profile, "name"));
    reader->root = stack_profile_node(profile, 0, stack_profile_frame(profile, &frame));
  }
  size_t type = member(reader, reader->profile, "type");
  if (stack_document_is(&reader->json, type, "sampled"))
    return take_sampled(reader);
  if (stack_document_is(&reader->json, type, "evented"))
    return take_evented(reader);
  return fail(reader, reader->profile, "a profile is neither sampled nor evented");
}

/* What our own says of its numbers, behind the exporter's name. */
static bool says_unit(struct speedscope_reader *reader, struct stack_unit_line *said) {
  uint32_t name = stack_document_name(reader->intake, &reader->json, member(reader, 0, "exporter"));
  struct slice text = reader->intake->profile->names.texts.data[name];
  const char *at = stack_find(text, "# unit=");
  return at != NULL &&
         stack_unit_read(said, (struct slice){at, text.length - (size_t)(at - text.start)});
}

static enum status conclude(struct speedscope_reader *reader, uint64_t before) {
  struct stack_profile *profile = reader->intake->profile;
  struct stack_unit_line said;
  if (says_unit(reader, &said)) {
    profile->lost += said.lost;
    profile->throttled += said.throttled;
    profile->pruned += said.pruned;
    profile->unseen += said.unseen;
  } else if (reader->unit == STACK_SAMPLES && reader->evented) {
    said = (struct stack_unit_line){.unit = STACK_WEIGHTS, .event = {"", 0}};
  } else if (reader->unit == STACK_SAMPLES) {
    said = stack_numbers_say(&reader->numbers, &reader->intake->reading->weight);
  } else {
    bool time = reader->unit == STACK_NANOSECONDS;
    said = (struct stack_unit_line){.unit = reader->unit,
                                    .event = {time ? "time" : "bytes", time ? 4 : 5}};
  }
  return stack_unit_take(profile, &said, before) ? STATUS_OK
                                                 : fail(reader, JSON_NONE, STACK_UNIT_DIFFERS);
}

static enum status take_all(struct speedscope_reader *reader) {
  size_t profiles = member(reader, 0, "profiles"), count = 0;
  const char *wanted = reader->intake->reading->event;
  uint64_t before = reader->intake->profile->total;
  enum status status = take_frames(reader);
  if (status != STATUS_OK)
    return status;
  if (!is_kind(reader, profiles, JSON_LIST))
    return fail(reader, profiles, "has no list of profiles, as speedscope writes it");
  size_t first = json_first(&reader->json, profiles);
  bool alone = first == JSON_NONE || wanted != NULL ||
               json_next(&reader->json, profiles, first) == JSON_NONE;
  for (size_t at = first; at != JSON_NONE && status == STATUS_OK;
       at = json_next(&reader->json, profiles, at)) {
    if (wanted != NULL && !stack_document_is(&reader->json, member(reader, at, "name"), wanted))
      continue;
    reader->profile = at;
    status = take_profile(reader, count++ == 0, alone);
  }
  if (status == STATUS_OK && wanted != NULL && count == 0)
    return fail(reader, JSON_NONE, "none of its profiles has the name that --event wants");
  return status == STATUS_OK ? conclude(reader, before) : status;
}

enum status stack_read_speedscope(struct stack_intake *intake) {
  struct speedscope_reader reader = {.intake = intake};
  enum status status = stack_document_parse(intake, &reader.json);
  if (status == STATUS_OK)
    status = take_all(&reader);
  json_clear(&reader.json);
  vector_clear(&reader.frames);
  vector_clear(&reader.open);
  vector_clear(&reader.nodes);
  return status;
}
