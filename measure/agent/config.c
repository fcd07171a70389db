/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/config_raw.h"

#include "measure/yaml/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cyaml_schema_field_t peer_fields[] = {
    YAML_TEXT("name", struct raw_peer, name, 0),
    YAML_TEXT("address", struct raw_peer, address, 0),
    YAML_TEXT("port", struct raw_peer, port, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t peer_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_peer, peer_fields),
};

static const cyaml_schema_field_t metrics_fields[] = {
    YAML_TEXT("address", struct raw_metrics, address, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("port", struct raw_metrics, port, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("file", struct raw_metrics, file, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t objective_fields[] = {
    YAML_TEXT("store", struct raw_objective, store, 0),
    YAML_TEXT("series", struct raw_objective, series, 0),
    YAML_TEXT("percentile", struct raw_objective, percentile, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("within_ms", struct raw_objective, within, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t profile_fields[] = {
    YAML_TEXT("rate", struct raw_profile, rate, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("budget_percent", struct raw_profile, budget, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("folder", struct raw_profile, folder, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("minutes", struct raw_profile, minutes, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("seconds", struct raw_profile, seconds, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("megabytes", struct raw_profile, megabytes, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_MAPPING_PTR("objective", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                            struct raw_profile, objective, objective_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t fields[] = {
    YAML_TEXT("node", struct raw_config, node, 0),
    YAML_TEXT("listen", struct raw_config, listen, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("port", struct raw_config, port, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_SEQUENCE("peers", CYAML_FLAG_POINTER, struct raw_config, peers, &peer_value, 0,
                         CYAML_UNLIMITED),
    YAML_TEXT("probes_per_second", struct raw_config, rate, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("timeout_ms", struct raw_config, timeout, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("drift_ppm", struct raw_config, drift, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("answer", struct raw_config, answer, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("store", struct raw_config, store, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_MAPPING_PTR("metrics", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_config,
                            metrics, metrics_fields),
    CYAML_FIELD_MAPPING_PTR("profile", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_config,
                            profile, profile_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_config, fields),
};

static const struct yaml_shape shape = {
    .schema = &schema,
    .keys =
        "known keys are node, listen, port, peers (each: name, address, port), "
        "probes_per_second, timeout_ms, drift_ppm, answer, store, metrics (address, port, file), "
        "profile (rate, budget_percent, folder, minutes, seconds, megabytes, objective (store, "
        "series, percentile, within_ms))",
    .least = "give at least node and peers, as examples/agent/agent.yaml does",
};

void agent_config_name_file(char message[AGENT_MESSAGE], const char *path) {
  char said[AGENT_MESSAGE];
  snprintf(said, sizeof said, "%s", message);
  snprintf(message, AGENT_MESSAGE, "%.120s: %.380s", path, said);
}

int agent_config_parse(struct agent_config *config, const char *path, const char *bytes,
                       size_t length, char message[AGENT_MESSAGE]) {
  struct raw_config *raw = shaped_load(&shape, bytes, length, message, AGENT_MESSAGE);
  bool good = raw != NULL;
  struct agent_config *read = good ? calloc(1, sizeof *read) : NULL;
  if (good && read == NULL)
    snprintf(message, AGENT_MESSAGE, "there is no memory left");
  if (read != NULL && config_check(read, raw, message))
    *config = *read;
  else
    good = false;
  free(read);
  shaped_free(&shape, raw);
  if (!good)
    agent_config_name_file(message, path);
  return good ? 0 : EBADMSG;
}

int agent_config_read(struct agent_config *config, const char *path, char message[AGENT_MESSAGE]) {
  char *bytes;
  size_t length;
  int error = shaped_read_file(&bytes, &length, path);
  if (error != 0)
    snprintf(message, AGENT_MESSAGE, "%.300s: cannot be read: %s; name a configuration file", path,
             strerror(error));
  else
    error = agent_config_parse(config, path, bytes, length, message);
  free(bytes);
  return error;
}
