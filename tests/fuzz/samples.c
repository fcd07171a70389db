/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a record of the kernel's ring of samples: refused, or all that the decoded event
 * points to is within the record. With clang -fsanitize=fuzzer a libFuzzer target; with
 * -DSTANDALONE a program that replays the files it is given.
 */
#include <stdlib.h>
#include <string.h>

#include "measure/profile/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition)
    abort();
}

static void require_within(const unsigned char *record, size_t size, const void *at,
                           size_t length) {
  uintptr_t start = (uintptr_t)record, first = (uintptr_t)at;
  require(first >= start && first - start <= size && length <= size - (first - start));
}

static void decode(const unsigned char *record, size_t size, bool stacks) {
  struct ring_event event;
  if (!event_decode(&event, record, size, stacks))
    return;
  require((event.kind == EVENT_SAMPLE) == (event.chain != NULL));
  if (event.chain != NULL)
    require_within(record, size, event.chain, event.chain_count * sizeof *event.chain);
  require(stacks || (!event.has_registers && event.stack == NULL));
  require(event.stack != NULL || event.stack_size == 0);
  if (event.stack != NULL)
    require_within(record, size, event.stack, event.stack_size);
  require((event.kind == EVENT_MAP || event.kind == EVENT_COMMAND) == (event.name != NULL));
  if (event.name != NULL)
    require_within(record, size, event.name, strlen(event.name) + 1);
}

/* The record has memory of its own, so that a step beyond it is seen. Half of the tries have the
 * right size in the header, without which nothing else is looked at. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned char *record = malloc(size == 0 ? 1 : size);
  require(record != NULL);
  if (size != 0)
    memcpy(record, data, size);
  for (int right = 0; right < 2; right++) {
    uint16_t told = (uint16_t)size;
    if (right && size >= sizeof(struct perf_event_header) && size <= UINT16_MAX)
      memcpy(record + offsetof(struct perf_event_header, size), &told, sizeof told);
    decode(record, size, false);
    decode(record, size, true);
  }
  free(record);
  return 0;
}

#include "tests/fuzz/standalone.h"
