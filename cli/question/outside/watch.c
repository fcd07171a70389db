/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/outside/watch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure/outside/mapped.h"
#include "measure/profile/tasks.h"

static struct watched_process *find(struct outside_watch *watch, uint32_t process) {
  for (size_t i = 0; i < watch->list.count; i++)
    if (watch->list.data[i].id == process)
      return &watch->list.data[i];
  return NULL;
}

static void add(struct outside_watch *watch, uint32_t process, bool asked, bool settled) {
  if (find(watch, process) == NULL)
    vector_push(&watch->list, (struct watched_process){.id = process, .asked = asked});
  if (asked)
    capture_follow_named(watch->capture, process, settled);
  else
    capture_follow(watch->capture, process, settled);
}

bool watch_add(struct outside_watch *watch, uint32_t process) {
  task_ids family = {0};
  char state = process_state(process);
  if (state == 0 || state == 'Z') {
    asker_say(watch->asker, SAYING_FAILURE, "there is no process %u; `ps -e` lists those there are",
              process);
    return false;
  }
  add(watch, process, true, true);
  tasks_family(&family, process);
  for (size_t i = 0; i < family.count; i++)
    add(watch, family.data[i], false, true);
  vector_clear(&family);
  return true;
}

/* --- what is said --- */

static void look_for_stop(struct outside_watch *watch, struct watched_process *process) {
  char name[32];
  bool stopped = process_state(process->id) == 'T';
  if (stopped && !process->stopped) {
    tasks_name(name, sizeof name, process->id, process->id);
    asker_say(watch->asker, SAYING_FAILURE,
              "process %u (%s) is stopped and comes by no probe; continue it: kill -CONT %u",
              process->id, name, process->id);
  }
  process->stopped = stopped;
}

/* Without the right to follow the link, as when probes are in place: the first word of its command
 * line. */
static void program_of(char *path, size_t size, uint32_t process) {
  char link[64];
  snprintf(link, sizeof link, "/proc/%u/exe", process);
  ssize_t length = readlink(link, path, size - 1);
  path[length < 0 ? 0 : length] = '\0';
  if (length >= 0)
    return;
  snprintf(link, sizeof link, "/proc/%u/cmdline", process);
  FILE *words = fopen(link, "re");
  if (words != NULL) {
    size_t got = fread(path, 1, size - 1, words);
    path[got] = '\0';
    fclose(words);
  }
}

static void say_mapped(struct outside_watch *watch, uint32_t process, const char *path,
                       enum mapped mapped) {
  char program[4096];
  program_of(program, sizeof program, process);
  if (mapped == MAPPED_REPLACED)
    asker_say(watch->asker, SAYING_FAILURE,
              "process %u runs another %s than is there now: the file was replaced after the "
              "process had started; restart it, or name what it runs: /proc/%u/exe:SYMBOL",
              process, path, process);
  if (mapped == MAPPED_NOT)
    asker_say(watch->asker, SAYING_FAILURE,
              "process %u runs %s, which does not use %s: it comes by no probe there; name what "
              "/proc/%u/maps lists",
              process, program, path, process);
}

/* Each file once, though several probes may be in it. */
static void look_for_files(struct outside_watch *watch, uint32_t process) {
  const struct outside_plan *plan = watch->plan;
  for (size_t i = 0; i < plan->list.count; i++) {
    const char *path = plan->probes->sites.data[i].path;
    bool said = path == NULL;
    for (size_t k = 0; !said && k < i; k++)
      said = plan->probes->sites.data[k].path != NULL &&
             strcmp(plan->probes->sites.data[k].path, path) == 0;
    if (!said)
      say_mapped(watch, process, path, mapped_by(process, path, plan->list.data[i].target.inode));
  }
}

void watch_inspect(struct outside_watch *watch, uint32_t process) {
  struct watched_process *watched = find(watch, process);
  if (watched != NULL)
    look_for_stop(watch, watched);
  look_for_files(watch, process);
}

/* --- what becomes of processes --- */

/* Whether a child is a process, not a thread of its parent. */
static bool is_process(uint32_t id) {
  char path[64], line[256];
  unsigned group = 0;
  snprintf(path, sizeof path, "/proc/%u/status", id);
  FILE *status = fopen(path, "re");
  while (status != NULL && group == 0 && fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "Tgid: %u", &group) != 1)
      group = 0;
  if (status != NULL)
    fclose(status);
  return group == id;
}

static void tell_fork(struct outside_watch *watch, uint32_t process, uint32_t child) {
  const struct watched_process *parent = find(watch, process);
  if (!is_process(child))
    return;
  if (watch->followed++ == 0 && parent != NULL && parent->asked)
    asker_say(watch->asker, SAYING_FAILURE,
              "process %u has started process %u: it and those to come are traced as well, and "
              "events say which process they are of",
              process, child);
  add(watch, child, false, false);
}

static void tell_exec(struct outside_watch *watch, uint32_t process) {
  char program[4096];
  const struct watched_process *watched = find(watch, process);
  if (watched == NULL || !watched->asked)
    return;
  program_of(program, sizeof program, process);
  asker_say(watch->asker, SAYING_FAILURE,
            "process %u has become another program (exec): it is %s now; its probes are reached "
            "where that uses the same files, for others add probes and record again",
            process, program);
}

static void tell_exit(struct outside_watch *watch, uint32_t process, uint32_t thread) {
  struct watched_process *watched = find(watch, process);
  if (thread != process) {
    capture_forget(watch->capture, thread);
  } else if (watched != NULL && !watched->ended) {
    watched->ended = true;
    if (watched->asked)
      asker_say(watch->asker, SAYING_FAILURE,
                "process %u has ended; what it did until then is recorded; to go on, record the "
                "process that takes its place",
                process);
  }
}

void watch_tell(void *context, enum capture_fate fate, uint32_t process, uint32_t other) {
  struct outside_watch *watch = context;
  if (fate == FATE_FORK)
    tell_fork(watch, process, other);
  else if (fate == FATE_EXEC)
    tell_exec(watch, process);
  else
    tell_exit(watch, process, other);
}

bool watch_all_ended(struct outside_watch *watch) {
  bool all = true;
  for (size_t i = 0; i < watch->list.count; i++) {
    struct watched_process *process = &watch->list.data[i];
    char state = process_state(process->id);
    bool gone = state == 0 || state == 'Z';
    if (gone)
      capture_forget(watch->capture, process->id);
    else if (process->asked)
      look_for_stop(watch, process);
    all = all && gone;
  }
  return all;
}

void watch_clear(struct outside_watch *watch) {
  vector_clear(&watch->list);
}
