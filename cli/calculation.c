/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/calculation.h"

#include "cli/parameters.h"
#include "lang/instantiate.h"

static enum status instantiate(struct calculation *calculation) {
  const struct model *model = calculation->protocol.model;
  struct parameters set;
  enum status status = parameters_read(&set, model, calculation->options);
  if (status == STATUS_OK)
    status = parameters_need_times(&set, calculation->bound, &calculation->message);
  if (status == STATUS_OK)
    status = bound_instantiate_at(&calculation->expression, &calculation->table, model,
                                  calculation->bound, NULL, set.values, set.given, set.times,
                                  &calculation->message);
  if (status == STATUS_OK)
    parameters_add_times(&set, calculation->bound, calculation->options, &calculation->ledger);
  parameters_clear(&set);
  return status;
}

static enum status prepare(struct calculation *calculation) {
  const struct options *options = calculation->options;
  enum status status = protocol_load(&calculation->protocol, options->files[0], options);
  if (status != STATUS_OK)
    return status;
  calculation->bound = protocol_bound(&calculation->protocol, options->bound);
  if (calculation->bound == NULL)
    return STATUS_USAGE;
  status = instantiate(calculation);
  if (status == STATUS_OK)
    status = laws_init(&calculation->laws, options, calculation->expression, &calculation->table,
                       &calculation->ledger, &calculation->message);
  if (status == STATUS_OK)
    laws_make_bands(&calculation->laws, &calculation->ledger);
  return status;
}

static void say(struct calculation *calculation) {
  if (calculation->message.length != 0)
    fprintf(stderr, "tailproof: %s\n", calculation->message.data);
  text_clear(&calculation->message);
  text_init(&calculation->message);
}

enum status calculation_init(struct calculation *calculation, const struct options *options) {
  *calculation = (struct calculation){.options = options};
  ground_table_init(&calculation->table);
  ledger_init(&calculation->ledger);
  text_init(&calculation->message);
  enum status status = prepare(calculation);
  say(calculation);
  return status;
}

void calculation_clear(struct calculation *calculation) {
  laws_clear(&calculation->laws);
  ledger_clear(&calculation->ledger);
  ground_table_clear(&calculation->table);
  text_clear(&calculation->message);
  protocol_clear(&calculation->protocol);
}

static void add_line(const char *source, const char *line, void *context) {
  ledger_add(context, source[0] == 'm' ? LEDGER_MODEL : LEDGER_SOLVER, "%s", line);
}

enum status calculation_prove(struct calculation *calculation) {
  const struct protocol *protocol = &calculation->protocol;
  struct verify_options how = verify_options(calculation->options);
  how.only = calculation->bound;
  struct verification verification;
  verification_init(&verification, protocol->model, &how);
  enum status status = STATUS_UNKNOWN;
  for (size_t i = 0; i < verification.bounds.count; i++) {
    const struct bound_report *report = &verification.bounds.data[i];
    report_bound(report, protocol->model, protocol->source, calculation->options);
    status = report_status(report->verdict);
  }
  verification_clear(&verification);
  verification_assumptions(protocol->model, add_line, &calculation->ledger);
  if (status != STATUS_OK)
    fprintf(stderr, "tailproof: no percentiles: the bound is not proved\n");
  return command_interrupted() ? STATUS_INTERRUPTED : status;
}

static size_t one_group(void *context, const struct occurrence *occurrence) {
  (void)context;
  (void)occurrence;
  return 0;
}

enum status calculation_evaluate(struct survival *result, struct calculation *calculation,
                                 enum survival_side side, enum dependence dependence) {
  struct laws *laws = &calculation->laws;
  laws->side = side;
  struct evaluate_laws find = laws->find;
  if (dependence == DEPENDENCE_UNKNOWN) {
    find.group = one_group;
    find.together_bare = true;
  }
  survival_init_side(result, &laws->grid, side);
  if (side == SIDE_LOWER)
    return STATUS_OK;
  enum status status =
      evaluate_survival(result, calculation->expression, &find, calculation->options->fresh,
                        &calculation->ledger, &calculation->message);
  say(calculation);
  return status;
}
