/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/law/span_table.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/question/law/span_cell.h"
#include "cli/question/law/span_map.h"
#include "format/tell.h"
#include "trace/fold/open.h"

enum { COLUMNS_MAX = 4000 };

struct making {
  const struct span_table_request *request;
  struct span_map map;
  struct span_store store;
  VECTOR(uint32_t) rows;   /* of the table: requests of the store */
  VECTOR(uint32_t) rounds; /* by occurrence: columns that it has */
  struct span_cells cells;
};

static bool is_wanted(const struct making *making, const struct request *request) {
  const struct span_store *store = &making->store;
  return making->map.service == NULL ||
         (strcmp(names_text(&store->names, store->service.data[request->first]),
                 making->map.service) == 0 &&
          strcmp(names_text(&store->names, store->operation.data[request->first]),
                 making->map.operation) == 0);
}

/* Without a kind in the map all requests have to be of one. */
static enum status check_roots(const struct making *making) {
  const struct span_store *store = &making->store;
  uint32_t first = store->requests.data[0].first;
  for (size_t i = 1; i < store->requests.count && making->map.service == NULL; i++) {
    uint32_t root = store->requests.data[i].first;
    if (store->service.data[root] == store->service.data[first] &&
        store->operation.data[root] == store->operation.data[first])
      continue;
    return asker_fail(making->request->asker, STATUS_USAGE,
                      "%s: holds requests %s/%s and %s/%s; say which are meant with --spans "
                      "FILE.yaml, in a line \"request: SERVICE/OPERATION\"",
                      making->request->traces[0],
                      names_text(&store->names, store->service.data[first]),
                      names_text(&store->names, store->operation.data[first]),
                      names_text(&store->names, store->service.data[root]),
                      names_text(&store->names, store->operation.data[root]));
  }
  return STATUS_OK;
}

struct started {
  int64_t start;
  uint32_t request;
};

static int started_compare(const void *a, const void *b) {
  const struct started *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->request < y->request ? -1 : x->request > y->request;
}

/* The requests that are meant, in the order of their starts. */
static enum status choose_rows(struct making *making, struct ledger *ledger) {
  const struct span_store *store = &making->store;
  struct started *started = mem_alloc(store->requests.count, sizeof *started);
  size_t count = 0;
  for (uint32_t i = 0; i < store->requests.count; i++)
    if (is_wanted(making, &store->requests.data[i]))
      started[count++] = (struct started){store->start.data[store->requests.data[i].first], i};
  if (count > 1)
    qsort(started, count, sizeof *started, started_compare);
  for (size_t i = 0; i < count; i++)
    vector_push(&making->rows, started[i].request);
  mem_free(started);
  if (count == 0)
    return asker_fail(making->request->asker, STATUS_DATA, "%s: no request is called %s/%s",
                      making->request->traces[0], making->map.service, making->map.operation);
  if (count < store->requests.count)
    ledger_note(ledger, LEDGER_DATA, "%zu of %zu recorded requests are of the kind that is meant",
                count, store->requests.count);
  return STATUS_OK;
}

/* How many columns each occurrence has; 1 of one without k. */
static enum status count_rounds(struct making *making) {
  size_t columns = 0;
  for (size_t o = 0; o < making->map.occurrences.count; o++) {
    const struct span_occurrence *occurrence = &making->map.occurrences.data[o];
    uint32_t rounds = 1;
    for (size_t r = 0; r < making->rows.count && occurrence->each; r++) {
      uint32_t made = span_cell_rounds(&making->cells, occurrence, making->rows.data[r]);
      rounds = made > rounds ? made : rounds;
    }
    vector_push(&making->rounds, rounds);
    columns += rounds;
  }
  if (columns <= COLUMNS_MAX)
    return STATUS_OK;
  return asker_fail(making->request->asker, STATUS_DATA,
                    "%s: makes %zu columns, and a table has at most %d", making->request->map,
                    columns, COLUMNS_MAX);
}

static void write_head(struct text *table, const struct making *making) {
  text_append(table, "status,request_ns");
  for (size_t o = 0; o < making->map.occurrences.count; o++)
    for (uint32_t k = 1; k <= making->rounds.data[o]; k++) {
      text_append(table, ",\"");
      span_occurrence_say(table, &making->map.occurrences.data[o], k);
      text_append(table, "_ns\"");
    }
  text_append(table, "\n");
}

static enum status write_row(struct text *table, struct making *making, uint32_t request) {
  const struct request *of = &making->store.requests.data[request];
  bool failed = making->store.status.data[of->first] == SPAN_ERROR;
  text_format(table, "%s,%" PRId64, failed ? "error" : "ok",
              span_store_latency(&making->store, of));
  for (size_t o = 0; o < making->map.occurrences.count; o++)
    for (uint32_t k = 1; k <= making->rounds.data[o]; k++) {
      struct span_cell cell;
      if (!span_cell_of(&cell, &making->cells, &making->map.occurrences.data[o], request, k))
        return asker_fail(making->request->asker, STATUS_DATA, "%s:%u: %s", making->request->map,
                          making->map.occurrences.data[o].line, text_get(&making->cells.message));
      text_append(table, ",");
      if (cell.state == CELL_ABSENT)
        text_append(table, "-");
      else if (cell.state == CELL_VALUE && cell.lower == cell.upper)
        text_format(table, "%" PRId64, cell.lower);
      else if (cell.state == CELL_VALUE)
        text_format(table, "%" PRId64 "..%" PRId64, cell.lower, cell.upper);
    }
  text_append(table, "\n");
  return STATUS_OK;
}

static enum status write_table(struct text *table, struct making *making, struct ledger *ledger) {
  span_cells_init(&making->cells, &making->store, &making->map);
  enum status status = check_roots(making);
  if (status == STATUS_OK)
    status = choose_rows(making, ledger);
  if (status == STATUS_OK && making->request->latencies)
    span_map_keep_request(&making->map);
  if (status == STATUS_OK && !span_cells_check(&making->cells))
    status = asker_fail(making->request->asker, STATUS_DATA, "%s:%s", making->request->map,
                        text_get(&making->cells.message));
  if (status == STATUS_OK)
    status = count_rounds(making);
  if (status == STATUS_OK)
    write_head(table, making);
  for (size_t r = 0; r < making->rows.count && status == STATUS_OK; r++)
    status = write_row(table, making, making->rows.data[r]);
  if (status == STATUS_OK)
    span_cells_note(&making->cells, ledger);
  span_cells_clear(&making->cells);
  return status;
}

enum status span_table_make(struct text *table, const struct span_table_request *request,
                            struct ledger *ledger) {
  struct making making = {.request = request};
  struct text message;
  enum status status = STATUS_OK;
  text_init(&message);
  span_store_init(&making.store);
  if (request->map != NULL && !span_map_read(&making.map, request->map, &message))
    status = asker_fail(request->asker, STATUS_DATA, "%s", text_get(&message));
  const struct trace_reading reading = {.keep = true};
  if (status == STATUS_OK)
    status = trace_open_recorded(&making.store, request->traces, request->trace_count, &reading,
                                 ledger, request->asker);
  if (status == STATUS_OK && making.store.requests.count == 0)
    status = asker_fail(request->asker, STATUS_DATA, "%s: holds no request", request->traces[0]);
  if (status == STATUS_OK)
    status = write_table(table, &making, ledger);
  vector_clear(&making.rows);
  vector_clear(&making.rounds);
  span_store_clear(&making.store);
  span_map_clear(&making.map);
  text_clear(&message);
  return status;
}

static bool holds_spans(const char *path) {
  struct format_told told = format_tell_file(path);
  return told.id != KNOWN_NONE && format_row(told.id)->yields == YIELDS_SPANS;
}

bool span_table_is_of(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0)
    return false;
  if (!S_ISDIR(about.st_mode))
    return S_ISREG(about.st_mode) && holds_spans(path);
  DIR *folder = opendir(path);
  bool found = false;
  for (struct dirent *entry; folder != NULL && !found && (entry = readdir(folder)) != NULL;) {
    struct text file;
    text_init(&file);
    text_format(&file, "%s/%s", path, entry->d_name);
    found = stat(text_get(&file), &about) == 0 && S_ISREG(about.st_mode) &&
            holds_spans(text_get(&file));
    text_clear(&file);
  }
  if (folder != NULL)
    closedir(folder);
  return found;
}
