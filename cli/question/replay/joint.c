/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/replay/joint.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "dist/source/joint.h"

#define PART_PER_BILLION UINT64_C(1000000000)

void replay_joint_clear(struct replay_joint *joint) {
  joint_rows_clear(&joint->rows);
  vector_clear(&joint->columns);
  vector_clear(&joint->unfinished);
}

static uint16_t make_column(struct replay_joint *joint, const struct occurrence *occurrence) {
  struct text name;
  text_init(&name);
  text_append(&name, occurrence->component);
  if (occurrence->message != NULL)
    text_format(&name, ".%s", occurrence->message);
  for (size_t i = 0; i < occurrence->index_count; i++)
    text_format(&name, ".%" PRId64, occurrence->indices[i]);
  uint16_t column = joint_rows_column(&joint->rows, text_get(&name), ROWS_OCCURRENCE);
  joint->full |= column == ROWS_NONE;
  text_clear(&name);
  return column;
}

static uint16_t column_of(struct replay_joint *joint, const struct occurrence *occurrence) {
  while (joint->columns.count <= occurrence->id)
    vector_push(&joint->columns, 0);
  uint16_t *known = &joint->columns.data[occurrence->id];
  if (*known == 0)
    *known = (uint16_t)(make_column(joint, occurrence) + 1);
  return (uint16_t)(*known - 1);
}

/* A recorded time was rounded down, by the least rate of the clock. */
static struct rows_entry entry_of(const struct replay_joint *joint, uint16_t column, int64_t ns) {
  const struct recording *r = joint->recording;
  uint64_t value = ns < 0 ? 0 : (uint64_t)ns, rounding = (uint64_t)r->rounding_ns;
  uint64_t most = value + rounding,
           drift = most / PART_PER_BILLION * r->rate_ppb +
                   (most % PART_PER_BILLION * r->rate_ppb) / PART_PER_BILLION + (r->rate_ppb != 0);
  uint64_t less = rounding + (r->rate_ppb == 0 ? 0 : drift);
  return (struct rows_entry){
      .column = column, .lower_ns = value > less ? value - less : 0, .upper_ns = most + drift};
}

struct adding {
  struct replay_joint *joint;
  const struct conform_event *events;
  size_t count;
};

static void add_value(void *context, const struct occurrence *occurrence, int64_t ns,
                      enum conform_value what) {
  struct adding *adding = context;
  struct replay_joint *joint = adding->joint;
  uint16_t column = column_of(joint, occurrence);
  if (column == ROWS_NONE)
    return;
  struct rows_entry entry = entry_of(joint, column, ns);
  entry.instance = adding->events->instance;
  if (what != CONFORM_MEASURED)
    entry.upper_ns = UINT64_MAX;
  if (what == CONFORM_ENDLESS && left_over_is_doubtful(&joint->recording->doubtful, entry.instance))
    entry.unknown = true;
  else if (what == CONFORM_ENDLESS)
    entry.lower_ns = UINT64_MAX;
  vector_push(&joint->rows.entries, entry);
}

static void add_request(struct replay_joint *joint, const struct conform_event *event) {
  struct text name;
  text_init(&name);
  text_format(&name, "request.%s", event->what.text);
  uint16_t column = joint_rows_column(&joint->rows, text_get(&name), ROWS_REQUEST);
  joint->full |= column == ROWS_NONE;
  text_clear(&name);
  if (column == ROWS_NONE)
    return;
  struct rows_entry entry = entry_of(joint, column, event->end - event->start);
  entry.instance = event->instance;
  vector_push(&joint->rows.entries, entry);
}

void replay_joint_add(struct replay_joint *joint, const struct conform *conform,
                      const struct conform_event *events, size_t count, bool finished) {
  struct adding adding = {joint, events, count};
  conform_each_value(conform, add_value, &adding);
  for (size_t i = 0; i < count; i++)
    if (events[i].kind == CONFORM_REQUEST)
      add_request(joint, &events[i]);
  if (!finished)
    vector_push(&joint->unfinished, events->instance);
}

static struct rows_lacking lacking(void *context, const struct rows_entry *entries, size_t count) {
  const struct replay_joint *joint = context;
  (void)count;
  size_t low = 0, high = joint->unfinished.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (joint->unfinished.data[middle] < entries->instance)
      low = middle + 1;
    else
      high = middle;
  }
  bool finished =
      low == joint->unfinished.count || joint->unfinished.data[low] != entries->instance;
  bool doubtful = left_over_is_doubtful(&joint->recording->doubtful, entries->instance);
  if (finished)
    return (struct rows_lacking){"-", "-", false};
  return (struct rows_lacking){"", doubtful ? "unpaired" : "inf", doubtful};
}

enum status replay_joint_print(struct replay_joint *joint, struct text *table,
                               struct text *message) {
  joint_rows_sort(&joint->rows);
  joint_rows_settle(&joint->rows);
  uint64_t rows = 0;
  if (!joint->full)
    rows = joint_rows_print(table, &joint->rows, lacking, joint);
  if (joint->full ||
      (joint->rows.columns.count != 0 && rows > JOINT_CELLS_MAX / joint->rows.columns.count))
    text_format(message,
                "there are more than %zu different occurrences, or 2^28 cells, the most that are "
                "read",
                JOINT_COLUMNS_MAX);
  else if (rows == 0)
    text_append(message, "no instance could be judged");
  else
    return STATUS_OK;
  return STATUS_DATA;
}

enum status replay_joint_write(struct replay_joint *joint, const char *path, struct text *message) {
  size_t length = strlen(path);
  bool packed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
  struct text table, why;
  text_init(&table);
  text_init(&why);
  enum status status = replay_joint_print(joint, &table, &why);
  if (status != STATUS_OK)
    text_format(message, "%s: is not written: %s", path, text_get(&why));
  else
    status = (packed ? file_write_gzip : file_write)(path, table.data, table.length, message);
  text_clear(&table);
  text_clear(&why);
  return status;
}
