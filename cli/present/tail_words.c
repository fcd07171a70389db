/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tail` says in words of its answer (tail.h). */
#include <math.h>

#include "base/duration.h"
#include "cli/present/tail.h"

static void append_ns(struct text *text, double ns) {
  if (isfinite(ns))
    duration_print_nearest(text, (int64_t)llround(ns));
  else
    text_append(text, ns < 0 ? "-infinite" : "infinite");
}

static double percent(const struct tail_share *share) {
  return share->of == 0 ? 0 : 100 * (double)share->count / (double)share->of;
}

/* --- who is slow ------------------------------------------------------------------------------ */

static void append_labels(struct text *text, const settings *list) {
  for (size_t i = 0; i < list->count; i++)
    text_format(text, "%s%s=%s", i == 0 ? "" : ", ", list->data[i].name, list->data[i].value);
}

static void describe_one(struct text *text, const struct tail_answer *a) {
  text_format(text, "Request %s takes ", a->request->request);
  append_ns(text, (double)a->causes.latency[a->one]);
  text_format(text, "; the %zu others take ", a->split.rest);
  append_ns(text, a->report.latency.rest);
  text_append(text, " on average.");
}

void tail_sides_say(struct text *text, const struct tail_answer *a) {
  const struct tail_split *split = &a->split;
  if (a->verdict == TAIL_ONE) {
    describe_one(text, a);
    return;
  }
  if (!split->by_label) {
    text_format(text, "%zu of %zu requests are slow: they take longer than ", split->slow,
                split->requests);
    if (split->thresholds != NULL) {
      text_format(text, "p%g of their root, of which there are %zu. With --above p%g all have one.",
                  a->percent, a->roots, a->percent);
      return;
    }
    append_ns(text, (double)split->threshold);
    if (a->percent > 0)
      text_format(text, " (p%g)", a->percent);
    text_append(text, ".");
    return;
  }
  text_format(text, "%zu of %zu requests are slow: they have ", split->slow, split->requests);
  append_labels(text, &a->request->slow);
  text_format(text, ". They are held against %zu ", split->rest);
  if (a->request->against.count == 0)
    text_append(text, "others. ");
  else {
    text_append(text, "with ");
    append_labels(text, &a->request->against);
    text_append(text, ". ");
  }
  append_ns(text, (double)split->threshold);
  text_format(text,
              " tells them best apart: %.0f %% of the slow ones take longer, %.0f %% of the "
              "others.",
              percent(&a->report.slow_above), percent(&a->report.rest_above));
}

static void describe_latency(struct text *text, const struct tail_difference *d) {
  text_append(text, "On average a slow request takes ");
  append_ns(text, d->slow);
  text_append(text, ", another ");
  append_ns(text, d->rest);
  text_append(text, ".");
}

void tail_means_say(struct text *text, const struct tail_answer *a) {
  if (a->verdict == TAIL_ONE)
    return;
  describe_latency(text, &a->report.latency);
}

/* --- the verdict ------------------------------------------------------------------------------ */

/* What would be enough. */
static void describe_too_few(struct text *text, const struct tail_answer *a) {
  size_t requests = a->split.requests;
  text_format(text,
              "CANNOT TELL: %zu %s slow and %zu %s not; with fewer than %d of each nothing can be "
              "told from chance.",
              a->split.slow, a->split.slow == 1 ? "is" : "are", a->split.rest,
              a->split.rest == 1 ? "is" : "are", TAIL_LEAST);
  if (a->percent > 0)
    text_format(text, " For p%g it takes %.0f requests.", a->percent,
                ceil(TAIL_LEAST / (1 - a->percent / 100) - 1e-6));
  if (!a->split.by_label && requests >= 2 * TAIL_LEAST)
    text_format(text, " These do for --above p%.0f.",
                floor(100 * (1 - (double)TAIL_LEAST / (double)requests)));
}

static void describe_not_slower(struct text *text, const struct tail_report *report) {
  text_append(text, "CANNOT TELL: ");
  if (report->latency.difference <= 0)
    text_append(text, "the requests with that label are not slower than the others on average.");
  else if (report->latency.least <= 0)
    text_append(text, "the requests with that label are not slower than the others beyond chance. "
                      "More requests would show a smaller difference.");
  else if (report->course == TAIL_WITHIN)
    text_append(text, "the requests with that label take longer on average, but within blocks of "
                      "time neither most of them nor the longest do beyond chance.");
  else
    text_append(text, "the requests with that label take longer on average, but those that do come "
                      "in few stretches of time, which chance may put on either side. What made "
                      "the slowest slow is another question: --above p90.");
}

static void describe_no_cause(struct text *text, const struct tail_report *report) {
  text_format(text, "CANNOT TELL: none of %zu causes is significant. ", report->tested);
  if (report->findings.count != 0 && report->findings.data[0].difference.least > 0)
    text_append(text, "The interval of the largest difference is above 0, but it is of few "
                      "requests, or of few stretches of time, and so many causes were tried that "
                      "chance may make one so large.");
  else
    text_append(text, "More slow requests would show smaller differences.");
}

static void describe_explained(struct text *text, const struct tail_answer *a) {
  const struct tail_report *report = &a->report;
  size_t few = report->named < report->significant ? report->significant : report->named;
  if (report->services.count != report->tested && report->services.count != 0)
    text_format(text, "%zu of %zu services and ways to one, and %zu of their ", report->named,
                report->services.count, report->significant);
  else
    text_format(text, "%zu of ", report->significant);
  text_format(text, "%zu causes %s significant: with %g %% confidence none is named by chance.",
              report->tested, few == 1 ? "is" : "are", 100 * (1 - a->level));
}

void tail_verdict_say(struct text *text, const struct tail_answer *a) {
  const struct tail_report *report = &a->report;
  switch (a->verdict) {
  case TAIL_TOO_FEW:
    describe_too_few(text, a);
    break;
  case TAIL_NOT_SLOWER:
    describe_not_slower(text, report);
    break;
  case TAIL_NO_CAUSE:
    describe_no_cause(text, report);
    break;
  default:
    describe_explained(text, a);
  }
}
