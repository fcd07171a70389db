/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/evaluate/row.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/text.h"

__extension__ typedef unsigned __int128 wide;

struct row_step {
  enum expression_kind kind;
  uint32_t leaf;                   /* of an occurrence or a bare name */
  uint32_t first, count;           /* of the parts */
  uint32_t rank;                   /* of an order statistic */
  struct row_value constant;       /* of a constant */
  bool fixed;                      /* nothing measured is in it */
  uint64_t numerator, denominator; /* of a multiple */
};

/* The step of a node that was met before. Nodes with bare names in them are not remembered: each
 * mention is a draw of its own. */
struct known {
  const struct expression *node;
  uint32_t step;
};

struct building {
  struct row_program *program;
  VECTOR(struct known) known;
  struct index index;       /* of `known` by node */
  VECTOR(uint32_t) leaf_of; /* by occurrence id: leaf + 1, or 0 */
  const char *why;          /* not NULL: it failed */
};

static uint32_t add_step(struct building *b, struct row_step step) {
  if (b->program->steps.count == ROW_STEPS_MAX)
    b->why = "the expression is too large";
  else
    vector_push(&b->program->steps, step);
  return (uint32_t)(b->program->steps.count - 1);
}

static uint32_t add_leaf(struct building *b, const struct expression *node) {
  struct row_leaf leaf = {node->occurrence, node->component};
  if (node->kind == EXPRESSION_OCCURRENCE)
    leaf.component = node->occurrence->component;
  vector_push(&b->program->leaves, leaf);
  return (uint32_t)(b->program->leaves.count - 1);
}

static uint32_t leaf_of(struct building *b, const struct expression *node) {
  size_t id = node->occurrence->id;
  while (b->leaf_of.count <= id)
    vector_push(&b->leaf_of, 0);
  if (b->leaf_of.data[id] == 0)
    b->leaf_of.data[id] = add_leaf(b, node) + 1;
  return b->leaf_of.data[id] - 1;
}

static uint32_t build(struct building *b, const struct expression *node, bool *bare);

static uint32_t add_combined(struct building *b, const struct row_step *kind, const uint32_t *parts,
                             size_t count) {
  struct row_step step = *kind;
  step.first = (uint32_t)b->program->parts.count;
  step.count = (uint32_t)count;
  step.fixed = true;
  for (size_t i = 0; i < count && b->why == NULL; i++) {
    vector_push(&b->program->parts, parts[i]);
    step.fixed &= b->program->steps.data[parts[i]].fixed;
  }
  return add_step(b, step);
}

/* k*C of a bare name: k draws that are added up. */
static uint32_t build_draws(struct building *b, const struct expression *node) {
  int64_t copies = 0;
  const struct expression *part = node->parts[0];
  if (!rational_is_integer(&node->value) || !rational_floor(&copies, &node->value) ||
      copies > ROW_STEPS_MAX) {
    b->why = "it has a multiple of a name without an index";
    return 0;
  }
  VECTOR(uint32_t) parts = {0};
  for (int64_t i = 0; i < copies && b->why == NULL; i++)
    vector_push(&parts,
                add_step(b, (struct row_step){.kind = EXPRESSION_BARE, .leaf = add_leaf(b, part)}));
  uint32_t step =
      add_combined(b, &(struct row_step){.kind = EXPRESSION_ADD}, parts.data, parts.count);
  vector_clear(&parts);
  return step;
}

/* A fraction of two numbers that fit; else the program has no value. */
static bool read_factor(struct row_step *step, const struct rational *factor) {
  struct text text;
  text_init(&text);
  rational_print(&text, factor);
  char *end = NULL, *rest = NULL;
  const char *digits = text_get(&text);
  bool good = strlen(digits) < 38 && digits[0] != '-';
  if (good) {
    step->numerator = strtoull(digits, &end, 10);
    step->denominator = *end == '/' ? strtoull(end + 1, &rest, 10) : 1;
    good = step->numerator <= INT64_MAX && step->denominator <= INT64_MAX &&
           step->denominator != 0 && (*end == '\0' || (rest != NULL && *rest == '\0'));
  }
  text_clear(&text);
  return good;
}

static uint32_t build_multiple(struct building *b, const struct expression *node, bool *bare) {
  if (node->parts[0]->kind == EXPRESSION_BARE) {
    *bare = true;
    return build_draws(b, node);
  }
  struct row_step step = {.kind = EXPRESSION_SCALE};
  bool drawn = false;
  uint32_t part = build(b, node->parts[0], &drawn);
  if (b->why == NULL && drawn)
    b->why = "it has a multiple of names without an index";
  else if (b->why == NULL && !read_factor(&step, &node->value))
    b->why = "it has a factor that does not fit 63 bits";
  return add_combined(b, &step, &part, 1);
}

static uint32_t build_parts(struct building *b, const struct expression *node, bool *bare) {
  VECTOR(uint32_t) parts = {0};
  for (size_t i = 0; i < node->count && b->why == NULL; i++)
    vector_push(&parts, build(b, node->parts[i], bare));
  struct row_step step = {.kind = node->kind, .rank = (uint32_t)node->rank};
  uint32_t made = add_combined(b, &step, parts.data, parts.count);
  vector_clear(&parts);
  return made;
}

static uint32_t build_new(struct building *b, const struct expression *node, bool *bare) {
  switch (node->kind) {
  case EXPRESSION_CONSTANT:
    return add_step(b, (struct row_step){
                           .kind = node->kind, .fixed = true, .constant = row_whole(&node->value)});
  case EXPRESSION_OCCURRENCE:
    return add_step(b, (struct row_step){.kind = node->kind, .leaf = leaf_of(b, node)});
  case EXPRESSION_BARE:
    *bare = true;
    return add_step(b, (struct row_step){.kind = node->kind, .leaf = add_leaf(b, node)});
  case EXPRESSION_SCALE:
    return build_multiple(b, node, bare);
  default:
    return build_parts(b, node, bare);
  }
}

static uint32_t build(struct building *b, const struct expression *node, bool *bare) {
  if (b->why != NULL)
    return 0;
  for (struct index_look look = index_look(&b->index, hash_address(node)); index_next(&look);)
    if (b->known.data[look.row].node == node)
      return b->known.data[look.row].step;
  bool drawn = false;
  uint32_t step = build_new(b, node, &drawn);
  *bare |= drawn;
  if (b->why == NULL && !drawn) {
    index_add(&b->index, hash_address(node), (uint32_t)b->known.count);
    vector_push(&b->known, (struct known){node, step});
  }
  return step;
}

static uint32_t most_parts(const struct row_program *program) {
  uint32_t most = 0;
  for (size_t i = 0; i < program->steps.count; i++)
    if (program->steps.data[i].count > most)
      most = program->steps.data[i].count;
  return most;
}

bool row_program_init(struct row_program *program, const struct expression *expression,
                      const char **why) {
  *program = (struct row_program){0};
  struct building b = {.program = program};
  bool bare = false;
  build(&b, expression, &bare);
  for (size_t i = 0; i < program->steps.count && b.why == NULL; i++)
    vector_push(&program->values, row_absent());
  for (uint32_t i = 0; i < most_parts(program) && b.why == NULL; i++)
    vector_push(&program->scratch, 0);
  vector_clear(&b.known);
  index_clear(&b.index);
  vector_clear(&b.leaf_of);
  *why = b.why;
  return b.why == NULL;
}

void row_program_clear(struct row_program *program) {
  vector_clear(&program->leaves);
  vector_clear(&program->steps);
  vector_clear(&program->parts);
  vector_clear(&program->values);
  vector_clear(&program->scratch);
}

/* --- one row ---------------------------------------------------------------------------------- */

struct row_value row_whole(const struct rational *x_ns) {
  int64_t floor = INT64_MAX, ceil = INT64_MAX;
  if (!rational_floor(&floor, x_ns) || !rational_ceil(&ceil, x_ns))
    floor = ceil = INT64_MAX;
  return (struct row_value){(uint64_t)floor, (uint64_t)ceil};
}

uint64_t row_add(uint64_t x_ns, uint64_t y_ns) {
  return x_ns >= ROW_INFINITE - y_ns ? ROW_INFINITE : x_ns + y_ns;
}

static struct row_value part_of(const struct row_program *p, const struct row_step *step,
                                uint32_t i) {
  return p->values.data[p->parts.data[step->first + i]];
}

/* What it is worth when all that is absent takes no time, and the way back. */
static struct row_value worth_of(struct row_value x) {
  return row_is_absent(x) ? (struct row_value){x.upper_ns, x.lower_ns - 1} : x;
}

static struct row_value as_absent(struct row_value x) {
  return (struct row_value){.lower_ns = x.upper_ns + 1, .upper_ns = x.lower_ns};
}

/* Constants are there in any case, but make nothing present: a part of which every occurrence is
 * absent did not happen. */
static struct row_value add_up(const struct row_program *p, const struct row_step *step) {
  struct row_value sum = {0, 0};
  bool present = step->fixed;
  for (uint32_t i = 0; i < step->count; i++) {
    struct row_value x = part_of(p, step, i), worth = worth_of(x);
    present |= !p->steps.data[p->parts.data[step->first + i]].fixed && !row_is_absent(x);
    sum.lower_ns = row_add(sum.lower_ns, worth.lower_ns);
    sum.upper_ns = row_add(sum.upper_ns, worth.upper_ns);
  }
  return present ? sum : as_absent(sum);
}

static struct row_value largest(const struct row_program *p, const struct row_step *step) {
  struct row_value most = {0, 0};
  bool present = false;
  for (uint32_t i = 0; i < step->count; i++) {
    struct row_value x = part_of(p, step, i), worth = worth_of(x);
    present |= !row_is_absent(x);
    most.lower_ns = worth.lower_ns > most.lower_ns ? worth.lower_ns : most.lower_ns;
    most.upper_ns = worth.upper_ns > most.upper_ns ? worth.upper_ns : most.upper_ns;
  }
  return present ? most : as_absent(most);
}

static int by_value(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

/* The rank-th smallest of the ends; what is absent comes last, unless everything is. */
static uint64_t ranked(struct row_program *p, const struct row_step *step, uint32_t rank,
                       bool upper, bool present) {
  uint64_t *ends = p->scratch.data;
  for (uint32_t i = 0; i < step->count; i++) {
    struct row_value x = part_of(p, step, i), worth = worth_of(x);
    bool last = present && row_is_absent(x);
    ends[i] = last ? ROW_INFINITE : upper ? worth.upper_ns : worth.lower_ns;
  }
  if (rank > 1) {
    qsort(ends, step->count, sizeof *ends, by_value);
    return ends[rank - 1];
  }
  uint64_t least = ends[0];
  for (uint32_t i = 1; i < step->count; i++)
    least = ends[i] < least ? ends[i] : least;
  return least;
}

static struct row_value smallest(struct row_program *p, const struct row_step *step,
                                 uint32_t rank) {
  bool present = false;
  for (uint32_t i = 0; i < step->count; i++)
    present |= !row_is_absent(part_of(p, step, i));
  struct row_value z = {ranked(p, step, rank, false, present),
                        ranked(p, step, rank, true, present)};
  return present ? z : as_absent(z);
}

static uint64_t times(uint64_t x, const struct row_step *step, bool up) {
  if (x == ROW_INFINITE)
    return step->numerator == 0 ? 0 : ROW_INFINITE;
  wide product = (wide)x * step->numerator + (up ? step->denominator - 1 : 0);
  product /= step->denominator;
  return product >= ROW_INFINITE ? ROW_INFINITE : (uint64_t)product;
}

static struct row_value multiple(const struct row_program *p, const struct row_step *step) {
  struct row_value x = part_of(p, step, 0), worth = worth_of(x);
  struct row_value z = {times(worth.lower_ns, step, false), times(worth.upper_ns, step, true)};
  return row_is_absent(x) ? as_absent(z) : z;
}

static struct row_value compute(struct row_program *p, const struct row_step *step,
                                const struct row_value *leaves) {
  switch (step->kind) {
  case EXPRESSION_CONSTANT:
    return step->constant;
  case EXPRESSION_OCCURRENCE:
  case EXPRESSION_BARE:
    return leaves[step->leaf];
  case EXPRESSION_ADD:
    return add_up(p, step);
  case EXPRESSION_SCALE:
    return multiple(p, step);
  case EXPRESSION_MAX:
    return largest(p, step);
  case EXPRESSION_MIN:
    return smallest(p, step, 1);
  case EXPRESSION_KTH:
    return smallest(p, step, step->rank);
  }
  bug("a step of no kind");
}

struct row_value row_evaluate(struct row_program *program, const struct row_value *leaves) {
  for (size_t i = 0; i < program->steps.count; i++)
    program->values.data[i] = compute(program, &program->steps.data[i], leaves);
  return program->values.data[program->steps.count - 1];
}
