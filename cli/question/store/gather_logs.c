/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The records of a store's logs, each in the series of its name and arguments: "d.Ack.2". */
#include <inttypes.h>
#include <string.h>

#include "cli/question/store/gather.h"
#include "measure/core/ticks.h"
#include "measure/read/store_read.h"

/* More different arguments than that are no indices of nodes. */
enum { INDICES_MAX = 1000 };

struct indexed {
  uint32_t name, count;
  int32_t arguments[RECORD_ARGUMENTS];
  struct series series;
};

struct split {
  const struct store_reader *reader;
  const struct series *about;
  VECTOR(struct indexed *) found;   /* in order of name and arguments */
  uint32_t first[FORMAT_NAMES_MAX]; /* the name under which a name's series is */
  size_t indices[FORMAT_NAMES_MAX];
  uint32_t too_many; /* the name that has them, plus 1 */
  bool full;
};

static int compare(const struct indexed *a, const struct record *b) {
  if (a->name != b->name)
    return a->name < b->name ? -1 : 1;
  if (a->count != b->count)
    return a->count < b->count ? -1 : 1;
  for (size_t i = 0; i < b->count; i++)
    if (a->arguments[i] != b->arguments[i])
      return a->arguments[i] < b->arguments[i] ? -1 : 1;
  return 0;
}

static struct indexed *make(const struct split *split, const struct record *record) {
  const struct format_name *what = store_reader_name(split->reader, record->name);
  struct text name;
  text_init(&name);
  text_append(&name, what->series);
  for (size_t i = 0; i < record->count; i++)
    text_format(&name, ".%" PRId32, record->arguments[i]);
  struct indexed *made = mem_alloc(1, sizeof *made);
  made->name = record->name;
  made->count = record->count;
  memcpy(made->arguments, record->arguments, sizeof made->arguments);
  series_init(&made->series, text_get(&name));
  made->series.kind = gather_kind(what);
  made->series.steps = split->about->steps;
  made->series.stores = split->about->stores;
  evidence_copy(&made->series.sample.evidence, &split->about->sample.evidence);
  for (size_t i = 0; i < split->about->notes.count; i++)
    lines_add(&made->series.notes, split->about->notes.data[i]);
  sample_add_beyond(&made->series.sample, split->about->stores.missing);
  text_clear(&name);
  return made;
}

static struct indexed *find(struct split *split, const struct record *record) {
  size_t low = 0, high = split->found.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare(split->found.data[middle], record);
    if (order == 0)
      return split->found.data[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (++split->indices[record->name] > INDICES_MAX) {
    split->too_many = record->name + 1u;
    return NULL;
  }
  struct indexed *made = make(split, record);
  vector_push(&split->found, made);
  memmove(split->found.data + low + 1, split->found.data + low,
          (split->found.count - 1 - low) * sizeof *split->found.data);
  split->found.data[low] = made;
  return made;
}

static int visit(void *context, const struct store_record *at) {
  struct split *split = context;
  struct record record = at->record;
  int kind = gather_kind(store_reader_name(split->reader, record.name));
  if (record.count == 0 || kind == 0 || kind == FORMAT_REQUEST)
    return 0;
  record.name = (uint16_t)split->first[record.name];
  struct indexed *indexed = find(split, &record);
  if (indexed == NULL)
    return 1;
  const struct format_header *header = store_reader_facts(split->reader)->header;
  uint64_t ticks = record.end - record.start;
  split->full =
      !series_add_range(&indexed->series, ticks_to_ns_down(ticks, header->ns_per_tick_down),
                        ticks_to_ns_up(ticks, header->ns_per_tick_up), 1);
  return split->full;
}

enum status gather_logs(struct gather *gather, const struct store_reader *reader, const char *path,
                        const struct series *about, struct text *message) {
  struct split *split = mem_alloc(1, sizeof *split);
  split->reader = reader;
  split->about = about;
  for (uint32_t i = 0; store_reader_name(reader, i) != NULL; i++)
    split->first[i] = gather_first(reader, i);
  enum status status = STATUS_OK;
  if (store_reader_each(reader, visit, split) != 0) {
    status = STATUS_DATA;
    if (split->full)
      text_format(message, "%s: counts more than 2^63-1 observations", path);
    else
      text_format(message,
                  "%s: %s was recorded with more than %d different arguments, which are no "
                  "indices; import without --by index",
                  path, store_reader_name(reader, split->too_many - 1)->series, INDICES_MAX);
  }
  for (size_t i = 0; i < split->found.count; i++) {
    if (status == STATUS_OK)
      status = series_table_add(&gather->table, &split->found.data[i]->series, NULL, path, message);
    series_clear(&split->found.data[i]->series);
    mem_free(split->found.data[i]);
  }
  vector_clear(&split->found);
  mem_free(split);
  return status;
}
