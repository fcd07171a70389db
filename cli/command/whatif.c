/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/command/command.h"
#include "base/duration.h"
#include "cli/command/option_values.h"
#include "cli/question/throughput/calculator.h"
#include "cli/question/throughput/journal.h"
#include "cli/present/whatif.h"

static const char command[] = "whatif throughput";

static enum status read_budget(uint64_t *ns, const char *text) {
  struct rational value;
  int64_t whole = 0;
  rational_init(&value);
  bool good = duration_parse(&value, text) && rational_floor(&whole, &value) && whole > 0;
  rational_clear(&value);
  *ns = (uint64_t)whole;
  return good ? STATUS_OK
              : option_complain(command, "unusable budget", text, "give a time: 90s or 1500ms");
}

static size_t measured(const struct experiment *experiment) {
  size_t count = 0;
  for (size_t c = 0; c < experiment->cells.count; c++)
    count += experiment->cells.data[c].good.count;
  return count;
}

/* Also what was measured before an interrupt or a failure. */
static enum status tell(const struct experiment *experiment, enum status status) {
  const struct options *options = experiment->options;
  if (status != STATUS_OK && measured(experiment) == 0)
    return status;
  if (options->json)
    tell_json(experiment);
  else
    tell_text(experiment);
  return options->svg != NULL && experiment->profiled ? tell_picture(experiment, options->svg)
                                                      : STATUS_OK;
}

static enum status run(struct experiment_plan *plan, const struct options *options) {
  struct experiment experiment;
  enum status status = experiment_init(&experiment, plan, options);
  if (status == STATUS_OK && options->budget != NULL)
    status = read_budget(&experiment.budget_ns, options->budget);
  if (status == STATUS_OK)
    status = journal_open(&experiment);
  if (status == STATUS_OK) {
    status = experiment_run(&experiment);
    enum status told = tell(&experiment, status);
    status = status == STATUS_OK ? told : status;
  }
  experiment_clear(&experiment);
  return status;
}

static enum status throughput(const struct options *options) {
  struct experiment_plan plan;
  char message[PLAN_MESSAGE];
  if (options->svg != NULL) {
    size_t length = strlen(options->svg);
    if (length < 5 || strcmp(options->svg + length - 4, ".svg") != 0)
      return option_complain(command, "unusable name of a picture", options->svg, "end it in .svg");
  }
  int error = plan_read(&plan, options->files[1], message);
  if (error != 0) {
    fprintf(stderr, "tailproof whatif: %s\n", message);
    return error == EBADMSG ? STATUS_DATA : STATUS_NO_INPUT;
  }
  enum status status = run(&plan, options);
  plan_clear(&plan);
  return status;
}

enum status command_whatif(const struct options *options) {
  const char *what = options->file_count > 0 ? options->files[0] : "";
  if (strcmp(what, "predict") == 0 && options->file_count == 1)
    return calculator_run(options);
  if (strcmp(what, "throughput") == 0 && options->file_count == 2)
    return throughput(options);
  fprintf(stderr, "tailproof whatif: name a question: throughput PLAN.yaml, such as "
                  "examples/shop/plan.yaml, or predict (docs/manual.md, \"What if a service were "
                  "faster\")\n");
  return STATUS_USAGE;
}
