/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "show/terminal.h"

#define MEGABYTE 1048576.0
#define VERDICTS "better|no difference found|no setting usable|given up"

static const struct object_key tried_keys[] = {
    KEY("setting", TEXT, .marks = MARK_NAMES),
    KEY("blocks", COUNT),
    KEY("usable", FLAG),
    KEY("ratio", NUMBER, .marks = MARK_MAYBE,
        .note = "of its percentile over that without it, median of the blocks"),
    KEY("memory_bytes", COUNT, .marks = MARK_MAYBE, .note = "where it is known"),
    {0}};
static const struct object_kind tried_kind = {"tried_setting", "of `tune gc`", tried_keys};

static const struct object_key tuned_keys[] = {
    KEY("metric", TEXT, .marks = MARK_NAMES),
    KEY("verdict", TEXT, .words = VERDICTS),
    KEY("runs", COUNT),
    KEY("setting", TEXT, .marks = MARK_NAMES | MARK_MAYBE, .note = "the best"),
    KEY("semi_mb", COUNT, .marks = MARK_MAYBE),
    KEY("pairs", COUNT, .marks = MARK_MAYBE),
    KEY("as_is_ns", NS, .marks = MARK_MAYBE),
    KEY("best_ns", NS, .marks = MARK_MAYBE),
    KEY("memory_as_is_bytes", COUNT, .marks = MARK_MAYBE),
    KEY("memory_best_bytes", COUNT, .marks = MARK_MAYBE, .note = "medians"),
    KEY("ratio", NUMBER, .marks = MARK_MAYBE),
    KEY("ratio_least", NUMBER, .marks = MARK_MAYBE | MARK_NULL | MARK_LOWER),
    KEY("ratio_most", NUMBER, .marks = MARK_MAYBE | MARK_NULL | MARK_UPPER,
        .note = "null: no limit"),
    KEY("unusable", TEXT, .marks = MARK_MAYBE, .note = "why a setting did not run"),
    {0}};
static const struct object_kind tuned_kind = {"tuned", "of `tune gc`", tuned_keys};

const struct object_kind *const tuning_kinds[] = {&tried_kind, &tuned_kind, &assumption_kind, NULL};

/* --- numbers ---------------------------------------------------------------------------------- */

/* The median of a copy. */
static double middle(const double *values, size_t count) {
  double *copy = mem_alloc(count, sizeof *copy);
  if (count > 0)
    memcpy(copy, values, count * sizeof *copy);
  double median = tune_median(copy, count);
  mem_free(copy);
  return median;
}

#define MIDDLE(vector) middle((vector).data, (vector).count)

static const struct tune_tried *best_of(const struct heap_tuning *tuning) {
  return &tuning->answer.tried.data[tuning->answer.best];
}

static char *setting_text(const struct heap_setting *setting) {
  struct text text;
  text_init(&text);
  heap_setting_print(&text, setting);
  return text_take(&text);
}

/* Whether a best setting was held against the server as it is. */
static bool has_best(const struct heap_tuning *tuning) {
  return tuning->answer.pairs.count > 0;
}

/* 0 of what is not known. */
static void put_bytes(struct objects *objects, const char *key, double bytes) {
  if (bytes <= 0)
    return;
  object_count(objects, key, (uint64_t)bytes);
  object_words(objects, key, "%.0f MB", bytes / MEGABYTE);
}

/* --- the best --------------------------------------------------------------------------------- */

/* "12.3 % lower": an end of the interval, rounded outward. */
static void append_change(struct text *text, double ratio, bool is_least) {
  double tenths = 1000 * (ratio - 1);
  tenths = is_least ? floor(tenths) : ceil(tenths);
  text_format(text, "%.1f %% %s", fabs(tenths) / 10, tenths <= 0 ? "lower" : "higher");
}

static void say_gain(struct document *document, const struct heap_tuning *tuning) {
  const struct tune_answer *answer = &tuning->answer;
  struct text text;
  text_init(&text);
  text_format(&text, "%s: ", tuning->request->metric);
  duration_print_nearest(&text, (int64_t)MIDDLE(answer->metrics_as_is));
  text_append(&text, " as it is, ");
  duration_print_nearest(&text, (int64_t)MIDDLE(answer->metrics_best));
  text_format(&text, " with it (medians of %zu pairs of runs).", answer->pairs.count);
  document_take(document, LINES_CLOSE, 2, &text);
  if (!answer->has_ratio || !isfinite(answer->ratio.least) || !isfinite(answer->ratio.most))
    return;
  text_format(&text, "With %.4g %% confidence it is between ",
              100 * rational_double(&tuning->request->confidence));
  append_change(&text, answer->ratio.least, true);
  text_append(&text, " and ");
  append_change(&text, answer->ratio.most, false);
  text_append(&text, ".");
  document_take(document, LINES_CLOSE, 2, &text);
}

static void say_memory(struct document *document, const struct heap_tuning *tuning) {
  double as_is = MIDDLE(tuning->answer.memory_as_is), best = MIDDLE(tuning->answer.memory_best);
  if (as_is > 0 && best > 0)
    document_say(document, LINES_CLOSE,
                 "Memory at most: %.0f MB as it is, %.0f MB with it (%+.0f MB).", as_is / MEGABYTE,
                 best / MEGABYTE, (best - as_is) / MEGABYTE);
}

static void say_verdict(struct document *document, const struct heap_tuning *tuning) {
  const char *metric = tuning->request->metric;
  char *setting = has_best(tuning) ? setting_text(&best_of(tuning)->setting) : NULL;
  struct text text;
  text_init(&text);
  switch (tuning->answer.verdict) {
  case TUNE_BETTER:
    text_format(&text, "Found: node %s", setting);
    break;
  case TUNE_NO_GAIN:
    text_format(&text,
                "No difference found: no setting makes %s lower than it is, as far as %zu runs "
                "tell.",
                metric, tuning->answer.runs);
    break;
  case TUNE_NOTHING:
    text_format(&text, "No setting is usable: %s.",
                tuning->unusable == NULL ? "none was tried" : tuning->unusable);
    break;
  case TUNE_GIVEN_UP:
    text_format(&text, "Given up after %zu runs: nothing is said.", tuning->answer.runs);
    break;
  }
  document_take(document, LINES_CLOSE, 0, &text);
  if (tuning->answer.verdict == TUNE_NO_GAIN && setting != NULL)
    document_say(document, LINES_CLOSE, "The best of those tried: %s", setting);
  mem_free(setting);
}

static void put_limit(struct objects *objects, const char *key, double ratio) {
  if (isfinite(ratio) && ratio > 0)
    object_number(objects, key, ratio);
  else
    object_null(objects, key);
}

static void put_best(struct objects *objects, const struct heap_tuning *tuning) {
  const struct tune_answer *answer = &tuning->answer;
  char *setting = setting_text(&best_of(tuning)->setting);
  object_text(objects, "setting", setting);
  mem_free(setting);
  object_count(objects, "semi_mb", best_of(tuning)->setting.semi);
  object_count(objects, "pairs", answer->pairs.count);
  object_mean(objects, "as_is_ns", MIDDLE(answer->metrics_as_is));
  object_mean(objects, "best_ns", MIDDLE(answer->metrics_best));
  put_bytes(objects, "memory_as_is_bytes", MIDDLE(answer->memory_as_is));
  put_bytes(objects, "memory_best_bytes", MIDDLE(answer->memory_best));
  if (!answer->has_ratio)
    return;
  object_number(objects, "ratio", answer->ratio.value);
  put_limit(objects, "ratio_least", answer->ratio.least);
  put_limit(objects, "ratio_most", answer->ratio.most);
}

static void put_tuned(struct document *document, const struct heap_tuning *tuning) {
  static const char *const verdicts[] = {[TUNE_BETTER] = "better",
                                         [TUNE_NO_GAIN] = "no difference found",
                                         [TUNE_NOTHING] = "no setting usable",
                                         [TUNE_GIVEN_UP] = "given up"};
  struct objects *objects = document_objects(document, &tuned_kind);
  objects_add(objects);
  object_text(objects, "metric", tuning->request->metric);
  object_text(objects, "verdict", verdicts[tuning->answer.verdict]);
  object_count(objects, "runs", tuning->answer.runs);
  if (has_best(tuning))
    put_best(objects, tuning);
  if (tuning->unusable != NULL)
    object_text(objects, "unusable", tuning->unusable);
}

/* --- what was tried --------------------------------------------------------------------------- */

static void put_tried(struct objects *objects, const struct tune_tried *tried) {
  char *setting = setting_text(&tried->setting);
  objects_add(objects);
  object_shown(objects, SHOWN_FULL);
  object_text(objects, "setting", setting);
  mem_free(setting);
  object_count(objects, "blocks", tried->ratios.count);
  object_flag(objects, "usable", !tried->unusable);
  if (tried->ratios.count > 0) {
    object_number(objects, "ratio", exp(MIDDLE(tried->ratios)));
    object_words(objects, "ratio", "x %.2f", exp(MIDDLE(tried->ratios)));
    put_bytes(objects, "memory_bytes", MIDDLE(tried->memory));
  }
  if (tried->unusable || tried->ratios.count == 0)
    object_words(objects, "ratio", "%s", tried->unusable ? "does not run" : "-");
}

static void show_tried(struct document *document, const struct heap_tuning *tuning) {
  static const struct object_column columns[] = {
      {.title = "tried", .key = "setting"},
      {.title = "blocks", .align = TABLE_RIGHT, .key = "blocks"},
      {.title = "against as it is", .align = TABLE_RIGHT, .key = "ratio"},
      {.title = "memory", .align = TABLE_RIGHT, .key = "memory_bytes"},
  };
  struct objects *objects = document_objects(document, &tried_kind);
  for (size_t i = 0; i < tuning->answer.tried.count; i++)
    put_tried(objects, &tuning->answer.tried.data[i]);
  document_table(document, LINES_APART, 2, objects, columns, sizeof columns / sizeof *columns);
}

void tuning_document(struct document *document, const struct heap_tuning *tuning) {
  enum tune_verdict verdict = tuning->answer.verdict;
  document_init(document, "tune gc", tuning_kinds);
  document_title(document, "Settings of V8's heap for %s", tuning->request->metric);
  say_verdict(document, tuning);
  if ((verdict == TUNE_BETTER || verdict == TUNE_NO_GAIN) && has_best(tuning)) {
    say_gain(document, tuning);
    say_memory(document, tuning);
  }
  if (verdict == TUNE_NO_GAIN)
    document_say(document, LINES_CLOSE,
                 "Longer runs, or more pairs (--pairs), find smaller differences.");
  show_tried(document, tuning);
  put_tuned(document, tuning);
  document_ledger(document, &tuning->ledger);
}

/* --- progress --------------------------------------------------------------------------------- */

enum { TOLD_EVERY = 10 };

void tuning_progress_init(struct tuning_progress *progress) {
  progress->terminal = terminal_can_rewrite(STDERR_FILENO);
}

void tuning_progress_tell(void *context, const struct tune_step *step, double seconds_left) {
  static const char *const phases[] = {[TUNE_SIZES] = "sizes",
                                       [TUNE_VARIANTS] = "variants of the best size",
                                       [TUNE_PAIRS] = "the best one against the server as it is"};
  const struct tuning_progress *progress = context;
  if (!progress->terminal && step->done % TOLD_EVERY != 0)
    return;
  unsigned left = (unsigned)seconds_left;
  fprintf(stderr, "%srun %zu of %zu at most, about %u min %02u s left at most: %s%s",
          progress->terminal ? "\r\033[K" : "", step->done + 1, step->most, left / 60, left % 60,
          phases[step->phase], progress->terminal ? "" : "\n");
}

void tuning_progress_clear(const struct tuning_progress *progress) {
  if (progress->terminal)
    fprintf(stderr, "\r\033[K");
}
