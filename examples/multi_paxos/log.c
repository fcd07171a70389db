/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/multi_paxos/log.h"

struct operation *log_known(struct log *log, uint64_t operation) {
  return operation < log->start || operation >= log->end ? NULL
                                                         : &log->operations[operation % LOG_SIZE];
}

struct operation *log_operation(struct log *log, uint64_t operation) {
  if (operation < log->start || operation - log->start >= LOG_SIZE)
    return NULL;
  for (; log->end <= operation; log->end++)
    log->operations[log->end % LOG_SIZE] = log->rest;
  return &log->operations[operation % LOG_SIZE];
}

void log_truncate(struct log *log, uint64_t start) {
  if (log->start < start)
    log->start = start;
  if (log->end < start)
    log->end = start;
}

bool log_has(struct log *log, uint64_t from, int32_t command) {
  for (uint64_t operation = from; operation < log->end; operation++) {
    const struct operation *known = log_known(log, operation);
    if (known != NULL && ((known->voter.voted >= 0 && known->voter.vote == command) ||
                          (known->voter.heard != 0 && known->voter.chosen == command)))
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
