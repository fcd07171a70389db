/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `percentiles` was asked beside percentiles: objectives, chances above a latency,
 * contributions. Parts of a document, for percentiles.h.
 */
#include <inttypes.h>
#include <math.h>

#include "base/duration.h"
#include "cli/present/percentiles.h"
#include "cli/question/percentiles/percentiles.h"

/* --- kinds ------------------------------------------------------------------------------------ */

#define NAMES_OF_BOUND KEY("bound", TEXT, .marks = MARK_NAMES)

static const struct object_key improvement_keys[] = {
    KEY("component", TEXT, .marks = MARK_NAMES),
    KEY("by", TEXT, .words = "factor|samples|never"),
    KEY("factor", SHARE, .marks = MARK_MAYBE | MARK_LOWER),
    {0}};
static const struct object_kind improvement_kind = {"improvement", NULL, improvement_keys};

static const struct object_key slo_keys[] = {
    NAMES_OF_BOUND,
    KEY("slo", TEXT, .marks = MARK_NAMES),
    KEY("dependence", TEXT, .marks = MARK_NAMES, .words = "independent|unknown"),
    KEY("state", TEXT,
        .words = "met|broken|undecided|met if independent|broken if independent|"
                 "met if the draws are independent|broken if the draws are independent|"
                 "met in this run|broken in this run"),
    KEY("basis", TEXT, .words = "bound|any dependence|assumption|observation|not independent|run"),
    KEY("reason", TEXT),
    KEY("samples_needed", COUNT, .marks = MARK_MAYBE | MARK_DIGITS),
    KEY("improvements", OBJECTS, .marks = MARK_MAYBE, .note = "both unless it is met",
        .objects = &improvement_kind),
    {0}};
const struct object_kind slo_kind = {"slo", NULL, slo_keys};

static const struct object_key above_keys[] = {
    NAMES_OF_BOUND,
    KEY("time", TEXT, .marks = MARK_NAMES),
    KEY("dependence", TEXT, .marks = MARK_NAMES, .words = "independent|unknown"),
    KEY("lower", DECIMAL, .marks = MARK_LOWER),
    KEY("upper", DECIMAL, .marks = MARK_UPPER, .note = "chances"),
    KEY("model_based", FLAG, .marks = MARK_NAMES),
    {0}};
const struct object_kind above_kind = {"above", NULL, above_keys};

static const struct object_key contribution_keys[] = {
    NAMES_OF_BOUND,
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEY("component", TEXT, .marks = MARK_NAMES),
    KEY("without_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("drop_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("model_based", FLAG, .marks = MARK_NAMES | MARK_MAYBE, .note = "with `--tail gpd`"),
    {0}};
const struct object_kind contribution_kind = {"contribution", NULL, contribution_keys};

static const char *where_of(const struct percentiles *run, size_t curve) {
  return run->curves.count == 1 ? ""
         : run->curves.data[curve].estimate.dependence == DEPENDENCE_INDEPENDENT
             ? " if independent"
             : " for any dependence";
}

/* --- objectives ------------------------------------------------------------------------------- */

static void put_improvement(struct objects *list, const struct improvement *improvement) {
  static const char *const kinds[] = {"factor", "samples", "never"};
  objects_add(list);
  object_text(list, "component", improvement->name);
  object_text(list, "by", kinds[improvement->kind]);
  if (improvement->kind == IMPROVE_FACTOR)
    object_number(list, "factor", floor(1e6 * improvement->factor) / 1e6);
  if (improvement->kind == IMPROVE_FACTOR && improvement->factor > 0)
    object_words(list, "by", "at most %.1f %% of its latencies (%.2f times as fast)",
                 floor(1000 * improvement->factor) / 10, ceil(100 / improvement->factor) / 100);
  else if (improvement->kind == IMPROVE_FACTOR)
    object_words(list, "by", "only with less than 0.1 %% of its latencies");
  else if (improvement->kind == IMPROVE_SAMPLES)
    object_words(list, "by", "being faster does not do: more samples, or a cap, of it are needed");
  else
    object_words(list, "by", "not by this one alone");
}

/* A sentence below a verdict. */
static void say(struct document *document, const char *sentence) {
  struct text text;
  text_init(&text);
  text_append(&text, sentence);
  document_take(document, LINES_CLOSE, 6, &text);
}

static void show_improvements(struct document *document, struct objects *objects,
                              const improvement_list *list) {
  static const struct object_column columns[] = {{.title = "", .key = "component"},
                                                 {.title = "", .key = "by"}};
  size_t never = 0;
  if (list->count == 0)
    return;
  struct objects *improvements = object_list(objects, "improvements");
  for (size_t i = 0; i < list->count; i++) {
    put_improvement(improvements, &list->data[i]);
    never += list->data[i].kind == IMPROVE_NEVER;
  }
  if (never == list->count) {
    say(document, "Not even without any one component would it be met.");
    return;
  }
  say(document, "It would be met if one component alone changed:");
  document_table(document, LINES_CLOSE, 8, improvements, columns, sizeof columns / sizeof *columns);
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

/* Of a verdict with a condition: what would confirm it; whether that is all there is to say. */
static bool say_condition(struct document *document, const struct percentiles *run,
                          const struct slo_result *result) {
  bool unordered = run->bound_assumes_draws || run->observed_assumes_draws;
  if (!is_conditional(result->state))
    return false;
  if (unordered)
    say(document,
        "Some files keep no order of their observations, or have too few (below 64) to show it; "
        "they "
        "are taken as independent draws: nothing here shows that they did not come in bursts. "
        "Measure more with what keeps the order (.csv, --joint), or assert it (--exchangeable).");
  if (result->state != SLO_MET_IF_DRAWS && result->state != SLO_BROKEN_IF_DRAWS)
    say(document,
        "Components measured apart are taken as independent, which nothing here confirms. Measure "
        "them together (--joint), observe the system (--observed), or assert it (--assume "
        "independent).");
  return true;
}

/* Of one that no number of samples decides; whether it is such. */
static bool say_limits(struct document *document, const struct percentiles *run,
                       const struct slo_result *result, const struct percentile *p) {
  if (result->basis == SLO_NOT_INDEPENDENT) {
    say(document,
        "Measure the components of each request together (--joint), or observe the system "
        "(--observed).");
    return true;
  }
  if (p->endless != ENDLESS_NOT) {
    struct text reason;
    text_init(&reason);
    text_append(&reason, "More samples cannot change this: ");
    endless_explain(&reason, &run->calculation, p->endless);
    text_append(&reason, ".");
    say(document, reason.data);
    text_clear(&reason);
    return true;
  }
  if (result->in_bucket) {
    struct text reason;
    text_init(&reason);
    text_append(&reason, "More samples cannot change this: that percentile of the observations is "
                         "in a bucket ");
    if (result->bucket_upper_ns == SAMPLE_NS_MAX) {
      text_append(&reason, "from ");
      duration_print_lower(&reason, result->bucket_lower_ns);
      text_append(&reason, " on");
    } else {
      text_append(&reason, "from ");
      duration_print_lower(&reason, result->bucket_lower_ns);
      text_append(&reason, " to ");
      duration_print_upper(&reason, result->bucket_upper_ns);
    }
    text_append(&reason, ", and the limit is within it. Record with a bucket that ends at the "
                         "limit, or ask for an edge that there is.");
    say(document, reason.data);
    text_clear(&reason);
    return true;
  }
  if (rational_sign(&run->request->of.confidence) == 0)
    say(document,
        "More samples cannot change this: with --confidence 0 these are the whole truth. What is "
        "left between the ends is rounding, and how shared delays are bounded.");
  return rational_sign(&run->request->of.confidence) == 0;
}

/* What would decide it. */
static void say_remedy(struct document *document, const struct percentiles *run,
                       const struct slo_result *result) {
  const struct slo *slo = &run->slos.data[result->slo];
  const struct curve *curve = &run->curves.data[result->curve];
  const struct percentile *p = percentiles_at(run, curve, &slo->percentile.share);
  if (result->state == SLO_BROKEN && result->basis == SLO_BY_OBSERVATION)
    return;
  if (slo_status(result->state) == STATUS_OF_RUN && result->basis != SLO_BY_RUN) {
    say(document,
        "It is so of this run alone: its level wanders, more the longer one looks, so that another "
        "run may be at another. Several runs show it (--run DIR), or a longer one that it does "
        "not.");
    return;
  }
  if (result->basis == SLO_BY_RUN) {
    say(document,
        "It is the bound of these requests that is above. Slow ones came together, so another run "
        "may differ.");
    return;
  }
  if (result->state == SLO_BROKEN) {
    say(document,
        "More samples cannot change this. It is the bound that is above; the system may be "
        "faster.");
    return;
  }
  if (say_condition(document, run, result) || say_limits(document, run, result, p))
    return;
  if (!p->interval.settled)
    say(document, "A longer run decides it, or --exchangeable if the order means nothing.");
  struct text remedy;
  text_init(&remedy);
  if (!p->interval.upper_finite && p->samples_needed != 0)
    text_format(&remedy, "To be finite it takes %" PRIu64 " independent %s.", p->samples_needed,
                run->calculation.draws.by_request ? "requests" : "samples of each component");
  else
    text_append(&remedy, "More samples bring the ends together.");
  text_format(&remedy, " `tailproof plan -p %s` says which.", slo->percentile.text);
  say(document, remedy.data);
  text_clear(&remedy);
}

static void put_slo(struct objects *slos, const struct percentiles *run,
                    const struct slo_result *result, const char *reason) {
  static const char *const bases[] = {"bound",       "any dependence",  "assumption",
                                      "observation", "not independent", "run"};
  const struct slo *slo = &run->slos.data[result->slo];
  const struct curve *curve = &run->curves.data[result->curve];
  const struct percentile *p = percentiles_at(run, curve, &slo->percentile.share);
  objects_add(slos);
  object_text(slos, "bound", run->calculation.bound->name);
  object_text(slos, "slo", slo->text);
  object_text(slos, "dependence", dependence_name(curve->estimate.dependence));
  object_text(slos, "state", slo_state_name(result->state));
  object_text(slos, "basis", bases[result->basis]);
  object_text(slos, "reason", reason);
  if (result->state == SLO_UNDECIDED && !p->interval.upper_finite && p->samples_needed != 0)
    object_count(slos, "samples_needed", p->samples_needed);
}

static void show_slo(struct document *document, const struct percentiles *run,
                     const struct slo_result *result) {
  struct text reason, state;
  text_init(&reason);
  text_init(&state);
  slo_explain(&reason, run, result);
  struct objects *slos = document_objects(document, &slo_kind);
  put_slo(slos, run, result, text_get(&reason));
  text_append(&reason, ".");
  text_format(&state, "%s%s", title_of(result->state), condition_of(run, result));
  document_verdict(document, slo_status(result->state), run->slos.data[result->slo].text,
                   state.data, reason.data);
  if (result->state != SLO_MET) {
    say_remedy(document, run, result);
    show_improvements(document, slos, &result->improvements);
  }
  text_clear(&reason);
  text_clear(&state);
}

/* --- times and contributions ------------------------------------------------------------------ */

static void show_above(struct document *document, struct objects *objects,
                       const struct percentiles *run, const struct above *above, size_t c) {
  struct chance chance = percentiles_above(run, &run->curves.data[c], &above->ns);
  struct text lower, upper;
  text_init(&lower);
  text_init(&upper);
  chance_print(&lower, chance.lower, SIDE_LOWER);
  chance_print(&upper, chance.upper, SIDE_UPPER);
  document_say(document, LINES_APART, "Above %s with probability at least %s, at most %s%s%s.",
               above->text, lower.data, upper.data, where_of(run, c),
               chance.model_based ? " (model-based, not proved)" : "");
  objects_add(objects);
  object_text(objects, "bound", run->calculation.bound->name);
  object_text(objects, "time", above->text);
  object_text(objects, "dependence", dependence_name(run->curves.data[c].estimate.dependence));
  object_text(objects, "lower", lower.data);
  object_text(objects, "upper", upper.data);
  object_flag(objects, "model_based", chance.model_based);
  text_clear(&lower);
  text_clear(&upper);
}

static void put_contribution(struct objects *parts, const struct percentiles *run,
                             const struct contribution *part, bool drops) {
  struct text drop;
  text_init(&drop);
  objects_add(parts);
  object_text(parts, "bound", run->calculation.bound->name);
  object_text(parts, "p", run->wanted.data[run->chosen].text);
  object_text(parts, "component", part->name);
  object_time(parts, "without_ns", part->finite, part->without_ns);
  object_time(parts, "drop_ns", true, part->drop_ns);
  if (drops) {
    text_append(&drop, "(-");
    duration_print_upper(&drop, part->drop_ns);
    text_append(&drop, ")");
  }
  object_words(parts, "drop_ns", "%s", text_get(&drop));
  if (run->request->of.tail != TAIL_INFINITE)
    object_flag(parts, "model_based", true);
  text_clear(&drop);
}

static void show_contributions(struct document *document, const struct percentiles *run) {
  static const struct object_column columns[] = {
      {.title = "", .key = "component"},
      {.title = "", .align = TABLE_RIGHT, .key = "without_ns"},
      {.title = "", .align = TABLE_RIGHT, .key = "drop_ns"},
  };
  const struct wanted *wanted = &run->wanted.data[run->chosen];
  struct interval all = percentiles_at(run, &run->curves.data[0], &wanted->share)->interval;
  size_t none = 0, finite_ones = 0;
  for (size_t i = 0; i < run->contributions.count; i++)
    finite_ones += run->contributions.data[i].finite;
  document_section(document, "contributions", "Contributions to p%s", wanted->text);
  const char *tails =
      run->request->of.tail == TAIL_INFINITE ? "" : " (with modelled tails, not proved)";
  if (finite_ones == 0)
    document_say(
        document, LINES_APART,
        "p%s at most stays infinite, whichever component took no time%s: more samples or a "
        "lower percentile say what contributes.",
        wanted->text, tails);
  else
    document_say(document, LINES_APART,
                 "p%s at most, if one component took no time%s:", wanted->text, tails);
  struct objects *parts = document_objects(document, &contribution_kind);
  for (size_t i = 0; i < run->contributions.count; i++) {
    const struct contribution *part = &run->contributions.data[i];
    bool finite = part->finite && all.upper_finite, same = finite && part->drop_ns == 0;
    put_contribution(parts, run, part, finite && !same);
    object_shown(parts, same || finite_ones == 0 ? SHOWN_FULL : SHOWN_ALWAYS);
    none += same;
  }
  document_table(document, LINES_CLOSE, 4, parts, columns, sizeof columns / sizeof *columns);
  document_show(document, SHOWN_BRIEF);
  struct text text;
  text_init(&text);
  if (none != 0)
    text_format(&text, "%zu component%s make%s no difference", none, none == 1 ? "" : "s",
                none == 1 ? "s" : "");
  document_take(document, LINES_CLOSE, 4, &text);
  document_show(document, SHOWN_ALWAYS);
}

void percentiles_answers(struct document *document, const struct percentiles *run) {
  struct objects *above = document_objects(document, &above_kind);
  for (size_t i = 0; i < run->above.count; i++)
    for (size_t c = 0; c < run->curves.count; c++)
      show_above(document, above, run, &run->above.data[i], c);
  for (size_t i = 0; i < run->results.count; i++)
    show_slo(document, run, &run->results.data[i]);
  bool wanted = run->request->contributions != NULL;
  if (wanted && !improve_tries(&run->calculation.laws))
    document_say(document, LINES_APART,
                 "More than %d components: contributions are not tried one by one.", IMPROVE_MOST);
  else if (wanted && run->contributions.count == 0)
    document_say(document, LINES_APART, "No component takes any time, so none contributes.");
  else if (wanted)
    show_contributions(document, run);
}
