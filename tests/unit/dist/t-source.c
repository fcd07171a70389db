/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "tests/unit/dist/parse.h"

static char directory[64];

static int make_directory(void **unused) {
  (void)unused;
  strcpy(directory, "/tmp/t-source.XXXXXX");
  return mkdtemp(directory) == NULL;
}

static void path_of(char *path, size_t size, const char *file) {
  snprintf(path, size, "%s/%s", directory, file);
}

static void put_file(const char *file, const char *bytes) {
  char path[200];
  struct text message;
  text_init(&message);
  path_of(path, sizeof path, file);
  assert_int_equal(file_write(path, bytes, strlen(bytes), &message), STATUS_OK);
  text_clear(&message);
}

static void put_compressed(const char *file, const char *bytes) {
  char path[200];
  path_of(path, sizeof path, file);
  gzFile stream = gzopen(path, "wb");
  assert_int_equal(gzwrite(stream, bytes, (unsigned)strlen(bytes)), strlen(bytes));
  gzclose(stream);
}

static void remove_files(const char *const *files) {
  for (char path[200]; *files != NULL; files++) {
    path_of(path, sizeof path, *files);
    unlink(path);
  }
}

static int remove_directory(void **unused) {
  (void)unused;
  return rmdir(directory);
}

/* `expected`: the file found, or a message with %D for the directory. */
static void find(const char *name, const char *message_name, const int64_t *indices, size_t count,
                 enum status status, const char *expected) {
  struct text path, message, full;
  text_init(&path);
  text_init(&message);
  text_init(&full);
  assert_int_equal(source_find(&path, directory, name, message_name, indices, count, &message),
                   status);
  if (status == STATUS_OK)
    text_format(&full, "%s/", directory);
  for (const char *at = expected; *at != '\0'; at++) {
    if (at[0] == '%' && at[1] == 'D') {
      text_append(&full, directory);
      at++;
    } else {
      text_append_bytes(&full, at, 1);
    }
  }
  assert_string_equal(text_get(status == STATUS_OK ? &path : &message), full.data);
  assert_int_equal((status == STATUS_OK ? &message : &path)->length, 0);
  text_clear(&path);
  text_clear(&message);
  text_clear(&full);
}

static void most_specific_name_wins(void **unused) {
  (void)unused;
  static const char *const files[] = {"d.csv",   "d.Ack.hgrm",   "d.Ack.2.tph.gz",
                                      "d.2.csv", "B.3.csv",      "B.hlog.gz",
                                      "Ack.csv", "d.Ack.-1.csv", NULL};
  for (size_t i = 0; files[i] != NULL; i++)
    put_file(files[i], "");
  const int64_t two[] = {2, 7}, three[] = {3}, one[] = {-1};
  find("d", "Ack", two, 1, STATUS_OK, "d.Ack.2.tph.gz");
  find("d", "Ack", two, 2, STATUS_OK, "d.Ack.2.tph.gz");
  find("d", "Ack", three, 1, STATUS_OK, "d.Ack.hgrm");
  find("d", "Ack", one, 1, STATUS_OK, "d.Ack.-1.csv");
  find("d", "Ack", NULL, 0, STATUS_OK, "d.Ack.hgrm");
  find("d", "Request", two, 1, STATUS_OK, "d.csv");
  find("d", NULL, NULL, 0, STATUS_OK, "d.csv");
  find("d", NULL, two, 1, STATUS_OK, "d.2.csv");
  find("B", NULL, three, 1, STATUS_OK, "B.3.csv");
  find("B", NULL, two, 1, STATUS_OK, "B.hlog.gz");
  find("B", NULL, two, 2, STATUS_OK, "B.hlog.gz");
  remove_files(files);
}

static void missing_files_are_explained(void **unused) {
  (void)unused;
  const int64_t two[] = {2};
  find("Grant", NULL, NULL, 0, STATUS_NO_INPUT,
       "no measurements of Grant in %D: tried Grant with .csv, .hgrm, .hlog, .tph, .prom, .pb, "
       ".json, "
       "each also with .gz; the directory holds no measurement file");
  static const char *const files[] = {"grant.csv", "a.csv", "b.csv",     "c.csv", "e.csv", "f.csv",
                                      "g.csv",     "h.csv", "README.md", ".csv",  NULL};
  for (size_t i = 0; files[i] != NULL; i++)
    put_file(files[i], "");
  find("Grant", NULL, two, 1, STATUS_NO_INPUT,
       "no measurements of Grant[2] in %D: tried Grant.2, Grant with .csv, .hgrm, .hlog, .tph, "
       ".prom, .pb, .json, each also with .gz; there is a.csv, b.csv, c.csv, e.csv, f.csv, g.csv, "
       "grant.csv, h.csv; "
       "is grant.csv meant to be Grant.csv?");
  put_file("i.csv", "");
  find("Network", "Ack", two, 1, STATUS_NO_INPUT,
       "no measurements of Network(Ack(2)) in %D: tried Network.Ack.2, Network.Ack, Network with "
       ".csv, .hgrm, .hlog, .tph, .prom, .pb, .json, each also with .gz; there is a.csv, b.csv, "
       "c.csv, "
       "e.csv, f.csv, "
       "g.csv, grant.csv, h.csv and 1 more");
  remove_files(files);
  remove_files((const char *const[]){"i.csv", NULL});
  strcat(directory, "x");
  find("d", NULL, NULL, 0, STATUS_NO_INPUT,
       "%D: cannot be read as a directory of measurements: No such file or directory");
  directory[strlen(directory) - 1] = '\0';
}

static void find_all(const struct source_wanted *wanted, size_t count, enum status status,
                     const char *expected) {
  struct text message, full;
  text_init(&message);
  text_init(&full);
  assert_int_equal(source_find_all(directory, wanted, count, &message), status);
  for (const char *at = expected; *at != '\0'; at += 1 + (at[0] == '%' && at[1] == 'D'))
    text_append_bytes(&full, at[0] == '%' && at[1] == 'D' ? directory : at,
                      at[0] == '%' && at[1] == 'D' ? strlen(directory) : 1);
  assert_string_equal(text_get(&message), text_get(&full));
  text_clear(&message);
  text_clear(&full);
}

/* One message names all that are missing; occurrences that differ in their indices share a line. */
static void all_missing_files_at_once(void **unused) {
  (void)unused;
  static const int64_t indices[][2] = {{0}, {1}, {2}};
  const struct source_wanted wanted[] = {
      {"Accept", NULL, indices[1], 1}, {"Accept", NULL, indices[2], 1}, {"d", "Ack", indices[0], 1},
      {"d", "Ack", indices[1], 1},     {"Grant", NULL, NULL, 0},        {"d", "Get", indices[0], 2},
      {"Accept", NULL, indices[0], 1}};
  put_file("Accept.0.csv", "");
  put_file("garnt.hgrm", "");
  find_all(wanted, 7, STATUS_NO_INPUT,
           "4 measurements are missing in %D; of each, one of these names will do, with one of "
           ".csv, .hgrm, .hlog, .tph, .prom, .pb, .json, each also with .gz:\n"
           "  Accept[1] and 1 more: Accept.1, Accept\n"
           "  d(Ack(0)) and 1 more: d.Ack.0, d.Ack, d\n"
           "  Grant: Grant; is garnt.hgrm meant to be Grant.hgrm?\n"
           "  d(Get(0, 0)): d.Get.0.0, d.Get.0, d.Get, d\n"
           "there is Accept.0.csv, garnt.hgrm");
  put_file("d.csv", "");
  put_file("Accept.csv.gz", "");
  find_all(
      wanted, 7, STATUS_NO_INPUT,
      "no measurements of Grant in %D: tried Grant with .csv, .hgrm, .hlog, .tph, .prom, "
      ".pb, .json, each also with .gz; there is Accept.0.csv, Accept.csv.gz, d.csv, garnt.hgrm; is "
      "garnt.hgrm meant to be Grant.hgrm?");
  put_file("Grant.tph", "");
  find_all(wanted, 7, STATUS_OK, "");
  remove_files((const char *const[]){"Accept.0.csv", "Accept.csv.gz", "Grant.tph", "d.csv",
                                     "garnt.hgrm", NULL});
  find_all(NULL, 0, STATUS_OK, "");
  strcat(directory, "x");
  find_all(wanted, 1, STATUS_NO_INPUT,
           "%D: cannot be read as a directory of measurements: No such file or directory");
  directory[strlen(directory) - 1] = '\0';
}

/* However many are missing, the message is one screen. */
static void missing_files_fill_a_screen(void **unused) {
  (void)unused;
  struct source_wanted wanted[40];
  char names[40][8];
  struct text message;
  text_init(&message);
  for (size_t i = 0; i < 40; i++) {
    snprintf(names[i], sizeof names[i], "C%zu", i);
    wanted[i] = (struct source_wanted){.name = names[i]};
  }
  assert_int_equal(source_find_all(directory, wanted, 40, &message), STATUS_NO_INPUT);
  size_t lines = 1;
  for (const char *at = text_get(&message); *at != '\0'; at++)
    lines += *at == '\n';
  assert_true(lines <= 22);
  assert_non_null(strstr(text_get(&message), "\n  C17: C17\n  and 22 more\n"));
  text_clear(&message);
}

static void note_file(const char *file, const char *parts, void *context) {
  text_format(context, "%s|%s ", file, parts);
}

static void files_of_a_component(void **unused) {
  (void)unused;
  static const char *const files[] = {"d.csv",   "d.Ack.2.tph.gz", "d.3.hlog", "dd.csv",
                                      "d.3.txt", "D.1.csv",        NULL};
  for (size_t i = 0; files[i] != NULL; i++)
    put_file(files[i], "");
  struct text seen;
  text_init(&seen);
  source_visit(directory, "d", note_file, &seen);
  assert_string_equal(text_get(&seen), "d.3.hlog|3 d.Ack.2.tph.gz|Ack.2 d.csv| ");
  source_visit("no/such/folder", "d", note_file, &seen);
  assert_string_equal(text_get(&seen), "d.3.hlog|3 d.Ack.2.tph.gz|Ack.2 d.csv| ");
  text_clear(&seen);
  remove_files(files);
}

/* A sketch is found, so that reading it can say why it is refused. */
static void every_suffix_is_found(void **unused) {
  (void)unused;
  static const char *const files[] = {"d.prom", "e.json.gz", "f.tdigest", NULL};
  for (size_t i = 0; files[i] != NULL; i++)
    put_file(files[i], "");
  find("d", NULL, NULL, 0, STATUS_OK, "d.prom");
  find("e", NULL, NULL, 0, STATUS_OK, "e.json.gz");
  find("f", NULL, NULL, 0, STATUS_OK, "f.tdigest");
  remove_files(files);
}

static void two_formats_of_one_stem(void **unused) {
  (void)unused;
  static const char *const files[] = {"d.csv", "d.csv.gz", NULL};
  put_file("d.csv", "");
  put_file("d.csv.gz", "");
  find("d", NULL, NULL, 0, STATUS_DATA, "%D: both d.csv and d.csv.gz measure d; keep one of them");
  remove_files(files);
}

/* Reads a file just written; `expected` is a sample or a message behind the path. */
static void read_back(const char *file, const char *unit, enum status status,
                      const char *expected) {
  char path[200];
  path_of(path, sizeof path, file);
  struct sample sample;
  struct source_notes notes;
  struct text message;
  sample_init(&sample);
  source_notes_init(&notes);
  text_init(&message);
  assert_int_equal(source_read(&sample, &notes, path, unit, &message), status);
  if (status == STATUS_OK) {
    assert_sample(&sample, expected);
    assert_int_equal(message.length, 0);
  } else {
    assert_int_equal(strncmp(text_get(&message), path, strlen(path)), 0);
    assert_string_equal(text_get(&message) + strlen(path), expected);
    assert_int_equal(sample.total, 0);
    assert_int_equal(notes.count, 0);
  }
  sample_clear(&sample);
  source_notes_clear(&notes);
  text_clear(&message);
  unlink(path);
}

static void format_by_name_and_content(void **unused) {
  (void)unused;
  static const char tph[] = "tailproof-histogram 1\nname a\nunit ns\nsub_buckets 4\ntotal 2\n"
                            "saturated 0\ncounts\n5 2\nend\n";
  static const char hgrm[] = "Value Percentile TotalCount 1/(1-Percentile)\n5 1.0 3 inf\n"
                             "#[Max = 5, Total count = 3]\n";
  put_compressed("a.csv.gz", "x_us\n1\n");
  read_back("a.csv.gz", NULL, STATUS_OK, "1000:1 +0");
  put_compressed("a.tph.gz", tph);
  read_back("a.tph.gz", NULL, STATUS_OK, "5:2 +0");
  put_file("a", tph);
  read_back("a", NULL, STATUS_OK, "5:2 +0");
  put_file("observed.txt", hgrm);
  read_back("observed.txt", "us", STATUS_OK, "6000:3 +0");
  put_file("observed", "x_ns\n1\n");
  read_back("observed", NULL, STATUS_OK, "1:1 +0");
  put_file("a.csv", tph);
  read_back("a.csv", NULL, STATUS_DATA,
            ":1:1: the name says it is a CSV table, but it is a tailproof histogram; rename it to "
            ".tph");
  put_file("a.hlog", hgrm);
  read_back("a.hlog", NULL, STATUS_DATA,
            ":1:1: the name says it is a HdrHistogram log, but it is a HdrHistogram percentile "
            "table; rename it to .hgrm");
  put_file("a.csv", "x_ns\n1\n");
  read_back("a.csv", "minutes", STATUS_USAGE, ": the unit \"minutes\" is none of ns, us, ms and s");
  read_back("absent.csv", NULL, STATUS_NO_INPUT, ": cannot be opened: No such file or directory");
}

static const char prom[] = "# TYPE a_seconds histogram\na_seconds_bucket{le=\"1\"} 2\n"
                           "a_seconds_bucket{le=\"+Inf\"} 3\na_seconds_count 3\n";
static const char hey[] =
    "\nresponse-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,"
    "status-code,offset\n0.0087,0,0,0,0,0,200,0.0016\n";
static const char vegeta[] = "1700000000000000000,200,17,0,0,,,,0\n";
static const char fortio[] = "{\"DurationHistogram\": {\"Count\": 1, \"Max\": 0.5, \"Data\": "
                             "[{\"Start\": 0.5, \"End\": 0.5, \"Count\": 1}]}}";

static void load_generators_by_name_and_content(void **unused) {
  (void)unused;
  static const struct {
    const char *bytes, *suffix, *sample;
  } cases[] = {{prom, ".prom", "1000000000:2 +1"},
               {hey, ".csv", "8750000:1 +0"},
               {vegeta, ".csv", "17:1 +0"},
               {fortio, ".json", "500000000:1 +0"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char file[40];
    snprintf(file, sizeof file, "a%s.gz", cases[i].suffix);
    put_compressed(file, cases[i].bytes);
    read_back(file, NULL, STATUS_OK, cases[i].sample);
    put_file("metrics", cases[i].bytes);
    read_back("metrics", NULL, STATUS_OK, cases[i].sample);
  }
  put_file("a.csv", prom);
  read_back("a.csv", NULL, STATUS_DATA,
            ":1:1: the name says it is a CSV table, but it is a Prometheus exposition; rename it "
            "to .prom");
  put_file("a.prom", fortio);
  read_back("a.prom", NULL, STATUS_DATA,
            ":1:1: the name says it is a Prometheus exposition, but it is JSON; rename it to "
            ".json");
  put_file("a.json", vegeta);
  read_back("a.json", NULL, STATUS_DATA,
            ":1:1: the name says it is JSON, but it is a table of vegeta; rename it to .csv");
  put_file("a.tdigest", vegeta);
  read_back("a.tdigest", NULL, STATUS_DATA,
            ":1:1: the file is a t-digest, which keeps means of clusters and nothing that bounds "
            "the error of its quantiles; record the observations (.csv) or a histogram (.hlog, "
            ".prom, .tph) instead");
}

/* A compressed file that is cut off anywhere is refused: its end carries a checksum. */
static void truncated_gzip(void **unused) {
  (void)unused;
  char path[200], *bytes;
  size_t length, refused = 0;
  put_compressed("a.csv.gz", "x_ns\n1\n2\n3\n");
  path_of(path, sizeof path, "a.csv.gz");
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  bytes = mem_alloc(1000, 1);
  length = fread(bytes, 1, 1000, file);
  fclose(file);
  for (size_t cut = 1; cut < length; cut++) {
    struct sample sample;
    struct source_notes notes;
    struct text message;
    sample_init(&sample);
    source_notes_init(&notes);
    text_init(&message);
    assert_int_equal(file_write(path, bytes, cut, &message), STATUS_OK);
    assert_int_equal(source_read(&sample, &notes, path, NULL, &message), STATUS_DATA);
    assert_non_null(strstr(text_get(&message), path));
    assert_null(strchr(text_get(&message), '\n'));
    refused++;
    text_clear(&message);
  }
  assert_int_equal(refused, length - 1);
  mem_free(bytes);
  unlink(path);
}

/* A failed read drops the old content of the output and leaves the notes. */
static void outputs_after_a_failure(void **unused) {
  (void)unused;
  struct parsed parsed = parse_bytes(FORMAT_CSV, "rtt_ns\n4\n", 9, NULL);
  assert_int_equal(source_parse(&parsed.sample, &parsed.notes, FORMAT_CSV, "g", "rtt_ns\n4\nx", 10,
                                NULL, NULL, &parsed.message),
                   STATUS_DATA);
  assert_int_equal(parsed.notes.count, 1);
  assert_null(parsed.sample.bins);
  parsed_clear(&parsed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(most_specific_name_wins),
      cmocka_unit_test(missing_files_are_explained),
      cmocka_unit_test(all_missing_files_at_once),
      cmocka_unit_test(missing_files_fill_a_screen),
      cmocka_unit_test(files_of_a_component),
      cmocka_unit_test(two_formats_of_one_stem),
      cmocka_unit_test(format_by_name_and_content),
      cmocka_unit_test(outputs_after_a_failure),
      cmocka_unit_test(every_suffix_is_found),
      cmocka_unit_test(truncated_gzip),
      cmocka_unit_test(load_generators_by_name_and_content),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
