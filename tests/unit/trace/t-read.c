/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files larger than what is in memory, folders, compressed files.
 */
#include <sys/stat.h>

#include "base/file.h"
#include "tests/unit/trace/reading.h"

/* Requests of `spans` spans each, with blanks between so that chunks end at every kind of place. */
static void write_requests(struct text *text, int requests, int spans, int blanks) {
  text_append(text, "{\"data\":[");
  for (int i = 0; i < requests; i++) {
    text_format(text, "%s{\"traceID\":\"t%d\",\"spans\":[", i == 0 ? "" : ",", i);
    for (int k = 0; k < spans; k++)
      text_format(text,
                  "%s{\"spanID\":\"%d\",%*s\"operationName\":\"op\\u00e9 %d\",\"startTime\":%d,"
                  "\"duration\":%d,\"references\":[%s],\"processID\":\"p\"}\n",
                  k == 0 ? "" : ",", k, (i * 7 + k) % blanks, "", k, i * 1000 + k, 900 - k,
                  k == 0 ? "" : "{\"refType\":\"CHILD_OF\",\"spanID\":\"0\"}");
    text_append(text, "],\"processes\":{\"p\":{\"serviceName\":\"shop\"}}}");
  }
  text_append(text, "]}");
}

static void check_requests(const struct reading *reading, uint32_t requests, uint32_t spans) {
  const struct span_store *store = &reading->store;
  assert_string_equal(text_get(&reading->said), "");
  assert_int_equal(reading->status, STATUS_OK);
  assert_int_equal(store->requests.count, requests);
  for (uint32_t i = 0; i < requests; i++) {
    const struct request *request = &store->requests.data[i];
    assert_int_equal(request->count, spans);
    for (uint32_t k = 0; k < spans; k++) {
      uint32_t row = request->first + k;
      char name[32];
      snprintf(name, sizeof name, "op\xc3\xa9 %u", k);
      assert_int_equal(store->start.data[row], (int64_t)(i * 1000 + k) * 1000);
      assert_int_equal(store->end.data[row], (int64_t)(i * 1000 + 900) * 1000);
      assert_string_equal(names_text(&store->names, store->operation.data[row]), name);
      assert_string_equal(names_text(&store->names, store->service.data[row]), "shop");
    }
  }
}

static void test_files_larger_than_a_chunk(void **state) {
  (void)state;
  const int blanks[] = {1, 50, 2000};
  for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++) {
    struct text text;
    text_init(&text);
    write_requests(&text, 400, 20, blanks[i]);
    struct reading *reading = reading_of_bytes(text.data, text.length);
    check_requests(reading, 400, 20);
    reading_free(reading);
    text_clear(&text);
  }
}

/* A span of more than a chunk, and one message for what is wrong far behind. */
static void test_a_span_larger_than_a_chunk(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  text_append(&text, "{\"data\":[{\"traceID\":\"t\",\"spans\":[\n{\"logs\":\"");
  for (int i = 0; i < 100000; i++)
    text_append(&text, "12345678\\\"");
  text_append(&text, "\",\n \"spanID\":\"a\",\"startTime\":1,\"duration\":2}");
  size_t good = text.length;
  text_append(&text, "]}]}");
  struct reading *reading = reading_of_bytes(text.data, text.length);
  assert_string_equal(reading_show(reading), "t:\na / 1000+2000\n");
  reading_free(reading);
  text.data[good] = '}';
  reading = reading_of_bytes(text.data, text.length);
  assert_string_equal(text_get(&reading->said),
                      ":3:42: '}' stands where a comma or ] is expected; the JSON is damaged");
  reading_free(reading);
  text_clear(&text);
}

/* Memory does not follow a value without end. */
static void test_a_span_larger_than_is_read(void **state) {
  (void)state;
  enum { LENGTH = 70 << 20 };
  char *bytes = mem_alloc(LENGTH, 1);
  memset(bytes, 'x', LENGTH);
  memcpy(bytes, "{\"data\":[{\"spans\":[{\"a\":\"", 25);
  struct reading *reading = reading_of_bytes(bytes, LENGTH);
  assert_int_equal(reading->status, STATUS_DATA);
  assert_string_equal(text_get(&reading->said),
                      ":1:20: a value of more than 64 MB begins here; split the file");
  reading_free(reading);
  mem_free(bytes);
}

/* What a call to trace_read may do between requests. */
struct stopping {
  size_t visits;
  enum status answer;
};

static enum status visit(struct span_store *store, size_t request, void *context) {
  struct stopping *stopping = context;
  assert_int_equal(request, 0);
  assert_int_equal(store->requests.data[0].first, 0);
  assert_int_equal(store->requests.count, 1);
  stopping->visits++;
  return stopping->visits == 3 ? stopping->answer : STATUS_OK;
}

static void test_one_request_at_a_time(void **state) {
  (void)state;
  char path[] = "/tmp/reading-XXXXXX";
  int file = mkstemp(path);
  struct text text;
  text_init(&text);
  write_requests(&text, 10, 3, 5);
  assert_int_equal(write(file, text.data, text.length), (ssize_t)text.length);
  close(file);
  for (int answer = 0; answer < 2; answer++) {
    struct span_store store;
    struct ledger ledger;
    struct stopping stopping = {0, answer == 0 ? STATUS_OK : STATUS_REFUTED};
    span_store_init(&store);
    ledger_init(&ledger);
    struct trace_reading options = {.visit = visit, .context = &stopping};
    const char *paths[] = {path};
    assert_int_equal(trace_read(&store, paths, 1, &options, &ledger, &(struct asker){0}),
                     stopping.answer);
    assert_int_equal(stopping.visits, answer == 0 ? 10 : 3);
    assert_int_equal(store.ids.count, 0);
    ledger_clear(&ledger);
    span_store_clear(&store);
  }
  unlink(path);
  text_clear(&text);
}

static void put_file(const char *folder, const char *name, const char *bytes, bool packed) {
  struct text path, message;
  text_init(&path);
  text_init(&message);
  text_format(&path, "%s/%s", folder, name);
  enum status status = packed ? file_write_gzip(path.data, bytes, strlen(bytes), &message)
                              : file_write(path.data, bytes, strlen(bytes), &message);
  assert_int_equal(status, STATUS_OK);
  text_clear(&path);
}

#define SPAN(trace, id)                                                                            \
  "[{\"traceId\":\"" trace "\",\"id\":\"" id "\",\"timestamp\":1,\"duration\":2}]"

/* By name, compressed or not, and in folders; what is no trace is passed over and said. */
static void test_a_folder(void **state) {
  (void)state;
  char folder[] = "/tmp/reading-XXXXXX", inner[64];
  assert_non_null(mkdtemp(folder));
  snprintf(inner, sizeof inner, "%s/c", folder);
  assert_int_equal(mkdir(inner, 0700), 0);
  put_file(folder, "b.json.gz", SPAN("t", "b"), true);
  put_file(folder, "a.json", SPAN("t", "a"), false);
  put_file(inner, "d", SPAN("u", "d"), false);
  put_file(folder, "README", "# Traces\n", false);
  put_file(folder, ".hidden", SPAN("t", "h"), false);
  struct reading *reading = reading_of_paths((const char *const[]){folder}, 1);
  assert_string_equal(reading_show(reading),
                      "t:\na / 1000+2000\nb / 1000+2000\n\nu:\nd / 1000+2000\n");
  assert_non_null(strstr(reading->ledger.lines[reading->ledger.count - 1].text,
                         "1 files are no traces and are passed over: "));
  reading_free(reading);
  put_file(inner, "d", "[{\"traceId\":", false);
  reading = reading_of_paths((const char *const[]){folder}, 1);
  assert_int_equal(reading->status, STATUS_DATA);
  assert_string_equal(text_get(&reading->said), "/c/d:1:13: the file ends within a value; it is "
                                                "truncated: fetch or write it again");
  reading_free(reading);
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void test_what_cannot_be_read(void **state) {
  (void)state;
  struct reading *reading = reading_of_paths((const char *const[]){"/nonexistent/traces"}, 1);
  assert_int_equal(reading->status, STATUS_NO_INPUT);
  assert_string_equal(text_get(&reading->said),
                      "/nonexistent/traces: cannot be opened: No such file or directory");
  reading_free(reading);
  reading = reading_of("\x1f\x8b\x08\x00");
  assert_int_equal(reading->status, STATUS_DATA);
  assert_string_equal(text_get(&reading->said), ": is a truncated gzip file; fetch it again");
  reading_free(reading);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_files_larger_than_a_chunk),
      cmocka_unit_test(test_a_span_larger_than_a_chunk),
      cmocka_unit_test(test_a_span_larger_than_is_read),
      cmocka_unit_test(test_one_request_at_a_time),
      cmocka_unit_test(test_a_folder),
      cmocka_unit_test(test_what_cannot_be_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
