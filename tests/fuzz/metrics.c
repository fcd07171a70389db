/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any two pages of metrics, an earlier and a later one: what was counted in between, or one
 * message. The first byte says how (1: there is an earlier page, 2: add up all label sets, 4: in
 * s), the next two how long the earlier page is; both pages follow. With clang -fsanitize=fuzzer a
 * libFuzzer target; with -DSTANDALONE a program that replays the files it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "dist/source/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EARLIER = 1, ALL = 2, SECONDS = 4, HEAD = 3 };

static void check(enum status status, const struct sample *sample, const struct text *message) {
  bool good = status == STATUS_OK
                  ? sample_is_valid(sample) && message->length == 0
                  : status == STATUS_DATA && message->length != 0 && sample->bins == NULL &&
                        strchr(text_get(message), '\n') == NULL;
  if (good)
    return;
  fprintf(stderr, "status %d, message \"%s\"\n", status, text_get(message));
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < HEAD)
    return 0;
  size_t left = size - HEAD, first = (size_t)data[1] | (size_t)data[2] << 8;
  bool difference = data[0] & EARLIER;
  first = !difference ? 0 : first < left ? first : left;
  char *earlier = mem_copy_text((const char *)data + HEAD, first);
  char *later = mem_copy_text((const char *)data + HEAD + first, left - first);
  const struct source_page since = {.name = "f", .bytes = earlier, .length = first};
  const struct source_page page = {.name = "f", .bytes = later, .length = left - first};
  const struct source_options options = {.unit = data[0] & SECONDS ? "s" : NULL,
                                         .select = data[0] & ALL ? "{}" : NULL,
                                         .since = difference ? &since : NULL};
  struct sample sample;
  struct source_notes notes;
  struct text message;
  sample_init(&sample);
  source_notes_init(&notes);
  text_init(&message);
  check(source_read_page(&sample, &notes, &page, &options, &message), &sample, &message);
  sample_clear(&sample);
  source_notes_clear(&notes);
  text_clear(&message);
  mem_free(earlier);
  mem_free(later);
  return 0;
}

#include "tests/fuzz/standalone.h"
