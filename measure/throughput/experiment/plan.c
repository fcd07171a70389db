/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/plan_raw.h"

#include "measure/yaml/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cyaml_schema_value_t text = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED),
};

#define TEXTS(key, structure, member)                                                              \
  CYAML_FIELD_SEQUENCE(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, structure, member, &text, 0, \
                       CYAML_UNLIMITED)

static const cyaml_schema_field_t service_fields[] = {
    YAML_TEXT("name", struct raw_service, name, 0),
    YAML_TEXT("command", struct raw_service, command, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("poker", struct raw_service, poker, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("proxy", struct raw_service, proxy, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("relay", struct raw_service, relay, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("counted_by", struct raw_service, counted_by, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("calls", struct raw_service, calls, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("resource", struct raw_service, resource, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("count_pipe", struct raw_service, count_pipe, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("slow", struct raw_service, slow, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("workers", struct raw_service, workers, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("work", struct raw_service, work, CYAML_FLAG_OPTIONAL),
    TEXTS("neighbours", struct raw_service, neighbours),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t service = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_service, service_fields),
};

static const cyaml_schema_field_t resource_fields[] = {
    YAML_TEXT("name", struct raw_resource, name, 0),
    YAML_TEXT("processors", struct raw_resource, processors, 0),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t resource = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_resource, resource_fields),
};

static const cyaml_schema_field_t repetition_fields[] = {
    YAML_TEXT("least", struct raw_repetitions, least, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("most", struct raw_repetitions, most, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t fields[] = {
    YAML_TEXT("entry", struct raw_plan, entry, 0),
    YAML_TEXT("load", struct raw_plan, load, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("users", struct raw_plan, users, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_SEQUENCE("services", CYAML_FLAG_POINTER, struct raw_plan, services, &service, 0,
                         CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("resources", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_plan,
                         resources, &resource, 0, CYAML_UNLIMITED),
    TEXTS("not_waited_for", struct raw_plan, not_waited_for),
    TEXTS("targets", struct raw_plan, targets),
    TEXTS("levels", struct raw_plan, levels),
    YAML_TEXT("key", struct raw_plan, key, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("pause", struct raw_plan, pause, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("warmup", struct raw_plan, warmup, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("window", struct raw_plan, window, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_MAPPING_PTR("repetitions", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                            struct raw_plan, repetitions, repetition_fields),
    YAML_TEXT("precision", struct raw_plan, precision, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("budget", struct raw_plan, budget, CYAML_FLAG_OPTIONAL),
    YAML_TEXT("batch", struct raw_plan, batch, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_plan, fields),
};

static const struct yaml_shape shape = {
    .schema = &schema,
    .keys =
        "known keys are entry, load, users, services (each: name, command, poker, proxy, relay, "
        "neighbours, "
        "workers, work, slow, resource, count_pipe, counted_by, calls), resources (each: name, "
        "processors), not_waited_for, targets, "
        "levels, key, pause, warmup, window, "
        "repetitions (least, most), precision, budget, batch",
    .least = "give at least entry, load and services, as examples/shop/plan.yaml does",
};

/* The folder that the file is in, owned; NULL without memory. */
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL)
    return strdup(".");
  return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Whether a line begins with this key: an empty list looks to the library like none. */
static bool has_key(const char *bytes, size_t length, const char *key) {
  size_t size = strlen(key);
  for (const char *at = bytes, *end = bytes + length; at != NULL && at < end;) {
    if ((size_t)(end - at) > size && memcmp(at, key, size) == 0 &&
        (at[size] == ':' || at[size] == ' '))
      return true;
    at = memchr(at, '\n', (size_t)(end - at));
    if (at != NULL)
      at++;
  }
  return false;
}

int plan_parse(struct experiment_plan *plan, const char *path, const char *bytes, size_t length,
               char message[PLAN_MESSAGE]) {
  char said[PLAN_MESSAGE] = "there is no memory left";
  memset(plan, 0, sizeof *plan);
  struct raw_plan *raw = shaped_load(&shape, bytes, length, said, sizeof said);
  if (raw != NULL) {
    raw->targets_given = has_key(bytes, length, "targets");
    raw->levels_given = has_key(bytes, length, "levels");
  }
  plan->path = strdup(path);
  plan->folder = folder_of(path);
  bool good =
      raw != NULL && plan->path != NULL && plan->folder != NULL && plan_check(plan, raw, said);
  shaped_free(&shape, raw);
  if (good)
    return 0;
  plan_clear(plan);
  snprintf(message, PLAN_MESSAGE, "%.120s: %.380s", path, said);
  return EBADMSG;
}

int plan_read(struct experiment_plan *plan, const char *path, char message[PLAN_MESSAGE]) {
  char *bytes;
  size_t length;
  memset(plan, 0, sizeof *plan);
  int error = shaped_read_file(&bytes, &length, path);
  if (error != 0)
    snprintf(message, PLAN_MESSAGE, "%.300s: cannot be read: %s; name a plan", path,
             strerror(error));
  else
    error = plan_parse(plan, path, bytes, length, message);
  free(bytes);
  return error;
}

void plan_clear(struct experiment_plan *plan) {
  for (uint32_t i = 0; i < plan->count; i++) {
    struct plan_service *one = &plan->services[i];
    free(one->command);
    free(one->poker);
    free(one->proxy);
    free(one->relay);
    free(one->resource);
  }
  for (uint32_t i = 0; i < plan->unwaited_count; i++)
    free(plan->unwaited[i]);
  free(plan->unwaited);
  free(plan->path);
  free(plan->folder);
  free(plan->load);
  free(plan->key);
  free(plan->pause);
  memset(plan, 0, sizeof *plan);
}

uint32_t plan_find(const struct experiment_plan *plan, const char *name) {
  uint32_t i = 0;
  while (i < plan->count && strcmp(plan->services[i].name, name) != 0)
    i++;
  return i;
}
