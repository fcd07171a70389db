/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/command.h"
#include "cli/whatif/calculator.h"

enum status command_whatif(const struct options *options) {
  const char *what = options->file_count > 0 ? options->files[0] : "";
  if (strcmp(what, "predict") == 0 && options->file_count == 1)
    return calculator_run(options);
  fprintf(stderr, "tailproof whatif: name a question: throughput PLAN.yaml, such as "
                  "examples/shop/plan.yaml, or predict (docs/manual.md, \"What if a service were "
                  "faster\")\n");
  return STATUS_USAGE;
}
