/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/percentiles.h"

#include "base/file.h"
#include "cli/question/law/span_table.h"
#include "cli/question/percentiles/observation.h"
#include "dist/source/joint.h"
#include "dist/source/source.h"

/* Of a column in which some requests are not paired what is known. */
static void keep_paired(struct percentiles *run, const struct joint_column *column, size_t rows) {
  run->unpaired = column->unpaired;
  for (size_t i = 0; i < rows && run->unpaired != 0; i++) {
    struct joint_cell cell = column->cells[i];
    if (cell.lower_ns == SAMPLE_NS_MAX)
      sample_add_beyond(&run->paired, 1);
    else if (cell.lower_ns <= cell.upper_ns && cell.upper_ns != SAMPLE_NS_MAX)
      sample_add_range(&run->paired, cell.lower_ns, cell.upper_ns, 1);
  }
  sample_finish(&run->paired);
}

static enum status refuse_halved(const struct percentiles *run, const struct joint *joint,
                                 size_t column) {
  struct text message;
  text_init(&message);
  enum status status = laws_refuse_halved(&message, joint, column);
  asker_fail(run->request->of.asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

/* A column of a table that is named as the observation, or whose file of the folder is. */
static bool find_column(struct percentiles *run, const char *observed, enum status *status) {
  const struct laws *laws = &run->calculation.laws;
  for (size_t t = 0; t < laws->tables.count; t++) {
    const struct joint *joint = laws->tables.data[t];
    size_t at = joint_find_observed(joint, observed);
    if (at == SIZE_MAX)
      continue;
    if (joint->columns.data[at].halved) {
      *status = refuse_halved(run, joint, at);
      return true;
    }
    struct law_entry column = {.table = t, .column = at};
    sample_init(&column.sample);
    laws_fill_column(&column, joint);
    sample_clear(&run->observed);
    run->observed = column.sample;
    run->observed_is_column = true;
    keep_paired(run, &joint->columns.data[at], joint->rows);
    ledger_note(&run->calculation.ledger, LEDGER_DATA,
                "what was observed is column %s of %s, of the same requests",
                joint->columns.data[at].name, joint->path);
    return true;
  }
  return false;
}

static enum status read_file(struct percentiles *run, const char *path) {
  struct source_notes notes;
  struct text message;
  source_notes_init(&notes);
  text_init(&message);
  const struct source_options options = {.unit = settings_find(&run->request->of.units, "observed"),
                                         .select =
                                             settings_find(&run->request->of.selects, "observed")};
  enum status status = source_read_with(&run->observed, &notes, NULL, path, &options, &message);
  for (size_t i = 0; i < notes.count; i++)
    ledger_note(&run->calculation.ledger, LEDGER_DATA, "%s", notes.lines[i]);
  if (status != STATUS_OK)
    asker_fail(run->request->of.asker, status, "%s", text_get(&message));
  source_notes_clear(&notes);
  text_clear(&message);
  return status;
}

/* Traces: how long their requests took. */
static enum status read_traces(struct percentiles *run, const char *path) {
  const struct calculation_request *of = &run->request->of;
  const struct span_table_request request = {
      .map = of->spans, .latencies = true, .traces = &path, .trace_count = 1, .asker = of->asker};
  struct text table, message;
  struct joint joint;
  struct source_notes notes;
  text_init(&table);
  text_init(&message);
  joint_init(&joint);
  source_notes_init(&notes);
  enum status status = span_table_make(&table, &request, &run->calculation.ledger);
  if (status == STATUS_OK) {
    status = joint_parse(&joint, &notes, path, table.data, table.length, NULL, &message);
    if (status != STATUS_OK)
      asker_fail(of->asker, status, "%s", text_get(&message));
  }
  if (status == STATUS_OK) {
    struct law_entry column = {.column = joint_find_name(&joint, "request")};
    sample_init(&column.sample);
    laws_fill_column(&column, &joint);
    sample_clear(&run->observed);
    run->observed = column.sample;
  }
  source_notes_clear(&notes);
  joint_clear(&joint);
  text_clear(&table);
  text_clear(&message);
  return status;
}

static enum status read_observed(struct percentiles *run) {
  const char *observed = run->request->of.observed;
  if (observed == NULL)
    return STATUS_OK;
  enum status status = STATUS_OK;
  if (!find_column(run, observed, &status))
    status = span_table_is_of(observed) ? read_traces(run, observed) : read_file(run, observed);
  run->has_observed = status == STATUS_OK;
  if (!run->has_observed)
    return status;
  bool trusted = run->request->of.exchangeable || rational_sign(&run->request->of.confidence) == 0;
  run->observed_levels = levels_new(&run->observed, trusted);
  run->observed_assumes_draws = !trusted && !levels_tell(&run->observed);
  run->observed_wanders = !trusted && levels_overall(run->observed_levels).wanders;
  if (run->observed_assumes_draws)
    ledger_note(&run->calculation.ledger, LEDGER_DATA, "%s: %s", file_name(observed),
                law_draws_words(&run->observed));
  return status;
}

static bool is_one_run(const struct percentiles *run) {
  const struct calculation_request *request = &run->request->of;
  const struct laws *laws = &run->calculation.laws;
  if (request->exchangeable || rational_sign(&request->confidence) == 0)
    return false;
  bool one = run->has_observed && !run->observed_assumes_draws && !run->observed.evidence.compared;
  for (size_t i = 0; i < laws->entries.count; i++) {
    const struct law_entry *entry = laws->entries.data[i];
    one = one || (entry->is_used && entry->compose == NULL && !entry->order_unknown &&
                  !entry->sample.evidence.compared);
  }
  return one;
}

static enum status evaluate(struct percentiles *run) {
  enum dependence_wish wish = run->request->dependence;
  enum status status = STATUS_OK;
  for (int d = DEPENDENCE_INDEPENDENT; d <= DEPENDENCE_UNKNOWN && status == STATUS_OK; d++) {
    if (wish == (d == DEPENDENCE_UNKNOWN ? WISH_INDEPENDENT : WISH_UNKNOWN))
      continue;
    struct curve curve = {0};
    status = estimate_make(&curve.estimate, &run->calculation, (enum dependence)d);
    vector_push(&run->curves, curve);
  }
  return status;
}

/* Only where something rests on independence, or where the rows belong together. */
static void test_dependence(struct percentiles *run) {
  bool rests = false;
  for (size_t c = 0; c < run->curves.count; c++)
    rests |= estimate_parts(&run->curves.data[c].estimate, &run->calculation) > 1;
  if (rational_sign(&run->request->of.confidence) == 0 ||
      (!rests && !run->calculation.draws.by_request))
    return;
  dependence_test(&run->test, &run->calculation);
  dependence_warn(&run->test, &run->calculation.ledger);
}

enum status percentiles_init(struct percentiles *run, const struct percentiles_request *request) {
  *run = (struct percentiles){.request = request};
  sample_init(&run->observed);
  sample_init(&run->paired);
  enum status status = wanted_read(&run->wanted, request->percentiles, request->of.asker);
  return status == STATUS_OK ? percentiles_read_questions(run) : status;
}

/* Unreadable inputs should not cost a wait for the proof. */
enum status percentiles_prepare(struct percentiles *run) {
  enum status status = calculation_init(&run->calculation, &run->request->of);
  run->has_calculation = true;
  if (status == STATUS_OK)
    status = read_observed(run);
  if (status == STATUS_OK) {
    run->bound_assumes_draws = calculation_assumes_draws(&run->calculation);
    run->bound_wanders = calculation_wanders(&run->calculation);
  }
  run->one_run = status == STATUS_OK && is_one_run(run);
  if (status == STATUS_OK)
    laws_warn(&run->calculation.laws, run->has_observed ? &run->observed : NULL,
              &run->calculation.ledger);
  if (status == STATUS_OK)
    status = evaluate(run);
  return status;
}

enum status percentiles_prove(struct percentiles *run) {
  return calculation_prove(&run->calculation);
}

void percentiles_conclude(struct percentiles *run) {
  test_dependence(run);
  percentiles_find(run);
  missing_time_find(&run->missing, run);
}

enum status percentiles_ask(struct percentiles *run, const struct percentiles_request *request) {
  enum status status = percentiles_init(run, request);
  if (status == STATUS_OK)
    status = percentiles_prepare(run);
  if (status == STATUS_OK)
    status = percentiles_prove(run);
  if (status == STATUS_OK) {
    percentiles_conclude(run);
    status = percentiles_answer(run);
  }
  run->found = status == STATUS_OK;
  return run->status = run->found ? percentiles_status(run) : status;
}

void percentiles_clear(struct percentiles *run) {
  for (size_t c = 0; c < run->curves.count; c++) {
    struct curve *curve = &run->curves.data[c];
    estimate_clear(&curve->estimate);
    comparison_clear(&curve->comparison);
    for (size_t i = 0; i < curve->percentiles.count; i++)
      rational_clear(&curve->percentiles.data[i].share);
    vector_clear(&curve->percentiles);
  }
  vector_clear(&run->curves);
  dependence_clear(&run->test);
  percentiles_clear_questions(run);
  missing_time_clear(&run->missing);
  sample_clear(&run->observed);
  sample_clear(&run->paired);
  levels_free(run->observed_levels);
  if (run->has_calculation)
    calculation_clear(&run->calculation);
  wanted_clear(&run->wanted);
}
