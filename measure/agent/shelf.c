/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/shelf.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/vector.h"

enum { PATH_SIZE = 4400 };

struct shelved {
  char *path;
  uint64_t bytes;
  struct timespec changed;
};

typedef VECTOR(struct shelved) shelf;

static void find_files(shelf *files, const char *folder, const char *prefix) {
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
    char path[PATH_SIZE];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && lstat(path, &about) == 0 &&
        S_ISREG(about.st_mode))
      vector_push(files, (struct shelved){mem_copy_text(path, strlen(path)),
                                          (uint64_t)about.st_size, about.st_mtim});
  }
  if (entries != NULL)
    closedir(entries);
}

static int compare_age(const void *a, const void *b) {
  const struct shelved *x = a, *y = b;
  if (x->changed.tv_sec != y->changed.tv_sec)
    return x->changed.tv_sec < y->changed.tv_sec ? -1 : 1;
  if (x->changed.tv_nsec != y->changed.tv_nsec)
    return x->changed.tv_nsec < y->changed.tv_nsec ? -1 : 1;
  return strcmp(x->path, y->path);
}

uint64_t shelf_trim(const char *folder, const char *prefix, uint64_t most) {
  shelf files = {0};
  uint64_t sum = 0;
  find_files(&files, folder, prefix);
  for (size_t i = 0; i < files.count; i++)
    sum += files.data[i].bytes;
  if (files.count != 0)
    qsort(files.data, files.count, sizeof *files.data, compare_age);
  for (size_t i = 0; i + 1 < files.count && sum > most; i++)
    if (unlink(files.data[i].path) == 0)
      sum -= files.data[i].bytes;
  for (size_t i = 0; i < files.count; i++)
    mem_free(files.data[i].path);
  vector_clear(&files);
  return sum;
}
