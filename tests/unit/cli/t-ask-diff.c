/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `trace diff`, without options and without output. */
#include "tests/unit/cli/heard.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/question/trace_diff/trace_diff.h"

/* Requests of a service `web` that asks `db`, and in some of them `ads`; some are reports. */
struct made {
  unsigned requests, first; /* the number of the first, which is its id and its time */
  unsigned db_us;           /* the mean, beside 1000 us */
  unsigned reports, ads;    /* of 100 requests */
  uint64_t seed;
};

static unsigned draw(struct random *random, unsigned mean) {
  double chance = ((double)(random_bits(random) >> 11) + 0.5) / 9007199254740992.0;
  return (unsigned)(-log(chance) * mean);
}

static void put_span(FILE *file, unsigned trace, unsigned id, const char *name, uint64_t start,
                     unsigned us, unsigned process, const char *more) {
  fprintf(
      file,
      "%s{\"traceID\":\"t%u\",\"spanID\":\"s%u\",\"operationName\":\"%s\",\"startTime\":%" PRIu64
      ",\"duration\":%u,\"processID\":\"p%u\",\"references\":[%s],\"tags\":[]}",
      id == 0 ? "" : ",", trace, id, name, start, us, process, more);
}

static void put_request(FILE *file, const struct made *made, unsigned i, struct random *random) {
  unsigned trace = made->first + i;
  bool report = random_below(random, 100) < made->reports,
       ads = random_below(random, 100) < made->ads;
  unsigned db = 1000 + draw(random, made->db_us) + (report ? 50000 : 0),
           own = 500 + draw(random, 200);
  uint64_t start = 1700000000000000 + 200000 * (uint64_t)trace;
  char of[80];
  snprintf(of, sizeof of, "{\"refType\":\"CHILD_OF\",\"traceID\":\"t%u\",\"spanID\":\"s0\"}",
           trace);
  fprintf(file,
          "%s{\"traceID\":\"t%u\",\"processes\":{\"p0\":{\"serviceName\":\"web\"},"
          "\"p1\":{\"serviceName\":\"db\"},\"p2\":{\"serviceName\":\"ads\"}},\"spans\":[",
          i == 0 ? "" : ",", trace);
  put_span(file, trace, 0, report ? "report" : "item", start, own + db + (ads ? 300 : 0), 0, "");
  put_span(file, trace, 1, "query", start + own / 2, db, 1, of);
  if (ads)
    put_span(file, trace, 2, "pick", start + own / 2 + db + 20, 250, 2, of);
  fprintf(file, "]}");
}

static const char *write_traces(const char *name, const struct made *made) {
  const char *path = heard_path(name);
  FILE *file = fopen(path, "w");
  struct random random = {made->seed};
  assert_non_null(file);
  fprintf(file, "{\"data\":[");
  for (unsigned i = 0; i < made->requests; i++)
    put_request(file, made, i, &random);
  fprintf(file, "]}");
  assert_int_equal(fclose(file), 0);
  return path;
}

/* Paths of two recordings, one file each. */
static void record(const char *paths[2], const struct made *before, const struct made *after) {
  paths[0] = write_traces("before.json", before);
  paths[1] = write_traces("after.json", after);
}

static enum status ask(struct trace_diff *diff, struct trace_diff_request *request,
                       const struct asker *asker, const char *const *paths) {
  request->asker = asker;
  request->paths = paths;
  request->counts[DIFF_BEFORE] = request->counts[DIFF_AFTER] = 1;
  if (request->percentiles == NULL)
    request->percentiles = "50,90";
  rational_init(&request->confidence);
  rational_set_fraction(&request->confidence, 95, 100);
  return trace_diff_ask(diff, request);
}

static void end(struct trace_diff *diff, struct trace_diff_request *request) {
  trace_diff_clear(diff);
  rational_clear(&request->confidence);
}

static const char *name_of(const struct trace_diff *diff, size_t place) {
  return diff->causes.services.data[diff->report.services.data[place].service].name;
}

static void a_slower_service_is_named_either_way(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *paths[2];
  for (unsigned back = 0; back < 2; back++) {
    const struct made usual = {300, 0, 1000, 0, 0, 1}, slow = {300, 300, 2000, 0, 0, 2};
    record(paths, &usual, &slow);
    const char *turned[] = {paths[back], paths[!back]};
    struct trace_diff diff;
    struct trace_diff_request request = {0};
    assert_int_equal(ask(&diff, &request, &asker, turned), STATUS_OK);
    assert_int_equal(diff.verdict, back ? DIFF_FASTER : DIFF_SLOWER);
    double sign = back ? -1 : 1;
    const struct tail_difference *latency = &diff.report.latency;
    assert_true(latency->least < sign * 1e6 && latency->most > sign * 1e6); /* 1000 us */
    assert_string_equal(name_of(&diff, 0), "db");
    assert_true(diff.report.services.data[0].significant);
    assert_int_equal(diff.report.named, 1);
    assert_int_equal(diff.roots.count + diff.calls.count + diff.flows.count, 0);
    assert_int_equal(diff.percentiles.count, 2);
    const struct diff_percentile *p50 = &diff.percentiles.data[0];
    double change = sign * 1e6 * log(2);
    assert_true(p50->settled && p50->least < change && p50->most > change);
    assert_true(sign * (back ? p50->most : p50->least) > 0);
    end(&diff, &request);
  }
  assert_int_equal(heard.count, 0);
}

/* More reports, none of which is slower, and calls that nobody made before. */
static void a_mix_and_new_calls_are_told_from_slowness(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *paths[2];
  const struct made before = {400, 0, 1000, 10, 0, 3}, after = {400, 400, 1000, 40, 50, 4};
  record(paths, &before, &after);
  struct trace_diff diff;
  struct trace_diff_request request = {0};
  assert_int_equal(ask(&diff, &request, &asker, paths), STATUS_OK);
  assert_int_equal(diff.roots.count, 2);
  for (size_t i = 0; i < 2; i++) {
    assert_true(diff.roots.data[i].compared);
    assert_true(diff.roots.data[i].difference.most < 1e6);
  }
  double all = diff.report.latency.difference;
  assert_true(all > 10e6 && fabs(diff.mix - all) < 0.05 * all);
  bool found = false;
  for (size_t i = 0; i < diff.calls.count; i++) {
    const struct diff_part *call = &diff.calls.data[i];
    if (strcmp(names_text(&diff.store.names, call->service), "ads") == 0) {
      found = true;
      assert_int_equal(call->counts[DIFF_BEFORE], 0);
      assert_in_range(call->counts[DIFF_AFTER], 150, 250);
    }
  }
  assert_true(found);
  assert_true(diff.flows.count >= 2); /* with ads: items, and reports */
  end(&diff, &request);
}

/* Of recordings that do not differ: nothing, and a change of 0 lies in the intervals. */
static void no_difference_is_unknown(void **state) {
  (void)state;
  enum { RUNS = 40 };
  struct asker asker = heard_asker();
  unsigned told = 0, missed = 0;
  for (unsigned run = 0; run < RUNS; run++) {
    const char *paths[2];
    const struct made before = {60, 0, 1000, 20, 20, 100 + run},
                      after = {60, 60, 1000, 20, 20, 200 + run};
    record(paths, &before, &after);
    struct trace_diff diff;
    struct trace_diff_request request = {0};
    enum status status = ask(&diff, &request, &asker, paths);
    assert_int_equal(status, diff.verdict == DIFF_NONE ? STATUS_UNKNOWN : STATUS_OK);
    told += diff.verdict != DIFF_NONE;
    missed += diff.report.latency.least > 0 || diff.report.latency.most < 0;
    end(&diff, &request);
  }
  print_message("# of %d null pairs %u told, %u intervals without 0\n", RUNS, told, missed);
  assert_in_range(told, 0, 8);   /* three claims at 0.05 */
  assert_in_range(missed, 0, 7); /* at 0.05: more once in 10^3 */
}

static void too_few_is_unknown(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *paths[2];
  const struct made before = {19, 0, 1000, 0, 0, 1}, after = {1, 19, 90000, 0, 0, 2};
  record(paths, &before, &after);
  struct trace_diff diff;
  struct trace_diff_request request = {0};
  assert_int_equal(ask(&diff, &request, &asker, paths), STATUS_UNKNOWN);
  assert_int_equal(diff.verdict, DIFF_TOO_FEW);
  assert_int_equal(diff.report.named + diff.report.significant, 0);
  end(&diff, &request);
}

static void mistakes_are_said_once(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *paths[2];
  const struct made made = {30, 0, 1000, 0, 0, 1};
  record(paths, &made, &made);
  struct trace_diff diff;
  struct trace_diff_request request = {0};
  assert_int_equal(ask(&diff, &request, &asker, paths), STATUS_DATA);
  heard_only(SAYING_FAILURE, "each trace of the second recording is in the first one");
  assert_false(diff.found);
  end(&diff, &request);
  asker = heard_asker();
  request = (struct trace_diff_request){.percentiles = "101"};
  assert_int_equal(ask(&diff, &request, &asker, paths), STATUS_USAGE);
  assert_int_equal(heard.count, 1);
  end(&diff, &request);
  asker = heard_asker();
  request = (struct trace_diff_request){.selection = {.root = "nothing"}};
  assert_int_equal(ask(&diff, &request, &asker, paths), STATUS_USAGE);
  heard_only(SAYING_MISTAKE, "--root nothing");
  end(&diff, &request);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slower_service_is_named_either_way),
      cmocka_unit_test(a_mix_and_new_calls_are_told_from_slowness),
      cmocka_unit_test(no_difference_is_unknown),
      cmocka_unit_test(too_few_is_unknown),
      cmocka_unit_test(mistakes_are_said_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
