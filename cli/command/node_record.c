/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/node_record.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jsonl.h"
#include "base/text.h"
#include "cli/present/table.h"
#include "trace/event/node_tally.h"

/* --- before --- */

/* Beside the program: in the source tree, or as installed. An existing path, owned, or NULL. */
static char *find_beside(const char *const *places, size_t count) {
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length < 0 ? 0 : length] = '\0';
  char *slash = strrchr(program, '/');
  for (size_t i = 0; slash != NULL && i < count; i++) {
    struct text path;
    text_init(&path);
    text_format(&path, "%.*s/%s", (int)(slash - program), program, places[i]);
    char *real = realpath(text_get(&path), NULL);
    text_clear(&path);
    if (real != NULL)
      return real;
  }
  return NULL;
}

/* The option before those that are there already; a path may have blanks. */
static void set_options(const char *package) {
  struct text value;
  text_init(&value);
  text_append(&value, "--require \"");
  for (const char *at = package; *at != '\0'; at++)
    text_format(&value, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
  text_append(&value, "\"");
  const char *before = getenv("NODE_OPTIONS");
  if (before != NULL && *before != '\0')
    text_format(&value, " %s", before);
  setenv("NODE_OPTIONS", text_get(&value), 1);
  text_clear(&value);
}

/* The library that stamps when data came; without it these times are intervals. */
static void preload(void) {
  static const char *const places[] = {"libtailproof-node.so",
                                       "../lib/tailproof/libtailproof-node.so"};
  char *path = find_beside(places, sizeof places / sizeof *places);
  if (path == NULL || strpbrk(path, " :\t\n") != NULL) {
    fprintf(
        stderr,
        "tailproof record: libtailproof-node.so is not in ../lib/tailproof beside this program; "
        "when data arrived will be known as intervals only\n");
    free(path);
    return;
  }
  struct text value;
  text_init(&value);
  text_append(&value, path);
  const char *before = getenv("LD_PRELOAD");
  if (before != NULL && *before != '\0')
    text_format(&value, " %s", before);
  setenv("LD_PRELOAD", text_get(&value), 1);
  setenv("UV_USE_IO_URING", "0", 1); /* whose reads no library sees */
  text_clear(&value);
  free(path);
}

enum status node_record_prepare(const char *folder) {
  static const char *const places[] = {"../measure/node/index.js",
                                       "../share/tailproof/node/index.js"};
  char *package = find_beside(places, sizeof places / sizeof *places);
  if (package == NULL) {
    fprintf(stderr, "tailproof record: the recorder is not in ../share/tailproof/node beside this "
                    "program; install it with make install\n");
    return STATUS_UNAVAILABLE;
  }
  set_options(package);
  preload();
  setenv("TAILPROOF_STORE", folder, 1);
  free(package);
  return STATUS_OK;
}

/* --- after --- */

typedef VECTOR(char *) paths;

static int compare_paths(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

static void find_logs(paths *found, const char *folder) {
  DIR *stream = opendir(folder);
  for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
    size_t length = strlen(entry->d_name);
    if (length < 5 || strcmp(entry->d_name + length - 4, ".tpn") != 0)
      continue;
    struct text path;
    text_init(&path);
    text_format(&path, "%s/%s", folder, entry->d_name);
    vector_push(found, text_take(&path));
  }
  if (stream != NULL)
    closedir(stream);
  if (found->count != 0)
    qsort(found->data, found->count, sizeof *found->data, compare_paths);
}

static void print_text(const node_tallies *tallies, const char *folder) {
  static const char *const titles[] = {"loop",     "process",    "seconds",
                                       "answered", "aborted",    "unanswered",
                                       "upgraded", "incomplete", "records left out"};
  struct table table;
  table_init(&table);
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    table_column(&table, i == 0 ? TABLE_LEFT : TABLE_RIGHT, titles[i]);
  for (size_t i = 0; i < tallies->count; i++) {
    const struct node_tally *tally = &tallies->data[i];
    table_cell(&table, "%s", tally->name);
    table_cell(&table, "%" PRIu32, tally->process);
    table_cell(&table, "%.1f", (double)(tally->end - tally->start) / 1e9);
    for (size_t k = 0; k < NODE_STATES; k++)
      table_cell(&table, "%" PRIu64, tally->states[k]);
    table_cell(&table, "%" PRIu64, tally->dropped);
  }
  fprintf(stderr, "\ntailproof record: %s: %zu event loop%s\n", folder, tallies->count,
          tallies->count == 1 ? "" : "s");
  table_print(stderr, &table, 2);
  table_clear(&table);
}

static void print_json(const node_tallies *tallies, const char *folder, int code, int by_signal) {
  static const char *const names[] = {"answered", "aborted", "unanswered", "upgraded",
                                      "incomplete"};
  for (size_t i = 0; i < tallies->count; i++) {
    const struct node_tally *tally = &tallies->data[i];
    struct jsonl *json = jsonl_new("loop");
    jsonl_text(json, "name", tally->name);
    jsonl_integer(json, "process", (int64_t)tally->process);
    jsonl_integer(json, "thread", (int64_t)tally->thread);
    jsonl_integer(json, "start_ns", tally->start);
    jsonl_integer(json, "end_ns", tally->end);
    for (size_t k = 0; k < NODE_STATES; k++)
      jsonl_integer(json, names[k], (int64_t)tally->states[k]);
    jsonl_integer(json, "left_out", (int64_t)tally->dropped);
    jsonl_print(json);
  }
  struct jsonl *json = jsonl_new("recorded");
  jsonl_text(json, "folder", folder);
  jsonl_integer(json, "loops", (int64_t)tallies->count);
  jsonl_integer(json, "exit", code);
  jsonl_integer(json, "signal", by_signal);
  jsonl_print(json);
}

enum status node_record_collect(const char *folder, bool json, int code, int by_signal) {
  paths found = {0};
  node_tallies tallies = {0};
  struct text message;
  text_init(&message);
  find_logs(&found, folder);
  enum status status =
      node_tally_read(&tallies, (const char *const *)found.data, found.count, &message);
  if (status != STATUS_OK) {
    fprintf(stderr, "tailproof record: %s\n", text_get(&message));
  } else if (tallies.count == 0) {
    fprintf(stderr, "tailproof record: nothing was recorded: no Node.js program ran, or it ran "
                    "without its environment; name it behind --, as in -- node app.js\n");
    status = STATUS_DATA;
  } else if (json) {
    print_json(&tallies, folder, code, by_signal);
  } else {
    print_text(&tallies, folder);
  }
  for (size_t i = 0; i < found.count; i++)
    mem_free(found.data[i]);
  vector_clear(&found);
  text_clear(&message);
  vector_clear(&tallies);
  return status;
}
