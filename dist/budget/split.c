/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/budget/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dist/budget/seek.h"

#define ROOM_MOST 1e6

enum { COARSE = 64 }; /* points */

/* Whether the points keep to the chance; they keep to the objective. */
static bool suffices(struct seek *s, const size_t *at) {
  return seek_value(s, at) <= s->objective_ns && seek_spend(s, at) <= s->of->chance;
}

/* Points that suffice at the room, or false. Exchanges end where no two parts can do better, which
 * may be far from the best; so they start several times, also from allocations for less time. */
static bool solve(struct seek *s, double room, size_t *at) {
  static const double shares[] = {1, 0.85, 0.7, 0.5};
  size_t parts = s->of->part_count, *start = mem_alloc(parts + 1, sizeof *start);
  uint64_t least = UINT64_MAX;
  s->room = room;
  for (size_t k = 0;
       k < (s->of->rough ? 1 : sizeof shares / sizeof *shares) && least > s->of->chance; k++) {
    if (!seek_allocate(s, start, shares[k]))
      continue;
    seek_exchange(s, start);
    uint64_t spend = seek_spend(s, start);
    if (spend < least) {
      least = spend;
      memcpy(at, start, parts * sizeof *at);
    }
  }
  mem_free(start);
  return least <= s->of->chance;
}

/* The greatest room at which these points suffice; they do at s->room. */
static double room_of(struct seek *s, const size_t *at) {
  double good = s->room, bad = ROOM_MOST;
  for (int i = 0; i < 200 && bad - good > 1e-9 * (1 + fabs(good)); i++) {
    s->room = good < 1 || bad < 4 ? (good + bad) / 2 : sqrt(good * bad);
    if (suffices(s, at))
      good = s->room;
    else
      bad = s->room;
  }
  s->room = good;
  return good;
}

/* Looks for more room than the present one in ever smaller steps. */
static void widen(struct seek *s, struct split_found *split) {
  static const double steps[] = {1, 0.3, 0.1, 0.03, 0.01, 0.003};
  size_t parts = s->of->part_count, *at = mem_alloc(parts + 1, sizeof *at);
  split->room = room_of(s, split->at);
  size_t last = s->of->rough ? 4 : sizeof steps / sizeof *steps;
  for (size_t k = 0; k < last && split->room < ROOM_MOST / 2;) {
    if (!solve(s, split->room + steps[k] * (1 + split->room), at)) {
      k++;
      continue;
    }
    split->room = room_of(s, at);
    memcpy(split->at, at, parts * sizeof *at);
  }
  mem_free(at);
}

/* The least common reduction that does: parts have to become faster. */
static void narrow(struct seek *s, struct split_found *split) {
  size_t parts = s->of->part_count, *at = mem_alloc(parts + 1, sizeof *at);
  double most = 0;
  for (size_t g = 0; g < parts; g++)
    most = s->of->parts[g].weight > most ? s->of->parts[g].weight : most;
  double bad = 0, good = most == 0 ? 0 : -1 / most;
  for (int i = 0; i < 12 && good < 0; i++) {
    double middle = (good + bad) / 2;
    if (!solve(s, middle, at)) {
      bad = middle;
      continue;
    }
    good = middle;
    split->found = true;
    memcpy(split->at, at, parts * sizeof *at);
  }
  s->room = good;
  if (split->found)
    widen(s, split);
  mem_free(at);
}

static bool is_within(const struct split_request *request, const struct rational *value) {
  struct rational left;
  rational_init(&left);
  rational_sub(&left, request->objective_ns, value);
  int sign = rational_sign(&left);
  rational_clear(&left);
  return request->strict ? sign > 0 : sign >= 0;
}

static uint64_t spent_by(struct seek *s, const struct promise *promises, bool *within) {
  struct rational value;
  rational_init(&value);
  spending_exact(&value, &s->spending, promises);
  *within = is_within(s->of, &value);
  rational_clear(&value);
  for (size_t g = 0; g < s->of->part_count; g++)
    s->misses[g] = promises[g].miss;
  return spending_total(&s->spending, s->misses);
}

/* All misses times a factor, but those of parts without a choice. */
static void scale_misses(struct seek *s, struct split_found *split, double factor) {
  for (size_t g = 0; g < s->of->part_count; g++) {
    const struct split_part *part = &s->of->parts[g];
    uint64_t miss = part->points[split->at[g]].miss;
    double scaled = floor((double)miss * (part->point_count > 1 ? factor : 1));
    split->promises[g].miss = scaled < (double)SURVIVAL_ONE ? (uint64_t)scaled : SURVIVAL_ONE;
    if (factor <= 1 || part->point_count == 1)
      split->promises[g].miss = miss;
  }
}

/* What is left of the chance loosens all misses alike. */
static void loosen(struct seek *s, struct split_found *split) {
  double good = 1, bad = 1024;
  bool within;
  for (int i = 0; i < 40; i++) {
    double middle = (good + bad) / 2;
    scale_misses(s, split, middle);
    *(spent_by(s, split->promises, &within) <= s->of->chance ? &good : &bad) = middle;
  }
  scale_misses(s, split, good);
  split->spent = spent_by(s, split->promises, &within);
}

static void set_limits(struct seek *s, struct split_found *split) {
  s->room = split->room;
  for (size_t g = 0; g < s->of->part_count; g++) {
    double ns = s->of->parts[g].points[split->at[g]].ns * seek_factor(s, g);
    split->promises[g].limit_ns = (uint64_t)ns;
    split->base_ns[g] = s->of->parts[g].points[split->at[g]].ns;
  }
}

/* Promises in whole nanoseconds that suffice exactly. */
static void settle(struct seek *s, struct split_found *split) {
  for (size_t g = 0; g < s->of->part_count; g++)
    split->promises[g].miss = s->of->parts[g].points[split->at[g]].miss;
  bool within = false;
  double most = split->room;
  for (double step = 1e-12; step < 1e-3; step *= 4) {
    split->room = most - step * (1 + fabs(most));
    set_limits(s, split);
    split->spent = spent_by(s, split->promises, &within);
    if (within && split->spent <= s->of->chance)
      break;
  }
  split->found = within && split->spent <= s->of->chance;
  if (split->found && !s->of->keep_points)
    loosen(s, split);
}

static int by_time(const void *left, const void *right) {
  const struct split_point *a = left, *b = right;
  return a->ns < b->ns ? -1 : a->ns > b->ns ? 1 : (b->miss > a->miss) - (b->miss < a->miss);
}

/* The part's points, and what it promises at the times of others, where branches of an order
 * statistic may have to be equally fast. Owned by the caller. */
static struct split_part aligned(const struct split_request *request, size_t part) {
  const struct split_part *own = &request->parts[part];
  struct split_part with = *own;
  size_t most = 0;
  for (size_t g = 0; g < request->part_count; g++)
    most += request->parts[g].point_count;
  struct split_point *points = mem_alloc(most, sizeof *points);
  memcpy(points, own->points, own->point_count * sizeof *points);
  for (size_t g = 0; g < request->part_count && own->point_count > 1; g++)
    for (size_t i = 0; i < request->parts[g].point_count; i++)
      if (g != part && request->parts[g].points[i].ns > own->points[0].ns)
        points[with.point_count++] =
            (struct split_point){request->parts[g].points[i].ns, SURVIVAL_ONE};
  qsort(points, with.point_count, sizeof *points, by_time);
  for (size_t i = 1; i < with.point_count; i++)
    if (points[i].miss > points[i - 1].miss)
      points[i].miss = points[i - 1].miss;
  with.points = points;
  return with;
}

static bool may_align(const struct split_request *request) {
  for (size_t g = 0; g < request->part_count; g++)
    if (request->parts[g].point_count > COARSE)
      return false;
  return request->terms->quorum_count != 0;
}

static void find(struct split_found *split, const struct split_request *request) {
  struct seek s;
  seek_init(&s, request);
  split->found = solve(&s, 0, split->at);
  if (split->found)
    widen(&s, split);
  else
    narrow(&s, split);
  if (split->found)
    settle(&s, split);
  seek_clear(&s);
}

void split_find(struct split_found *split, const struct split_request *request) {
  size_t parts = request->part_count + 1;
  *split = (struct split_found){0};
  split->at = mem_alloc(parts, sizeof *split->at);
  split->promises = mem_alloc(parts, sizeof *split->promises);
  split->base_ns = mem_alloc(parts, sizeof *split->base_ns);
  if (!may_align(request)) {
    find(split, request);
    return;
  }
  struct split_part *with = mem_alloc(parts, sizeof *with);
  for (size_t g = 0; g < request->part_count; g++)
    with[g] = aligned(request, g);
  struct split_request finer = *request;
  finer.parts = with;
  find(split, &finer);
  for (size_t g = 0; g < request->part_count; g++)
    mem_free((void *)with[g].points);
  mem_free(with);
}

void split_clear(struct split_found *split) {
  mem_free(split->at);
  mem_free(split->promises);
  mem_free(split->base_ns);
}

/* --- points ----------------------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten, at least the miss. */
static uint64_t rounded(uint64_t miss) {
  uint64_t unit = 1;
  while (!(miss <= 5 * unit))
    unit *= 10;
  return miss <= unit ? unit : miss <= 2 * unit ? 2 * unit : 5 * unit;
}

struct split_point *split_points(size_t *count, const struct survival *law, uint64_t floor,
                                 bool round) {
  VECTOR(struct split_point) points = {0};
  uint64_t kept = UINT64_MAX;
  if (floor == 0)
    floor = 1;
  for (size_t k = 0; k < grid_count(&law->grid); k++) {
    uint64_t miss = law->tail[k] > floor ? law->tail[k] : floor;
    if (round)
      miss = rounded(miss) < SURVIVAL_ONE ? rounded(miss) : SURVIVAL_ONE;
    bool last = k + 1 == grid_count(&law->grid) || law->tail[k] == survival_infinity(law);
    bool nothing = miss == SURVIVAL_ONE; /* is a promise only of what is beyond all times */
    if (miss < kept && (last || miss <= kept - kept / 43) && (last || !nothing)) {
      size_t at = nothing ? grid_count(&law->grid) - 1 : k;
      vector_push(&points, (struct split_point){(double)grid_value_ns(&law->grid, at), miss});
      kept = miss;
    }
    if (last)
      break;
  }
  *count = points.count;
  return points.data;
}
