/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/store/gather.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/question/store/fetch.h"
#include "cli/question/store/gather_file.h"
#include "dist/source/source.h"
#include "format/tell.h"
#include "measure/read/store_read.h"

enum { MESSAGE_SIZE = 4096 };

static char *copy(const char *text) {
  return mem_copy_text(text, strlen(text));
}

static bool ends_in(const char *name, const char *suffix) {
  size_t length = strlen(name), size = strlen(suffix);
  return length > size && strcmp(name + length - size, suffix) == 0;
}

static void keep_facts(struct gather *gather, const struct store_facts *facts, const char *path) {
  struct gathered_store store = {.path = copy(path),
                                 .node = copy(facts->header->node),
                                 .host = copy(facts->header->host),
                                 .process = facts->header->process,
                                 .records = facts->records,
                                 .overwritten = facts->overwritten,
                                 .torn = facts->torn,
                                 .refused = facts->refused,
                                 .bad_stamps = facts->bad_stamps,
                                 .closed = facts->closed != 0};
  vector_push(&gather->stores, store);
}

static const struct format_wanted stores_wanted = {1u << YIELDS_STORE, "recordings", ""};

static enum status add_store(struct gather *gather, const char *path, struct text *message) {
  struct store_reader *reader;
  char line[MESSAGE_SIZE];
  int error = store_reader_open(&reader, path, line, sizeof line);
  if (error != 0) {
    if (!format_refuse_file(message, path, &stores_wanted))
      text_append(message, line);
    return error == EBADMSG || error == EPROTO ? STATUS_DATA
           : error == ENOMEM                   ? STATUS_INTERNAL
                                               : STATUS_NO_INPUT;
  }
  enum status status = gather_store(gather, reader, path, message);
  if (status == STATUS_OK)
    keep_facts(gather, store_reader_facts(reader), path);
  store_reader_close(reader);
  return status;
}

/* --- folders --- */

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The paths of the folder's files that end so, in order; false with errno set. */
static bool list_folder(lines *paths, const char *folder, const char *suffix) {
  DIR *stream = opendir(folder);
  if (stream == NULL)
    return false;
  errno = 0;
  for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
    if (entry->d_name[0] == '.' || !ends_in(entry->d_name, suffix))
      continue;
    struct text path;
    text_init(&path);
    text_format(&path, "%s%s%s", folder, ends_in(folder, "/") ? "" : "/", entry->d_name);
    char *made = text_take(&path);
    vector_push(paths, made);
  }
  int cause = errno;
  closedir(stream);
  if (paths->count != 0)
    qsort(paths->data, paths->count, sizeof *paths->data, compare_names);
  errno = cause;
  return cause == 0;
}

static enum status add_folder(struct gather *gather, const char *folder, struct text *message) {
  lines stores = {0}, files = {0};
  enum status status = STATUS_OK;
  if (!list_folder(&stores, folder, ".tps") || !list_folder(&files, folder, ".tph")) {
    text_format(message, "%s: cannot be read as a folder: %s", folder, strerror(errno));
    status = STATUS_NO_INPUT;
  } else if (gather->imported && stores.count != 0 && files.count != 0) {
    text_format(
        message,
        "%s: holds both stores (.tps) and series (.tph), which may count the same; name the "
        "files that are meant",
        folder);
    status = STATUS_DATA;
  } else if (stores.count == 0 && (!gather->imported || files.count == 0)) {
    text_format(message, "%s: holds no store (.tps)%s; %s", folder,
                gather->imported ? " and no series (.tph)" : "",
                files.count != 0
                    ? "what was imported already is added up by `tailproof merge`"
                    : "nothing was recorded there, or it is another folder that is meant");
    status = STATUS_NO_INPUT;
  }
  for (size_t i = 0; i < stores.count && status == STATUS_OK; i++)
    status = add_store(gather, stores.data[i], message);
  for (size_t i = 0; i < files.count && status == STATUS_OK && gather->imported; i++)
    status = gather_file(gather, files.data[i], message);
  if (status == STATUS_OK && files.count != 0 && gather->imported)
    status = joined_add_folder(&gather->joined, folder, message);
  lines_clear(&stores);
  lines_clear(&files);
  return status;
}

static enum status add_address(struct gather *gather, const char *address, struct text *message) {
  char *bytes;
  size_t length;
  const struct fetch_options options = {.form = gather->text_pages ? FETCH_ANY : FETCH_PROTOBUF,
                                        .timeout_ms = gather->timeout_ms,
                                        .trust = gather->trust};
  enum status status = fetch(&bytes, &length, address, &options, message);
  if (status != STATUS_OK)
    return status;
  char *name = fetch_name(address);
  const struct source_page page = {.name = name,
                                   .bytes = bytes,
                                   .length = length,
                                   .unchecked = fetch_is_unchecked(address, &gather->trust)};
  status = gather_page(gather, NULL, &page, message);
  mem_free(name);
  mem_free(bytes);
  return status;
}

enum status gather_add(struct gather *gather, const char *path, struct text *message) {
  if (fetch_is_address(path))
    return add_address(gather, path, message);
  struct stat about;
  if (stat(path, &about) != 0) {
    text_format(message, "%s: cannot be opened: %s", path, strerror(errno));
    return STATUS_NO_INPUT;
  }
  if (S_ISDIR(about.st_mode))
    return add_folder(gather, path, message);
  if (ends_in(path, ".tps"))
    return add_store(gather, path, message);
  gather->joined.without += gather->imported;
  return gather_file(gather, path, message);
}

/* --- delays that were not measured --- */

/* Adds round trips, of which a delay may be any part. */
static bool add_trips(struct series *part, const struct sample *trips) {
  bool good = sample_add_beyond(&part->sample, trips->beyond);
  for (size_t i = 0; i < trips->count && good; i++)
    good = sample_add(&part->sample, trips->bins[i].upper_ns, trips->bins[i].count);
  return good;
}

static void note_trips(struct series *part, const struct gathered_link *link, uint64_t trips,
                       uint64_t lost) {
  struct text note;
  text_init(&note);
  if (trips != 0)
    text_format(&note,
                "%" PRIu64 " of these are round trips of a message and its answer between two "
                "clocks, taken whole: an upper bound of the delay, and none from below; messages "
                "that were never answered are not among them%s",
                trips, link->overwritten ? ", nor those whose records were overwritten" : "");
  if (lost != 0)
    text_format(&note,
                "%s%" PRIu64 " messages came from another clock and have no round trip: they are "
                "infinite",
                trips == 0 ? "" : "; ", lost);
  lines_add(&part->notes, text_get(&note));
  text_clear(&note);
}

/* What stands for them: the round trips that they began or ended, and beyond for those without. */
static enum status use_round_trips(struct gather *gather, const struct gathered_link *link,
                                   const struct series *begun, struct text *message) {
  struct series part;
  series_init(&part, link->delay);
  part.kind = FORMAT_DELAY;
  part.steps = HISTOGRAM_SUB_BUCKETS;
  uint64_t count = begun == NULL ? 0 : begun->sample.total;
  uint64_t lost = link->unknown > count ? link->unknown - count : 0;
  bool good = sample_add_beyond(&part.sample, lost) && add_trips(&part, &link->answers) &&
              (begun == NULL || add_trips(&part, &begun->sample));
  note_trips(&part, link, count + link->answers.total, lost);
  if (begun != NULL && series_table_find(&gather->table, link->delay, NULL) == NULL)
    part.stores = begun->stores;
  enum status status = STATUS_DATA;
  if (good)
    status = series_table_add(&gather->table, &part, NULL, link->delay, message);
  else
    text_format(message, "%s: would count more than 2^63-1 observations", link->delay);
  series_clear(&part);
  return status;
}

/* By index, node or host they would lack what was not measured. */
static void drop_split(struct gather *gather, const char *delay) {
  size_t kept = 0, length = strlen(delay);
  for (size_t i = 0; i < gather->table.rows.count; i++) {
    struct series *row = &gather->table.rows.data[i];
    bool whole = strcmp(row->name, delay) == 0;
    bool index = strncmp(row->name, delay, length) == 0 && row->name[length] == '.';
    if (row->kind == FORMAT_DELAY && ((whole && row->group != NULL) || index))
      series_clear(row);
    else
      gather->table.rows.data[kept++] = *row;
  }
  gather->table.rows.count = kept;
}

/* What the series does not have, as far as the logs tell. */
static void note_lost(struct gather *gather, const struct gathered_link *link) {
  struct series *row = series_table_find(&gather->table, link->delay, NULL);
  struct text note;
  text_init(&note);
  if (link->lost_records == 0 && link->sent > link->arrived)
    text_format(&note,
                "%" PRIu64 " of %" PRIu64
                " messages sent did not arrive in these recordings (lost, "
                "or still under way): they are not counted",
                link->sent - link->arrived, link->sent);
  else if (link->lost_records != 0 && link->clocks_differ)
    text_format(
        &note,
        "recorded with several clocks: messages from another clock are only known of in the "
        "logs, of which %" PRIu64 " records were overwritten",
        link->lost_records);
  if (row != NULL && note.length != 0)
    lines_add(&row->notes, text_get(&note));
  text_clear(&note);
}

static enum status settle_link(struct gather *gather, const struct gathered_link *link,
                               struct text *message) {
  const struct series *found =
      link->round_trip == NULL ? NULL : series_table_find(&gather->table, link->round_trip, NULL);
  bool measured = series_table_find(&gather->table, link->delay, NULL) != NULL;
  if (link->unknown == 0 && link->answers.total == 0 && (found == NULL || measured))
    return STATUS_OK;
  if (found == NULL && link->overwritten && link->answers.total == 0) {
    text_format(message,
                "%s: messages came from another clock and no round trip was measured; how many is "
                "not known, since logs were overwritten. Answer with tailproof_reply_at, or record "
                "with larger logs (log_records)",
                link->delay);
    return STATUS_DATA;
  }
  if (gather->by != BY_NOTHING)
    drop_split(gather, link->delay);
  found =
      link->round_trip == NULL ? NULL : series_table_find(&gather->table, link->round_trip, NULL);
  lines from = {0}; /* the table may move */
  for (size_t i = 0; found != NULL && i < found->sample.evidence.sources.list.count; i++)
    lines_add(&from, found->sample.evidence.sources.list.data[i]);
  struct series begun = {0};
  if (found != NULL)
    begun = *found;
  enum status status = use_round_trips(gather, link, found == NULL ? NULL : &begun, message);
  struct series *row = series_table_find(&gather->table, link->delay, NULL);
  for (size_t i = 0; row != NULL && i < link->from.count; i++)
    lines_add(&from, link->from.data[i]);
  for (size_t i = 0; row != NULL && i < from.count; i++)
    evidence_add_text(&row->sample.evidence.sources, from.data[i], strlen(from.data[i]));
  lines_clear(&from);
  return status;
}

enum status gather_finish(struct gather *gather, struct text *message) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < gather->links.count && status == STATUS_OK; i++)
    status = settle_link(gather, &gather->links.data[i], message);
  for (size_t i = 0; i < gather->links.count; i++)
    note_lost(gather, &gather->links.data[i]);
  series_table_finish(&gather->table);
  if (status == STATUS_OK && !gather->look)
    joined_finish(&gather->joined);
  return status;
}

void gather_clear(struct gather *gather) {
  left_over_clear(&gather->left_over);
  joined_clear(&gather->joined);
  series_table_clear(&gather->table);
  for (size_t i = 0; i < gather->stores.count; i++) {
    mem_free(gather->stores.data[i].path);
    mem_free(gather->stores.data[i].node);
    mem_free(gather->stores.data[i].host);
  }
  for (size_t i = 0; i < gather->links.count; i++) {
    mem_free(gather->links.data[i].delay);
    mem_free(gather->links.data[i].round_trip);
    sample_clear(&gather->links.data[i].answers);
    lines_clear(&gather->links.data[i].from);
  }
  vector_clear(&gather->stores);
  vector_clear(&gather->links);
}
