/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/multi_paxos/log.h"

#include <string.h>

struct entry *log_entry(struct log *log, uint64_t operation) {
  if (operation < log->start || operation - log->start >= LOG_SIZE)
    return NULL;
  return &log->entries[operation % LOG_SIZE];
}

static struct entry *entry_for_writing(struct log *log, uint64_t operation) {
  struct entry *entry = log_entry(log, operation);
  if (entry != NULL && operation >= log->end)
    log->end = operation + 1;
  return entry;
}

bool log_vote(struct log *log, uint64_t operation, uint32_t view, const struct request *request) {
  struct entry *entry = entry_for_writing(log, operation);
  if (entry == NULL)
    return false;
  entry->voted = true;
  entry->view = view;
  entry->request = *request;
  return true;
}

bool log_hear(struct log *log, uint64_t operation, uint32_t view, const struct request *request,
              unsigned from, unsigned quorum) {
  struct entry *entry = entry_for_writing(log, operation);
  if (entry == NULL || entry->decided || (entry->heard != 0 && view < entry->heard_view))
    return false;
  if (entry->heard == 0 || view > entry->heard_view) {
    entry->heard_view = view;
    entry->heard = 0;
    entry->heard_request = *request;
  }
  entry->heard |= 1u << from;
  entry->decided = (unsigned)__builtin_popcount(entry->heard) >= quorum;
  return entry->decided;
}

void log_decide(struct log *log, uint64_t operation, const struct request *request) {
  struct entry *entry = entry_for_writing(log, operation);
  if (entry == NULL || entry->decided)
    return;
  entry->heard_request = *request;
  entry->decided = true;
}

void log_truncate(struct log *log, uint64_t start) {
  for (; log->start < start; log->start++)
    memset(&log->entries[log->start % LOG_SIZE], 0, sizeof log->entries[0]);
  if (log->end < start)
    log->end = start;
}

bool log_has(struct log *log, uint64_t from, uint64_t request) {
  for (uint64_t operation = from; operation < log->end; operation++) {
    const struct entry *entry = entry_for_writing(log, operation);
    if (entry != NULL && ((entry->voted && entry->request.number == request) ||
                          (entry->heard != 0 && entry->heard_request.number == request)))
      return true;
  }
  return false;
}
