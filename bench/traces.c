/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `traces jaeger N` writes N requests of 33 spans over 12 services as Jaeger JSON to stdout, as a
 * query of a collector gives them; `traces otlp N` the same requests as a file exporter writes
 * them, a span on a line and the spans of a request far apart; `traces batches N` 64 spans of a
 * service on a line, and `traces wire N` these in protobuf. `traces read FILE` reads either (-:
 * stdin) without keeping anything, and prints how many spans there were.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wire.h"
#include "trace/span/read.h"

enum { SPANS = 33, SERVICES = 12, BATCH = 64, APART = 5000 /* requests under way at a time */ };

static uint64_t mix(uint64_t x) { /* splitmix64 (Steele, Lea, Flood 2014) */
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

struct made {
  uint64_t trace, id, parent;
  int64_t start, duration; /* us */
  int service;
};

static struct made make(uint64_t request, int span) {
  uint64_t seed = request * SPANS * 2;
  return (struct made){.trace = mix(seed + 1),
                       .id = mix(seed + 2 + 2 * (uint64_t)span),
                       .parent = span == 0 ? 0 : mix(seed + 2 + (uint64_t)(span - 1) / 2 * 2),
                       .start = 1695947455229000 + (int64_t)request * 1000 + span * 10,
                       .duration = 4000 - span * 50 + (int64_t)(mix(seed) % 40),
                       .service = span % SERVICES};
}

static void write_jaeger_span(const struct made *made) {
  printf("{\"traceID\":\"%016" PRIx64 "\",\"spanID\":\"%016" PRIx64
         "\",\"flags\":1,\"operationName\":\"compose_%d_server\",\"references\":[",
         made->trace, made->id, made->service);
  if (made->parent != 0)
    printf("{\"refType\":\"CHILD_OF\",\"traceID\":\"%016" PRIx64 "\",\"spanID\":\"%016" PRIx64
           "\"}",
           made->trace, made->parent);
  printf("],\"startTime\":%" PRId64 ",\"duration\":%" PRId64
         ",\"tags\":[{\"key\":\"span.kind\",\"type\":\"string\",\"value\":\"server\"},"
         "{\"key\":\"internal.span.format\",\"type\":\"string\",\"value\":\"proto\"},"
         "{\"key\":\"http.status_code\",\"type\":\"int64\",\"value\":200}],\"logs\":[],"
         "\"processID\":\"p%d\",\"warnings\":null}",
         made->start, made->duration, made->service);
}

static void write_jaeger(uint64_t requests) {
  printf("{\"data\":[");
  for (uint64_t i = 0; i < requests; i++) {
    printf("%s{\"traceID\":\"%016" PRIx64 "\",\"spans\":[", i == 0 ? "" : ",", make(i, 0).trace);
    for (int k = 0; k < SPANS; k++) {
      struct made made = make(i, k);
      printf("%s", k == 0 ? "" : ",");
      write_jaeger_span(&made);
    }
    printf("],\"processes\":{");
    for (int k = 0; k < SERVICES; k++)
      printf("%s\"p%d\":{\"serviceName\":\"service-%d\",\"tags\":[{\"key\":\"hostname\",\"type\":"
             "\"string\",\"value\":\"h%d\"},{\"key\":\"ip\",\"type\":\"string\",\"value\":"
             "\"172.18.0.%d\"}]}",
             k == 0 ? "" : ",", k, k, k, k);
    printf("},\"warnings\":null}");
  }
  printf("],\"total\":0,\"limit\":0,\"offset\":0,\"errors\":null}\n");
}

/* Up to BATCH spans of one service. */
static void write_otlp_spans(const struct made *made, size_t count) {
  printf("{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{"
         "\"stringValue\":\"service-%d\"}}]},\"scopeSpans\":[{\"spans\":[",
         made->service);
  for (size_t i = 0; i < count; i++) {
    printf("%s{\"traceId\":\"%032" PRIx64 "\",\"spanId\":\"%016" PRIx64 "\",\"parentSpanId\":\"",
           i == 0 ? "" : ",", made[i].trace, made[i].id);
    if (made[i].parent != 0)
      printf("%016" PRIx64, made[i].parent);
    printf("\",\"name\":\"compose_%d_server\",\"kind\":2,\"startTimeUnixNano\":\"%" PRId64
           "000\",\"endTimeUnixNano\":\"%" PRId64 "000\",\"attributes\":[],\"status\":{}}",
           made[i].service, made[i].start, made[i].start + made[i].duration);
  }
  printf("]}]}]}\n");
}

static void put_id(struct text *out, uint32_t field, uint64_t id, bool wide) {
  char bytes[16] = {0};
  for (int i = 0; i < 8; i++)
    bytes[(wide ? 15 : 7) - i] = (char)(id >> (8 * i));
  wire_put_bytes(out, field, (struct slice){bytes, wide ? 16 : 8});
}

static void put_fixed(struct text *out, uint32_t field, int64_t value) {
  char bytes[9] = {(char)(field << 3 | 1)};
  for (int i = 0; i < 8; i++)
    bytes[i + 1] = (char)((uint64_t)value >> (8 * i));
  text_append_bytes(out, bytes, 9);
}

static void put_wire_span(struct text *out, const struct made *made) {
  char name[32];
  put_id(out, 1, made->trace, true);
  put_id(out, 2, made->id, false);
  if (made->parent != 0)
    put_id(out, 4, made->parent, false);
  int length = snprintf(name, sizeof name, "compose_%d_server", made->service);
  wire_put_bytes(out, 5, (struct slice){name, (size_t)length});
  wire_put_number(out, 6, 2);
  put_fixed(out, 7, made->start * 1000);
  put_fixed(out, 8, (made->start + made->duration) * 1000);
}

static void put_within(struct text *out, uint32_t field, struct text *message) {
  wire_put_bytes(out, field, (struct slice){message->data, message->length});
  text_clear(message);
}

static void write_wire_spans(const struct made *made, size_t count) {
  struct text span = {0}, scope = {0}, value = {0}, attribute = {0}, resource = {0}, all = {0};
  char service[32];
  int length = snprintf(service, sizeof service, "service-%d", made->service);
  for (size_t i = 0; i < count; i++) {
    put_wire_span(&span, &made[i]);
    put_within(&scope, 2, &span);
  }
  wire_put_bytes(&value, 1, (struct slice){service, (size_t)length});
  wire_put_bytes(&attribute, 1, (struct slice){"service.name", 12});
  put_within(&attribute, 2, &value);
  put_within(&resource, 1, &attribute);
  put_within(&all, 1, &resource);
  put_within(&all, 2, &scope);
  put_within(&span, 1, &all);
  fwrite(span.data, 1, span.length, stdout);
  text_clear(&span);
}

/* All spans of a request at other places, `batch` of one service together. */
static void write_scattered(uint64_t requests, size_t batch,
                            void (*write)(const struct made *made, size_t count)) {
  struct made made[BATCH];
  for (uint64_t first = 0; first < requests; first += APART)
    for (int k = SPANS; k-- != 0;) {
      size_t count = 0;
      for (uint64_t i = first; i < requests && i < first + APART; i++) {
        made[count++] = make(i, k);
        if (count == batch || i + 1 == requests || i + 1 == first + APART) {
          write(made, count);
          count = 0;
        }
      }
    }
}

static void hear(void *context, enum saying saying, const char *line) {
  (void)context;
  (void)saying;
  fprintf(stderr, "%s\n", line);
}

static enum status count(struct span_store *store, size_t request, void *context) {
  *(uint64_t *)context += store->requests.data[request].count;
  return STATUS_OK;
}

static int read_back(const char *path) {
  struct span_store store;
  struct ledger ledger;
  uint64_t spans = 0;
  span_store_init(&store);
  ledger_init(&ledger);
  struct trace_reading reading = {.visit = count, .context = &spans};
  enum status status =
      trace_read(&store, &path, 1, &reading, &ledger, &(struct asker){.say = hear});
  printf("%" PRIu64 "\n", spans);
  ledger_clear(&ledger);
  span_store_clear(&store);
  return (int)status;
}

int main(int argument_count, char **arguments) {
  uint64_t requests = argument_count == 3 ? strtoull(arguments[2], NULL, 10) : 0;
  const char *what = argument_count == 3 ? arguments[1] : "";
  if (strcmp(what, "read") == 0)
    return read_back(arguments[2]);
  if (strcmp(what, "jaeger") == 0)
    write_jaeger(requests);
  else if (strcmp(what, "otlp") == 0)
    write_scattered(requests, 1, write_otlp_spans);
  else if (strcmp(what, "batches") == 0)
    write_scattered(requests, BATCH, write_otlp_spans);
  else if (strcmp(what, "wire") == 0)
    write_scattered(requests, BATCH, write_wire_spans);
  else
    fprintf(stderr, "usage: traces jaeger N | otlp N | batches N | wire N | read FILE\n");
  return argument_count == 3 ? 0 : 64;
}
