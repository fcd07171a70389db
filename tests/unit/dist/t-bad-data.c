/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What holds of bad data in every format alike, on a small whole file of each: cut off anywhere it
 * is refused, or its rows so far are whole, or the ledger says what was taken for granted; a
 * damaged byte, a second byte order mark, another encoding or trailing text give one message, or a
 * sample, and never a crash.
 */
#include "tests/unit/dist/parse.h"

static const struct {
  enum source_format format;
  const char *suffix;
  const char *bytes;
  bool rows; /* a file that ends behind any row may be whole: nothing says how many there are */
} files[] = {
    {FORMAT_CSV, ".csv", "node,latency_us\na,17\nb,2.5\nc,timeout\na,170\n", true},
    {FORMAT_HGRM, ".hgrm",
     "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
     "       0.016 0.000000000000          1           1.00\n"
     "       0.980 0.500000000000         40           2.00\n"
     "       9.428 1.000000000000         80\n"
     "#[Mean    =        0.025, StdDeviation   =        0.120]\n"
     "#[Max     =        9.420, Total count    =           80]\n"
     "#[Buckets =           27, SubBuckets     =         2048]\n",
     false},
    {FORMAT_HLOG, ".hlog",
     "#[Histogram log format version 1.3]\n"
     "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
     "0.127,1.007,2.769,HISTFAAAAB94nJNpmSzMwMDAzAABjCg0v5OD/QeIAD8TCwBJHAMh\n"
     "0.127,1.007,2.769,HISTFAAAAB94nJNpmSzMwMDAzAABjCg0v5OD/QeIQCMjGwBKcgOU\n",
     true},
    {FORMAT_TPH, ".tph",
     "tailproof-histogram 1\nname Grant\nunit ns\nsub_buckets 1024\ntotal 12\nsaturated 1\n"
     "counts\n1001 4\n2048 7\nend\n",
     false},
    {FORMAT_TOOL, ".csv",
     "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n"
     "0.0087,0.0047,0.0042,0.0001,0.0019,0.0001,200,0.0016\n"
     "0.0300,0.0047,0.0042,0.0001,0.0019,0.0001,503,0.0022\n",
     true},
    {FORMAT_TOOL, ".csv",
     "1700000000000000000,200,1834502,0,17,,aGVsbG8=,,0\n"
     "1700000000000000001,0,30000000000,0,0,\"Get \"\"x\"\": no,\ncarrier\",,,1\n"
     "1700000000000000002,200,70,0,17,,aGVsbG8=,,2\n",
     true},
    {FORMAT_PROMETHEUS, ".prom",
     "# TYPE a_seconds histogram\na_seconds_bucket{le=\"0.5\"} 20\n"
     "a_seconds_bucket{le=\"+Inf\"} 30\na_seconds_sum 3.5\na_seconds_count 30\n",
     false},
    {FORMAT_JSON, ".json",
     "{\"DurationHistogram\": {\"Count\": 12, \"Min\": 0.25, \"Max\": 0.5,\n  \"Data\": "
     "[{\"Start\": "
     "0.25, \"End\": 0.5, \"Percent\": 100, \"Count\": 12}]},\n \"RetCodes\": {\"200\": 12}}\n",
     false},
};
enum { FILES = sizeof files / sizeof *files };

static bool same_sample(const struct sample *a, const struct sample *b) {
  return a->count == b->count && a->beyond == b->beyond && a->total == b->total &&
         memcmp(a->bins, b->bins, a->count * sizeof *a->bins) == 0;
}

static struct parsed parse_whole(size_t i, enum source_format format) {
  struct parsed parsed =
      parse_bytes(format, files[i].bytes, strlen(files[i].bytes), needed_unit(files[i].format));
  if (parsed.status != STATUS_OK)
    fail_msg("%s: %s", files[i].suffix, text_get(&parsed.message));
  return parsed;
}

static bool is_noted(const struct parsed *parsed, const char *words) {
  for (size_t i = 0; i < parsed->notes.count; i++)
    if (strstr(parsed->notes.lines[i], words) != NULL)
      return true;
  return false;
}

/* Cut off at every byte, read by its name and by its content. */
static void truncation(void **unused) {
  (void)unused;
  for (size_t i = 0; i < FILES; i++) {
    struct parsed whole = parse_whole(i, files[i].format);
    size_t length = strlen(files[i].bytes);
    for (size_t cut = 0; cut < 2 * length; cut++) {
      struct parsed part = parse_bytes(cut < length ? files[i].format : FORMAT_UNKNOWN,
                                       files[i].bytes, cut % length, needed_unit(files[i].format));
      parsed_check(&part, files[i].bytes, cut % length);
      bool row = files[i].rows && files[i].bytes[cut % length - (cut % length != 0)] == '\n';
      bool full = part.status == STATUS_OK && same_sample(&part.sample, &whole.sample);
      /* A line of the log holds its own length and a checksum. */
      bool line = files[i].format == FORMAT_HLOG && files[i].bytes[cut % length] == '\n';
      if (part.status == STATUS_OK && !row && !full && !line &&
          !is_noted(&part, "the last line has no end"))
        fail_msg("%s: accepted when cut off behind %zu bytes", files[i].suffix, cut % length);
      parsed_clear(&part);
    }
    parsed_clear(&whole);
  }
}

/* Any byte becomes any other: one message or a valid sample. */
static void damaged_bytes(void **unused) {
  (void)unused;
  unsigned step = (unsigned)sampled_step();
  for (size_t i = 0; i < FILES; i++) {
    size_t length = strlen(files[i].bytes);
    char *bytes = mem_copy_text(files[i].bytes, length);
    for (size_t at = 0; at < length; at++)
      for (unsigned byte = (unsigned)(at % step); byte < 256;
           byte += (1 + (unsigned)(at % 7)) * step) {
        bytes[at] = (char)byte;
        struct parsed parsed = parse_bytes(byte % 2 ? files[i].format : FORMAT_UNKNOWN, bytes,
                                           length, needed_unit(files[i].format));
        parsed_check(&parsed, bytes, length);
        parsed_clear(&parsed);
        bytes[at] = files[i].bytes[at];
      }
    mem_free(bytes);
  }
}

/* What editors and shells do to a file that is not damage: the same sample. */
static void harmless_changes(void **unused) {
  (void)unused;
  for (size_t i = 0; i < FILES; i++) {
    struct parsed whole = parse_whole(i, files[i].format);
    struct text marked, dos;
    text_init(&marked);
    text_init(&dos);
    text_format(&marked, "\xef\xbb\xbf%s", files[i].bytes);
    for (const char *at = files[i].bytes; *at != '\0'; at++)
      text_append_bytes(&dos, *at == '\n' ? "\r\n" : at, *at == '\n' ? 2 : 1);
    const struct text *changed[] = {&marked, &dos};
    for (size_t k = 0; k < 4; k++) {
      struct parsed parsed =
          parse_bytes(k < 2 ? files[i].format : FORMAT_UNKNOWN, changed[k % 2]->data,
                      changed[k % 2]->length, needed_unit(files[i].format));
      if (parsed.status != STATUS_OK || !same_sample(&parsed.sample, &whole.sample))
        fail_msg("%s, change %zu: %s", files[i].suffix, k, text_get(&parsed.message));
      parsed_clear(&parsed);
    }
    text_clear(&marked);
    text_clear(&dos);
    parsed_clear(&whole);
  }
}

static void expect_refusal(size_t i, const char *bytes, size_t length, const char *words) {
  struct parsed parsed = parse_bytes(files[i].format, bytes, length, needed_unit(files[i].format));
  parsed_check(&parsed, bytes, length);
  if (parsed.status != STATUS_DATA || strstr(text_get(&parsed.message), words) == NULL)
    fail_msg("%s: \"%s\" where \"%s\" is expected", files[i].suffix, text_get(&parsed.message),
             words);
  parsed_clear(&parsed);
}

static void never_a_measurement(void **unused) {
  (void)unused;
  for (size_t i = 0; i < FILES; i++) {
    struct text wide, behind;
    text_init(&wide);
    text_init(&behind);
    text_append_bytes(&wide, "\xff\xfe", 2);
    for (const char *at = files[i].bytes; *at != '\0'; at++)
      text_append_bytes(&wide, (char[]){*at, '\0'}, 2);
    text_format(&behind, "%sno such line, 5, 6, 7, 8, 9\n", files[i].bytes);
    expect_refusal(i, "", 0, "f:1:1: ");
    expect_refusal(i, "\xef\xbb\xbf", 3, "f:1:1: ");
    expect_refusal(i, "\n\n \n", 4, "f:");
    expect_refusal(i, wide.data, wide.length,
                   "f:1:1: the file is text in UTF-16; write it in UTF-8");
    expect_refusal(i, behind.data, behind.length, "f:");
    text_clear(&wide);
    text_clear(&behind);
  }
}

/* Each file under the name of each other: the message says which name it should have. */
static void wrong_names(void **unused) {
  (void)unused;
  for (size_t i = 0; i < FILES; i++)
    for (size_t k = 0; k < FILES; k++) {
      if (strcmp(files[i].suffix, files[k].suffix) == 0)
        continue;
      struct parsed parsed = parse_bytes(files[k].format, files[i].bytes, strlen(files[i].bytes),
                                         needed_unit(files[i].format));
      parsed_check(&parsed, files[i].bytes, 20);
      char remedy[40];
      snprintf(remedy, sizeof remedy, "rename it to %s", files[i].suffix);
      bool told = strstr(text_get(&parsed.message), remedy) != NULL;
      /* A plain table's first line may be that of any format. */
      if (parsed.status != STATUS_DATA || (!told && files[i].format != FORMAT_CSV))
        fail_msg("%s as %s: \"%s\"", files[i].suffix, files[k].suffix, text_get(&parsed.message));
      parsed_clear(&parsed);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(truncation),       cmocka_unit_test(damaged_bytes),
      cmocka_unit_test(harmless_changes), cmocka_unit_test(never_a_measurement),
      cmocka_unit_test(wrong_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
