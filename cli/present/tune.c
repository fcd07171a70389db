/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/tune.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/jsonl.h"
#include "show/ledger.h"
#include "show/table.h"
#include "show/terminal.h"
#include "show/wrapped.h"

#define MEGABYTE 1048576.0

static const char *const verdicts[] = {[TUNE_BETTER] = "better",
                                       [TUNE_NO_GAIN] = "no difference found",
                                       [TUNE_NOTHING] = "no setting usable",
                                       [TUNE_GIVEN_UP] = "given up"};

/* --- numbers --- */

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

static bool has_best(const struct heap_tuning *tuning) {
  return tuning->answer.pairs.count > 0;
}

/* "12.3 % lower" */
static void change_print(struct text *text, double ratio) {
  if (isinf(ratio))
    text_append(text, "any amount higher");
  else
    text_format(text, "%.1f %% %s", 100 * fabs(1 - ratio), ratio <= 1 ? "lower" : "higher");
}

/* --- text --- */

static void print_gain(const struct heap_tuning *tuning) {
  const struct tune_answer *answer = &tuning->answer;
  struct text least, most, as_is, best;
  text_init(&least);
  text_init(&most);
  text_init(&as_is);
  text_init(&best);
  change_print(&least, answer->ratio.most);
  change_print(&most, answer->ratio.least);
  duration_print_nearest(&as_is, (int64_t)MIDDLE(answer->metrics_as_is));
  duration_print_nearest(&best, (int64_t)MIDDLE(answer->metrics_best));
  wrapped_format(2, 4, "%s: %s as it is, %s with it (medians of %zu pairs of runs).",
                 tuning->request->metric, text_get(&as_is), text_get(&best), answer->pairs.count);
  if (answer->has_ratio && isfinite(answer->ratio.least) && isfinite(answer->ratio.most))
    wrapped_format(2, 4, "With %.4g %% confidence it is between %s and %s.",
                   100 * rational_double(&tuning->request->confidence), text_get(&most),
                   text_get(&least));
  text_clear(&least);
  text_clear(&most);
  text_clear(&as_is);
  text_clear(&best);
}

static void print_memory(const struct heap_tuning *tuning) {
  double as_is = MIDDLE(tuning->answer.memory_as_is), best = MIDDLE(tuning->answer.memory_best);
  if (as_is > 0 && best > 0)
    wrapped_format(2, 4, "Memory at most: %.0f MB as it is, %.0f MB with it (%+.0f MB).",
                   as_is / MEGABYTE, best / MEGABYTE, (best - as_is) / MEGABYTE);
}

static void print_tried(const struct heap_tuning *tuning) {
  const struct tune_answer *answer = &tuning->answer;
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "tried");
  table_column(&table, TABLE_RIGHT, "blocks");
  table_column(&table, TABLE_RIGHT, "against as it is");
  table_column(&table, TABLE_RIGHT, "memory");
  for (size_t i = 0; i < answer->tried.count; i++) {
    const struct tune_tried *tried = &answer->tried.data[i];
    char *setting = setting_text(&tried->setting);
    table_cell(&table, "%s", setting);
    table_cell(&table, "%zu", tried->ratios.count);
    if (tried->unusable || tried->ratios.count == 0)
      table_cell(&table, "%s", tried->unusable ? "does not run" : "-");
    else
      table_cell(&table, "x %.2f", exp(MIDDLE(tried->ratios)));
    table_cell(&table, "%.0f MB", MIDDLE(tried->memory) / MEGABYTE);
    mem_free(setting);
  }
  putchar('\n');
  table_print(stdout, &table, 2);
  table_clear(&table);
}

static void print_verdict(const struct heap_tuning *tuning) {
  char *setting = has_best(tuning) ? setting_text(&best_of(tuning)->setting) : NULL;
  switch (tuning->answer.verdict) {
  case TUNE_BETTER:
    printf("Found: node %s\n", setting);
    break;
  case TUNE_NO_GAIN:
    wrapped_format(0, 2,
                   "No difference found: no setting makes %s lower than it is, as far as %zu "
                   "runs tell.",
                   tuning->request->metric, tuning->answer.runs);
    if (setting != NULL)
      wrapped_format(2, 4, "The best of those tried: %s", setting);
    break;
  case TUNE_NOTHING:
    wrapped_format(0, 2, "No setting is usable: %s.",
                   tuning->unusable == NULL ? "none was tried" : tuning->unusable);
    break;
  case TUNE_GIVEN_UP:
    wrapped_format(0, 2, "Given up after %zu runs: nothing is said.", tuning->answer.runs);
    break;
  }
  mem_free(setting);
}

void tuning_print_text(const struct heap_tuning *tuning, bool full) {
  bool told = tuning->answer.verdict == TUNE_BETTER || tuning->answer.verdict == TUNE_NO_GAIN;
  print_verdict(tuning);
  if (told && has_best(tuning)) {
    print_gain(tuning);
    print_memory(tuning);
  }
  if (tuning->answer.verdict == TUNE_NO_GAIN)
    wrapped_format(2, 4, "Longer runs, or more pairs (--pairs), find smaller differences.");
  if (full)
    print_tried(tuning);
}

/* --- JSON --- */

static void print_tried_json(const struct tune_tried *tried) {
  struct jsonl *json = jsonl_new("tried_setting");
  char *setting = setting_text(&tried->setting);
  jsonl_text(json, "setting", setting);
  jsonl_integer(json, "blocks", (int64_t)tried->ratios.count);
  jsonl_flag(json, "usable", !tried->unusable);
  if (tried->ratios.count > 0) {
    jsonl_number(json, "ratio", exp(MIDDLE(tried->ratios)));
    jsonl_integer(json, "memory_bytes", (int64_t)MIDDLE(tried->memory));
  }
  jsonl_print(json);
  mem_free(setting);
}

static void add_limit(struct jsonl *json, const char *key, double ratio) {
  if (isfinite(ratio) && ratio > 0)
    jsonl_number(json, key, ratio);
  else
    jsonl_text(json, key, NULL);
}

static void add_best(struct jsonl *json, const struct heap_tuning *tuning) {
  const struct tune_answer *answer = &tuning->answer;
  char *setting = setting_text(&best_of(tuning)->setting);
  jsonl_text(json, "setting", setting);
  mem_free(setting);
  jsonl_integer(json, "semi_mb", best_of(tuning)->setting.semi);
  jsonl_integer(json, "pairs", (int64_t)answer->pairs.count);
  jsonl_integer(json, "as_is_ns", (int64_t)MIDDLE(answer->metrics_as_is));
  jsonl_integer(json, "best_ns", (int64_t)MIDDLE(answer->metrics_best));
  jsonl_integer(json, "memory_as_is_bytes", (int64_t)MIDDLE(answer->memory_as_is));
  jsonl_integer(json, "memory_best_bytes", (int64_t)MIDDLE(answer->memory_best));
  if (!answer->has_ratio)
    return;
  jsonl_number(json, "ratio", answer->ratio.value);
  add_limit(json, "ratio_least", answer->ratio.least);
  add_limit(json, "ratio_most", answer->ratio.most);
}

void tuning_print_json(const struct heap_tuning *tuning) {
  for (size_t i = 0; i < tuning->answer.tried.count; i++)
    print_tried_json(&tuning->answer.tried.data[i]);
  struct jsonl *json = jsonl_new("tuned");
  jsonl_text(json, "metric", tuning->request->metric);
  jsonl_text(json, "verdict", verdicts[tuning->answer.verdict]);
  jsonl_integer(json, "runs", (int64_t)tuning->answer.runs);
  if (has_best(tuning))
    add_best(json, tuning);
  if (tuning->unusable != NULL)
    jsonl_text(json, "unusable", tuning->unusable);
  jsonl_print(json);
}

/* --- progress --- */

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
