/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/percentiles_metrics.h"

#include <inttypes.h>

#include "cli/question/percentiles/observation.h"
#include "cli/question/percentiles/percentiles.h"

enum { NS_OF_SECOND = 1000000000 };

static void head(struct text *text, const char *name, const char *help) {
  text_format(text, "# HELP tailproof_%s %s\n# TYPE tailproof_%s gauge\n", name, help, name);
}

/* Names and percentages have nothing in them that a label would have to escape. */
static void begin(struct text *text, const char *name, const struct percentiles *run) {
  text_format(text, "tailproof_%s{protocol=\"%s\",bound=\"%s\"", name,
              run->calculation.protocol.model->name, run->calculation.bound->name);
}

/* Exact: times are whole nanoseconds. */
static void end(struct text *text, bool finite, uint64_t ns) {
  if (finite)
    text_format(text, "} %" PRIu64 ".%09" PRIu64 "\n", ns / NS_OF_SECOND, ns % NS_OF_SECOND);
  else
    text_append(text, "} +Inf\n");
}

static void put_bound(struct text *text, const struct percentiles *run, const struct curve *curve,
                      const struct wanted *wanted) {
  const struct interval *i = &percentiles_at(run, curve, &wanted->share)->proved;
  const char *dependence = dependence_name(curve->estimate.dependence);
  begin(text, "bound_seconds", run);
  text_format(text, ",p=\"%s\",dependence=\"%s\",side=\"lower\"", wanted->text, dependence);
  end(text, i->lower_finite, i->lower_ns);
  begin(text, "bound_seconds", run);
  text_format(text, ",p=\"%s\",dependence=\"%s\",side=\"upper\"", wanted->text, dependence);
  end(text, i->upper_finite, i->upper_ns);
}

static void put_bounds(struct text *text, const struct percentiles *run) {
  head(text, "bound_seconds",
       "Percentile of the proved bound with the measured components: between lower and upper.");
  for (size_t w = 0; w < run->wanted.count; w++)
    for (size_t c = 0; c < run->curves.count; c++)
      put_bound(text, run, &run->curves.data[c], &run->wanted.data[w]);
}

static void put_observed(struct text *text, const struct percentiles *run) {
  head(text, "observed_seconds", "Percentile of what was observed end to end.");
  for (size_t w = 0; w < run->wanted.count; w++) {
    const struct percentile *p =
        percentiles_at(run, &run->curves.data[0], &run->wanted.data[w].share);
    begin(text, "observed_seconds", run);
    text_format(text, ",p=\"%s\"", run->wanted.data[w].text);
    end(text, p->observed_finite, p->observed_ns);
  }
}

/* One of them is 1. */
static void put_standing(struct text *text, const struct percentiles *run) {
  head(text, "observation", "What the observation says of the bound: the state that is 1.");
  for (size_t w = 0; w < run->wanted.count; w++) {
    const struct percentile *p =
        percentiles_at(run, &run->curves.data[0], &run->wanted.data[w].share);
    for (int o = OBSERVATION_DOMINATED; o <= OBSERVATION_CANNOT_TELL; o++) {
      begin(text, "observation", run);
      text_format(text, ",p=\"%s\",state=\"%s\"} %d\n", run->wanted.data[w].text,
                  observation_name((enum observation)o), p->observation == (enum observation)o);
    }
  }
}

void percentiles_print_metrics(struct text *text, const struct percentiles *run, time_t now) {
  put_bounds(text, run);
  if (run->has_observed) {
    put_observed(text, run);
    put_standing(text, run);
  }
  head(text, "calculated_timestamp_seconds", "When the percentiles were calculated.");
  begin(text, "calculated_timestamp_seconds", run);
  text_format(text, "} %lld\n", (long long)now);
}
