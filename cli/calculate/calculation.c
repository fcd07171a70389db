/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/calculate/calculation.h"

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
    status = together_init(&calculation->together, options, &calculation->table,
                           &calculation->ledger, &calculation->message);
  return status;
}

static enum status choose_grid(struct calculation *calculation) {
  calculation->laws.together = &calculation->together;
  bool good = grid_choose(&calculation->grid, &calculation->laws, calculation->expression,
                          &calculation->ledger, &calculation->message);
  calculation->laws.grid = calculation->grid.grid;
  return good ? laws_make_bands(&calculation->laws, NULL, &calculation->ledger,
                                &calculation->message)
              : STATUS_USAGE;
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
  if (status == STATUS_OK)
    status = choose_grid(calculation);
  say(calculation);
  return status;
}

void calculation_clear(struct calculation *calculation) {
  together_clear(&calculation->together);
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
  find.jobs = calculation->options->jobs;
  if (dependence == DEPENDENCE_UNKNOWN) {
    find.group = one_group;
    find.together_bare = true;
  } else {
    find.group = group_of;
  }
  survival_init_side(result, &laws->grid, side);
  enum status status =
      evaluate_survival(result, calculation->expression, &find, calculation->options->fresh, ledger,
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
