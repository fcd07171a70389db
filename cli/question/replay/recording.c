/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/replay/recording.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/question/replay/names.h"
#include "format/tell.h"
#include "measure/outside/left_over.h"
#include "measure/read/store_read.h"

#define PART_PER_BILLION 1000000000
#define TIME_MOST (INT64_C(1) << 60) /* 36 years */

_Static_assert(sizeof((struct recorded_store){0}.node) == FORMAT_TEXT, "a store's node fits");

void recording_init(struct recording *r) {
  *r = (struct recording){.one_clock = true};
  arena_init(&r->arena);
  text_init(&r->unpaired);
  left_over_init(&r->doubtful);
}

void recording_clear(struct recording *r) {
  for (size_t i = 0; i < r->stores.count; i++)
    mem_free(r->stores.data[i].path);
  vector_clear(&r->stores);
  vector_clear(&r->events);
  arena_clear(&r->arena);
  text_clear(&r->unpaired);
  left_over_clear(&r->doubtful);
}

const struct recorded_store *recording_store(const struct recording *r,
                                             const struct conform_event *event) {
  return &r->stores.data[event->source >> 16];
}

/* What reading one store needs. */
struct reading {
  struct recording *recording;
  struct recorded_store *store;
  struct recorded_name *names;
  const char *no_node; /* of a store of no node of the protocol: why its events are foreign */
  uint32_t place, writer;
  bool any;
};

/* The first record that a log still has, when it is not the first ever. */
static void note_beginning(struct reading *reading, const struct store_record *record) {
  struct recorded_store *store = reading->store;
  bool first = !reading->any || reading->writer != record->writer;
  reading->any = true;
  reading->writer = record->writer;
  if (!first || record->position == 1)
    return;
  if (record->record.instance >= store->first_whole)
    store->first_whole = (uint64_t)record->record.instance + 1;
  if (record->record.end > store->whole_after)
    store->whole_after = record->record.end;
}

static int visit(void *context, const struct store_record *record) {
  struct reading *reading = context;
  struct recorded_store *store = reading->store;
  const struct record *from = &record->record;
  note_beginning(reading, record);
  struct recorded_name name = reading->names[from->name];
  if (!store->closed && (!store->has_last || from->instance > store->last)) {
    store->has_last = true;
    store->last = from->instance;
  }
  if (name.kind < 0)
    return 0;
  struct conform_event event = {.role = store->role,
                                .start = (int64_t)from->start,
                                .end = (int64_t)from->end,
                                .position = record->position,
                                .source = reading->place << 16 | (record->writer & 0xffff),
                                .instance = from->instance,
                                .node = store->index,
                                .kind = (uint8_t)name.kind,
                                .count = from->count,
                                .sending_unknown = from->kind == FORMAT_ARRIVAL};
  event.what.text = name.what;
  if (reading->no_node != NULL && name.kind != CONFORM_REQUEST && name.kind != CONFORM_PART) {
    event.kind = CONFORM_FOREIGN;
    event.what.text = reading->no_node;
  }
  memcpy(event.arguments, from->arguments, sizeof event.arguments);
  vector_push(&reading->recording->events, event);
  return 0;
}

static void read_events(struct recording *r, const struct interpreter *interpreter,
                        const struct store_reader *reader, const char *request) {
  struct recorded_store *store = &r->stores.data[r->stores.count - 1];
  struct reading reading = {.recording = r, .store = store, .place = (uint32_t)r->stores.count - 1};
  uint32_t count = store_reader_facts(reader)->names;
  reading.names = mem_alloc(RECORD_NAME_MAX + 1, sizeof *reading.names);
  for (uint32_t i = 0; i <= RECORD_NAME_MAX; i++)
    reading.names[i].kind = -1;
  for (uint32_t i = 0; i < count && i <= RECORD_NAME_MAX; i++) {
    reading.names[i] =
        recording_name(interpreter->model, store_reader_name(reader, i), request, &r->arena);
    r->has_requests |= reading.names[i].kind == CONFORM_REQUEST;
  }
  if (store->role == NULL) {
    struct text text;
    text_init(&text);
    if (store->node[0] == '\0')
      text_append(&text, "comes from a process that was not told which node it is: set "
                         "TAILPROOF_NODE, or give `tailproof record` --node");
    else
      text_format(&text,
                  "comes from \"%s\", which is no node of the protocol with these parameters",
                  store->node);
    reading.no_node = arena_text(&r->arena, text.data, text.length);
    text_clear(&text);
  }
  store_reader_each(reader, visit, &reading);
  mem_free(reading.names);
}

static uint64_t in_ppb(uint64_t up, uint64_t down) {
  uint64_t ppb = (uint64_t)((unsigned __int128)(up - down) * PART_PER_BILLION / down);
  return ppb < PART_PER_BILLION ? ppb + (up != down) : PART_PER_BILLION;
}

/* One clock for all, or none. The rate is the first store's. */
static void note_clock(struct recording *r, const struct format_header *header,
                       uint64_t *identity) {
  if (r->stores.count == 1) {
    *identity = header->clock_identity;
    r->rate = header->ns_per_tick_down;
  }
  r->one_clock &= header->clock_identity == *identity;
  uint64_t most = header->ns_per_tick_up > r->rate ? header->ns_per_tick_up : r->rate;
  uint64_t least = header->ns_per_tick_down < r->rate ? header->ns_per_tick_down : r->rate;
  uint64_t ppb = in_ppb(most, least);
  r->rate_ppb = ppb > r->rate_ppb ? ppb : r->rate_ppb;
  r->rounding_ns = r->rate == UINT64_C(1) << 32 ? 0 : 1;
  uint64_t reading = header->clock_resolution_ns + (header->clock_cost_ps + 999) / 1000;
  if (reading > INT32_MAX)
    reading = INT32_MAX;
  r->reading_ns = (int64_t)reading > r->reading_ns ? (int64_t)reading : r->reading_ns;
}

static bool is_there(const struct recording *r, const struct format_header *header) {
  for (size_t i = 0; i < r->stores.count; i++) {
    const struct recorded_store *store = &r->stores.data[i];
    if (store->process == header->process && store->start_ticks == header->start_ticks &&
        store->start_realtime_ns == header->start_realtime_ns &&
        strcmp(store->node, header->node) == 0)
      return true;
  }
  return false;
}

/* Each share once, however many stores the pairing wrote. */
static enum status note_unpaired(struct recording *r, const char *path, struct text *message) {
  struct left_over left;
  struct text line;
  left_over_init(&left);
  text_init(&line);
  enum status status = left_over_read(&left, path, message);
  left_over_tell(&line, &left);
  if (line.length != 0)
    text_append(&line, "\n");
  if (line.length != 0 && strstr(text_get(&r->unpaired), line.data) == NULL)
    text_append(&r->unpaired, line.data);
  left_over_take_doubtful(&r->doubtful, &left);
  text_clear(&line);
  left_over_clear(&left);
  return status;
}

static enum status add_store(struct recording *r, const struct interpreter *interpreter,
                             const char *path, const char *request, uint64_t *identity,
                             struct text *message) {
  char line[1024] = "";
  struct store_reader *reader;
  int failed = store_reader_open(&reader, path, line, sizeof line);
  if (failed != 0) {
    static const struct format_wanted wanted = {1u << YIELDS_STORE, "recordings", ""};
    if (!format_refuse_file(message, path, &wanted))
      text_append(message, line);
    return failed == EBADMSG || failed == EPROTO ? STATUS_DATA : STATUS_NO_INPUT;
  }
  const struct store_facts *facts = store_reader_facts(reader);
  enum status status = STATUS_OK;
  if (facts->damaged || facts->clock_off || r->stores.count > UINT16_MAX) {
    text_format(message,
                facts->damaged     ? "%s: the store is damaged, an unknown part is missing; "
                                     "record the run again"
                : facts->clock_off ? "%s: the time stamp counter did not keep the rate that it was "
                                     "calibrated to; record with TAILPROOF_CLOCK_MONOTONIC"
                                   : "%s: there are more than 65536 stores",
                path);
    status = STATUS_DATA;
  } else if (is_there(r, facts->header)) {
    text_format(message, "%s: is a store that was read already; name each once", path);
    status = STATUS_DATA;
  } else {
    struct recorded_store store = {.path = mem_copy_text(path, strlen(path)),
                                   .records = facts->records,
                                   .process = facts->header->process,
                                   .start_ticks = facts->header->start_ticks,
                                   .start_realtime_ns = facts->header->start_realtime_ns,
                                   .refused = facts->refused,
                                   .torn = facts->torn,
                                   .overwritten = facts->overwritten,
                                   .closed = facts->closed != 0};
    memcpy(store.node, facts->header->node, sizeof store.node);
    if (!recording_node(interpreter, store.node, &store.role, &store.index))
      store.role = NULL;
    vector_push(&r->stores, store);
    note_clock(r, facts->header, identity);
    read_events(r, interpreter, reader, request);
    status = note_unpaired(r, path, message);
  }
  store_reader_close(reader);
  return status;
}

static int is_store(const struct dirent *entry) {
  size_t length = strlen(entry->d_name);
  return length > 4 && strcmp(entry->d_name + length - 4, ".tps") == 0;
}

static enum status add_folder(struct recording *r, const struct interpreter *interpreter,
                              const char *folder, const char *request, uint64_t *identity,
                              struct text *message) {
  struct dirent **entries;
  int count = scandir(folder, &entries, is_store, alphasort);
  if (count < 0) {
    text_format(message, "%s: cannot be read: %s", folder, strerror(errno));
    return STATUS_NO_INPUT;
  }
  enum status status = STATUS_OK;
  if (count == 0) {
    text_format(message, "%s: has no store (.tps); name the folder that the run recorded into",
                folder);
    status = STATUS_NO_INPUT;
  }
  for (int i = 0; i < count; i++) {
    struct text path;
    text_init(&path);
    text_format(&path, "%s/%s", folder, entries[i]->d_name);
    if (status == STATUS_OK)
      status = add_store(r, interpreter, text_get(&path), request, identity, message);
    text_clear(&path);
    free(entries[i]);
  }
  free(entries);
  return status;
}

struct store_place {
  uint32_t instance, at;
};

static int compare_places(const void *x, const void *y) {
  const struct store_place *a = x, *b = y;
  if (a->instance != b->instance)
    return a->instance < b->instance ? -1 : 1;
  return a->at < b->at ? -1 : a->at > b->at;
}

/* Puts the events of each instance together. */
static void sort_events(struct recording *r) {
  size_t count = r->events.count;
  struct store_place *places = mem_alloc(count, sizeof *places);
  struct conform_event *sorted = mem_alloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++)
    places[i] = (struct store_place){r->events.data[i].instance, (uint32_t)i};
  qsort(places, count, sizeof *places, compare_places);
  for (size_t i = 0; i < count; i++)
    sorted[i] = r->events.data[places[i].at];
  mem_free(places);
  mem_free(r->events.data);
  r->events.data = sorted;
  r->events.capacity = count;
}

/* Whatever the ticks, so small that sums and differences of times fit. */
static int64_t to_ns(const struct recording *r, uint64_t tick) {
  unsigned __int128 ns = ((unsigned __int128)(tick - r->base) * r->rate) >> 32;
  return ns > TIME_MOST ? TIME_MOST : (int64_t)ns;
}

static void convert_times(struct recording *r) {
  r->base = UINT64_MAX;
  for (size_t i = 0; i < r->events.count; i++)
    if ((uint64_t)r->events.data[i].start < r->base)
      r->base = (uint64_t)r->events.data[i].start;
  for (size_t i = 0; i < r->events.count; i++) {
    struct conform_event *event = &r->events.data[i];
    event->start = to_ns(r, (uint64_t)event->start);
    event->end = to_ns(r, (uint64_t)event->end);
  }
  for (size_t i = 0; i < r->stores.count; i++) {
    uint64_t *after = &r->stores.data[i].whole_after;
    *after = *after <= r->base ? 0 : (uint64_t)to_ns(r, *after);
  }
}

enum status recording_read(struct recording *r, const struct interpreter *interpreter,
                           const char *const *paths, size_t count, const char *request,
                           struct text *message) {
  uint64_t identity = 0;
  enum status status = STATUS_OK;
  for (size_t i = 0; i < count && status == STATUS_OK; i++) {
    struct stat about;
    bool folder = stat(paths[i], &about) == 0 && S_ISDIR(about.st_mode);
    status = folder ? add_folder(r, interpreter, paths[i], request, &identity, message)
                    : add_store(r, interpreter, paths[i], request, &identity, message);
  }
  if (status != STATUS_OK)
    return status;
  if (request != NULL && !r->has_requests) {
    text_format(message, "--request %s: no store of this run has a request of that name", request);
    return STATUS_USAGE;
  }
  if (r->events.count == 0 || r->events.count > UINT32_MAX) {
    text_format(message, "%s: %s", paths[0],
                r->events.count == 0 ? "the stores have no event of the protocol; were its actions "
                                       "and messages registered by their names?"
                                     : "more than 2^32 events");
    return STATUS_DATA;
  }
  convert_times(r);
  sort_events(r);
  return STATUS_OK;
}

bool recording_lacks_beginning(const struct recording *r, const struct conform_event *first,
                               size_t count) {
  for (size_t i = 0; i < r->stores.count; i++) {
    const struct recorded_store *store = &r->stores.data[i];
    if (store->overwritten == 0)
      continue;
    if (first->instance < store->first_whole)
      return true;
    for (size_t e = 0; e < count && r->one_clock; e++)
      if (first[e].start <= (int64_t)store->whole_after)
        return true;
  }
  return false;
}

bool recording_may_lack_end(const struct recording *r, uint32_t instance) {
  for (size_t i = 0; i < r->stores.count; i++)
    if (!r->stores.data[i].closed &&
        (!r->stores.data[i].has_last || instance >= r->stores.data[i].last))
      return true;
  return false;
}
