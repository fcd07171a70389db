/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/percentiles.h"
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

static enum status evaluate(struct percentiles *run, enum dependence dependence) {
  struct curve curve = {.dependence = dependence};
  enum status status = STATUS_OK;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER && status == STATUS_OK; side++)
    status = calculation_evaluate(&curve.bound[side], &run->calculation, (enum survival_side)side,
                                  dependence);
  vector_push(&run->curves, curve);
  return status;
}

static void compare(struct percentiles *run, struct curve *curve) {
  uint64_t alpha = 0;
  if (rational_sign(&run->options->confidence) > 0)
    survival_tail_of(&alpha, &run->options->confidence);
  compare_curve(&curve->comparison, &curve->bound[SIDE_UPPER], &run->observed, alpha);
}

/* Inputs are read before the proof: a mistyped path should not cost a wait. */
static enum status calculate(struct percentiles *run) {
  enum status status = calculation_init(&run->calculation, run->options);
  if (status == STATUS_OK)
    status = read_observed(run);
  if (status == STATUS_OK)
    status = evaluate(run, DEPENDENCE_INDEPENDENT);
  if (status == STATUS_OK)
    status = calculation_prove(&run->calculation);
  for (size_t c = 0; c < run->curves.count && status == STATUS_OK && run->has_observed; c++)
    compare(run, &run->curves.data[c]);
  return status;
}

/* STATUS_REFUTED where an observation is not dominated. */
static enum status judge(const struct percentiles *run) {
  enum status status = STATUS_OK;
  for (size_t c = 0; c < run->curves.count; c++) {
    const struct curve *curve = &run->curves.data[c];
    if (run->has_observed && curve->comparison.beyond_chance.found)
      status = STATUS_REFUTED;
    for (size_t i = 0; i < run->wanted.count; i++)
      if (!percentiles_at(run, curve, &run->wanted.data[i].share).dominates)
        status = STATUS_REFUTED;
  }
  return status;
}

static void clear(struct percentiles *run) {
  for (size_t c = 0; c < run->curves.count; c++) {
    struct curve *curve = &run->curves.data[c];
    survival_clear(&curve->bound[SIDE_UPPER]);
    survival_clear(&curve->bound[SIDE_LOWER]);
    if (run->has_observed)
      comparison_clear(&curve->comparison);
  }
  vector_clear(&run->curves);
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
  status = wanted_read(&run.wanted, "percentiles", options->percentiles);
  if (status == STATUS_OK)
    status = calculate(&run);
  if (status == STATUS_OK) {
    (options->json ? percentiles_print_json : percentiles_print_text)(&run);
    status = judge(&run);
  }
  clear(&run);
  return status;
}
