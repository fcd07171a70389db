/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/causes.h"

#include <stdlib.h>
#include <string.h>

int64_t tail_parts_without(const struct tail_causes *causes, size_t request, const uint32_t *set,
                           size_t count) {
  int64_t latency = causes->latency[request];
  for (size_t i = 0; i < count; i++) {
    const struct tail_cause *cause = &causes->causes.data[set[i]];
    if (cause->parts[request] > cause->usual)
      latency -= cause->parts[request] - cause->usual;
  }
  return latency;
}

int64_t tail_parts_with(const struct tail_causes *causes, size_t request, const uint32_t *set,
                        size_t count, size_t other) {
  int64_t latency = causes->latency[request];
  for (size_t i = 0; i < count; i++) {
    const int64_t *parts = causes->causes.data[set[i]].parts;
    latency += parts[other] - parts[request];
  }
  return latency;
}

uint32_t *tail_service_causes(size_t *count, const struct tail_causes *causes, uint32_t service) {
  uint32_t *set = mem_alloc(causes->causes.count, sizeof *set);
  *count = 0;
  for (uint32_t i = 0; i < causes->causes.count; i++)
    if (causes->causes.data[i].service == service)
      set[(*count)++] = i;
  return set;
}

int64_t *tail_service_parts(const struct tail_causes *causes, uint32_t service) {
  int64_t *parts = mem_alloc(causes->requests, sizeof *parts);
  for (size_t i = 0; i < causes->causes.count; i++)
    if (causes->causes.data[i].service == service)
      for (size_t r = 0; r < causes->requests; r++)
        parts[r] += causes->causes.data[i].parts[r];
  return parts;
}

void tail_causes_init(struct tail_causes *causes, size_t requests) {
  *causes = (struct tail_causes){.requests = requests,
                                 .latency = mem_alloc(requests, sizeof(int64_t)),
                                 .replay = {NULL, tail_parts_without, tail_parts_with, NULL, NULL}};
}

void tail_causes_clear(struct tail_causes *causes) {
  for (size_t i = 0; i < causes->causes.count; i++) {
    mem_free(causes->causes.data[i].name);
    mem_free(causes->causes.data[i].parts);
  }
  vector_clear(&causes->causes);
  for (size_t i = 0; i < causes->services.count; i++)
    mem_free(causes->services.data[i].name);
  vector_clear(&causes->services);
  mem_free(causes->latency);
  if (causes->replay.clear != NULL)
    causes->replay.clear(causes->replay.context);
  *causes = (struct tail_causes){0};
}

struct tail_cause *tail_causes_add(struct tail_causes *causes, const char *name,
                                   enum cause_kind kind) {
  vector_push(&causes->causes,
              (struct tail_cause){.name = mem_copy_text(name, strlen(name)),
                                  .kind = kind,
                                  .service = TAIL_NO_SERVICE,
                                  .parts = mem_alloc(causes->requests, sizeof(int64_t))});
  return &causes->causes.data[causes->causes.count - 1];
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int64_t tail_median(int64_t *values, size_t count) {
  qsort(values, count, sizeof *values, by_value);
  return values[(count - 1) / 2];
}

void tail_causes_settle(struct tail_causes *causes, const enum tail_side *sides) {
  int64_t *values = mem_alloc(causes->requests, sizeof *values);
  for (size_t c = 0; c < causes->causes.count; c++) {
    struct tail_cause *cause = &causes->causes.data[c];
    size_t count = 0;
    for (size_t i = 0; i < causes->requests; i++)
      if (sides[i] == TAIL_REST)
        values[count++] = cause->parts[i];
    cause->usual = count == 0 ? 0 : tail_median(values, count);
  }
  mem_free(values);
  if (causes->replay.settle != NULL)
    causes->replay.settle(causes, sides);
}
