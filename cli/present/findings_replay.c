/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tailproof replay` as findings: whether the run follows the protocol, and for each
 * bound how close it came.
 */
#include <inttypes.h>

#include "base/duration.h"
#include "cli/present/findings.h"
#include "cli/present/replay.h"

static void add_misfit(struct findings *findings, const struct replay_run *run,
                       const struct conform *conform, const struct source *source) {
  struct text message, detail;
  text_init(&message);
  text_init(&detail);
  text_append(&message, "the run does not follow the protocol: ");
  replay_append_misfit(&message, run, conform);
  if (*conform_allowed(conform) != '\0')
    text_format(&detail, "the protocol allowed that node:\n%s", conform_allowed(conform));
  findings_add(findings, FINDING_BAD, source->name, RULE_MISFIT, "run", "does not follow",
               message.data, text_get(&detail));
  text_clear(&message);
  text_clear(&detail);
}

static void add_run(struct findings *findings, const struct replay_run *run,
                    const struct conform *conform, bool judged, const struct source *source) {
  const struct conform_counts *counts = conform_counts(conform);
  struct text message;
  text_init(&message);
  text_format(&message, "%" PRIu64 " complete instances of %zu stores, %" PRIu64 " without an end",
              counts->complete, run->recording.stores.count, counts->incomplete + run->cut_off);
  if (!run->recording.one_clock)
    text_append(&message, "; several clocks, so times are not judged");
  findings_add(findings, judged ? FINDING_GOOD : FINDING_OPEN, source->name, RULE_UNJUDGED, "run",
               judged ? "follows" : "not judged", message.data, "");
  text_clear(&message);
}

static void add_bound(struct findings *findings, const struct bound *bound,
                      const struct conform_tightness *tightness, const struct source *source) {
  struct text name, message;
  text_init(&name);
  text_init(&message);
  text_format(&name, "bound %s", bound->name);
  text_format(&message, "held %" PRIu64 " times; closest ", tightness->happened);
  duration_print_nearest(&message, tightness->time_ns);
  text_append(&message, " of ");
  duration_print_nearest(&message, tightness->limit_ns);
  text_format(&message, ", in instance %" PRIu32, tightness->instance);
  finding_set_place(findings_add(findings, FINDING_GOOD, source->name, RULE_MISFIT, name.data,
                                 "held", message.data, ""),
                    source, bound->span);
  text_clear(&name);
  text_clear(&message);
}

void findings_add_replay(struct findings *findings, const struct replay_answer *answer) {
  const struct replay_run *run = &answer->run;
  const struct source *source = answer->protocol.source;
  if (answer->misfit) {
    add_misfit(findings, run, answer->conform, source);
    return;
  }
  add_run(findings, run, answer->conform, answer->status != STATUS_UNKNOWN, source);
  const struct conform_tightness *tightness = conform_tightness(answer->conform);
  for (size_t i = 0; i < run->bounds.count && run->recording.one_clock; i++)
    if (tightness[i].happened != 0 && run->bounds.data[i]->expression != NULL)
      add_bound(findings, run->bounds.data[i], &tightness[i], source);
}
