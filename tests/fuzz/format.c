/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the beginning of a file: some format or none, and a refusal of one line. With clang
 * -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that replays the files it is
 * given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/tell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct format_wanted nothing = {0, "files", "nothing is read"};
  char *bytes = mem_copy_text((const char *)data, size);
  struct text message;
  text_init(&message);
  struct format_told told = format_tell_bytes((struct slice){bytes, size}, "f");
  format_refuse_bytes_any(&message, "f", (struct slice){bytes, size}, &nothing);
  bool good = (told.other == KNOWN_NONE || told.id != told.other) && message.length != 0 &&
              strchr(text_get(&message), '\n') == NULL;
  if (!good) {
    fprintf(stderr, "format %d, message \"%s\"\n", (int)told.id, text_get(&message));
    abort();
  }
  text_clear(&message);
  mem_free(bytes);
  return 0;
}

#include "tests/fuzz/standalone.h"
