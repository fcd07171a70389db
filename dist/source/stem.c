/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/stem.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const suffixes[] = {".csv",  ".hgrm", ".hlog", ".tph",
                                       ".prom", ".pb",   ".json", ".tdigest"};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

void names_release(names_type *names) {
  for (size_t i = 0; i < names->count; i++)
    mem_free(names->data[i]);
  vector_clear(names);
}

size_t stem_length(const char *file) {
  size_t length = strlen(file);
  if (length > 3 && strcmp(file + length - 3, ".gz") == 0)
    length -= 3;
  for (size_t i = 0; i < SUFFIXES; i++) {
    size_t size = strlen(suffixes[i]);
    if (length > size && memcmp(file + length - size, suffixes[i], size) == 0)
      return length - size;
  }
  return 0;
}

bool stem_is_joint(const char *file) {
  return strcmp(file, "joint.csv") == 0 || strcmp(file, "joint.csv.gz") == 0;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

bool stem_list(names_type *files, const char *directory) {
  DIR *stream = opendir(directory);
  if (stream == NULL)
    return false;
  errno = 0;
  for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
    if (stem_length(entry->d_name) != 0 && !stem_is_joint(entry->d_name))
      vector_push(files, mem_copy_text(entry->d_name, strlen(entry->d_name)));
  int cause = errno;
  closedir(stream);
  if (files->count != 0)
    qsort(files->data, files->count, sizeof *files->data, compare_names);
  errno = cause;
  return cause == 0;
}
