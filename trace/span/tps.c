/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/tps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/core/ticks.h"
#include "base/hash.h"
#include "trace/span/tps_inside.h"

enum { SORTED_BYTES = 32 << 20 };

struct tps *tps_new(struct intake *intake) {
  struct tps *tps = mem_alloc(1, sizeof *tps);
  tps->intake = intake;
  tps->sort = spans_sort_new(&intake->store->names, SORTED_BYTES);
  text_init(&tps->ids);
  return tps;
}

void tps_free(struct tps *tps) {
  if (tps == NULL)
    return;
  for (size_t i = 0; i < tps->runs.count; i++)
    mem_free(tps->runs.data[i].folder);
  spans_sort_free(tps->sort);
  vector_clear(&tps->clocks);
  vector_clear(&tps->runs);
  vector_clear(&tps->processes);
  vector_clear(&tps->stores);
  vector_clear(&tps->parts);
  vector_clear(&tps->stack);
  vector_clear(&tps->letters);
  vector_clear(&tps->pairs);
  text_clear(&tps->ids);
  mem_free(tps);
}

/* ---- stores */

static struct tps_clock clock_of(struct tps *tps, const struct format_header *header) {
  for (size_t i = 0; i < tps->clocks.count; i++)
    if (tps->clocks.data[i].identity == header->clock_identity)
      return tps->clocks.data[i];
  struct tps_clock clock = {header->clock_identity, header->start_ticks, header->ns_per_tick_down,
                            (int64_t)(header->start_realtime_ns % (uint64_t)SPAN_TIME_MAX)};
  vector_push(&tps->clocks, clock);
  return clock;
}

static struct tps_run *run_of(struct tps *tps, const char *path) {
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - path);
  for (size_t i = 0; i < tps->runs.count; i++)
    if (strlen(tps->runs.data[i].folder) == length &&
        memcmp(tps->runs.data[i].folder, path, length) == 0)
      return &tps->runs.data[i];
  vector_push(&tps->runs, (struct tps_run){.folder = mem_copy_text(path, length)});
  return &tps->runs.data[tps->runs.count - 1];
}

/* Ticks before the first store was opened are those of other processes. */
static int64_t moment(const struct tps_clock *clock, uint64_t ticks) {
  bool before = ticks < clock->ticks;
  uint64_t ns = ticks_to_ns_down(before ? clock->ticks - ticks : ticks - clock->ticks, clock->rate);
  uint64_t most = (uint64_t)(SPAN_TIME_MAX - clock->realtime);
  ns = ns < most ? ns : most;
  return before ? clock->realtime - (int64_t)ns : clock->realtime + (int64_t)ns;
}

/* The first record that a log still has, when it is not the first ever. */
static void note_beginning(struct tps *tps, const struct store_record *record) {
  bool first = !tps->any || tps->writer != record->writer;
  tps->any = true;
  tps->writer = record->writer;
  if (first && record->position != 1 && record->record.instance >= tps->run->first_whole)
    tps->run->first_whole = (uint64_t)record->record.instance + 1;
}

static bool is_message(unsigned kind) {
  return kind == FORMAT_SEND || kind == FORMAT_DELAY || kind == FORMAT_WAIT;
}

uint32_t tps_name(struct tps *tps, const char *text) {
  return names_number(&tps->intake->store->names, (struct slice){text, strlen(text)});
}

static int visit(void *context, const struct store_record *record) {
  struct tps *tps = context;
  const struct record *from = &record->record;
  struct intake *intake = tps->intake;
  const struct format_name *name = store_reader_name(tps->reader, from->name);
  note_beginning(tps, record);
  tps->intake->notes.without_request += from->instance == 0;
  if (name == NULL || from->instance == 0 || from->kind == FORMAT_ARRIVAL ||
      from->kind == FORMAT_ROUNDTRIP)
    return 0;
  bool message = is_message(from->kind), series = message && name->series[0] != '\0';
  struct text id;
  text_init(&id);
  text_format(&id, "%s#%010u", tps->run->folder, from->instance);
  /* not tags yet: they say where and what this is */
  struct span_tag about[] = {{tps->place << 8 | (record->writer & 0xff), from->kind},
                             {message ? tps_name(tps, name->name) : 0, 0}};
  uint32_t operation = tps_name(tps, series ? name->series : name->name);
  struct span_record made = {
      .id = {"", 0},
      .parent = {"", 0},
      .service = intake_text(intake, tps->node),
      .operation = intake_text(intake, operation),
      .instance = intake_text(intake, tps->host),
      .start = moment(&tps->clock, from->start),
      .end = moment(&tps->clock, from->end),
      .tags = about,
      .tag_count = 2,
  };
  tps->status = spans_sort_add(tps->sort, (struct slice){id.data, id.length}, &made);
  text_clear(&id);
  return tps->status != STATUS_OK;
}

static enum status fail_facts(struct tps *tps, const struct store_facts *facts, const char *path) {
  return asker_fail(tps->intake->asker, STATUS_DATA,
                    facts->damaged
                        ? "%s: the store is damaged, an unknown part is missing; record again"
                        : "%s: the time stamp counter did not keep the rate that it was calibrated "
                          "to; record with TAILPROOF_CLOCK_MONOTONIC",
                    path);
}

/* The same store again, by another name or in another folder. */
static bool was_read(struct tps *tps, const struct format_header *header) {
  uint64_t hash = hash_bytes(4, (struct slice){header->node, strlen(header->node)});
  hash = hash_bytes(hash, (struct slice){header->host, strlen(header->host)});
  hash = hash_word(hash_word(hash, header->process), header->start_ticks);
  hash = hash_word(hash, header->start_realtime_ns);
  for (size_t i = 0; i < tps->stores.count; i++)
    if (tps->stores.data[i] == hash)
      return true;
  vector_push(&tps->stores, hash);
  return false;
}

/* The next place, and its process. */
static void begin_place(struct tps *tps, uint64_t process) {
  char number[24] = "";
  if (tps->intake->reading->processes)
    snprintf(number, sizeof number, "%" PRIu64, process);
  if (tps->processes.count == 0)
    vector_push(&tps->processes, 0);
  vector_push(&tps->processes, tps_name(tps, number));
  tps->place++;
}

/* Of a folder, once: how many requests could not be paired. */
static enum status count_unpaired(struct tps *tps, const char *path) {
  const char *slash = strrchr(path, '/');
  struct text name;
  text_init(&name);
  text_format(&name, "%.*s" TPS_LEFT_OVER, slash == NULL ? 0 : (int)(slash - path + 1), path);
  FILE *file = fopen(name.data, "r");
  char line[256];
  unsigned long long count;
  bool known = file == NULL; /* stores that a program recorded itself have none */
  while (!known && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "unpaired %llu", &count) == 1) {
      tps->intake->notes.unpaired += count;
      known = true;
    }
  if (file != NULL)
    fclose(file);
  enum status status = STATUS_OK;
  if (!known)
    status = asker_fail(tps->intake->asker, STATUS_DATA,
                        "%s: does not say how many requests are \"unpaired\"; copy it again with "
                        "its stores, or pair again",
                        name.data);
  text_clear(&name);
  return status;
}

static enum status read_store(struct tps *tps, const char *path) {
  const struct store_facts *facts = store_reader_facts(tps->reader);
  struct span_names *names = &tps->intake->store->names;
  if (facts->damaged || facts->clock_off)
    return fail_facts(tps, facts, path);
  const struct format_header *header = facts->header;
  if (was_read(tps, header)) {
    tps->intake->notes.stores_again++;
    return STATUS_OK;
  }
  const char *node = header->node[0] == '\0' ? header->program : header->node;
  tps->clock = clock_of(tps, header);
  size_t runs = tps->runs.count;
  tps->run = run_of(tps, path);
  enum status status = runs == tps->runs.count ? STATUS_OK : count_unpaired(tps, path);
  if (status != STATUS_OK)
    return status;
  tps->node = names_number(names, (struct slice){node, strlen(node)});
  tps->host = names_number(names, (struct slice){header->host, strlen(header->host)});
  begin_place(tps, header->process);
  tps->any = false;
  tps->not_closed += !facts->closed;
  tps->status = STATUS_OK;
  store_reader_each(tps->reader, visit, tps);
  if (tps->status != STATUS_OK)
    asker_say(tps->intake->asker, SAYING_FAILURE, "%s", spans_sort_failure(tps->sort));
  return tps->status;
}

enum status tps_read(struct tps *tps, const char *path) {
  char line[1024] = "";
  struct store_reader *reader;
  if (store_reader_open(&reader, path, line, sizeof line) != 0)
    return asker_fail(tps->intake->asker, STATUS_DATA, "%s", line);
  tps->reader = reader;
  enum status status = read_store(tps, path);
  store_reader_close(reader);
  return status;
}

/* ---- requests */

static int by_place_and_time(const void *a, const void *b) {
  const struct tps_part *x = a, *y = b;
  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->end < y->end) - (x->end > y->end);
}

static bool is_step(const struct tps_part *part) {
  return part->kind == FORMAT_ACTION || part->kind == FORMAT_COMPONENT;
}

/* What a writer recorded within a step of its own is part of that. */
static void nest(struct tps *tps) {
  struct tps_part *parts = tps->parts.data;
  qsort(parts, tps->parts.count, sizeof *parts, by_place_and_time);
  tps->stack.count = 0;
  for (size_t i = 0; i < tps->parts.count; i++) {
    parts[i].above = SIZE_MAX;
    if (!is_step(&parts[i]))
      continue;
    while (tps->stack.count != 0) {
      const struct tps_part *top = &parts[tps->stack.data[tps->stack.count - 1]];
      if (top->node == parts[i].node && parts[i].end <= top->end && parts[i].start < top->end)
        break;
      tps->stack.count--;
    }
    if (tps->stack.count != 0)
      parts[i].above = tps->stack.data[tps->stack.count - 1];
    vector_push(&tps->stack, i);
  }
  for (size_t i = 0; i < tps->parts.count; i++)
    if (parts[i].kind == TPS_MESSAGE)
      tps->pairs.data[parts[i].pair] = i;
  for (size_t i = 0; i < tps->parts.count; i++)
    if (parts[i].kind != TPS_MESSAGE && parts[i].pair != 0)
      parts[i].above = tps->pairs.data[parts[i].pair];
}

/* The longest that was recorded as a request; SIZE_MAX without one. */
static size_t find_request(const struct tps *tps) {
  const struct tps_part *parts = tps->parts.data;
  size_t found = SIZE_MAX;
  for (size_t i = 0; i < tps->parts.count; i++)
    if (parts[i].kind == FORMAT_REQUEST &&
        (found == SIZE_MAX ||
         parts[i].end - parts[i].start > parts[found].end - parts[found].start))
      found = i;
  return found;
}

/* Ids are numbers of fixed width; the root's is that of no part. */
static struct slice id_of(const struct tps *tps, size_t part) {
  size_t place = part == SIZE_MAX ? tps->parts.count : part;
  return (struct slice){tps->ids.data + 8 * place, 8};
}

/* What a part's process is, as a tag; returns how many tags. */
static size_t tag_process(struct tps *tps, struct span_tag *tag, const struct tps_part *part) {
  uint32_t process = tps->processes.data[part->node >> 8];
  *tag = (struct span_tag){process == 0 ? 0 : tps_name(tps, "process.pid"), process};
  return process != 0;
}

static void add_root(struct tps *tps, size_t request) {
  struct span_record root = {.id = id_of(tps, SIZE_MAX),
                             .parent = {"", 0},
                             .service = {"", 0},
                             .operation = {"request", 7},
                             .instance = {"", 0},
                             .kind = SPAN_SERVER};
  const struct tps_part *parts = tps->parts.data;
  struct span_tag tag;
  if (request != SIZE_MAX) {
    root.tags = &tag;
    root.tag_count = tag_process(tps, &tag, &parts[request]);
    root.service = parts[request].service;
    root.operation = parts[request].operation;
    root.instance = parts[request].instance;
    root.start = parts[request].start;
    root.end = parts[request].end;
  } else {
    root.start = parts[0].start;
    root.end = parts[0].end;
    for (size_t i = 0; i < tps->parts.count; i++) {
      root.start = parts[i].start < root.start ? parts[i].start : root.start;
      root.end = parts[i].end > root.end ? parts[i].end : root.end;
    }
  }
  intake_add(tps->intake, &root);
}

static void add_child(struct tps *tps, size_t index) {
  const struct tps_part *part = &tps->parts.data[index];
  struct span_tag tag;
  size_t tags = tag_process(tps, &tag, part);
  intake_add(tps->intake, &(struct span_record){.id = id_of(tps, index),
                                                .parent = id_of(tps, part->above),
                                                .service = part->service,
                                                .operation = part->operation,
                                                .instance = part->instance,
                                                .start = part->start,
                                                .end = part->end,
                                                .kind = SPAN_INTERNAL,
                                                .tags = &tag,
                                                .tag_count = tags});
}

static void begin_request(void *context, struct slice trace_id) {
  struct tps *tps = context;
  tps->trace_id = trace_id;
  tps->parts.count = 0;
}

static void add_part(void *context, const struct span_record *record) {
  struct tps *tps = context;
  vector_push(&tps->parts, (struct tps_part){.start = record->start,
                                             .end = record->end,
                                             .service = record->service,
                                             .operation = record->operation,
                                             .instance = record->instance,
                                             .node = record->tags[0].key,
                                             .kind = record->tags[0].value,
                                             .message = record->tags[1].key});
}

/* Whether nothing of the request at hand can have been overwritten. */
static bool is_whole(const struct tps *tps) {
  size_t length = tps->trace_id.length - strlen("#0123456789");
  for (size_t i = 0; i < tps->runs.count; i++)
    if (strlen(tps->runs.data[i].folder) == length &&
        memcmp(tps->runs.data[i].folder, tps->trace_id.start, length) == 0)
      return strtoull(tps->trace_id.start + length + 1, NULL, 10) >= tps->runs.data[i].first_whole;
  return true;
}

static enum status finish_request(void *context) {
  struct tps *tps = context;
  if (!is_whole(tps)) {
    tps->intake->notes.overwritten++;
    return STATUS_OK;
  }
  tps_join_messages(tps);
  if (tps->parts.count == 0)
    return STATUS_OK;
  nest(tps);
  text_clear(&tps->ids);
  for (size_t i = 0; i <= tps->parts.count; i++)
    text_format(&tps->ids, "%08zu", i % 100000000);
  size_t request = find_request(tps);
  intake_begin(tps->intake, tps->trace_id);
  add_root(tps, request);
  for (size_t i = 0; i < tps->parts.count; i++)
    if (i != request)
      add_child(tps, i);
  return intake_finish(tps->intake);
}

enum status tps_finish(struct tps *tps) {
  tps->intake->notes.not_closed += tps->not_closed;
  enum status status = spans_sort_finish(
      tps->sort, &(struct spans_sort_hearer){tps, begin_request, add_part, finish_request});
  const char *failure = spans_sort_failure(tps->sort);
  if (*failure != '\0')
    asker_say(tps->intake->asker, SAYING_FAILURE, "%s", failure);
  return status;
}
