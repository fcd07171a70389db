/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Of each format that yields samples, by the table of formats: requests of two kinds, 1 ms and 50 ms,
 * are no measurement until one kind is chosen; and requests that failed fast are no fast ones. A row
 * that is new in the table fails until it is written here, or it is said why it cannot be.
 */
#include "format/format.h"
#include "tests/unit/dist/hlog_writer.h"
#include "tests/unit/dist/mixed_metrics.h"
#include "tests/unit/dist/mixed_rows.h"

/* ---- counted --------------------------------------------------------------------------------- */

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
