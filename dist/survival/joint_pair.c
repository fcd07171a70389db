/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/joint_pair.h"

#include <string.h>

#include "base/memory.h"

/* All j from first to last, whose sums are at least `least`. */
struct search_range {
  size_t first, last;
  size_t right_first, right_last; /* the points below t - point first, t - point last */
  uint64_t least;
};

struct search {
  const struct grid *grid;
  const uint64_t *left, *right;
  struct search_range *now, *next; /* ranges that may hold something better; `steps` of them */
  size_t steps;
  uint64_t t_ns;
  uint64_t best; /* the least sum found */
  size_t best_at;
};

static size_t right_of(const struct search *s, size_t j) {
  return grid_index_lower(s->grid, s->t_ns - grid_value_ns(s->grid, j));
}

static void try_sum(struct search *s, size_t j, size_t right) {
  uint64_t sum = s->left[j] + s->right[right];
  if (sum < s->best) {
    s->best = sum;
    s->best_at = j;
  }
}

static uint64_t smaller(uint64_t x, uint64_t y) {
  return x < y ? x : y;
}

/* Tries the ends and keeps the range in `next` if something inside may be better. */
static size_t consider(struct search *s, size_t kept, size_t first, size_t last, size_t right_first,
                       size_t right_last) {
  try_sum(s, first, right_first);
  try_sum(s, last, right_last);
  /* Monotone, so the ends are extremes; where one is constant, an end is the least. */
  uint64_t least =
      smaller(s->left[first], s->left[last]) + smaller(s->right[right_first], s->right[right_last]);
  bool constant = s->left[first] == s->left[last] || s->right[right_first] == s->right[right_last];
  if (last - first < 2 || constant || least >= s->best || kept >= s->steps)
    return kept;
  s->next[kept] = (struct search_range){first, last, right_first, right_last, least};
  return kept + 1;
}

/* Lowers `best` to the least sum for t, whose point is k; which may still be near the j best
 * before. */
static void lower_best(struct search *s, size_t k) {
  if (s->best_at > k)
    s->best_at = k;
  for (size_t j = s->best_at, end = j < k ? j + 1 : k; j <= end; j++)
    try_sum(s, j, right_of(s, j));
  size_t count = consider(s, 0, 0, k, right_of(s, 0), right_of(s, k));
  for (size_t used = 0; count > 0 && used < s->steps; used += count) {
    struct search_range *swap = s->now;
    s->now = s->next;
    s->next = swap;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
      struct search_range r = s->now[i];
      if (r.least >= s->best)
        continue;
      size_t middle = r.first + (r.last - r.first) / 2, right = right_of(s, middle);
      kept = consider(s, kept, r.first, middle, r.right_first, right);
      kept = consider(s, kept, middle, r.last, right, r.right_last);
    }
    count = kept;
  }
}

/* P(X + Y > t) falls as t grows, so that `best` at one point is right at those after it. */
static void search_upper(struct survival *z, struct search *s) {
  for (size_t k = 0; k < grid_count(&z->grid); k++) {
    s->t_ns = grid_value_ns(s->grid, k);
    lower_best(s, k);
    z->tail[k] = s->best;
  }
}

/* Here `best` bounds the chance of falling short of the next point, to which what exceeds this one
 * is rounded down, and is right at the points before. All values are multiples of `step`. */
static void search_lower(struct survival *z, struct search *s, const struct survival *x,
                         const struct survival *y) {
  size_t last = grid_count(&z->grid) - 1;
  uint64_t step = grid_is_linear(&z->grid) ? UINT64_C(1) << z->grid.shift : 1;
  for (size_t k = last + 1; k-- > 0;) {
    uint64_t tail = x->tail[k] > y->tail[k] ? x->tail[k] : y->tail[k];
    s->best = smaller(s->best, SURVIVAL_ONE - tail);
    if (k < last) {
      s->t_ns = grid_value_ns(s->grid, k + 1) - step;
      lower_best(s, k);
    }
    z->tail[k] = SURVIVAL_ONE - s->best;
  }
}

void joint_pair(struct survival *z, const struct survival *x, const struct survival *y,
                size_t steps) {
  survival_require_alike(x, y);
  survival_require_alike(x, z);
  size_t count = grid_count(&x->grid);
  bool upper = x->side == SIDE_UPPER;
  uint64_t *left = mem_alloc(count, sizeof *left), *right = mem_alloc(count, sizeof *right);
  for (size_t k = 0; k < count; k++) {
    left[k] = upper ? x->tail[k] : k == 0 ? 0 : SURVIVAL_ONE - x->tail[k - 1];
    right[k] = upper ? y->tail[k] : SURVIVAL_ONE - y->tail[k];
  }
  struct search s = {
      .grid = &x->grid, .left = left, .right = right, .steps = steps, .best = SURVIVAL_ONE};
  s.now = mem_alloc(steps, sizeof *s.now);
  s.next = mem_alloc(steps, sizeof *s.next);
  if (upper)
    search_upper(z, &s);
  else
    search_lower(z, &s, x, y);
  mem_free(s.next);
  mem_free(s.now);
  mem_free(right);
  mem_free(left);
}

void joint_pair_many(struct survival *z, const struct survival *x, uint64_t n, size_t steps) {
  struct survival power, sum;
  survival_init_side(&power, &x->grid, x->side);
  survival_init_side(&sum, &x->grid, x->side);
  survival_set(&power, x);
  bool empty = true;
  for (uint64_t rest = n; rest != 0; rest >>= 1) {
    if ((rest & 1) && empty)
      survival_set(&sum, &power);
    else if (rest & 1)
      joint_pair(&sum, &sum, &power, steps);
    empty = empty && !(rest & 1);
    if (rest > 1)
      joint_pair(&power, &power, &power, steps);
  }
  survival_set(z, &sum);
  survival_clear(&sum);
  survival_clear(&power);
}
