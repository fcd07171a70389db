/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/mapped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* A line of maps, "START-END PERM OFFSET DEVICE INODE   PATH"; the path, and its inode. */
static char *path_of(char *line, uint64_t *inode) {
  char *at = line, *end;
  line[strcspn(line, "\n")] = '\0';
  for (unsigned field = 0; field < 4; field++) {
    at += strcspn(at, " ");
    at += strspn(at, " ");
  }
  *inode = strtoull(at, &end, 10);
  return end + strspn(end, " ");
}

static bool is_path(const char *path, const char *wanted) {
  size_t length = strlen(wanted);
  return strncmp(path, wanted, length) == 0 &&
         (path[length] == '\0' || strcmp(path + length, " (deleted)") == 0);
}

enum mapped mapped_by(uint32_t process, const char *path, uint64_t inode) {
  char name[64], line[4352];
  enum mapped mapped = MAPPED_NOT;
  snprintf(name, sizeof name, "/proc/%u/maps", process);
  FILE *maps = fopen(name, "re");
  if (maps == NULL)
    return MAPPED_UNKNOWN;
  while (mapped != MAPPED_THIS && fgets(line, sizeof line, maps) != NULL) {
    uint64_t found;
    const char *of = path_of(line, &found);
    if (found == inode && *of == '/')
      mapped = MAPPED_THIS;
    else if (is_path(of, path))
      mapped = MAPPED_REPLACED;
  }
  fclose(maps);
  return mapped;
}

static bool reads_as(const char *link, const char *wanted) {
  char text[4096];
  ssize_t length = readlink(link, text, sizeof text - 1);
  text[length < 0 ? 0 : length] = '\0';
  return length < 0 || strcmp(text, wanted) == 0;
}

static bool sees_the_same(uint32_t process) {
  char name[64], own[64];
  ssize_t length = readlink("/proc/self/ns/mnt", own, sizeof own - 1);
  own[length < 0 ? 0 : length] = '\0';
  snprintf(name, sizeof name, "/proc/%u/ns/mnt", process);
  if (!reads_as(name, own))
    return false;
  snprintf(name, sizeof name, "/proc/%u/root", process);
  return reads_as(name, "/");
}

char *mapped_inside(uint32_t process, const char *path) {
  if (sees_the_same(process) || strncmp(path, "/proc/", strlen("/proc/")) == 0)
    return NULL;
  struct text inside = {0};
  text_format(&inside, "/proc/%u/root%s", process, path);
  if (access(text_get(&inside), R_OK) == 0)
    return text_take(&inside);
  text_clear(&inside);
  return NULL;
}

char process_state(uint32_t process) {
  char name[64], line[512] = "";
  snprintf(name, sizeof name, "/proc/%u/stat", process);
  FILE *stat = fopen(name, "re");
  if (stat == NULL)
    return 0;
  char *got = fgets(line, sizeof line, stat);
  fclose(stat);
  const char *end = got == NULL ? NULL : strrchr(line, ')');
  return end != NULL && end[1] == ' ' ? end[2] : 0;
}
