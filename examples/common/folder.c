/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* nftw */
#include "examples/common/folder.h"

#include "examples/common/complain.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether `out` does not exist or is an empty folder; errno says why not. */
static bool place_is_free(const char *out) {
  DIR *folder = opendir(out);
  if (folder == NULL)
    return errno == ENOENT;
  int entries = 0;
  while (readdir(folder) != NULL)
    entries++;
  closedir(folder);
  errno = ENOTEMPTY;
  return entries <= 2;
}

bool folder_make(struct run_folder *folder, const char *out) {
  size_t length = strlen(out);
  while (length > 1 && out[length - 1] == '/')
    length--;
  folder->out = out;
  if (length + sizeof ".XXXXXX/store/" > sizeof folder->temporary) {
    complain("--out %.100s...: the name is too long", out);
    return false;
  }
  snprintf(folder->temporary, sizeof folder->temporary, "%.*s.XXXXXX", (int)length, out);
  if (!place_is_free(out) || mkdtemp(folder->temporary) == NULL) {
    complain("--out %s: %s", out, strerror(errno));
    return false;
  }
  size_t made = strlen(folder->temporary);
  memcpy(folder->store, folder->temporary, made);
  memcpy(folder->store + made, "/store", sizeof "/store");
  if (chmod(folder->temporary, 0755) == 0 && mkdir(folder->store, 0755) == 0)
    return true;
  complain("--out %s: %s", out, strerror(errno));
  folder_remove(folder);
  return false;
}

bool folder_note(const struct run_folder *folder, const char *format, ...) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/run.txt", folder->temporary);
  FILE *file = fopen(path, "a");
  bool good = file != NULL;
  if (good) {
    va_list arguments;
    va_start(arguments, format);
    good = vfprintf(file, format, arguments) >= 0 && fputc('\n', file) != EOF;
    va_end(arguments);
    good = fclose(file) == 0 && good;
  }
  if (!good)
    complain("writing %s/run.txt: %s", folder->out, strerror(errno));
  return good;
}

bool folder_keep(const struct run_folder *folder) {
  if (rename(folder->temporary, folder->out) == 0)
    return true;
  complain("writing %s: %s", folder->out, strerror(errno));
  return false;
}

static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status;
  (void)kind;
  (void)place;
  return remove(path);
}

void folder_remove(const struct run_folder *folder) {
  nftw(folder->temporary, entry_remove, 8, FTW_DEPTH | FTW_PHYS);
}
