/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a table of joint measurements: a valid joint, or one message. The first byte chooses
 * the unit stated (modulo 3: none, ns, us), the rest is the file. With clang -fsanitize=fuzzer a
 * libFuzzer target; with -DSTANDALONE a program that replays the files it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "dist/source/joint_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(enum status status, const struct joint *joint, const struct source_notes *notes,
                  const struct text *message) {
  bool good;
  if (status == STATUS_OK)
    good = joint_is_valid(joint) && message->length == 0;
  else
    good = status == STATUS_DATA && message->length != 0 && joint->rows == 0 &&
           joint->columns.count == 0 && notes->count == 0 &&
           strchr(text_get(message), '\n') == NULL;
  if (!good) {
    fprintf(stderr, "status %d, message \"%s\"\n", status, text_get(message));
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const units[] = {NULL, "ns", "us"};
  if (size == 0)
    return 0;
  char *bytes = mem_copy_text((const char *)data + 1, size - 1);
  struct joint joint;
  struct source_notes notes;
  struct text message;
  joint_init(&joint);
  source_notes_init(&notes);
  text_init(&message);
  enum status status =
      joint_parse(&joint, &notes, "f", bytes, size - 1, units[data[0] % 3], &message);
  check(status, &joint, &notes, &message);
  joint_clear(&joint);
  source_notes_clear(&notes);
  text_clear(&message);
  mem_free(bytes);
  return 0;
}

#include "tests/fuzz/standalone.h"
