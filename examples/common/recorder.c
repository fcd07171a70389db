/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/common/recorder.h"

#include "examples/common/complain.h"

struct tailproof_store *recorder_open(const struct run_folder *folder, const char *node,
                                      uint64_t records) {
  struct tailproof_store *store = NULL;
  uint32_t capacity = 1024;
  while (capacity <= records && capacity < RECORDER_RECORDS_MAX)
    capacity *= 2;
  struct tailproof_options options = {
      .folder = folder->store, .node = node, .log_records = capacity};
  if (tailproof_open(&store, &options) == 0)
    return store;
  complain("%s: %s", node, tailproof_error());
  return NULL;
}

struct tailproof_writer *recorder_writer(struct tailproof_store *store, const int *names,
                                         size_t count) {
  bool good = true;
  for (size_t i = 0; i < count; i++)
    good = good && names[i] >= 0;
  struct tailproof_writer *writer = good ? tailproof_writer_open(store) : NULL;
  if (writer == NULL)
    complain("%s; this run is not kept", tailproof_error());
  return writer;
}

bool recorder_close(struct tailproof_store *store) {
  if (tailproof_close(store) == 0)
    return true;
  complain("closing a store: %s", tailproof_error());
  return false;
}
