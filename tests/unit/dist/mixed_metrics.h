/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The requests of mixed_requests.h as metrics, and as reports of benchmarks.
 */
#ifndef TESTS_UNIT_DIST_MIXED_METRICS_H
#define TESTS_UNIT_DIST_MIXED_METRICS_H

#include <string.h>

#include "base/text.h"
#include "tests/unit/dist/mixed_requests.h"

/* ---- metrics --------------------------------------------------------------------------------- */

static void write_prometheus(struct text *out, const struct request *requests) {
  text_append(out, "# TYPE rpc_seconds histogram\n");
  for (int other = 0; other < 2; other++) {
    uint64_t count = count_of(requests, other, true);
    const char *name = other ? "Put" : "Get";
    text_format(out,
                "rpc_seconds_bucket{method=\"%s\",le=\"0.001\"} %" PRIu64
                "\nrpc_seconds_bucket{method=\"%s\",le=\"0.05\"} %" PRIu64
                "\nrpc_seconds_bucket{method=\"%s\",le=\"+Inf\"} %" PRIu64
                "\nrpc_seconds_count{method=\"%s\"} %" PRIu64 "\n",
                name, other ? 0 : count, name, count, name, count, name, count);
  }
}

static void write_answer(struct text *out, const struct request *requests) {
  static const char *const edges[] = {"0.001", "0.05", "+Inf"};
  text_append(out, "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[");
  for (int other = 0; other < 2; other++)
    for (int edge = 0; edge < 3; edge++)
      text_format(out,
                  "%s{\"metric\":{\"__name__\":\"rpc_seconds_bucket\",\"method\":\"%s\",\"le\":"
                  "\"%s\"},\"value\":[1700000000,\"%" PRIu64 "\"]}",
                  other + edge == 0 ? "" : ",", other ? "Put" : "Get", edges[edge],
                  other && edge == 0 ? 0 : count_of(requests, other, true));
  text_append(out, "]}}\n");
}

static void write_otlp(struct text *out, const struct request *requests) {
  text_append(out,
              "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"rpc.duration\","
              "\"unit\":\"ms\",\"histogram\":{\"aggregationTemporality\":2,\"dataPoints\":[");
  for (int other = 0; other < 2; other++)
    text_format(
        out,
        "%s{\"attributes\":[{\"key\":\"method\",\"value\":{\"stringValue\":\"%s\"}}],"
        "\"startTimeUnixNano\":\"17\",\"timeUnixNano\":\"18\",\"count\":\"%" PRIu64
        "\",\"explicitBounds\":[1,50],\"bucketCounts\":[\"%" PRIu64 "\",\"%" PRIu64 "\",\"0\"]}",
        other ? "," : "", other ? "Put" : "Get", count_of(requests, other, true),
        other ? 0 : count_of(requests, other, true), other ? count_of(requests, other, true) : 0);
  text_append(out, "]}}]}]}]}\n");
}

static void put_length(struct text *out, char key, const struct text *within) {
  size_t length = within->length;
  text_append_bytes(out, &key, 1);
  for (; length >= 128; length /= 128)
    text_append_bytes(out, (char[]){(char)(length % 128 | 128)}, 1);
  text_append_bytes(out, (char[]){(char)length}, 1);
  text_append_bytes(out, text_get(within), within->length);
}

static void put_string(struct text *out, char key, const char *string) {
  struct text within;
  text_init(&within);
  text_append(&within, string);
  put_length(out, key, &within);
  text_clear(&within);
}

static void put_varint(struct text *out, char key, uint64_t number) {
  text_append_bytes(out, &key, 1);
  for (; number >= 128; number /= 128)
    text_append_bytes(out, (char[]){(char)(number % 128 | 128)}, 1);
  text_append_bytes(out, (char[]){(char)number}, 1);
}

static void put_double(struct text *out, char key, double number) {
  char bytes[8];
  memcpy(bytes, &number, sizeof bytes);
  text_append_bytes(out, &key, 1);
  text_append_bytes(out, bytes, sizeof bytes);
}

/* io.prometheus.client.MetricFamily: name 1, type 3, metric 4; Metric: label 1, histogram 7;
 * Histogram: sample_count 1, sample_sum 2, bucket 3 of cumulative_count 1, upper_bound 2. */
static void write_protobuf(struct text *out, const struct request *requests) {
  static const double edges[] = {0.001, 0.05};
  struct text family;
  text_init(&family);
  put_string(&family, 0x0a, "rpc_seconds");
  put_varint(&family, 0x18, 4);
  for (int other = 0; other < 2; other++) {
    struct text metric, label, histogram;
    text_init(&metric);
    text_init(&label);
    text_init(&histogram);
    put_string(&label, 0x0a, "method");
    put_string(&label, 0x12, other ? "Put" : "Get");
    put_length(&metric, 0x0a, &label);
    put_varint(&histogram, 0x08, count_of(requests, other, true));
    put_double(&histogram, 0x11, 1);
    for (int edge = 0; edge < 2; edge++) {
      struct text bucket;
      text_init(&bucket);
      put_varint(&bucket, 0x08, other && edge == 0 ? 0 : count_of(requests, other, true));
      put_double(&bucket, 0x11, edges[edge]);
      put_length(&histogram, 0x1a, &bucket);
      text_clear(&bucket);
    }
    put_length(&metric, 0x3a, &histogram);
    put_length(&family, 0x22, &metric);
    text_clear(&metric);
    text_clear(&label);
    text_clear(&histogram);
  }
  struct text page;
  text_init(&page);
  put_length(&page, 0x00, &family);
  text_append_bytes(out, page.data + 1, page.length - 1); /* without the key */
  text_clear(&page);
  text_clear(&family);
}

/* ---- benchmarks ------------------------------------------------------------------------------- */

static void write_jmh(struct text *out, const struct request *requests) {
  text_append(out, "[");
  for (int other = 0; other < 2; other++) {
    text_format(out,
                "%s{\"jmhVersion\":\"1.37\",\"benchmark\":\"a.%s\",\"mode\":\"ss\","
                "\"measurementBatchSize\":1,\"primaryMetric\":{\"scoreUnit\":\"ms/op\","
                "\"rawData\":[[",
                other ? "," : "", other ? "buy" : "home");
    for (size_t i = 0, written = 0; i < REQUESTS; i++)
      if (requests[i].other == other)
        text_format(out, "%s%" PRIu64 ".0",
                    written++ == 0 ? ""
                    : written == 8 ? "],["
                                   : ",",
                    requests[i].ms);
    text_append(out, "]]}}");
  }
  text_append(out, "]\n");
}

static void write_google(struct text *out, const struct request *requests) {
  text_append(out, "{\"context\":{\"library_build_type\":\"release\"},\"benchmarks\":[");
  for (size_t i = 0; i < REQUESTS; i++)
    text_format(out,
                "{\"name\":\"BM_%s\",\"run_type\":\"iteration\",\"iterations\":1,%s"
                "\"real_time\":%" PRIu64 ".0e+06,\"time_unit\":\"ns\"},",
                requests[i].other ? "buy" : "home",
                requests[i].good ? "" : "\"error_occurred\":true,", requests[i].ms);
  text_append(out, "{\"name\":\"BM_buy_mean\",\"run_type\":\"aggregate\",\"iterations\":9,"
                   "\"real_time\":7,\"time_unit\":\"ns\"}]}\n");
}

static void write_pytest(struct text *out, const struct request *requests) {
  text_append(out, "{\"machine_info\":{},\"commit_info\":{},\"benchmarks\":[");
  for (int other = 0; other < 2; other++) {
    text_format(out,
                "%s{\"name\":\"x\",\"fullname\":\"t.py::%s\",\"stats\":{\"iterations\":1,"
                "\"data\":[",
                other ? "," : "", other ? "buy" : "home");
    for (size_t i = 0, written = 0; i < REQUESTS; i++)
      if (requests[i].other == other)
        text_format(out, "%s%" PRIu64 "e-3", written++ == 0 ? "" : ",", requests[i].ms);
    text_append(out, "]}}");
  }
  text_append(out, "]}\n");
}

static void write_dotnet(struct text *out, const struct request *requests) {
  text_append(out, "{\"HostEnvironmentInfo\":{\"BenchmarkDotNetCaption\":\"BenchmarkDotNet\"},"
                   "\"Benchmarks\":[");
  for (int other = 0; other < 2; other++) {
    text_format(out,
                "%s{\"FullName\":\"A.%s\",\"Measurements\":[{\"IterationMode\":\"Overhead\","
                "\"IterationStage\":\"Actual\",\"Operations\":4,\"Nanoseconds\":3}",
                other ? "," : "", other ? "buy" : "home");
    for (size_t i = 0; i < REQUESTS; i++)
      if (requests[i].other == other)
        text_format(out,
                    ",{\"IterationMode\":\"Workload\",\"IterationStage\":\"Actual\","
                    "\"Operations\":1,\"Nanoseconds\":%" PRIu64 "}",
                    requests[i].ms * MS);
    text_append(out, "]}");
  }
  text_append(out, "]}\n");
}

#endif
