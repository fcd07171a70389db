/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/loaded.h"

#include <dlfcn.h>
#include <string.h>

bool loaded_open(const char *library, void *pointers, const char *const *names, size_t count,
                 struct text *message) {
  void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL) {
    text_format(message, "cannot load %s: %s; install its package, or build tailproof again",
                library, dlerror());
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    void *function = dlsym(handle, names[i]);
    if (function == NULL) {
      text_format(message, "%s has no function %s; build tailproof again with the one you have",
                  library, names[i]);
      return false;
    }
    memcpy((char *)pointers + i * sizeof function, &function, sizeof function);
  }
  return true;
}
