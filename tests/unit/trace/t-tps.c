/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/tailproof_measure.h"
#include "tests/unit/trace/reading.h"

/* A folder with the stores that a test makes. */
struct folder {
  char path[32];
  struct text files;
};

static void folder_init(struct folder *folder) {
  strcpy(folder->path, "/tmp/reading-XXXXXX");
  assert_non_null(mkdtemp(folder->path));
  text_init(&folder->files);
}

static void folder_clear(struct folder *folder) {
  char *rest = NULL, *files = text_take(&folder->files);
  for (char *file = strtok_r(files, "\n", &rest); file != NULL; file = strtok_r(NULL, "\n", &rest))
    assert_int_equal(unlink(file), 0);
  assert_int_equal(rmdir(folder->path), 0);
  mem_free(files);
}

struct node {
  struct tailproof_store *store;
  struct tailproof_writer *writer;
  int step, part, message, request;
};

static struct node node_open(struct folder *folder, const char *name, uint32_t records) {
  struct node node = {NULL, NULL, 0, 0, 0, 0};
  struct tailproof_options options = {.folder = folder->path,
                                      .node = name,
                                      .log_records = records,
                                      .clock = TAILPROOF_CLOCK_MONOTONIC};
  assert_int_equal(tailproof_open(&node.store, &options), 0);
  text_format(&folder->files, "%s\n", tailproof_path(node.store));
  node.step = tailproof_action(node.store, "Step", "Cost");
  node.part = tailproof_component(node.store, "Part");
  node.message = tailproof_message(node.store, "Ask", "d", "Queuing");
  node.request = tailproof_request(node.store, "round");
  node.writer = tailproof_writer_open(node.store);
  return node;
}

static void record(const struct node *node, int name, uint32_t instance, uint64_t start,
                   uint64_t end) {
  struct tailproof_event event = {name, instance, start, end, 0, {0}};
  assert_int_equal(tailproof_record(node->writer, &event), 0);
}

static struct reading *read_folder(const struct folder *folder) {
  return reading_of_paths((const char *const[]){folder->path}, 1);
}

/* Rows as "operation@from+duration" from the request's start, each below its parent by one ">". */
static const char *show(struct reading *reading, size_t index) {
  const struct span_store *store = &reading->store;
  const struct request *request = &store->requests.data[index];
  text_clear(&reading->shown);
  for (uint32_t row = request->first; row < request->first + request->count; row++) {
    text_append(&reading->shown, row == request->first ? "" : "\n");
    for (uint32_t up = store->parent.data[row]; up != SPAN_NONE; up = store->parent.data[up])
      text_append(&reading->shown, ">");
    text_format(&reading->shown, "%s/%s@%" PRId64 "+%" PRId64,
                names_text(&store->names, store->service.data[row]),
                names_text(&store->names, store->operation.data[row]),
                store->start.data[row] - store->start.data[request->first],
                store->end.data[row] - store->start.data[row]);
  }
  return text_get(&reading->shown);
}

static void test_steps_and_messages_of_a_request(void **state) {
  (void)state;
  struct folder folder;
  folder_init(&folder);
  struct node client = node_open(&folder, "client", 0), server = node_open(&folder, "server[2]", 0);
  uint64_t t = tailproof_now(client.writer);
  record(&client, client.request, 7, t, t + 100);
  record(&client, client.step, 7, t, t + 10);
  record(&client, client.part, 7, t + 2, t + 9);
  record(&server, server.step, 7, t + 40, t + 60);
  struct tailproof_event ask = {server.message, 7, t + 30, t + 40, 0, {0}};
  tailproof_dequeue_at(server.writer, &ask);
  record(&client, client.step, 8, t + 200, t + 230);
  assert_int_equal(tailproof_close(client.store), 0);
  assert_int_equal(tailproof_close(server.store), 0);
  struct reading *reading = read_folder(&folder);
  assert_string_equal(text_get(&reading->said), "");
  assert_int_equal(reading->store.requests.count, 2);
  assert_string_equal(show(reading, 0), "client/round@0+100\n>client/Step@0+10\n>>client/Part@2+7\n"
                                        ">server[2]/Queuing.Ask@30+10\n>server[2]/Step@40+20");
  assert_string_equal(show(reading, 1), "/request@0+30\n>client/Step@0+30");
  reading_free(reading);
  reading = reading_of_paths((const char *const[]){folder.path, folder.path}, 2);
  assert_int_equal(reading->store.requests.count, 2);
  assert_int_equal(reading->store.requests.data[0].count, 5); /* each store once */
  reading_free(reading);
  folder_clear(&folder);
}

/* Where that is wanted, each span says the process that recorded it; else none does. */
static void test_spans_say_their_process(void **state) {
  (void)state;
  struct folder folder;
  folder_init(&folder);
  struct node node = node_open(&folder, "client", 0);
  uint64_t t = tailproof_now(node.writer);
  record(&node, node.request, 7, t, t + 100);
  record(&node, node.step, 7, t, t + 10);
  assert_int_equal(tailproof_close(node.store), 0);
  for (int wanted = 0; wanted < 2; wanted++) {
    struct span_store store;
    struct ledger ledger;
    const char *path = folder.path;
    char process[24];
    span_store_init(&store);
    ledger_init(&ledger);
    const struct trace_reading options = {.tags = true, .processes = wanted != 0, .keep = true};
    assert_int_equal(trace_read(&store, &path, 1, &options, &ledger, &(struct asker){0}),
                     STATUS_OK);
    snprintf(process, sizeof process, "%d", (int)getpid());
    assert_int_equal(store.start.count, 2);
    assert_int_equal(store.tags.count, wanted ? 2 : 0);
    for (size_t i = 0; i < store.tags.count; i++) {
      assert_int_equal(store.tag_end.data[i], i + 1);
      assert_string_equal(names_text(&store.names, store.tags.data[i].key), "process.pid");
      assert_string_equal(names_text(&store.names, store.tags.data[i].value), process);
    }
    ledger_clear(&ledger);
    span_store_clear(&store);
  }
  folder_clear(&folder);
}

/* A message's delay and wait stand in one part, which says whose it is; a wait alone stays alone.
 */
static void test_messages_and_their_senders(void **state) {
  (void)state;
  struct folder folder;
  folder_init(&folder);
  struct node client = node_open(&folder, "client[1]", 0), server = node_open(&folder, "server", 0);
  uint64_t t = tailproof_now(client.writer);
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
  record(&client, client.request, 7, t, t + 100);
  struct tailproof_event sent = {client.message, 7, 0, 0, 0, {0}};
  tailproof_send_at(client.writer, &sent, t + 10, stamp);
  for (uint64_t copy = 0; copy < 2; copy++) {
    struct tailproof_event here = {server.message, 7, 0, t + 30 + copy * 20, 0, {0}};
    assert_int_equal(tailproof_arrive(server.writer, &here, stamp), 0);
    here.start = here.end;
    here.end += 5;
    if (copy == 0)
      tailproof_dequeue_at(server.writer, &here);
  }
  record(&server, server.step, 0, t, t + 5); /* of no request */
  assert_int_equal(tailproof_close(client.store), 0);
  assert_int_equal(tailproof_close(server.store), 0);
  struct reading *reading = read_folder(&folder);
  assert_int_equal(reading->store.requests.count, 1);
  assert_string_equal(show(reading, 0), "client[1]/round@0+100\n>server/Ask from client[1]@10+25\n"
                                        ">>server/d.Ask@10+20\n>>server/Queuing.Ask@30+5\n"
                                        ">server/d.Ask from client[1]@10+40");
  bool told = false;
  for (size_t i = 0; i < reading->ledger.count; i++)
    told = told ||
           strstr(reading->ledger.lines[i].text, "1 recordings of stores belong to no") != NULL;
  assert_true(told);
  reading_free(reading);
  folder_clear(&folder);
}

/* Of a log that went round, requests that may have begun in what is lost are left out. */
static void test_requests_that_were_overwritten(void **state) {
  (void)state;
  struct folder folder;
  folder_init(&folder);
  struct node node = node_open(&folder, "node", 64);
  uint64_t t = tailproof_now(node.writer);
  for (uint32_t i = 1; i <= 100; i++)
    record(&node, node.step, i, t + i * 10, t + i * 10 + 5);
  assert_int_equal(tailproof_close(node.store), 0);
  struct reading *reading = read_folder(&folder);
  size_t count = reading->store.requests.count;
  assert_in_range(count, 50, 63);
  const struct request *first = &reading->store.requests.data[0];
  char id[11];
  memcpy(id, first->id.start + first->id.length - 10, 11);
  assert_int_equal(atoi(id), 100 - (int)count + 1);
  bool told = false;
  for (size_t i = 0; i < reading->ledger.count; i++)
    told =
        told || strstr(reading->ledger.lines[i].text, "1 requests of stores are left out") != NULL;
  assert_true(told);
  reading_free(reading);
  folder_clear(&folder);
}

static void test_a_store_that_was_cut_off(void **state) {
  (void)state;
  struct reading *reading = reading_of("TTPSTORE and no more");
  assert_int_equal(reading->status, STATUS_DATA);
  assert_true(reading->said.length != 0);
  reading_free(reading);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps_and_messages_of_a_request),
      cmocka_unit_test(test_spans_say_their_process),
      cmocka_unit_test(test_messages_and_their_senders),
      cmocka_unit_test(test_requests_that_were_overwritten),
      cmocka_unit_test(test_a_store_that_was_cut_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
