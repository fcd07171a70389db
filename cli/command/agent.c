/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/command.h"
#include "measure/agent/agent.h"

enum status command_agent(const struct options *options) {
  if (options->file_count != 1) {
    fprintf(stderr, "tailproof agent: name a configuration file, and only one, such as "
                    "examples/agent/agent.yaml (docs/manual.md, \"Network agent\")\n");
    return STATUS_USAGE;
  }
  switch (agent_run(options->files[0])) {
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
