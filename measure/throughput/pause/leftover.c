/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/pause/leftover.h"

#include "measure/throughput/pause/moment.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* Of /proc/PID/stat; the name between the parentheses may hold anything. */
static bool lives_in(const char *pid, pid_t group) {
  char path[300], text[1024];
  snprintf(path, sizeof path, "/proc/%.255s/stat", pid);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return false;
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  const char *after = strrchr(text, ')');
  char state;
  long parent, its_group;
  return after != NULL && sscanf(after + 1, " %c %ld %ld", &state, &parent, &its_group) == 3 &&
         its_group == group && state != 'Z' && state != 'X';
}

static void wait_for_ours(pid_t group) {
  while (waitpid(-group, NULL, WNOHANG) > 0)
    ;
}

bool leftover_lives(pid_t group) {
  wait_for_ours(group);
  if (kill(-group, 0) != 0)
    return false;
  DIR *folder = opendir("/proc");
  if (folder == NULL)
    return true; /* it cannot be told from those that have ended */
  const struct dirent *entry;
  bool lives = false;
  while (!lives && (entry = readdir(folder)) != NULL)
    lives = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && lives_in(entry->d_name, group);
  closedir(folder);
  wait_for_ours(group); /* one that ended meanwhile */
  return lives;
}

bool leftover_ends_by(pid_t group, uint64_t until_ns) {
  while (leftover_lives(group)) {
    uint64_t now_ns = moment_now();
    if (now_ns >= until_ns)
      return false;
    moment_sleep_until(now_ns + 5000000);
  }
  return true;
}
