/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/evaluate/compose.h"

#include "base/memory.h"
#include "dist/evaluate/compose_tree.h"
#include "dist/survival/combine.h"
#include "dist/survival/order.h"
#include "dist/survival/retry.h"
#include "dist/survival/sum.h"

size_t compose_name_count(const struct compose *compose) {
  return compose->names.count;
}

const char *compose_name(const struct compose *compose, size_t i) {
  return compose->names.data[i];
}

/* --- predicted rounding ------------------------------------------------------------------------
 */

static uint64_t add_capped(uint64_t x, uint64_t y) {
  return x > UINT64_MAX - y ? UINT64_MAX : x + y;
}

static uint64_t times_capped(uint64_t x, uint64_t y) {
  return y != 0 && x > UINT64_MAX / y ? UINT64_MAX : x * y;
}

static void raise_cost(struct evaluate_cost *cost, struct evaluate_cost other) {
  cost->depth = cost->depth > other.depth ? cost->depth : other.depth;
  cost->addends = cost->addends > other.addends ? cost->addends : other.addends;
}

static struct evaluate_cost cost_of(const struct compose_node *node);

/* As add_parts goes: one part to the next, the constants last. */
static struct evaluate_cost cost_of_sum(const struct compose_node *node) {
  struct evaluate_cost cost = {0};
  bool empty = true, constant = false;
  for (size_t i = 0; i < node->parts.count; i++) {
    const struct compose_part *part = &node->parts.data[i];
    struct evaluate_cost own = cost_of(part->node);
    if (part->node->kind == COMPOSE_CONSTANT) {
      constant = true;
      continue;
    }
    own.depth += sum_many_depth(part->copies);
    own.addends = times_capped(own.addends, part->copies);
    cost.depth = (cost.depth > own.depth ? cost.depth : own.depth) + !empty;
    cost.addends = add_capped(cost.addends, own.addends);
    empty = false;
  }
  cost.depth += constant;
  cost.addends = add_capped(cost.addends, constant);
  return cost;
}

static struct evaluate_cost cost_of(const struct compose_node *node) {
  const struct evaluate_cost one = {.depth = 1, .addends = 1};
  struct evaluate_cost cost = {0};
  if (node->kind == COMPOSE_NAME)
    return (struct evaluate_cost){.depth = 0, .addends = 1};
  if (node->kind == COMPOSE_CONSTANT)
    return one;
  if (node->kind == COMPOSE_SUM)
    return cost_of_sum(node);
  for (size_t i = 0; i < node->parts.count; i++) {
    struct evaluate_cost own = cost_of(node->parts.data[i].node);
    /* A second law of a time limit is shifted by it. */
    bool shifted = node->kind == COMPOSE_TIMEOUT && i == 1;
    own.depth += shifted;
    own.addends = add_capped(own.addends, shifted);
    raise_cost(&cost, own);
  }
  if (node->kind == COMPOSE_SCALE) {
    int64_t factor = 0;
    bool fits = rational_ceil(&factor, &node->value);
    cost.addends = times_capped(cost.addends, fits ? (uint64_t)factor : UINT64_MAX);
  }
  if (node->kind == COMPOSE_SCALE || node->kind == COMPOSE_RETRY) {
    cost.depth++;
    cost.addends = add_capped(cost.addends, 1);
  }
  if (node->kind == COMPOSE_CAP)
    raise_cost(&cost, one);
  return cost;
}

struct evaluate_cost compose_cost(const struct compose *compose) {
  return cost_of(compose->root);
}

/* --- evaluation --------------------------------------------------------------------------------
 */

struct composition {
  const struct compose_laws *laws;
  struct text *message;
};

static enum status evaluate(struct survival *z, const struct compose_node *node,
                            struct composition *e);

static void init_like(struct survival *s, const struct survival *like) {
  survival_init_side(s, &like->grid, like->side);
}

static enum status find(struct survival *z, const char *name, struct composition *e) {
  const struct survival *law = NULL;
  enum status status = e->laws->find(e->laws->context, &law, name, e->message);
  if (status == STATUS_OK)
    survival_set(z, law);
  return status;
}

/* The laws of all parts, each once; NULL when one is missing. */
static struct survival *evaluate_parts(enum status *status, const struct survival *like,
                                       const struct compose_node *node, struct composition *e) {
  struct survival *laws = mem_alloc(node->parts.count, sizeof *laws);
  size_t made = 0;
  for (*status = STATUS_OK; made < node->parts.count && *status == STATUS_OK; made++) {
    init_like(&laws[made], like);
    *status = evaluate(&laws[made], node->parts.data[made].node, e);
  }
  if (*status == STATUS_OK)
    return laws;
  while (made > 0)
    survival_clear(&laws[--made]);
  mem_free(laws);
  return NULL;
}

static void clear_parts(struct survival *laws, const struct compose_node *node) {
  for (size_t i = 0; i < node->parts.count; i++)
    survival_clear(&laws[i]);
  mem_free(laws);
}

/* Constants together, so that they are rounded once. */
static void add_parts(struct survival *z, const struct survival *laws,
                      const struct compose_node *node) {
  struct survival part;
  struct rational constant;
  rational_init(&constant);
  init_like(&part, z);
  bool empty = true;
  for (size_t i = 0; i < node->parts.count; i++) {
    uint64_t copies = node->parts.data[i].copies;
    const struct compose_node *addend = node->parts.data[i].node;
    if (addend->kind == COMPOSE_CONSTANT) {
      struct rational many;
      rational_init(&many);
      rational_set_integer(&many, (int64_t)copies);
      rational_mul(&many, &many, &addend->value);
      rational_add(&constant, &constant, &many);
      rational_clear(&many);
      continue;
    }
    survival_add_many(&part, &laws[i], copies);
    if (empty)
      survival_set(z, &part);
    else
      survival_add(z, z, &part);
    empty = false;
  }
  if (empty)
    survival_constant(z, &constant);
  else
    survival_shift(z, z, &constant);
  survival_clear(&part);
  rational_clear(&constant);
}

static void extreme_of_parts(struct survival *z, const struct survival *laws,
                             const struct compose_node *node) {
  struct survival part;
  init_like(&part, z);
  for (size_t i = 0; i < node->parts.count; i++) {
    bool max = node->kind == COMPOSE_MAX;
    struct survival *to = i == 0 ? z : &part;
    (max ? survival_max_many : survival_min_many)(to, &laws[i], node->parts.data[i].copies);
    if (i > 0)
      (max ? survival_max : survival_min)(z, z, &part);
  }
  survival_clear(&part);
}

static void rank_of_parts(struct survival *z, const struct survival *laws,
                          const struct compose_node *node) {
  struct copies *copies = mem_alloc(node->parts.count, sizeof *copies);
  for (size_t i = 0; i < node->parts.count; i++)
    copies[i] = (struct copies){&laws[i], node->parts.data[i].copies};
  survival_kth(z, copies, node->parts.count, node->number);
  mem_free(copies);
}

static void mix_parts(struct survival *z, const struct survival *laws,
                      const struct compose_node *node) {
  size_t count = node->parts.count;
  const struct survival **parts = mem_alloc(count, sizeof *parts);
  uint64_t *weights = mem_alloc(count, sizeof *weights);
  for (size_t i = 0; i < count; i++) {
    parts[i] = &laws[i];
    weights[i] = node->parts.data[i].weight;
  }
  survival_mix(z, parts, weights, count);
  mem_free(weights);
  mem_free(parts);
}

/* --- time limits -------------------------------------------------------------------------------
 */

static bool late_of(uint64_t *late, const struct compose_node *node, const struct rational *limit,
                    const struct composition *e, enum survival_side side);

static void combine(struct survival *z, const struct survival *laws,
                    const struct compose_node *node);

/* Operations that ask of their parts only what exceeds the same value: on a grid of any two points
 * that have the same tails. */
static bool late_of_parts(uint64_t *late, const struct compose_node *node,
                          const struct rational *limit, const struct composition *e,
                          enum survival_side side) {
  const struct grid any = {.points = 2};
  struct survival *laws = mem_alloc(node->parts.count, sizeof *laws), z;
  survival_init_side(&z, &any, side);
  bool known = true;
  for (size_t i = 0; i < node->parts.count; i++) {
    survival_init_side(&laws[i], &any, side);
    known = known && late_of(&laws[i].tail[0], node->parts.data[i].node, limit, e, side);
    laws[i].tail[1] = laws[i].tail[0];
  }
  if (known)
    combine(&z, laws, node);
  *late = z.tail[0];
  clear_parts(laws, node);
  survival_clear(&z);
  return known;
}

/* One draw and constants. */
static bool late_of_sum(uint64_t *late, const struct compose_node *node,
                        const struct rational *limit, const struct composition *e,
                        enum survival_side side) {
  const struct compose_node *draw = NULL;
  struct rational left, part;
  rational_init(&left);
  rational_init(&part);
  rational_set(&left, limit);
  bool known = true;
  for (size_t i = 0; i < node->parts.count; i++) {
    const struct compose_part *addend = &node->parts.data[i];
    if (addend->node->kind == COMPOSE_CONSTANT) {
      rational_set_integer(&part, (int64_t)addend->copies);
      rational_mul(&part, &part, &addend->node->value);
      rational_sub(&left, &left, &part);
    } else {
      known = known && draw == NULL && addend->copies == 1;
      draw = addend->node;
    }
  }
  if (rational_sign(&left) < 0)
    *late = SURVIVAL_ONE;
  else if (draw == NULL)
    *late = 0;
  else
    known = known && late_of(late, draw, &left, e, side);
  rational_clear(&part);
  rational_clear(&left);
  return known;
}

static bool late_of_scaled(uint64_t *late, const struct compose_node *node,
                           const struct rational *limit, const struct composition *e,
                           enum survival_side side) {
  if (rational_sign(&node->value) <= 0)
    return false;
  struct rational part;
  rational_init(&part);
  rational_div(&part, limit, &node->value);
  bool known = late_of(late, node->parts.data[0].node, &part, e, side);
  rational_clear(&part);
  return known;
}

/* A bound of the chance that the node exceeds the limit >= 0, from what names say of themselves;
 * false when it takes the law on the grid. */
static bool late_of(uint64_t *late, const struct compose_node *node, const struct rational *limit,
                    const struct composition *e, enum survival_side side) {
  switch (node->kind) {
  case COMPOSE_NAME:
    if (e->laws->above == NULL)
      return false;
    *late = e->laws->above(e->laws->context, node->name, survival_whole(SIDE_LOWER, limit), side);
    return true;
  case COMPOSE_CONSTANT:
    *late = rational_compare(&node->value, limit) > 0 ? SURVIVAL_ONE : 0;
    return true;
  case COMPOSE_NEVER:
    *late = SURVIVAL_ONE;
    return true;
  case COMPOSE_SCALE:
    return late_of_scaled(late, node, limit, e, side);
  case COMPOSE_SUM:
    return late_of_sum(late, node, limit, e, side);
  case COMPOSE_MAX:
  case COMPOSE_MIN:
  case COMPOSE_KTH:
  case COMPOSE_MIX:
    return late_of_parts(late, node, limit, e, side);
  case COMPOSE_CAP:
    *late = 0;
    return rational_compare(&node->value, limit) <= 0 ||
           late_of(late, node->parts.data[0].node, limit, e, side);
  case COMPOSE_TIMEOUT:
  case COMPOSE_RETRY:
    return false;
  }
  return false;
}

/* The chance that an attempt, whose law on the grid is x, is late. */
static uint64_t chance_of_late(const struct survival *x, const struct compose_node *node,
                               const struct composition *e) {
  uint64_t late;
  bool known = late_of(&late, node->parts.data[0].node, &node->value, e, x->side);
  return known ? late : survival_late(x, &node->value);
}

/* --- operations --------------------------------------------------------------------------------
 */

static void combine_limited(struct survival *z, const struct survival *laws,
                            const struct compose_node *node, const struct composition *e) {
  uint64_t late = chance_of_late(&laws[0], node, e);
  if (node->kind == COMPOSE_TIMEOUT)
    survival_timeout_late(z, &laws[0], late, &node->value,
                          node->parts.count == 2 ? &laws[1] : NULL);
  else
    survival_retry_late(z, &laws[0], late, &node->value, &node->pause, node->number, node->wait);
}

static void combine(struct survival *z, const struct survival *laws,
                    const struct compose_node *node) {
  switch (node->kind) {
  case COMPOSE_NAME:
    bug("a name without a law");
  case COMPOSE_CONSTANT:
    survival_constant(z, &node->value);
    break;
  case COMPOSE_NEVER:
    for (size_t k = 0; k < grid_count(&z->grid); k++)
      z->tail[k] = SURVIVAL_ONE;
    break;
  case COMPOSE_SCALE:
    survival_scale(z, &laws[0], &node->value);
    break;
  case COMPOSE_SUM:
    add_parts(z, laws, node);
    break;
  case COMPOSE_MAX:
  case COMPOSE_MIN:
    extreme_of_parts(z, laws, node);
    break;
  case COMPOSE_KTH:
    rank_of_parts(z, laws, node);
    break;
  case COMPOSE_MIX:
    mix_parts(z, laws, node);
    break;
  case COMPOSE_CAP:
    survival_cap(z, &laws[0], &node->value);
    break;
  case COMPOSE_TIMEOUT:
  case COMPOSE_RETRY:
    bug("a time limit without the chance to be late");
  }
}

static enum status evaluate(struct survival *z, const struct compose_node *node,
                            struct composition *e) {
  if (node->kind == COMPOSE_NAME)
    return find(z, node->name, e);
  enum status status;
  struct survival *laws = evaluate_parts(&status, z, node, e);
  if (laws == NULL)
    return status;
  if (node->kind == COMPOSE_TIMEOUT || node->kind == COMPOSE_RETRY)
    combine_limited(z, laws, node, e);
  else
    combine(z, laws, node);
  clear_parts(laws, node);
  return STATUS_OK;
}

enum status compose_survival(struct survival *result, const struct compose *compose,
                             const struct compose_laws *laws, struct ledger *ledger,
                             struct text *message) {
  struct composition e = {laws, message};
  struct survival z;
  init_like(&z, result);
  enum status status = evaluate(&z, compose->root, &e);
  if (status == STATUS_OK)
    survival_set(result, &z);
  survival_clear(&z);
  if (status != STATUS_OK || ledger == NULL)
    return status;
  ledger_note(ledger, LEDGER_DIST,
              "each mention of a law in %s is a draw of its own, independent of the others",
              compose->expression);
  for (size_t i = 0; i < compose->nodes.count; i++)
    if (compose->nodes.data[i]->kind == COMPOSE_CAP)
      ledger_add(ledger, LEDGER_DIST, "what is capped in %s ends by its cap in any case",
                 compose->expression);
    else if (compose->nodes.data[i]->kind == COMPOSE_TIMEOUT ||
             compose->nodes.data[i]->kind == COMPOSE_RETRY)
      ledger_add(ledger, LEDGER_DIST,
                 "an attempt given up at its limit in %s takes no longer than the limit, and slows "
                 "down nothing that follows",
                 compose->expression);
  return STATUS_OK;
}
