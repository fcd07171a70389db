/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/tune/group.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vector.h"

typedef VECTOR(unsigned long) group_numbers;

/* Of a process: the field of /proc/PID/stat behind its name, its state and its parent. */
static pid_t group_of(unsigned long process) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%lu/stat", process);
  FILE *file = fopen(path, "re");
  char *read = file == NULL ? NULL : fgets(line, sizeof line, file);
  if (file != NULL)
    fclose(file);
  const char *name_end = read == NULL ? NULL : strrchr(line, ')');
  char *end;
  if (name_end == NULL || strlen(name_end) < 4)
    return 0;
  strtol(name_end + 4, &end, 10); /* ") S 1 GROUP" */
  return (pid_t)strtol(end, NULL, 10);
}

static void members(group_numbers *out, pid_t group) {
  DIR *folder = opendir("/proc");
  if (folder == NULL)
    return;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    unsigned long process = strtoul(entry->d_name, NULL, 10);
    if (isdigit((unsigned char)entry->d_name[0]) && group_of(process) == group)
      vector_push(out, process);
  }
  closedir(folder);
}

/* The sockets in the state LISTEN: lines "0: 0100007F:1F90 00000000:0000 0A 00000000:00000000
 * 00:00000000 00000000 0 0 INODE". */
static void listening(group_numbers *inodes, unsigned long process, const char *table) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%lu/net/%s", process, table);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return;
  while (fgets(line, sizeof line, file) != NULL) {
    unsigned state;
    unsigned long inode;
    if (sscanf(line, " %*u: %*s %*s %x %*s %*s %*s %*u %*u %lu", &state, &inode) == 2 &&
        state == 0x0a)
      vector_push(inodes, inode);
  }
  fclose(file);
}

static bool has_socket(unsigned long process, const group_numbers *inodes) {
  char path[300], target[64];
  snprintf(path, sizeof path, "/proc/%lu/fd", process);
  DIR *folder = opendir(path);
  bool found = false;
  if (folder == NULL)
    return false;
  for (const struct dirent *entry; !found && (entry = readdir(folder)) != NULL;) {
    snprintf(path, sizeof path, "/proc/%lu/fd/%s", process, entry->d_name);
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    unsigned long inode = strncmp(target, "socket:[", 8) == 0 ? strtoul(target + 8, NULL, 10) : 0;
    for (size_t i = 0; i < inodes->count && inode != 0; i++)
      found = found || inodes->data[i] == inode;
  }
  closedir(folder);
  return found;
}

bool process_listens(pid_t process) {
  group_numbers inodes = {0};
  listening(&inodes, (unsigned long)process, "tcp");
  listening(&inodes, (unsigned long)process, "tcp6");
  bool found = inodes.count > 0 && has_socket((unsigned long)process, &inodes);
  vector_clear(&inodes);
  return found;
}

bool group_listens(pid_t group) {
  group_numbers processes = {0};
  bool found = false;
  members(&processes, group);
  for (size_t i = 0; i < processes.count && !found; i++)
    found = process_listens((pid_t)processes.data[i]);
  vector_clear(&processes);
  return found;
}

static uint64_t peak_of(unsigned long process) {
  char path[64], line[256];
  uint64_t kb = 0;
  snprintf(path, sizeof path, "/proc/%lu/status", process);
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "VmHWM: %" SCNu64, &kb) == 1)
      break;
  if (file != NULL)
    fclose(file);
  return kb * 1024;
}

uint64_t group_peak(pid_t group) {
  group_numbers processes = {0};
  uint64_t sum = 0;
  members(&processes, group);
  for (size_t i = 0; i < processes.count; i++)
    sum += peak_of(processes.data[i]);
  vector_clear(&processes);
  return sum;
}
