/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/read/store_read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/core/header.h"
#include "measure/core/ticks.h"
#include "measure/read/store_load.h"

/* What is wrong with a header, and what to do. */
static int refuse(const struct store_reader *reader, int verdict, const char *path, char *message,
                  size_t size) {
  const char *what = "its header is damaged (its check does not fit); copy it again from where it "
                     "was recorded";
  int error = verdict == HEADER_VERSION || verdict == HEADER_BYTE_ORDER ? EPROTO : EBADMSG;
  if (verdict == HEADER_VERSION) {
    snprintf(message, size,
             "%s: is a store of version %" PRIu32 ", but this program reads version %d; import it "
             "with the version of tailproof that recorded it, which gives files that any version "
             "reads",
             path, reader->header.version, FORMAT_VERSION);
    return error;
  }
  if (verdict == HEADER_SHORT)
    what = "is too short for a store of recordings: it ends within the header; copy it again, or "
           "name a .tps file";
  else if (verdict == HEADER_NO_STORE)
    what = "is no store of recordings (its first bytes are others); name a .tps file that the "
           "measuring library made";
  else if (verdict == HEADER_BYTE_ORDER)
    what = "was recorded on a machine of the other byte order; import it on a machine like that, "
           "which gives files that any machine reads";
  else if (verdict == HEADER_SIZES)
    what = "its header says sizes or a clock rate that no store has; copy it again from where it "
           "was recorded";
  snprintf(message, size, "%s: %s", path, what);
  return error;
}

/* An open file, or a negative errno value. */
static int open_file(const char *path) {
  /* a pipe must not block */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about;
  if (file < 0)
    return -errno;
  int error = fstat(file, &about) != 0  ? errno
              : S_ISDIR(about.st_mode)  ? EISDIR
              : !S_ISREG(about.st_mode) ? EBADMSG
                                        : 0;
  if (error == 0)
    return file;
  close(file);
  return -error;
}

int store_reader_open(struct store_reader **reader, const char *path, char *message, size_t size) {
  *reader = NULL;
  int file = open_file(path), verdict = HEADER_GOOD;
  if (file == -EBADMSG)
    snprintf(message, size, "%s: is no regular file; name a .tps file", path);
  else if (file < 0)
    snprintf(message, size, "%s: cannot be opened: %s", path, strerror(-file));
  if (file < 0)
    return -file;
  struct store_reader *made = calloc(1, sizeof *made);
  int error = made == NULL ? ENOMEM : store_load(made, file, &verdict);
  close(file);
  if (verdict != HEADER_GOOD)
    error = refuse(made, verdict, path, message, size);
  else if (error != 0)
    snprintf(message, size, "%s: cannot be read: %s", path, strerror(error));
  if (error != 0)
    store_reader_close(made);
  else
    *reader = made;
  return error;
}

void store_reader_close(struct store_reader *reader) {
  if (reader != NULL)
    store_load_clear(reader);
  free(reader);
}

const struct store_facts *store_reader_facts(const struct store_reader *reader) {
  return &reader->facts;
}

const struct format_name *store_reader_name(const struct store_reader *reader, uint32_t name) {
  return name < reader->facts.names ? &reader->names[name] : NULL;
}

int store_reader_histogram(const struct store_reader *reader, uint32_t name,
                           struct histogram *histogram) {
  int any = 0;
  histogram_init(histogram);
  if (name >= reader->facts.names)
    return 0;
  for (size_t i = reader->log_count; i < reader->segment_count; i++)
    if (reader->segments[i].header.name == name)
      any |= histogram_merge(histogram, reader->segments[i].histogram);
  return any;
}

int store_reader_each(const struct store_reader *reader,
                      int (*visit)(void *context, const struct store_record *record),
                      void *context) {
  for (size_t i = 0; i < reader->log_count; i++) {
    const struct store_segment *log = &reader->segments[i];
    for (uint64_t p = log->first; p <= log->last; p++) {
      struct store_record record = {.writer = log->header.writer, .position = p};
      int stop = store_load_record(reader, log, p, &record.record) ? visit(context, &record) : 0;
      if (stop != 0)
        return stop;
    }
  }
  return 0;
}

uint64_t store_reader_moment_ns(const struct store_reader *reader, uint64_t ticks) {
  const struct format_header *header = &reader->header;
  uint64_t low = header->ns_per_tick_down, high = header->ns_per_tick_up;
  uint64_t rate = low + (high < low ? 0 : (high - low) / 2);
  if (ticks < header->start_ticks) {
    uint64_t before = ticks_to_ns_down(header->start_ticks - ticks, rate);
    return header->start_monotonic_ns < before ? 0 : header->start_monotonic_ns - before;
  }
  return header->start_monotonic_ns + ticks_to_ns_down(ticks - header->start_ticks, rate);
}
