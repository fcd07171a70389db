/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The requests of mixed_requests.h as load generators and benchmarks write them, a row each.
 */
#ifndef TESTS_UNIT_DIST_MIXED_ROWS_H
#define TESTS_UNIT_DIST_MIXED_ROWS_H

#include "base/text.h"
#include "tests/unit/dist/mixed_requests.h"

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

#endif
