/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which spans of a request a coarse clock has cut to a whole millisecond (SPAN_CUT). Recorders mix
 * two clocks: one reads the time of day, which may be coarse, and one counts exactly from there.
 *
 *   - OpenTelemetry for Node.js reads the coarse one for the start of each span.
 *   - OpenTelemetry for Java reads it for the first span of a request in a process; all below that
 *     one, in the same process, count from it.
 *
 * So the spans of one process that hang together are looked at. Where all of them start at a whole
 * millisecond, each is cut. Where their first one does alone, it is cut, and the others are tied to
 * it. A start of 0 is where a recording's own clock begins, and says nothing.
 *
 * Each request is judged by itself, so that what is counted of it does not depend on which others
 * are looked at. With a clock of microseconds one start of a thousand is a whole millisecond by
 * chance: then this one request refutes a little less than it might.
 */
#include "trace/span/builder_inside.h"

static bool is_whole(const struct entry *entry) {
  return entry->start != 0 && entry->start % SPAN_CUT_NS == 0 && (entry->mark & SPAN_MOVED) == 0;
}

/* Whether no span of its process called it. */
static bool is_first(const struct builder *builder, uint32_t i) {
  const struct entry *entry = &builder->sorted.data[i];
  if (entry->up == SPAN_NONE)
    return true;
  const struct entry *caller = &builder->sorted.data[entry->up];
  return caller->service != entry->service || caller->instance != entry->instance;
}

/* Whether there is anything to look for. A request that comes from a summary has its marks. */
static bool may_be_cut(const struct builder *builder) {
  bool some = false;
  for (uint32_t i = 0; i < builder->sorted.count; i++) {
    if ((builder->sorted.data[i].mark & (SPAN_CUT | SPAN_TIED)) != 0)
      return false;
    some = some || (is_whole(&builder->sorted.data[i]) && is_first(builder, i));
  }
  return some;
}

/* Each walk ends at what an earlier one has met, so that all take no longer than there are spans.
 */
static void find_trees(struct builder *builder) {
  size_t count = builder->sorted.count;
  builder->trees.count = builder->fine.count = 0;
  for (size_t i = 0; i < count; i++) {
    vector_push(&builder->trees, SPAN_NONE);
    vector_push(&builder->fine, false);
  }
  uint32_t *trees = builder->trees.data;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t at = i, first;
    while (trees[at] == SPAN_NONE && !is_first(builder, at))
      at = builder->sorted.data[at].up;
    first = trees[at] == SPAN_NONE ? at : trees[at];
    for (at = i; trees[at] == SPAN_NONE; at = builder->sorted.data[at].up) {
      trees[at] = first;
      if (at == first)
        break;
    }
  }
}

void builder_find_grain(struct builder *builder) {
  if (!may_be_cut(builder))
    return;
  find_trees(builder);
  struct entry *entries = builder->sorted.data;
  for (uint32_t i = 0; i < builder->sorted.count; i++)
    builder->fine.data[builder->trees.data[i]] |= !is_whole(&entries[i]);
  for (uint32_t i = 0; i < builder->sorted.count; i++) {
    uint32_t first = builder->trees.data[i];
    if (!is_whole(&entries[first]))
      continue;
    bool tied = builder->fine.data[first] && i != first;
    entries[i].mark |= tied ? SPAN_TIED : SPAN_CUT;
  }
}
