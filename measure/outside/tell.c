/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a pairing found, in words (measure/outside/write.h).
 */
#include <inttypes.h>

#include "measure/outside/write.h"

static const char *const reasons[] = {
    [PAIR_NEVER] = "no such event followed",
    [PAIR_LATE] = "no such event followed within 10 s",
    [PAIR_AGAIN] = "what it belongs to came again before it",
    [PAIR_BACKWARDS] = "it would have ended before it began",
};

static void append_what(struct text *text, const struct outside_mapping *mapping, uint32_t number,
                        enum pair_reason reason) {
  if (reason != PAIR_BACKWARDS)
    text_format(text, "moment %s", mapping->moments[number].name.text);
  else if (number < mapping->step_count)
    text_format(text, "step %s", mapping->steps[number].action);
  else
    text_format(text, "message %s", mapping->messages[number - mapping->step_count].name);
}

/* Lines "49 BEFORE moment answered: why". */
static void tell_missing(struct text *text, const struct pairing *pairing,
                         const struct outside_mapping *mapping, const char *before) {
  for (uint32_t number = 0; number < MAPPING_MOMENTS + MAPPING_STEPS; number++)
    for (enum pair_reason reason = PAIR_NEVER; reason < PAIR_REASONS; reason++) {
      uint64_t count = pairing_lacking(pairing, number, reason);
      if (count == 0)
        continue;
      text_format(text, "%" PRIu64 " %s ", count, before);
      append_what(text, mapping, number, reason);
      text_format(text, ": %s\n", reasons[reason]);
    }
}

static uint64_t count_doubtful(const struct pairing *pairing) {
  uint64_t count = 0;
  for (size_t i = 0; i < pairing_count(pairing); i++)
    count += pairing_request(pairing, i).doubtful;
  return count;
}

/* Why no request began. */
static void tell_none(struct text *text, const struct pairing *pairing,
                      const struct outside_mapping *mapping, const struct outside_probe *probes) {
  const struct mapping_moment *first = &mapping->moments[0];
  const char *probe = probes[first->probe].name;
  uint64_t seen = pairing_events(pairing, first->probe), here = pairing_at_first(pairing);
  char place[96] = "any place";
  if (first->placed)
    mapping_name_print(place, sizeof place, &first->place, 0);
  text_format(text, "no request began: moment %s is the first of one, and ", first->name.text);
  if (seen == 0)
    text_format(text, "its probe %s saw nothing while this was recorded\n", probe);
  else if (here == 0)
    text_format(text,
                "of %" PRIu64 " events of its probe %s none was of a process that is place %s: its "
                "pattern is held against command lines (`pgrep -a .`)\n",
                seen, probe, place);
  else
    text_format(text, "of %" PRIu64 " events of its probe %s at %s none is as its `where` wants\n",
                here, probe, place);
}

void pairing_tell(struct text *text, const struct pairing *pairing,
                  const struct outside_mapping *mapping, const struct outside_probe *probes,
                  uint32_t probe_count, const struct outside_run *run) {
  size_t count = pairing_count(pairing);
  uint64_t whole = pairing_lacking(pairing, 0, PAIR_WHOLE), others = count - whole;
  text_format(text, "%" PRIu64 " of %zu requests paired (%.2f %%)\n", whole, count,
              count == 0 ? 0.0 : 100.0 * (double)whole / (double)count);
  if (count == 0)
    tell_none(text, pairing, mapping, probes);
  if (others != 0)
    text_format(text, "%" PRIu64 " requests (%.2f %%) are not paired and %s\n", others,
                100.0 * (double)others / (double)count,
                mapping->exclude ? "left out: percentiles are those of the others"
                                 : "count as endless");
  tell_missing(text, pairing, mapping, "not paired at");
  uint64_t doubtful = count_doubtful(pairing);
  if (doubtful != 0)
    text_format(text,
                "%" PRIu64
                " of these may have ended, which their events do not tell; they break no "
                "objective. What tells requests apart (a number, a key) in `where` pairs them\n",
                doubtful);
  if (pairing_ordered(pairing) != 0)
    text_format(text,
                "%" PRIu64 " moments of requests that overlapped were paired in their order; where "
                "answers overtake each other, compare what tells them apart in `where`\n",
                pairing_ordered(pairing));
  if (pairing_uncertain(pairing) != 0)
    text_format(text,
                "%" PRIu64 " events were left out, as it is not known when their calls began; with "
                "`when: done` a moment counts from when they were done\n",
                pairing_uncertain(pairing));
  for (uint32_t i = 0; i < probe_count; i++) {
    if (run->count[i].lost != 0)
      text_format(text, "%" PRIu64 " events of probe %s were lost\n", run->count[i].lost,
                  probes[i].name);
    if (pairing_events(pairing, i) == 0)
      text_format(text, "probe %s saw nothing\n", probes[i].name);
    else if (pairing_elsewhere(pairing, i) == pairing_events(pairing, i))
      text_format(text, "probe %s saw nothing of a process that is a place; see `places`\n",
                  probes[i].name);
  }
}

void pairing_left_over(struct left_over *left, const struct pairing *pairing,
                       const struct outside_mapping *mapping, uint32_t probe_count,
                       const struct outside_run *run) {
  left->requests = pairing_count(pairing);
  left->unpaired = left->requests - pairing_lacking(pairing, 0, PAIR_WHOLE);
  left->excluded = mapping->exclude;
  left->lost = pairing_uncertain(pairing);
  for (uint32_t i = 0; i < probe_count; i++)
    left->lost += run->count[i].lost;
  text_append(&left->request, mapping->request);
  tell_missing(&left->reasons, pairing, mapping, "at");
  for (size_t i = 0; i < left->requests && !left->excluded; i++) {
    struct pair_request request = pairing_request(pairing, i);
    if (request.doubtful || (request.reason != PAIR_WHOLE && left->lost != 0))
      left_over_add_doubtful(left, (uint32_t)i + 1);
  }
}
