/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clocks of a request's hosts.
 */
#include <stdlib.h>

#include "trace/span/builder_inside.h"

/* What names a parent that was lost is a part of a request, however long it took. */
static bool is_better_root(const struct entry *entry, const struct entry *root) {
  bool orphan = (entry->mark & SPAN_ORPHAN) != 0, other = (root->mark & SPAN_ORPHAN) != 0;
  if (orphan != other)
    return other;
  return entry->end - entry->start > root->end - root->start;
}

uint32_t builder_find_root(const struct builder *builder) {
  const struct entry *entries = builder->sorted.data;
  uint32_t root = SPAN_NONE;
  for (uint32_t i = 0; i < builder->sorted.count; i++)
    if (entries[i].up == SPAN_NONE &&
        (root == SPAN_NONE || is_better_root(&entries[i], &entries[root])))
      root = i;
  return root;
}

static uint32_t host_of(const struct entry *entry) {
  return span_host(entry->service, entry->instance);
}

/* Whether any entry is not within its caller, which is of another host. */
static bool may_be_skewed(const struct builder *builder) {
  for (size_t i = 0; i < builder->sorted.count; i++) {
    const struct entry *entry = &builder->sorted.data[i];
    const struct entry *caller = entry->up == SPAN_NONE ? entry : &builder->sorted.data[entry->up];
    if ((entry->start < caller->start || entry->end > caller->end) &&
        host_of(entry) != host_of(caller))
      return true;
  }
  return false;
}

/* Puts the entries in order of their moved starts. */
static void sort_moved(struct builder *builder) {
  uint64_t clashes = builder->notes.clashes;
  builder->order.count = builder->entries.count = 0;
  for (size_t i = 0; i < builder->sorted.count; i++)
    vector_push(&builder->order, &builder->sorted.data[i]);
  qsort(builder->order.data, builder->order.count, sizeof *builder->order.data,
        builder_compare_entries);
  for (size_t i = 0; i < builder->order.count; i++) {
    size_t old = (size_t)(builder->order.data[i] - builder->sorted.data);
    builder->sorted.data[old].row = (uint32_t)i; /* for now: its new place */
    vector_push(&builder->entries, *builder->order.data[i]);
  }
  for (size_t i = 0; i < builder->entries.count; i++) {
    struct entry *entry = &builder->entries.data[i];
    entry->up = entry->up == SPAN_NONE ? SPAN_NONE : builder->sorted.data[entry->up].row;
  }
  for (size_t i = 0; i < builder->entries.count; i++)
    builder->sorted.data[i] = builder->entries.data[i];
  builder_index_ids(builder);
  builder->notes.clashes = clashes;
}

void builder_correct_clocks(struct builder *builder) {
  if (!may_be_skewed(builder))
    return;
  builder->clocks.count = 0;
  for (size_t i = 0; i < builder->sorted.count; i++) {
    const struct entry *entry = &builder->sorted.data[i];
    vector_push(&builder->clocks, (struct skew_span){.start = entry->start,
                                                     .end = entry->end,
                                                     .up = entry->up,
                                                     .host = host_of(entry),
                                                     .kind = entry->kind,
                                                     .status = entry->status,
                                                     .mark = entry->mark});
  }
  bool moved = skew_correct(builder->clocks.data, (uint32_t)builder->clocks.count,
                            builder_find_root(builder), &builder->skew);
  for (size_t i = 0; i < builder->sorted.count; i++) {
    struct entry *entry = &builder->sorted.data[i];
    entry->start = builder->clocks.data[i].start;
    entry->end = builder->clocks.data[i].end;
    entry->mark = (uint8_t)builder->clocks.data[i].mark;
  }
  if (moved)
    sort_moved(builder);
}
