/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writers and their segments. A segment's header is written last, so that one that is recognised is
 * complete; a new segment is all zeros, which is an empty log and an empty histogram.
 */
#include "measure/core/header.h"
#include "measure/record/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
  HISTOGRAM_SEGMENT_BYTES =
      FORMAT_PAGE + (sizeof(struct histogram) + FORMAT_PAGE - 1) / FORMAT_PAGE * FORMAT_PAGE,
};

static uint64_t log_bytes(uint32_t capacity) {
  uint64_t bytes = (uint64_t)capacity * FORMAT_RECORD_BYTES;
  return FORMAT_PAGE + (bytes + FORMAT_PAGE - 1) / FORMAT_PAGE * FORMAT_PAGE;
}

static void segment_complete(unsigned char *at, struct format_segment segment) {
  segment_seal(&segment);
  memcpy(at, &segment, sizeof segment);
}

/* Space at the end of the file, told of where there is none; 0 or -errno. */
static int space_for(struct tailproof_writer *writer, uint64_t bytes, unsigned char **at) {
  struct tailproof_store *store = writer->store;
  struct mapping *mapping = malloc(sizeof *mapping);
  if (mapping == NULL)
    return fail(ENOMEM, "no memory for a writer of the store '%s'", store->path);
  bool cut = cut_happened(store->descriptor, store->size);
  int error = cut ? EIO : grow(store->descriptor, &store->size, bytes, mapping);
  if (error != 0)
    free(mapping);
  if (cut)
    return fail(error, "somebody cut the store '%s' short; what was recorded in it is lost",
                store->path);
  if (error != 0) {
    return fail(error, "the store '%s' cannot grow by %llu KB: %s; what was recorded is kept",
                store->path, (unsigned long long)bytes / 1024, strerror(error));
  }
  mapping->next = writer->mappings;
  writer->mappings = mapping;
  *at = mapping->at;
  return 0;
}

static void add_histogram_at(struct tailproof_writer *writer, uint32_t name, unsigned char *at) {
  segment_complete(at, (struct format_segment){.bytes = HISTOGRAM_SEGMENT_BYTES,
                                               .kind = FORMAT_HISTOGRAM,
                                               .writer = writer->number,
                                               .name = name});
  writer->names[name].histogram = (struct histogram *)(at + FORMAT_PAGE);
}

int writer_add_histogram(struct tailproof_writer *writer, uint32_t name) {
  unsigned char *at;
  int error = space_for(writer, HISTOGRAM_SEGMENT_BYTES, &at);
  if (error == 0)
    add_histogram_at(writer, name, at);
  return error;
}

/* The log and the histograms of all names that there are, in one piece. */
static int add_segments(struct tailproof_writer *writer) {
  struct tailproof_store *store = writer->store;
  uint64_t bytes = log_bytes(store->log_records);
  for (uint32_t name = 0; name < store->names_used; name++)
    bytes += store->has_series[name] ? HISTOGRAM_SEGMENT_BYTES : 0;
  unsigned char *at;
  int error = space_for(writer, bytes, &at);
  if (error != 0)
    return error;
  segment_complete(at, (struct format_segment){.bytes = log_bytes(store->log_records),
                                               .kind = FORMAT_LOG,
                                               .writer = writer->number,
                                               .capacity = store->log_records});
  writer->log = (struct format_segment *)at;
  writer->slot = writer->slots = (uint64_t *)(at + FORMAT_PAGE);
  writer->slots_end = writer->slots + (uint64_t)store->log_records * FORMAT_RECORD_WORDS;
  at += log_bytes(store->log_records);
  for (uint32_t name = 0; name < store->names_used; name++) {
    if (store->has_series[name]) {
      add_histogram_at(writer, name, at);
      at += HISTOGRAM_SEGMENT_BYTES;
    }
    writer->names[name].kind = store->kinds[name];
  }
  return 0;
}

static struct tailproof_writer *open_locked(struct tailproof_store *store) {
  if (!store->alive) {
    fail(ESTALE, "the store belongs to the parent process; open another after fork()");
    return NULL;
  }
  if (store->writers_opened == FORMAT_WRITERS_MAX) {
    fail(EMFILE, "the store '%s' has had %d writers, which is the most", store->path,
         FORMAT_WRITERS_MAX);
    return NULL;
  }
  struct tailproof_writer *writer = aligned_alloc(64, (sizeof *writer + 63) / 64 * 64);
  if (writer == NULL) {
    fail(ENOMEM, "no memory for a writer of the store '%s'", store->path);
    return NULL;
  }
  memset(writer, 0, sizeof *writer);
  writer->store = store;
  writer->clock = store->clock.kind;
  writer->rate_up = store->clock.rate_up;
  writer->number = store->writers_opened;
  if (add_segments(writer) != 0) {
    free(writer);
    return NULL;
  }
  store->writers_opened++;
  writer->alive = 1;
  writer->next = store->writers;
  store->writers = writer;
  return writer;
}

struct tailproof_writer *tailproof_writer_open(struct tailproof_store *store) {
  if (store == NULL) {
    fail(EINVAL, "there is no store to open a writer of");
    return NULL;
  }
  stores_lock();
  struct tailproof_writer *writer = open_locked(store);
  stores_unlock();
  return writer;
}

void tailproof_writer_close(struct tailproof_writer *writer) {
  if (writer == NULL)
    return;
  stores_lock();
  struct tailproof_writer **link = &writer->store->writers;
  while (*link != writer)
    link = &(*link)->next;
  *link = writer->next;
  if (writer->alive)
    __atomic_store_n(&writer->log->closed, 1, __ATOMIC_RELEASE);
  while (writer->mappings != NULL) {
    struct mapping *mapping = writer->mappings;
    writer->mappings = mapping->next;
    unmap(mapping);
    free(mapping);
  }
  stores_unlock();
  free(writer);
}
