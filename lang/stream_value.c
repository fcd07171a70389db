/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/stream_value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/memory.h"
#include "base/text.h"
#include "lang/instantiate.h"

enum { INDICES_MAX = 64 };

void stream_evaluation_init(struct stream_evaluation *e) {
  e->variables = mem_alloc(e->model->variable_count, sizeof *e->variables);
}

void stream_evaluation_clear(struct stream_evaluation *e) {
  for (size_t i = 0; i < e->prefixes.count; i++) {
    vector_clear(&e->prefixes.data[i].sums);
    vector_clear(&e->prefixes.data[i].endless);
  }
  vector_clear(&e->prefixes);
  vector_clear(&e->runnings);
  mem_free(e->variables);
}

static struct stream_range fail(struct stream_evaluation *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static struct stream_range fail(struct stream_evaluation *e, const char *format, ...) {
  if (!e->failed) {
    va_list arguments;
    va_start(arguments, format);
    text_format_list(e->message, format, arguments);
    va_end(arguments);
  }
  e->failed = true;
  return (struct stream_range){0, 0};
}

/* --- arithmetic ------------------------------------------------------------------------------- */

static int64_t clamped(int64_t x) {
  return x > STREAM_ENDLESS ? STREAM_ENDLESS : x < -STREAM_ENDLESS ? -STREAM_ENDLESS : x;
}

/* Endless outweighs what is taken from it. */
struct stream_range stream_plus(struct stream_range a, struct stream_range b) {
  struct stream_range sum = {clamped(a.low + b.low), clamped(a.high + b.high)};
  if (a.high >= STREAM_ENDLESS || b.high >= STREAM_ENDLESS)
    sum.high = STREAM_ENDLESS;
  if (a.low <= -STREAM_ENDLESS || b.low <= -STREAM_ENDLESS)
    sum.low = -STREAM_ENDLESS;
  return sum;
}

struct stream_range stream_minus(struct stream_range a, struct stream_range b) {
  return stream_plus(a, (struct stream_range){-b.high, -b.low});
}

struct stream_range stream_larger(struct stream_range a, struct stream_range b) {
  return (struct stream_range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static struct stream_range smaller(struct stream_range a, struct stream_range b) {
  return (struct stream_range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

static struct stream_range scaled(struct stream_evaluation *e, int64_t factor,
                                  struct stream_range x) {
  struct stream_range y;
  if (factor < 0)
    return fail(e, "a time is multiplied by %" PRId64 " at these parameters", factor);
  if (factor == 0)
    return (struct stream_range){0, 0};
  if (__builtin_mul_overflow(factor, x.low, &y.low))
    y.low = x.low < 0 ? -STREAM_ENDLESS : STREAM_ENDLESS;
  if (__builtin_mul_overflow(factor, x.high, &y.high))
    y.high = x.high < 0 ? -STREAM_ENDLESS : STREAM_ENDLESS;
  return (struct stream_range){clamped(y.low), clamped(y.high)};
}

struct stream_range stream_constant(const struct rational *ns) {
  struct stream_range x = {-STREAM_ENDLESS, STREAM_ENDLESS};
  int64_t low, high;
  if (rational_floor(&low, ns) && rational_ceil(&high, ns))
    x = (struct stream_range){clamped(low), clamped(high)};
  return x;
}

int64_t stream_integer(struct stream_evaluation *e, const struct term *term) {
  int64_t result = 0;
  if (!term_integer(&result, e->model, term, e->params, e->variables))
    fail(e, "an index or factor of the bound is too large for request %" PRId64,
         e->variables[e->number->id]);
  return result;
}

static struct stream_range occurrence(struct stream_evaluation *e, const struct term *term) {
  int64_t indices[INDICES_MAX];
  struct stream_range x = {0, 0};
  if (term->count > INDICES_MAX)
    return fail(e, "%s has more than %d indices", term->component->name, INDICES_MAX);
  for (size_t i = 0; i < term->count; i++)
    indices[i] = stream_integer(e, term->args[i]);
  if (!e->failed && !e->source->occurrence(&x, term, indices, e->source->context, e->message))
    e->failed = true;
  return x;
}

static struct stream_range bare(struct stream_evaluation *e, const struct component *component) {
  struct stream_range x = {0, 0};
  if (!e->source->bare(&x, component, e->source->context, e->message))
    e->failed = true;
  return x;
}

/* --- over many -------------------------------------------------------------------------------- */

bool stream_mentions(const struct term *term, const struct variable *variable) {
  bool found = term->kind == TERM_VARIABLE && (variable == NULL || term->variable == variable);
  for (size_t i = 0; i < term->count && !found; i++)
    found = stream_mentions(term->args[i], variable);
  for (size_t i = 0; i < term->variable_count && !found; i++) {
    const struct variable *v = term->variables[i];
    found = (v->low != NULL &&
             (stream_mentions(v->low, variable) || stream_mentions(v->high, variable))) ||
            (v->set != NULL && stream_mentions(v->set, variable));
  }
  return found;
}

/* Whether it stays as it is for all requests. */
static bool stays(const struct stream_evaluation *e, const struct variable *v) {
  bool found = false;
  for (size_t i = 0; i < e->bound->variable_count; i++)
    found |= e->bound->variables[i] == v && v != e->number;
  return found;
}

/* Whether nothing but the variables allowed, and what the term itself binds, changes it from one
 * request to another. */
static bool depends_on(const struct stream_evaluation *e, const struct term *term,
                       const struct variable *const *allowed, size_t count) {
  const struct variable *known[8];
  bool fits = term->variable_count + count <= 8;
  for (size_t i = 0; i < count && fits; i++)
    known[i] = allowed[i];
  bool only = fits;
  if (fits && term->kind == TERM_VARIABLE) {
    only = stays(e, term->variable);
    for (size_t i = 0; i < count; i++)
      only |= allowed[i] == term->variable;
  }
  for (size_t i = 0; i < term->variable_count && fits && only; i++) {
    const struct variable *v = term->variables[i];
    only = (v->low == NULL ||
            (depends_on(e, v->low, known, count) && depends_on(e, v->high, known, count))) &&
           (v->set == NULL || depends_on(e, v->set, known, count));
    known[count + i] = v;
  }
  for (size_t i = 0; i < term->count && fits && only; i++)
    only = depends_on(e, term->args[i], known, count + term->variable_count);
  return only;
}

const struct stream_prefix *stream_prefix_of(struct stream_evaluation *e, const struct term *term,
                                             int64_t end) {
  const struct variable *v = term->variables[0];
  if (term->variable_count != 1 || v->domain != DOMAIN_RANGE || end > e->source->last ||
      !depends_on(e, term->args[0], &v, 1))
    return NULL;
  struct stream_prefix *found = NULL;
  for (size_t i = 0; i < e->prefixes.count; i++)
    if (e->prefixes.data[i].term == term)
      found = &e->prefixes.data[i];
  if (found == NULL) {
    vector_push(&e->prefixes, ((struct stream_prefix){.term = term}));
    found = &e->prefixes.data[e->prefixes.count - 1];
    vector_push(&found->sums, ((struct stream_range){0, 0}));
    vector_push(&found->endless, 0);
  }
  /* the body may make prefixes of its own, so the list may move */
  size_t at = (size_t)(found - e->prefixes.data);
  e->depth++;
  while ((int64_t)e->prefixes.data[at].sums.count <= end && !e->failed) {
    e->variables[v->id] = (int64_t)e->prefixes.data[at].sums.count;
    struct stream_range x = stream_term(e, term->args[0]);
    found = &e->prefixes.data[at];
    size_t last = found->sums.count - 1;
    bool endless = x.high >= STREAM_ENDLESS;
    vector_push(&found->endless, found->endless.data[last] + endless);
    x.high = endless ? x.low : x.high;
    struct stream_range sum = stream_plus(found->sums.data[last], x);
    if (sum.high >= STREAM_ENDLESS || sum.low <= -STREAM_ENDLESS)
      fail(e, "the times of all requests together are too long to be added");
    vector_push(&found->sums, sum);
  }
  e->depth--;
  return &e->prefixes.data[at];
}

/* Of the sum from `low` to `high`, both of the table. */
static struct stream_range between(const struct stream_prefix *p, int64_t low, int64_t high) {
  struct stream_range a = p->sums.data[low - 1], b = p->sums.data[high];
  struct stream_range x = {b.low - a.low, b.high - a.high};
  if (p->endless.data[high] != p->endless.data[low - 1])
    x.high = STREAM_ENDLESS;
  return x;
}

static bool is_member(struct stream_evaluation *e, const struct variable *v) {
  if (v->domain != DOMAIN_SET)
    return true;
  struct term node = {.kind = TERM_VARIABLE, .type = v->type, .variable = v};
  const struct term *args[] = {&node, v->set};
  struct term in = {.kind = TERM_IN, .type = {.kind = TYPE_BOOL}, .count = 2, .args = args};
  return stream_integer(e, &in) != 0;
}

static void ends(struct stream_evaluation *e, const struct variable *v, int64_t *low,
                 int64_t *high) {
  *low = 0;
  if (v->domain == DOMAIN_RANGE) {
    *low = stream_integer(e, v->low);
    *high = stream_integer(e, v->high);
  } else if (!role_size(high, e->model, v->type.role, e->params)) {
    fail(e, "role \"%s\" has no valid number of nodes at these parameters", v->type.role->name);
  } else {
    --*high;
  }
}

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

typedef VECTOR(int64_t) numbers;

/* Lower and upper ends by themselves: each order statistic grows with every member. */
static struct stream_range ranked(struct stream_evaluation *e, const struct term *term,
                                  numbers *lows, numbers *highs) {
  int64_t rank = stream_integer(e, term->args[1]);
  if (rank < 1 || (uint64_t)rank > lows->count)
    return fail(e, "a rank is %" PRId64 " of %zu members at these parameters", rank, lows->count);
  qsort(lows->data, lows->count, sizeof *lows->data, compare);
  qsort(highs->data, highs->count, sizeof *highs->data, compare);
  return (struct stream_range){lows->data[rank - 1], highs->data[rank - 1]};
}

static struct stream_range one_by_one(struct stream_evaluation *e, const struct term *term) {
  const struct variable *v = term->variables[0];
  struct stream_range result = {0, 0};
  numbers lows = {0}, highs = {0};
  int64_t low = 0, high = -1;
  bool empty = true;
  ends(e, v, &low, &high);
  if (low <= high && (uint64_t)high - (uint64_t)low >= (uint64_t)e->source->most)
    return fail(e, "a range of the bound has too many numbers");
  e->depth++;
  for (int64_t i = low; i <= high && !e->failed; i++) {
    e->variables[v->id] = i;
    if (!is_member(e, v))
      continue;
    struct stream_range x = stream_term(e, term->args[0]);
    result = term->kind == TERM_SUM_OVER   ? stream_plus(result, x)
             : empty                       ? x
             : term->kind == TERM_MAX_OVER ? stream_larger(result, x)
                                           : smaller(result, x);
    empty = false;
    if (term->kind == TERM_KTH_OVER) {
      vector_push(&lows, x.low);
      vector_push(&highs, x.high);
    }
  }
  e->depth--;
  if (term->kind == TERM_KTH_OVER && !e->failed)
    result = ranked(e, term, &lows, &highs);
  vector_clear(&lows);
  vector_clear(&highs);
  return result;
}

static struct stream_range over(struct stream_evaluation *e, const struct term *term) {
  struct stream_range value;
  if (term->variable_count != 1)
    return fail(e, "--stream: a sum or maximum over several names at once");
  if (term->kind == TERM_MAX_OVER && stream_follow(e, term, &value))
    return value;
  if (term->kind != TERM_SUM_OVER || term->variables[0]->domain != DOMAIN_RANGE)
    return one_by_one(e, term);
  int64_t low = stream_integer(e, term->variables[0]->low);
  int64_t high = stream_integer(e, term->variables[0]->high);
  const struct stream_prefix *p = low < 1 || high < low ? NULL : stream_prefix_of(e, term, high);
  return p == NULL || e->failed ? one_by_one(e, term) : between(p, low, high);
}

static struct stream_range several(struct stream_evaluation *e, const struct term *term) {
  struct stream_range result = stream_term(e, term->args[0]);
  for (size_t i = 1; i < term->count; i++) {
    struct stream_range x = stream_term(e, term->args[i]);
    result = term->kind == TERM_ADD   ? stream_plus(result, x)
             : term->kind == TERM_SUB ? stream_minus(result, x)
             : term->kind == TERM_MAX ? stream_larger(result, x)
                                      : smaller(result, x);
  }
  return result;
}

struct stream_range stream_term(struct stream_evaluation *e, const struct term *term) {
  if (e->failed)
    return (struct stream_range){0, 0};
  switch (term->kind) {
  case TERM_TIME:
    return stream_constant(&term->value);
  case TERM_OCCURRENCE:
  case TERM_DELAY:
    return occurrence(e, term);
  case TERM_BARE:
    return bare(e, term->component);
  case TERM_ITE:
    return stream_term(e, term->args[stream_integer(e, term->args[0]) != 0 ? 1 : 2]);
  case TERM_MUL:
    return scaled(e, stream_integer(e, term->args[0]), stream_term(e, term->args[1]));
  case TERM_ADD:
  case TERM_SUB:
  case TERM_MAX:
  case TERM_MIN:
    return several(e, term);
  case TERM_SUM_OVER:
  case TERM_MAX_OVER:
  case TERM_MIN_OVER:
  case TERM_KTH_OVER:
    return over(e, term);
  default:
    bug("a bound with a term of kind %d", (int)term->kind);
  }
}

struct stream_range stream_value(struct stream_evaluation *e, int64_t k) {
  e->variables[e->number->id] = k;
  return stream_term(e, e->bound->expression);
}
