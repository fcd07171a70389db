/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/store/joined.h"

#include <inttypes.h>
#include <string.h>

#include "cli/question/store/gather.h"
#include "dist/source/joint.h"
#include "measure/core/ticks.h"
#include "measure/read/store_read.h"

enum { LISTED_MAX = 8 };

void joined_clear(struct joined *joined) {
  joint_rows_clear(&joined->rows);
  for (size_t i = 0; i < joined->tables.count; i++)
    mem_free(joined->tables.data[i]);
  vector_clear(&joined->tables);
  vector_clear(&joined->stores);
  vector_clear(&joined->moments);
  lines_clear(&joined->notes);
  lines_clear(&joined->unpaired);
  left_over_clear(&joined->doubtful);
  text_clear(&joined->table);
  text_clear(&joined->why);
}

/* --- reading a store --- */

/* The column of a name with certain arguments, remembered. */
struct known {
  uint32_t count;
  int32_t arguments[RECORD_ARGUMENTS];
  uint16_t column;
};

struct reading {
  struct joined *joined;
  const struct store_reader *reader;
  struct joined_store store;
  uint32_t writer;
  bool any;
  VECTOR(struct known) known[FORMAT_NAMES_MAX]; /* by name, in order of arguments */
};

/* The series that a record's value belongs to; "" for none. */
static const char *series_of(const struct store_reader *reader, const struct format_name *name) {
  if (name->kind == FORMAT_ROUNDTRIP)
    return "";
  if (name->kind != FORMAT_SEND && name->kind != FORMAT_ARRIVAL)
    return name->series;
  const struct format_name *other;
  for (uint32_t i = 0; (other = store_reader_name(reader, i)) != NULL; i++)
    if (other->kind == FORMAT_DELAY && strcmp(other->name, name->name) == 0)
      return other->series;
  return "";
}

static uint16_t make_column(struct reading *reading, const struct record *record) {
  const struct format_name *name = store_reader_name(reading->reader, record->name);
  const char *series = series_of(reading->reader, name);
  if (*series == '\0')
    return ROWS_NONE;
  bool request = name->kind == FORMAT_REQUEST;
  struct text text;
  text_init(&text);
  text_format(&text, "%s%s", request ? "request." : "", series);
  for (size_t i = 0; i < record->count && !request; i++)
    text_format(&text, ".%" PRId32, record->arguments[i]);
  uint16_t column = joint_rows_column(&reading->joined->rows, text_get(&text),
                                      request                     ? ROWS_REQUEST
                                      : name->kind == FORMAT_SEND ? ROWS_SENDING
                                                                  : ROWS_OCCURRENCE);
  reading->joined->full |= column == ROWS_NONE;
  text_clear(&text);
  return column;
}

static int compare_known(const struct known *known, const struct record *record) {
  if (known->count != record->count)
    return known->count < record->count ? -1 : 1;
  for (size_t i = 0; i < record->count; i++)
    if (known->arguments[i] != record->arguments[i])
      return known->arguments[i] < record->arguments[i] ? -1 : 1;
  return 0;
}

static uint16_t column_of(struct reading *reading, const struct record *record) {
  size_t low = 0, high = reading->known[record->name].count;
  struct known *known = reading->known[record->name].data;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare_known(&known[middle], record);
    if (order == 0)
      return known[middle].column;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  struct known made = {.count = record->count, .column = make_column(reading, record)};
  memcpy(made.arguments, record->arguments, sizeof made.arguments);
  vector_push(&reading->known[record->name], made);
  known = reading->known[record->name].data;
  memmove(known + low + 1, known + low,
          (reading->known[record->name].count - 1 - low) * sizeof *known);
  known[low] = made;
  return made.column;
}

/* The first record that a log still has, when it is not the first ever. */
static void note_beginning(struct reading *reading, const struct store_record *at) {
  struct joined_store *store = &reading->store;
  bool first = !reading->any || reading->writer != at->writer;
  reading->any = true;
  reading->writer = at->writer;
  if (!first || at->position == 1)
    return;
  if (at->record.instance >= store->first_whole)
    store->first_whole = (uint64_t)at->record.instance + 1;
  if (at->record.end > store->whole_after)
    store->whole_after = at->record.end;
}

/* Records of an instance mostly follow each other, so that few moments are kept. */
static void note_moment(struct reading *reading, const struct record *record) {
  struct joined *joined = reading->joined;
  struct joined_store *store = &reading->store;
  uint32_t place = (uint32_t)joined->stores.count;
  store->numbered |= record->instance != 0;
  store->last = record->instance > store->last ? record->instance : store->last;
  if (joined->moments.count != 0) {
    struct joined_moment *last = &joined->moments.data[joined->moments.count - 1];
    if (last->instance == record->instance && last->store == place) {
      last->start = record->start < last->start ? record->start : last->start;
      return;
    }
  }
  vector_push(&joined->moments, (struct joined_moment){record->instance, place, record->start});
}

static int visit(void *context, const struct store_record *at) {
  struct reading *reading = context;
  const struct record *record = &at->record;
  note_beginning(reading, at);
  note_moment(reading, record);
  uint16_t column = column_of(reading, record);
  if (reading->joined->full)
    return 1;
  if (column == ROWS_NONE)
    return 0;
  const struct format_header *header = store_reader_facts(reading->reader)->header;
  uint64_t ticks = record->end - record->start;
  struct rows_entry entry = {.instance = record->instance,
                             .column = column,
                             .unknown = record->kind == FORMAT_ARRIVAL,
                             .lower_ns = ticks_to_ns_down(ticks, header->ns_per_tick_down),
                             .upper_ns = ticks_to_ns_up(ticks, header->ns_per_tick_up)};
  vector_push(&reading->joined->rows.entries, entry);
  return 0;
}

void joined_add_store(struct joined *joined, const struct store_reader *reader) {
  const struct store_facts *facts = store_reader_facts(reader);
  struct reading *reading = mem_alloc(1, sizeof *reading);
  reading->joined = joined;
  reading->reader = reader;
  reading->store = (struct joined_store){.clock = facts->header->clock_identity,
                                         .overwritten = facts->overwritten != 0,
                                         .closed = facts->closed != 0};
  if (!joined->full)
    store_reader_each(reader, visit, reading);
  joined->one_clock = joined->stores.count == 0 ||
                      (joined->one_clock && joined->stores.data[0].clock == reading->store.clock);
  joined->lost += facts->refused + facts->torn;
  vector_push(&joined->stores, reading->store);
  for (size_t i = 0; i < FORMAT_NAMES_MAX; i++)
    vector_clear(&reading->known[i]);
  mem_free(reading);
}

/* --- which instances get a row --- */

void joined_note(struct joined *joined, const char *format, ...) {
  struct text line;
  text_init(&line);
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&line, format, arguments);
  va_end(arguments);
  lines_add(&joined->notes, text_get(&line));
  text_clear(&line);
}

static bool is_cut(const struct joined *joined, const struct joined_moment *moment) {
  for (size_t i = 0; i < joined->stores.count; i++) {
    const struct joined_store *store = &joined->stores.data[i];
    bool comparable = joined->one_clock || store->clock == joined->stores.data[moment->store].clock;
    if (store->overwritten && store->numbered &&
        (moment->instance < store->first_whole ||
         (comparable && moment->start <= store->whole_after)))
      return true;
  }
  return false;
}

/* The entries of instances, from `first` on, of which records may be lost are dropped; the moments
 * tell them. */
static void drop_cut(struct joined *joined, uint32_t first) {
  VECTOR(uint32_t) cut = {0}; /* instances, perhaps more than once */
  for (size_t i = 0; i < joined->moments.count; i++)
    if (joined->moments.data[i].instance >= first && is_cut(joined, &joined->moments.data[i]))
      vector_push(&cut, joined->moments.data[i].instance);
  if (cut.count == 0)
    return;
  uint32_t most = 0;
  for (size_t i = 0; i < cut.count; i++)
    most = cut.data[i] > most ? cut.data[i] : most;
  unsigned char *marks = mem_alloc((size_t)most / 8 + 1, 1);
  for (size_t i = 0; i < cut.count; i++) {
    unsigned char *byte = &marks[cut.data[i] / 8], bit = (unsigned char)(1 << cut.data[i] % 8);
    joined->cut += (*byte & bit) == 0;
    *byte |= bit;
  }
  struct joint_rows *rows = &joined->rows;
  size_t kept = 0;
  for (size_t i = 0; i < rows->entries.count; i++) {
    uint32_t instance = rows->entries.data[i].instance;
    if (instance > most || (marks[instance / 8] >> instance % 8 & 1) == 0)
      rows->entries.data[kept++] = rows->entries.data[i];
  }
  rows->entries.count = kept;
  mem_free(marks);
  vector_clear(&cut);
}

/* What is recorded without an instance has number 0, and then the same name often. */
static bool is_unnumbered(const struct joint_rows *rows) {
  if (rows->entries.count == 0 || rows->entries.data[0].instance != 0)
    return false;
  size_t end = joint_rows_end(rows, 0);
  bool repeated = end == rows->entries.count;
  for (size_t i = 1; i < end && !repeated; i++)
    repeated = rows->entries.data[i].column == rows->entries.data[i - 1].column &&
               rows->columns.data[rows->entries.data[i].column].kind != ROWS_SENDING;
  return repeated;
}

static size_t count_columns(const struct joint_rows *rows, enum rows_kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < rows->columns.count; i++)
    count += rows->columns.data[i].kind == kind && joint_rows_writes(rows, i);
  return count;
}

static void note_repeated(struct joined *joined) {
  const struct joint_rows *rows = &joined->rows;
  struct text names;
  text_init(&names);
  size_t count = 0;
  for (size_t i = 0; i < rows->columns.count; i++)
    if (rows->columns.data[i].repeated && count++ < LISTED_MAX)
      text_format(&names, "%s%s", count == 1 ? "" : ", ", rows->columns.data[i].name);
  if (count > LISTED_MAX)
    text_format(&names, " and %zu more", count - LISTED_MAX);
  if (count != 0)
    joined_note(
        joined,
        "no columns for what happened several times in one instance, and so has no name of its "
        "own there: %s",
        text_get(&names));
  text_clear(&names);
}

static bool is_numbered(const struct joined *joined) {
  bool numbered = false;
  for (size_t i = 0; i < joined->stores.count; i++)
    numbered |= joined->stores.data[i].numbered;
  return numbered;
}

/* Whether a table can be made of what is sorted and settled; else `why`. */
static bool can_print(struct joined *joined) {
  const struct joint_rows *rows = &joined->rows;
  for (size_t i = 0; i < rows->columns.count; i++)
    if (rows->columns.data[i].kind == ROWS_REQUEST && rows->columns.data[i].repeated) {
      text_format(&joined->why,
                  "an instance has %s twice; are these stores of several runs? Import each run "
                  "alone, then merge",
                  rows->columns.data[i].name);
      return false;
    }
  joined->occurrences = count_columns(rows, ROWS_OCCURRENCE) + count_columns(rows, ROWS_SENDING);
  joined->requests = count_columns(rows, ROWS_REQUEST);
  if (rows->entries.count == 0)
    text_append(&joined->why, is_numbered(joined)
                                  ? "of every instance records may have been overwritten; record "
                                    "with larger logs (log_records)"
                                  : "nothing was recorded with the number of its instance");
  else if (joined->occurrences == 0)
    text_append(&joined->why, "nothing is recorded once in an instance");
  return joined->why.length == 0;
}

static struct rows_lacking judge(void *context, const struct rows_entry *entries, size_t count) {
  struct joined *joined = context;
  const struct joint_rows *rows = &joined->rows;
  bool finished = joined->requests == 0, known = joined->lost == 0;
  for (size_t i = 0; i < count && !finished; i++)
    finished = rows->columns.data[entries[i].column].kind == ROWS_REQUEST;
  for (size_t i = 0; i < joined->stores.count; i++) {
    const struct joined_store *store = &joined->stores.data[i];
    known &= store->closed || !store->numbered || entries->instance < store->last;
  }
  bool doubtful = !finished && left_over_is_doubtful(&joined->doubtful, entries->instance);
  joined->unfinished += !finished && !doubtful;
  return (struct rows_lacking){.doubtful = doubtful,
                               .cell = finished && known ? "-" : "",
                               .request = finished                ? (known ? "-" : "")
                                          : joined->requests != 1 ? ""
                                          : doubtful              ? "unpaired"
                                                                  : "inf"};
}

static void note_rows(struct joined *joined) {
  if (joined->unfinished != 0)
    joined_note(
        joined,
        "instances without a recorded request: %" PRIu64 " of %" PRIu64
        "; they were not finished: their request is infinite, and what else they lack is not known",
        joined->unfinished, joined->row_count);
  if (joined->cut != 0)
    joined_note(joined,
                "instances of which logs overwrote records: %" PRIu64
                "; they have no row, and only the latest, which are whole, count",
                joined->cut);
  if (joined->lost != 0)
    joined_note(joined,
                "records that were refused or torn: %" PRIu64
                "; so what an instance lacks is not known (an empty cell)",
                joined->lost);
  if (!joined->one_clock)
    joined_note(joined,
                "recorded with several clocks: a delay between two of them is not known (an "
                "empty cell)");
}

/* Forgets instance 0 where that is none; whether it did. */
static bool forget_unnumbered(struct joined *joined) {
  struct joint_rows *rows = &joined->rows;
  if (!is_unnumbered(rows))
    return false;
  if (rows->entries.data[rows->entries.count - 1].instance != 0)
    joined_note(joined, "what was recorded without the number of an instance (0) is in no row");
  joint_rows_forget(rows, 0);
  return true;
}

static void join_stores(struct joined *joined) {
  struct joint_rows *rows = &joined->rows;
  if (joined->full) {
    text_format(&joined->why,
                "there are more than %zu different occurrences; are the arguments indices?",
                JOINT_COLUMNS_MAX);
    return;
  }
  joint_rows_sort(rows);
  drop_cut(joined, forget_unnumbered(joined) ? 1 : 0);
  joint_rows_settle(rows);
  if (!can_print(joined))
    return;
  note_repeated(joined);
  joined->row_count = joint_rows_print(&joined->table, rows, judge, joined);
  if (joined->row_count > JOINT_CELLS_MAX / (joined->occurrences + joined->requests)) {
    text_append(&joined->why, "it would have more than 2^28 cells, the most that is read");
    text_clear(&joined->table);
  }
  note_rows(joined);
}

void joined_finish(struct joined *joined) {
  if (joined->tables.count != 0)
    joined_join_tables(joined);
  else if (joined->stores.count != 0)
    join_stores(joined);
  else
    text_append(&joined->why, "there is no store");
}
