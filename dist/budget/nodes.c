/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/budget/nodes.h"

#include "base/hash.h"
#include "base/memory.h"

/* --- nodes ------------------------------------------------------------------------------------ */

static size_t known(const struct budget_nodes *terms, const struct expression *e) {
  for (struct index_look look = index_look(&terms->index, hash_address(e)); index_next(&look);)
    if (terms->nodes.data[look.row].of == e)
      return look.row;
  return SIZE_MAX;
}

static enum status refuse(const struct expression *e, struct text *message) {
  if (e->kind == EXPRESSION_BARE)
    text_format(message,
                "the bound names %s without saying which occurrence, so nothing says how often a "
                "promise of it is needed; name the occurrences in the bound",
                e->component);
  else
    text_append(message,
                "the bound subtracts a time: a part that is faster makes it larger, so no promise "
                "of parts suffices; bound the time from the request on");
  return STATUS_USAGE;
}

static enum budget_node_kind kind_of(const struct expression *e) {
  static const enum budget_node_kind kinds[] = {[EXPRESSION_CONSTANT] = BUDGET_CONSTANT,
                                                [EXPRESSION_OCCURRENCE] = BUDGET_OCCURRENCE,
                                                [EXPRESSION_ADD] = BUDGET_ADD,
                                                [EXPRESSION_SCALE] = BUDGET_SCALE,
                                                [EXPRESSION_MAX] = BUDGET_MAX,
                                                [EXPRESSION_MIN] = BUDGET_KTH,
                                                [EXPRESSION_KTH] = BUDGET_KTH};
  return kinds[e->kind];
}

static enum status make(struct budget_nodes *terms, const struct expression *e, size_t *at,
                        struct text *message) {
  *at = known(terms, e);
  if (*at != SIZE_MAX)
    return STATUS_OK;
  bool numbered = e->kind == EXPRESSION_CONSTANT || e->kind == EXPRESSION_SCALE;
  if (e->kind == EXPRESSION_BARE || (numbered && rational_sign(&e->value) < 0))
    return refuse(e, message);
  size_t *children = mem_alloc(e->count + 1, sizeof *children);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < e->count && status == STATUS_OK; i++)
    status = make(terms, e->parts[i], &children[i], message);
  struct budget_node term = {.kind = kind_of(e), .of = e, .first = terms->children.count};
  term.value = numbered ? rational_double(&e->value) : 0;
  term.rank = e->kind == EXPRESSION_KTH ? (size_t)e->rank : 1;
  term.quorum = term.kind == BUDGET_KTH ? terms->quorum_count++ : 0;
  for (; term.count < e->count && status == STATUS_OK; term.count++)
    vector_push(&terms->children, children[term.count]);
  mem_free(children);
  *at = terms->nodes.count;
  index_add(&terms->index, hash_address(e), (uint32_t)*at);
  vector_push(&terms->nodes, term);
  return status;
}

/* --- sets ------------------------------------------------------------------------------------- */

static void set_bit(uint64_t *bits, size_t i) {
  bits[i / 64] |= UINT64_C(1) << i % 64;
}

static bool meet(const struct budget_nodes *terms, const uint64_t *bits, const uint64_t *other) {
  for (size_t w = 0; w < terms->words; w++)
    if ((bits[w] & other[w]) != 0)
      return true;
  return false;
}

static void find_set(struct budget_nodes *terms, struct budget_node *term) {
  uint64_t *all = arena_alloc(&terms->arena, terms->words, sizeof *all);
  uint64_t *shared = arena_alloc(&terms->arena, terms->words, sizeof *shared);
  uint64_t *events = arena_alloc(&terms->arena, terms->words, sizeof *events);
  for (size_t i = 0; i < term->count; i++) {
    const struct budget_node *child = &terms->nodes.data[terms->children.data[term->first + i]];
    term->has_kth |= child->has_kth;
    for (size_t w = 0; w < terms->words; w++) {
      shared[w] |= all[w] & child->all[w];
      all[w] |= child->all[w];
      events[w] |= term->kind == BUDGET_KTH ? 0 : child->events[w];
    }
  }
  if (term->kind == BUDGET_OCCURRENCE) {
    term->occurrence = term->of->occurrence->id;
    term->part = terms->part_of[term->occurrence];
    set_bit(all, term->occurrence);
    set_bit(events, term->occurrence);
  }
  for (size_t i = 0; i < term->count && term->kind == BUDGET_KTH; i++) {
    const struct budget_node *child = &terms->nodes.data[terms->children.data[term->first + i]];
    term->is_entangled |= child->has_kth && meet(terms, shared, child->all);
  }
  if (term->kind == BUDGET_KTH) {
    term->has_kth = true;
    set_bit(all, terms->occurrence_count + term->quorum);
    set_bit(events, terms->occurrence_count + term->quorum);
  }
  for (size_t w = 0; w < terms->words && term->kind == BUDGET_KTH; w++)
    term->has_shared |= shared[w] != 0;
  term->all = all;
  term->events = events;
  term->shared = shared;
}

enum status budget_nodes_make(struct budget_nodes *terms, const struct expression *expression,
                              size_t occurrence_count, const size_t *part_of,
                              struct text *message) {
  *terms = (struct budget_nodes){.occurrence_count = occurrence_count, .part_of = part_of};
  arena_init(&terms->arena);
  size_t root = 0;
  enum status status = make(terms, expression, &root, message);
  terms->words = (occurrence_count + terms->quorum_count) / 64 + 1;
  for (size_t n = 0; n < terms->nodes.count && status == STATUS_OK; n++)
    find_set(terms, &terms->nodes.data[n]);
  return status;
}

void budget_nodes_clear(struct budget_nodes *terms) {
  vector_clear(&terms->nodes);
  vector_clear(&terms->children);
  index_clear(&terms->index);
  arena_clear(&terms->arena);
}

size_t budget_nodes_count_of(const struct budget_nodes *terms, size_t part) {
  const uint64_t *all = terms->nodes.data[terms->nodes.count - 1].all;
  size_t count = 0;
  for (size_t i = 0; i < terms->occurrence_count; i++)
    count += terms->part_of[i] == part && bits_have(all, i);
  return count;
}
