/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/command/command.h"
#include "cli/present/json.h"
#include "cli/question/verify/parameters.h"
#include "lang/instantiate.h"

static enum status print_instance(const struct protocol *protocol, const struct bound *bound,
                                  const struct parameters *set, bool json) {
  struct expression_table table;
  expression_table_init(&table);
  struct text text;
  text_init(&text);
  const struct expression *expression = NULL;
  enum status status = bound_instantiate_at(&expression, &table, protocol->model, bound, NULL,
                                            set->values, set->given, set->times, &text);
  if (status != STATUS_OK) {
    fprintf(stderr, "tailproof: %s\n", text_get(&text));
  } else {
    expression_print(&text, expression);
    if (json) {
      struct jsonl *line = jsonl_new("instance");
      jsonl_text(line, "bound", bound->name);
      jsonl_integer(line, "occurrences", (int64_t)table.occurrences.count);
      jsonl_text(line, "expression", text.data);
      jsonl_print(line);
    } else {
      printf("    = %s\n", text.data);
    }
  }
  text_clear(&text);
  expression_table_clear(&table);
  return status;
}

static enum status run(const struct protocol *protocol, const struct bound *only,
                       const struct options *options) {
  const struct model *model = protocol->model;
  struct parameters set;
  enum status status = parameters_read(&set, model, options);
  if (status == STATUS_OK) {
    struct verify_options how = verify_options(options);
    how.only = only;
    struct verification verification;
    verification_init(&verification, model, &how);
    for (size_t i = 0; i < verification.bounds.count; i++) {
      const struct bound_report *report = &verification.bounds.data[i];
      report_bound(report, model, protocol->source, options);
      status = status_worst(status, report_status(report->verdict));
      if (report->verdict == VERDICT_PROVED && options->set.count != 0)
        status = status_worst(status, print_instance(protocol, report->bound, &set, options->json));
    }
    verification_clear(&verification);
  }
  parameters_clear(&set);
  return command_interrupted() ? STATUS_INTERRUPTED : status;
}

enum status command_bound(const struct options *options) {
  enum status status = need_files(options, "bound", 1, 1);
  if (status != STATUS_OK)
    return status;
  struct protocol protocol;
  status = protocol_load(&protocol, options->files[0], options);
  const struct bound *only = NULL;
  if (status == STATUS_OK && options->bound != NULL) {
    only = protocol_bound(&protocol, options->bound);
    status = only == NULL ? STATUS_USAGE : STATUS_OK;
  }
  if (status == STATUS_OK)
    status = run(&protocol, only, options);
  protocol_clear(&protocol);
  return status;
}
