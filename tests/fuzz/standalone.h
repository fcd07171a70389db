/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With STANDALONE, a program that replays the files it is given through the fuzz target of the file
 * that ends with this include.
 */
#ifdef STANDALONE
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"

int main(int count, char **paths) {
  for (int i = 1; i < count; i++) {
    char *bytes;
    size_t length;
    struct text message;
    text_init(&message);
    if (file_read(paths[i], (size_t)1 << 26, &bytes, &length, &message) != STATUS_OK) {
      fprintf(stderr, "%s\n", text_get(&message));
      return EXIT_FAILURE;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)bytes, length);
    mem_free(bytes);
    text_clear(&message);
  }
  printf("%d files replayed\n", count - 1);
  return EXIT_SUCCESS;
}
#endif
