/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/node_record.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command/installed.h"
#include "cli/command/node_notes.h"
#include "cli/present/node_loops.h"
#include "trace/event/node_tally.h"
#include "trace/event/stopped.h"

/* --- before --- */

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
  char *path = installed_find(places, sizeof places / sizeof *places);
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

char *node_record_find(const char *file) {
  struct text here, installed;
  text_init(&here);
  text_init(&installed);
  text_format(&here, "../measure/node/%s", file);
  text_format(&installed, "../share/tailproof/node/%s", file);
  const char *const places[] = {text_get(&here), text_get(&installed)};
  char *found = installed_find(places, sizeof places / sizeof *places);
  if (found == NULL)
    fprintf(stderr, "tailproof record: the recorder is not in ../share/tailproof/node beside this "
                    "program; install it with make install\n");
  text_clear(&here);
  text_clear(&installed);
  return found;
}

enum status node_record_prepare(const char *folder) {
  char *package = node_record_find("index.js");
  if (package == NULL)
    return STATUS_UNAVAILABLE;
  set_options(package);
  preload();
  setenv("TAILPROOF_STORE", folder, 1);
  node_notes_prepare();
  free(package);
  return STATUS_OK;
}

/* --- after --- */

void node_record_abandon(void) {
  node_notes notes = {0};
  node_notes_collect(&notes);
  vector_clear(&notes);
}

typedef VECTOR(char *) paths;

static int compare_paths(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Those whose name ends like that. */
static void find_files(paths *found, const char *folder, const char *suffix) {
  DIR *stream = opendir(folder);
  for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
    size_t length = strlen(entry->d_name);
    if (length < 5 || strcmp(entry->d_name + length - 4, suffix) != 0)
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

static struct node_tally *find_tally(const node_tallies *tallies, const struct node_note *note) {
  for (size_t i = 0; i < tallies->count; i++)
    if (tallies->data[i].process == note->process && tallies->data[i].thread == note->thread)
      return &tallies->data[i];
  return NULL;
}

/* What a log could not say itself is in the notes. */
static void add_notes(node_tallies *tallies, const node_notes *notes) {
  for (size_t i = 0; i < notes->count; i++) {
    struct node_tally *tally = find_tally(tallies, &notes->data[i]);
    if (tally != NULL && tally->stopped == 0)
      tally->stopped = notes->data[i].why;
  }
}

static void say_stopped(const node_tallies *tallies) {
  for (size_t i = 0; i < tallies->count; i++) {
    const struct node_tally *tally = &tallies->data[i];
    if (tally->stopped == 0)
      continue;
    fprintf(stderr, "tailproof record: the recording of %s (process %" PRIu32 ") stopped early",
            tally->name, tally->process);
    if (tally->stopped_at > tally->start && tally->end > tally->start)
      fprintf(stderr, ", after %.1f s", (double)(tally->stopped_at - tally->start) / 1e9);
    fprintf(stderr, ": %s; what it did later is not known; %s\n",
            node_stopped_reason(tally->stopped), node_stopped_remedy(tally->stopped));
  }
}

/* Whether a process runs that was started to record into this folder. */
static bool goes_on(uint32_t process, const char *folder) {
  char path[64], part[4096];
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/environ", process);
  FILE *file = fopen(path, "re");
  struct text wanted, one;
  bool found = false;
  text_init(&wanted);
  text_init(&one);
  text_format(&wanted, "TAILPROOF_STORE=%s", folder);
  for (size_t got; file != NULL && !found && (got = fread(part, 1, sizeof part, file)) > 0;)
    for (size_t i = 0; i < got && !found; i++)
      if (part[i] != '\0') {
        text_format(&one, "%c", part[i]);
      } else {
        found = strcmp(text_get(&one), text_get(&wanted)) == 0;
        text_clear(&one);
      }
  if (file != NULL)
    fclose(file);
  text_clear(&one);
  text_clear(&wanted);
  return found;
}

/* What was started has ended, and left others behind: npm does, when it gets SIGTERM. */
static void say_left(const node_tallies *tallies, const char *folder) {
  for (size_t i = 0; i < tallies->count; i++) {
    const struct node_tally *tally = &tallies->data[i];
    if (tally->thread == 0 && goes_on(tally->process, folder))
      fprintf(stderr,
              "tailproof record: %s (process %" PRIu32
              ") goes on, and so does its recording, as who "
              "started it ended without it; end it, or start it itself: -- node ...\n",
              tally->name, tally->process);
  }
}

/* Of programs that have no log at all. */
static void say_unrecorded(const node_tallies *tallies, const node_notes *notes) {
  for (size_t i = 0; i < notes->count; i++) {
    const struct node_note *note = &notes->data[i];
    if (find_tally(tallies, note) != NULL)
      continue;
    fprintf(stderr, "tailproof record: %s (process %" PRIu32 ") was not recorded: %s%s%s; %s\n",
            note->name, note->process, node_stopped_reason(note->why),
            note->why > NODE_ERRNO_MOST && note->mistake[0] != '\0' ? ": " : "",
            note->why > NODE_ERRNO_MOST ? note->mistake : "", node_stopped_remedy(note->why));
  }
}

/* That no log is there, and why, as far as is known: the folder is gone, or Node.js ran and left
 * stamps alone. */
static void say_nothing_recorded(const char *folder) {
  paths stamps = {0};
  find_files(&stamps, folder, ".tpr");
  if (access(folder, F_OK) != 0)
    fprintf(stderr,
            "tailproof record: nothing was recorded: %s: %s; it was there when the program "
            "started: leave it until the program has ended\n",
            folder, strerror(errno));
  else if (stamps.count != 0)
    fprintf(stderr, "tailproof record: nothing was recorded: Node.js ran, and did not come to the "
                    "program, or may not write; under node --permission allow it with "
                    "--allow-fs-write=DIR and --allow-worker\n");
  else
    fprintf(stderr, "tailproof record: nothing was recorded: no Node.js program ran, or it ran "
                    "without its environment; name it behind --, as in -- node app.js\n");
  for (size_t i = 0; i < stamps.count; i++)
    mem_free(stamps.data[i]);
  vector_clear(&stamps);
}

static void present(struct output *output, const node_tallies *tallies, const node_notes *notes,
                    const char *folder, int code, int by_signal) {
  struct document document;
  node_document(&document, tallies, folder);
  for (size_t i = 0; i < notes->count; i++) {
    const struct node_note *note = &notes->data[i];
    if (find_tally(tallies, note) == NULL)
      node_put_unrecorded(&document, note->name, note->process, note->thread, note->why);
  }
  node_put_end(&document, tallies, folder, code, by_signal);
  output_answer_beside(output, &document, false);
  if (output->format == OUTPUT_TEXT)
    say_stopped(tallies);
  say_left(tallies, folder);
}

enum status node_record_collect(struct output *output, const char *folder, int code,
                                int by_signal) {
  paths found = {0};
  node_tallies tallies = {0};
  node_notes notes = {0};
  struct text message;
  text_init(&message);
  find_files(&found, folder, ".tpn");
  node_notes_collect(&notes);
  enum status status =
      node_tally_read(&tallies, (const char *const *)found.data, found.count, &message);
  add_notes(&tallies, &notes);
  if (status != STATUS_OK) {
    fprintf(stderr, "tailproof record: %s\n", text_get(&message));
  } else if (tallies.count == 0) {
    if (notes.count == 0)
      say_nothing_recorded(folder);
    status = STATUS_DATA;
  } else {
    present(output, &tallies, &notes, folder, code, by_signal);
  }
  if (tallies.count == 0 || output->format == OUTPUT_TEXT)
    say_unrecorded(&tallies, &notes);
  for (size_t i = 0; i < found.count; i++)
    mem_free(found.data[i]);
  vector_clear(&found);
  vector_clear(&notes);
  text_clear(&message);
  vector_clear(&tallies);
  return status;
}
