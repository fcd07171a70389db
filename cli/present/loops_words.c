/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tail` says in words of event loops (loops.h). */
#include <math.h>

#include "base/duration.h"
#include "cli/present/loops.h"
#include "cli/question/loops/loops.h"

const char *loops_route_name(const struct loops_answer *a, const struct loops_route *route) {
  const char *name = names_text(&a->log.names, route->judgement.route->route);
  return name[0] == '\0' ? "(no route)" : name;
}

void loops_slow_say(struct text *text, const struct loops_answer *a,
                    const struct loops_route *route) {
  const struct loop_judgement *j = &route->judgement;
  text_format(text, "%s: %zu of %zu requests are slow: they take longer than ",
              loops_route_name(a, route), j->split.slow, j->split.requests);
  duration_print_nearest(text, j->split.threshold);
  if (a->percent > 0)
    text_format(text, " (p%g)", a->percent);
  text_append(text, ".");
}

static void say_too_few(struct text *text, const struct loops_answer *a,
                        const struct loop_judgement *j) {
  if (j->split.slow < TAIL_LEAST) {
    text_format(text, "CANNOT TELL: %zu slow requests are too few; it takes %d.", j->split.slow,
                (int)TAIL_LEAST);
    if (a->percent > 0)
      text_format(text, " For p%g record %.0f requests of this route, or ask with a lower --above.",
                  a->percent, ceil(TAIL_LEAST / (1 - a->percent / 100) - 1e-6));
  } else if (j->report.slow_observed < TAIL_CLUSTERS) {
    text_format(text,
                "CANNOT TELL: the slow requests waited in %zu busy %s of the loop, and what "
                "happened so rarely may be chance; it takes %d. Record longer; a loop that is "
                "never idle has more work than it can do.",
                j->report.slow_observed, j->report.slow_observed == 1 ? "stretch" : "stretches",
                (int)TAIL_CLUSTERS);
  } else {
    text_append(text, "CANNOT TELL: too few requests are not slow; ask with a higher --above.");
  }
}

/* What slow requests took longer for without its being a cause. */
static void say_ordinary(struct text *text, const struct loop_judgement *j) {
  if (j->ordinary.count == 0)
    return;
  const struct tail_finding *first = &j->report.findings.data[j->ordinary.data[0]];
  text_format(text, " Slow requests took longer for '%s'",
              j->route->causes.causes.data[first->cause].name);
  if (j->ordinary.count > 1)
    text_format(text, " and %zu more", j->ordinary.count - 1);
  text_append(text, ", as some always do: such times become rarer the longer they are, and there "
                    "is no second kind of them.");
}

/* What is not named because the machine had too few processors. */
static void say_starved(struct text *text, const struct loop_judgement *j) {
  if (j->starved.count == 0)
    return;
  const struct tail_finding *first = &j->report.findings.data[j->starved.data[0]];
  text_format(
      text,
      " Slow requests took longer for '%s'; but processors were too few, threads of the "
      "pool had to wait for one as the loop had, and nobody can tell that from a slow disk.",
      j->route->causes.causes.data[first->cause].name);
}

void loops_verdict_say(struct text *text, const struct loops_answer *a,
                       const struct loops_route *route) {
  const struct loop_judgement *j = &route->judgement;
  if (route->verdict == LOOPS_TOO_FEW) {
    say_too_few(text, a, j);
  } else if (route->verdict == LOOPS_NO_CAUSE) {
    text_format(text,
                "Nothing stands out: no cause is more than chance and adds half of what a usual "
                "request takes (%zu looked at).",
                j->report.tested);
  } else {
    text_format(text, "%zu %s out of %zu looked at; with %g %% confidence none is named by chance.",
                j->named.count, j->named.count == 1 ? "cause stands" : "causes stand",
                j->report.tested, 100 * rational_double(&a->request->confidence));
    if (j->judged_share > 1.5 * (double)j->split.slow / (double)j->split.requests)
      text_format(text,
                  " That is judged by the slowest %.0f %%, because the slow requests waited "
                  "in few stretches of the loop.",
                  100 * j->judged_share);
  }
  if (route->verdict != LOOPS_TOO_FEW) {
    say_ordinary(text, j);
    say_starved(text, j);
  }
}
