/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tools. Each was checked against what its source writes: hey requester/print.go, vegeta
 * lib/results.go (9 columns, 12 since 12.8.4), oha src/printer.rs, ab.c (output_results),
 * gatling-core LogFileDataWriter, k6 output/csv, criterion src/csv_report.rs.
 */
#include "dist/source/tool.h"

enum { NANO = 0, MICRO = 3, MILLI = 6, SECONDS = 9 };

#define CLOSED_LOOP                                                                                \
  "each worker waits for an answer before it sends the next request (closed loop): requests that " \
  "were due while one was slow are missing (coordinated omission)"

static const struct tool tools[] = {
    {.id = KNOWN_HEY,
     .what = "hey's table",
     .separator = ',',
     .exponent = SECONDS,
     .rounding = TOOL_NEAREST,
     .answered = true,
     .rows_most = 1000000,
     .columns = {{"response-time", TOOL_TIME, true, 0}, {"status-code", TOOL_STATUS, false, 0}},
     .notes = {CLOSED_LOOP,
               "no request failed without an answer (hey writes no row for one), and none was left "
               "out"}},
    {.id = KNOWN_VEGETA,
     .what = "vegeta's table",
     .separator = ',',
     .exponent = NANO,
     .once = true,
     .counts = {9, 12},
     .columns = {{"start", TOOL_WHOLE, true, 0},
                 {"status", TOOL_STATUS, true, 1},
                 {"latency", TOOL_TIME, true, 2},
                 {"bytes out", TOOL_WHOLE, true, 3},
                 {"bytes in", TOOL_WHOLE, true, 4},
                 {"error", TOOL_ERROR, true, 5},
                 {"attack", TOOL_KIND, true, 7},
                 {"number", TOOL_WHOLE, true, 8},
                 {"method", TOOL_KIND, false, 9},
                 {"url", TOOL_KIND, false, 10}},
     .notes = {"vegeta sent each request when its rate asked for it (open loop); where all "
               "-max-workers were busy it did not, and that wait is missing (coordinated "
               "omission)"}},
    {.id = KNOWN_OHA_CSV,
     .what = "oha's table",
     .separator = ',',
     .exponent = SECONDS,
     .answered = true,
     .columns = {{"request-duration", TOOL_TIME, true, 0}, {"status", TOOL_STATUS, true, 0}},
     .notes = {CLOSED_LOOP ", but for --latency-correction",
               "no request failed without an answer (oha writes no row for one), and none was left "
               "out"}},
    {.id = KNOWN_AB_G,
     .what = "ab's table",
     .separator = '\t',
     .exponent = MILLI,
     .rounding = TOOL_NEAREST,
     .sorted = true,
     .columns = {{"ttime", TOOL_TIME, true, 0}, {"seconds", TOOL_SECONDS, true, 0}},
     .notes = {CLOSED_LOOP,
               "every answer was good: ab writes no status into its table; its report counts "
               "\"Failed requests\" and \"Non-2xx responses\"",
               "rows are sorted by their times, so that nothing says how they followed each "
               "other"}},
    {.id = KNOWN_GATLING,
     .what = "Gatling's log",
     .separator = '\t',
     .exponent = MILLI,
     .rounding = TOOL_CUT,
     .line = "REQUEST",
     .columns = {{"message", TOOL_NOTHING, false, 0},
                 {"status", TOOL_OK, true, 0},
                 {"end", TOOL_END, true, 0},
                 {"start", TOOL_START, true, 0},
                 {"name", TOOL_KIND, true, 0},
                 {"groups", TOOL_KIND, true, 0}},
     .notes = {"a virtual user of Gatling waits for an answer before it goes on; in a closed model "
               "requests that were due while one was slow are missing (coordinated omission)"}},
    {.id = KNOWN_K6_CSV,
     .what = "k6's table",
     .separator = ',',
     .exponent = MILLI,
     .metrics = {"http_req_duration", "grpc_req_duration"},
     .dropped = "dropped_iterations",
     .columns = {{"metric_name", TOOL_METRIC, true, 0},
                 {"metric_value", TOOL_TIME, true, 0},
                 {"expected_response", TOOL_TRUE, false, 0},
                 {"status", TOOL_STATUS_3XX, true, 0},
                 {"group", TOOL_KIND, false, 0},
                 {"method", TOOL_KIND, false, 0},
                 {"name", TOOL_KIND, false, 0},
                 {"scenario", TOOL_KIND, false, 0},
                 {"service", TOOL_KIND, false, 0},
                 {"extra_tags", TOOL_KIND, false, 0}},
     .notes = {"durations of k6 count from when a request was sent; requests that were due while a "
               "virtual user waited are missing (coordinated omission), but for the iterations it "
               "counts as dropped"}},
    {.id = KNOWN_CRITERION_CSV,
     .what = "Criterion's raw data",
     .separator = ',',
     .exponent = NANO,
     .columns = {{"sample_measured_value", TOOL_TIME, true, 0},
                 {"unit", TOOL_UNIT, true, 0},
                 {"iteration_count", TOOL_ONE, true, 0},
                 {"group", TOOL_KIND, false, 0},
                 {"function", TOOL_KIND, false, 0},
                 {"value", TOOL_KIND, false, 0}},
     .notes = {"calls of a benchmark follow each other without a pause (closed loop), and what it "
               "warmed up with is left out"}},
};

const struct tool *tool_find(enum format_id id) {
  for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
    if (tools[i].id == id)
      return &tools[i];
  return NULL;
}
