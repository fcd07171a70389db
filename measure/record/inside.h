/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the recording library share. A store's slow paths (opening, closing, names,
 * segments) all run under one lock of the process; recording takes none.
 */
#ifndef MEASURE_RECORD_INSIDE_H
#define MEASURE_RECORD_INSIDE_H

#include "measure/core/format.h"
#include "measure/record/clock.h"
#include "measure/tailproof_measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the file in memory; `base` is the address of a page, the part begins at `at`. */
struct mapping {
  struct mapping *next;
  void *base;
  size_t size;
  unsigned char *at;
};

/* What a writer knows of a name; all 0 until its first recording or the writer's opening. */
struct writer_name {
  struct histogram *histogram; /* NULL where the name has no series */
  uint8_t kind;                /* enum format_kind; 0: not known yet */
  uint8_t refused;             /* 1: there was no space for its histogram */
};

/* The first fields are those that every recording needs. */
struct tailproof_writer {
  uint64_t *slot;   /* of the next record, FORMAT_RECORD_WORDS each */
  uint64_t written; /* position of the latest record */
  uint64_t *slots, *slots_end;
  uint64_t rate_up;
  struct format_segment *log; /* the log's header */
  uint32_t clock;             /* enum tailproof_clock */
  uint32_t alive;             /* 0 in the child of a fork */
  struct tailproof_store *store;
  struct writer_name names[FORMAT_NAMES_MAX];
  struct mapping *mappings;
  struct tailproof_writer *next; /* of the store */
  uint32_t number;
};

struct tailproof_store {
  struct format_header *header;
  struct format_name *names; /* in the file */
  struct clock_facts clock;
  uint32_t names_used; /* as in the file; read without the lock */
  uint8_t kinds[FORMAT_NAMES_MAX];
  uint8_t has_series[FORMAT_NAMES_MAX];
  uint32_t log_records, writers_opened;
  int descriptor;
  uint32_t alive; /* 0 in the child of a fork */
  uint64_t size;  /* of the file */
  char *path;
  struct mapping head; /* header and names */
  struct tailproof_writer *writers;
  struct tailproof_store *next; /* of the process */
};

/* One lock for all slow paths; the first call also arranges for forks (stores.c). */
void stores_lock(void);
void stores_unlock(void);

/* Adds and takes away a store that fork() has to know; with the lock held. */
void stores_add(struct tailproof_store *store);
void stores_remove(struct tailproof_store *store);

/* Sets tailproof_error's line; returns -error. */
__attribute__((format(printf, 2, 3))) int fail(int error, const char *format, ...);

/* Gives the file `bytes` (a multiple of FORMAT_PAGE) more at its end, with blocks allocated, and
 * maps them; they are 0. Returns 0 or an errno value: then the file is as before. (grow.c) */
int grow(int descriptor, uint64_t *size, uint64_t bytes, struct mapping *mapping);
void unmap(struct mapping *mapping); /* with the lock held */

/* What is mapped is written even if somebody cuts its file short, and is lost then; with the lock held. (cut.c) */
void cut_guard(const struct mapping *mapping);
void cut_release(const struct mapping *mapping);
/* Whether the file is shorter than it was made. */
bool cut_happened(int descriptor, uint64_t size);

/* Makes the segment of a name's histogram for a writer, with the lock held; 0 or -errno with the
 * reason told. (writer.c) */
int writer_add_histogram(struct tailproof_writer *writer, uint32_t name);

/* Records one thing: kind, name, duration, arguments are checked here. 0 or -errno (counted as
 * refused). `kinds` has a bit for each kind that the caller may record. (recording.c) */
int recording_add(struct tailproof_writer *writer, uint32_t kinds, uint32_t name,
                  const struct tailproof_event *event, uint64_t start, uint64_t end);

/* Counts a recording that was refused; returns -error. */
int recording_refuse(struct tailproof_writer *writer, int error, const char *why);

#endif
