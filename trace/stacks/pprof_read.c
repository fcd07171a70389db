/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads profiles of google/pprof: first the tables, which may stand anywhere in the file, then the
 * samples (trace/stacks/pprof.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/wire.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/pprof_reader.h"
#include "trace/stacks/values.h"

/* A field that is one number, or 0. */
struct pprof_row pprof_row_of(struct slice message, const uint32_t fields[4]) {
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
    vector_push(&reader->functions, pprof_row_of(field->bytes, function));
    break;
  case PROFILE_LOCATION:
    vector_push(&reader->locations, pprof_row_of(field->bytes, location));
    reader->unread.addresses |= reader->locations.data[reader->locations.count - 1].b != 0;
    break;
  case PROFILE_MAPPING:
    vector_push(&reader->mappings, pprof_row_of(field->bytes, mapping));
    break;
  case PROFILE_SAMPLE_TYPE:
    vector_push(&reader->types, field->bytes);
    break;
  case PROFILE_PERIOD_TYPE:
    reader->period_type = field->bytes;
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

struct slice pprof_string(const struct pprof_reader *reader, uint64_t number) {
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
  struct slice module = pprof_string(reader, mapping == NULL ? 0 : mapping->a);
  struct slice name = pprof_string(reader, row == NULL ? 0 : row->a);
  struct stack_frame frame = {.function = names_number(&profile->names, name),
                              .module = names_number(&profile->names, module)};
  frame.kind = row == NULL ? FRAME_USER : kind_of(name, pprof_string(reader, row->b), module);
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
    static const uint32_t line[4] = {LINE_FUNCTION, LINE_NUMBER, UINT32_MAX, UINT32_MAX};
    if (any)
      push_frame(reader, location, last, true);
    struct pprof_row row = pprof_row_of(field.bytes, line);
    last = row.id;
    reader->unread.lines |= row.a != 0;
    any = true;
  }
  push_frame(reader, location, last, false);
}

struct pprof_sample {
  uint64_t value, counted, values[VALUES_MOST];
  bool timed, negative;
  int64_t time;
  uint64_t process, thread;
  struct slice command;
};

static void note_label(struct pprof_unread *unread, struct slice key) {
  for (size_t i = 0; i < unread->key_count; i++)
    if (slice_same(unread->keys[i], key))
      return;
  if (unread->key_count < KEYS_MOST)
    unread->keys[unread->key_count++] = key;
}

static void take_label(struct pprof_reader *reader, struct slice message,
                       struct pprof_sample *sample) {
  static const uint32_t label[4] = {LABEL_KEY, LABEL_NUMBER, LABEL_TEXT, LABEL_UNIT};
  struct pprof_row row = pprof_row_of(message, label);
  struct slice key = pprof_string(reader, row.id);
  if (slice_is(key, "time") && slice_is(pprof_string(reader, row.offset), "nanoseconds")) {
    sample->timed = true;
    sample->time = (int64_t)row.a;
  } else if (slice_is(key, "process"))
    sample->process = row.a;
  else if (slice_is(key, "thread"))
    sample->thread = row.a;
  else if (slice_is(key, "command"))
    sample->command = pprof_string(reader, row.b);
  else
    note_label(&reader->unread, key);
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
    if (field->number == SAMPLE_VALUES && *index < VALUES_MOST)
      sample->values[*index] = number;
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
  for (size_t i = 0; i < reader->types.count && i < VALUES_MOST; i++)
    if (reader->places[i] != SIZE_MAX && sample->values[i] <= INT64_MAX)
      stack_value_add(profile, reader->places[i], node, sample->values[i]);
    else
      reader->unread.values |= sample->values[i] > INT64_MAX;
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

static void take_number(struct pprof_reader *reader, const struct wire_field *field) {
  if (field->number == PROFILE_DEFAULT_TYPE)
    reader->default_type = field->value;
  else if (field->number == PROFILE_TIME)
    reader->time = field->value;
  else if (field->number == PROFILE_DURATION)
    reader->duration = field->value;
  else if (field->number == PROFILE_PERIOD)
    reader->period = field->value;
  else
    reader->unread.filters |=
        (field->number == PROFILE_DROP || field->number == PROFILE_KEEP) && field->value != 0;
}

static bool take_fields(struct pprof_reader *reader, struct slice bytes) {
  struct wire_message wire = {.left = bytes};
  struct wire_field field;
  while (wire_next(&wire, &field))
    if (field.kind == WIRE_BYTES && field.number != PROFILE_COMMENT)
      take_table(reader, &field);
    else if (field.kind == WIRE_NUMBER && field.number == PROFILE_COMMENT)
      vector_push(&reader->comments, field.value);
    else if (field.kind == WIRE_NUMBER)
      take_number(reader, &field);
  if (wire.broken)
    return false;
  sort_rows(&reader->functions);
  sort_rows(&reader->locations);
  sort_rows(&reader->mappings);
  if (!pprof_choose_value(reader))
    return true;
  wire = (struct wire_message){.left = bytes};
  bool good = true;
  while (good && wire_next(&wire, &field))
    if (field.kind == WIRE_BYTES && field.number == PROFILE_SAMPLE)
      good = take_sample(reader, field.bytes);
  return good;
}

enum status stack_read_pprof(struct stack_intake *intake) {
  struct pprof_reader reader = {.intake = intake, .period_type = {"", 0}};
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
  if (status == STATUS_OK && reader.missing)
    status = STATUS_DATA;
  if (status == STATUS_OK && reader.negative != 0) {
    text_format(intake->message,
                "%s: has values below 0 (%llu of them), as a difference of two profiles has, which "
                "have no shares; give the two to `tailproof profile diff BEFORE AFTER`",
                intake->lines->name, (unsigned long long)reader.negative);
    status = STATUS_DATA;
  }
  pprof_conclude(&reader, before, first);
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
