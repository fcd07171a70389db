/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/calculate/percentiles.h"
#include "cli/plot/percentiles.h"
#include "dist/source/source.h"

static enum status read_observed(struct percentiles *run) {
  const struct options *options = run->options;
  if (options->observed == NULL)
    return STATUS_OK;
  struct source_notes notes;
  struct text message;
  source_notes_init(&notes);
  text_init(&message);
  enum status status = source_read(&run->observed, &notes, options->observed,
                                   settings_find(&options->units, "observed"), &message);
  for (size_t i = 0; i < notes.count; i++)
    ledger_add(&run->calculation.ledger, LEDGER_DATA, "%s", notes.lines[i]);
  if (status != STATUS_OK)
    fprintf(stderr, "tailproof: %s\n", text_get(&message));
  source_notes_clear(&notes);
  text_clear(&message);
  run->has_observed = status == STATUS_OK;
  return status;
}

static enum status evaluate_curve(struct percentiles *run, struct curve *curve) {
  struct calculation *calculation = &run->calculation;
  enum status status = STATUS_OK;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER && status == STATUS_OK; side++)
    status = calculation_evaluate(&curve->bound[side], calculation, (enum survival_side)side,
                                  curve->dependence);
  if (status != STATUS_OK || run->options->tail == TAIL_INFINITE)
    return status;
  curve->proved = curve->bound[SIDE_UPPER];
  curve->bound[SIDE_UPPER].tail = NULL;
  calculation->laws.use_models = true;
  return calculation_evaluate(&curve->bound[SIDE_UPPER], calculation, SIDE_UPPER,
                              curve->dependence);
}

static enum status evaluate(struct percentiles *run) {
  enum dependence_wish wish = run->options->dependence;
  enum status status = STATUS_OK;
  for (int d = DEPENDENCE_INDEPENDENT; d <= DEPENDENCE_UNKNOWN && status == STATUS_OK; d++) {
    if (wish == (d == DEPENDENCE_UNKNOWN ? WISH_INDEPENDENT : WISH_UNKNOWN))
      continue;
    struct curve curve = {.dependence = (enum dependence)d};
    run->calculation.laws.use_models = false;
    status = evaluate_curve(run, &curve);
    vector_push(&run->curves, curve);
  }
  return status;
}

static void compare(struct percentiles *run, struct curve *curve) {
  uint64_t alpha = 0;
  if (rational_sign(&run->options->confidence) > 0)
    survival_tail_of(&alpha, &run->options->confidence);
  compare_curve(&curve->comparison, &curve->bound[SIDE_UPPER], &run->observed, alpha);
}

/* What the command line alone says is refused first, then unreadable inputs: neither should cost a
 * wait for the proof. */
static enum status calculate(struct percentiles *run) {
  const struct options *options = run->options;
  struct text message;
  text_init(&message);
  enum status status = wanted_read(&run->wanted, "percentiles", options->percentiles);
  if (status == STATUS_OK)
    status = percentiles_read_questions(run);
  if (status == STATUS_OK && options->plot != NULL)
    status = plot_check_name(options->plot, &message);
  if (message.length != 0)
    fprintf(stderr, "tailproof percentiles: %s\n", message.data);
  text_clear(&message);
  if (status != STATUS_OK)
    return status;
  status = calculation_init(&run->calculation, options);
  if (status == STATUS_OK)
    status = read_observed(run);
  if (status == STATUS_OK)
    laws_warn(&run->calculation.laws, run->has_observed ? &run->observed : NULL,
              &run->calculation.ledger);
  if (status == STATUS_OK)
    status = evaluate(run);
  if (status == STATUS_OK)
    status = calculation_prove(&run->calculation);
  for (size_t c = 0; c < run->curves.count && status == STATUS_OK && run->has_observed; c++)
    compare(run, &run->curves.data[c]);
  return status;
}

static enum status draw(struct percentiles *run, struct text *message) {
  struct percentile_plot drawing;
  percentile_plot_init(&drawing, run);
  enum status status = plot_write(&drawing.plot, run->options->plot, message);
  percentile_plot_clear(&drawing);
  return status;
}

static enum status write_files(struct percentiles *run) {
  struct text message;
  text_init(&message);
  enum status status = STATUS_OK;
  if (run->options->save != NULL)
    status = percentiles_save(run, run->options->save, &message);
  if (status == STATUS_OK && run->options->plot != NULL)
    status = draw(run, &message);
  if (message.length != 0)
    fprintf(stderr, "tailproof percentiles: %s\n", message.data);
  text_clear(&message);
  return status;
}

/* STATUS_REFUTED where an observation is not dominated or an objective is broken. */
static enum status judge(const struct percentiles *run) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < run->results.count; i++)
    status = status_worst(status, slo_status(run->results.data[i].state));
  for (size_t c = 0; c < run->curves.count; c++) {
    const struct curve *curve = &run->curves.data[c];
    if (run->has_observed && curve->comparison.beyond_chance.found)
      status = status_worst(status, STATUS_REFUTED);
    for (size_t i = 0; i < run->wanted.count; i++)
      if (!percentiles_at(run, curve, &run->wanted.data[i].share).dominates)
        status = status_worst(status, STATUS_REFUTED);
  }
  return status;
}

static void clear(struct percentiles *run) {
  for (size_t c = 0; c < run->curves.count; c++) {
    struct curve *curve = &run->curves.data[c];
    survival_clear(&curve->bound[SIDE_UPPER]);
    survival_clear(&curve->bound[SIDE_LOWER]);
    survival_clear(&curve->proved);
    if (run->has_observed)
      comparison_clear(&curve->comparison);
  }
  vector_clear(&run->curves);
  percentiles_clear_questions(run);
  sample_clear(&run->observed);
  calculation_clear(&run->calculation);
  wanted_clear(&run->wanted);
}

enum status command_percentiles(const struct options *options) {
  enum status status = need_files(options, "percentiles", 1, 1);
  if (status == STATUS_OK && options->data == NULL) {
    fprintf(stderr, "tailproof percentiles: name the folder of measurements with --data DIR\n");
    status = STATUS_USAGE;
  }
  if (status != STATUS_OK)
    return status;
  struct percentiles run = {.options = options};
  sample_init(&run.observed);
  status = calculate(&run);
  if (status == STATUS_OK)
    status = percentiles_answer(&run);
  if (status == STATUS_OK)
    status = write_files(&run);
  if (status == STATUS_OK) {
    (options->json ? percentiles_print_json : percentiles_print_text)(&run);
    status = judge(&run);
  }
  clear(&run);
  return status;
}
