/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/pause/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MOST = 1000, REMOVALS_MOST = 500 };

void cgroup_init(struct cgroup *cgroup) {
  *cgroup = (struct cgroup){.procs = -1, .freeze = -1, .events = -1};
}

/* --- where ------------------------------------------------------------------------------------ */

/* The caller's, as cgroup2 names it. */
static bool find_own(char own[PATH_MAX]) {
  FILE *file = fopen("/proc/self/cgroup", "re");
  if (file == NULL)
    return false;
  char line[PATH_MAX + 8];
  bool found = false;
  while (!found && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = 0;
    size_t size = strlen(line) + 1;
    found = strncmp(line, "0::/", 4) == 0 && strstr(line, "/..") == NULL && size - 3 <= PATH_MAX;
    if (found)
      memcpy(own, line + 3, size - 3);
  }
  fclose(file);
  return found;
}

/* mountinfo writes blanks and backslashes as \ooo. */
static void unescape(char *text) {
  char *to = text;
  for (const char *from = text; *from != 0; to++) {
    unsigned value;
    if (from[0] == '\\' && sscanf(from + 1, "%3o", &value) == 1) {
      *to = (char)value;
      from += 4;
    } else {
      *to = *from++;
    }
  }
  *to = 0;
}

/* Where a mount of which `root` is the part that is seen shows the cgroup `own`. */
static bool folder_below(char folder[PATH_MAX], const char *mount, const char *root,
                         const char *own) {
  size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
  if (strncmp(own, root, length) != 0 || (own[length] != '/' && own[length] != 0))
    return false;
  const char *rest = strcmp(own + length, "/") == 0 ? "" : own + length;
  return snprintf(folder, PATH_MAX, "%s%s", mount, rest) < PATH_MAX;
}

/* The folder of the caller's own cgroup. */
static bool find_folder(char folder[PATH_MAX]) {
  char own[PATH_MAX];
  if (!find_own(own))
    return false;
  FILE *file = fopen("/proc/self/mountinfo", "re");
  if (file == NULL)
    return false;
  char *line = NULL, *root = NULL, *mount = NULL;
  size_t size = 0;
  bool found = false;
  while (!found && getline(&line, &size, file) > 0) {
    if (strstr(line, " - cgroup2 ") != NULL &&
        sscanf(line, "%*s %*s %*s %ms %ms", &root, &mount) == 2) {
      unescape(root);
      unescape(mount);
      found = folder_below(folder, mount, root, own);
    }
    free(root);
    free(mount);
    root = mount = NULL;
  }
  free(line);
  fclose(file);
  return found;
}

/* --- the cgroup ------------------------------------------------------------------------------- */

static int open_file(const struct cgroup *cgroup, const char *name, int how) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/%s", cgroup->path, name);
  return open(path, how | O_CLOEXEC);
}

/* A name that nobody has: one of a process that had our number and left its own is passed over. */
static bool make_folder(struct cgroup *cgroup, const char *folder) {
  static atomic_uint next;
  for (int i = 0; i < NAMES_MOST; i++) {
    int length = snprintf(cgroup->path, sizeof cgroup->path, "%s/tailproof-%ld-%u", folder,
                          (long)getpid(), atomic_fetch_add(&next, 1));
    if (length >= (int)sizeof cgroup->path) {
      errno = ENAMETOOLONG;
      break;
    }
    if (mkdir(cgroup->path, 0755) == 0)
      return true;
    if (errno != EEXIST)
      break;
  }
  cgroup->path[0] = 0;
  return false;
}

bool cgroup_make(struct cgroup *cgroup, char *why, size_t size) {
  char folder[PATH_MAX];
  cgroup_init(cgroup);
  if (!find_folder(folder)) {
    snprintf(why, size, "no cgroup2 is mounted that this process is in");
    return false;
  }
  if (!make_folder(cgroup, folder)) {
    snprintf(why, size, "no cgroup can be made in %.300s: %s", folder, strerror(errno));
    return false;
  }
  cgroup->procs = open_file(cgroup, "cgroup.procs", O_WRONLY);
  cgroup->freeze = open_file(cgroup, "cgroup.freeze", O_WRONLY);
  cgroup->events = open_file(cgroup, "cgroup.events", O_RDONLY);
  if (cgroup->procs < 0 || cgroup->freeze < 0 || cgroup->events < 0) {
    snprintf(why, size, "a file of %.300s cannot be used: %s", cgroup->path, strerror(errno));
    cgroup_remove(cgroup);
    return false;
  }
  return true;
}

bool cgroup_freeze(const struct cgroup *cgroup, bool frozen) {
  ssize_t written;
  do
    written = pwrite(cgroup->freeze, frozen ? "1" : "0", 1, 0);
  while (written < 0 && errno == EINTR);
  return written == 1;
}

int cgroup_event(int events, enum cgroup_fact fact) {
  const char *name = fact == CGROUP_FROZEN ? "frozen " : "populated ";
  char text[128];
  ssize_t size;
  do
    size = pread(events, text, sizeof text - 1, 0);
  while (size < 0 && errno == EINTR);
  if (size < 0)
    return -1;
  text[size] = 0;
  const char *found = strstr(text, name);
  return found == NULL ? -1 : found[strlen(name)] == '1';
}

/* One pass over what is in it; a process that forks meanwhile is found by the next. */
static void move_processes(const struct cgroup *cgroup) {
  char parent[PATH_MAX + 32], line[32];
  snprintf(parent, sizeof parent, "%s/../cgroup.procs", cgroup->path);
  int to = open(parent, O_WRONLY | O_CLOEXEC);
  int from = open_file(cgroup, "cgroup.procs", O_RDONLY);
  FILE *file = from < 0 ? NULL : fdopen(from, "r");
  while (to >= 0 && file != NULL && fgets(line, sizeof line, file) != NULL)
    if (write(to, line, strlen(line)) < 0)
      continue; /* ended, or may not be moved: rmdir will tell */
  if (file != NULL)
    fclose(file);
  else if (from >= 0)
    close(from);
  if (to >= 0)
    close(to);
}

static void close_files(struct cgroup *cgroup) {
  const int files[] = {cgroup->procs, cgroup->freeze, cgroup->events};
  for (int i = 0; i < 3; i++)
    if (files[i] >= 0)
      close(files[i]);
}

void cgroup_remove(struct cgroup *cgroup) {
  if (cgroup->path[0] != 0) {
    if (cgroup->freeze >= 0)
      cgroup_freeze(cgroup, false);
    /* A process that has ended stays in it for a moment. */
    for (int i = 0; i < REMOVALS_MOST && rmdir(cgroup->path) != 0 && errno == EBUSY; i++) {
      move_processes(cgroup);
      usleep(1000);
    }
  }
  close_files(cgroup);
  cgroup_init(cgroup);
}
