/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When messages were sent or delivered, as the stores of one run have it. Ticks of all stores are
 * converted by one rate, rounded down, so that equal ticks are equal times.
 *
 * A log that was overwritten keeps its latest records. What is older than the first record of such
 * a log may lack arrivals, so it is left out of all of them. What a store refused or lost otherwise
 * may have been an arrival at any time, as may what a pairing could not pair.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/question/arrivals/times.h"
#include "format/tell.h"
#include "measure/outside/left_over.h"
#include "measure/read/store_read.h"

typedef VECTOR(char *) owned_texts;

struct moment {
  uint64_t tick;
  uint32_t node, message; /* of stores_reading */
  enum times_place place;
};

struct stores_reading {
  struct ledger *ledger;
  struct text *message;
  owned_texts messages, nodes, paths;
  VECTOR(struct moment) moments; /* of all messages */
  uint64_t identity, rate, whole_after;
  uint64_t lost, overwritten;
  int64_t reading_ns;
  struct text unpaired; /* the shares that were said, a line each */
};

/* What one store is read with. */
struct log_reading {
  struct stores_reading *all;
  const struct store_reader *store;
  uint32_t node, writer;
  bool any;
};

/* Its place in the list, at the end if it is new. */
static uint32_t place_of(owned_texts *list, const char *text) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->data[i], text) == 0)
      return (uint32_t)i;
  vector_push(list, mem_copy_text(text, strlen(text)));
  return (uint32_t)list->count - 1;
}

static void texts_clear(owned_texts *list) {
  for (size_t i = 0; i < list->count; i++)
    mem_free(list->data[i]);
  vector_clear(list);
}

static void note_beginning(struct log_reading *log, const struct store_record *record) {
  bool first = !log->any || log->writer != record->writer;
  log->any = true;
  log->writer = record->writer;
  if (first && record->position != 1 && record->record.end > log->all->whole_after)
    log->all->whole_after = record->record.end;
}

static int visit_record(void *context, const struct store_record *record) {
  struct log_reading *log = context;
  note_beginning(log, record);
  const struct format_name *name = store_reader_name(log->store, record->record.name);
  if (name == NULL ||
      (name->kind != FORMAT_SEND && name->kind != FORMAT_DELAY && name->kind != FORMAT_ARRIVAL))
    return 0;
  struct moment moment = {record->record.end, log->node, place_of(&log->all->messages, name->name),
                          name->kind == FORMAT_SEND ? TIMES_SENT : TIMES_DELIVERED};
  vector_push(&log->all->moments, moment);
  return 0;
}

static enum status fail_store(struct stores_reading *all, const char *path, const char *what) {
  text_format(all->message, "%s: %s", path, what);
  return STATUS_DATA;
}

static enum status check_clock(struct stores_reading *all, const char *path,
                               const struct store_facts *facts) {
  const struct format_header *header = facts->header;
  if (all->rate == 0) {
    all->identity = header->clock_identity;
    all->rate = header->ns_per_tick_down;
  }
  uint64_t reading = header->clock_resolution_ns + (header->clock_cost_ps + 999) / 1000;
  if (reading < INT32_MAX && (int64_t)reading > all->reading_ns)
    all->reading_ns = (int64_t)reading;
  if (facts->damaged)
    return fail_store(all, path, "the store is damaged, an unknown part is missing; record again");
  if (facts->clock_off)
    return fail_store(all, path,
                      "the time stamp counter did not keep the rate that it was calibrated to; "
                      "record with TAILPROOF_CLOCK_MONOTONIC");
  if (header->clock_identity != all->identity)
    return fail_store(all, path,
                      "its clock cannot be compared with that of the other stores (another host, "
                      "or another kind of clock); name the stores of one host");
  return STATUS_OK;
}

static void note_losses(struct stores_reading *all, const char *path,
                        const struct store_facts *facts) {
  all->overwritten += facts->overwritten;
  uint64_t lost = facts->refused + facts->torn + facts->bad_stamps;
  all->lost += lost;
  if (lost != 0)
    ledger_warn(all->ledger, LEDGER_DATA,
                "%s: %" PRIu64 " record%s refused or cut off, which may have been arrivals; "
                "record again with a larger store",
                path, lost, lost == 1 ? " was" : "s were");
  if (facts->closed == 0)
    ledger_warn(all->ledger, LEDGER_DATA,
                "%s: the process did not close its store; arrivals after the last record are not "
                "known",
                path);
}

/* Of requests that could not be paired, arrivals are missing; said once for all stores of a
 * pairing. */
static enum status note_unpaired(struct stores_reading *all, const char *path) {
  struct left_over left;
  struct text line;
  left_over_init(&left);
  text_init(&line);
  enum status status = left_over_read(&left, path, all->message);
  left_over_tell(&line, &left);
  text_append(&line, "\n");
  if (line.length > 1 && strstr(text_get(&all->unpaired), line.data) == NULL) {
    text_append(&all->unpaired, line.data);
    ledger_warn(all->ledger, LEDGER_DATA, "%s: %.*s; what is missing may have been arrivals", path,
                (int)line.length - 1, line.data);
  }
  all->lost += left.unpaired + left.lost;
  text_clear(&line);
  left_over_clear(&left);
  return status;
}

static enum status read_store(struct stores_reading *all, const char *path) {
  char line[1024] = "";
  struct store_reader *store;
  int failed = store_reader_open(&store, path, line, sizeof line);
  if (failed != 0) {
    static const struct format_wanted wanted = {1u << YIELDS_STORE, "recordings", ""};
    if (!format_refuse_file(all->message, path, &wanted))
      text_append(all->message, line);
    return failed == EBADMSG || failed == EPROTO ? STATUS_DATA : STATUS_NO_INPUT;
  }
  const struct store_facts *facts = store_reader_facts(store);
  enum status status = check_clock(all, path, facts);
  if (status == STATUS_OK)
    status = note_unpaired(all, path);
  if (status == STATUS_OK) {
    note_losses(all, path, facts);
    struct log_reading log = {
        .all = all, .store = store, .node = place_of(&all->nodes, facts->header->node)};
    store_reader_each(store, visit_record, &log);
  }
  store_reader_close(store);
  return status;
}

static int is_store(const struct dirent *entry) {
  size_t length = strlen(entry->d_name);
  return length > 4 && strcmp(entry->d_name + length - 4, ".tps") == 0;
}

static enum status list_folder(struct stores_reading *all, const char *folder) {
  struct dirent **entries;
  int count = scandir(folder, &entries, is_store, alphasort);
  if (count <= 0) {
    if (count == 0)
      free(entries);
    text_format(all->message,
                count < 0 ? "%s: cannot be read: %s"
                          : "%s: has no store (.tps); name the folder that the run "
                            "recorded into, or a table (.csv) with the times",
                folder, strerror(errno));
    return STATUS_NO_INPUT;
  }
  for (int i = 0; i < count; i++) {
    struct text path;
    text_init(&path);
    text_format(&path, "%s/%s", folder, entries[i]->d_name);
    vector_push(&all->paths, text_take(&path));
    free(entries[i]);
  }
  free(entries);
  return STATUS_OK;
}

static enum status list_paths(struct stores_reading *all, const char *const *paths, size_t count) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < count && status == STATUS_OK; i++) {
    struct stat about;
    if (stat(paths[i], &about) == 0 && S_ISDIR(about.st_mode))
      status = list_folder(all, paths[i]);
    else
      vector_push(&all->paths, mem_copy_text(paths[i], strlen(paths[i])));
  }
  return status;
}

/* --- which of them are meant ------------------------------------------------------------------ */

static size_t count_of(const struct stores_reading *all, uint32_t message, enum times_place place) {
  size_t count = 0;
  for (size_t i = 0; i < all->moments.count; i++)
    count += all->moments.data[i].message == message && all->moments.data[i].place == place;
  return count;
}

static const char *place_text(enum times_place place) {
  return place == TIMES_SENT ? "sent" : "delivered";
}

static enum status fail_message(struct stores_reading *all, const char *path, const char *message) {
  if (all->messages.count == 0) {
    text_format(all->message,
                "%s: no message was recorded here; arrivals are times at which messages were sent "
                "or delivered",
                path);
    return STATUS_DATA;
  }
  if (message != NULL)
    text_format(all->message, "--message %s: no such message was recorded; there are", message);
  else
    text_append(all->message, "say with --message which message's times are meant; there are");
  for (size_t i = 0; i < all->messages.count; i++)
    text_format(all->message, "%s %s", i == 0 ? "" : ",", all->messages.data[i]);
  return STATUS_USAGE;
}

static enum status choose_message(uint32_t *chosen, struct stores_reading *all, const char *path,
                                  const struct times_wanted *wanted) {
  for (*chosen = 0; *chosen < all->messages.count; ++*chosen)
    if (wanted->message == NULL ? all->messages.count == 1
                                : strcmp(all->messages.data[*chosen], wanted->message) == 0)
      break;
  if (*chosen == all->messages.count)
    return fail_message(all, path, wanted->message);
  enum times_place other = wanted->place == TIMES_SENT ? TIMES_DELIVERED : TIMES_SENT;
  size_t elsewhere = count_of(all, *chosen, other);
  if (count_of(all, *chosen, wanted->place) != 0)
    return STATUS_OK;
  text_format(all->message,
              "%s: does not have when %s was %s; it has when it was %s, %zu times: --at %s", path,
              all->messages.data[*chosen], place_text(wanted->place), place_text(other), elsewhere,
              place_text(other));
  return STATUS_DATA;
}

static int64_t ns_of(const struct stores_reading *all, uint64_t ticks) {
  unsigned __int128 ns = ((unsigned __int128)ticks * all->rate) >> 32;
  return ns >= INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)ns;
}

static void take_moments(struct times *times, struct stores_reading *all, uint32_t message,
                         const struct times_wanted *wanted) {
  uint64_t base = UINT64_MAX;
  size_t left_out = 0;
  for (size_t i = 0; i < all->moments.count; i++)
    base = all->moments.data[i].tick < base ? all->moments.data[i].tick : base;
  for (size_t i = 0; i < all->moments.count; i++) {
    const struct moment *moment = &all->moments.data[i];
    if (moment->message != message || moment->place != wanted->place)
      continue;
    if (all->overwritten != 0 && moment->tick <= all->whole_after)
      left_out++;
    else
      times_add(times, wanted->by_node ? all->nodes.data[moment->node] : NULL,
                ns_of(all, moment->tick - base));
  }
  if (all->overwritten != 0)
    ledger_warn(all->ledger, LEDGER_DATA,
                "%" PRIu64 " records were overwritten, so only what is later than the first record "
                "that each store still has is known to be whole; %zu arrivals before that are left "
                "out",
                all->overwritten, left_out);
  struct text what;
  text_init(&what);
  text_format(&what, "%s, when it was %s", all->messages.data[message], place_text(wanted->place));
  times->what = text_take(&what);
  times->reading_ns = all->reading_ns;
  times->lacks = all->lost != 0;
}

enum status times_read_stores(struct times *times, const char *const *paths, size_t count,
                              const struct times_wanted *wanted, struct ledger *ledger,
                              struct text *message) {
  struct stores_reading all = {.ledger = ledger, .message = message};
  uint32_t chosen = 0;
  enum status status = STATUS_OK;
  if (wanted->column != NULL) {
    text_format(message, "--column %s: is of tables; of stores name a --message", wanted->column);
    status = STATUS_USAGE;
  }
  if (status == STATUS_OK)
    status = list_paths(&all, paths, count);
  for (size_t i = 0; i < all.paths.count && status == STATUS_OK; i++)
    status = read_store(&all, all.paths.data[i]);
  if (status == STATUS_OK)
    status = choose_message(&chosen, &all, paths[0], wanted);
  if (status == STATUS_OK)
    take_moments(times, &all, chosen, wanted);
  text_clear(&all.unpaired);
  vector_clear(&all.moments);
  texts_clear(&all.messages);
  texts_clear(&all.nodes);
  texts_clear(&all.paths);
  return status;
}
