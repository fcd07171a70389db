/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/installed.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

char *installed_find(const char *const *places, size_t count) {
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length < 0 ? 0 : length] = '\0';
  char *slash = strrchr(program, '/');
  for (size_t i = 0; slash != NULL && i < count; i++) {
    struct text path;
    text_init(&path);
    text_format(&path, "%.*s/%s", (int)(slash - program), program, places[i]);
    char *real = realpath(text_get(&path), NULL);
    text_clear(&path);
    if (real != NULL)
      return real;
  }
  return NULL;
}
