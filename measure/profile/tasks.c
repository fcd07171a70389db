/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/tasks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(task_ids *ids, uint32_t id) {
  for (size_t i = 0; i < ids->count; i++)
    if (ids->data[i] == id)
      return;
  vector_push(ids, id);
}

/* Adds the names of a folder's entries that are numbers. */
static bool add_entries(task_ids *ids, const char *path) {
  DIR *folder = opendir(path);
  if (folder == NULL)
    return false;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char *end;
    unsigned long id = strtoul(entry->d_name, &end, 10);
    if (*end == '\0' && end != entry->d_name)
      add(ids, (uint32_t)id);
  }
  closedir(folder);
  return true;
}

bool tasks_threads(task_ids *threads, uint32_t process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/task", process);
  return add_entries(threads, path);
}

/* The processes that a thread started. */
static void add_children(task_ids *processes, uint32_t process, uint32_t thread) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/task/%u/children", process, thread);
  FILE *file = fopen(path, "re");
  uint32_t child;
  while (file != NULL && fscanf(file, "%u", &child) == 1)
    add(processes, child);
  if (file != NULL)
    fclose(file);
}

void tasks_family(task_ids *processes, uint32_t process) {
  size_t next = processes->count;
  add(processes, process);
  for (; next < processes->count; next++) {
    task_ids threads = {0};
    uint32_t parent = processes->data[next];
    tasks_threads(&threads, parent);
    for (size_t i = 0; i < threads.count; i++)
      add_children(processes, parent, threads.data[i]);
    vector_clear(&threads);
  }
}

void tasks_all(task_ids *processes) {
  add_entries(processes, "/proc");
}

void tasks_name(char *name, size_t size, uint32_t process, uint32_t thread) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/task/%u/comm", process, thread);
  FILE *file = fopen(path, "re");
  name[0] = '\0';
  if (file == NULL)
    return;
  if (fgets(name, (int)size, file) != NULL)
    name[strcspn(name, "\n")] = '\0';
  fclose(file);
}
