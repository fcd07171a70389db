/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/processors.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/vector.h"
#include "measure/throughput/experiment/quota.h"

enum {
  OUTSIDE = PROCESSORS_OUTSIDE,
  LOAD = PROCESSORS_LOAD,
  OWN = PROCESSORS_OWN,
  POKERS = PROCESSORS_POKERS
};

struct used_process {
  pid_t id, parent, session;
  char name[16];
  int owner;
  uint64_t throttled_ns; /* of a service, by its groups' quotas */
};

struct used_task {
  pid_t id;
  uint64_t began; /* in ticks since boot: an identifier may be used again */
  uint64_t ns, runnable_ns;
  int owner;
  char name[16];
};

struct processor_snapshot {
  uint64_t at_ns, busy_ns;
  VECTOR(struct used_process) processes;
  VECTOR(struct used_task) tasks;
};

/* --- reading ---------------------------------------------------------------------------------- */

/* Up to size - 1 bytes of a file; false when there are none. */
static bool read_text(char *text, size_t size, const char *path) {
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return false;
  size_t length = fread(text, 1, size - 1, file);
  fclose(file);
  text[length] = '\0';
  return length != 0;
}

struct stat_line {
  pid_t parent, session;
  uint64_t ticks, began;
  char name[16];
};

/* proc(5): the name stands in parentheses and may have any characters. */
static bool read_stat(struct stat_line *line, const char *path) {
  char text[1024];
  uint64_t user, system;
  if (!read_text(text, sizeof text, path))
    return false;
  const char *from = strchr(text, '('), *to = strrchr(text, ')');
  if (from == NULL || to == NULL || to < from)
    return false;
  snprintf(line->name, sizeof line->name, "%.*s", (int)(to - from - 1), from + 1);
  if (sscanf(to + 1,
             " %*c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
             " %*d %*d %*d %*d %*d %*d %" SCNu64,
             &line->parent, &line->session, &user, &system, &line->began) != 5)
    return false;
  line->ticks = user + system;
  return true;
}

static uint64_t of_ticks(uint64_t ticks) {
  return ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* User, nice, system, irq, softirq of all processors; idle, iowait and steal are not ours. */
static bool read_busy(uint64_t *busy_ns) {
  char text[512];
  uint64_t user, nice, system, idle, wait, irq, soft;
  if (!read_text(text, sizeof text, "/proc/stat") ||
      sscanf(text,
             "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
             &user, &nice, &system, &idle, &wait, &irq, &soft) != 7)
    return false;
  *busy_ns = of_ticks(user + nice + system + irq + soft);
  return true;
}

static void read_task(struct processor_snapshot *snapshot, const struct used_process *process,
                      const char *task) {
  char path[80], text[64];
  struct stat_line line;
  struct used_task read = {.id = (pid_t)strtol(task, NULL, 10), .owner = process->owner};
  snprintf(path, sizeof path, "/proc/%d/task/%.16s/stat", process->id, task);
  if (!read_stat(&line, path))
    return;
  read.began = line.began;
  read.ns = of_ticks(line.ticks);
  snprintf(path, sizeof path, "/proc/%d/task/%.16s/schedstat", process->id, task);
  if (read_text(text, sizeof text, path))
    sscanf(text, "%" SCNu64 " %" SCNu64, &read.ns, &read.runnable_ns);
  memcpy(read.name, process->name, sizeof read.name);
  vector_push(&snapshot->tasks, read);
}

static void read_tasks(struct processor_snapshot *snapshot, const struct used_process *process) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/task", process->id);
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
    if (isdigit((unsigned char)entry->d_name[0]))
      read_task(snapshot, process, entry->d_name);
  if (folder != NULL)
    closedir(folder);
}

static bool read_processes(struct processor_snapshot *snapshot) {
  DIR *folder = opendir("/proc");
  if (folder == NULL)
    return false;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[48];
    struct stat_line line;
    if (!isdigit((unsigned char)entry->d_name[0]))
      continue;
    snprintf(path, sizeof path, "/proc/%.16s/stat", entry->d_name);
    if (!read_stat(&line, path))
      continue;
    struct used_process process = {.id = (pid_t)strtol(entry->d_name, NULL, 10),
                                   .parent = line.parent,
                                   .session = line.session};
    memcpy(process.name, line.name, sizeof process.name);
    vector_push(&snapshot->processes, process);
  }
  closedir(folder);
  return true;
}

/* --- whose it is ------------------------------------------------------------------------------ */

static struct used_process *find(const struct processor_snapshot *snapshot, pid_t id) {
  for (size_t i = 0; i < snapshot->processes.count; i++)
    if (snapshot->processes.data[i].id == id)
      return &snapshot->processes.data[i];
  return NULL;
}

static int root_of(const struct processor_roots *roots, pid_t id) {
  for (uint32_t s = 0; s < roots->count; s++)
    if (roots->pokers[s] == id)
      return (int)(POKERS + s);
  return roots->load != 0 && roots->load == id ? LOAD : id == getpid() ? OWN : OUTSIDE;
}

/* By descent: what a poker has started is its service. */
static int descends(const struct processor_snapshot *snapshot, const struct processor_roots *roots,
                    const struct used_process *process) {
  const struct used_process *at = process;
  for (int depth = 0; at != NULL && depth < 64; depth++) {
    int owner = root_of(roots, at->id);
    if (owner >= POKERS)
      return at == process ? owner : owner - POKERS;
    if (owner != OUTSIDE)
      return owner;
    at = at->parent > 1 ? find(snapshot, at->parent) : NULL;
  }
  return OUTSIDE;
}

static void find_owners(struct processor_snapshot *snapshot, const struct processor_roots *roots) {
  for (size_t i = 0; i < snapshot->processes.count; i++)
    snapshot->processes.data[i].owner = descends(snapshot, roots, &snapshot->processes.data[i]);
  for (size_t i = 0; i < snapshot->processes.count; i++) { /* whose parent has ended */
    struct used_process *process = &snapshot->processes.data[i];
    const struct used_process *leader = find(snapshot, process->session);
    if (process->owner == OUTSIDE && leader != NULL && leader->owner >= 0 && leader->owner < POKERS)
      process->owner = leader->owner;
  }
}

/* --- both ------------------------------------------------------------------------------------- */

void processors_forget(struct processor_snapshot *snapshot) {
  if (snapshot == NULL)
    return;
  vector_clear(&snapshot->processes);
  vector_clear(&snapshot->tasks);
  mem_free(snapshot);
}

struct processor_snapshot *processors_look(const struct processor_roots *roots) {
  struct processor_snapshot *snapshot = mem_alloc(1, sizeof *snapshot);
  struct timespec now;
  *snapshot = (struct processor_snapshot){0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  snapshot->at_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
  if (!read_busy(&snapshot->busy_ns) || !read_processes(snapshot)) {
    processors_forget(snapshot);
    return NULL;
  }
  find_owners(snapshot, roots);
  for (size_t i = 0; i < snapshot->processes.count; i++) {
    struct used_process *process = &snapshot->processes.data[i];
    read_tasks(snapshot, process);
    if (process->owner >= 0 && process->owner < POKERS)
      quota_throttled(&process->throttled_ns, process->id);
  }
  return snapshot;
}

bool processors_process(struct processor_process *process,
                        const struct processor_snapshot *snapshot, size_t place) {
  if (snapshot == NULL || place >= snapshot->processes.count)
    return false;
  const struct used_process *found = &snapshot->processes.data[place];
  *process = (struct processor_process){.id = found->id, .owner = found->owner};
  memcpy(process->name, found->name, sizeof process->name);
  return true;
}

static int by_id(const void *left, const void *right) {
  const struct used_task *a = left, *b = right;
  return a->id != b->id ? (a->id < b->id ? -1 : 1) : (a->began > b->began) - (a->began < b->began);
}

static void add(struct processor_share *share, const struct used_task *task, double used,
                double runnable) {
  share->all += used;
  share->wanted += used + runnable;
  share->thread_wanted = fmax(share->thread_wanted, fmin(used + runnable, 1));
  if (used <= share->thread)
    return;
  share->thread = used < 1 ? used : 1;
  memcpy(share->name, task->name, sizeof share->name);
}

static struct processor_share *share_of(struct processor_use *use, int owner) {
  return owner == LOAD      ? &use->load
         : owner >= POKERS  ? &use->pokers[owner - POKERS]
         : owner >= 0       ? &use->services[owner]
         : owner == OUTSIDE ? &use->outside
                            : NULL;
}

static void find_throttled(struct processor_use *use, const struct processor_snapshot *before,
                           const struct processor_snapshot *after, double passed) {
  for (size_t i = 0; i < after->processes.count; i++) {
    const struct used_process *now = &after->processes.data[i], *was = find(before, now->id);
    if (now->owner < 0 || now->owner >= POKERS || was == NULL ||
        now->throttled_ns < was->throttled_ns)
      continue;
    struct processor_share *share = &use->services[now->owner];
    double stopped = (double)(now->throttled_ns - was->throttled_ns) / passed;
    share->throttled = fmax(share->throttled, stopped);
  }
}

void processors_since(struct processor_use *use, struct processor_snapshot *before,
                      const struct processor_roots *roots) {
  memset(use, 0, sizeof *use);
  struct processor_snapshot *after = before != NULL ? processors_look(roots) : NULL;
  if (after != NULL && after->at_ns > before->at_ns) {
    double passed = (double)(after->at_ns - before->at_ns);
    qsort(before->tasks.data, before->tasks.count, sizeof *before->tasks.data, by_id);
    for (size_t i = 0; i < after->tasks.count; i++) {
      const struct used_task *task = &after->tasks.data[i];
      const struct used_task *was =
          bsearch(task, before->tasks.data, before->tasks.count, sizeof *task, by_id);
      struct processor_share *share = share_of(use, task->owner);
      uint64_t from = was != NULL ? was->ns : 0;
      uint64_t ready = task->runnable_ns - (was != NULL ? was->runnable_ns : 0);
      if (share != NULL && task->ns > from)
        add(share, task, (double)(task->ns - from) / passed, (double)ready / passed);
    }
    find_throttled(use, before, after, passed);
    use->known = true;
    use->count = (double)sysconf(_SC_NPROCESSORS_ONLN);
    use->busy = (double)(after->busy_ns - before->busy_ns) / passed;
  }
  processors_forget(after);
  processors_forget(before);
}
