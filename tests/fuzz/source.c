/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a measurement file: a valid sample, or one message. The first byte chooses the
 * format (modulo FORMAT_COUNT, 0 by content; divided by that, modulo 3: no unit, ns, us), the rest
 * is the file. With clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that
 * replays the files it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "dist/source/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(enum status status, const struct sample *sample, const struct source_notes *notes,
                  const struct text *message) {
  bool good;
  if (status == STATUS_OK)
    good = sample_is_valid(sample) && evidence_is_valid(&sample->evidence) &&
           sample->evidence.unit != NULL && message->length == 0;
  else
    good = status == STATUS_DATA && message->length != 0 && sample->bins == NULL &&
           notes->count == 0 && strchr(text_get(message), '\n') == NULL;
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
  struct sample sample;
  struct source_notes notes;
  struct text message;
  sample_init(&sample);
  source_notes_init(&notes);
  text_init(&message);
  enum status status =
      source_parse(&sample, &notes, (enum source_format)(data[0] % FORMAT_COUNT), "f", bytes,
                   size - 1, units[data[0] / FORMAT_COUNT % 3], NULL, &message);
  check(status, &sample, &notes, &message);
  sample_clear(&sample);
  source_notes_clear(&notes);
  text_clear(&message);
  mem_free(bytes);
  return 0;
}

#include "tests/fuzz/standalone.h"
