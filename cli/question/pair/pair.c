/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/pair/pair.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "measure/outside/event_text.h"
#include "measure/outside/probes.h"

struct live_pairs {
  const struct asker *asker;
  struct outside_probes probes;
  struct outside_mapping *mapping;
  struct pairing *pairing;
  struct text processes; /* "PID COMMAND" a line, as told; empty: those that run */
  bool told;
  char command[4096];
};

static const char *told_command(struct live_pairs *pairs, uint32_t pid) {
  const char *line = text_get(&pairs->processes), *found = NULL;
  while (*line != '\0') {
    char *rest;
    size_t length = strcspn(line, "\n");
    if (strtoul(line, &rest, 10) == pid && *rest == ' ')
      found = rest + 1;
    line += length + (line[length] == '\n');
  }
  if (found != NULL)
    snprintf(pairs->command, sizeof pairs->command, "%.*s", (int)strcspn(found, "\n"), found);
  return found == NULL ? NULL : pairs->command;
}

/* Its words with a blank behind each, as far as they fit. */
static const char *running_command(struct live_pairs *pairs, uint32_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/cmdline", pid);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return NULL;
  size_t length = fread(pairs->command, 1, sizeof pairs->command - 1, file);
  fclose(file);
  for (size_t i = 0; i < length; i++)
    if (pairs->command[i] == '\0')
      pairs->command[i] = ' ';
  pairs->command[length] = '\0';
  return pairs->command;
}

static const char *command_of(void *context, uint32_t pid) {
  struct live_pairs *pairs = context;
  return pairs->told ? told_command(pairs, pid) : running_command(pairs, pid);
}

/* What a file of events says, unless the user said it. */
static void take_process(void *context, uint32_t pid, const char *command) {
  struct live_pairs *pairs = context;
  pairs->told = true;
  text_format(&pairs->processes, "%" PRIu32 " %s\n", pid, command);
}

static bool take_event(void *context, const struct outside_event *event) {
  struct live_pairs *pairs = context;
  return pairing_take(pairs->pairing, event);
}

static enum status read_text(char **text, const struct asker *asker, const char *path) {
  struct text message;
  size_t length;
  text_init(&message);
  enum status status = file_read(path, (size_t)1 << 20, text, &length, &message);
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

static bool has_meaning(const struct tree_node *file) {
  static const char *const keys[] = {"places", "moments", "request", "messages", "queueing"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (tree_find(file, keys[i]) != NULL)
      return true;
  return false;
}

/* Of a probe file: its probes, and what they mean. `check`: that may be missing. */
static enum status load(struct live_pairs *pairs, const char *path, bool check) {
  char message[1024] = "", *bytes = NULL;
  enum status status = read_text(&bytes, pairs->asker, path);
  if (status != STATUS_OK)
    return status;
  struct tree_node *file = tree_parse(bytes, strlen(bytes), message, sizeof message);
  bool read = file != NULL && probes_read(&pairs->probes, file, message, sizeof message);
  bool bare = read && check && !has_meaning(file);
  if (read && !bare)
    pairs->mapping = mapping_read(file, pairs->probes.list.data, (uint32_t)pairs->probes.list.count,
                                  message, sizeof message);
  tree_free(file);
  mem_free(bytes);
  if (bare)
    return STATUS_OK;
  if (pairs->mapping == NULL)
    return asker_fail(pairs->asker, STATUS_DATA, "%s: %s", path, message);
  pairs->pairing =
      pairing_new(pairs->mapping, pairs->probes.list.data, (uint32_t)pairs->probes.list.count,
                  (struct pair_processes){command_of, pairs});
  return STATUS_OK;
}

struct live_pairs *live_pairs_new(enum status *status, const struct asker *asker,
                                  const char *path) {
  struct live_pairs *pairs = mem_alloc(1, sizeof *pairs);
  *pairs = (struct live_pairs){.asker = asker};
  *status = load(pairs, path, false);
  if (*status == STATUS_OK)
    return pairs;
  live_pairs_free(pairs);
  return NULL;
}

enum status live_pairs_check(const struct asker *asker, const char *path) {
  struct live_pairs *pairs = mem_alloc(1, sizeof *pairs);
  *pairs = (struct live_pairs){.asker = asker};
  enum status status = load(pairs, path, true);
  live_pairs_free(pairs);
  return status;
}

void live_pairs_free(struct live_pairs *pairs) {
  if (pairs == NULL)
    return;
  if (pairs->pairing != NULL)
    pairing_free(pairs->pairing);
  mapping_free(pairs->mapping);
  probes_clear(&pairs->probes);
  text_clear(&pairs->processes);
  mem_free(pairs);
}

static uint64_t interest_of_probe(void *context, uint32_t probe) {
  const struct live_pairs *pairs = context;
  return mapping_looks_at(pairs->mapping, probe);
}

static uint64_t interest_of_process(void *context, uint32_t process) {
  struct live_pairs *pairs = context;
  const char *command = running_command(pairs, process);
  uint32_t place = command == NULL ? MAPPING_NONE : mapping_place_of(pairs->mapping, command);
  return place == MAPPING_NONE ? UINT64_MAX : UINT64_C(1) << place;
}

struct capture_interest live_pairs_interest(struct live_pairs *pairs) {
  return (struct capture_interest){interest_of_probe, interest_of_process, pairs};
}

static enum status write_left_over(const struct live_pairs *pairs, const struct outside_run *run,
                                   const char *out, struct text *message) {
  struct left_over left;
  left_over_init(&left);
  pairing_left_over(&left, pairs->pairing, pairs->mapping, (uint32_t)pairs->probes.list.count, run);
  enum status status = left_over_write(&left, out, message);
  left_over_clear(&left);
  return status;
}

enum status live_pairs_end(struct live_pairs *pairs, struct pair_answer *answer,
                           const struct outside_run *run, const char *out) {
  *answer = (struct pair_answer){0};
  struct text message;
  text_init(&answer->told);
  text_init(&message);
  int cause = pairing_end(pairs->pairing);
  if (cause != 0)
    return answer->status = asker_fail(
               pairs->asker, STATUS_INTERNAL,
               "requests that are paired cannot be kept in $TMPDIR or /var/tmp: %s; make "
               "room there, and pair again",
               strerror(cause));
  pairing_tell(&answer->told, pairs->pairing, pairs->mapping, pairs->probes.list.data,
               (uint32_t)pairs->probes.list.count, run);
  pairing_tell_logs(&answer->told, pairing_logs(pairs->pairing, pairs->mapping, PAIRING_LOG_MOST));
  answer->requests = pairing_count(pairs->pairing);
  answer->paired = pairing_lacking(pairs->pairing, 0, PAIR_WHOLE);
  enum status status = STATUS_UNKNOWN;
  if (answer->paired != 0)
    status = pairing_write(pairs->pairing, pairs->mapping, out, &message);
  if (status == STATUS_OK)
    status = write_left_over(pairs, run, out, &message);
  if (message.length != 0)
    asker_fail(pairs->asker, status, "%s", text_get(&message));
  text_clear(&message);
  return answer->status = status;
}

enum status pair_check_folder(const struct asker *asker, const char *out) {
  struct stat about;
  return stat(out, &about) != 0
             ? STATUS_OK
             : asker_fail(asker, STATUS_USAGE, "%s: is there already; name a new folder with --out",
                          out);
}

/* Files of one recording, one after the other. */
static void add_run(struct outside_run *all, const struct outside_run *run, bool first) {
  all->clock = run->clock;
  all->start_ns = first ? run->start_ns : all->start_ns;
  all->end_ns = run->end_ns;
  for (size_t i = 0; i < OUTSIDE_PROBES; i++) {
    all->count[i].hits += run->count[i].hits;
    all->count[i].lost += run->count[i].lost;
    all->count[i].unread += run->count[i].unread;
  }
}

static enum status read_events(struct live_pairs *pairs, struct outside_run *all,
                               const char *const *paths) {
  struct text message;
  text_init(&message);
  struct outside_sink sink = {take_event, pairs, pairs->told ? NULL : take_process};
  enum status status = STATUS_OK;
  struct outside_run *run = mem_alloc(1, sizeof *run);
  *all = (struct outside_run){0};
  for (size_t i = 0; status == STATUS_OK && paths[i] != NULL; i++) {
    status = event_text_read(run, pairs->probes.list.data, (uint32_t)pairs->probes.list.count,
                             paths[i], &sink, &message);
    if (status != STATUS_OK)
      asker_fail(pairs->asker, status, "%s", text_get(&message));
    else if (i > 0 && run->start_ns < all->end_ns)
      status =
          asker_fail(pairs->asker, STATUS_DATA,
                     "%s: begins before %s ends; name the files of one recording in their order",
                     paths[i], paths[i - 1]);
    add_run(all, run, i == 0);
  }
  if (status == STATUS_OK && !pairs->told)
    status = asker_fail(pairs->asker, STATUS_USAGE,
                        "%s: says of no process what it is; give --processes FILE, a line PID "
                        "COMMAND for each, as `pgrep -a .` shows them",
                        paths[0]);
  mem_free(run);
  text_clear(&message);
  return status;
}

enum status live_pairs_read(struct live_pairs *pairs, struct outside_run *run,
                            const char *const *paths) {
  return read_events(pairs, run, paths);
}

enum status pair_ask(struct pair_answer *answer, const struct pair_question *question) {
  *answer = (struct pair_answer){0};
  char *told = NULL;
  enum status status = pair_check_folder(question->asker, question->out);
  if (status != STATUS_OK)
    return answer->status = status;
  struct live_pairs *pairs = live_pairs_new(&status, question->asker, question->probes);
  struct outside_run *run = mem_alloc(1, sizeof *run);
  if (status == STATUS_OK && question->processes != NULL) {
    status = read_text(&told, question->asker, question->processes);
    if (status == STATUS_OK)
      text_append(&pairs->processes, told);
    mem_free(told);
    pairs->told = true;
  }
  if (status == STATUS_OK)
    status = read_events(pairs, run, question->events);
  if (status == STATUS_OK)
    status = live_pairs_end(pairs, answer, run, question->out);
  mem_free(run);
  live_pairs_free(pairs);
  return answer->status = status;
}

void pair_answer_clear(struct pair_answer *answer) {
  text_clear(&answer->told);
}
