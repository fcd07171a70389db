/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

bool known_is_record(const char *line, size_t length) {
  for (size_t i = 0; i < length; i++) {
    bool blank = i % (DIGEST_LENGTH + 1) == DIGEST_LENGTH;
    bool digit = (line[i] >= '0' && line[i] <= '9') || (line[i] >= 'a' && line[i] <= 'f');
    if (blank ? line[i] != ' ' : !digit)
      return false;
  }
  return length % (DIGEST_LENGTH + 1) == DIGEST_LENGTH;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void known_init(struct known_queries *known, const char *bytes, size_t length) {
  *known = (struct known_queries){0};
  for (size_t at = 0; at < length;) {
    const char *end = memchr(bytes + at, '\n', length - at);
    size_t line = end == NULL ? length - at : (size_t)(end - bytes) - at;
    if (known_is_record(bytes + at, line))
      vector_push(&known->records, mem_copy_text(bytes + at, line));
    at += line + 1;
  }
  if (known->records.count != 0)
    qsort(known->records.data, known->records.count, sizeof *known->records.data, by_text);
}

void known_clear(struct known_queries *known) {
  for (size_t i = 0; i < known->records.count; i++)
    mem_free(known->records.data[i]);
  vector_clear(&known->records);
}

size_t known_find(const struct known_queries *known, const char *digest, size_t *first) {
  size_t low = 0, count = 0, high = known == NULL ? 0 : known->records.count;
  size_t end = high;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strncmp(known->records.data[middle], digest, DIGEST_LENGTH) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  while (low + count < end && strncmp(known->records.data[low + count], digest, DIGEST_LENGTH) == 0)
    count++;
  *first = low;
  return count;
}
