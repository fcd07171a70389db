/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/stacks/keep.h"

#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "trace/stacks/unit.h"
#include "trace/stacks/write.h"

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

enum status stacks_keep(const struct stack_profile *profile, const char *path,
                        struct text *message) {
  struct text bytes;
  text_init(&bytes);
  if (ends_with(path, ".pb.gz") || ends_with(path, ".pb"))
    stack_write_pprof(profile, &bytes);
  else {
    stack_unit_write(profile, &bytes);
    stack_write_folded(profile, true, &bytes);
  }
  enum status status = ends_with(path, ".gz")
                           ? file_write_gzip(path, text_get(&bytes), bytes.length, message)
                           : file_write(path, text_get(&bytes), bytes.length, message);
  text_clear(&bytes);
  return status;
}
