/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/multi_paxos/log.h"

struct voter *log_known(struct log *log, uint64_t operation) {
  return operation < log->start || operation >= log->end ? NULL
                                                         : &log->voters[operation % LOG_SIZE];
}

struct voter *log_voter(struct log *log, uint64_t operation) {
  if (operation < log->start || operation - log->start >= LOG_SIZE)
    return NULL;
  for (; log->end <= operation; log->end++)
    log->voters[log->end % LOG_SIZE] = log->rest;
  return &log->voters[operation % LOG_SIZE];
}

void log_truncate(struct log *log, uint64_t start) {
  if (log->start < start)
    log->start = start;
  if (log->end < start)
    log->end = start;
}

bool log_has(struct log *log, uint64_t from, int32_t command) {
  for (uint64_t operation = from; operation < log->end; operation++) {
    const struct voter *voter = log_known(log, operation);
    if (voter != NULL && ((voter->voted >= 0 && voter->vote == command) ||
                          (voter->heard != 0 && voter->chosen == command)))
      return true;
  }
  return false;
}

void log_keep(struct log *log, const struct request *command) {
  log->commands[command->number % COMMANDS] = *command;
}

struct request log_command(const struct log *log, int32_t number) {
  const struct request *command = &log->commands[number % COMMANDS];
  return number > 0 && command->number == (uint64_t)number
             ? *command
             : (struct request){.number = (uint64_t)number};
}
