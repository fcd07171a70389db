/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/calculation.h"

#include "cli/question/law/stream.h"
#include "cli/question/percentiles/assumed.h"
#include "cli/question/percentiles/one_request.h"
#include "cli/question/percentiles/reduce.h"
#include "cli/question/percentiles/unread.h"
#include "cli/question/verify/parameters.h"
#include "cli/question/verify/reuse.h"
#include "cli/question/verify/verify.h"
#include "dist/evaluate/compose_draw.h"
#include "dist/source/joint.h"
#include "dist/statistics/confidence.h"
#include "lang/instantiate.h"

static enum status read_stream(struct calculation *calculation, struct joint *table,
                               const struct stream_request *request) {
  struct source_notes notes;
  source_notes_init(&notes);
  enum status status =
      joint_read(table, &notes, calculation->request->stream, NULL, &calculation->message);
  for (size_t i = 0; i < notes.count; i++)
    ledger_note(&calculation->ledger, LEDGER_DATA, "%s", notes.lines[i]);
  source_notes_clear(&notes);
  if (status == STATUS_OK)
    status = stream_add_bound(table, request, &calculation->message);
  if (status == STATUS_OK)
    ledger_note(&calculation->ledger, LEDGER_MODEL,
                "row k of %s is request k of one stream, and whoever takes the first has nothing "
                "else to do",
                table->path);
  return status;
}

/* The bound is evaluated for each row; from then on it is a column like others. */
static enum status follow_stream(struct calculation *calculation, const struct parameters *set) {
  const struct bound *bound = calculation->bound;
  const struct stream_request request = {.model = calculation->protocol.model,
                                         .bound = bound,
                                         .params = set->values,
                                         .times = set->times};
  enum status status =
      assumptions_meet(request.model, set->values, set->given, set->times, &calculation->message);
  if (status != STATUS_OK)
    return status;
  struct joint *table = mem_alloc(1, sizeof *table);
  joint_init(table);
  status = read_stream(calculation, table, &request);
  if (status != STATUS_OK) {
    joint_clear(table);
    mem_free(table);
    return status;
  }
  calculation->stream = table;
  calculation->expression = expression_term(
      &calculation->table,
      expression_occurrence(&calculation->table, bound->expression_text, NULL, NULL, 0));
  return STATUS_OK;
}

static enum status instantiate(struct calculation *calculation) {
  const struct model *model = calculation->protocol.model;
  struct parameters set;
  enum status status =
      parameters_read(&set, model, &calculation->request->set, calculation->request->asker);
  if (status == STATUS_OK)
    status = parameters_need_times(&set, calculation->bound, &calculation->message);
  if (status == STATUS_OK && calculation->request->stream != NULL)
    status = follow_stream(calculation, &set);
  else if (status == STATUS_OK)
    status = bound_instantiate_at(&calculation->expression, &calculation->table, model,
                                  calculation->bound, NULL, set.values, set.given, set.times,
                                  &calculation->message);
  if (status == STATUS_OK)
    parameters_add_times(&set, calculation->bound, &calculation->request->set,
                         &calculation->ledger);
  parameters_clear(&set);
  return status;
}

static enum status prepare(struct calculation *calculation) {
  const struct calculation_request *request = calculation->request;
  enum status status = protocol_load(&calculation->protocol, request->path, request->asker);
  if (status != STATUS_OK)
    return status;
  calculation->bound = protocol_bound(&calculation->protocol, request->bound, request->asker);
  if (calculation->bound == NULL)
    return STATUS_USAGE;
  status = instantiate(calculation);
  if (status == STATUS_OK)
    calculation->reduced = calculation->expression;
  if (status == STATUS_OK)
    status = laws_init(&calculation->laws, request, &calculation->protocol, calculation->bound,
                       calculation->expression, &calculation->table, calculation->stream,
                       &calculation->ledger, &calculation->message);
  if (status == STATUS_OK)
    status = unread_warn(&calculation->laws, calculation->protocol.model, &calculation->ledger);
  if (status == STATUS_OK)
    status = one_request_check(&calculation->laws, calculation->protocol.model, calculation->bound,
                               &calculation->table, &calculation->message);
  if (status == STATUS_OK)
    status = assumed_check(&calculation->laws, calculation->protocol.model, &calculation->ledger,
                           &calculation->message);
  if (status == STATUS_OK) {
    draws_make(&calculation->draws, &calculation->laws, calculation->expression, NULL);
    if (!calculation->draws.by_request)
      calculation->reduced =
          reduce(calculation->expression, &calculation->table, &calculation->laws);
  }
  if (status == STATUS_OK)
    status = together_init(&calculation->together, request, &calculation->table, &calculation->laws,
                           &calculation->ledger, &calculation->message);
  return status;
}

static enum status choose_grid(struct calculation *calculation) {
  calculation->laws.together = &calculation->together;
  bool good = grid_choose(&calculation->grid, &calculation->laws, calculation->reduced,
                          &calculation->ledger, &calculation->message);
  calculation->laws.grid = calculation->grid.grid;
  return good ? STATUS_OK : STATUS_USAGE;
}

static void say(struct calculation *calculation) {
  if (calculation->message.length != 0)
    asker_say(calculation->request->asker, SAYING_FAILURE, "%s", calculation->message.data);
  text_clear(&calculation->message);
  text_init(&calculation->message);
}

static void add_assertions(struct calculation *calculation) {
  if (calculation->request->assume_independent)
    ledger_note(&calculation->ledger, LEDGER_DIST,
                "what was measured apart is independent (asserted with --assume independent)");
  if (calculation->request->exchangeable)
    ledger_note(&calculation->ledger, LEDGER_DATA,
                "the order of observations means nothing (asserted with --exchangeable)");
}

enum status calculation_init(struct calculation *calculation,
                             const struct calculation_request *request) {
  *calculation = (struct calculation){.request = request};
  expression_table_init(&calculation->table);
  ledger_init(&calculation->ledger);
  text_init(&calculation->message);
  add_assertions(calculation);
  enum status status = prepare(calculation);
  if (status == STATUS_OK)
    status = choose_grid(calculation);
  say(calculation);
  return status;
}

void calculation_clear(struct calculation *calculation) {
  if (calculation->proof != NULL)
    verification_clear(calculation->proof);
  mem_free(calculation->proof);
  together_clear(&calculation->together);
  draws_clear(&calculation->draws);
  laws_clear(&calculation->laws);
  ledger_clear(&calculation->ledger);
  expression_table_clear(&calculation->table);
  text_clear(&calculation->message);
  protocol_clear(&calculation->protocol);
}

enum status calculation_prove(struct calculation *calculation) {
  const struct calculation_request *request = calculation->request;
  const struct model *model = calculation->protocol.model;
  struct verify_options how = effort_options(&request->effort, request->asker);
  how.only = calculation->bound;
  calculation->proof = mem_alloc(1, sizeof *calculation->proof);
  reuse_or_verify(calculation->proof, model, calculation->protocol.source, &how,
                  request->effort.reuse);
  verification_assumptions(calculation->proof, &calculation->ledger);
  const struct verification *proof = calculation->proof;
  enum status status =
      proof->bounds.count == 0 ? STATUS_UNKNOWN : verdict_status(proof->bounds.data[0].verdict);
  return asker_stopped(request->asker) ? STATUS_INTERRUPTED : status;
}

enum status calculation_make_bands(struct calculation *calculation, uint64_t chance) {
  struct laws *laws = &calculation->laws;
  if (laws->banded && laws->budget == chance)
    return STATUS_OK;
  enum status status =
      laws_make_bands(laws, chance, NULL, &calculation->ledger, &calculation->message);
  say(calculation);
  return status;
}

static size_t group_of(void *context, const struct occurrence *occurrence) {
  struct laws *laws = context;
  return together_group(laws->together, occurrence);
}

static size_t one_group(void *context, const struct occurrence *occurrence) {
  (void)context;
  (void)occurrence;
  return 0;
}

static enum status evaluate(struct survival *result, struct calculation *calculation,
                            enum survival_side side, enum dependence dependence,
                            struct ledger *ledger) {
  struct laws *laws = &calculation->laws;
  laws->side = side;
  struct evaluate_laws find = laws->find;
  find.jobs = calculation->request->effort.jobs;
  if (dependence == DEPENDENCE_UNKNOWN) {
    find.group = one_group;
    find.together_bare = true;
  } else {
    find.group = group_of;
  }
  survival_init_side(result, &laws->grid, side);
  enum status status =
      evaluate_survival(result, calculation->reduced, &find, calculation->request->fresh, ledger,
                        &calculation->message);
  say(calculation);
  return status;
}

enum status calculation_evaluate(struct survival *result, struct calculation *calculation,
                                 enum survival_side side, enum dependence dependence) {
  return evaluate(result, calculation, side, dependence, &calculation->ledger);
}

enum status calculation_try(struct survival *result, struct calculation *calculation,
                            enum survival_side side, enum dependence dependence) {
  struct ledger unused;
  ledger_init(&unused);
  enum status status = evaluate(result, calculation, side, dependence, &unused);
  ledger_clear(&unused);
  return status;
}

/* --- what can be said beforehand -------------------------------------------------------------- */

/* Occurrences of what is convolved. */
static uint64_t count_terms(const struct calculation *calculation) {
  const struct laws *laws = &calculation->laws;
  uint64_t terms = 0;
  for (size_t i = 0; i < laws->by_occurrence.count; i++)
    terms += !laws->entries.data[laws->by_occurrence.data[i]]->is_covered;
  return terms;
}

/* What may depend on each other in any way may be unseen one at a time, so that the chances add up.
 * No number where a law is written (it may never be finite) or drawn anew with every mention. */
uint64_t calculation_samples_needed(const struct calculation *calculation,
                                    enum dependence dependence, const struct rational *share,
                                    uint64_t alpha) {
  const struct calculation_request *request = calculation->request;
  uint64_t terms = count_terms(calculation), above = 0;
  survival_tail_of_side(&above, share, SIDE_UPPER);
  if (request->fresh || request->laws.count != 0 || terms == 0 || alpha == 0)
    return 0;
  bool adds_up = dependence == DEPENDENCE_UNKNOWN || request->together.count != 0 ||
                 request->together_each.count != 0 || calculation->laws.tables.count != 0;
  return adds_up ? confidence_samples_needed_of(above / terms, alpha, 1, request->band)
                 : confidence_samples_needed_of(above, alpha, terms, request->band);
}

uint64_t calculation_fewest(const struct calculation *calculation, const uint64_t *samples) {
  const struct laws *laws = &calculation->laws;
  uint64_t fewest = UINT64_MAX;
  for (size_t i = 0; i < laws->entries.count; i++)
    if (laws->entries.data[i]->compose == NULL && !laws->entries.data[i]->is_covered) {
      uint64_t count = samples == NULL ? laws->entries.data[i]->sample.real : samples[i];
      fewest = count < fewest ? count : fewest;
    }
  return fewest;
}

bool calculation_assumes_draws(const struct calculation *calculation) {
  const struct calculation_request *request = calculation->request;
  if (request->exchangeable || rational_sign(&request->confidence) == 0)
    return false;
  const struct draws *draws = &calculation->draws;
  return draws->by_request ? !levels_tell(&draws->values) : laws_assume_draws(&calculation->laws);
}

bool calculation_wanders(const struct calculation *calculation) {
  const struct calculation_request *request = calculation->request;
  const struct draws *draws = &calculation->draws;
  if (request->exchangeable || rational_sign(&request->confidence) == 0)
    return false;
  if (draws->by_request)
    return draws_serial(draws, NULL).wanders;
  bool found = false;
  for (size_t i = 0; i < calculation->laws.entries.count; i++)
    found = found || calculation->laws.entries.data[i]->serial.wanders;
  return found;
}

/* What an occurrence is a part of: its table, its group, or itself. */
static size_t part_of(const struct calculation *calculation, size_t id) {
  const struct laws *laws = &calculation->laws;
  const struct law_entry *entry = laws->entries.data[laws->by_occurrence.data[id]];
  size_t occurrences = calculation->table.occurrences.count;
  return entry->table != TABLE_NONE ? occurrences + entry->table
                                    : calculation->together.group.data[id];
}

/* Constants are parts of nothing; a law composed of several draws is several parts itself, also
 * where a group has it. */
size_t calculation_parts(const struct calculation *calculation) {
  const struct laws *laws = &calculation->laws;
  size_t parts = 0, known = calculation->table.occurrences.count + laws->tables.count;
  bool *seen = mem_alloc(known, sizeof *seen);
  for (size_t id = 0; id < calculation->table.occurrences.count; id++) {
    const struct law_entry *entry = laws->entries.data[laws->by_occurrence.data[id]];
    uint64_t size = entry->compose == NULL ? 1 : compose_draw_choices(entry->compose);
    size_t part = part_of(calculation, id);
    if (size == 0)
      continue;
    parts += !seen[part];
    parts += size > 1;
    seen[part] = true;
  }
  mem_free(seen);
  return calculation->request->fresh ? parts + 2 : parts; /* each mention is a draw of its own */
}
