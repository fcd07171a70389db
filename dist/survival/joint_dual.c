/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/joint_dual.h"

#include <string.h>

#include "base/memory.h"
#include "dist/survival/wide.h"

#define LEVELS_MAX 4096 /* level_next makes about 1700 */
#define TOTAL_MAX (UINT64_C(1) << 62)
#define SCAN_EVERY 32 /* points between searches of all levels, of which every 16th is tried */

/* One law and what is integrated of it: S on the upper side, 1 - S on the lower. */
struct part {
  const struct survival *law;
  uint64_t count;
  uint128 *integral; /* from 0 to each point */
  uint64_t *u_ns;    /* by level */
};

/* Of all parts' u_i at one level. */
struct level {
  uint64_t total_ns; /* sum count u_i */
  uint128 integral;  /* sum count (integral up to u_i) */
};

struct dual {
  const struct grid *grid;
  enum survival_side side;
  struct part *parts;
  size_t part_count;
  struct level *levels; /* by rising total */
  size_t level_count;
  uint64_t step_ns; /* all values are multiples of it */
};

static uint64_t chance_at(const struct survival *law, size_t k) {
  return law->side == SIDE_UPPER ? law->tail[k] : SURVIVAL_ONE - law->tail[k];
}

static void integrate(struct part *part) {
  const struct grid *grid = &part->law->grid;
  size_t count = grid_count(grid);
  part->integral = mem_alloc(count, sizeof *part->integral);
  for (size_t k = 1; k < count; k++) {
    uint64_t width = grid_value_ns(grid, k) - grid_value_ns(grid, k - 1);
    part->integral[k] = part->integral[k - 1] + (uint128)width * chance_at(part->law, k - 1);
  }
}

/* From 0 to x; at most 10^18 x. */
static uint128 integral_to(const struct part *part, uint64_t x_ns) {
  size_t k = grid_index_lower(&part->law->grid, x_ns);
  uint64_t rest = x_ns - grid_value_ns(&part->law->grid, k);
  return part->integral[k] + (uint128)rest * chance_at(part->law, k);
}

/* From 1 to 0, by one part in 32 of the chance, or of what it lacks of 1. */
static uint64_t level_next(uint64_t level) {
  uint64_t half = SURVIVAL_ONE / 2;
  if (level > half) {
    uint64_t rest = SURVIVAL_ONE - level;
    uint64_t floor = SURVIVAL_ONE >> 12;
    return level - ((rest > floor ? rest : floor) >> 5);
  }
  return level - (level >> 5 != 0 ? level >> 5 : level);
}

/* The u_i at all levels: the least points at which the chance to exceed them is at most the level,
 * not counting the chance to be infinite. False when the sum is too large. */
static bool take_level(struct dual *d, uint64_t level, size_t *at) {
  struct level *sum = &d->levels[d->level_count];
  *sum = (struct level){0};
  for (size_t i = 0; i < d->part_count; i++) {
    struct part *part = &d->parts[i];
    const struct survival *law = part->law;
    while (law->tail[at[i]] - survival_infinity(law) > level)
      at[i]++;
    uint64_t u = part->u_ns[d->level_count] = grid_value_ns(d->grid, at[i]), product;
    if (__builtin_mul_overflow(part->count, u, &product) ||
        __builtin_add_overflow(sum->total_ns, product, &sum->total_ns) || sum->total_ns > TOTAL_MAX)
      return false;
    sum->integral += part->count * part->integral[at[i]];
  }
  return true;
}

static void make_levels(struct dual *d) {
  size_t *at = mem_alloc(d->part_count, sizeof *at);
  d->levels = mem_alloc(LEVELS_MAX, sizeof *d->levels);
  for (size_t i = 0; i < d->part_count; i++)
    d->parts[i].u_ns = mem_alloc(LEVELS_MAX, sizeof *d->parts[i].u_ns);
  for (uint64_t level = SURVIVAL_ONE;; level = level_next(level)) {
    if (d->level_count == LEVELS_MAX || !take_level(d, level, at))
      break;
    const struct level *made = &d->levels[d->level_count];
    if (d->level_count == 0 || made->total_ns != made[-1].total_ns)
      d->level_count++;
    if (level == 0)
      break;
  }
  mem_free(at);
}

/* The numerator for this level and D; false when it is 1 or more, or does not fit. */
static bool numerator(uint128 *sum, const struct dual *d, size_t level, uint64_t width) {
  uint128 limit = (uint128)width * SURVIVAL_ONE;
  *sum = 0;
  for (size_t i = 0; i < d->part_count; i++) {
    const struct part *part = &d->parts[i];
    uint64_t u = part->u_ns[level];
    uint128 far = 0, product;
    if (d->side == SIDE_UPPER)
      far = integral_to(part, u + width);
    else if (u > width)
      far = integral_to(part, u - width);
    if (__builtin_mul_overflow(far, (uint128)part->count, &product) ||
        __builtin_add_overflow(*sum, product, sum))
      return false;
  }
  uint128 near = d->levels[level].integral;
  *sum = d->side == SIDE_UPPER ? *sum - near : near - *sum;
  return *sum < limit;
}

/* The bound of the chance to exceed t, or to fall short of it, from the u_i of this level. */
static uint64_t bound_of(const struct dual *d, size_t level, uint64_t t_ns) {
  uint64_t total = d->levels[level].total_ns;
  uint64_t width = d->side == SIDE_UPPER ? t_ns + d->step_ns - total : total - t_ns;
  uint128 sum;
  if (!numerator(&sum, d, level, width))
    return SURVIVAL_ONE;
  return (uint64_t)((sum + width - 1) / width);
}

/* The levels whose u_i leave room for t are from *first to *last - 1. */
static void usable(const struct dual *d, uint64_t t_ns, size_t *first, size_t *last) {
  size_t low = 0, high = d->level_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (d->levels[middle].total_ns <= t_ns)
      low = middle + 1;
    else
      high = middle;
  }
  *first = d->side == SIDE_UPPER ? 0 : low;
  *last = d->side == SIDE_UPPER ? low : d->level_count;
}

static bool try_level(const struct dual *d, size_t level, uint64_t t_ns, uint64_t *best,
                      size_t *best_at) {
  uint64_t bound = bound_of(d, level, t_ns);
  if (bound >= *best)
    return false;
  *best = bound;
  *best_at = level;
  return true;
}

/* The least bound found among the levels near *at, or near the best of all when `scan`. */
static uint64_t search(const struct dual *d, uint64_t t_ns, size_t *at, bool scan) {
  size_t first, last;
  usable(d, t_ns, &first, &last);
  if (first == last)
    return SURVIVAL_ONE;
  if (*at < first || *at >= last)
    *at = *at < first ? first : last - 1;
  uint64_t best = bound_of(d, *at, t_ns);
  for (size_t level = first; scan && level < last; level += 16)
    try_level(d, level, t_ns, &best, at);
  for (size_t step = 8; step > 0; step /= 2) {
    bool better = true;
    while (better) {
      better = *at >= first + step && try_level(d, *at - step, t_ns, &best, at);
      better = (*at + step < last && try_level(d, *at + step, t_ns, &best, at)) || better;
    }
  }
  return best;
}

/* The value which the tail at a point says is exceeded: on the upper side the point; on the lower,
 * where what lies between two points is rounded down, the last before the next. */
static uint64_t t_of(const struct dual *d, size_t k) {
  return d->side == SIDE_UPPER ? grid_value_ns(d->grid, k)
                               : grid_value_ns(d->grid, k + 1) - d->step_ns;
}

/* The bounds are right at all later points, on the lower side at all earlier ones. */
static void search_all(struct survival *z, const struct dual *d) {
  size_t count = grid_count(d->grid), at = 0;
  uint64_t best = SURVIVAL_ONE;
  bool upper = d->side == SIDE_UPPER;
  for (size_t i = 0; i < count; i++) {
    size_t k = upper ? i : count - 1 - i;
    uint64_t bound = SURVIVAL_ONE;
    if (upper || i > 0)
      bound = search(d, t_of(d, k), &at, i % SCAN_EVERY == 0);
    best = bound < best ? bound : best;
    z->tail[k] = upper ? best : SURVIVAL_ONE - best;
  }
}

void joint_dual(struct survival *z, const struct copies *parts, size_t part_count) {
  struct dual d = {.grid = &z->grid, .side = z->side, .part_count = part_count};
  d.step_ns = grid_is_linear(d.grid) ? UINT64_C(1) << d.grid->shift : 1;
  d.parts = mem_alloc(part_count, sizeof *d.parts);
  for (size_t i = 0; i < part_count; i++) {
    survival_require_alike(z, parts[i].survival);
    d.parts[i] = (struct part){.law = parts[i].survival, .count = parts[i].count};
    integrate(&d.parts[i]);
  }
  make_levels(&d);
  struct survival result;
  survival_init_side(&result, d.grid, d.side);
  search_all(&result, &d);
  survival_set(z, &result);
  survival_clear(&result);
  for (size_t i = 0; i < part_count; i++) {
    mem_free(d.parts[i].integral);
    mem_free(d.parts[i].u_ns);
  }
  mem_free(d.levels);
  mem_free(d.parts);
}
