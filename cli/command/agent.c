/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof agent CONFIG`: runs the network agent until a signal ends it.
 */
#include "cli/command/option.h"
#include "cli/command/voice.h"
#include "cli/question/percentiles/slo.h"
#include "measure/agent/agent.h"

struct arguments {
  struct command_line line;
  const char *slo;
};

#define FIELD(name) offsetof(struct arguments, name)

/* Of "p99<5ms". */
static enum status read_slo(struct agent_slo *slo, const struct arguments *arguments) {
  struct voice voice;
  slo_list list = {0};
  int64_t limit = 0;
  voice_init(&voice, &arguments->line, NULL);
  enum status status = slo_read(&list, arguments->slo, &voice.asker);
  if (status == STATUS_OK) {
    const struct slo *read = &list.data[0];
    slo->share = rational_double(&read->percentile.share);
    if (!rational_ceil(&limit, &read->limit_ns))
      limit = INT64_MAX;
    slo->limit_ns = (uint64_t)limit;
  }
  slo_clear(&list);
  return status;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  const struct command_line *line = &arguments->line;
  struct agent_slo slo;
  if (line->file_count != 1) {
    fprintf(stderr, "tailproof agent: name a configuration file, and only one, such as "
                    "examples/agent/agent.yaml (docs/manual.md, \"Network agent\")\n");
    return STATUS_USAGE;
  }
  if (arguments->slo != NULL && read_slo(&slo, arguments) != STATUS_OK)
    return STATUS_USAGE;
  switch (agent_run(line->files[0], arguments->slo == NULL ? NULL : &slo)) {
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

static const struct option_row rows[] = {
    OPTION("slo", 0, "SLO",
           "p99<5ms: keep the profile of the minutes around a breach of it; of the histogram that "
           "profile, objective of the configuration names",
           option_text, FIELD(slo)),
    {0},
};

const struct command agent_command = {
    "agent",
    "CONFIG.yaml",
    "measure delays to other hosts all the time, for Prometheus and as a store",
    rows,
    sizeof(struct arguments),
    NULL,
    run,
    NULL};
