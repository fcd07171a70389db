/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of recording share: a folder for stores, and reading back what is in one.
 */
#ifndef TESTS_UNIT_MEASURE_STORES_H
#define TESTS_UNIT_MEASURE_STORES_H

#include "measure/read/store_read.h"
#include "measure/tailproof_measure.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static int folder_make(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/tailproof-stores-XXXXXX");
  return mkdtemp(folder) == NULL ? -1 : 0;
}

/* Calls `each` (if any) with the path of every file; returns how many there are. */
static int folder_files(void (*each)(const char *path)) {
  DIR *directory = opendir(folder);
  assert_non_null(directory);
  int count = 0;
  struct dirent *entry;
  while ((entry = readdir(directory)) != NULL) {
    if (entry->d_name[0] == '.')
      continue;
    char path[sizeof folder + sizeof entry->d_name];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    count++;
    if (each != NULL)
      each(path);
  }
  closedir(directory);
  return count;
}

static void file_remove(const char *path) {
  unlink(path);
}

static inline void folder_empty(void) {
  folder_files(file_remove);
}

static int folder_remove(void **state) {
  (void)state;
  folder_empty();
  return rmdir(folder);
}

static struct store_reader *reader_open(const char *path) {
  struct store_reader *reader;
  char message[1024];
  int error = store_reader_open(&reader, path, message, sizeof message);
  if (error != 0)
    print_error("%s\n", message);
  assert_int_equal(error, 0);
  return reader;
}

/* The number of a kind's first name. */
static inline uint32_t name_of(const struct store_reader *reader, uint32_t kind, const char *text) {
  const struct format_name *name;
  for (uint32_t i = 0; (name = store_reader_name(reader, i)) != NULL; i++)
    if (name->kind == kind && strcmp(name->name, text) == 0)
      return i;
  fail_msg("the store has no '%s' of kind %u", text, kind);
  return 0;
}

static inline uint64_t total_of(const struct store_reader *reader, uint32_t name) {
  struct histogram *histogram = malloc(sizeof *histogram);
  assert_non_null(histogram);
  uint64_t total = store_reader_histogram(reader, name, histogram) ? histogram->total : 0;
  free(histogram);
  return total;
}

/* Closes a store and reads it. */
static inline struct store_reader *close_and_read(struct tailproof_store *store) {
  char path[256];
  snprintf(path, sizeof path, "%s", tailproof_path(store));
  assert_int_equal(tailproof_close(store), 0);
  struct store_reader *reader = reader_open(path);
  assert_true(store_reader_facts(reader)->closed);
  assert_false(store_reader_facts(reader)->damaged);
  assert_int_equal(store_reader_facts(reader)->torn, 0);
  return reader;
}

/* 1 if the line about the last failure is one line with these words. */
static inline int error_says(const char *text) {
  return strstr(tailproof_error(), text) != NULL && strchr(tailproof_error(), '\n') == NULL;
}

#endif
