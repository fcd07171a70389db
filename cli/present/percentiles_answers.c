/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `percentiles` was asked beside percentiles: objectives, chances above a latency,
 * contributions. Text and JSON, for percentiles.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/present/percentiles.h"
#include "base/duration.h"
#include "show/wrapped.h"
#include "base/jsonl.h"
#include "cli/question/percentiles/percentiles.h"
#include "show/table.h"

static const char *where_of(const struct percentiles *run, size_t curve) {
  return run->curves.count == 1 ? ""
         : run->curves.data[curve].estimate.dependence == DEPENDENCE_INDEPENDENT
             ? " if independent"
             : " for any dependence";
}

static void add_improvement(struct table *table, const struct improvement *improvement) {
  table_cell(table, "%s", improvement->name);
  if (improvement->kind == IMPROVE_FACTOR && improvement->factor > 0)
    table_cell(table, "at most %.1f %% of its latencies (%.2f times as fast)",
               floor(1000 * improvement->factor) / 10, ceil(100 / improvement->factor) / 100);
  else if (improvement->kind == IMPROVE_FACTOR)
    table_cell(table, "only with less than 0.1 %% of its latencies");
  else if (improvement->kind == IMPROVE_SAMPLES)
    table_cell(table, "being faster does not do: more samples, or a cap, of it are needed");
  else
    table_cell(table, "not by this one alone");
}

static void print_improvements(const improvement_list *list) {
  size_t never = 0;
  for (size_t i = 0; i < list->count; i++)
    never += list->data[i].kind == IMPROVE_NEVER;
  if (never == list->count) {
    if (never != 0)
      printf("      Not even without any one component would it be met.\n");
    return;
  }
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < list->count; i++)
    add_improvement(&table, &list->data[i]);
  printf("      It would be met if one component alone changed:\n");
  table_print(stdout, &table, 8);
  table_clear(&table);
}

static bool is_conditional(enum slo_state state) {
  return slo_status(state) == STATUS_CONDITIONAL;
}

/* What a verdict is for, where the verdict itself does not say what it rests on. */
static const char *condition_of(const struct percentiles *run, const struct slo_result *result) {
  bool said = is_conditional(result->state) || result->basis != SLO_BY_BOUND;
  return said ? "" : where_of(run, result->curve);
}

static const char *title_of(enum slo_state state) {
  return state == SLO_BROKEN      ? "BROKEN"
         : state == SLO_UNDECIDED ? "NOT DECIDABLE with these samples"
                                  : slo_state_name(state);
}

/* A sentence below a verdict. */
static void say(const char *sentence) {
  wrapped_format(6, 6, "%s", sentence);
}

/* Of a verdict with a condition: what would confirm it; whether that is all there is to say. */
static bool print_condition(const struct percentiles *run, const struct slo_result *result) {
  bool unordered = run->bound_assumes_draws || run->observed_assumes_draws;
  if (!is_conditional(result->state))
    return false;
  if (unordered)
    say("Some files keep no order of their observations, which are taken as independent draws: "
        "nothing here shows that they did not come in bursts. Measure with what keeps the order "
        "(.csv, --joint), or assert it (--exchangeable).");
  if (result->state != SLO_MET_IF_DRAWS && result->state != SLO_BROKEN_IF_DRAWS)
    say("Components measured apart are taken as independent, which nothing here confirms. Measure "
        "them together (--joint), observe the system (--observed), or assert it (--assume "
        "independent).");
  return true;
}

/* Of one that no number of samples decides; whether it is such. */
static bool print_limits(const struct percentiles *run, const struct slo_result *result,
                         const struct percentile *p) {
  if (result->basis == SLO_NOT_INDEPENDENT) {
    say("Measure the components of each request together (--joint), or observe the system "
        "(--observed).");
    return true;
  }
  if (p->endless != ENDLESS_NOT) {
    struct text reason;
    text_init(&reason);
    text_append(&reason, "More samples cannot change this: ");
    endless_explain(&reason, &run->calculation, p->endless);
    text_append(&reason, ".");
    say(reason.data);
    text_clear(&reason);
    return true;
  }
  if (rational_sign(&run->request->of.confidence) == 0)
    say("More samples cannot change this: with --confidence 0 these are the whole truth. What is "
        "left between the ends is rounding, and how shared delays are bounded.");
  return rational_sign(&run->request->of.confidence) == 0;
}

/* What would decide it. */
static void print_remedy(const struct percentiles *run, const struct slo_result *result) {
  const struct slo *slo = &run->slos.data[result->slo];
  const struct curve *curve = &run->curves.data[result->curve];
  const struct percentile *p = percentiles_at(run, curve, &slo->percentile.share);
  if (result->state == SLO_BROKEN && result->basis == SLO_BY_OBSERVATION)
    return;
  if (result->basis == SLO_BY_RUN) {
    say("It is the bound of these requests that is above. Slow ones came together, so another run "
        "may differ.");
    return;
  }
  if (result->state == SLO_BROKEN) {
    say("More samples cannot change this. It is the bound that is above; the system may be "
        "faster.");
    return;
  }
  if (print_condition(run, result) || print_limits(run, result, p))
    return;
  if (!p->interval.settled)
    say("A longer run decides it, or --exchangeable if the order means nothing.");
  struct text remedy;
  text_init(&remedy);
  if (!p->interval.upper_finite && p->samples_needed != 0)
    text_format(&remedy, "To be finite it takes %" PRIu64 " independent %s.", p->samples_needed,
                run->calculation.draws.by_request ? "requests" : "samples of each component");
  else
    text_append(&remedy, "More samples bring the ends together.");
  text_format(&remedy, " `tailproof plan -p %s` says which.", slo->percentile.text);
  say(remedy.data);
  text_clear(&remedy);
}

static void print_slo(const struct percentiles *run, const struct slo_result *result) {
  struct text reason;
  text_init(&reason);
  slo_explain(&reason, run, result);
  int column = printf("\n  %s: %s%s:", run->slos.data[result->slo].text, title_of(result->state),
                      condition_of(run, result));
  bool fits = (size_t)column + reason.length <= wrapped_width();
  text_append(&reason, ".");
  printf("%s", fits ? " " : "\n      ");
  wrapped_print(reason.data, fits ? (size_t)column : 6, 6);
  if (result->state != SLO_MET) {
    print_remedy(run, result);
    print_improvements(&result->improvements);
  }
  text_clear(&reason);
}

static void print_above(const struct percentiles *run, const struct above *above, size_t c) {
  struct chance chance = percentiles_above(run, &run->curves.data[c], &above->ns);
  struct text lower, upper;
  text_init(&lower);
  text_init(&upper);
  chance_print(&lower, chance.lower, SIDE_LOWER);
  chance_print(&upper, chance.upper, SIDE_UPPER);
  putchar('\n');
  wrapped_format(2, 2, "Above %s with probability at least %s, at most %s%s%s.", above->text,
                 lower.data, upper.data, where_of(run, c),
                 chance.model_based ? " (model-based, not proved)" : "");
  text_clear(&lower);
  text_clear(&upper);
}

static void add_contribution(struct table *table, const struct contribution *part, bool drops) {
  struct text text;
  text_init(&text);
  table_cell(table, "%s", part->name);
  if (part->finite)
    duration_print_upper(&text, part->without_ns);
  else
    text_append(&text, "infinite");
  table_take(table, &text);
  if (drops) {
    text_append(&text, "(-");
    duration_print_upper(&text, part->drop_ns);
    text_append(&text, ")");
  }
  table_take(table, &text);
}

static void print_contributions(const struct percentiles *run, bool full) {
  const struct wanted *wanted = &run->wanted.data[run->chosen];
  struct interval all = percentiles_at(run, &run->curves.data[0], &wanted->share)->interval;
  size_t none = 0;
  printf("\n  p%s at most, if one component took no time%s:\n", wanted->text,
         run->request->of.tail == TAIL_INFINITE ? "" : " (with modelled tails, not proved)");
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  table_column(&table, TABLE_RIGHT, "");
  table_column(&table, TABLE_RIGHT, "");
  for (size_t i = 0; i < run->contributions.count; i++) {
    const struct contribution *part = &run->contributions.data[i];
    bool same = part->finite && all.upper_finite && part->drop_ns == 0;
    none += same;
    if (!same || full)
      add_contribution(&table, part, part->finite && all.upper_finite && !same);
  }
  table_print(stdout, &table, 4);
  table_clear(&table);
  if (none != 0 && !full)
    printf("    %zu component%s make%s no difference\n", none, none == 1 ? "" : "s",
           none == 1 ? "s" : "");
}

void percentiles_print_answers_text(const struct percentiles *run, bool full) {
  for (size_t i = 0; i < run->above.count; i++)
    for (size_t c = 0; c < run->curves.count; c++)
      print_above(run, &run->above.data[i], c);
  for (size_t i = 0; i < run->results.count; i++)
    print_slo(run, &run->results.data[i]);
  bool wanted = run->request->contributions != NULL;
  if (wanted && !improve_tries(&run->calculation.laws))
    printf("\n  More than %d components: contributions are not tried one by one.\n", IMPROVE_MOST);
  else if (wanted && run->contributions.count == 0)
    printf("\n  No component takes any time, so none contributes.\n");
  else if (wanted)
    print_contributions(run, full);
}

static void add_ns(struct jsonl *line, const char *key, bool finite, uint64_t ns) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, ns);
  jsonl_text(line, key, finite ? digits : "infinite");
}

static void json_slo(const struct percentiles *run, const struct slo_result *result) {
  static const char *const kinds[] = {"factor", "samples", "never"};
  static const char *const bases[] = {"bound",       "any dependence",  "assumption",
                                      "observation", "not independent", "run"};
  const struct slo *slo = &run->slos.data[result->slo];
  const struct curve *curve = &run->curves.data[result->curve];
  const struct percentile *p = percentiles_at(run, curve, &slo->percentile.share);
  struct text reason;
  text_init(&reason);
  slo_explain(&reason, run, result);
  struct jsonl *line = jsonl_new("slo");
  jsonl_text(line, "bound", run->calculation.bound->name);
  jsonl_text(line, "slo", slo->text);
  jsonl_text(line, "dependence", dependence_name(curve->estimate.dependence));
  jsonl_text(line, "state", slo_state_name(result->state));
  jsonl_text(line, "basis", bases[result->basis]);
  jsonl_text(line, "reason", reason.data);
  if (result->state == SLO_UNDECIDED && !p->interval.upper_finite && p->samples_needed != 0)
    add_ns(line, "samples_needed", true, p->samples_needed);
  if (result->improvements.count != 0) {
    struct jsonl *list = jsonl_list(line, "improvements");
    for (size_t k = 0; k < result->improvements.count; k++) {
      const struct improvement *improvement = &result->improvements.data[k];
      struct jsonl *item = jsonl_item(list);
      jsonl_text(item, "component", improvement->name);
      jsonl_text(item, "by", kinds[improvement->kind]);
      if (improvement->kind == IMPROVE_FACTOR)
        jsonl_seconds(item, "factor", improvement->factor);
    }
  }
  jsonl_print(line);
  text_clear(&reason);
}

static void json_above(const struct percentiles *run, const struct above *above, size_t c) {
  struct chance chance = percentiles_above(run, &run->curves.data[c], &above->ns);
  struct text lower, upper;
  text_init(&lower);
  text_init(&upper);
  chance_print(&lower, chance.lower, SIDE_LOWER);
  chance_print(&upper, chance.upper, SIDE_UPPER);
  struct jsonl *line = jsonl_new("above");
  jsonl_text(line, "bound", run->calculation.bound->name);
  jsonl_text(line, "time", above->text);
  jsonl_text(line, "dependence", dependence_name(run->curves.data[c].estimate.dependence));
  jsonl_text(line, "lower", lower.data);
  jsonl_text(line, "upper", upper.data);
  jsonl_flag(line, "model_based", chance.model_based);
  jsonl_print(line);
  text_clear(&lower);
  text_clear(&upper);
}

void percentiles_print_answers_json(const struct percentiles *run) {
  for (size_t i = 0; i < run->above.count; i++)
    for (size_t c = 0; c < run->curves.count; c++)
      json_above(run, &run->above.data[i], c);
  for (size_t i = 0; i < run->results.count; i++)
    json_slo(run, &run->results.data[i]);
  for (size_t i = 0; i < run->contributions.count && run->request->contributions != NULL; i++) {
    const struct contribution *part = &run->contributions.data[i];
    struct jsonl *line = jsonl_new("contribution");
    jsonl_text(line, "bound", run->calculation.bound->name);
    jsonl_text(line, "p", run->wanted.data[run->chosen].text);
    jsonl_text(line, "component", part->name);
    add_ns(line, "without_ns", part->finite, part->without_ns);
    add_ns(line, "drop_ns", true, part->drop_ns);
    if (run->request->of.tail != TAIL_INFINITE)
      jsonl_flag(line, "model_based", true);
    jsonl_print(line);
  }
}
