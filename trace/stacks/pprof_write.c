/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes profiles of google/pprof (trace/stacks/pprof.h). Numbers are given in the order of the
 * stacks, so that equal profiles give equal bytes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "base/wire.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/order.h"
#include "trace/stacks/pprof.h"
#include "trace/stacks/unit.h"
#include "trace/stacks/values.h"
#include "trace/stacks/write.h"

/* A value of each sample. */
struct pprof_column {
  enum { COLUMN_WEIGHT, COLUMN_VALUE, COLUMN_MOMENTS, COLUMN_TIME } kind;
  size_t value; /* of COLUMN_VALUE */
  const char *type, *unit;
};

struct pprof_writer {
  const struct stack_profile *profile;
  VECTOR(struct pprof_column) columns; /* the default one is the last */
  struct text *out;
  struct span_names strings;
  uint32_t *locations, *mappings; /* by frame, by name of a module: their number, or 0 */
  uint32_t location_count, mapping_count;
  struct text tables; /* mappings, locations, functions */
  struct text message, part, name;
};

static uint64_t string_of(struct pprof_writer *writer, struct slice name) {
  writer->name.length = 0;
  shown_append(&writer->name, name.start, name.length);
  return names_number(&writer->strings,
                      (struct slice){text_get(&writer->name), writer->name.length});
}

static uint64_t string_of_text(struct pprof_writer *writer, const char *text) {
  return string_of(writer, (struct slice){text, strlen(text)});
}

/* Puts a message that was made in `message` and empties it. */
static void put_message(struct text *out, uint32_t field, struct text *message) {
  wire_put_bytes(out, field, (struct slice){text_get(message), message->length});
  message->length = 0;
}

static uint32_t mapping_of(struct pprof_writer *writer, uint32_t module) {
  if (module == 0)
    return 0;
  if (writer->mappings[module] == 0) {
    writer->mappings[module] = ++writer->mapping_count;
    wire_put_number(&writer->message, MAPPING_ID, writer->mapping_count);
    wire_put_number(&writer->message, MAPPING_FILE,
                    string_of(writer, writer->profile->names.texts.data[module]));
    for (uint32_t has = MAPPING_HAS_FUNCTIONS; has < MAPPING_HAS_FUNCTIONS + 4; has++)
      wire_put_number(&writer->message, has, 1);
    put_message(&writer->tables, PROFILE_MAPPING, &writer->message);
  }
  return writer->mappings[module];
}

static void put_function(struct pprof_writer *writer, const struct stack_frame *frame,
                         uint32_t number) {
  static const char *const marks[] = {[FRAME_USER] = "",
                                      [FRAME_KERNEL] = "_[k]",
                                      [FRAME_JIT] = "_[j]",
                                      [FRAME_INLINED] = "_[i]",
                                      [FRAME_THREAD] = PPROF_MARK_THREAD};
  struct slice name = writer->profile->names.texts.data[frame->function];
  wire_put_number(&writer->message, FUNCTION_ID, number);
  wire_put_number(&writer->message, FUNCTION_NAME, string_of(writer, name));
  writer->name.length = 0;
  shown_append(&writer->name, name.start, name.length);
  text_append(&writer->name, marks[frame->kind]);
  wire_put_number(
      &writer->message, FUNCTION_SYSTEM_NAME,
      names_number(&writer->strings, (struct slice){writer->name.data, writer->name.length}));
  put_message(&writer->tables, PROFILE_FUNCTION, &writer->message);
}

static uint32_t location_of(struct pprof_writer *writer, uint32_t number) {
  const struct stack_frame *frame = &writer->profile->frames.data[number];
  if (writer->locations[number] != 0)
    return writer->locations[number];
  uint32_t location = writer->locations[number] = ++writer->location_count;
  uint32_t mapping = mapping_of(writer, frame->module);
  if (frame->function != 0)
    put_function(writer, frame, location);
  wire_put_number(&writer->message, LOCATION_ID, location);
  if (mapping != 0)
    wire_put_number(&writer->message, LOCATION_MAPPING, mapping);
  if (frame->function == 0)
    wire_put_number(&writer->message, LOCATION_ADDRESS, frame->offset);
  else {
    wire_put_number(&writer->part, LINE_FUNCTION, location);
    put_message(&writer->message, LOCATION_LINE, &writer->part);
  }
  put_message(&writer->tables, PROFILE_LOCATION, &writer->message);
  return location;
}

static uint64_t signed_weight(uint64_t weight) {
  return weight > INT64_MAX ? INT64_MAX : weight;
}

enum { NS = 1000000000 };

/* What a sample of a node has in a column; `rest`: it is what the node has beyond its moments. */
static uint64_t number_of(const struct pprof_writer *writer, const struct pprof_column *column,
                          uint32_t node, uint64_t weight, bool rest) {
  const struct stack_profile *profile = writer->profile;
  switch (column->kind) {
  case COLUMN_VALUE:
    return rest ? stack_value_of(&profile->values.data[column->value], node) : 0;
  case COLUMN_MOMENTS:
    return !rest;
  case COLUMN_TIME:
    return weight > UINT64_MAX / NS ? UINT64_MAX
                                    : (weight * NS + profile->rate / 2) / profile->rate;
  case COLUMN_WEIGHT:
    break;
  }
  return weight;
}

/* The stack and the values of a sample, into `message`. */
static void begin_sample(struct pprof_writer *writer, uint32_t node, uint64_t weight, bool rest) {
  const struct stack_profile *profile = writer->profile;
  struct text numbers = {0};
  for (uint32_t at = node; at != 0; at = profile->nodes.data[at].parent)
    wire_put_packed(&numbers, location_of(writer, profile->nodes.data[at].frame));
  put_message(&writer->message, SAMPLE_LOCATIONS, &numbers);
  for (size_t i = 0; i < writer->columns.count; i++)
    wire_put_packed(&numbers,
                    signed_weight(number_of(writer, &writer->columns.data[i], node, weight, rest)));
  put_message(&writer->message, SAMPLE_VALUES, &numbers);
  text_clear(&numbers);
}

static void put_label(struct pprof_writer *writer, const char *key, uint64_t value,
                      const char *unit) {
  wire_put_number(&writer->part, LABEL_KEY, string_of_text(writer, key));
  wire_put_number(&writer->part, LABEL_NUMBER, value);
  if (unit != NULL)
    wire_put_number(&writer->part, LABEL_UNIT, string_of_text(writer, unit));
  put_message(&writer->message, SAMPLE_LABEL, &writer->part);
}

static void put_moments(struct pprof_writer *writer) {
  const struct stack_profile *profile = writer->profile;
  for (size_t i = 0; i < profile->samples.count; i++) {
    const struct stack_sample *sample = &profile->samples.data[i];
    begin_sample(writer, sample->node, sample->weight, false);
    put_label(writer, "time", (uint64_t)sample->time, "nanoseconds");
    if (sample->thread < profile->threads.count) {
      const struct stack_thread *thread = &profile->threads.data[sample->thread];
      put_label(writer, "process", thread->process, "process");
      put_label(writer, "thread", thread->thread, "thread");
      wire_put_number(&writer->part, LABEL_KEY, string_of_text(writer, "command"));
      wire_put_number(&writer->part, LABEL_TEXT,
                      string_of(writer, profile->names.texts.data[thread->command]));
      put_message(&writer->message, SAMPLE_LABEL, &writer->part);
    }
    put_message(writer->out, PROFILE_SAMPLE, &writer->message);
  }
}

static bool has_value(const struct stack_profile *profile, uint32_t node) {
  for (size_t i = 0; i < profile->values.count; i++)
    if (stack_value_of(&profile->values.data[i], node) != 0)
      return true;
  return false;
}

/* What nodes have beyond the samples that have a moment. */
static void put_rest(struct pprof_writer *writer) {
  const struct stack_profile *profile = writer->profile;
  uint64_t *moments = mem_alloc(profile->nodes.count, sizeof *moments);
  struct stack_children children;
  VECTOR(uint32_t) due = {0};
  for (size_t i = 0; i < profile->samples.count; i++)
    moments[profile->samples.data[i].node] += profile->samples.data[i].weight;
  stack_children_find(&children, profile);
  vector_push(&due, 0);
  while (due.count != 0) {
    uint32_t node = due.data[--due.count];
    uint64_t own = profile->nodes.data[node].own;
    uint64_t beyond = own > moments[node] ? own - moments[node] : 0;
    if (beyond != 0 || has_value(profile, node)) {
      begin_sample(writer, node, beyond, true);
      put_message(writer->out, PROFILE_SAMPLE, &writer->message);
    }
    for (uint32_t i = children.first[node + 1]; i > children.first[node]; i--)
      vector_push(&due, children.children[i - 1]);
  }
  stack_children_clear(&children);
  vector_clear(&due);
  mem_free(moments);
}

static struct pprof_column weight_column(const struct stack_profile *profile) {
  struct pprof_column column = {.kind = COLUMN_WEIGHT, .unit = "count"};
  switch (profile->unit) {
  case STACK_SAMPLES:
    column.type = "samples";
    break;
  case STACK_NANOSECONDS:
    column.type = stack_unit_time(profile);
    column.unit = "nanoseconds";
    break;
  case STACK_WEIGHTS:
    column.type = "weight";
    column.unit = "unknown";
    break;
  case STACK_PERIODS:
    column.type = profile->event == 0 ? "events" : names_text(&profile->names, profile->event);
    if (profile->measure != 0)
      column.unit = names_text(&profile->names, profile->measure);
  }
  return column;
}

static int by_type(const void *a, const void *b) {
  const struct pprof_column *x = a, *y = b;
  int order = strcmp(x->type, y->type);
  return order != 0 ? order : strcmp(x->unit, y->unit);
}

/* Whether all of the weight is of samples with a moment. */
static bool all_have_moments(const struct stack_profile *profile) {
  uint64_t sum = 0;
  for (size_t i = 0; i < profile->samples.count; i++)
    sum += profile->samples.data[i].weight;
  return profile->samples.count != 0 && sum == profile->total;
}

/* Whatever the order of files that were added up, the columns have one: the default one is the last,
 * which readers take who do not know of a default. */
static void find_columns(struct pprof_writer *writer) {
  const struct stack_profile *profile = writer->profile;
  struct pprof_column last = weight_column(profile);
  bool clock = profile->unit == STACK_SAMPLES && stack_unit_is_processor_time(profile);
  bool has_samples = false, has_time = false;
  for (size_t i = 0; i < profile->values.count; i++) {
    const struct stack_value *value = &profile->values.data[i];
    struct pprof_column column = {.kind = COLUMN_VALUE,
                                  .value = i,
                                  .type = names_text(&profile->names, value->type),
                                  .unit = names_text(&profile->names, value->unit)};
    has_samples |= strcmp(column.type, "samples") == 0;
    bool time = clock && strcmp(column.type, "cpu") == 0;
    if (time)
      vector_push(&writer->columns, last);
    if (time)
      last = column;
    else if (by_type(&column, &last) != 0)
      vector_push(&writer->columns, column);
    has_time |= time;
  }
  if (clock && profile->rate != 0 && !has_time) {
    vector_push(&writer->columns, last);
    last = (struct pprof_column){.kind = COLUMN_TIME, .type = "cpu", .unit = "nanoseconds"};
  } else if (profile->unit == STACK_NANOSECONDS && !has_samples && all_have_moments(profile)) {
    vector_push(&writer->columns,
                (struct pprof_column){.kind = COLUMN_MOMENTS, .type = "samples", .unit = "count"});
  }
  if (writer->columns.count != 0)
    qsort(writer->columns.data, writer->columns.count, sizeof *writer->columns.data, by_type);
  vector_push(&writer->columns, last);
}

static void put_type(struct pprof_writer *writer, uint32_t field, const char *type,
                     const char *unit) {
  wire_put_number(&writer->message, TYPE_TYPE, string_of_text(writer, type));
  wire_put_number(&writer->message, TYPE_UNIT, string_of_text(writer, unit));
  put_message(writer->out, field, &writer->message);
}

static void put_columns(struct pprof_writer *writer) {
  find_columns(writer);
  for (size_t i = 0; i < writer->columns.count; i++)
    put_type(writer, PROFILE_SAMPLE_TYPE, writer->columns.data[i].type,
             writer->columns.data[i].unit);
}

/* When it was, and each how much a sample was taken: that of a rate is a time. */
static void put_recording(struct pprof_writer *writer) {
  const struct stack_profile *profile = writer->profile;
  const struct pprof_column *last = &writer->columns.data[writer->columns.count - 1];
  uint64_t period = profile->period;
  if (stack_profile_time(profile) > 0)
    wire_put_number(writer->out, PROFILE_TIME, (uint64_t)stack_profile_time(profile));
  if (stack_profile_duration(profile) != 0)
    wire_put_number(writer->out, PROFILE_DURATION, stack_profile_duration(profile));
  if (period != 0) {
    put_type(writer, PROFILE_PERIOD_TYPE, names_text(&profile->names, profile->period_type),
             names_text(&profile->names, profile->period_unit));
  } else if (last->kind == COLUMN_TIME) {
    period = (NS + profile->rate / 2) / profile->rate;
    put_type(writer, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
  }
  if (period != 0)
    wire_put_number(writer->out, PROFILE_PERIOD, period);
  if (writer->columns.count > 1)
    wire_put_number(writer->out, PROFILE_DEFAULT_TYPE, string_of_text(writer, last->type));
}

static void put_comment(struct pprof_writer *writer) {
  const struct stack_profile *profile = writer->profile;
  struct text comment = {0};
  text_format(&comment,
              PPROF_COMMENT " count=%" PRIu64 " lost=%" PRIu64 " throttled=%" PRIu64
                            " pruned=%" PRIu64 " unseen=%" PRIu64 " heaviest=%" PRIu64
                            " rate=%" PRIu32 " assumed=%d torn=%d start=%" PRIi64 " end=%" PRIi64
                            " unit=%d event=",
              profile->count, profile->lost, profile->throttled, profile->pruned, profile->unseen,
              profile->heaviest, profile->rate, profile->assumed, profile->torn, profile->start,
              profile->end, (int)profile->unit);
  text_append_bytes(&comment, profile->names.texts.data[profile->event].start,
                    profile->names.texts.data[profile->event].length);
  wire_put_number(writer->out, PROFILE_COMMENT,
                  string_of(writer, (struct slice){comment.data, comment.length}));
  text_clear(&comment);
}

void stack_write_pprof(const struct stack_profile *profile, struct text *out) {
  struct pprof_writer writer = {.profile = profile, .out = out};
  names_init(&writer.strings);
  writer.locations = mem_alloc(profile->frames.count, sizeof *writer.locations);
  writer.mappings = mem_alloc(profile->names.texts.count, sizeof *writer.mappings);
  put_columns(&writer);
  put_moments(&writer);
  put_rest(&writer);
  put_comment(&writer);
  put_recording(&writer);
  text_append_bytes(out, text_get(&writer.tables), writer.tables.length);
  for (size_t i = 0; i < writer.strings.texts.count; i++)
    wire_put_bytes(out, PROFILE_STRING, writer.strings.texts.data[i]);
  mem_free(writer.locations);
  mem_free(writer.mappings);
  vector_clear(&writer.columns);
  names_clear(&writer.strings);
  text_clear(&writer.tables);
  text_clear(&writer.message);
  text_clear(&writer.part);
  text_clear(&writer.name);
}
