/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The configuration as texts, before their values are checked: between config.c, which knows YAML,
 * and config_check.c, which knows what the values mean. NULL: not given. Owned by config.c.
 */
#ifndef MEASURE_AGENT_CONFIG_RAW_H
#define MEASURE_AGENT_CONFIG_RAW_H

#include "measure/agent/config.h"

struct raw_peer {
  char *name, *address, *port;
};

struct raw_metrics {
  char *address, *port, *file;
};

struct raw_objective {
  char *store, *series, *percentile, *within;
};

struct raw_profile {
  char *rate, *budget, *folder, *minutes, *seconds, *megabytes;
  struct raw_objective *objective;
};

struct raw_config {
  char *node, *listen, *port, *rate, *timeout, *drift, *answer, *store;
  struct raw_metrics *metrics;
  struct raw_profile *profile;
  struct raw_peer *peers;
  uint32_t peers_count;
};

/* Fills `config`; false with `message`: "key: what was found; remedy". */
bool config_check(struct agent_config *config, const struct raw_config *raw,
                  char message[AGENT_MESSAGE]);

#endif
