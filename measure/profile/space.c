/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/space.h"

#include <stdio.h>
#include <string.h>

#include "measure/profile/tasks.h"

/* --- mappings --- */

/* The first mapping that ends behind the address. */
static size_t find_first(const struct address_space *space, uint64_t address) {
  size_t low = 0, high = space->mappings.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (space->mappings.data[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct space_mapping *space_find(const struct address_space *space, uint64_t address) {
  size_t at = find_first(space, address);
  return at < space->mappings.count && space->mappings.data[at].start <= address
             ? &space->mappings.data[at]
             : NULL;
}

static void insert(struct address_space *space, size_t at, const struct space_mapping *mapping) {
  struct space_mapping copy = *mapping;
  vector_push(&space->mappings, copy);
  memmove(space->mappings.data + at + 1, space->mappings.data + at,
          (space->mappings.count - at - 1) * sizeof copy);
  space->mappings.data[at] = copy;
}

static void take_out(struct address_space *space, size_t at) {
  space->mappings.count--;
  memmove(space->mappings.data + at, space->mappings.data + at + 1,
          (space->mappings.count - at) * sizeof *space->mappings.data);
}

/* Takes start .. end out of what is mapped there; the parts before and behind stay. */
static void cut(struct address_space *space, uint64_t start, uint64_t end) {
  size_t at = find_first(space, start);
  while (at < space->mappings.count && space->mappings.data[at].start < end) {
    struct space_mapping *old = &space->mappings.data[at], behind = *old;
    if (behind.end > end) {
      behind.offset += end - behind.start;
      behind.start = end;
    }
    bool has_behind = old->end > end, has_before = old->start < start;
    if (has_before)
      old->end = start;
    if (has_before && has_behind)
      insert(space, at + 1, &behind);
    else if (has_behind)
      *old = behind;
    if (!has_before && !has_behind)
      take_out(space, at);
    else
      at += has_before && has_behind ? 2 : 1;
  }
}

void space_map(struct address_space *space, const struct space_mapping *mapping) {
  if (mapping->end <= mapping->start)
    return;
  cut(space, mapping->start, mapping->end);
  insert(space, find_first(space, mapping->start), mapping);
  space->version++;
}

/* A line of /proc/PID/maps. */
static void map_line(struct spaces *spaces, struct address_space *space, const char *line) {
  unsigned long long start, end, offset, inode;
  char access[5];
  unsigned major, minor;
  int path = 0;
  if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, access, &offset, &major,
             &minor, &inode, &path) < 7 ||
      access[2] != 'x')
    return;
  char name[4200];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(line + path, "\n"), line + path);
  if (strcmp(name, "[vsyscall]") == 0)
    return;
  uint32_t module =
      modules_find(&spaces->modules, &(struct module_file){name, major, minor, inode});
  space_map(space, &(struct space_mapping){start, end, offset, module});
}

static void read_maps(struct spaces *spaces, struct address_space *space) {
  char path[64], line[4352];
  snprintf(path, sizeof path, "/proc/%u/maps", space->process);
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    map_line(spaces, space, line);
  if (file != NULL)
    fclose(file);
}

/* --- processes --- */

static void clear_space(struct address_space *space) {
  vector_clear(&space->mappings);
  jit_clear(&space->jit);
  mem_free(space->cache);
  mem_free(space->path);
  space->cache = NULL;
  space->path = NULL;
  space->compiles = false;
}

static size_t find_space(const struct spaces *spaces, uint32_t process) {
  size_t low = 0, high = spaces->list.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (spaces->list.data[middle]->process < process)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* That of a process, as it is known or empty; *made says which. */
static struct address_space *need_space(struct spaces *spaces, uint32_t process, bool *made) {
  size_t at = find_space(spaces, process);
  *made = at == spaces->list.count || spaces->list.data[at]->process != process;
  if (!*made)
    return spaces->list.data[at];
  struct address_space *space = mem_alloc(1, sizeof *space);
  *space = (struct address_space){.process = process, .version = 1};
  vector_push(&spaces->list, space);
  memmove(spaces->list.data + at + 1, spaces->list.data + at,
          (spaces->list.count - at - 1) * sizeof *spaces->list.data);
  spaces->list.data[at] = space;
  return space;
}

struct address_space *spaces_get(struct spaces *spaces, uint32_t process) {
  bool made;
  struct address_space *space = need_space(spaces, process, &made);
  if (made)
    read_maps(spaces, space);
  return space;
}

bool spaces_know(const struct spaces *spaces, uint32_t process) {
  size_t at = find_space(spaces, process);
  return at < spaces->list.count && spaces->list.data[at]->process == process;
}

void spaces_sweep(struct spaces *spaces) {
  size_t kept = 0;
  for (size_t i = 0; i < spaces->list.count; i++) {
    struct address_space *space = spaces->list.data[i];
    if (space->ended) {
      clear_space(space);
      mem_free(space);
    } else {
      spaces->list.data[kept++] = space;
    }
  }
  spaces->list.count = kept;
}

void spaces_clear(struct spaces *spaces) {
  for (size_t i = 0; i < spaces->list.count; i++)
    spaces->list.data[i]->ended = true;
  spaces_sweep(spaces);
  vector_clear(&spaces->list);
  vector_clear(&spaces->tasks);
  modules_clear(&spaces->modules);
}

/* --- threads --- */

static size_t find_task(const struct spaces *spaces, uint32_t thread) {
  size_t low = 0, high = spaces->tasks.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (spaces->tasks.data[middle].thread < thread)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static struct task *known_task(struct spaces *spaces, uint32_t thread) {
  size_t at = find_task(spaces, thread);
  return at < spaces->tasks.count && spaces->tasks.data[at].thread == thread
             ? &spaces->tasks.data[at]
             : NULL;
}

static struct task *set_task(struct spaces *spaces, uint32_t process, uint32_t thread,
                             const char *name) {
  struct task task = {.process = process, .thread = thread, .number = UINT32_MAX};
  snprintf(task.name, sizeof task.name, "%s", name);
  struct task *known = known_task(spaces, thread);
  if (known == NULL) {
    size_t at = find_task(spaces, thread);
    vector_push(&spaces->tasks, task);
    known = &spaces->tasks.data[at];
    memmove(known + 1, known, (spaces->tasks.count - at - 1) * sizeof task);
  }
  *known = task;
  return known;
}

struct task *spaces_task(struct spaces *spaces, uint32_t process, uint32_t thread) {
  struct task *task = known_task(spaces, thread);
  if (task != NULL && task->process == process)
    return task;
  char name[SPACE_NAME];
  tasks_name(name, sizeof name, process, thread);
  return set_task(spaces, process, thread, name);
}

/* --- records --- */

static void follow_map(struct spaces *spaces, const struct ring_event *event) {
  if (!event->executable)
    return;
  bool made;
  struct address_space *space = need_space(spaces, event->process, &made);
  if (made)
    read_maps(spaces, space);
  uint32_t module =
      modules_find(&spaces->modules,
                   &(struct module_file){event->name, event->major, event->minor, event->inode});
  space_map(space, &(struct space_mapping){event->address, event->address + event->length,
                                           event->offset, module});
}

/* A new process has what its parent had at that moment. */
static void follow_fork(struct spaces *spaces, const struct ring_event *event) {
  const struct task *parent = known_task(spaces, event->parent_thread);
  char name[SPACE_NAME] = "";
  if (parent != NULL)
    memcpy(name, parent->name, sizeof name);
  else
    tasks_name(name, sizeof name, event->process, event->thread);
  set_task(spaces, event->process, event->thread, name);
  if (event->process == event->parent_process)
    return;
  bool made;
  const struct address_space *from = spaces_get(spaces, event->parent_process);
  struct address_space *space = need_space(spaces, event->process, &made);
  clear_space(space);
  space->ended = false;
  space->version++;
  for (size_t i = 0; i < from->mappings.count; i++)
    vector_push(&space->mappings, from->mappings.data[i]);
}

static void follow_command(struct spaces *spaces, const struct ring_event *event) {
  set_task(spaces, event->process, event->thread, event->name);
  if (!event->exec)
    return;
  bool made;
  struct address_space *space = need_space(spaces, event->process, &made);
  clear_space(space);
  space->version++;
}

static void follow_exit(struct spaces *spaces, const struct ring_event *event) {
  struct task *task = known_task(spaces, event->thread);
  if (task != NULL) {
    size_t at = (size_t)(task - spaces->tasks.data);
    spaces->tasks.count--;
    memmove(task, task + 1, (spaces->tasks.count - at) * sizeof *task);
  }
  size_t at = find_space(spaces, event->process);
  if (event->process == event->thread && at < spaces->list.count &&
      spaces->list.data[at]->process == event->process)
    spaces->list.data[at]->ended = true;
}

void spaces_follow(struct spaces *spaces, const struct ring_event *event) {
  if (event->kind == EVENT_MAP)
    follow_map(spaces, event);
  else if (event->kind == EVENT_FORK)
    follow_fork(spaces, event);
  else if (event->kind == EVENT_COMMAND)
    follow_command(spaces, event);
  else if (event->kind == EVENT_EXIT)
    follow_exit(spaces, event);
}
