/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/slo_query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* `expected`: "OF LIMIT", "other", or words of the reason. */
static void asks(enum slo_query_kind kind, const char *query, const char *total,
                 const char *expected) {
  struct slo_query read;
  struct text why, got;
  text_init(&why);
  text_init(&got);
  switch (slo_query_read(&read, &why, kind, query, total)) {
  case SLO_QUERY_READ:
    text_format(&got, "%s %s", read.of, read.limit);
    break;
  case SLO_QUERY_OTHER:
    text_append(&got, "other");
    break;
  case SLO_QUERY_UNREAD:
    assert_null(read.of);
    text_format(&got, "unread: %s", text_get(&why));
  }
  bool good = strncmp(text_get(&got), "unread: ", 8) == 0 ? strstr(got.data, expected) != NULL
                                                          : strcmp(got.data, expected) == 0;
  if (!good || *expected == '\0')
    fail_msg("%s: %s", query, text_get(&got));
  slo_query_clear(&read);
  text_clear(&why);
  text_clear(&got);
}

#define GOOD(query, total, expected) asks(SLO_QUERY_GOOD, query, total, expected)
#define BAD(query, total, expected) asks(SLO_QUERY_BAD, query, total, expected)
#define RATIO(query, expected) asks(SLO_QUERY_RATIO, query, NULL, expected)
#define UNKNOWN "none of those that are known"

static void test_read(void **state) {
  (void)state;
  GOOD("rpc_seconds_bucket{job=\"a\",le=\"0.1\"}", "rpc_seconds_count{job=\"a\"}",
       "rpc_seconds{job=\"a\"} 0.1s");
  GOOD("sum(rate(a_milliseconds_bucket{le=\"250\", verb!=\"WATCH\" ,}[{{.window}}]))",
       "sum(rate(a_milliseconds_count{verb!=\"WATCH\"}[{{.window}}]))",
       "a_milliseconds{verb!=\"WATCH\"} 250ms");
  GOOD("a_seconds_bucket{le='5.0',b=\"x\",a=~\"c|\"}",
       "a_seconds_bucket{a=~\"c|\",le=\"+Inf\",b=\"x\"}", "a_seconds{a=~\"c|\",b=\"x\"} 5.0s");
  BAD("(\n  sum(rate(a_seconds_count[5m]))\n  -\n  sum(rate(a_seconds_bucket{le=\"0.4\"}[5m]))\n)",
      "sum(rate(a_seconds_count[5m]))", "a_seconds{} 0.4s");
  BAD("(sum(rate(a_ms_count{x=\"1\"}[1m]))by (host) - "
      "sum(rate(a_ms_bucket{x=\"1\",le=\"250\"}[1m])) "
      "by (host))",
      "sum(increase(a_ms_count{x=\"1\"}[1m])) by (host)", "a_ms{x=\"1\"} 250ms");
  RATIO("1 - (sum(rate(a_seconds_bucket{le=\"0.3\"}[5m])) / sum(rate(a_seconds_count[5m])))",
        "a_seconds{} 0.3s");
}

static void test_other(void **state) {
  (void)state;
  BAD("sum(rate(http_requests_total{code=~\"5..\"}[5m]))", "sum(rate(http_requests_total[5m]))",
      "other");
  RATIO("sum(rate(errors_total[5m])) / sum(rate(all_total[5m]))", "other");
}

/* What is of latency, and would be something else if it were taken for what it looks like. */
static void test_unread(void **state) {
  (void)state;
  GOOD("a_seconds_bucket{code!~\"5..\",le=\"1\"}", "a_seconds_count",
       "other labels than the total");
  GOOD("a_seconds_bucket{le=\"1\"}", "b_seconds_count", "different metrics");
  GOOD("a_seconds_bucket{le=\"+Inf\"}", "a_seconds_count", "not a bucket");
  GOOD("a_seconds_bucket", "a_seconds_count", "not a bucket");
  GOOD("a_seconds_bucket{le=~\"1|2\"}", "a_seconds_count", UNKNOWN);
  GOOD("a_bucket{le=\"1\"}", "a_count", "ends in no unit");
  GOOD("a_seconds_bucket{le=\"1\"}", "a_seconds_sum", "not the _count");
  GOOD("a_seconds_bucket{le=\"1\"} offset 1d", "a_seconds_count", UNKNOWN);
  GOOD("a_seconds_bucket{le=\"1\"", "a_seconds_count", UNKNOWN);
  GOOD("a_seconds_bucket{le=\"1}", "a_seconds_count", UNKNOWN);
  GOOD("a_seconds_bucket{le=\"1\"}[5m", "a_seconds_count", UNKNOWN);
  GOOD("2 * a_seconds_bucket{le=\"1\"}", "a_seconds_count", UNKNOWN);
  /* the good ones as the bad ones */
  BAD("a_seconds_bucket{le=\"1\"}", "a_seconds_count", UNKNOWN);
  BAD("a_seconds_bucket{le=\"1\"} - a_seconds_count", "a_seconds_count", "not a bucket");
  BAD("a_seconds_count{x=\"1\"} - a_seconds_bucket{x=\"1\",le=\"1\"}", "a_seconds_count",
      "not the total");
  BAD("a_seconds_count - a_seconds_bucket{le=\"1\"} - a_seconds_bucket{le=\"2\"}",
      "a_seconds_count", UNKNOWN);
  BAD("1 - histogram_share(0.2, sum by (vmrange) (rate(a_seconds_bucket[5m])))", "vector(1)",
      UNKNOWN);
  RATIO("histogram_quantile(0.9, sum by (le) (rate(a_seconds_bucket[5m])))", UNKNOWN);
  RATIO("1 - a_seconds_count / a_seconds_bucket{le=\"1\"}", "not a bucket");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_read),
      cmocka_unit_test(test_other),
      cmocka_unit_test(test_unread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
