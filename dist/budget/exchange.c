/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exchanges between parts: one gives time or takes some, the others fill up what is left or make
 * room, and what spends less is kept.
 */
#include <string.h>

#include "base/memory.h"
#include "dist/budget/seek.h"

enum {
  FEW_PARTS = 12, /* of so many each may be the first to fill up */
  ROUNDS = 8,
};

void seek_init(struct seek *s, const struct split_request *request) {
  size_t parts = request->part_count + 1;
  *s = (struct seek){.of = request};
  spending_init(&s->spending, request->terms, request->independent);
  s->objective_ns = rational_double(request->objective_ns) * (1 - 1e-12);
  s->best = mem_alloc(parts, sizeof *s->best);
  s->trial = mem_alloc(parts, sizeof *s->trial);
  s->limits = mem_alloc(parts, sizeof *s->limits);
  s->misses = mem_alloc(parts, sizeof *s->misses);
}

void seek_clear(struct seek *s) {
  spending_clear(&s->spending);
  mem_free(s->best);
  mem_free(s->trial);
  mem_free(s->limits);
  mem_free(s->misses);
}

double seek_factor(const struct seek *s, size_t part) {
  double factor = 1 + s->of->parts[part].weight * s->room;
  return factor > 0 ? factor : 0;
}

double seek_value(struct seek *s, const size_t *at) {
  for (size_t g = 0; g < s->of->part_count; g++)
    s->limits[g] = s->of->parts[g].points[at[g]].ns * seek_factor(s, g);
  return spending_value(&s->spending, s->limits);
}

uint64_t seek_spend(struct seek *s, const size_t *at) {
  for (size_t g = 0; g < s->of->part_count; g++)
    s->misses[g] = s->of->parts[g].points[at[g]].miss;
  return spending_total(&s->spending, s->misses);
}

static bool fits(struct seek *s, const size_t *at) {
  return seek_value(s, at) <= s->objective_ns;
}

static size_t branches_counted(const struct seek *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->of->terms->children.count; i++)
    count += s->spending.counts[i];
  return count;
}

/* The slowest point of the part that fits, with at least so many branches of order statistics that
 * count; it does so as it is. */
static size_t slowest(struct seek *s, size_t *at, size_t part, size_t branches) {
  size_t now = at[part], good = now, bad = s->of->parts[part].point_count;
  while (bad - good > 1) {
    at[part] = (good + bad) / 2;
    if (fits(s, at) && branches_counted(s) >= branches)
      good = at[part];
    else
      bad = at[part];
  }
  at[part] = now;
  return good;
}

static uint64_t spend_with(struct seek *s, size_t *at, size_t part, size_t point) {
  at[part] = point;
  seek_value(s, at);
  return seek_spend(s, at);
}

/* As slow as it may be; but a branch that becomes slower than its order statistic counts no more,
 * and of fewer branches fewer have to break their promises. */
static void raise(struct seek *s, size_t *at, size_t part) {
  size_t far = slowest(s, at, part, 0);
  seek_value(s, at);
  size_t near = slowest(s, at, part, branches_counted(s));
  if (near != far && spend_with(s, at, part, near) <= spend_with(s, at, part, far))
    far = near;
  at[part] = far;
}

/* Keeps `trial`, filled up from `first` on, if it spends less than *least. */
static bool try_filled(struct seek *s, size_t first, uint64_t *least) {
  size_t parts = s->of->part_count;
  for (size_t i = 0; i < parts; i++)
    raise(s, s->trial, (first + i) % parts);
  fits(s, s->trial); /* for what counts in the spend */
  uint64_t spend = seek_spend(s, s->trial);
  if (spend >= *least)
    return false;
  *least = spend;
  memcpy(s->best, s->trial, parts * sizeof *s->best);
  return true;
}

/* The part is faster by some points, and another may fill up first. */
static bool try_faster(struct seek *s, const size_t *at, size_t part, size_t step,
                       uint64_t *least) {
  size_t parts = s->of->part_count, firsts = parts <= FEW_PARTS ? parts : 1;
  bool better = false;
  if (at[part] < step)
    return false;
  for (size_t i = 0; i < firsts; i++) {
    memcpy(s->trial, at, parts * sizeof *at);
    s->trial[part] -= step;
    better |= try_filled(s, (part + 1 + i) % parts, least);
  }
  return better;
}

/* Every other part at the slowest point within a share of its time. */
static void scale_others(struct seek *s, const size_t *at, size_t part, double share) {
  for (size_t g = 0; g < s->of->part_count; g++) {
    const struct split_point *points = s->of->parts[g].points;
    size_t low = 0, high = at[g] + 1; /* the first, or what is within; what is not */
    while (g != part && high - low > 1) {
      size_t middle = (low + high) / 2;
      if (points[middle].ns <= share * points[at[g]].ns)
        low = middle;
      else
        high = middle;
    }
    s->trial[g] = g == part ? s->trial[g] : low;
  }
}

/* The part is slower by some points, and all others make room. */
static bool try_slower(struct seek *s, const size_t *at, size_t part, size_t step,
                       uint64_t *least) {
  if (at[part] + step >= s->of->parts[part].point_count)
    return false;
  double good = 0, bad = 1;
  s->trial[part] = at[part] + step;
  for (int halving = 0; halving < 8; halving++) {
    double middle = (good + bad) / 2;
    scale_others(s, at, part, middle);
    *(fits(s, s->trial) ? &good : &bad) = middle;
  }
  scale_others(s, at, part, good);
  return fits(s, s->trial) && try_filled(s, part + 1, least);
}

void seek_exchange(struct seek *s, size_t *at) {
  static const size_t steps[] = {1, 3, 9, 27, 81};
  size_t parts = s->of->part_count;
  if (parts == 0)
    return;
  uint64_t least = UINT64_MAX;
  memcpy(s->trial, at, parts * sizeof *at);
  try_filled(s, 0, &least);
  memcpy(at, s->best, parts * sizeof *at);
  bool better = true;
  for (int round = 0; round < (s->of->rough ? 1 : ROUNDS) && better; round++) {
    better = false;
    for (size_t g = 0; g < parts; g++)
      for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        bool found = try_faster(s, at, g, steps[k], &least);
        found |= try_slower(s, at, g, steps[k], &least);
        if (found)
          memcpy(at, s->best, parts * sizeof *at);
        better |= found;
      }
  }
  fits(s, at);
}
