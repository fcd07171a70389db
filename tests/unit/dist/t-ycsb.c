/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What YCSB reports.
 */
#include "tests/unit/dist/parse.h"

static void bad(enum source_format format, const char *bytes, const char *expected) {
  assert_message(format, bytes, strlen(bytes), NULL, expected);
}

#define OVERALL "[OVERALL], RunTime(ms), 10110\n[OVERALL], Throughput(ops/sec), 9.89\n"
#define COUNTED(name, count) "[" name "], Operations, " count "\n"
#define MOST(name, least, most)                                                                    \
  "[" name "], MinLatency(us), " least "\n[" name "], MaxLatency(us), " most "\n"
#define RETURNED(good) "[READ], Return=OK, " good "\n"
#define READ_OF(least, most, good) COUNTED("READ", "4") MOST("READ", least, most) RETURNED(good)

static const char hdr[] = OVERALL COUNTED("CLEANUP", "1") MOST("CLEANUP", "5", "5")
    READ_OF("204", "5003", "4") "[READ], Return=ERROR, 2\n"
                                "[READ], 204, 2.0\n[READ], 2049, 1.0\n[READ], 5003, 1.0\n" COUNTED(
                                    "READ-FAILED", "2") "[READ-FAILED], 9, 2.0\n";

/* Three digits: exact below 2048, then 2 us wide, then 4; each value was cut off to a us. */
static void buckets_of_hdrhistogram(void **unused) {
  (void)unused;
  static const char ranges[] = "204000-205000:2 2048000-2050000:1 5000000-5004000:1 +2";
  assert_ranges(FORMAT_HGRM, hdr, NULL, ranges);
  assert_ranges(FORMAT_UNKNOWN, hdr, "us", ranges);
  assert_noted(FORMAT_HGRM, hdr, NULL, "coordinated omission");
  assert_noted(FORMAT_HGRM, hdr, NULL, "the operation READ is counted");
  assert_noted(FORMAT_HGRM, hdr, NULL, "2 of 6 operations failed");
  assert_unit(FORMAT_HGRM, hdr, NULL, "us");
  assert_int_equal(parse_prefixes(FORMAT_YCSB, hdr, strlen(hdr)), 3); /* cut behind what counts */
  parse_damaged(FORMAT_YCSB, hdr, strlen(hdr));
}

/* Counts from 10^7 have an exponent; what an int cannot hold is infinite. */
static void large_values(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_HGRM,
                OVERALL COUNTED("READ", "12345679") MOST("READ", "1", "2147483647") "[READ], 1, "
                                                                                    "1.2345678E7\n"
                                                                                    "[READ], "
                                                                                    "2147483647, "
                                                                                    "1.0\n",
                NULL, "1000-2000:12345678 +1");
}

#define BY_MS(least, most)                                                                         \
  OVERALL COUNTED("READ", "6") "[READ], LatencyVariance(us), 3.5\n" MOST("READ", least, most)      \
      RETURNED("7")
static const char by_ms[] = BY_MS("204", "5003") "[READ], 0, 3\n[READ], 1, 0\n[READ], 2, 1\n"
                                                 "[READ], >3, 2\n";

/* One returned and is in no bucket: it took longer than YCSB counts. */
static void buckets_of_a_ms(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_HGRM, by_ms, NULL, "0-1000000:3 2000000-3000000:1 +3");
  assert_noted(FORMAT_HGRM, by_ms, NULL, "2 operations took 3 ms or more");
  assert_noted(FORMAT_HGRM, by_ms, NULL, "1 of 7 operations failed or were not timed");
  assert_int_equal(parse_prefixes(FORMAT_YCSB, by_ms, strlen(by_ms)), 1);
  parse_damaged(FORMAT_YCSB, by_ms, strlen(by_ms));
}

/* Old releases do not say LatencyVariance, and number what operations returned. */
static void old_buckets_of_a_ms(void **unused) {
  (void)unused;
  static const char old[] = OVERALL COUNTED("READ", "3")
      MOST("READ", "204", "1003") "[READ], 95thPercentileLatency(ms), 1\n[READ], Return=0, 3\n"
                                  "[READ], 0, 2\n[READ], 1, 1\n[READ], >2, 0\n";
  assert_ranges(FORMAT_HGRM, old, NULL, "0-1000000:2 1000000-2000000:1 +0");
}

#define RAW(name) name " latency raw data: op, timestamp(ms), latency(us)\n"
static const char raw[] = RAW("READ") "READ,1700000000000,204\nREAD,1700000000001,7\n"
                                      "READ,1700000000001,-9\n";

/* The rows are in order; those that failed stand elsewhere, and when they were is not used. */
static void rows(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_CSV, raw, NULL, "7000-8000:1 204000-205000:1 +1");
  assert_ranges(FORMAT_UNKNOWN, raw, NULL, "7000-8000:1 204000-205000:1 +1");
  assert_series(FORMAT_CSV, raw, "205000 8000 inf");
  assert_noted(FORMAT_CSV, raw, NULL, "the file is whole");
  static const char failed[] =
      RAW("READ") "READ,1700000000000,204\n" RAW("READ-FAILED") "READ-FAILED,1700000000001,3\n";
  assert_ranges(FORMAT_CSV, failed, NULL, "204000-205000:1 +1");
  assert_series(FORMAT_CSV, failed, "");
  parse_damaged(FORMAT_YCSB_RAW, raw, strlen(raw));
}

/* A client prints other things first; times of an intended start say so. */
static void behind_other_lines(void **unused) {
  (void)unused;
  static const char shell[] =
      "java -cp a.jar site.ycsb.Client\n[main] INFO x - connected\n" OVERALL COUNTED("READ", "1")
          MOST("READ", "5", "5") "[READ], 5, 1.0\n";
  assert_ranges(FORMAT_HGRM, shell, NULL, "5000-6000:1 +0");
  static const char intended[] =
      OVERALL COUNTED("Intended-READ", "1") MOST("Intended-READ", "5", "5") "[Intended-READ], 5, "
                                                                            "1.0\n";
  assert_ranges(FORMAT_HGRM, intended, NULL, "5000-6000:1 +0");
  assert_noted(FORMAT_HGRM, intended, NULL, "count from when operations were due if");
}

/* Later releases count what a read with an update returned. */
static void pairs_of_operations(void **unused) {
  (void)unused;
  static const char pairs[] = OVERALL COUNTED("READ-MODIFY-WRITE", "1")
      MOST("READ-MODIFY-WRITE", "5",
           "5") "[READ-MODIFY-WRITE], Return=OK, 1\n[READ-MODIFY-WRITE], 5, 1.0\n"
                "[READ], Return=ERROR, 1\n";
  assert_ranges(FORMAT_HGRM, pairs, NULL, "5000-6000:1 +0");
  bad(FORMAT_HGRM,
      OVERALL COUNTED("READ-MODIFY-WRITE", "2") "[READ-MODIFY-WRITE], Return=OK, 1\n"
                                                "[READ-MODIFY-WRITE], Return=ERROR, 1\n",
      "f:3:2: found \"READ-MODIFY-WRITE\", of which 2 are timed, but 1 returned OK; which of the "
      "times are of others is not known");
}

static void bad_choices(void **unused) {
  (void)unused;
  bad(FORMAT_HGRM, OVERALL COUNTED("READ", "1") COUNTED("UPDATE", "1") COUNTED("READ-FAILED", "1"),
      "f:1:1: 2 operations: READ, UPDATE; choose one: --select 'NAME=READ'");
  bad(FORMAT_HGRM, OVERALL, "f:3:1: no operation is reported; is the file truncated?");
  bad(FORMAT_HGRM, OVERALL COUNTED("READ", "1") OVERALL,
      "f:4:1: found \"[OVERALL], RunTime(ms), 10110\", a second run; keep one in the file");
  bad(FORMAT_CSV, RAW("READ") "READ,1700000000000,204\n" RAW("READ"),
      "f:3:1: found \"READ latency raw data: op, times...\", a second time: YCSB appends to the "
      "file of an earlier run; keep one run in the file");
  bad(FORMAT_HGRM, OVERALL COUNTED("READ", "1") COUNTED("READ", "1"),
      "f:4:21: found \"1\", a second number of READ operations; keep one run in the file");
}

static void bad_buckets(void **unused) {
  (void)unused;
  bad(FORMAT_HGRM, OVERALL READ_OF("1", "2", "4"),
      "f:3:2: found \"READ\", whose buckets are not printed; run YCSB with -p "
      "measurement.histogram.verbose=true");
  bad(FORMAT_HGRM, OVERALL READ_OF("1", "2", "4") "[READ], 0, 12.5\n",
      "f:7:12: found \"12.5\", which is no bucket or count of a histogram; a time series holds "
      "only averages: run YCSB with -p measurementtype=hdrhistogram -p "
      "measurement.histogram.verbose=true");
  bad(FORMAT_HGRM, OVERALL READ_OF("1", "2", "4") "[READ], 0, 4.0\n",
      "f:3:2: found \"READ\", whose MinLatency and MaxLatency are not in its first and last "
      "bucket; is it a time series, which holds only averages, or is the file damaged?");
  bad(FORMAT_HGRM, OVERALL READ_OF("1", "2", "4") "[READ], 1, 3.0\n",
      "f:3:2: found \"READ\", whose buckets count 3 operations of 4: it is a time series, which "
      "holds only averages, or the file is truncated");
  bad(FORMAT_HGRM, OVERALL READ_OF("1", "2048", "4") "[READ], 2048, 4.0\n",
      "f:7:9: found \"2048\", which is no bucket or count of a histogram; a time series holds only "
      "averages: run YCSB with -p measurementtype=hdrhistogram -p "
      "measurement.histogram.verbose=true");
  bad(FORMAT_HGRM, BY_MS("204", "5003") "[READ], 0, 6\n",
      "f:3:2: found \"READ\", but the line \"[...], >1000, ...\" behind its buckets is missing: "
      "the file is truncated; write or copy it again");
  bad(FORMAT_HGRM, BY_MS("204", "5003") "[READ], 0, 5\n[READ], >1000, 1\n",
      "f:9:10: found \"1000\", but there are 1 buckets; is the file damaged?");
  bad(FORMAT_HGRM, OVERALL "[READ], Opera",
      "f:3:14: the last line has no end: the file is truncated; write or copy it again");
}

/* Counts that cannot be of the times next to them. */
static void bad_counts(void **unused) {
  (void)unused;
  bad(FORMAT_HGRM, OVERALL READ_OF("1", "2", "3") "[READ], 1, 4.0\n",
      "f:3:2: found \"READ\", of which 4 are timed, but 3 returned OK; which of the times are of "
      "others is not known");
  bad(FORMAT_HGRM, OVERALL READ_OF("1", "2", "4") "[READ], 1, 4.0\n" COUNTED("READ-FAILED", "1"),
      "f:3:2: found \"READ\", of which 1 failed, but only 0 returned so; is the file damaged?");
  bad(FORMAT_HGRM, OVERALL READ_OF("1", "2", "4") "[READ], Return=BATCHED_OK, 1\n",
      "f:3:2: found \"READ\", of which some were only put into a batch, and which times are theirs "
      "is not known; run YCSB without batches");
  bad(FORMAT_HGRM, OVERALL COUNTED("READ-MODIFY-WRITE", "1") "[UPDATE], Return=ERROR, 1\n",
      "f:3:2: found \"READ-MODIFY-WRITE\", but some operations failed, and which of its times are "
      "theirs is not known; measure a run without failures");
  bad(FORMAT_CSV, RAW("READ") "READ,1700000000000,204\nREAD,17000",
      "f:3:11: the last line has no end: the file is truncated; write or copy it again");
  bad(FORMAT_CSV, RAW("READ") "READ,1700000000000,204\nREAD,17000\n",
      "f:3:1: found \"READ,17000\", where a row of raw data such as \"READ,1700000000000,204\" is "
      "expected; have YCSB write nothing else to the file: -p "
      "measurement.raw.output_file=FILE");
  bad(FORMAT_CSV, RAW("READ") "READ,1700000000000,204\n[READ], Total Operations, 2\n",
      "f:1:1: found \"READ\", of which there are 1 rows, but \"Total Operations\" are 2: the file "
      "is truncated; write or copy it again");
  bad(FORMAT_JSON, raw,
      "f:1:1: the name says it is JSON, but it is raw data of YCSB; rename it to .csv");
  bad(FORMAT_JSON,
      "[ {\n  \"metric\" : \"READ\",\n  \"measurement\" : \"1\",\n  \"value\" : 2\n} ]",
      "f:1:1: the file is what YCSB writes as JSON; run it without -p exporter=");
  assert_message(FORMAT_HGRM, hdr, strlen(hdr), "ms",
                 "f:1:1: YCSB's report is always in us, but the unit is stated to be ms on the "
                 "command line; leave out --unit");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buckets_of_hdrhistogram),
      cmocka_unit_test(large_values),
      cmocka_unit_test(buckets_of_a_ms),
      cmocka_unit_test(old_buckets_of_a_ms),
      cmocka_unit_test(rows),
      cmocka_unit_test(behind_other_lines),
      cmocka_unit_test(pairs_of_operations),
      cmocka_unit_test(bad_choices),
      cmocka_unit_test(bad_buckets),
      cmocka_unit_test(bad_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
