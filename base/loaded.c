/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/loaded.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"

bool loaded_open(struct loaded_library *loaded, struct text *message) {
  if (loaded->is_open)
    return true;
  void *handle = dlopen(loaded->library, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL) {
    text_format(message, "cannot load %s: %s; install its package, or build tailproof again",
                loaded->library, dlerror());
    return false;
  }
  for (size_t i = 0; i < loaded->count; i++) {
    void *function = dlsym(handle, loaded->names[i]);
    if (function == NULL) {
      text_format(message, "%s has no function %s; build tailproof again with the one you have",
                  loaded->library, loaded->names[i]);
      dlclose(handle);
      return false;
    }
    memcpy((char *)loaded->pointers + i * sizeof function, &function, sizeof function);
  }
  loaded->is_open = true;
  return true;
}

void loaded_need(struct loaded_library *loaded) {
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  struct text message;
  text_init(&message);
  pthread_mutex_lock(&one_at_a_time);
  if (!loaded_open(loaded, &message)) {
    fprintf(stderr, "tailproof: %s\n", text_get(&message));
    _exit(STATUS_UNAVAILABLE); /* other threads run: what they use is not to be destroyed */
  }
  pthread_mutex_unlock(&one_at_a_time);
  text_clear(&message);
}
