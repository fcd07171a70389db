/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A service for the tests of pausing: this very program, run with --heart. Its processes beat in
 * memory that outlives them, so that it can be seen from outside which of them run.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/throughput/pause/moment.h"
#include "measure/throughput/pause/pauser.h"

enum { HEARTS = 8 };
#define SECOND UINT64_C(1000000000)

struct heart {
  _Atomic uint64_t beats[HEARTS];
};

static char heart_path[] = "/tmp/tailproof-heart-XXXXXX";
static struct heart *heart;

static void heart_map(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  void *memory = MAP_FAILED;
  if (file >= 0 && ftruncate(file, sizeof *heart) == 0)
    memory = mmap(NULL, sizeof *heart, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    perror(path);
    exit(70);
  }
  close(file);
  heart = memory;
}

/* A test that was killed leaves none for long. */
static void heart_beat(int index) {
  uint64_t until_ns = moment_now() + 7200 * SECOND;
  while (moment_now() < until_ns) {
    atomic_fetch_add(&heart->beats[index], 1);
    moment_sleep_until(moment_now() + 300000);
  }
}

/* --heart FILE PROCESSES: the first process is the parent of the others. */
static int heart_main(char **arguments) {
  heart_map(arguments[2]);
  int processes = atoi(arguments[3]);
  for (int i = 1; i < processes; i++)
    if (fork() == 0) {
      heart_beat(i);
      _exit(0);
    }
  heart_beat(0);
  return 0;
}

static int heart_make(void) {
  int file = mkstemp(heart_path);
  if (file < 0)
    return -1;
  close(file);
  heart_map(heart_path);
  return 0;
}

static char **heart_command(const char *processes) {
  static char self[] = "/proc/self/exe", option[] = "--heart", count[8];
  static char *command[] = {self, option, heart_path, count, NULL};
  snprintf(count, sizeof count, "%s", processes);
  memset(heart, 0, sizeof *heart);
  return command;
}

/* All of the first `count` beat within the time. */
static bool heart_beats(int count, uint64_t within_ns) {
  uint64_t before[HEARTS], until_ns = moment_now() + within_ns;
  for (int i = 0; i < count; i++)
    before[i] = atomic_load(&heart->beats[i]);
  for (int i = 0; i < count; i++)
    while (atomic_load(&heart->beats[i]) < before[i] + 3) {
      if (moment_now() > until_ns)
        return false;
      moment_sleep_until(moment_now() + 1000000);
    }
  return true;
}

static inline bool can_freeze(void) {
  char command_true[] = "true", *command[] = {command_true, NULL};
  struct pauser_options options = {.command = command, .mode = PAUSER_FREEZE, .uncalibrated = true};
  struct pauser_error error;
  struct pauser *pauser = pauser_start(&options, &error);
  if (pauser == NULL)
    printf("# SKIP freezing: %s\n", error.text);
  else
    pauser_end(pauser, 0, 7200 * SECOND);
  return pauser != NULL;
}

static inline bool cgroup_is_there(const char *cgroup) {
  static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
  char path[600];
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s%s/cgroup.procs", mounts[i], cgroup);
    if (access(path, F_OK) == 0)
      return true;
  }
  return false;
}

/* The cgroup2 of a process, "" when there is none. */
static inline void cgroup_of(pid_t pid, char text[512]) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%ld/cgroup", (long)pid);
  FILE *file = fopen(path, "re");
  text[0] = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "0::", 3) == 0)
      snprintf(text, 512, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
  if (file != NULL)
    fclose(file);
}

/* ---- a pauser in the test itself ---- */

/* With what never comes: hours, since a busy machine fails nothing. */
static const uint64_t patience = 7200 * SECOND;

static inline struct pauser *start(char *const *command, enum pauser_mode mode) {
  struct pauser_options options = {
      .command = command, .mode = mode, .most_ns = 60 * SECOND, .uncalibrated = true};
  struct pauser_error error;
  struct pauser *pauser = pauser_start(&options, &error);
  if (pauser == NULL)
    fail_msg("%s", error.text);
  return pauser;
}

static inline struct pauser *start_hearts(int count, enum pauser_mode mode) {
  char text[8];
  snprintf(text, sizeof text, "%d", count);
  struct pauser *pauser = start(heart_command(text), mode);
  assert_true(heart_beats(count, patience));
  return pauser;
}

static inline struct pauser *start_shell(const char *script, enum pauser_mode mode) {
  static char text[512];
  char shell[] = "sh", option[] = "-c", *command[] = {shell, option, text, NULL};
  snprintf(text, sizeof text, "%s", script);
  return start(command, mode);
}

static inline struct pauser_report report_of(struct pauser *pauser) {
  struct pauser_report report;
  pauser_report(pauser, &report);
  return report;
}

static inline void await_state(struct pauser *pauser, enum pause_state state) {
  uint64_t until_ns = moment_now() + patience;
  while (report_of(pauser).state != state) {
    assert_true(moment_now() < until_ns);
    moment_sleep_until(moment_now() + 500000);
  }
}

static inline void await_pauses(struct pauser *pauser, uint64_t count) {
  uint64_t until_ns = moment_now() + patience;
  while (report_of(pauser).pauses < count || report_of(pauser).state != PAUSE_RUNNING) {
    assert_true(moment_now() < until_ns);
    moment_sleep_until(moment_now() + 500000);
  }
}

/* None of the first `count` beats for so long. */
static inline bool heart_stands(int count, uint64_t for_ns) {
  uint64_t before[HEARTS];
  for (int i = 0; i < count; i++)
    before[i] = atomic_load(&heart->beats[i]);
  moment_sleep_until(moment_now() + for_ns);
  for (int i = 0; i < count; i++)
    if (atomic_load(&heart->beats[i]) != before[i])
      return false;
  return true;
}

/* Until what is owed was had, but for what a timer may be early by. */
static inline void await_settled(struct pauser *pauser) {
  uint64_t until_ns = moment_now() + patience;
  struct pauser_report report = report_of(pauser);
  while (report.state != PAUSE_RUNNING || report.pausing_since_ns != 0 ||
         report.ledger.carried_ns > (int64_t)(report.lead_ns + report.offset_ns)) {
    assert_true(moment_now() < until_ns);
    moment_sleep_until(moment_now() + 500000);
    report = report_of(pauser);
  }
}

/* Nothing runs any more; who lost its parent as it ended is ours to wait for. */
static inline void assert_no_child(void) {
  uint64_t until_ns = moment_now() + patience;
  pid_t ended;
  while ((ended = waitpid(-1, NULL, WNOHANG)) >= 0) {
    assert_true(moment_now() < until_ns);
    if (ended == 0)
      moment_sleep_until(moment_now() + 500000);
  }
  assert_int_equal(errno, ECHILD);
}
