/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate/range.h"

#include "generate/family.h"
#include "lang/term_same.h"

static const int64_t TIME_MAX = INT64_C(2305843009213693951); /* TP_TIME_MAX */

static struct number_range from(int64_t low, int64_t high) {
  return (struct number_range){low, high, true};
}

/* a * param + b */
struct linear_count {
  const struct param *param;
  int64_t a, b;
};

static bool read_linear(struct linear_count *linear, const struct term *term) {
  *linear = (struct linear_count){NULL, 1, 0};
  if ((term->kind == TERM_ADD || term->kind == TERM_SUB) && term->args[1]->kind == TERM_INT) {
    linear->b = term->kind == TERM_ADD ? term->args[1]->integer : -term->args[1]->integer;
    term = term->args[0];
  }
  if (term->kind == TERM_MUL && term->args[0]->kind == TERM_INT && term->args[0]->integer > 0) {
    linear->a = term->args[0]->integer;
    term = term->args[1];
  }
  linear->param = term->kind == TERM_PARAM ? term->param : NULL;
  return linear->param != NULL && linear->a <= RANGE_NODES && linear->b >= -RANGE_NODES &&
         linear->b <= RANGE_NODES;
}

/* No family has more nodes than family_most. */
static void limit_by_roles(struct number_range *range, const struct model *model,
                           const struct param *param) {
  for (size_t i = 0; i < model->roles.count; i++) {
    struct linear_count count;
    const struct role *role = model->roles.items[i];
    if (role->count == NULL || !read_linear(&count, role->count) || count.param != param)
      continue;
    int64_t high = (family_most(model, role) - count.b) / count.a, low = count.b > 0 ? -count.b : 0;
    range->high = high < range->high ? high : range->high;
    range->low = low > range->low ? low : range->low;
  }
}

static struct number_range param_range(const struct model *model, const struct param *param) {
  struct number_range range = from(-INT32_MAX, INT32_MAX);
  limit_by_roles(&range, model, param);
  for (size_t i = 0; i < model->assumptions.count; i++) {
    const struct term *f = model->assumptions.items[i]->formula;
    if (f->kind == TERM_GE && f->args[0]->kind == TERM_PARAM && f->args[0]->param == param &&
        f->args[1]->kind == TERM_INT && f->args[1]->integer > range.low)
      range.low = f->args[1]->integer;
  }
  return range;
}

static struct number_range hull(const struct number_range *a, const struct number_range *b) {
  return (struct number_range){a->low < b->low ? a->low : b->low,
                               a->high > b->high ? a->high : b->high, a->known && b->known};
}

static struct number_range product(const struct number_range *a, const struct number_range *b) {
  int64_t corner[4];
  bool over = __builtin_mul_overflow(a->low, b->low, &corner[0]);
  over |= __builtin_mul_overflow(a->low, b->high, &corner[1]);
  over |= __builtin_mul_overflow(a->high, b->low, &corner[2]);
  over |= __builtin_mul_overflow(a->high, b->high, &corner[3]);
  struct number_range range = {corner[0], corner[0], a->known && b->known && !over};
  for (int i = 1; i < 4; i++) {
    range.low = corner[i] < range.low ? corner[i] : range.low;
    range.high = corner[i] > range.high ? corner[i] : range.high;
  }
  return range;
}

/* By a positive number, rounded down. */
static struct number_range quotient(const struct model *model, const struct term *term) {
  struct number_range a = range_of(model, term->args[0]);
  int64_t by = term->args[1]->integer;
  return (struct number_range){a.low / by - (a.low % by < 0), a.high / by - (a.high % by < 0),
                               a.known};
}

static struct number_range arithmetic(const struct model *model, const struct term *term) {
  struct number_range a = term->kind == TERM_NEG ? from(0, 0) : range_of(model, term->args[0]);
  struct number_range b = range_of(model, term->args[term->kind == TERM_NEG ? 0 : 1]);
  if (term->kind == TERM_MUL)
    return product(&a, &b);
  struct number_range range = {.known = a.known && b.known};
  bool adds = term->kind == TERM_ADD;
  bool under = adds ? __builtin_add_overflow(a.low, b.low, &range.low)
                    : __builtin_sub_overflow(a.low, b.high, &range.low);
  bool over = adds ? __builtin_add_overflow(a.high, b.high, &range.high)
                   : __builtin_sub_overflow(a.high, b.low, &range.high);
  range.known = range.known && !under && !over;
  return range;
}

static struct number_range any_of(const struct model *model, const struct term *term,
                                  size_t first) {
  struct number_range range = range_of(model, term->args[first]);
  for (size_t i = first + 1; i < term->count; i++) {
    struct number_range other = range_of(model, term->args[i]);
    range = hull(&range, &other);
  }
  return range;
}

static struct number_range extreme(const struct model *model, const struct term *term) {
  struct number_range range = range_of(model, term->args[0]);
  bool most = term->kind == TERM_MAX;
  for (size_t i = 1; i < term->count; i++) {
    struct number_range other = range_of(model, term->args[i]);
    range.low = (other.low > range.low) == most ? other.low : range.low;
    range.high = (other.high > range.high) == most ? other.high : range.high;
    range.known = range.known && other.known;
  }
  return range;
}

static struct number_range time_range(const struct model *model, const struct term *term) {
  int64_t value;
  switch (term->kind) {
  case TERM_TIME:
    return rational_ceil(&value, &term->value) ? from(value, value) : from(0, TIME_MAX);
  case TERM_BARE:
    return from(0, TIME_MAX);
  default:
    return term->kind == TERM_STATE || term->kind == TERM_VARIABLE ? from(-TIME_MAX, TIME_MAX)
                                                                   : arithmetic(model, term);
  }
}

struct number_range range_of(const struct model *model, const struct term *term) {
  switch (term->kind) {
  case TERM_INT:
  case TERM_ENUM:
    return from(term->integer, term->integer);
  case TERM_PARAM:
    return param_range(model, term->param);
  case TERM_ADD:
  case TERM_SUB:
  case TERM_NEG:
  case TERM_MUL:
    return arithmetic(model, term);
  case TERM_DIV:
    return quotient(model, term);
  case TERM_ITE:
    return any_of(model, term, 1);
  case TERM_MAX:
  case TERM_MIN:
    return extreme(model, term);
  case TERM_CARDINALITY:
    return from(0, RANGE_NODES);
  case TERM_INDEX:
  case TERM_OWNER:
  case TERM_OWNED:
    return range_of(model, term->args[0]);
  default:
    break;
  }
  if (term->type.kind == TYPE_TIME)
    return time_range(model, term);
  if (term->kind == TERM_MAP_GET && term->type.kind == TYPE_INT)
    return from(INT32_MIN, INT32_MAX); /* no predicate says more of all elements */
  return term->type.kind == TYPE_INT ? from(-INT32_MAX, INT32_MAX)
                                     : from(0, family_most(model, term->type.role));
}

/* Whether the number is computed as the term and so much more. */
static bool is_more(int64_t *more, const struct term *number, const struct term *term) {
  *more = 0;
  if (term_is_same(number, term))
    return true;
  if ((number->kind != TERM_ADD && number->kind != TERM_SUB) || number->args[1]->kind != TERM_INT ||
      !term_is_same(number->args[0], term))
    return false;
  *more = number->kind == TERM_ADD ? number->args[1]->integer : -number->args[1]->integer;
  return *more >= -INT32_MAX && *more <= INT32_MAX;
}

void range_limit(struct number_range *range, const struct model *model, const struct term *number,
                 const struct term *condition) {
  for (size_t i = 0; condition->kind == TERM_AND && i < condition->count; i++)
    range_limit(range, model, number, condition->args[i]);
  const bool less = condition->kind == TERM_LT || condition->kind == TERM_LE;
  const bool strict = condition->kind == TERM_LT || condition->kind == TERM_GT;
  if ((!less && condition->kind != TERM_GT && condition->kind != TERM_GE) ||
      number->type.kind != TYPE_INT)
    return;
  const struct term *small = condition->args[less ? 0 : 1], *large = condition->args[less ? 1 : 0];
  const struct number_range least = range_of(model, small), most = range_of(model, large);
  int64_t more;
  if (range_is_stored(&most, TYPE_INT) && is_more(&more, number, small) &&
      most.high + more - strict < range->high)
    range->high = most.high + more - strict;
  if (range_is_stored(&least, TYPE_INT) && is_more(&more, number, large) &&
      least.low + more + strict > range->low)
    range->low = least.low + more + strict;
}

bool range_is_stored(const struct number_range *range, enum type_kind kind) {
  int64_t most = kind == TYPE_TIME ? TIME_MAX : INT32_MAX;
  return range->known && -most <= range->low && range->high <= most;
}

bool range_is_small(const struct model *model, const struct term *term) {
  struct number_range range = range_of(model, term);
  if (!range_is_stored(&range, TYPE_INT))
    return false;
  bool computed = term->kind == TERM_ADD || term->kind == TERM_SUB || term->kind == TERM_NEG ||
                  term->kind == TERM_MUL || term->kind == TERM_DIV;
  for (size_t i = 0; computed && i < term->count; i++)
    if (!range_is_small(model, term->args[i]))
      return false;
  return true;
}
