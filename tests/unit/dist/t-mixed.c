/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Of each format that yields samples, by the table of formats: requests of two kinds, 1 ms and 50 ms,
 * are no measurement until one kind is chosen; and requests that failed fast are no fast ones. A row
 * that is new in the table fails until it is written here, or it is said why it cannot be.
 */
#include "tests/unit/dist/hlog_writer.h"

#include "base/vector.h"
#include "format/format.h"

struct request {
  bool other; /* of the second kind */
  bool good;
  uint64_t ms;
};

enum { REQUESTS = 400 };

/* 19 of 20 take 1 ms, the others, of another kind, 50 ms. */
static void make_kinds(struct request *requests) {
  for (size_t i = 0; i < REQUESTS; i++)
    requests[i] = i % 20 == 3 ? (struct request){true, true, 50} : (struct request){false, true, 1};
}

/* 3 of 5 fail after 1 ms, the others take 300 ms. */
static void make_failures(struct request *requests) {
  for (size_t i = 0; i < REQUESTS; i++)
    requests[i] =
        i % 5 < 3 ? (struct request){false, false, 1} : (struct request){false, true, 300};
}

static uint64_t count_of(const struct request *requests, bool other, bool good) {
  uint64_t count = 0;
  for (size_t i = 0; i < REQUESTS; i++)
    count += requests[i].other == other && requests[i].good == good;
  return count;
}

#define MS UINT64_C(1000000)

/* ---- a row each ------------------------------------------------------------------------------ */

static void put_each(struct text *out, const struct request *requests,
                     void (*put)(struct text *, const struct request *, size_t)) {
  for (size_t i = 0; i < REQUESTS; i++)
    put(out, &requests[i], i);
}

static void put_hey(struct text *out, const struct request *r, size_t i) {
  text_format(out, "0.%04" PRIu64 ",0,0,0,0,0,%d,0.%04zu\n", r->ms * 10, r->good ? 200 : 503, i);
}
static void write_hey(struct text *out, const struct request *requests) {
  text_append(out, "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,"
                   "status-code,offset\n");
  put_each(out, requests, put_hey);
}

static void put_vegeta(struct text *out, const struct request *r, size_t i) {
  text_format(out, "17000000000%08zu,%d,%" PRIu64 ",0,17,%s,aGk=,,%zu,%s,http://x/,\n", i,
              r->good ? 200 : 0, r->ms * MS, r->good ? "" : "EOF", i, r->other ? "POST" : "GET");
}
static void write_vegeta(struct text *out, const struct request *requests) {
  put_each(out, requests, put_vegeta);
}

static void put_pgbench(struct text *out, const struct request *r, size_t i) {
  text_format(out, "0 %zu ", i);
  if (r->good)
    text_format(out, "%" PRIu64, r->ms * 1000);
  else
    text_append(out, "failed");
  text_format(out, " %d 1700000000 %zu\n", r->other, i + 1000);
}
static void write_pgbench(struct text *out, const struct request *requests) {
  put_each(out, requests, put_pgbench);
}

static void put_jmeter(struct text *out, const struct request *r, size_t i) {
  text_format(out, "%zu,%" PRIu64 ",%s,%d,%s,Users 1-1,text,%s,,12\n", (size_t)1700000000000 + i,
              r->ms, r->other ? "Buy" : "Home", r->good ? 200 : 503,
              r->good ? "OK" : "Service Unavailable", r->good ? "true" : "false");
}
static void write_jmeter(struct text *out, const struct request *requests) {
  text_append(out, "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,"
                   "success,failureMessage,bytes\n");
  put_each(out, requests, put_jmeter);
}

static void put_k6(struct text *out, const struct request *r, size_t i) {
  text_format(out,
              "{\"type\":\"Point\",\"data\":{\"time\":\"2026-01-31T12:00:00.%06zuZ\",\"value\":"
              "%" PRIu64 ",\"tags\":{\"expected_response\":\"%s\",\"method\":\"GET\",\"name\":"
              "\"http://x/%s\",\"status\":\"%d\"}},\"metric\":\"http_req_duration\"}\n",
              i, r->ms, r->good ? "true" : "false", r->other ? "buy" : "", r->good ? 200 : 503);
}
static void write_k6(struct text *out, const struct request *requests) {
  put_each(out, requests, put_k6);
}

static void put_k6_csv(struct text *out, const struct request *r, size_t i) {
  text_format(
      out, "http_req_duration,%zu,%" PRIu64 ",,,,%s,,GET,http://x/%s,HTTP/1.1,default,,%d,,,u,,\n",
      (size_t)1700000000 + i, r->ms, r->good ? "true" : "false", r->other ? "buy" : "",
      r->good ? 200 : 503);
}
static void write_k6_csv(struct text *out, const struct request *requests) {
  text_append(out, "metric_name,timestamp,metric_value,check,error,error_code,expected_response,"
                   "group,method,name,proto,scenario,service,status,subproto,tls_version,url,"
                   "extra_tags,metadata\n");
  put_each(out, requests, put_k6_csv);
}

static void put_oha(struct text *out, const struct request *r, size_t i) {
  text_format(out, "0.%03zu,0,0,0,0.%03" PRIu64 ",615,%d\n", i, r->ms, r->good ? 200 : 503);
}
static void write_oha(struct text *out, const struct request *requests) {
  text_append(out, "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n");
  put_each(out, requests, put_oha);
}

static void put_gatling(struct text *out, const struct request *r, size_t i) {
  size_t start = (size_t)1700000000000 + 7 * i;
  text_format(out, "REQUEST\t\t%s\t%zu\t%zu\t%s\t \n", r->other ? "buy" : "home", start,
              start + r->ms, r->good ? "OK" : "KO");
}
static void write_gatling(struct text *out, const struct request *requests) {
  text_append(out, "RUN\tx.Simulation\tx\t1700000000000\t \t3.9.5\n");
  put_each(out, requests, put_gatling);
}

static void put_criterion(struct text *out, const struct request *r, size_t i) {
  (void)i;
  text_format(out, "group,%s,,,,%" PRIu64 ",ns,1\n", r->other ? "slow" : "fast", r->ms * MS);
}
static void write_criterion(struct text *out, const struct request *requests) {
  text_append(out, "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,"
                   "iteration_count\n");
  put_each(out, requests, put_criterion);
}

static void put_go(struct text *out, const struct request *r, size_t i) {
  (void)i;
  text_format(out, "Benchmark%s-8   \t       1\t   %" PRIu64 " ns/op\n", r->other ? "Buy" : "Home",
              r->ms * MS);
}
static void write_go(struct text *out, const struct request *requests) {
  text_append(out, "goos: linux\n");
  put_each(out, requests, put_go);
}

static void write_ycsb_raw(struct text *out, const struct request *requests) {
  for (int other = 0; other < 2; other++)
    for (int good = 1; good >= 0; good--) {
      if (count_of(requests, other, good) == 0)
        continue;
      const char *name = other ? good ? "UPDATE" : "UPDATE-FAILED" : good ? "READ" : "READ-FAILED";
      text_format(out, "%s latency raw data: op, timestamp(ms), latency(us)\n", name);
      for (size_t i = 0; i < REQUESTS; i++)
        if (requests[i].other == other && requests[i].good == good)
          text_format(out, "%s,%zu,%" PRIu64 "\n", name, (size_t)1700000000000 + i,
                      requests[i].ms * 1000);
    }
}

static void put_ghz(struct text *out, const struct request *r, size_t i) {
  text_format(out,
              "%s{\"timestamp\":\"2026-01-31T12:00:00Z\",\"latency\":%" PRIu64
              ",\"error\":\"%s\",\"status\":\"%s\"}",
              i == 0 ? "" : ",", r->ms * MS, r->good ? "" : "rpc error",
              r->good ? "OK" : "Unavailable");
}
static void write_ghz(struct text *out, const struct request *requests) {
  text_format(out,
              "{\"date\":\"2026-01-31T12:00:00Z\",\"count\":%d,\"options\":{\"call\":\"a.B.C\"},"
              "\"latencyDistribution\":[{\"percentage\":10,\"latency\":1}],\"details\":[",
              REQUESTS);
  put_each(out, requests, put_ghz);
  text_append(out, "]}\n");
}

/* ---- counted --------------------------------------------------------------------------------- */

static uint64_t ms_of(const struct request *requests, bool other) {
  for (size_t i = 0; i < REQUESTS; i++)
    if (requests[i].other == other && requests[i].good)
      return requests[i].ms;
  return 0;
}

static void write_hyperfine(struct text *out, const struct request *requests) {
  text_append(out, "{\"results\":[");
  for (int other = 0; other < 2; other++) {
    struct text times, codes;
    text_init(&times);
    text_init(&codes);
    for (size_t i = 0; i < REQUESTS; i++)
      if (requests[i].other == other) {
        text_format(&times, "%s0.%03" PRIu64, times.length == 0 ? "" : ",", requests[i].ms);
        text_format(&codes, "%s%d", codes.length == 0 ? "" : ",", requests[i].good ? 0 : 1);
      }
    if (times.length != 0)
      text_format(out, "%s{\"command\":\"%s\",\"mean\":0.1,\"times\":[%s],\"exit_codes\":[%s]}",
                  other ? "," : "", other ? "buy" : "home", times.data, codes.data);
    text_clear(&times);
    text_clear(&codes);
  }
  text_append(out, "]}\n");
}

/* The last value of a bucket of HdrHistogram with three digits. */
static uint64_t last_of_bucket(uint64_t us) {
  uint64_t size = 1;
  while (us / size >= 2048)
    size *= 2;
  return (us / size + 1) * size - 1;
}

static void write_ycsb(struct text *out, const struct request *requests) {
  text_append(out, "[OVERALL], RunTime(ms), 10110\n");
  for (int other = 0; other < 2; other++) {
    uint64_t good = count_of(requests, other, true), bad = count_of(requests, other, false);
    const char *name = other ? "UPDATE" : "READ";
    uint64_t us = last_of_bucket(ms_of(requests, other) * 1000);
    if (good + bad == 0)
      continue;
    text_format(out,
                "[%s], Operations, %" PRIu64 "\n[%s], MinLatency(us), %" PRIu64
                "\n[%s], MaxLatency(us), %" PRIu64 "\n[%s], Return=OK, %" PRIu64 "\n",
                name, good, name, us, name, us, name, good);
    if (bad != 0)
      text_format(out, "[%s], Return=ERROR, %" PRIu64 "\n", name, bad);
    text_format(out, "[%s], %" PRIu64 ", %" PRIu64 ".0\n", name, us, good);
  }
}

static void write_fortio(struct text *out, const struct request *requests) {
  uint64_t bad = count_of(requests, false, false), good = REQUESTS - bad;
  text_format(out,
              "{\"RunType\":\"HTTP\",\"RequestedQPS\":\"8\",\"DurationHistogram\":{\"Count\":%d,"
              "\"Min\":0.001,\"Max\":0.3,\"Data\":[{\"Start\":0.001,\"End\":0.002,\"Percent\":60,"
              "\"Count\":%" PRIu64
              "},{\"Start\":0.25,\"End\":0.3,\"Percent\":100,\"Count\":%" PRIu64
              "}]},\"RetCodes\":{\"200\":%" PRIu64 ",\"503\":%" PRIu64 "}}\n",
              REQUESTS, bad, good, good, bad);
}

static void write_redis(struct text *out, const struct request *requests) {
  for (int other = 0; other < 2; other++) {
    uint64_t count = count_of(requests, other, true);
    text_format(out,
                "====== %s ======\n  %" PRIu64 " requests completed in 0.20 seconds\n\n"
                "Latency by percentile distribution:\n100.000%% <= %" PRIu64 ".007 milliseconds "
                "(cumulative count %" PRIu64
                ")\n\nSummary:\n  throughput summary: 1.0 requests per "
                "second\n",
                other ? "SET" : "GET", count, ms_of(requests, other), count);
  }
}

static void take_log(struct text *log, const struct request *requests, bool other,
                     const char *tag) {
  struct histogram histogram;
  histogram_init(&histogram, 1, 3600000000, 3);
  histogram_record(&histogram, ms_of(requests, other) * 1000, count_of(requests, other, true));
  put_histogram(log, tag, &histogram);
  mem_free(histogram.counts);
}

static void write_hlog(struct text *out, const struct request *requests) {
  text_append(out, "#[Histogram log format version 1.3]\n\"StartTimestamp\",\"Interval_Length\","
                   "\"Interval_Max\",\"Interval_Compressed_Histogram\"\n");
  take_log(out, requests, false, "Tag=READ,");
  take_log(out, requests, true, "Tag=WRITE,");
}

static void write_memtier(struct text *out, const struct request *requests) {
  static const char *const names[] = {"Gets", "Sets"};
  text_append(out, "{\"configuration\":{\"protocol\":\"redis\"},\"ALL STATS\":{\"Runtime\":{}");
  for (int other = 0; other < 2; other++) {
    struct text log;
    text_init(&log);
    take_log(&log, requests, other, "");
    const char *base64 = strrchr(log.data, ',') + 1;
    text_format(out,
                ",\"%s\":{\"Count\":%" PRIu64 ",\"Percentile Latencies\":{\"Histogram log "
                "format\":{\"Compressed Histogram\":\"%.*s\"}}}",
                names[other], count_of(requests, other, true), (int)strcspn(base64, "\n"), base64);
    text_clear(&log);
  }
  text_format(out, ",\"Totals\":{\"Count\":%d}}}\n", REQUESTS);
}

static void write_fio(struct text *out, const struct request *requests) {
  static const char *const directions[] = {"read", "write"};
  text_append(out, "{\"fio version\":\"fio-3.33\",\"jobs\":[{\"jobname\":\"x\",\"error\":0");
  for (int other = 0; other < 2; other++) {
    uint64_t count = count_of(requests, other, true), max = ms_of(requests, other) * MS;
    /* 1 ms: of 2^13 in a bucket; 50 ms: of 2^19 */
    uint64_t size = max < 2 * MS ? 8192 : 524288, middle = max / size * size + size / 2;
    text_format(out,
                ",\"%s\":{\"total_ios\":%" PRIu64 ",\"clat_ns\":{\"max\":%" PRIu64 ",\"N\":%" PRIu64
                ",\"bins\":{\"%" PRIu64 "\":%" PRIu64 "}}}",
                directions[other], count, max, count, middle, count);
  }
  text_append(out, "}]}\n");
}

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

/* ---- each row of the table ------------------------------------------------------------------- */

enum mixed { NEVER, REFUSED, INFINITE };

struct mixture {
  enum format_id id;
  void (*write)(struct text *, const struct request *);
  const char *kinds[2]; /* --select of each; NULL: a file has no kinds, for this reason: */
  enum mixed failures;
  const char *why; /* no kinds, or no failures */
};

#define ONE_URL "it is of one target, and a row says no more"
#define NO_FAILURES "what failed is not in it: its notes say so"

static const struct mixture mixtures[] = {
    {KNOWN_HEY, write_hey, {NULL}, INFINITE, ONE_URL},
    {KNOWN_VEGETA, write_vegeta, {"GET", "{method=\"POST\"}"}, INFINITE, NULL},
    {KNOWN_PGBENCH, write_pgbench, {"0", "{script=\"1\"}"}, INFINITE, NULL},
    {KNOWN_JMETER, write_jmeter, {"Home", "{label=\"Buy\"}"}, INFINITE, NULL},
    {KNOWN_REDIS, write_redis, {NULL}, NEVER, "one command is read, and an error is an answer"},
    {KNOWN_YCSB, write_ycsb, {"READ", "UPDATE"}, INFINITE, NULL},
    {KNOWN_YCSB_RAW, write_ycsb_raw, {"READ", "UPDATE"}, INFINITE, NULL},
    {KNOWN_MEMTIER_JSON, write_memtier, {"Gets", "Sets"}, NEVER, NO_FAILURES},
    {KNOWN_HLOG, write_hlog, {"READ", "{tag=\"WRITE\"}"}, NEVER, NO_FAILURES},
    {KNOWN_PROMETHEUS,
     write_prometheus,
     {"{method=\"Get\"}", "{method=\"Put\"}"},
     NEVER,
     "failures are label sets of their own"},
    {KNOWN_PROMETHEUS_PROTOBUF,
     write_protobuf,
     {"{method=\"Get\"}", "{method=\"Put\"}"},
     NEVER,
     "failures are label sets of their own"},
    {KNOWN_PROMETHEUS_ANSWER,
     write_answer,
     {"{method=\"Get\"}", "{method=\"Put\"}"},
     NEVER,
     "failures are label sets of their own"},
    {KNOWN_OTLP_METRICS,
     write_otlp,
     {"{method=\"Get\"}", "{method=\"Put\"}"},
     NEVER,
     "failures are label sets of their own"},
    {KNOWN_FORTIO, write_fortio, {NULL}, INFINITE, ONE_URL},
    {KNOWN_GHZ, write_ghz, {NULL}, INFINITE, "a report is of one call"},
    {KNOWN_K6, write_k6, {"http://x/", "{name=\"http://x/buy\"}"}, INFINITE, NULL},
    {KNOWN_K6_CSV, write_k6_csv, {"http://x/", "{name=\"http://x/buy\"}"}, INFINITE, NULL},
    {KNOWN_OHA_CSV, write_oha, {NULL}, INFINITE, ONE_URL},
    {KNOWN_GATLING, write_gatling, {"home", "{name=\"buy\"}"}, INFINITE, NULL},
    {KNOWN_HYPERFINE, write_hyperfine, {"home", "{command=\"buy\"}"}, INFINITE, NULL},
    {KNOWN_FIO_JSON,
     write_fio,
     {"read", "{io=\"write\"}"},
     NEVER,
     "a job with an error is refused"},
    {KNOWN_GO_BENCH,
     write_go,
     {"BenchmarkHome-8", "{benchmark=\"BenchmarkBuy-8\"}"},
     NEVER,
     "a benchmark that fails is refused"},
    {KNOWN_CRITERION_CSV, write_criterion, {"fast", "{function=\"slow\"}"}, NEVER, NO_FAILURES},
    {KNOWN_JMH, write_jmh, {"a.home", "{benchmark=\"a.buy\"}"}, NEVER, NO_FAILURES},
    {KNOWN_GOOGLE_BENCHMARK, write_google, {"BM_home", "{name=\"BM_buy\"}"}, INFINITE, NULL},
    {KNOWN_PYTEST_BENCHMARK,
     write_pytest,
     {"t.py::home", "{fullname=\"t.py::buy\"}"},
     NEVER,
     NO_FAILURES},
    {KNOWN_BENCHMARK_DOTNET, write_dotnet, {"A.home", "{FullName=\"A.buy\"}"}, NEVER, NO_FAILURES},
    {KNOWN_TPH, NULL, {NULL}, NEVER, "ours: kinds and failures are lines of evidence"},
    {KNOWN_JOINT, NULL, {NULL}, NEVER, "tests/cli/t-kinds.sh asks it"},
    {KNOWN_VALUES, NULL, {NULL}, NEVER, "below, of all names of columns"},
    {KNOWN_HGRM, NULL, {NULL}, NEVER, "a histogram of one thing"},
    {KNOWN_SYSBENCH, NULL, {NULL}, NEVER, "a histogram of one thing"},
    {KNOWN_DDSKETCH, NULL, {NULL}, NEVER, "a histogram of one thing"},
    {KNOWN_AB_G, NULL, {NULL}, NEVER, ONE_URL},
    {KNOWN_CRITERION_SAMPLE, NULL, {NULL}, NEVER, "a file is of one benchmark"},
};
enum { MIXTURES = sizeof mixtures / sizeof *mixtures };

static void each_format_is_here(void **unused) {
  (void)unused;
  for (size_t id = KNOWN_NONE + 1; id < KNOWN_COUNT; id++) {
    const struct format_entry *row = format_row((enum format_id)id);
    size_t found = 0;
    for (size_t i = 0; i < MIXTURES; i++)
      found += mixtures[i].id == id;
    if (row->yields == YIELDS_SAMPLES && found != 1)
      fail_msg("%s: write what it looks like with two kinds and with failures", row->name);
    assert_true(row->yields == YIELDS_SAMPLES || found == 0);
  }
}

static struct parsed read_mixture(const struct mixture *mixture, const struct request *requests,
                                  const char *select) {
  struct text bytes;
  struct parsed parsed = {0};
  text_init(&bytes);
  mixture->write(&bytes, requests);
  text_init(&parsed.message);
  sample_init(&parsed.sample);
  source_notes_init(&parsed.notes);
  const struct source_page page = {.name = "f", .bytes = bytes.data, .length = bytes.length};
  const struct source_options options = {.unit = mixture->id == KNOWN_HLOG ? "us" : NULL,
                                         .select = select};
  parsed.status = source_parse_as(&parsed.sample, &parsed.notes, FORMAT_UNKNOWN, &page, &options,
                                  NULL, &parsed.message);
  text_clear(&bytes);
  return parsed;
}

static void several_kinds_are_refused(void **unused) {
  (void)unused;
  struct request requests[REQUESTS];
  make_kinds(requests);
  for (size_t i = 0; i < MIXTURES; i++) {
    if (mixtures[i].kinds[0] == NULL && mixtures[i].id != KNOWN_REDIS)
      continue;
    const char *name = format_row(mixtures[i].id)->name;
    struct parsed parsed = read_mixture(&mixtures[i], requests, NULL);
    if (parsed.status != STATUS_DATA)
      fail_msg("%s: two kinds are one measurement", name);
    if (mixtures[i].kinds[0] != NULL && strstr(text_get(&parsed.message), "--select") == NULL)
      fail_msg("%s: %s", name, text_get(&parsed.message));
    parsed_clear(&parsed);
    for (size_t other = 0; other < 2 && mixtures[i].kinds[other] != NULL; other++) {
      parsed = read_mixture(&mixtures[i], requests, mixtures[i].kinds[other]);
      if (parsed.status != STATUS_OK)
        fail_msg("%s, --select %s: %s", name, mixtures[i].kinds[other], text_get(&parsed.message));
      const struct sample *sample = &parsed.sample;
      uint64_t ns = ms_of(requests, other) * MS;
      if (sample->total != count_of(requests, other, true) || sample->beyond != 0 ||
          sample->bins[0].upper_ns < ns || sample->bins[sample->count - 1].lower_ns > ns)
        fail_msg("%s, --select %s: %" PRIu64 " requests, the first to %" PRIu64 " ns", name,
                 mixtures[i].kinds[other], sample->total, sample->bins[0].upper_ns);
      if (!sample->evidence.kinds.known || sample->evidence.kinds.list.count != 1)
        fail_msg("%s, --select %s: the evidence has %zu kinds", name, mixtures[i].kinds[other],
                 sample->evidence.kinds.list.count);
      parsed_clear(&parsed);
    }
  }
}

static void what_failed_is_not_fast(void **unused) {
  (void)unused;
  struct request requests[REQUESTS];
  make_failures(requests);
  uint64_t failed = count_of(requests, false, false);
  for (size_t i = 0; i < MIXTURES; i++) {
    if (mixtures[i].failures == NEVER) {
      assert_non_null(mixtures[i].why);
      continue;
    }
    const char *name = format_row(mixtures[i].id)->name;
    struct parsed parsed = read_mixture(&mixtures[i], requests, NULL);
    if (parsed.status != STATUS_OK)
      fail_msg("%s: %s", name, text_get(&parsed.message));
    const struct sample *sample = &parsed.sample;
    if (sample->total != REQUESTS || sample->beyond != failed)
      fail_msg("%s: %" PRIu64 " of %" PRIu64 " never end", name, sample->beyond, sample->total);
    if (sample->evidence.lost[EVIDENCE_FAILED].least != failed)
      fail_msg("%s: the evidence has %" PRIu64 " that failed", name,
               sample->evidence.lost[EVIDENCE_FAILED].least);
    bool noted = false; /* how many, for the ledger */
    for (size_t n = 0; n < parsed.notes.count; n++)
      noted = noted || strstr(parsed.notes.lines[n], "240") != NULL;
    if (!noted)
      fail_msg("%s: no note says how many failed", name);
    parsed_clear(&parsed);
  }
}

/* The rows of a table, but not its header, once more. */
static void tables_twice_are_refused(void **unused) {
  (void)unused;
  static void (*const writers[])(struct text *, const struct request *) = {write_hey, write_oha,
                                                                           write_k6_csv};
  struct request requests[REQUESTS] = {0};
  for (size_t i = 0; i < REQUESTS; i++)
    requests[i] = (struct request){false, true, 1 + i % 50};
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
    struct text once, twice;
    text_init(&once);
    text_init(&twice);
    writers[i](&once, requests);
    text_format(&twice, "%s%s", once.data, strchr(once.data, '\n') + 1);
    struct parsed parsed = parse_bytes(FORMAT_UNKNOWN, once.data, once.length, NULL);
    assert_int_equal(parsed.status, STATUS_OK);
    parsed_clear(&parsed);
    parsed = parse_bytes(FORMAT_UNKNOWN, twice.data, twice.length, NULL);
    if (strstr(text_get(&parsed.message), "each row stands there 2 times") == NULL)
      fail_msg("writer %zu: %s", i, text_get(&parsed.message));
    parsed_clear(&parsed);
    text_clear(&once);
    text_clear(&twice);
  }
}

/* Means of several calls are no times of calls. */
static void means_are_refused(void **unused) {
  (void)unused;
  static const struct {
    const char *bytes, *words;
  } of[] = {
      {"[{\"jmhVersion\":\"1.37\",\"benchmark\":\"a\",\"mode\":\"avgt\",\"measurementBatchSize\":1,"
       "\"primaryMetric\":{\"scoreUnit\":\"us/op\",\"rawData\":[[1.5]]}}]",
       "-bm ss"},
      {"[{\"jmhVersion\":\"1.37\",\"benchmark\":\"a\",\"mode\":\"ss\",\"measurementBatchSize\":9,"
       "\"primaryMetric\":{\"scoreUnit\":\"us/op\",\"rawData\":[[1.5]]}}]",
       "the mean of several"},
      {"[{\"jmhVersion\":\"1.37\",\"benchmark\":\"a\",\"mode\":\"ss\",\"measurementBatchSize\":1,"
       "\"primaryMetric\":{\"scoreUnit\":\"B/op\",\"rawData\":[[1.5]]}}]",
       "where a unit"},
      {"{\"context\":{\"library_build_type\":\"x\"},\"benchmarks\":[{\"name\":\"a\",\"iterations\":"
       "36059,"
       "\"real_time\":1,\"time_unit\":\"ns\"}]}",
       "--benchmark_min_time=1x"},
      {"{\"machine_info\":{},\"commit_info\":{},\"benchmarks\":[{\"fullname\":\"a\",\"stats\":"
       "{\"iterations\":1,\"mean\":1}}]}",
       "--benchmark-json"},
      {"{\"machine_info\":{},\"commit_info\":{},\"benchmarks\":[]}", "there is no benchmark"},
      {"{\"HostEnvironmentInfo\":{\"BenchmarkDotNetCaption\":\"x\"},\"Benchmarks\":[{\"FullName\":"
       "\"a\","
       "\"Measurements\":[{\"Operations\":16,\"Nanoseconds\":5}]}]}",
       "InvocationCount"},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    struct parsed parsed = parse_bytes(FORMAT_UNKNOWN, of[i].bytes, strlen(of[i].bytes), NULL);
    if (parsed.status != STATUS_DATA || strstr(text_get(&parsed.message), of[i].words) == NULL)
      fail_msg("%s: %s", of[i].bytes, text_get(&parsed.message));
    parsed_clear(&parsed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_format_is_here),      cmocka_unit_test(several_kinds_are_refused),
      cmocka_unit_test(what_failed_is_not_fast),  cmocka_unit_test(means_are_refused),
      cmocka_unit_test(tables_twice_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
