/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/pause/brake.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool send(const struct brake *brake, int signal) {
  return pause_group_valid(brake->group, getpgrp()) && kill(-brake->group, signal) == 0;
}

bool brake_stop(const struct brake *brake) {
  return brake->mode == PAUSER_FREEZE ? cgroup_freeze(&brake->cgroup, true) : send(brake, SIGSTOP);
}

bool brake_continue(const struct brake *brake) {
  return brake->mode == PAUSER_FREEZE ? cgroup_freeze(&brake->cgroup, false) : send(brake, SIGCONT);
}

bool brake_stands(const struct brake *brake) {
  if (brake->mode == PAUSER_FREEZE)
    return cgroup_event(brake->cgroup.events, CGROUP_FROZEN) == 1;
  siginfo_t info = {0};
  int result;
  do
    result = waitid(P_PID, (id_t)brake->group, &info, WSTOPPED | WNOWAIT | WNOHANG);
  while (result != 0 && errno == EINTR);
  return result == 0 && info.si_pid == brake->group && info.si_code == CLD_STOPPED;
}
