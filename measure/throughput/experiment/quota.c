/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/quota.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 4096, TEXT = 4096, DEPTH = 32 };

static bool read_text(char text[TEXT], const char *path) {
  FILE *file = fopen(path, "re");
  size_t length = file != NULL ? fread(text, 1, TEXT - 1, file) : 0;
  if (file != NULL)
    fclose(file);
  text[length] = '\0';
  return length != 0;
}

bool quota_stat(uint64_t *ns, const char *text) {
  for (const char *line = text; line != NULL && *line != '\0';) {
    if (sscanf(line, "throttled_time %" SCNu64, ns) == 1) /* in ns */
      return true;
    if (sscanf(line, "throttled_usec %" SCNu64, ns) == 1) {
      *ns *= 1000;
      return true;
    }
    line = strchr(line, '\n');
    line = line != NULL ? line + 1 : NULL;
  }
  return false;
}

/* Of the group and all above it up to `root`, the most. */
static bool climb(uint64_t *most, const char *root, const char *group) {
  char path[PATH], text[TEXT];
  size_t length = strlen(root);
  bool found = false;
  if (snprintf(path, sizeof path, "%s%s", root, group) >= (int)sizeof path - 16)
    return false;
  for (int depth = 0; depth < DEPTH; depth++) {
    size_t end = strlen(path);
    uint64_t ns;
    strcpy(path + end, "/cpu.stat");
    if (read_text(text, path) && quota_stat(&ns, text)) {
      found = true;
      *most = ns > *most ? ns : *most;
    }
    path[end] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL || end <= length || slash < path + length)
      break;
    *slash = '\0';
  }
  return found;
}

/* Whether a list "cpu,cpuacct" has cpu. */
static bool has_cpu(const char *list, size_t length) {
  for (const char *at = list; at < list + length; at += strcspn(at, ",:") + 1)
    if (strcspn(at, ",:") == 3 && memcmp(at, "cpu", 3) == 0)
      return true;
  return false;
}

bool quota_of(uint64_t *ns, const char *groups, const char *root) {
  bool found = false;
  *ns = 0;
  for (const char *line = groups; line != NULL && *line != '\0';) {
    const char *list = strchr(line, ':'), *stop = strchr(line, '\n');
    const char *path = list != NULL ? strchr(list + 1, ':') : NULL;
    size_t length = stop != NULL ? (size_t)(stop - line) : strlen(line);
    char group[PATH], folder[PATH];
    if (path != NULL && path < line + length) {
      size_t names = (size_t)(path - list - 1);
      snprintf(group, sizeof group, "%.*s", (int)(line + length - path - 1), path + 1);
      if (names == 0) /* version 2, alone or beside version 1 */
        snprintf(folder, sizeof folder, "%s", root);
      else
        snprintf(folder, sizeof folder, "%s/%.*s", root, (int)names, list + 1);
      if (names == 0 || has_cpu(list + 1, names))
        found = climb(ns, folder, strcmp(group, "/") == 0 ? "" : group) || found;
      if (names == 0 && !found) {
        snprintf(folder, sizeof folder, "%s/unified", root);
        found = climb(ns, folder, strcmp(group, "/") == 0 ? "" : group);
      }
    }
    line = stop != NULL ? stop + 1 : NULL;
  }
  return found;
}

bool quota_throttled(uint64_t *ns, pid_t process) {
  char path[48], text[TEXT];
  snprintf(path, sizeof path, "/proc/%d/cgroup", process);
  return read_text(text, path) && quota_of(ns, text, "/sys/fs/cgroup");
}
