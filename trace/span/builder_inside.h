/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A request while its builder works on it; private to the builder's files.
 */
#ifndef TRACE_SPAN_BUILDER_INSIDE_H
#define TRACE_SPAN_BUILDER_INSIDE_H

#include <stdbool.h>

#include "base/index.h"
#include "trace/span/builder.h"
#include "trace/span/skew.h"

struct entry {
  struct slice id, parent;
  int64_t start, end;
  uint32_t service, operation, instance;
  uint32_t up;             /* its parent, or SPAN_NONE */
  uint32_t same, last;     /* the next of this id, or SPAN_NONE; of the first: the last of them */
  uint32_t child, sibling; /* the first below it; the next beside it; SPAN_NONE */
  uint32_t row;
  uint8_t kind, status, mark;
  uint8_t walk; /* of break_circles */
  size_t tag_first, tag_count, link_first, link_count;
};

struct builder {
  struct span_store *store;
  struct builder_notes notes;
  bool drops_ids;
  VECTOR(char) trace_id;
  VECTOR(struct entry) entries, sorted;
  VECTOR(const struct entry *) order;
  VECTOR(struct span_tag) tags;
  VECTOR(struct slice) links;
  struct index index; /* of `sorted`: the earliest of each id */
  VECTOR(struct skew_span) clocks;
  VECTOR(uint32_t) trees; /* by entry: the one it hangs on in its process */
  VECTOR(bool) fine;      /* by entry that others hang on: one of these is not cut */
  struct skew_notes skew;
};

/* By start, end, id, and then whatever tells two apart; of pointers to entries of one array. */
int builder_compare_entries(const void *a, const void *b);

/* Fills `index` and `same` from the entries sorted. */
void builder_index_ids(struct builder *builder);

/* ---- builder_clock.c */

/* The earliest of the longest without a parent; parents are known. Of those that name a parent
 * which was lost only when all do. */
uint32_t builder_find_root(const struct builder *builder);

/* ---- builder_grain.c */

/* Marks what a coarse clock cut (SPAN_CUT, SPAN_TIED); parents are known, and clocks as recorded.
 */
void builder_find_grain(struct builder *builder);

/* ---- builder_clock.c */

/* Puts the clocks of hosts right and the entries in the order of their new starts. */
void builder_correct_clocks(struct builder *builder);

#endif
