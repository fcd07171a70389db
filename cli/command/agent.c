/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof agent CONFIG`: runs the network agent until a signal ends it.
 */
#include "cli/command/option.h"
#include "measure/agent/agent.h"

static enum status run(const void *options) {
  const struct command_line *line = options;
  if (line->file_count != 1) {
    fprintf(stderr, "tailproof agent: name a configuration file, and only one, such as "
                    "examples/agent/agent.yaml (docs/manual.md, \"Network agent\")\n");
    return STATUS_USAGE;
  }
  switch (agent_run(line->files[0])) {
  case AGENT_ENDED:
    return STATUS_OK;
  case AGENT_INTERRUPTED:
    return STATUS_INTERRUPTED;
  case AGENT_BAD_CONFIG:
    return STATUS_DATA;
  case AGENT_NO_CONFIG:
    return STATUS_NO_INPUT;
  case AGENT_FAILED:
    break;
  }
  return STATUS_INTERNAL;
}

static const struct option_row rows[] = {{0}};

const struct command agent_command = {
    "agent",
    "CONFIG.yaml",
    "measure delays to other hosts all the time, for Prometheus and as a store",
    rows,
    sizeof(struct command_line),
    NULL,
    run,
    NULL};
