/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/time.h"

#include "solver/encode/encode.h"

enum { EXPAND_MAX = 3 };

typedef VECTOR(const struct term *) addends;

static void split(addends *list, const struct term *t) {
  if (t == NULL || (t->kind == TERM_TIME && rational_sign(&t->value) == 0))
    return;
  if (t->kind == TERM_ADD) {
    split(list, t->args[0]);
    split(list, t->args[1]);
    return;
  }
  vector_push(list, t);
}

static const struct term *joined(struct term_maker *m, addends *list) {
  const struct term *t = NULL;
  for (size_t i = 0; i < list->count; i++)
    t = t == NULL ? list->data[i] : maker_pair(m, TERM_ADD, TYPE_TIME, t, list->data[i]);
  vector_clear(list);
  return t;
}

static const struct term *instance(struct term_maker *m, const struct term *body,
                                   const struct variable *k, const struct term *value) {
  struct replacement with = {maker_mention(m, k), value};
  return integer_tidy(m, term_replace(m, body, &with, 1));
}

static const struct term *range_sum(struct term_maker *m, const struct term *low,
                                    const struct term *high, const struct variable *k,
                                    const struct term *body) {
  const struct variable *v = maker_range(m, "k", low, high);
  const struct term *inside = instance(m, body, k, maker_mention(m, v));
  struct term *t = maker_term(m, TERM_SUM_OVER, TYPE_TIME, &inside, 1);
  t->variable_count = 1;
  t->variables = arena_copy(m->arena, &v, 1, sizeof v);
  return t;
}

static bool is_range(const struct term *t) {
  return t->kind == TERM_SUM_OVER && t->variables[0]->domain == DOMAIN_RANGE &&
         t->variables[0]->type.kind == TYPE_INT;
}

/* The sum one longer at an end when the occurrence is what comes next there; else NULL. */
static const struct term *extended(struct term_maker *m, const struct term *sum,
                                   const struct term *one) {
  const struct variable *k = sum->variables[0];
  const struct term *before = integer_plus(m, k->low, -1), *behind = integer_plus(m, k->high, 1);
  if (term_equal(instance(m, sum->args[0], k, behind), one))
    return range_sum(m, k->low, behind, k, sum->args[0]);
  if (term_equal(instance(m, sum->args[0], k, before), one))
    return range_sum(m, before, k->high, k, sum->args[0]);
  return NULL;
}

/* Short sums of known length become what they are sums of. */
static void expand(struct term_maker *m, addends *list) {
  addends result = {0};
  for (size_t i = 0; i < list->count; i++) {
    const struct term *t = list->data[i];
    int64_t length = 0;
    bool known =
        is_range(t) && integer_difference(m, t->variables[0]->high, t->variables[0]->low, &length);
    if (!known || length >= EXPAND_MAX) {
      vector_push(&result, t);
      continue;
    }
    for (int64_t j = 0; j <= length; j++)
      vector_push(&result, instance(m, t->args[0], t->variables[0],
                                    integer_plus(m, t->variables[0]->low, j)));
  }
  vector_clear(list);
  *list = result;
}

static void drop(addends *list, size_t i) {
  for (size_t j = i + 1; j < list->count; j++)
    list->data[j - 1] = list->data[j];
  list->count--;
}

static bool absorb_one(struct term_maker *m, addends *list) {
  for (size_t i = 0; i < list->count; i++)
    for (size_t j = 0; is_range(list->data[i]) && j < list->count; j++) {
      const struct term *longer =
          is_range(list->data[j]) ? NULL : extended(m, list->data[i], list->data[j]);
      if (longer == NULL)
        continue;
      list->data[i] = longer;
      drop(list, j);
      return true;
    }
  return false;
}

static const struct term *normal(struct term_maker *m, addends *list) {
  expand(m, list);
  while (absorb_one(m, list))
    ;
  return joined(m, list);
}

const struct term *time_plus(struct term_maker *m, const struct term *a, const struct term *b) {
  addends list = {0};
  split(&list, a);
  split(&list, b);
  return normal(m, &list);
}

const struct term *time_tidy(struct term_maker *m, const struct term *t) {
  addends list = {0}, result = {0};
  split(&list, t);
  for (size_t i = 0; i < list.count; i++) {
    const struct term *a = list.data[i];
    if (is_range(a)) {
      const struct variable *k = a->variables[0];
      a = range_sum(m, integer_plus(m, k->low, 0), integer_plus(m, k->high, 0), k, a->args[0]);
    }
    vector_push(&result, integer_tidy(m, a));
  }
  vector_clear(&list);
  return normal(m, &result);
}

/* c when k occurs in the indices of the occurrence as k + c, and nowhere else. */
static bool offset_of(struct term_maker *m, const struct term *t, const struct variable *k,
                      int64_t *offset) {
  bool found = false;
  if (t->kind != TERM_OCCURRENCE && t->kind != TERM_DELAY)
    return false;
  for (size_t i = 0; i < t->count; i++) {
    int64_t here = 0;
    if (!term_mentions(t->args[i], k))
      continue;
    if (t->args[i]->type.kind != TYPE_INT ||
        !integer_difference(m, t->args[i], maker_mention(m, k), &here) ||
        (found && here != *offset))
      return false;
    *offset = here;
    found = true;
  }
  return found;
}

static const struct term *sum_of(struct term_maker *m, const struct variable *k,
                                 const struct term *low, const struct term *high,
                                 const struct term *t) {
  if (!term_mentions(t, k)) {
    const struct term *length = integer_plus(m, maker_pair(m, TERM_SUB, TYPE_INT, high, low), 1);
    return maker_pair(m, TERM_MUL, TYPE_TIME, length, t);
  }
  int64_t offset = 0;
  if (!offset_of(m, t, k, &offset))
    return range_sum(m, low, high, k, t);
  const struct term *shifted = instance(m, t, k, integer_plus(m, maker_mention(m, k), -offset));
  return range_sum(m, integer_plus(m, low, offset), integer_plus(m, high, offset), k, shifted);
}

const struct term *time_sum(struct term_maker *m, const struct variable *k, const struct term *low,
                            const struct term *high, const struct term *t) {
  addends list = {0}, result = {0};
  split(&list, t);
  for (size_t i = 0; i < list.count; i++)
    vector_push(&result, sum_of(m, k, low, high, list.data[i]));
  vector_clear(&list);
  return normal(m, &result);
}

/* `kind` over the role of v, with a variable of its own. */
static const struct term *over_role(struct term_maker *m, enum term_kind kind,
                                    const struct variable *v, const struct term *body) {
  const struct variable *w = maker_variable(m, v->name, v->type);
  struct replacement with = {maker_mention(m, v), maker_mention(m, w)};
  body = term_replace(m, body, &with, 1);
  struct term *made = maker_term(m, kind, TYPE_TIME, &body, 1);
  made->variable_count = 1;
  made->variables = arena_copy(m->arena, &w, 1, sizeof w);
  return made;
}

const struct term *time_sum_role(struct term_maker *m, const struct variable *v,
                                 const struct term *t) {
  return over_role(m, TERM_SUM_OVER, v, t);
}

const struct term *time_max_over(struct term_maker *m, const struct variable *v,
                                 const struct term *t) {
  addends list = {0}, inside = {0}, outside = {0};
  split(&list, t);
  for (size_t i = 0; i < list.count; i++) {
    if (term_mentions(list.data[i], v))
      vector_push(&inside, list.data[i]);
    else
      vector_push(&outside, list.data[i]);
  }
  vector_clear(&list);
  if (inside.count == 0)
    return joined(m, &outside);
  vector_push(&outside, over_role(m, TERM_MAX_OVER, v, joined(m, &inside)));
  return joined(m, &outside);
}

static bool take(addends *list, const struct term *t) {
  for (size_t i = 0; i < list->count; i++)
    if (term_equal(list->data[i], t)) {
      drop(list, i);
      return true;
    }
  return false;
}

static bool has(const struct term *t, const struct term *addend) {
  addends list = {0};
  split(&list, t);
  bool found = take(&list, addend);
  vector_clear(&list);
  return found;
}

/* The branches of maxima, without those that another one covers. */
static void add_branch(struct term_maker *m, addends *list, const struct term *t) {
  if (t->kind == TERM_MAX) {
    for (size_t i = 0; i < t->count; i++)
      add_branch(m, list, t->args[i]);
    return;
  }
  for (size_t i = 0; i < list->count; i++)
    if (time_covers(m, list->data[i], t))
      return;
  for (size_t i = list->count; i-- > 0;)
    if (time_covers(m, t, list->data[i]))
      drop(list, i);
  vector_push(list, t);
}

const struct term *time_max(struct term_maker *m, const struct term *const *times, size_t count) {
  addends first = {0}, common = {0};
  split(&first, times[0]);
  for (size_t i = 0; i < first.count; i++) {
    bool everywhere = true;
    for (size_t j = 1; j < count; j++)
      everywhere = everywhere && has(times[j], first.data[i]);
    if (everywhere)
      vector_push(&common, first.data[i]);
  }
  vector_clear(&first);
  addends rest = {0};
  for (size_t i = 0; i < count; i++) {
    const struct term *t = times[i];
    for (size_t j = 0; j < common.count; j++)
      t = time_without(m, t, common.data[j]);
    if (t != NULL)
      add_branch(m, &rest, t);
  }
  if (rest.count == 1)
    split(&common, rest.data[0]);
  else if (rest.count > 1)
    vector_push(&common, maker_term(m, TERM_MAX, TYPE_TIME, rest.data, rest.count));
  vector_clear(&rest);
  return joined(m, &common);
}

/* Some node among the arguments of the addends, or NULL. */
static const struct term *some_node(const addends *list) {
  for (size_t i = 0; i < list->count; i++)
    for (size_t k = 0; k < list->data[i]->count; k++)
      if (list->data[i]->args[k]->type.kind == TYPE_NODE)
        return list->data[i]->args[k];
  return NULL;
}

/* Whether what is needed is what a maximum is taken of. */
static bool is_in_maximum(struct term_maker *m, const addends *mine, const addends *needed) {
  const struct term *node = some_node(needed);
  for (size_t i = 0; i < mine->count && node != NULL; i++) {
    const struct term *max = mine->data[i];
    if (max->kind != TERM_MAX_OVER || max->variables[0]->type.role != node->type.role)
      continue;
    addends inside = {0};
    split(&inside, instance(m, max->args[0], max->variables[0], node));
    bool all = true;
    for (size_t k = 0; k < needed->count && all; k++)
      all = take(&inside, needed->data[k]);
    vector_clear(&inside);
    if (all)
      return true;
  }
  return false;
}

bool time_covers(struct term_maker *m, const struct term *a, const struct term *b) {
  addends mine = {0}, needed = {0}, rest = {0};
  split(&mine, a);
  split(&needed, b);
  for (size_t i = 0; i < needed.count; i++)
    if (!take(&mine, needed.data[i]))
      vector_push(&rest, needed.data[i]);
  bool all = rest.count == 0 || is_in_maximum(m, &mine, &rest);
  vector_clear(&mine);
  vector_clear(&needed);
  vector_clear(&rest);
  return all;
}

const struct term *time_without(struct term_maker *m, const struct term *t,
                                const struct term *addend) {
  addends list = {0};
  split(&list, t);
  take(&list, addend);
  return joined(m, &list);
}

const struct term *time_without_index(struct term_maker *m, const struct term *t,
                                      const struct term *index) {
  if ((t->kind == TERM_DELAY || t->kind == TERM_OCCURRENCE) && term_contains(t, index)) {
    struct term *bare = maker_term(m, TERM_BARE, TYPE_TIME, NULL, 0);
    bare->component = t->component;
    return bare;
  }
  if (t->kind != TERM_ADD && t->kind != TERM_MAX)
    return t;
  const struct term **args = arena_alloc(m->arena, t->count, sizeof(struct term *));
  for (size_t i = 0; i < t->count; i++)
    args[i] = time_without_index(m, t->args[i], index);
  return maker_term(m, t->kind, TYPE_TIME, args, t->count);
}

/* How far the range of b lies behind that of a, when they are equally long. */
static bool is_shifted(struct term_maker *m, const struct term *a, const struct term *b,
                       int64_t *shift) {
  int64_t high = 0;
  return integer_difference(m, b->variables[0]->low, a->variables[0]->low, shift) &&
         integer_difference(m, b->variables[0]->high, a->variables[0]->high, &high) &&
         high == *shift;
}

/* k times the same is k*t. */
static void count_repeated(struct term_maker *m, addends *list) {
  for (size_t i = 0; i < list->count; i++) {
    int64_t times = 1;
    for (size_t j = i + 1; j < list->count; j++)
      if (term_equal(list->data[i], list->data[j])) {
        drop(list, j--);
        times++;
      }
    if (times != 1)
      list->data[i] = maker_pair(m, TERM_MUL, TYPE_TIME, maker_integer(m, times), list->data[i]);
  }
}

const struct term *time_written(struct term_maker *m, const struct term *t) {
  addends list = {0};
  split(&list, t);
  for (size_t i = 0; i < list.count; i++) {
    if (!is_range(list.data[i]))
      continue;
    const struct variable *k = list.data[i]->variables[0];
    const struct term *body = list.data[i]->args[0];
    for (size_t j = i + 1; j < list.count; j++) {
      int64_t shift = 0;
      if (!is_range(list.data[j]) || !is_shifted(m, list.data[i], list.data[j], &shift))
        continue;
      const struct term *other = instance(m, list.data[j]->args[0], list.data[j]->variables[0],
                                          integer_plus(m, maker_mention(m, k), shift));
      body = maker_pair(m, TERM_ADD, TYPE_TIME, body, other);
      drop(&list, j--);
    }
    list.data[i] = range_sum(m, k->low, k->high, k, body);
  }
  count_repeated(m, &list);
  const struct term *written = joined(m, &list);
  return written == NULL ? maker_zero(m) : written;
}
