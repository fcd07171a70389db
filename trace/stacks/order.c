/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare_bytes(struct slice a, struct slice b) {
  size_t least = a.length < b.length ? a.length : b.length;
  int order = least == 0 ? 0 : memcmp(a.start, b.start, least);
  return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

/* A frame with its texts, to be ordered by them. */
struct ranked_frame {
  struct slice name, module;
  uint64_t offset;
  enum frame_kind kind;
  uint32_t frame;
};

static int compare_ranked(const void *a, const void *b) {
  const struct ranked_frame *x = a, *y = b;
  int order = compare_bytes(x->name, y->name);
  if (order == 0)
    order = compare_bytes(x->module, y->module);
  if (order == 0)
    order = (x->offset > y->offset) - (x->offset < y->offset);
  return order != 0 ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

/* The place of each frame in the order of names. The caller frees it. */
static uint32_t *rank_frames(const struct stack_profile *profile) {
  size_t count = profile->frames.count;
  struct ranked_frame *ranked = mem_alloc(count, sizeof *ranked);
  uint32_t *rank = mem_alloc(count, sizeof *rank);
  for (uint32_t i = 0; i < count; i++) {
    const struct stack_frame *frame = &profile->frames.data[i];
    const struct slice *texts = profile->names.texts.data;
    ranked[i] = (struct ranked_frame){texts[frame->function], texts[frame->module], frame->offset,
                                      frame->kind, i};
  }
  qsort(ranked, count, sizeof *ranked, compare_ranked);
  for (uint32_t i = 0; i < count; i++)
    rank[ranked[i].frame] = i;
  mem_free(ranked);
  return rank;
}

/* Nodes by the order of their frames (a counting sort), then stably by their parents. */
void stack_children_find(struct stack_children *children, const struct stack_profile *profile) {
  size_t nodes = profile->nodes.count, frames = profile->frames.count;
  uint32_t *rank = rank_frames(profile), *start = mem_alloc(frames + 1, sizeof *start);
  uint32_t *by_name = mem_alloc(nodes, sizeof *by_name);
  children->first = mem_alloc(nodes + 2, sizeof *children->first);
  children->children = mem_alloc(nodes, sizeof *children->children);
  for (size_t i = 1; i < nodes; i++) {
    start[rank[profile->nodes.data[i].frame] + 1]++;
    children->first[profile->nodes.data[i].parent + 2]++;
  }
  for (size_t i = 1; i <= frames; i++)
    start[i] += start[i - 1];
  for (size_t i = 2; i < nodes + 2; i++)
    children->first[i] += children->first[i - 1];
  for (uint32_t i = 1; i < nodes; i++)
    by_name[start[rank[profile->nodes.data[i].frame]]++] = i;
  for (size_t i = 0; i + 1 < nodes; i++)
    children->children[children->first[profile->nodes.data[by_name[i]].parent + 1]++] = by_name[i];
  mem_free(rank);
  mem_free(start);
  mem_free(by_name);
}

void stack_children_clear(struct stack_children *children) {
  mem_free(children->first);
  mem_free(children->children);
  *children = (struct stack_children){0};
}

/* A line that ends in a node, or all lines that go on below it. Their place among their siblings
 * differs: with siblings `a` and `a:b` the lines are `a`, `a:b`, `a;c`. */
struct due_line {
  uint32_t node;
  bool below;
};

struct walk {
  const struct stack_profile *profile;
  struct stack_children children;
  VECTOR(struct due_line) due; /* a stack: the next one is the last */
};

static struct slice name_of(const struct stack_profile *profile, uint32_t node) {
  return profile->names.texts.data[profile->frames.data[profile->nodes.data[node].frame].function];
}

/* A byte of an item's key: the name, with a semicolon behind it for what is below; -1 at its end.
 */
static int key_byte(struct slice name, bool below, size_t i) {
  return i < name.length ? (unsigned char)name.start[i] : i == name.length && below ? ';' : -1;
}

static bool after(const struct stack_profile *profile, struct due_line a, struct due_line b) {
  struct slice x = name_of(profile, a.node), y = name_of(profile, b.node);
  size_t least = x.length < y.length ? x.length : y.length;
  int order = memcmp(x.start, y.start, least);
  if (order != 0)
    return order > 0;
  size_t i = least;
  while (key_byte(x, a.below, i) == key_byte(y, b.below, i) && key_byte(x, a.below, i) >= 0)
    i++;
  return key_byte(x, a.below, i) > key_byte(y, b.below, i);
}

/* Puts an item where it belongs among those from `base` on, which come in nearly the right order:
 * only names that others begin with move. */
static void insert(struct walk *walk, size_t base, struct due_line item) {
  vector_push(&walk->due, item);
  size_t i = walk->due.count - 1;
  for (; i > base && after(walk->profile, item, walk->due.data[i - 1]); i--)
    walk->due.data[i] = walk->due.data[i - 1];
  walk->due.data[i] = item;
}

/* What is due last goes first onto the stack. */
static void push_children(struct walk *walk, uint32_t node) {
  const uint32_t *first = walk->children.first, *children = walk->children.children;
  size_t base = walk->due.count;
  for (uint32_t i = first[node + 1]; i > first[node]; i--) {
    uint32_t child = children[i - 1];
    if (first[child + 1] > first[child])
      insert(walk, base, (struct due_line){child, true});
    if (walk->profile->nodes.data[child].own != 0)
      insert(walk, base, (struct due_line){child, false});
  }
}

void stack_profile_visit(const struct stack_profile *profile,
                         void (*visit)(uint32_t node, void *context), void *context) {
  struct walk walk = {.profile = profile};
  stack_children_find(&walk.children, profile);
  if (profile->nodes.data[0].own != 0)
    visit(0, context);
  push_children(&walk, 0);
  while (walk.due.count != 0) {
    struct due_line item = walk.due.data[--walk.due.count];
    if (item.below)
      push_children(&walk, item.node);
    else
      visit(item.node, context);
  }
  vector_clear(&walk.due);
  stack_children_clear(&walk.children);
}

/* Bottom up: runs of doubling length are merged into the other array, and the arrays change places.
 */
static void merge_runs(const struct stack_sample *from, struct stack_sample *to, size_t count,
                       size_t run) {
  for (size_t start = 0; start < count; start += 2 * run) {
    size_t a = start, middle = start + run < count ? start + run : count;
    size_t b = middle, end = middle + run < count ? middle + run : count;
    for (size_t i = start; i < end; i++)
      to[i] = b == end || (a < middle && from[a].time <= from[b].time) ? from[a++] : from[b++];
  }
}

void stack_samples_sort(struct stack_profile *profile) {
  size_t count = profile->samples.count, i = 1;
  while (i < count && profile->samples.data[i - 1].time <= profile->samples.data[i].time)
    i++;
  if (i >= count)
    return;
  struct stack_sample *from = profile->samples.data, *to = mem_alloc(count, sizeof *to);
  for (size_t run = 1; run < count; run *= 2) {
    merge_runs(from, to, count, run);
    struct stack_sample *other = from;
    from = to;
    to = other;
  }
  mem_free(to);
  profile->samples.data = from;
  profile->samples.capacity = count;
}
