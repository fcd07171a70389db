/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/rows.h"

#include "base/parallel.h"

struct effort command_effort(void) {
  return (struct effort){.jobs = parallel_processors(), .timeout_ms = 10000};
}

void command_calculation(struct calculation_request *request) {
  request->effort = command_effort();
  rational_set_fraction(&request->confidence, 99, 100);
}
