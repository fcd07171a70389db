/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/tune/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/seconds.h"
#include "dist/source/source.h"
#include "measure/throughput/experiment/child.h"
#include "measure/tune/group.h"

enum { LOOK_MS = 20, LISTEN_S = 30, END_MS = 5000 };
enum trial_file { FILE_SERVER_LOG, FILE_LOAD_LOG, FILE_LATENCIES, FILE_OUTPUT, TRIAL_FILES };

static const char *const file_names[TRIAL_FILES] = {"server.log", "load.log", "latencies",
                                                    "output"};

static void file_path(char *path, size_t size, const struct heap_trial *trial,
                      enum trial_file file) {
  snprintf(path, size, "%s/%s", trial->folder, file_names[file]);
}

static void files_remove(const struct heap_trial *trial) {
  char path[128];
  for (enum trial_file file = 0; file < TRIAL_FILES; file++) {
    file_path(path, sizeof path, trial, file);
    unlink(path);
  }
}

/* --- before and after all runs --- */

/* The program's path, owned; NULL: there is none. */
static char *program_find(const char *name) {
  if (strchr(name, '/') != NULL)
    return access(name, X_OK) == 0 ? mem_copy_text(name, strlen(name)) : NULL;
  const char *at = getenv("PATH");
  while (at != NULL && *at != '\0') {
    size_t length = strcspn(at, ":");
    struct text path;
    text_init(&path);
    text_format(&path, "%.*s/%s", (int)length, at, name);
    if (access(text_get(&path), X_OK) == 0)
      return text_take(&path);
    text_clear(&path);
    at += length + (at[length] == ':');
  }
  return NULL;
}

enum status trial_init(struct heap_trial *trial, const struct heap_trial_request *request) {
  *trial = (struct heap_trial){.request = request, .least = SIZE_MAX};
  text_init(&trial->unusable);
  text_init(&trial->doubt);
  const char *parent = getenv("TMPDIR");
  snprintf(trial->folder, sizeof trial->folder, "%s/tailproof-tune.XXXXXX",
           parent == NULL || strlen(parent) > 36 ? "/tmp" : parent);
  if (mkdtemp(trial->folder) == NULL) {
    int cause = errno;
    trial->folder[0] = '\0';
    return asker_fail(request->asker, STATUS_INTERNAL,
                      "no folder for logs can be made: %s; name another place with TMPDIR",
                      strerror(cause));
  }
  trial->program = program_find(request->words[0]);
  if (trial->program == NULL)
    return asker_fail(request->asker, STATUS_UNAVAILABLE,
                      "%s: no such program; install Node.js, or give its path", request->words[0]);
  return STATUS_OK;
}

void trial_clear(struct heap_trial *trial) {
  if (trial->folder[0] != '\0') {
    files_remove(trial);
    rmdir(trial->folder);
  }
  mem_free(trial->program);
  text_clear(&trial->unusable);
  text_clear(&trial->doubt);
}

/* --- one run --- */

static void rest(void) {
  nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
}

static enum tune_outcome give_up(struct heap_trial *trial, enum status status) {
  trial->status = status;
  return TUNE_STOPPED;
}

/* The server cannot do it with this setting: only without one it is the user's to hear. */
static enum tune_outcome not_usable(struct heap_trial *trial, const struct heap_setting *setting,
                                    const char *why) {
  static const struct heap_setting as_it_is;
  text_clear(&trial->unusable);
  text_append(&trial->unusable, why);
  if (!heap_setting_same(setting, &as_it_is))
    return TUNE_UNUSABLE;
  return give_up(trial, asker_fail(trial->request->asker, STATUS_NO_INPUT, "%s %s",
                                   trial->request->words[0], why));
}

static enum tune_outcome server_start(struct heap_trial *trial, struct child *server,
                                      const struct heap_setting *setting) {
  struct heap_command command;
  heap_command_make(&command, trial->request->words, trial->request->word_count, setting);
  mem_free(command.words.data[0]);
  command.words.data[0] = mem_copy_text(trial->program, strlen(trial->program));
  file_path(server->log, sizeof server->log, trial, FILE_SERVER_LOG);
  int error = child_start(server, (const char *const *)command.words.data, ".");
  heap_command_clear(&command);
  if (error == 0)
    return TUNE_MEASURED;
  return give_up(trial, asker_fail(trial->request->asker, STATUS_UNAVAILABLE,
                                   "%s: cannot be run: %s", trial->program, strerror(error)));
}

/* Most servers listen themselves; one that is started by another is looked for now and then. */
static bool server_listens(const struct child *server, size_t looks) {
  return process_listens(server->pid) || (looks % 16 == 15 && group_listens(server->pid));
}

/* Until it listens. */
static enum tune_outcome server_wait(struct heap_trial *trial, struct child *server,
                                     const struct heap_setting *setting) {
  char why[400];
  double until = seconds_elapsed() + LISTEN_S;
  for (size_t looks = 0; !server_listens(server, looks); looks++) {
    if (asker_stopped(trial->request->asker))
      return give_up(trial, STATUS_INTERRUPTED);
    if (child_ended(server)) {
      child_explain(why, sizeof why, server);
      return not_usable(trial, setting, why);
    }
    if (seconds_elapsed() > until)
      return not_usable(trial, setting,
                        "does not listen at a TCP port after 30 s; only servers can be tuned");
    rest();
  }
  return TUNE_MEASURED;
}

static int load_start(struct heap_trial *trial, struct child *load) {
  char latencies[128], output[128];
  struct text script;
  file_path(load->log, sizeof load->log, trial, FILE_LOAD_LOG);
  file_path(latencies, sizeof latencies, trial, FILE_LATENCIES);
  file_path(output, sizeof output, trial, FILE_OUTPUT);
  setenv("LATENCIES", latencies, 1);
  text_init(&script);
  text_format(&script, "exec >'%s'\n%s\n", output, trial->request->load);
  const char *const words[] = {"/bin/sh", "-c", text_get(&script), NULL};
  int error = child_start(load, words, ".");
  text_clear(&script);
  return error;
}

/* Whether it wrote this. */
static bool has_written(const struct heap_trial *trial, enum trial_file file) {
  char path[128];
  struct stat about;
  file_path(path, sizeof path, trial, file);
  return stat(path, &about) == 0 && about.st_size > 0;
}

/* How it ended. What it said is in its output as well, unless that has the latencies. */
static void load_explain(char *why, size_t size, const struct heap_trial *trial,
                         const struct child *load) {
  struct child heard = *load;
  if (!has_written(trial, FILE_LOAD_LOG) && has_written(trial, FILE_LATENCIES))
    file_path(heard.log, sizeof heard.log, trial, FILE_OUTPUT);
  child_explain(why, size, &heard);
}

/* Until the load has ended. */
static enum tune_outcome load_wait(struct heap_trial *trial, struct child *load,
                                   struct child *server, const struct heap_setting *setting) {
  char why[400];
  while (!child_ended(load)) {
    if (asker_stopped(trial->request->asker))
      return give_up(trial, STATUS_INTERRUPTED);
    if (child_ended(server)) {
      child_explain(why, sizeof why, server);
      return not_usable(trial, setting, why);
    }
    rest();
  }
  if (WIFEXITED(load->status) && WEXITSTATUS(load->status) == 0)
    return TUNE_MEASURED;
  load_explain(why, sizeof why, trial, load);
  if (WIFEXITED(load->status) && WEXITSTATUS(load->status) == STATUS_UNKNOWN &&
      (has_written(trial, FILE_LATENCIES) || has_written(trial, FILE_OUTPUT))) {
    trial->unsure++;
    text_clear(&trial->doubt);
    text_append(&trial->doubt, why);
    return TUNE_MEASURED;
  }
  return give_up(trial, asker_fail(trial->request->asker, STATUS_NO_INPUT, "the load: %s", why));
}

static enum tune_outcome load_run(struct heap_trial *trial, struct child *server,
                                  const struct heap_setting *setting) {
  struct child load = {0};
  int error = load_start(trial, &load);
  if (error != 0)
    return give_up(trial, asker_fail(trial->request->asker, STATUS_UNAVAILABLE,
                                     "/bin/sh: cannot be run: %s", strerror(error)));
  enum tune_outcome outcome = load_wait(trial, &load, server, setting);
  child_stop(&load, END_MS);
  return outcome;
}

/* A percentile that no request has, as too many had no answer, is endless. */
static enum tune_outcome latencies_read(struct heap_trial *trial, struct tune_measured *measured) {
  char path[128];
  struct sample sample;
  struct source_notes notes;
  struct text message;
  struct stat about;
  file_path(path, sizeof path, trial, FILE_LATENCIES);
  if (stat(path, &about) != 0)
    file_path(path, sizeof path, trial, FILE_OUTPUT);
  sample_init(&sample);
  source_notes_init(&notes);
  text_init(&message);
  enum status status = source_read(&sample, &notes, path, trial->request->unit, &message);
  if (status != STATUS_OK) {
    give_up(trial, asker_fail(trial->request->asker, status,
                              "what the load wrote is not usable: %s; let it write latencies to "
                              "$LATENCIES or to its standard output, as a CSV file with a column "
                              "latency_ms or in another format that import reads",
                              text_get(&message)));
  } else {
    uint64_t ns = SAMPLE_NS_MAX;
    sample_quantile(&ns, &sample, trial->request->share);
    measured->metric = ns == 0 ? 1 : (double)ns;
    trial->least = sample.total < trial->least ? (size_t)sample.total : trial->least;
  }
  text_clear(&message);
  source_notes_clear(&notes);
  sample_clear(&sample);
  return status == STATUS_OK ? TUNE_MEASURED : TUNE_STOPPED;
}

enum tune_outcome trial_run(struct heap_trial *trial, const struct heap_setting *setting,
                            struct tune_measured *measured) {
  struct child server = {0};
  files_remove(trial);
  enum tune_outcome outcome = server_start(trial, &server, setting);
  if (outcome == TUNE_MEASURED)
    outcome = server_wait(trial, &server, setting);
  if (outcome == TUNE_MEASURED)
    outcome = load_run(trial, &server, setting);
  if (outcome == TUNE_MEASURED)
    measured->memory = (double)group_peak(server.pid);
  child_stop(&server, END_MS);
  return outcome == TUNE_MEASURED ? latencies_read(trial, measured) : outcome;
}
