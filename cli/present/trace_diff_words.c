/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `trace diff` says in words (trace_diff.h).
 */
#include <math.h>

#include "base/duration.h"
#include "cli/present/trace_diff.h"

static void append_ns(struct text *text, double ns) {
  duration_print_nearest(text, llround(ns));
}

void trace_diff_sides_say(struct text *text, const struct trace_diff *d) {
  text_format(text, "%zu requests before, %zu after.", d->counts[DIFF_BEFORE],
              d->counts[DIFF_AFTER]);
  if (d->failed[DIFF_BEFORE] + d->failed[DIFF_AFTER] == 0)
    return;
  text_format(text, " %zu failed before, %zu after%s", d->failed[DIFF_BEFORE],
              d->failed[DIFF_AFTER],
              d->failed_by_chance > d->level ? ": no difference beyond chance." : ".");
}

/* Roots that are more, or fewer, change the mean without any being slower. */
void trace_diff_mix_say(struct text *text, const struct trace_diff *d) {
  text_append(text, "As roots have other shares of the requests the mean changes by ");
  append_ns(text, d->mix);
  text_append(text, ", as requests of one root take another time by ");
  append_ns(text, d->report.latency.difference - d->mix);
  text_append(text, ".");
}

static void describe_change(struct text *text, const struct trace_diff *d) {
  const struct tail_difference *latency = &d->report.latency;
  bool slower = d->verdict == DIFF_SLOWER;
  text_format(text, "Requests are %s after: on average by ", slower ? "slower" : "faster");
  append_ns(text, fabs(latency->difference));
  text_append(text, ", and by ");
  append_ns(text, slower ? latency->least : -latency->most);
  text_append(text, " to ");
  append_ns(text, slower ? latency->most : -latency->least);
  text_format(text, " with %g %% confidence. ", 100 * (1 - d->level));
}

static void describe_causes(struct text *text, const struct trace_diff *d) {
  const struct tail_report *report = &d->report;
  if (report->services.count != report->tested)
    text_format(text, "%zu of %zu services and ways to one, and %zu of their ", report->named,
                report->services.count, report->significant);
  else
    text_format(text, "%zu of ", report->significant);
  size_t most = report->named > report->significant ? report->named : report->significant;
  text_format(text, "%zu causes %s beyond chance.", report->tested,
              most == 1 ? "differs" : "differ");
}

void trace_diff_verdict_say(struct text *text, const struct trace_diff *d) {
  switch (d->verdict) {
  case DIFF_TOO_FEW:
    text_format(
        text,
        "CANNOT TELL: %zu requests before and %zu after; with fewer than %d of each nothing "
        "can be told from chance.",
        d->counts[DIFF_BEFORE], d->counts[DIFF_AFTER], TAIL_LEAST);
    return;
  case DIFF_NONE:
    text_append(text, "CANNOT TELL: no difference is beyond chance. What the intervals leave open "
                      "may still be there; more requests would make them narrower.");
    return;
  case DIFF_ELSEWHERE:
    text_append(text, "The latency of all requests is not shown to differ. ");
    break;
  default:
    describe_change(text, d);
  }
  describe_causes(text, d);
}
