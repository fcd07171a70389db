/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/janitor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "tailproof-whatif-"

enum { GROUPS = 80, STEP_MS = 10, GROUP_PATIENCE_MS = 5000, EMPTYING_MS = 5000 };

static void sleep_ms(unsigned ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

/* --- folders -----------------------------------------------------------------------------------
 */

/* Files alone are removed; a folder in it keeps it. */
static bool remove_folder(const char *path) {
  DIR *folder = opendir(path);
  if (folder == NULL)
    return errno == ENOENT;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(dirfd(folder), entry->d_name, 0);
  closedir(folder);
  return rmdir(path) == 0 || errno == ENOENT;
}

static int take_lock(const char *folder, int flags) {
  char path[400];
  snprintf(path, sizeof path, "%s/lock", folder);
  int lock = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
    return lock;
  if (lock >= 0)
    close(lock);
  return -1;
}

/* Those of this user that were locked once and are not any more. */
static void sweep(const char *parent) {
  DIR *folders = opendir(parent);
  if (folders == NULL)
    return;
  for (const struct dirent *entry; (entry = readdir(folders)) != NULL;) {
    char path[300];
    struct stat about;
    if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0 ||
        snprintf(path, sizeof path, "%s/%s", parent, entry->d_name) >= (int)sizeof path ||
        lstat(path, &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid())
      continue;
    int lock = take_lock(path, 0);
    if (lock < 0)
      continue;
    remove_folder(path);
    close(lock);
  }
  closedir(folders);
}

/* --- the process -------------------------------------------------------------------------------
 */

static void end_groups(const pid_t *groups, size_t count) {
  bool any = true;
  for (unsigned waited = 0; any && waited < GROUP_PATIENCE_MS; waited += STEP_MS) {
    any = false;
    for (size_t i = 0; i < count; i++) {
      if (waited == 0)
        kill(-groups[i], SIGTERM);
      any = any || kill(-groups[i], 0) == 0;
    }
    if (any)
      sleep_ms(STEP_MS);
  }
  for (size_t i = 0; i < count && any; i++)
    kill(-groups[i], SIGKILL);
}

/* Pokers that end may write into it a last time. */
static void stay(int pipe, const char *folder) {
  pid_t groups[GROUPS], group;
  size_t count = 0;
  ssize_t got;
  while ((got = read(pipe, &group, sizeof group)) == (ssize_t)sizeof group ||
         (got < 0 && errno == EINTR))
    if (got > 0 && count < GROUPS && group > 1)
      groups[count++] = group;
  end_groups(groups, count);
  for (unsigned waited = 0; !remove_folder(folder) && waited < EMPTYING_MS; waited += STEP_MS)
    sleep_ms(STEP_MS);
}

static int start_process(struct janitor *janitor) {
  int ends[2];
  if (pipe(ends) != 0)
    return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  janitor->pid = fork();
  if (janitor->pid == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "whatif-janitor");
    for (int i = 0; i < 1024; i++)
      if (i != ends[0] && i != janitor->lock)
        close(i);
    if (chdir("/") == 0)
      stay(ends[0], janitor->folder);
    _exit(0);
  }
  int error = janitor->pid < 0 ? errno : 0;
  close(ends[0]);
  if (error != 0)
    close(ends[1]);
  else
    janitor->pipe = ends[1];
  return error;
}

int janitor_begin(struct janitor *janitor) {
  const char *given = getenv("TMPDIR");
  const char *parent = given != NULL && given[0] != '\0' ? given : "/tmp";
  janitor->lock = janitor->pipe = -1;
  janitor->pid = 0;
  sweep(parent);
  snprintf(janitor->folder, sizeof janitor->folder, "%.150s/" PREFIX "XXXXXX", parent);
  if (mkdtemp(janitor->folder) == NULL)
    return errno;
  janitor->lock = take_lock(janitor->folder, O_CREAT | O_EXCL);
  if (janitor->lock < 0)
    return errno;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  return start_process(janitor);
}

void janitor_mind(const struct janitor *janitor, pid_t group) {
  if (janitor->pipe >= 0)
    while (write(janitor->pipe, &group, sizeof group) < 0 && errno == EINTR)
      ;
}

/* --- what children have left -------------------------------------------------------------------
 */

/* Sends a signal to each child but the janitor; how many there are. Those that have ended are
 * waited for. */
static size_t signal_children(const struct janitor *janitor, int signal) {
  char path[64];
  long child;
  size_t count = 0;
  snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return 0;
  while (fscanf(file, "%ld", &child) == 1) {
    if (child == janitor->pid || waitpid((pid_t)child, NULL, WNOHANG) == (pid_t)child)
      continue;
    count++;
    if (signal != 0)
      kill((pid_t)child, signal);
  }
  fclose(file);
  return count;
}

void janitor_end(struct janitor *janitor, unsigned patience_ms) {
  if (janitor->pid > 0) {
    signal_children(janitor, SIGTERM);
    for (unsigned waited = 0; signal_children(janitor, 0) != 0 && waited < patience_ms;
         waited += STEP_MS)
      sleep_ms(STEP_MS);
    signal_children(janitor, SIGKILL);
    kill(janitor->pid, SIGKILL);
    while (waitpid(janitor->pid, NULL, 0) < 0 && errno == EINTR)
      ;
    close(janitor->pipe);
  }
  if (janitor->folder[0] != '\0')
    remove_folder(janitor->folder);
  if (janitor->lock >= 0)
    close(janitor->lock);
}
