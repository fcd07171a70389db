/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads profiles of google/pprof: first the tables, which may stand anywhere in the file, then the
 * samples (trace/stacks/pprof.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/wire.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/order.h"
#include "trace/stacks/pprof.h"
#include "trace/stacks/readers.h"
#include "trace/stacks/threads.h"

/* A row of a table, known by its id. */
struct pprof_row {
  uint64_t id;
  uint64_t a, b; /* function: name, system name; location: mapping, address; mapping: file, start */
  uint64_t offset;    /* mapping */
  struct slice lines; /* location: the message, for its lines */
};

typedef VECTOR(struct pprof_row) pprof_rows;

struct pprof_reader {
  struct stack_intake *intake;
  VECTOR(struct slice) strings;
  pprof_rows functions, locations, mappings;
  VECTOR(struct slice) types;
  VECTOR(uint64_t) comments;
  VECTOR(uint32_t) frames; /* of one sample, innermost first */
  uint64_t default_type;
  size_t value;   /* which of a sample's values counts */
  size_t counter; /* which is a number of samples; SIZE_MAX: none */
  uint64_t count;
  bool counted; /* a comment says how many samples there were */
  uint64_t heaviest, rate, assumed,
      torn;          /* that it says; and what samples that are counted weigh */
  uint64_t negative; /* samples whose value is below 0 */
  bool untimed;
  struct stack_thread_table threads;
};

/* A field that is one number, or 0. */
static struct pprof_row take_row(struct slice message, const uint32_t fields[4]) {
  struct wire_message wire = {.left = message};
  struct wire_field field;
  struct pprof_row row = {.lines = message};
  uint64_t *const values[] = {&row.id, &row.a, &row.b, &row.offset};
  while (wire_next(&wire, &field))
    for (size_t i = 0; i < 4; i++)
      if (field.kind == WIRE_NUMBER && field.number == fields[i])
        *values[i] = field.value;
  return row;
}

static void take_table(struct pprof_reader *reader, const struct wire_field *field) {
  static const uint32_t function[4] = {FUNCTION_ID, FUNCTION_NAME, FUNCTION_SYSTEM_NAME,
                                       UINT32_MAX},
                        location[4] = {LOCATION_ID, LOCATION_MAPPING, LOCATION_ADDRESS, UINT32_MAX},
                        mapping[4] = {MAPPING_ID, MAPPING_FILE, MAPPING_START, MAPPING_OFFSET};
  switch (field->number) {
  case PROFILE_STRING:
    vector_push(&reader->strings, field->bytes);
    break;
  case PROFILE_FUNCTION:
    vector_push(&reader->functions, take_row(field->bytes, function));
    break;
  case PROFILE_LOCATION:
    vector_push(&reader->locations, take_row(field->bytes, location));
    break;
  case PROFILE_MAPPING:
    vector_push(&reader->mappings, take_row(field->bytes, mapping));
    break;
  case PROFILE_SAMPLE_TYPE:
    vector_push(&reader->types, field->bytes);
    break;
  default:
    break;
  }
}

static int compare_rows(const void *a, const void *b) {
  uint64_t x = ((const struct pprof_row *)a)->id, y = ((const struct pprof_row *)b)->id;
  return (x > y) - (x < y);
}

static const struct pprof_row *find(const pprof_rows *rows, uint64_t id) {
  struct pprof_row wanted = {.id = id};
  return rows->count == 0 || id == 0
             ? NULL
             : bsearch(&wanted, rows->data, rows->count, sizeof wanted, compare_rows);
}

static void sort_rows(pprof_rows *rows) {
  if (rows->count != 0)
    qsort(rows->data, rows->count, sizeof *rows->data, compare_rows);
}

static struct slice string_of(const struct pprof_reader *reader, uint64_t number) {
  if (number >= reader->strings.count)
    return (struct slice){"", 0};
  return reader->strings.data[number];
}

static bool has_mark(struct slice name, struct slice marked, const char *mark) {
  size_t length = strlen(mark);
  return marked.length == name.length + length &&
         (name.length == 0 || memcmp(marked.start, name.start, name.length) == 0) &&
         memcmp(marked.start + name.length, mark, length) == 0;
}

/* What the system name of a file of ours says; of others, what the module says. */
static enum frame_kind kind_of(struct slice name, struct slice marked, struct slice module) {
  static const char *const marks[] = {"_[k]", "_[j]", "_[i]", PPROF_MARK_THREAD};
  for (int i = 0; i < 4; i++)
    if (has_mark(name, marked, marks[i]))
      return (enum frame_kind)(FRAME_KERNEL + i);
  return module.length > 7 && memcmp(module.start, "[kernel", 7) == 0 ? FRAME_KERNEL : FRAME_USER;
}

static void push_frame(struct pprof_reader *reader, const struct pprof_row *location,
                       uint64_t function, bool inlined) {
  struct stack_profile *profile = reader->intake->profile;
  const struct pprof_row *mapping = find(&reader->mappings, location->a);
  const struct pprof_row *row = find(&reader->functions, function);
  struct slice module = string_of(reader, mapping == NULL ? 0 : mapping->a);
  struct slice name = string_of(reader, row == NULL ? 0 : row->a);
  struct stack_frame frame = {.function = names_number(&profile->names, name),
                              .module = names_number(&profile->names, module)};
  frame.kind = row == NULL ? FRAME_USER : kind_of(name, string_of(reader, row->b), module);
  if (inlined)
    frame.kind = FRAME_INLINED;
  if (frame.function == 0 && mapping != NULL)
    frame.offset = location->b - mapping->b + mapping->offset;
  else if (frame.function == 0)
    frame.offset = location->b;
  vector_push(&reader->frames, stack_profile_frame(profile, &frame));
}

/* A location is the functions of its lines, of which all but the last are part of it. */
static void push_location(struct pprof_reader *reader, uint64_t id) {
  const struct pprof_row *location = find(&reader->locations, id);
  if (location == NULL)
    return;
  struct wire_message wire = {.left = location->lines};
  struct wire_field field;
  uint64_t last = 0;
  bool any = false;
  while (wire_next(&wire, &field)) {
    if (field.kind != WIRE_BYTES || field.number != LOCATION_LINE)
      continue;
    static const uint32_t line[4] = {LINE_FUNCTION, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    if (any)
      push_frame(reader, location, last, true);
    last = take_row(field.bytes, line).id;
    any = true;
  }
  push_frame(reader, location, last, false);
}

struct pprof_sample {
  uint64_t value, counted;
  bool timed, negative;
  int64_t time;
  uint64_t process, thread;
  struct slice command;
};

static void take_label(const struct pprof_reader *reader, struct slice message,
                       struct pprof_sample *sample) {
  static const uint32_t label[4] = {LABEL_KEY, LABEL_NUMBER, LABEL_TEXT, LABEL_UNIT};
  struct pprof_row row = take_row(message, label);
  struct slice key = string_of(reader, row.id);
  if (slice_is(key, "time") && slice_is(string_of(reader, row.offset), "nanoseconds")) {
    sample->timed = true;
    sample->time = (int64_t)row.a;
  } else if (slice_is(key, "process"))
    sample->process = row.a;
  else if (slice_is(key, "thread"))
    sample->thread = row.a;
  else if (slice_is(key, "command"))
    sample->command = string_of(reader, row.b);
}

/* A list of numbers is packed, or a field for each. */
static void take_numbers(struct pprof_reader *reader, const struct wire_field *field, size_t *index,
                         struct pprof_sample *sample) {
  struct wire_message wire = {.left = field->bytes};
  uint64_t number = field->value;
  while (field->kind == WIRE_BYTES ? wire.left.length != 0 && wire_number(&wire, &number) : true) {
    if (field->number == SAMPLE_LOCATIONS)
      push_location(reader, number);
    else if (*index == reader->value) {
      sample->negative = number > INT64_MAX;
      sample->value = sample->negative ? 0 : number;
    }
    if (field->number == SAMPLE_VALUES && (*index)++ == reader->counter)
      sample->counted = number;
    if (field->kind != WIRE_BYTES)
      break;
  }
}

static uint64_t sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void add_sample(struct pprof_reader *reader, const struct pprof_sample *sample) {
  struct stack_profile *profile = reader->intake->profile;
  uint32_t node = 0;
  for (size_t i = reader->frames.count; i > 0; i--)
    node = stack_profile_node(profile, node, reader->frames.data[i - 1]);
  uint64_t weight = sample->value;
  stack_profile_add(profile, node, weight);
  reader->count = sum(reader->count, sample->counted);
  reader->negative += sample->negative;
  uint64_t each = sample->counted == 0 ? 0 : (weight - 1) / sample->counted + 1;
  reader->heaviest = weight != 0 && each > reader->heaviest ? each : reader->heaviest;
  reader->untimed |= !sample->timed;
  if (!sample->timed)
    return;
  uint32_t thread =
      stack_thread_number(&reader->threads, profile, (uint32_t)sample->process,
                          (uint32_t)sample->thread, names_number(&profile->names, sample->command));
  profile->threads.data[thread].weight = sum(profile->threads.data[thread].weight, weight);
  vector_push(&profile->samples, (struct stack_sample){sample->time, thread, node, weight});
}

static bool take_sample(struct pprof_reader *reader, struct slice message) {
  struct wire_message wire = {.left = message};
  struct wire_field field;
  struct pprof_sample sample = {.command = {"", 0}};
  size_t index = 0;
  reader->frames.count = 0;
  while (wire_next(&wire, &field))
    if (field.kind > WIRE_BYTES)
      continue; /* profiles have no numbers of fixed size */
    else if (field.number == SAMPLE_LOCATIONS || field.number == SAMPLE_VALUES)
      take_numbers(reader, &field, &index, &sample);
    else if (field.number == SAMPLE_LABEL && field.kind == WIRE_BYTES)
      take_label(reader, field.bytes, &sample);
  add_sample(reader, &sample);
  return !wire.broken;
}

/* The value that counts is the default one, or the last, as with `go tool pprof`. */
static void choose_value(struct pprof_reader *reader) {
  struct stack_profile *profile = reader->intake->profile;
  static const uint32_t type[4] = {TYPE_TYPE, TYPE_UNIT, UINT32_MAX, UINT32_MAX};
  struct slice name, unit = {"", 0}, chosen = {"", 0};
  reader->value = reader->types.count == 0 ? 0 : reader->types.count - 1;
  reader->counter = SIZE_MAX;
  for (size_t i = 0; i < reader->types.count; i++) {
    struct pprof_row row = take_row(reader->types.data[i], type);
    if (reader->default_type != 0 && row.id == reader->default_type)
      reader->value = i;
    if (slice_is(string_of(reader, row.id), "samples"))
      reader->counter = i;
  }
  if (reader->types.count != 0) {
    struct pprof_row row = take_row(reader->types.data[reader->value], type);
    chosen = string_of(reader, row.id);
    unit = string_of(reader, row.a);
  }
  name = chosen;
  if (profile->nodes.count > 1 || profile->total != 0)
    return; /* of a file before this one */
  profile->unit = slice_is(unit, "nanoseconds") ? STACK_NANOSECONDS
                  : slice_is(name, "samples")   ? STACK_SAMPLES
                  : slice_is(unit, "unknown")   ? STACK_WEIGHTS
                                                : STACK_PERIODS;
  bool clock = slice_is(name, "cpu") || slice_is(name, "samples");
  if (profile->unit == STACK_PERIODS || (profile->unit == STACK_NANOSECONDS && !clock))
    profile->event = names_number(&profile->names, name);
}

/* One `name=number` of our comment. */
static void take_count(struct pprof_reader *reader, struct slice word) {
  struct stack_profile *profile = reader->intake->profile;
  struct {
    const char *name;
    uint64_t *to;
  } const counts[] = {{"count=", &reader->count},
                      {"lost=", &profile->lost},
                      {"throttled=", &profile->throttled},
                      {"pruned=", &profile->pruned},
                      {"unseen=", &profile->unseen},
                      {"heaviest=", &reader->heaviest},
                      {"rate=", &reader->rate},
                      {"assumed=", &reader->assumed},
                      {"torn=", &reader->torn}};
  uint64_t number;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    size_t length = strlen(counts[i].name);
    if (word.length > length && memcmp(word.start, counts[i].name, length) == 0 &&
        stack_number((struct slice){word.start + length, word.length - length}, &number))
      *counts[i].to = i == 0 || i > 4 ? number : sum(*counts[i].to, number);
  }
  if (word.length > 6 && memcmp(word.start, "event=", 6) == 0 && profile->event == 0)
    profile->event = names_number(&profile->names, (struct slice){word.start + 6, word.length - 6});
  struct slice start = {word.start + 6, word.length - 6}, end = {word.start + 4, word.length - 4};
  if (word.length > 6 && memcmp(word.start, "start=", 6) == 0 && stack_number(start, &number))
    profile->start = (int64_t)number;
  if (word.length > 4 && memcmp(word.start, "end=", 4) == 0 && stack_number(end, &number))
    profile->end = (int64_t)number;
}

static void take_comments(struct pprof_reader *reader) {
  for (size_t i = 0; i < reader->comments.count; i++) {
    struct slice comment = string_of(reader, reader->comments.data[i]), word;
    if (!slice_field(&word, &comment, ' ') || !slice_is(word, PPROF_COMMENT))
      continue;
    reader->counted = true;
    while (slice_field(&word, &comment, ' '))
      take_count(reader, word);
  }
}

static void conclude(struct pprof_reader *reader, size_t before, bool first) {
  struct stack_profile *profile = reader->intake->profile;
  take_comments(reader);
  profile->count = sum(profile->count, reader->count);
  profile->heaviest = reader->heaviest > profile->heaviest ? reader->heaviest : profile->heaviest;
  profile->assumed |= reader->assumed != 0;
  profile->torn |= reader->torn != 0;
  profile->rate = first && reader->rate <= UINT32_MAX ? (uint32_t)reader->rate : 0;
  if (reader->untimed && !reader->counted)
    profile->samples.count = before;
  if (!first)
    profile->samples.count = 0; /* moments of two files need not be of one clock */
  stack_samples_sort(profile);
}

static bool take_fields(struct pprof_reader *reader, struct slice bytes) {
  struct wire_message wire = {.left = bytes};
  struct wire_field field;
  while (wire_next(&wire, &field))
    if (field.kind == WIRE_BYTES && field.number != PROFILE_COMMENT)
      take_table(reader, &field);
    else if (field.kind == WIRE_NUMBER && field.number == PROFILE_COMMENT)
      vector_push(&reader->comments, field.value);
    else if (field.kind == WIRE_NUMBER && field.number == PROFILE_DEFAULT_TYPE)
      reader->default_type = field.value;
  if (wire.broken)
    return false;
  sort_rows(&reader->functions);
  sort_rows(&reader->locations);
  sort_rows(&reader->mappings);
  choose_value(reader);
  wire = (struct wire_message){.left = bytes};
  bool good = true;
  while (good && wire_next(&wire, &field))
    if (field.kind == WIRE_BYTES && field.number == PROFILE_SAMPLE)
      good = take_sample(reader, field.bytes);
  return good;
}

enum status stack_read_pprof(struct stack_intake *intake) {
  struct pprof_reader reader = {.intake = intake};
  size_t before = intake->profile->samples.count;
  bool first = intake->profile->total == 0;
  enum status status = stack_lines_all(intake->lines, STACK_MOST_BYTES, intake->message);
  if (status == STATUS_OK && !take_fields(&reader, stack_lines_ahead(intake->lines))) {
    text_format(intake->message,
                "%s: is no profile of pprof, or a damaged one: its messages do not fit; write it "
                "again",
                intake->lines->name);
    status = STATUS_DATA;
  }
  if (status == STATUS_OK && reader.negative != 0) {
    text_format(intake->message,
                "%s: has values below 0 (%llu of them), as a difference of two profiles has, which "
                "have no shares; give the two to `tailproof profile diff BEFORE AFTER`",
                intake->lines->name, (unsigned long long)reader.negative);
    status = STATUS_DATA;
  }
  conclude(&reader, before, first);
  vector_clear(&reader.strings);
  vector_clear(&reader.functions);
  vector_clear(&reader.locations);
  vector_clear(&reader.mappings);
  vector_clear(&reader.types);
  vector_clear(&reader.comments);
  vector_clear(&reader.frames);
  stack_thread_table_clear(&reader.threads);
  return status;
}
