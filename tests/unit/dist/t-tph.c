/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/dist/parse.h"

static const char whole[] =
    "tailproof-histogram 1\nname Grant\nunit ns\nsub_buckets 1024\ntotal 12\n"
    "saturated 1\ncounts\n1001 4\n2048 7\nend\n";

#define HEAD "tailproof-histogram 1\nname Grant\nunit ns\nsub_buckets 1024\n"

static void bad(const char *bytes, const char *expected) {
  assert_message(FORMAT_TPH, bytes, strlen(bytes), NULL, expected);
}

static void whole_files(void **unused) {
  (void)unused;
  assert_parses(FORMAT_TPH, whole, NULL, "1001:4 2048:7 +1", 1);
  assert_parses(FORMAT_TPH, whole, "ns", "1001:4 2048:7 +1", 1);
  assert_parses(FORMAT_TPH,
                "tailproof-histogram 1\r\nsaturated 0\r\ntotal 3\r\nunit ns\r\nname a b\r\n"
                "sub_buckets 1\r\ncounts\r\n0 1\r\n5 0\r\n9223372036854775807 2\r\nend",
                NULL, "0:1 9223372036854775807:2 +0", 0);
}

/* A bucket holds what is above the edge before. */
static void lower_edges(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_TPH, whole, NULL, "0-1001:4 1001-2048:7 +1");
  assert_ranges(FORMAT_TPH,
                HEAD "total 9\nsaturated 0\ncounts\n7 2 7\n1001 3 1000\n2048 4 5\nend\n", NULL,
                "7-7:2 1000-1001:3 5-2048:4 +0");
}

/* Notes are for the ledger, the recordings counted for those who add up files. */
static void said_more(void **unused) {
  (void)unused;
  struct sample sample;
  struct source_notes notes;
  struct text message;
  sample_init(&sample);
  source_notes_init(&notes);
  text_init(&message);
  static const char file[] = HEAD "note one  clock\nfrom a\ntotal 1\nnote two\nfrom a b\n"
                                  "saturated 0\ncounts\n5 1\nend\n";
  assert_int_equal(
      source_parse(&sample, &notes, FORMAT_TPH, "f", file, strlen(file), NULL, NULL, &message),
      STATUS_OK);
  assert_int_equal(notes.count, 2);
  assert_string_equal(notes.lines[0], "f: one  clock");
  assert_string_equal(notes.lines[1], "f: two");
  sample_clear(&sample);
  source_notes_clear(&notes);
  text_clear(&message);
}

/* What is known of the measurements; what no line says is unknown, as in older files. */
static void evidence(void **unused) {
  (void)unused;
  static const char file[] =
      HEAD "total 12\nsaturated 2\nfrom file sha256=7f\nevidence failed 2\n"
           "evidence left-out 1 or-more\nevidence runs 3\nevidence edges open-below\n"
           "evidence kind {op=\"READ a\"}\nevidence kinds known\nevidence resolution-ns 0 52\n"
           "worth all 4 settled\ncounts\n5 10\nend\n";
  struct parsed parsed = parse_bytes(FORMAT_TPH, file, strlen(file), NULL);
  assert_int_equal(parsed.status, STATUS_OK);
  const struct evidence *e = &parsed.sample.evidence;
  assert_int_equal(e->draws, 12);
  assert_int_equal(e->runs, 3);
  assert_true(e->lost[EVIDENCE_FAILED].known && e->lost[EVIDENCE_FAILED].least == 2);
  assert_true(!e->lost[EVIDENCE_LEFT_OUT].known && e->lost[EVIDENCE_LEFT_OUT].least == 1);
  assert_false(e->lost[EVIDENCE_CUT_OFF].known);
  assert_int_equal(e->edges, EDGES_OPEN_BELOW);
  assert_true(e->kinds.known && evidence_has_text(&e->kinds, "{op=\"READ a\"}"));
  assert_true(evidence_has_text(&e->sources, "file sha256=7f"));
  assert_int_equal(e->resolution_ns.upper, 52);
  assert_int_equal(e->order->all.upper, 4);
  struct text text;
  const struct tph_about about = {.sub_buckets = 1024};
  text_init(&text);
  tph_print(&text, "Grant", &parsed.sample, &about);
  parsed_clear(&parsed);
  assert_non_null(strstr(text_get(&text), "\nevidence failed 2\nevidence left-out 1 or-more\n"));
  assert_non_null(strstr(text_get(&text), "\nevidence kind {op=\"READ a\"}\n"));
  text_clear(&text);
  parsed = parse_bytes(FORMAT_TPH, whole, strlen(whole), NULL);
  assert_int_equal(parsed.sample.evidence.edges, EDGES_UNKNOWN);
  assert_false(parsed.sample.evidence.kinds.known);
  parsed_clear(&parsed);
  bad(HEAD "evidence failed many\n", "f:5:10: found \"failed many\", which is no evidence that "
                                     "this version knows; import the measurements again");
  bad(HEAD "total 1\nsaturated 0\nevidence runs 2\ncounts\n5 1\nend\n",
      "f:5:7: found \"1\", but \"evidence runs\" says that so few are of 2 runs; the file is "
      "damaged, import the measurements again");
}

static void bad_files(void **unused) {
  (void)unused;
  bad("", "f:1:1: the file is empty; a histogram starts with \"tailproof-histogram 1\"");
  bad("tailproof\n", "f:1:1: found \"tailproof\", but the first line of a .tph file is "
                     "\"tailproof-histogram 1\"");
  bad("tailproof-histogram 2\n", "f:1:1: found \"tailproof-histogram 2\", but this program reads "
                                 "only version 1 of the format; write it anew with this version's "
                                 "recorder");
  bad("tailproof-histogram 1\nsub_bucket 5\n",
      "f:2:1: found \"sub_bucket\", which is no key of a histogram; the nearest is "
      "\"sub_buckets\" (name, unit, sub_buckets, total, saturated, from, note, worth, evidence, "
      "then "
      "counts)");
  bad("tailproof-histogram 1\nunit us\n", "f:2:6: found \"us\", but a .tph file is always in ns; "
                                          "correct the file, or leave out --unit");
  bad(HEAD "total -1\n", "f:5:7: found \"-1\", where \"total\" needs a whole number below 2^63");
  bad(HEAD "total\n", "f:5:1: found \"total\", without a value behind it");
  bad(HEAD "name B\n", "f:5:1: found \"name\", a second time; each key stands once");
  bad(HEAD "total 1\ncounts\n", "f:6:1: the line \"saturated ...\" is missing before \"counts\"");
  bad(HEAD "total 1\n", "f:6:1: the file ends before the line \"counts\": it is truncated; record "
                        "or copy it again");
  bad(HEAD "total 1\nsaturated 0\ncounts\n5 1\n",
      "f:9:1: the file ends before the line \"end\": it is truncated; record or copy it again");
  bad(HEAD "total 1\nsaturated 0\ncounts\n5 x\nend\n",
      "f:8:1: found \"5 x\", where \"UPPER_EDGE_NS COUNT\" and perhaps a lower edge, whole "
      "numbers below 2^63, or \"end\" is expected");
  bad(HEAD "total 1\nsaturated 0\ncounts\n5 1 6\nend\n",
      "f:8:5: found \"6\", but the lower edge is not above the upper one, 5");
  bad(HEAD "total 1\nsaturated 0\ncounts\n5 1 4 3\nend\n",
      "f:8:1: found \"5 1 4 3\", where \"UPPER_EDGE_NS COUNT\" and perhaps a lower edge, whole "
      "numbers below 2^63, or \"end\" is expected");
  bad(HEAD "note\n", "f:5:1: found \"note\", without a value behind it");
  bad(HEAD "total 2\nsaturated 0\ncounts\n5 1\n5 1\nend\n",
      "f:9:1: found \"5\", but the edges must increase and the one before is 5");
  bad(HEAD "total 3\nsaturated 0\ncounts\n5 1\n6 1\nend\n",
      "f:5:7: found \"3\", but the counts and \"saturated\" add up to 2; the file is damaged, "
      "record or copy it again");
  bad(HEAD "total 0\nsaturated 0\ncounts\nend\n",
      "f:1:1: the file counts no observation; at least one is needed");
  bad(HEAD "total 1\nsaturated 0\ncounts\n5 1\nend\nmore\n",
      "f:10:1: found \"more\", behind the line \"end\"; one file holds one histogram");
  bad(HEAD "total 1\nsaturated 9223372036854775807\ncounts\n5 1\nend\n",
      "f:5:7: the counts up to here add up to more than 2^63-1; the file is damaged");
  assert_message(FORMAT_TPH, whole, strlen(whole), "us",
                 "f:3:6: found \"ns\", but a .tph file is always in ns; correct the file, or leave "
                 "out --unit");
}

static void damage(void **unused) {
  (void)unused;
  /* Whole only with and without the last newline. */
  assert_int_equal(parse_prefixes(FORMAT_TPH, whole, strlen(whole)), 2);
  parse_damaged(FORMAT_TPH, whole, strlen(whole));
}

/* What a recorder would write of random counts is read back exactly. */
static void random_files(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    uint64_t state = seed, total = seed % 4, edge = 0;
    struct text counts, file, expected;
    text_init(&counts);
    text_init(&file);
    text_init(&expected);
    for (size_t i = 0; i < 1 + seed * 3; i++) {
      uint64_t count = 1 + (random_next(&state) >> (16 + random_next(&state) % 48));
      edge += 1 + (random_next(&state) >> (12 + random_next(&state) % 52));
      text_format(&counts, "%" PRIu64 " %" PRIu64 "\n", edge, count);
      text_format(&expected, "%" PRIu64 ":%" PRIu64 " ", edge, count);
      total += count;
    }
    text_format(&expected, "+%" PRIu64, seed % 4);
    text_format(&file, HEAD "total %" PRIu64 "\nsaturated %" PRIu64 "\ncounts\n%send\n", total,
                seed % 4, text_get(&counts));
    assert_parses(FORMAT_TPH, file.data, NULL, expected.data, seed % 4 != 0);
    text_clear(&counts);
    text_clear(&file);
    text_clear(&expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_files),  cmocka_unit_test(lower_edges), cmocka_unit_test(said_more),
      cmocka_unit_test(evidence),     cmocka_unit_test(bad_files),   cmocka_unit_test(damage),
      cmocka_unit_test(random_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
