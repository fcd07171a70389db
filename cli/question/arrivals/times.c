/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/arrivals/times.h"

#include <stdlib.h>
#include <string.h>

#include "cli/question/replay/stores.h"

void times_clear(struct times *times) {
  for (size_t i = 0; i < times->streams.count; i++) {
    mem_free(times->streams.data[i].node);
    vector_clear(&times->streams.data[i].ns);
  }
  vector_clear(&times->streams);
  mem_free(times->what);
}

static bool is_of(const struct times_stream *stream, const char *node) {
  return (node == NULL) == (stream->node == NULL) &&
         (node == NULL || strcmp(node, stream->node) == 0);
}

void times_add(struct times *times, const char *node, int64_t ns) {
  size_t i = 0;
  while (i < times->streams.count && !is_of(&times->streams.data[i], node))
    i++;
  if (i == times->streams.count) {
    struct times_stream stream = {.node = node == NULL ? NULL : mem_copy_text(node, strlen(node))};
    vector_push(&times->streams, stream);
  }
  vector_push(&times->streams.data[i].ns, ns);
}

static int compare_moments(const void *x, const void *y) {
  const int64_t *a = x, *b = y;
  return *a < *b ? -1 : *a > *b;
}

static int compare_streams(const void *x, const void *y) {
  const struct times_stream *a = x, *b = y;
  return a->node == NULL || b->node == NULL ? 0 : strcmp(a->node, b->node);
}

static void put_in_order(struct times *times) {
  for (size_t i = 0; i < times->streams.count; i++)
    qsort(times->streams.data[i].ns.data, times->streams.data[i].ns.count, sizeof(int64_t),
          compare_moments);
  if (times->streams.count > 1)
    qsort(times->streams.data, times->streams.count, sizeof *times->streams.data, compare_streams);
}

enum status times_read(struct times *times, const char *const *paths, size_t count,
                       const struct times_wanted *wanted, struct ledger *ledger,
                       struct text *message) {
  *times = (struct times){0};
  size_t stores = 0;
  for (size_t i = 0; i < count; i++)
    stores += stores_are_at(paths[i]) || strstr(paths[i], ".csv") == NULL;
  enum status status;
  if (stores == count) {
    status = times_read_stores(times, paths, count, wanted, ledger, message);
  } else if (count == 1) {
    status = times_read_table(times, paths[0], wanted, ledger, message);
  } else {
    text_append(message, "name one table of times, or stores; several tables and a mixture of both "
                         "have no clock in common");
    status = STATUS_USAGE;
  }
  if (status == STATUS_OK)
    put_in_order(times);
  return status;
}
