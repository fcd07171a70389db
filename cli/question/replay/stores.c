/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/replay/stores.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/question/replay/judge.h"

static bool ends_in(const char *name, const char *ending) {
  size_t length = strlen(name), size = strlen(ending);
  return length > size && strcmp(name + length - size, ending) == 0;
}

bool stores_are_at(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
    return ends_in(path, ".tps");
  bool store = false, table = false;
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    store |= ends_in(entry->d_name, ".tps");
    table |= strcmp(entry->d_name, "joint.csv") == 0 || strcmp(entry->d_name, "joint.csv.gz") == 0;
  }
  if (folder != NULL)
    closedir(folder);
  return store && !table;
}

static void add_notes(struct source_notes *notes, const struct replay_run *run,
                      const struct conform_counts *counts, const char *path) {
  source_notes_add(notes,
                   "%s: %" PRIu64 " complete instances, which follow the protocol; times are "
                   "within %" PRId64 " ns",
                   path, counts->complete, run->slack_ns);
  if (counts->incomplete != 0)
    source_notes_add(notes, "%s: %" PRIu64 " instances without an end count as infinite", path,
                     counts->incomplete);
  for (const char *line = text_get(&run->recording.unpaired); *line != '\0';
       line += strcspn(line, "\n") + 1)
    source_notes_add(notes, "%s: %.*s", path, (int)strcspn(line, "\n"), line);
  if (run->overwritten != 0)
    source_notes_add(notes, "%s: %" PRIu64 " instances whose beginning was overwritten have no row",
                     path, run->overwritten);
  if (counts->covered != 0)
    source_notes_add(notes, "%s: %" PRIu64 " steps started later than their instances explain",
                     path, counts->covered);
}

static enum status judge(struct text *table, struct source_notes *notes, struct replay_run *run,
                         struct interpreter *interpreter, const struct parameters *parameters,
                         const char *path, struct text *message) {
  struct conform *conform = judge_new(run, interpreter, parameters);
  struct replay_joint joint = {.recording = &run->recording};
  struct text why;
  text_init(&why);
  enum status status = judge_all(run, conform, &joint);
  if (status == STATUS_REFUTED) {
    text_format(message, "%s: the run does not follow %s: ", path, file_name(run->request->path));
    replay_append_misfit(message, run, conform);
    text_append(message, "; see tailproof replay");
    status = STATUS_DATA;
  } else if (status != STATUS_INTERRUPTED) {
    status = replay_joint_print(&joint, table, &why);
    if (status == STATUS_OK)
      add_notes(notes, run, conform_counts(conform), path);
    else
      text_format(message, "%s: %s; see tailproof replay", path, text_get(&why));
  }
  text_clear(&why);
  replay_joint_clear(&joint);
  conform_free(conform);
  return status;
}

static enum status read_and_judge(struct text *table, struct source_notes *notes,
                                  struct replay_run *run, struct interpreter *interpreter,
                                  const struct parameters *parameters, const char *const *paths,
                                  size_t count, struct text *message) {
  enum status status =
      recording_read(&run->recording, interpreter, paths, count, run->request->ends, message);
  if (status == STATUS_OK && !run->recording.one_clock) {
    text_format(message,
                "%s: the stores have several clocks, so that delays are not known; use the table "
                "of tailproof import",
                paths[0]);
    status = STATUS_DATA;
  }
  if (status == STATUS_OK)
    status = judge(table, notes, run, interpreter, parameters, paths[0], message);
  return status;
}

enum status stores_table(struct text *table, struct source_notes *notes, const struct model *model,
                         const struct bound *bound, const struct replay_request *request,
                         const char *const *paths, size_t count, struct text *message) {
  struct replay_run run = {.request = request};
  struct parameters parameters;
  recording_init(&run.recording);
  enum status status = parameters_read(&parameters, model, &request->set, request->asker);
  struct interpreter *interpreter = NULL;
  if (status == STATUS_OK)
    interpreter = needed_interpreter(&status, model, &parameters, message);
  if (interpreter != NULL) {
    needed_bounds(&run.bounds, model, bound, &parameters, &run.missing);
    status = read_and_judge(table, notes, &run, interpreter, &parameters, paths, count, message);
    interpreter_free(interpreter);
  }
  recording_clear(&run.recording);
  parameters_clear(&parameters);
  vector_clear(&run.bounds);
  text_clear(&run.missing);
  return status;
}
