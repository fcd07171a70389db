/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a table of calls: a table of which every row is complete, or one message. The first
 * byte chooses the unit stated (modulo 3: none, ns, ms), the rest is the file. With clang
 * -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that replays the files it is
 * given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "trace/tail/containment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void heard(void *context, enum saying saying, const char *line) {
  (void)saying;
  ++*(size_t *)context;
  if (strchr(line, '\n') != NULL)
    abort();
}

/* The parts of each request add up to its latency, whatever its calls are said to take. */
static void split(const struct call_table *table) {
  enum tail_side *sides = mem_alloc(table->rows, sizeof *sides);
  struct containment containment;
  struct tail_causes causes;
  sides[0] = TAIL_SLOW;
  containment_find(&containment, table, sides, NULL);
  containment_causes(&causes, table, &containment, sides);
  for (size_t r = 0; r < table->rows; r++) {
    int64_t left = table->latency.ns[r];
    for (size_t c = 0; c < causes.causes.count; c++)
      left -= causes.causes.data[c].parts[r];
    if (left != 0)
      abort();
  }
  tail_causes_clear(&causes);
  containment_clear(&containment);
  mem_free(sides);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const units[] = {NULL, "ns", "ms"};
  if (size == 0)
    return 0;
  size_t lines = 0;
  const struct asker asker = {.context = &lines, .say = heard};
  const struct call_reading reading = {.unit = units[data[0] % 3]};
  char *bytes = mem_copy_text((const char *)data + 1, size - 1);
  struct call_table table;
  call_table_init(&table);
  enum status status = call_table_parse(&table, "f", bytes, size - 1, &reading, &asker);
  if ((status == STATUS_OK) != (lines == 0) || lines > 1)
    abort();
  if (status == STATUS_OK && table.rows > 1 && table.calls.count <= 8)
    split(&table);
  call_table_clear(&table);
  mem_free(bytes);
  return 0;
}

#include "tests/fuzz/standalone.h"
