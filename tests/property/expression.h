/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests/property/protocols.c: the generator's random numbers, the times it knows of as
 * expressions, and mistakes made in them.
 */
#ifndef TESTS_PROPERTY_EXPRESSION_H
#define TESTS_PROPERTY_EXPRESSION_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"

enum { STAGES_MAX = 5, EXPRESSIONS_MAX = 400 };

/* --- expressions ------------------------------------------------------------------------------ */

enum shape { SHAPE_LEAF, SHAPE_SUM, SHAPE_OVER };

/* The time at which something happens; `@` in a leaf stands for the member of the family. */
struct time_of {
  enum shape shape;
  const char *word; /* of OVER: max, min, sum; or what stands before a kth's variable */
  const char *family;
  char name[16], index[24]; /* of LEAF: C3 and [@]; d and (M3(@)) */
  size_t count;
  struct time_of *parts[2];
};

enum index_kind { INDEX_NONE, INDEX_MEMBER, INDEX_INT };

struct stage {
  const char *role;      /* who acts */
  enum index_kind index; /* of the message it receives; of the first stage NONE */
  const char *family;
  int number;
  bool joins, to_first; /* waits for all; the message goes to the first node of a family */
  bool repeated;        /* its cost is of a repeated component, and its node an index of none */
  int enough;           /* of a join of g: how many it waits for */
  struct time_of *sent; /* when the message it receives was sent */
};

struct generator {
  struct random random;
  struct text text;
  struct time_of pool[EXPRESSIONS_MAX];
  size_t used, stage_count;
  struct stage stages[STAGES_MAX + 1]; /* the last is who hears the end */
  bool queueing;
  const char *timing;
  bool scheduled, polls, checks; /* role q: a strict loop; it polls; it reads its clock */
  bool chooses;                  /* the first step */
};

static size_t below(struct generator *g, size_t count) {
  return (size_t)(random_bits(&g->random) % count);
}

static bool chance(struct generator *g, size_t percent) {
  return below(g, 100) < percent;
}

static struct time_of *new_expression(struct generator *g, enum shape shape) {
  if (g->used == EXPRESSIONS_MAX)
    bug("a generated expression is too large");
  g->pool[g->used] = (struct time_of){.shape = shape};
  return &g->pool[g->used++];
}

static struct time_of *leaf(struct generator *g, const char *name, const char *index) {
  struct time_of *e = new_expression(g, SHAPE_LEAF);
  snprintf(e->name, sizeof e->name, "%s", name);
  snprintf(e->index, sizeof e->index, "%s", index);
  return e;
}

static struct time_of *plus(struct generator *g, struct time_of *a, struct time_of *b) {
  if (a == NULL || b == NULL)
    return a == NULL ? b : a;
  struct time_of *e = new_expression(g, SHAPE_SUM);
  e->count = 2;
  e->parts[0] = a;
  e->parts[1] = b;
  return e;
}

static struct time_of *over(struct generator *g, const char *word, const char *family,
                            struct time_of *body) {
  struct time_of *e = new_expression(g, SHAPE_OVER);
  e->word = word;
  e->family = family;
  e->count = 1;
  e->parts[0] = body;
  return e;
}

static struct time_of *copy(struct generator *g, const struct time_of *from) {
  struct time_of *e = new_expression(g, from->shape);
  *e = *from;
  for (size_t i = 0; i < from->count; i++)
    e->parts[i] = copy(g, from->parts[i]);
  return e;
}

static void print(struct text *text, const struct time_of *e, const char *member, int depth) {
  char inner[8];
  switch (e->shape) {
  case SHAPE_LEAF:
    text_append(text, e->name);
    for (const char *at = e->index; *at != '\0'; at++)
      if (*at == '@')
        text_append(text, member);
      else
        text_append_bytes(text, at, 1);
    return;
  case SHAPE_SUM:
    print(text, e->parts[0], member, 2 * depth);
    text_append(text, " + ");
    print(text, e->parts[1], member, 2 * depth + 1);
    return;
  case SHAPE_OVER:
    snprintf(inner, sizeof inner, "y%d", depth % 1000);
    text_format(text, "%s %s in %s (", e->word, inner, e->family);
    print(text, e->parts[0], inner, 2 * depth);
    text_append(text, strchr(e->word, '(') == NULL ? ")" : "))");
    return;
  }
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void list_parts(struct time_of *e, enum shape shape, struct time_of **list, size_t *count) {
  if (e->shape == shape)
    list[(*count)++] = e;
  for (size_t i = 0; i < e->count; i++)
    list_parts(e->parts[i], shape, list, count);
}

static struct time_of *pick(struct generator *g, struct time_of *e, enum shape shape) {
  struct time_of *list[EXPRESSIONS_MAX];
  size_t count = 0;
  list_parts(e, shape, list, &count);
  return count == 0 ? NULL : list[below(g, count)];
}

/* Of the sums that end in a wait, one loses it. */
static void forget_wait(struct generator *g, struct time_of *e) {
  struct time_of *list[EXPRESSIONS_MAX];
  size_t count = 0, waits = 0;
  list_parts(e, SHAPE_SUM, list, &count);
  for (size_t i = 0; i < count; i++)
    if (list[i]->parts[1]->shape == SHAPE_LEAF && strcmp(list[i]->parts[1]->name, "Q") == 0)
      list[waits++] = list[i];
  if (waits == 0)
    return;
  struct time_of *sum = list[below(g, waits)];
  *sum = *sum->parts[0];
}

/* Some of these keep a true bound true: doubling, a sum for a maximum, a bare name. */
static void change(struct generator *g, struct time_of *e) {
  struct time_of *part = pick(g, e, SHAPE_LEAF), *other = pick(g, e, SHAPE_LEAF);
  struct time_of *family = pick(g, e, SHAPE_OVER), *sum = pick(g, e, SHAPE_SUM);
  switch (below(g, 9)) {
  case 0: /* drop */
    if (sum != NULL)
      *sum = *sum->parts[below(g, 2)];
    return;
  case 2: /* double */
    *part = *plus(g, copy(g, part), copy(g, part));
    return;
  case 3:
    if (family != NULL && family->family[0] == 'g' && chance(g, 60))
      family->word = chance(g, 50) ? "kth(1," : "kth(2,";
    else if (family != NULL)
      family->word = "min";
    return;
  case 4:
    if (family != NULL)
      family->word = "sum";
    return;
  case 5:
    if (part->index[0] != '\0')
      part->index[0] = '\0';
    return;
  case 6: /* another name with the same index */
    if (strchr(part->index, '(') == NULL && strcmp(part->index, other->index) == 0)
      memcpy(part->name, other->name, sizeof part->name);
    return;
  default: /* nobody waits */
    forget_wait(g, e);
    return;
  }
}

#endif
