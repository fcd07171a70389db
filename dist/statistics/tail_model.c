/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/tail_model.h"

#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "dist/statistics/chance.h"
#include "dist/statistics/pareto.h"

enum { SHAPES = 48, VALUES_LEAST = 10, EXCEEDANCES_MOST = 4000 };
static const double misfit_most = 1.95; /* Kolmogorov's: beyond it once in a thousand */
static const double factor_most = 1000;

/* The fit with its likelihood region: at each shape the greatest scale in it. */
struct fit {
  struct excess_group *groups; /* owned */
  size_t count;
  double exceedances;
  struct pareto best;
  struct pareto region[SHAPES];
  double chance; /* of exceeding the threshold, at most */
};

static uint64_t wanted_exceedances(uint64_t n) {
  double by_power = floor(pow((double)n, 2.0 / 3));
  double tenth = floor((double)n / 10);
  return (uint64_t)fmin(fmin(by_power, tenth), EXCEEDANCES_MOST);
}

static void say_ns(struct text *text, double ns) {
  if (ns < 1e3)
    text_format(text, "%.4g ns", ns);
  else if (ns < 1e6)
    text_format(text, "%.4g us", ns / 1e3);
  else if (ns < 1e9)
    text_format(text, "%.4g ms", ns / 1e6);
  else
    text_format(text, "%.4g s", ns / 1e9);
}

/* Whether the sample can be fitted at all. */
static bool is_suitable(const struct sample *sample, const char *path, struct text *text) {
  uint64_t wanted = wanted_exceedances(sample->total);
  if (sample->beyond != 0)
    text_format(text,
                "no tail is fitted to %s: %" PRIu64 " of its observations are only known to exceed "
                "the others; leave the tail infinite or justify a cap",
                path, sample->beyond);
  else if (sample->real < sample->total)
    text_format(text,
                "no tail is fitted to %s: %" PRIu64 " of its %" PRIu64
                " counts are no observations but were filled in; give the uncorrected recording",
                path, sample->total - sample->real, sample->total);
  else if (wanted < TAIL_MODEL_LEAST)
    text_format(text,
                "no tail is fitted to %s: %" PRIu64 " observations leave %" PRIu64
                " above the threshold, fewer than %d; make at least %d",
                path, sample->total, wanted, TAIL_MODEL_LEAST, 10 * TAIL_MODEL_LEAST);
  else
    return true;
  return false;
}

/* The first bin above the threshold, which is the upper edge of the bin before; 0 when none. */
static size_t find_threshold(const struct sample *sample, uint64_t *exceedances) {
  uint64_t wanted = wanted_exceedances(sample->total), above = 0;
  size_t i = sample->count;
  while (i > 0 && above < wanted)
    above += sample->bins[--i].count;
  *exceedances = above;
  return i;
}

static void take_excesses(struct fit *fit, const struct sample *sample, size_t first,
                          uint64_t threshold) {
  fit->count = sample->count - first;
  fit->groups = mem_alloc(fit->count, sizeof *fit->groups);
  for (size_t i = 0; i < fit->count; i++) {
    const struct sample_bin *bin = &sample->bins[first + i];
    fit->groups[i] = (struct excess_group){(double)(bin->upper_ns - threshold), (double)bin->count};
    fit->exceedances += (double)bin->count;
  }
}

/* The largest distance of observed and fitted shares at the edges, times the root of their number.
 */
static double misfit(const struct fit *fit) {
  double above = fit->exceedances, worst = 0;
  for (size_t i = 0; i < fit->count; i++) {
    above -= fit->groups[i].count;
    double distance = fabs(above / fit->exceedances - pareto_tail(fit->best, fit->groups[i].value));
    worst = fmax(worst, distance);
  }
  return worst * sqrt(fit->exceedances);
}

static bool fit_region(struct fit *fit, double alpha, struct tail_model *model) {
  double best = pareto_log_likelihood(fit->best, fit->groups, fit->count);
  double level = best + log(alpha);
  double least = pareto_shape_limit(fit->best, -1, level, fit->groups, fit->count);
  model->shape_most = pareto_shape_limit(fit->best, 1, level, fit->groups, fit->count);
  for (int i = 0; i < SHAPES; i++) {
    double shape = least + (model->shape_most - least) * i / (SHAPES - 1);
    fit->region[i] =
        (struct pareto){shape, pareto_scale_limit(shape, level, fit->groups, fit->count)};
  }
  return model->shape_most < 1;
}

/* Refusals that need the fit. */
static bool is_trustworthy(struct fit *fit, double alpha, struct tail_model *model,
                           const char *path, struct text *text) {
  if (fit->count < VALUES_LEAST) {
    text_format(text,
                "no tail is fitted to %s: its observations above the threshold take %zu values, "
                "fewer than %d; record with a finer clock",
                path, fit->count, VALUES_LEAST);
    return false;
  }
  fit->best = pareto_fit(fit->groups, fit->count);
  model->shape = fit->best.shape;
  model->scale_ns = fit->best.scale;
  if (misfit(fit) > misfit_most) {
    text_format(text,
                "no tail is fitted to %s: its %" PRIu64 " largest observations do not follow a "
                "generalised Pareto law (rare modes?); leave the tail infinite or justify a cap",
                path, model->exceedances);
    return false;
  }
  if (fit_region(fit, alpha, model))
    return true;
  text_format(text,
              "no tail is fitted to %s: with %" PRIu64 " observations above the threshold a shape "
              "of 1, that is an infinite mean, cannot be excluded (best fit %.2f); make more",
              path, model->exceedances, model->shape);
  return false;
}

/* The inflated tail, before it is raised. */
static double inflated(const struct fit *fit, double excess) {
  double worst = 0;
  for (int i = 0; i < SHAPES; i++)
    worst = fmax(worst, pareto_tail(fit->region[i], excess));
  return fit->chance * worst;
}

/* The factor that raises the tail above the band up to the largest observation, also just before
 * each edge, where it is lowest against it. */
static double factor_needed(const struct fit *fit, const struct survival *s, uint64_t threshold) {
  double factor = 1;
  uint64_t from = threshold;
  for (size_t i = 0; i < fit->count; i++) {
    uint64_t to = threshold + (uint64_t)fit->groups[i].value;
    double tail = inflated(fit, fit->groups[i].value);
    factor = fmax(factor, (double)survival_tail(s, from) / (double)SURVIVAL_ONE / tail);
    from = to;
  }
  return factor;
}

static void extend(struct survival *s, const struct fit *fit, const struct tail_model *model) {
  size_t first = grid_index_upper(&s->grid, model->largest_ns);
  for (size_t k = first; k < grid_count(&s->grid); k++) {
    double excess = (double)(grid_value_ns(&s->grid, k) - model->threshold_ns);
    double tail = model->factor * inflated(fit, excess) * (1 + 1e-9) * (double)SURVIVAL_ONE;
    if (tail < (double)s->tail[k])
      s->tail[k] = (uint64_t)tail + 1;
    if (k > 0 && s->tail[k] > s->tail[k - 1])
      s->tail[k] = s->tail[k - 1];
  }
}

static void tell(const struct tail_model *model, const struct sample *sample, const char *path,
                 struct text *text) {
  text_format(text, "model-based, not proved: beyond ");
  say_ns(text, (double)model->largest_ns);
  text_format(text,
              ", the largest of the %" PRIu64 " observations in %s, the tail is a generalised "
              "Pareto law fitted to the %" PRIu64 " above ",
              sample->total, path, model->exceedances);
  say_ns(text, (double)model->threshold_ns);
  text_format(text, " (shape %.3f, taken up to %.3f; scale ", model->shape, model->shape_most);
  say_ns(text, model->scale_ns);
  text_format(
      text,
      "; raised %.2f times to lie above the band); percentiles above %.5f %% of it "
      "depend on that; rare modes, mixtures and dependent observations make such a tail too "
      "light, and its confidence is asymptotic only",
      model->factor, 100 * (1 - (double)model->tail / (double)SURVIVAL_ONE));
}

static bool raise(struct fit *fit, const struct survival *s, struct tail_model *model,
                  const char *path, struct text *text) {
  if (grid_index_upper(&s->grid, model->largest_ns) >= grid_count(&s->grid)) {
    text_format(text, "no tail is fitted to %s: its largest observation lies beyond the grid",
                path);
    return false;
  }
  model->factor = factor_needed(fit, s, model->threshold_ns);
  if (model->factor <= factor_most)
    return true;
  text_format(text,
              "no tail is fitted to %s: the fit lies %.0f times below the certified band at the "
              "largest observations; leave the tail infinite or justify a cap",
              path, model->factor);
  return false;
}

bool tail_model_apply(struct survival *s, struct tail_model *model, const struct sample *sample,
                      uint64_t alpha, const char *path, struct text *text) {
  if (s->side != SIDE_UPPER || alpha < 2 || alpha >= SURVIVAL_ONE)
    bug("a tail model of a lower bound, or at no risk");
  *model = (struct tail_model){.factor = 1};
  if (!is_suitable(sample, path, text))
    return false;
  size_t first = find_threshold(sample, &model->exceedances);
  if (first == 0) {
    text_format(text, "no tail is fitted to %s: nearly all of its observations are alike", path);
    return false;
  }
  struct fit fit = {0};
  model->threshold_ns = sample->bins[first - 1].upper_ns;
  model->largest_ns = sample->bins[sample->count - 1].upper_ns;
  take_excesses(&fit, sample, first, model->threshold_ns);
  fit.chance =
      (double)chance_upper(model->exceedances, sample->real, alpha / 2) / (double)SURVIVAL_ONE;
  double half = (double)(alpha / 2) / (double)SURVIVAL_ONE;
  bool good = is_trustworthy(&fit, half, model, path, text) && raise(&fit, s, model, path, text);
  if (good) {
    model->tail = survival_infinity(s);
    extend(s, &fit, model);
    tell(model, sample, path, text);
  }
  mem_free(fit.groups);
  return good;
}
