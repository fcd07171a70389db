/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/installed.h"

#include <stdbool.h>
#include <stdio.h>
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

static bool is_named_by_pages(const char *argument) {
  return strncmp(argument, "specs/", 6) == 0 || strncmp(argument, "examples/", 9) == 0;
}

void installed_hint(const char *const *arguments) {
  for (; *arguments != NULL; arguments++) {
    const char *argument = *arguments;
    if (!is_named_by_pages(argument) || access(argument, F_OK) == 0)
      continue;
    struct text place;
    text_init(&place);
    text_format(&place, "../share/tailproof/%s", argument);
    const char *places[] = {text_get(&place)};
    char *found = installed_find(places, 1);
    if (found != NULL)
      fprintf(stderr, "tailproof: `tailproof examples DIR` makes a folder that has %s\n", argument);
    text_clear(&place);
    free(found);
    if (found != NULL)
      return;
  }
}
