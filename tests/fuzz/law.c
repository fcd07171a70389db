/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a saved law: one message, or a law that is written back as it was read. With an odd
 * first byte the rest gets the right checksum behind it, without which hardly any input would pass
 * the first check. With clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program
 * that replays the files it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "dist/survival/law_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "%s\n", what);
    abort();
  }
}

static void check(const struct saved_law *file, enum status status, const struct text *bytes,
                  const struct text *message) {
  if (status != STATUS_OK) {
    require(status == STATUS_DATA && message->length != 0 &&
                strchr(text_get(message), '\n') == NULL && file->notes.count == 0,
            "a failure without one message");
    return;
  }
  const struct survival *sides[2];
  for (size_t i = 0; i < 2; i++) {
    sides[i] = file->sides[i].tail == NULL ? NULL : &file->sides[i];
    require(sides[i] == NULL || survival_is_valid(sides[i]), "no law was read");
  }
  struct text again;
  text_init(&again);
  law_file_print(&again, sides[SIDE_UPPER], sides[SIDE_LOWER],
                 (const char *const *)file->notes.data, file->notes.count);
  struct saved_law copy;
  struct text none;
  law_file_init(&copy);
  text_init(&none);
  require(law_file_parse(&copy, "f", again.data, again.length, &none) == STATUS_OK,
          "what was written cannot be read");
  for (size_t i = 0; i < 2; i++)
    require(sides[i] == NULL || survival_equal(sides[i], &copy.sides[i]),
            "what was read is not what was written");
  require(bytes->length >= again.length, "what was written is longer than what was read");
  law_file_clear(&copy);
  text_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  struct text bytes, message;
  text_init(&bytes);
  text_init(&message);
  text_append_bytes(&bytes, (const char *)data + 1, size - 1);
  if (data[0] % 2 == 1) {
    char digest[DIGEST_LENGTH + 1];
    digest_bytes(digest, bytes.data, bytes.length);
    text_format(&bytes, "checksum %s\n", digest);
  }
  struct saved_law file;
  law_file_init(&file);
  enum status status = law_file_parse(&file, "f", bytes.data, bytes.length, &message);
  check(&file, status, &bytes, &message);
  law_file_clear(&file);
  text_clear(&bytes);
  text_clear(&message);
  return 0;
}

#include "tests/fuzz/standalone.h"
