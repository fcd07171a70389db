/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Entries are sorted first, so that nothing depends on the order in which a file lists them; from
 * then on a smaller index is an earlier start. Nothing here recurses: a chain of calls may be
 * millions deep.
 */
#include "trace/span/builder_inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "base/hash.h"

enum {
  SAME_LOOKED =
      64, /* of spans with one id so many are looked at, so that millions take no longer */
};

struct builder *builder_new(struct span_store *store) {
  struct builder *builder = mem_alloc(1, sizeof *builder);
  builder->store = store;
  return builder;
}

void builder_free(struct builder *builder) {
  vector_clear(&builder->trace_id);
  vector_clear(&builder->entries);
  vector_clear(&builder->sorted);
  vector_clear(&builder->order);
  vector_clear(&builder->tags);
  vector_clear(&builder->links);
  index_clear(&builder->index);
  vector_clear(&builder->clocks);
  vector_clear(&builder->trees);
  vector_clear(&builder->fine);
  mem_free(builder);
}

void builder_drop_ids(struct builder *builder) {
  builder->drops_ids = true;
}

const struct builder_notes *builder_notes(const struct builder *builder) {
  return &builder->notes;
}

const struct skew_notes *builder_clocks(const struct builder *builder) {
  return &builder->skew;
}

void builder_begin(struct builder *builder, struct slice trace_id) {
  builder->trace_id.count = builder->entries.count = 0;
  builder->tags.count = builder->links.count = 0;
  for (size_t i = 0; i < trace_id.length; i++)
    vector_push(&builder->trace_id, trace_id.start[i]);
  if (!shown_is_clean(trace_id.start, trace_id.length))
    builder->trace_id.count =
        shown_clean(builder->trace_id.data, builder->trace_id.count, '?', false);
}

void builder_add(struct builder *builder, const struct span_record *record) {
  struct span_names *names = &builder->store->names;
  struct entry entry = {
      .id = record->id,
      .parent = record->parent,
      .start = record->start,
      .end = record->end,
      .service = names_number(names, record->service),
      .operation = names_number(names, record->operation),
      .instance = names_number(names, record->instance),
      .kind = (uint8_t)record->kind,
      .status = (uint8_t)record->status,
      .mark = (uint8_t)record->mark,
      .tag_first = builder->tags.count,
      .tag_count = record->tag_count,
      .link_first = builder->links.count,
      .link_count = record->link_count,
  };
  if (entry.end < entry.start) {
    entry.end = entry.start;
    builder->notes.backwards++;
  }
  for (size_t i = 0; i < record->tag_count; i++)
    vector_push(&builder->tags, record->tags[i]);
  for (size_t i = 0; i < record->link_count; i++)
    vector_push(&builder->links, record->links[i]);
  vector_push(&builder->entries, entry);
}

/* ---- in order */

static int compare_slices(struct slice a, struct slice b) {
  size_t length = a.length < b.length ? a.length : b.length;
  int result = length == 0 ? 0 : memcmp(a.start, b.start, length);
  return result != 0 ? result : (a.length > b.length) - (a.length < b.length);
}

/* Whether two entries are records of one span, and if not, which is first. */
static int compare_records(const struct entry *a, const struct entry *b) {
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  if (a->end != b->end)
    return a->end < b->end ? -1 : 1;
  int result = compare_slices(a->id, b->id);
  if (result == 0)
    result = compare_slices(a->parent, b->parent);
  if (result == 0)
    result = (a->kind > b->kind) - (a->kind < b->kind);
  if (result == 0)
    result = (a->service > b->service) - (a->service < b->service);
  return result != 0 ? result : (a->operation > b->operation) - (a->operation < b->operation);
}

int builder_compare_entries(const void *a, const void *b) {
  const struct entry *x = *(const struct entry *const *)a, *y = *(const struct entry *const *)b;
  int result = compare_records(x, y);
  return result != 0 ? result : (x > y) - (x < y); /* the same span: as the file has them */
}

/* What has no end lasts until the latest moment of its request. */
static void end_unfinished(struct builder *builder) {
  int64_t latest = -SPAN_TIME_MAX;
  bool unfinished = false;
  for (size_t i = 0; i < builder->entries.count; i++) {
    const struct entry *entry = &builder->entries.data[i];
    unfinished = unfinished || (entry->mark & SPAN_UNFINISHED) != 0;
    latest = entry->end > latest ? entry->end : latest;
  }
  for (size_t i = 0; unfinished && i < builder->entries.count; i++)
    if ((builder->entries.data[i].mark & SPAN_UNFINISHED) != 0)
      builder->entries.data[i].end = latest;
}

/* Whether they are in order as the file has them, each once. */
static bool is_sorted(const struct builder *builder) {
  for (size_t i = 1; i < builder->entries.count; i++)
    if (compare_records(&builder->entries.data[i - 1], &builder->entries.data[i]) >= 0)
      return false;
  return true;
}

static void swap_entries(struct builder *builder) {
  struct entry *data = builder->sorted.data;
  size_t capacity = builder->sorted.capacity;
  builder->sorted.data = builder->entries.data;
  builder->sorted.count = builder->entries.count;
  builder->sorted.capacity = builder->entries.capacity;
  builder->entries.data = data;
  builder->entries.count = 0;
  builder->entries.capacity = capacity;
}

static void sort_entries(struct builder *builder) {
  if (is_sorted(builder)) {
    swap_entries(builder);
    return;
  }
  builder->order.count = builder->sorted.count = 0;
  for (size_t i = 0; i < builder->entries.count; i++)
    vector_push(&builder->order, &builder->entries.data[i]);
  qsort(builder->order.data, builder->order.count, sizeof *builder->order.data,
        builder_compare_entries);
  for (size_t i = 0; i < builder->order.count; i++) {
    const struct entry *entry = builder->order.data[i];
    bool repeated =
        i != 0 && entry->id.length != 0 && compare_records(builder->order.data[i - 1], entry) == 0;
    builder->notes.repeated += repeated;
    if (!repeated)
      vector_push(&builder->sorted, *entry);
  }
}

/* ---- ids */

/* The earliest entry that has the id, or SPAN_NONE. */
static uint32_t find_id(const struct builder *builder, struct slice id, uint64_t hash) {
  for (struct index_look look = index_look(&builder->index, hash); index_next(&look);) {
    struct slice known = builder->sorted.data[look.row].id;
    if (known.length == id.length && memcmp(known.start, id.start, id.length) == 0)
      return look.row;
  }
  return SPAN_NONE;
}

static uint32_t first_of_id(const struct builder *builder, struct slice id) {
  return id.length == 0 ? SPAN_NONE : find_id(builder, id, hash_bytes(0, id));
}

void builder_index_ids(struct builder *builder) {
  struct entry *entries = builder->sorted.data;
  index_empty(&builder->index, builder->sorted.count);
  for (uint32_t i = 0; i < builder->sorted.count; i++) {
    entries[i].same = SPAN_NONE;
    entries[i].last = i;
    if (entries[i].id.length == 0)
      continue;
    uint64_t hash = hash_bytes(0, entries[i].id);
    uint32_t first = find_id(builder, entries[i].id, hash);
    if (first == SPAN_NONE) {
      index_add(&builder->index, hash, i);
      continue;
    }
    entries[entries[first].last].same = i;
    entries[first].last = i;
    builder->notes.clashes++;
  }
}

/* ---- parents */

static bool is_called(const struct entry *entry) {
  return entry->kind == SPAN_SERVER || entry->kind == SPAN_CONSUMER;
}

static bool is_caller(const struct entry *entry) {
  return entry->kind == SPAN_CLIENT || entry->kind == SPAN_PRODUCER;
}

/* Client and server of a call may share an id and a parent: the client of this server. */
static uint32_t other_side(const struct builder *builder, uint32_t index) {
  const struct entry *entry = &builder->sorted.data[index];
  uint32_t other = first_of_id(builder, entry->id);
  for (int looked = 0; other != SPAN_NONE && looked < SAME_LOOKED; looked++) {
    const struct entry *caller = &builder->sorted.data[other];
    if (is_caller(caller) &&
        (entry->parent.length == 0 || compare_slices(entry->parent, caller->parent) == 0 ||
         compare_slices(entry->parent, entry->id) == 0))
      return other;
    other = caller->same;
  }
  return SPAN_NONE;
}

/* How well one of several spans with the id of its parent fits. */
static int fit_of(const struct entry *entry, const struct entry *parent) {
  bool at_home = !is_called(entry) && entry->service == parent->service;
  bool within = parent->start <= entry->start && entry->start <= parent->end;
  return 1 + 4 * at_home + 2 * is_called(parent) + within;
}

static uint32_t parent_of(const struct builder *builder, uint32_t index) {
  const struct entry *entry = &builder->sorted.data[index];
  if (is_called(entry)) {
    uint32_t caller = other_side(builder, index);
    if (caller != SPAN_NONE)
      return caller;
  }
  uint32_t other = first_of_id(builder, entry->parent), best = SPAN_NONE;
  for (int looked = 0, most = 0; other != SPAN_NONE && looked < SAME_LOOKED; looked++) {
    const struct entry *parent = &builder->sorted.data[other];
    int fit = other == index ? 0 : fit_of(entry, parent);
    if (fit > most) {
      most = fit;
      best = other;
    }
    other = parent->same;
  }
  return best;
}

static void find_parents(struct builder *builder) {
  for (uint32_t i = 0; i < builder->sorted.count; i++) {
    struct entry *entry = &builder->sorted.data[i];
    entry->up = parent_of(builder, i);
    bool paired = entry->up != SPAN_NONE && is_called(entry) && entry->id.length != 0 &&
                  compare_slices(builder->sorted.data[entry->up].id, entry->id) == 0;
    builder->notes.clashes -= paired; /* two sides of a call are no clash */
    if (entry->up != SPAN_NONE || entry->parent.length == 0)
      continue;
    if (compare_slices(entry->parent, entry->id) == 0) {
      builder->notes.circles++;
    } else {
      entry->mark |= SPAN_ORPHAN;
      builder->notes.orphans++;
    }
  }
}

enum walk { WALK_NEW, WALK_HERE, WALK_DONE };

/* The earliest of a circle has no parent. */
static void break_circle(struct builder *builder, uint32_t member) {
  struct entry *entries = builder->sorted.data;
  uint32_t first = member;
  for (uint32_t i = member; entries[i].walk == WALK_HERE; i = entries[i].up) {
    entries[i].walk = WALK_DONE;
    first = i < first ? i : first;
  }
  entries[first].up = SPAN_NONE;
  builder->notes.circles++;
}

static void break_circles(struct builder *builder) {
  struct entry *entries = builder->sorted.data;
  for (uint32_t i = 0; i < builder->sorted.count; i++) {
    uint32_t at = i;
    for (; at != SPAN_NONE && entries[at].walk == WALK_NEW; at = entries[at].up)
      entries[at].walk = WALK_HERE;
    if (at != SPAN_NONE && entries[at].walk == WALK_HERE)
      break_circle(builder, at);
    for (at = i; at != SPAN_NONE && entries[at].walk == WALK_HERE; at = entries[at].up)
      entries[at].walk = WALK_DONE;
  }
}

/* ---- the tree */

/* Links all below their parents, the earliest first, and those without one to a list of roots,
 * which `root` heads. */
static void link_children(struct builder *builder, uint32_t root) {
  struct entry *entries = builder->sorted.data;
  uint32_t roots = SPAN_NONE, count = 0;
  for (size_t i = 0; i < builder->sorted.count; i++)
    entries[i].child = SPAN_NONE;
  for (uint32_t i = (uint32_t)builder->sorted.count; i-- != 0;) {
    uint32_t *list = entries[i].up == SPAN_NONE ? &roots : &entries[entries[i].up].child;
    count += entries[i].up == SPAN_NONE;
    if (i == root)
      continue;
    entries[i].sibling = *list;
    *list = i;
  }
  entries[root].sibling = roots;
  builder->notes.roots += count > 1;
}

static void append_tags(struct builder *builder, const struct entry *entry) {
  struct span_store *store = builder->store;
  for (size_t i = 0; i < entry->tag_count; i++)
    vector_push(&store->tags, builder->tags.data[entry->tag_first + i]);
  vector_push(&store->tag_end, store->tags.count);
}

static void append_id(struct builder *builder, struct slice id) {
  struct span_store *store = builder->store;
  for (size_t i = 0; i < id.length && !builder->drops_ids; i++)
    vector_push(&store->ids, id.start[i]);
  vector_push(&store->id_end, store->ids.count);
}

static void append_row(struct builder *builder, struct entry *entry) {
  struct span_store *store = builder->store;
  entry->row = (uint32_t)store->start.count;
  vector_push(&store->start, entry->start);
  vector_push(&store->end, entry->end);
  vector_push(&store->parent,
              entry->up == SPAN_NONE ? SPAN_NONE : builder->sorted.data[entry->up].row);
  vector_push(&store->below, 0);
  vector_push(&store->service, entry->service);
  vector_push(&store->operation, entry->operation);
  vector_push(&store->instance, entry->instance);
  vector_push(&store->kind, entry->kind);
  vector_push(&store->status, entry->status);
  vector_push(&store->mark, entry->mark);
  append_tags(builder, entry);
  append_id(builder, entry->id);
}

/* Each before those below it. */
static void append_rows(struct builder *builder, uint32_t root) {
  struct entry *entries = builder->sorted.data;
  for (uint32_t at = root; at != SPAN_NONE;) {
    append_row(builder, &entries[at]);
    if (entries[at].child != SPAN_NONE) {
      at = entries[at].child;
      continue;
    }
    while (at != SPAN_NONE && entries[at].sibling == SPAN_NONE)
      at = entries[at].up;
    if (at != SPAN_NONE)
      at = entries[at].sibling;
  }
}

static void count_below(struct span_store *store, size_t first) {
  for (size_t row = store->start.count; row-- != first;)
    if (store->parent.data[row] != SPAN_NONE)
      store->below.data[store->parent.data[row]] += store->below.data[row] + 1;
}

static void append_foreign(struct builder *builder, uint32_t row, struct slice to) {
  struct span_store *store = builder->store;
  if (memchr(to.start, '/', to.length) == NULL)
    return;
  struct slice copy = {arena_text(&store->texts, to.start, to.length), to.length};
  vector_push(&store->foreign, (struct foreign_link){row, copy});
}

static void append_links(struct builder *builder, struct request *request) {
  struct span_store *store = builder->store;
  request->link_first = store->links.count;
  for (size_t i = 0; i < builder->sorted.count; i++) {
    const struct entry *entry = &builder->sorted.data[i];
    for (size_t k = 0; k < entry->link_count; k++) {
      uint32_t to = first_of_id(builder, builder->links.data[entry->link_first + k]);
      if (to == SPAN_NONE && store->keeps_foreign)
        append_foreign(builder, entry->row, builder->links.data[entry->link_first + k]);
      if (to != SPAN_NONE && to != i)
        vector_push(&store->links, (struct span_link){entry->row, builder->sorted.data[to].row});
    }
  }
  request->link_count = store->links.count - request->link_first;
}

size_t builder_finish(struct builder *builder) {
  struct span_store *store = builder->store;
  if (builder->entries.count == 0)
    return SIZE_MAX;
  if (builder->entries.count >= SPAN_NONE - store->start.count)
    bug("more spans than a store has rows");
  end_unfinished(builder);
  sort_entries(builder);
  builder_index_ids(builder);
  find_parents(builder);
  break_circles(builder);
  builder_find_grain(builder);
  builder_correct_clocks(builder);
  uint32_t root = builder_find_root(builder);
  link_children(builder, root);
  struct request request = {
      .id = {arena_text(&store->texts, builder->trace_id.data, builder->trace_id.count),
             builder->trace_id.count},
      .first = (uint32_t)store->start.count,
      .count = (uint32_t)builder->sorted.count,
      .tag_first = store->tags.count,
  };
  append_rows(builder, root);
  count_below(store, request.first);
  append_links(builder, &request);
  vector_push(&store->requests, request);
  return store->requests.count - 1;
}
