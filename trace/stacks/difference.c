/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/difference.h"

#include <math.h>
#include <stdlib.h>

#include "dist/statistics/holm.h"
#include "dist/statistics/special.h"
#include "dist/statistics/spectrum.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/hot.h"

/* Independent samples that a profile has to count for, else nothing is said: as of a series
 * (dist/statistics/serial.h). */
static const double WORTH_LEAST = 40;

/* A profile by its texts, with the numbers that its frames and nodes have in the difference. */
struct difference_side {
  struct stack_profile by_text;
  uint32_t *frames, *nodes;
  uint64_t *own;    /* weight by frame of the difference */
  uint32_t *leaves; /* by sample: its innermost frame there; UINT32_MAX: it has none */
};

static void compared_init(struct difference_side *compared, const struct stack_profile *profile) {
  stack_profile_init(&compared->by_text);
  stack_profile_by_function(&compared->by_text, profile);
}

static void compared_clear(struct difference_side *compared) {
  stack_profile_clear(&compared->by_text);
  mem_free(compared->frames);
  mem_free(compared->nodes);
  mem_free(compared->own);
  mem_free(compared->leaves);
}

/* Adds the stacks, without weights. */
static void add_stacks(struct stack_profile *both, struct difference_side *compared) {
  const struct stack_profile *profile = &compared->by_text;
  compared->frames = mem_alloc(profile->frames.count, sizeof *compared->frames);
  compared->nodes = mem_alloc(profile->nodes.count, sizeof *compared->nodes);
  for (size_t i = 0; i < profile->frames.count; i++) {
    struct slice name = profile->names.texts.data[profile->frames.data[i].function];
    struct stack_frame frame = {.function = names_number(&both->names, name)};
    compared->frames[i] = stack_profile_frame(both, &frame);
  }
  for (size_t i = 1; i < profile->nodes.count; i++) {
    const struct stack_node *node = &profile->nodes.data[i];
    compared->nodes[i] =
        stack_profile_node(both, compared->nodes[node->parent], compared->frames[node->frame]);
  }
}

static void sum_own(struct difference_side *compared, size_t frames) {
  const struct stack_profile *profile = &compared->by_text;
  compared->own = mem_alloc(frames, sizeof *compared->own);
  for (size_t i = 1; i < profile->nodes.count; i++)
    compared->own[compared->frames[profile->nodes.data[i].frame]] += profile->nodes.data[i].own;
}

static void list_leaves(struct difference_side *compared) {
  const struct stack_profile *profile = &compared->by_text;
  compared->leaves = mem_alloc(profile->samples.count, sizeof *compared->leaves);
  for (size_t i = 0; i < profile->samples.count; i++) {
    uint32_t node = profile->samples.data[i].node;
    compared->leaves[i] =
        node == 0 ? UINT32_MAX : compared->frames[profile->nodes.data[node].frame];
  }
}

static double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : (double)part / (double)whole;
}

/* The sequence of samples in and not in a function (a frame of the difference). */
static void spectrum_of(struct spectrum *spectrum, const struct difference_side *compared,
                        uint32_t frame) {
  size_t count = compared->by_text.samples.count, length = spectrum_cell_length(count);
  double cells[SPECTRUM_CELLS] = {0}, hits = 0;
  for (size_t i = 0; i < length * spectrum_cell_count(count); i++)
    if (compared->leaves[i] == frame) {
      cells[i / length]++;
      hits++;
    }
  double part = count == 0 ? 0 : hits / (double)count;
  spectrum_init(spectrum, cells, count, part * (1 - part));
}

/* What a side says about a function. */
struct difference_evidence {
  double part, samples; /* its share, of so many that count as independent */
  double effect;        /* how many samples tell as much as one that is; of this estimate: */
  double freedom;
};

static struct difference_evidence evidence_of(const struct difference_side *compared,
                                              uint32_t frame) {
  const struct stack_profile *profile = &compared->by_text;
  struct difference_evidence evidence = {.part = share(compared->own[frame], profile->total),
                                         .samples = stack_evidence_of(profile, 1, 0.5).samples,
                                         .effect = 1,
                                         .freedom = INFINITY};
  struct spectrum spectrum;
  size_t freedom;
  spectrum_of(&spectrum, compared, frame);
  evidence.effect = spectrum_long_run(&spectrum, &freedom);
  evidence.freedom = freedom < SPECTRUM_NARROWEST ? INFINITY : (double)freedom;
  return evidence;
}

/* With nothing changed both depend as much; a side that has not seen a function does not tell.
 * False: neither does the other, or what goes on lasts too long for a profile of this length. */
static bool weaken(struct difference_evidence *a, struct difference_evidence *b) {
  a->effect = b->effect = fmax(a->effect, b->effect);
  a->freedom = b->freedom = fmin(a->freedom, b->freedom);
  a->samples /= a->effect;
  b->samples /= b->effect;
  return isfinite(a->freedom) && fmin(a->samples, b->samples) >= WORTH_LEAST;
}

/* Whole numbers of samples, in and not in a function. */
struct difference_table {
  double in_before, all_before, in_after, all_after;
};

/* Sums that take too long, or whose logarithms lose too many digits, have a limit instead. */
static const double DEVIATION_LEAST = 1000, ALL_MOST = 1e9;

/* Of as large numbers as these the hypergeometric law is normal: at 6 deviations from its mean the
 * tail is off by less than a twentieth. */
static double normal_chance(double mean, double deviation, double seen) {
  double distance = fmax(0, fabs(seen - mean) - 0.5) / deviation;
  return erfc(distance / sqrt(2));
}

/* P(at least `seen` of the `in` are of the first), `in` being few among very many. */
static double limit_from(double seen, double in, double part) {
  return special_binomial_from((uint64_t)seen, part, (uint64_t)in);
}

static double table_chance(const struct difference_table *t) {
  double all = t->all_before + t->all_after, in = t->in_before + t->in_after;
  double part = t->all_before / all;
  double deviation = sqrt(in * part * (1 - part) * fmax(0, 1 - in / all));
  if (deviation > DEVIATION_LEAST)
    return normal_chance(in * part, deviation, t->in_before);
  if (all > ALL_MOST)
    return 2 * fmin(limit_from(t->in_before, in, part), limit_from(t->in_after, in, 1 - part));
  uint64_t a = (uint64_t)t->in_before, b = (uint64_t)t->in_after;
  uint64_t all_a = (uint64_t)t->all_before, all_b = (uint64_t)t->all_after;
  return 2 * fmin(special_hypergeometric_from(a, a + b, all_a + all_b - a - b, all_a),
                  special_hypergeometric_from(b, a + b, all_a + all_b - a - b, all_b));
}

/* Fisher's exact test, both ways, of those in a function or of those that are not: the fewer. */
static double exact_chance(const struct difference_evidence *before,
                           const struct difference_evidence *after) {
  struct difference_table t = {.all_before = floor(fmax(1, before->samples)),
                               .all_after = floor(fmax(1, after->samples))};
  t.in_before = floor(before->part * t.all_before + 0.5);
  t.in_after = floor(after->part * t.all_after + 0.5);
  if (2 * (t.in_before + t.in_after) > t.all_before + t.all_after) {
    t.in_before = t.all_before - t.in_before;
    t.in_after = t.all_after - t.in_after;
  }
  return fmin(1, table_chance(&t));
}

/* Student's t of the difference, as how many samples count is known from a few frequencies only. */
static double student_chance(const struct difference_evidence *before,
                             const struct difference_evidence *after) {
  double both = (before->part * before->samples + after->part * after->samples) /
                (before->samples + after->samples);
  double variance = both * (1 - both) * (1 / before->samples + 1 / after->samples);
  if (variance <= 0 || isinf(before->freedom))
    return 0;
  return 2 *
         special_student_above(fabs(before->part - after->part) / sqrt(variance), before->freedom);
}

static int by_chance(const void *a, const void *b) {
  const struct stack_change *x = a, *y = b;
  if (x->chance != y->chance)
    return x->chance < y->chance ? -1 : 1;
  return (x->frame > y->frame) - (x->frame < y->frame);
}

static int by_size(const void *a, const void *b) {
  const struct stack_change *x = a, *y = b;
  double by_x = fabs(x->share_after - x->share_before),
         by_y = fabs(y->share_after - y->share_before);
  if (x->significant != y->significant)
    return x->significant ? -1 : 1;
  if (by_x != by_y)
    return by_x > by_y ? -1 : 1;
  return (x->frame > y->frame) - (x->frame < y->frame);
}

static void judge(struct stack_difference *difference, double level) {
  size_t count = difference->changes.count;
  struct holm holm = {.left = count};
  if (count == 0)
    return;
  qsort(difference->changes.data, count, sizeof *difference->changes.data, by_chance);
  for (size_t i = 0; i < count; i++) {
    struct stack_change *change = &difference->changes.data[i];
    change->chance = holm_next(&holm, change->chance);
    change->significant = difference->counted && change->settled && change->chance < level;
    difference->significant += change->significant;
  }
  qsort(difference->changes.data, count, sizeof *difference->changes.data, by_size);
}

/* Processor time that no sample stands for may be all in a function, or none of it: of the shares
 * that each side can have, those that are nearest to each other. */
static void bring_together(struct difference_evidence *a, double unseen_a,
                           struct difference_evidence *b, double unseen_b) {
  double least_a = a->part * (1 - unseen_a), least_b = b->part * (1 - unseen_b);
  if (least_a > least_b + unseen_b) {
    a->part = least_a;
    b->part = least_b + unseen_b;
  } else if (least_b > least_a + unseen_a) {
    a->part = least_a + unseen_a;
    b->part = least_b;
  } else {
    a->part = b->part = fmax(least_a, least_b);
  }
}

static double chance_of(struct difference_evidence *a, double unseen_a,
                        struct difference_evidence *b, double unseen_b) {
  if (unseen_a > 0 || unseen_b > 0)
    bring_together(a, unseen_a, b, unseen_b);
  return a->part == b->part ? 1 : fmax(exact_chance(a, b), student_chance(a, b));
}

static double unseen_of(const struct difference_side *side) {
  return stack_evidence_of(&side->by_text, 1, 0.5).unseen;
}

/* As large as it takes for the normal law. */
static const double FREEDOM_NORMAL = 1e7;

static void limits_of(double *lower, double *upper, const struct difference_side *side,
                      uint32_t frame, const struct difference_evidence *evidence, double tail) {
  double samples = evidence->samples;
  if (isfinite(evidence->freedom)) {
    double ratio = special_student_quantile_above(tail, FREEDOM_NORMAL) /
                   special_student_quantile_above(tail, evidence->freedom);
    samples *= ratio * ratio;
  }
  const struct stack_evidence share = {
      .whole = side->by_text.total, .samples = samples, .unseen = unseen_of(side), .tail = tail};
  stack_share(lower, upper, side->own[frame], &share);
}

/* By how much the share grew. */
static void bound(struct stack_change *change, const struct difference_side *before,
                  const struct difference_evidence *a, const struct difference_side *after,
                  const struct difference_evidence *b, double tail) {
  double lower[2], upper[2];
  limits_of(&lower[0], &upper[0], before, change->frame, a, tail);
  limits_of(&lower[1], &upper[1], after, change->frame, b, tail);
  change->least = lower[1] - upper[0];
  change->most = upper[1] - lower[0];
}

static void add_change(struct stack_difference *difference, const struct difference_side *before,
                       const struct difference_side *after, uint32_t frame, double tail) {
  struct stack_change change = {
      .frame = frame, .before = before->own[frame], .after = after->own[frame], .chance = 1};
  if (change.before == 0 && change.after == 0)
    return;
  change.share_before = share(change.before, before->by_text.total);
  change.share_after = share(change.after, after->by_text.total);
  if (difference->counted) {
    struct difference_evidence a = evidence_of(before, frame), b = evidence_of(after, frame);
    change.settled = !difference->timed || weaken(&a, &b);
    change.most = 1;
    change.least = -1;
    if (change.settled)
      bound(&change, before, &a, after, &b, tail);
    difference->dependence = difference->timed ? fmax(difference->dependence, a.effect) : 0;
    change.chance = change.settled ? chance_of(&a, unseen_of(before), &b, unseen_of(after)) : 1;
    difference->unsettled += !change.settled;
  }
  vector_push(&difference->changes, change);
}

static void set_weights(struct stack_difference *difference, const struct difference_side *before,
                        const struct difference_side *after) {
  struct stack_profile *both = &difference->profile;
  difference->before = mem_alloc(both->nodes.count, sizeof *difference->before);
  for (size_t i = 0; i < before->by_text.nodes.count; i++)
    difference->before[before->nodes[i]] += before->by_text.nodes.data[i].own;
  for (size_t i = 0; i < after->by_text.nodes.count; i++)
    stack_profile_add(both, after->nodes[i], after->by_text.nodes.data[i].own);
  difference->before_total = before->by_text.total;
  both->unit = after->by_text.unit;
  both->count = after->by_text.count;
}

void stack_difference_find(struct stack_difference *difference, const struct stack_profile *before,
                           const struct stack_profile *after, double level) {
  struct difference_side first, second;
  *difference = (struct stack_difference){0};
  difference->counted = before->count != 0 && after->count != 0;
  difference->timed = before->samples.count != 0 && after->samples.count != 0;
  stack_profile_init(&difference->profile);
  compared_init(&first, before);
  compared_init(&second, after);
  add_stacks(&difference->profile, &first);
  add_stacks(&difference->profile, &second);
  sum_own(&first, difference->profile.frames.count);
  sum_own(&second, difference->profile.frames.count);
  list_leaves(&first);
  list_leaves(&second);
  set_weights(difference, &first, &second);
  size_t seen = 0;
  for (size_t i = 0; i < difference->profile.frames.count; i++)
    seen += first.own[i] != 0 || second.own[i] != 0;
  for (uint32_t i = 0; i < difference->profile.frames.count; i++)
    add_change(difference, &first, &second, i, level / 4 / (double)seen);
  judge(difference, level);
  compared_clear(&first);
  compared_clear(&second);
}

void stack_difference_clear(struct stack_difference *difference) {
  stack_profile_clear(&difference->profile);
  mem_free(difference->before);
  vector_clear(&difference->changes);
}
