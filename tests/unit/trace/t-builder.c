/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/unit/trace/spans.h"

struct world {
  struct span_store store;
  struct builder *builder;
  struct text shown;
};

static int set_up(void **state) {
  struct world *world = mem_alloc(1, sizeof *world);
  span_store_init(&world->store);
  world->builder = builder_new(&world->store);
  text_init(&world->shown);
  *state = world;
  return 0;
}

static int tear_down(void **state) {
  struct world *world = *state;
  builder_free(world->builder);
  span_store_clear(&world->store);
  text_clear(&world->shown);
  mem_free(world);
  return 0;
}

/* "a b<a c<b": the rows of a request, each with its parent; "b!": its parent is missing. */
static const char *show(struct world *world, size_t index) {
  const struct span_store *store = &world->store;
  const struct request *request = &store->requests.data[index];
  text_clear(&world->shown);
  for (uint32_t row = request->first; row < request->first + request->count; row++) {
    struct slice id = span_store_id(store, row);
    text_format(&world->shown, "%s%.*s", row == request->first ? "" : " ", (int)id.length,
                id.start);
    if (store->parent.data[row] != SPAN_NONE) {
      struct slice parent = span_store_id(store, store->parent.data[row]);
      text_format(&world->shown, "<%.*s", (int)parent.length, parent.start);
    }
    text_append(&world->shown, (store->mark.data[row] & SPAN_ORPHAN) != 0 ? "!" : "");
  }
  return text_get(&world->shown);
}

/* Parents stand before, and what is below a row directly behind it. */
static void check_preorder(const struct span_store *store, const struct request *request) {
  uint32_t end = request->first + request->count;
  for (uint32_t row = request->first; row < end; row++) {
    uint32_t parent = store->parent.data[row];
    assert_true(row + store->below.data[row] < end);
    if (parent == SPAN_NONE)
      continue;
    assert_in_range(parent, request->first, row - 1);
    assert_true(row + store->below.data[row] <= parent + store->below.data[parent]);
  }
}

static const char *built(struct world *world, const struct span_row *rows) {
  size_t index = spans_request(world->builder, "t", rows);
  check_preorder(&world->store, &world->store.requests.data[index]);
  return show(world, index);
}

static void test_calls_stand_in_order_of_start_end_and_id(void **state) {
  const struct span_row rows[] = {
      {"e", "c", .start = 5, .end = 6},
      {"d", "a", .start = 4, .end = 9},
      {"c", "a", .start = 4, .end = 8},
      {"b2", "a", .start = 1, .end = 2},
      {"a", NULL, .start = 0, .end = 9},
      {"b1", "a", .start = 1, .end = 2},
      {NULL},
  };
  assert_string_equal(built(*state, rows), "a b1<a b2<a c<a e<c d<a");
}

static void test_the_longest_root_is_the_request(void **state) {
  struct world *world = *state;
  const struct span_row rows[] = {
      {"x", NULL, .start = 0, .end = 5},    {"y", "x", .start = 1, .end = 2},
      {"a", "gone", .start = 3, .end = 13}, {"b", "a", .start = 4, .end = 5},
      {"z", NULL, .start = 20, .end = 30},  {NULL},
  };
  assert_string_equal(built(world, rows), "z x y<x a! b<a");
  assert_int_equal(span_store_latency(&world->store, &world->store.requests.data[0]), 10);
  assert_int_equal(builder_notes(world->builder)->orphans, 1);
  assert_int_equal(builder_notes(world->builder)->roots, 1);
}

/* What names a parent that was lost was called by something: it is the request only if nothing else
 * can be, and then the longest is. */
static void test_an_orphan_is_no_request(void **state) {
  struct world *world = *state;
  const struct span_row rows[] = {{"web", NULL, .start = 0, .end = 10},
                                  {"mail", "gone", .start = 2, .end = 52},
                                  {"log", "gone", .start = 3, .end = 4},
                                  {NULL}};
  assert_string_equal(built(world, rows), "web mail! log!");
  assert_string_equal(built(world, rows + 1), "mail! log!");
}

static void test_a_circle_is_broken_at_its_earliest(void **state) {
  struct world *world = *state;
  const struct span_row rows[] = {
      {"c", "b", .start = 3, .end = 4}, {"a", "c", .start = 1, .end = 9},
      {"b", "a", .start = 2, .end = 5}, {"d", "c", .start = 0, .end = 1},
      {"s", "s", .start = 1, .end = 2}, {NULL},
  };
  assert_string_equal(built(world, rows), "a b<a c<b d<c s");
  assert_int_equal(builder_notes(world->builder)->circles, 2);
  assert_int_equal(builder_notes(world->builder)->orphans, 0);
}

static void test_a_span_recorded_twice_is_taken_once(void **state) {
  struct world *world = *state;
  const struct span_row rows[] = {
      {"a", NULL, .start = 0, .end = 9},
      {"b", "a", .start = 1, .end = 2},
      {"b", "a", .start = 1, .end = 2},
      {"b", "a", .start = 3, .end = 4},
      {NULL},
  };
  assert_string_equal(built(world, rows), "a b<a b<a");
  assert_int_equal(builder_notes(world->builder)->repeated, 1);
  assert_int_equal(builder_notes(world->builder)->clashes, 1);
}

/* As in Zipkin: the server is below the client, and what it calls below the server. */
static void test_client_and_server_of_one_id(void **state) {
  struct world *world = *state;
  const struct span_row rows[] = {
      {"r", NULL, "web", "get", 0, 100, SPAN_SERVER, 0},
      {"c", "r", "web", "call", 10, 90, SPAN_CLIENT, 0},
      {"c", "r", "cart", "call", 20, 80, SPAN_SERVER, 0},
      {"d", "c", "cart", "sql", 30, 40, SPAN_CLIENT, 0},
      {"l", "c", "web", "encode", 11, 12, SPAN_INTERNAL, 0},
      {NULL},
  };
  assert_string_equal(built(world, rows), "r c<r l<c c<c d<c");
  assert_int_equal(builder_notes(world->builder)->clashes, 0);
  assert_int_equal(world->store.kind.data[3], SPAN_SERVER);
  assert_int_equal(world->store.parent.data[4], 3);
  assert_int_equal(world->store.parent.data[2], 1);
}

static void test_an_end_before_the_start_is_the_start(void **state) {
  struct world *world = *state;
  const struct span_row rows[] = {{"a", NULL, .start = 5, .end = 3}, {NULL}};
  assert_string_equal(built(world, rows), "a");
  assert_int_equal(world->store.end.data[0], 5);
  assert_int_equal(builder_notes(world->builder)->backwards, 1);
}

static void test_links_and_tags_follow_their_spans(void **state) {
  struct world *world = *state;
  struct span_store *store = &world->store;
  uint32_t key = names_number(&store->names, span_slice("host"));
  struct span_tag tag = {key, names_number(&store->names, span_slice("n1"))};
  struct slice links[] = {span_slice("a"), span_slice("nowhere")};
  builder_begin(world->builder, span_slice("t"));
  builder_add(world->builder, &(struct span_record){.id = span_slice("b"),
                                                    .parent = span_slice("a"),
                                                    .start = 1,
                                                    .end = 2,
                                                    .tags = &tag,
                                                    .tag_count = 1,
                                                    .links = links,
                                                    .link_count = 2});
  builder_add(world->builder, &(struct span_record){.id = span_slice("a"), .end = 3});
  assert_int_equal(builder_finish(world->builder), 0);
  assert_string_equal(show(world, 0), "a b<a");
  assert_int_equal(store->tag_end.data[0], 0);
  assert_int_equal(store->tag_end.data[1], 1);
  assert_int_equal(store->tags.data[0].key, key);
  assert_int_equal(store->requests.data[0].link_count, 1);
  assert_int_equal(store->links.data[0].from, 1);
  assert_int_equal(store->links.data[0].to, 0);
}

static void test_a_store_forgets_requests_and_keeps_names(void **state) {
  struct world *world = *state;
  const struct span_row rows[] = {{"a", NULL, "web", "get", 0, 1, SPAN_SERVER, 0}, {NULL}};
  built(world, rows);
  span_store_forget(&world->store);
  assert_int_equal(world->store.requests.count, 0);
  assert_string_equal(built(world, rows), "a");
  assert_int_equal(world->store.requests.data[0].first, 0);
  assert_int_equal(names_find(&world->store.names, span_slice("get")), 2);
}

static void test_nothing_is_no_request(void **state) {
  struct world *world = *state;
  builder_begin(world->builder, span_slice("t"));
  assert_true(builder_finish(world->builder) == SIZE_MAX);
  assert_int_equal(world->store.requests.count, 0);
}

/* Spans i = 0 .. count - 1; parent_of gives the number of the parent, or `count` for none. */
static void build_many(struct world *world, size_t count, size_t (*parent_of)(size_t i)) {
  char(*ids)[24] = mem_alloc(count, sizeof *ids);
  for (size_t i = 0; i < count; i++)
    snprintf(ids[i], sizeof ids[i], "%zu", i);
  builder_begin(world->builder, span_slice("t"));
  for (size_t i = 0; i < count; i++) {
    struct span_row row = {.id = ids[i], .start = (int64_t)i, .end = (int64_t)(2 * count - i)};
    row.parent = parent_of(i) < count ? ids[parent_of(i)] : NULL;
    spans_add(world->builder, &row);
  }
  assert_int_equal(builder_finish(world->builder), 0);
  assert_int_equal(world->store.below.data[0], count - 1);
  mem_free(ids);
}

static size_t chain(size_t i) {
  return i - 1;
}

static size_t broad(size_t i) {
  return i == 0 ? SIZE_MAX : 0;
}

enum { MANY = 300000 };

static void test_a_deep_chain(void **state) {
  struct world *world = *state;
  build_many(world, MANY, chain);
  assert_int_equal(world->store.parent.data[MANY - 1], MANY - 2);
}

static void test_many_calls_of_one_span(void **state) {
  struct world *world = *state;
  build_many(world, MANY, broad);
  assert_int_equal(world->store.parent.data[MANY - 1], 0);
}

/* A circle of many, and many spans of one id, take no longer than as many others. */
static void test_many_of_one_id(void **state) {
  struct world *world = *state;
  builder_begin(world->builder, span_slice("t"));
  for (int i = 0; i < MANY; i++)
    spans_add(world->builder, &(struct span_row){.id = "x", .parent = "x", .start = i, .end = i});
  assert_int_equal(builder_finish(world->builder), 0);
  check_preorder(&world->store, &world->store.requests.data[0]);
  assert_int_equal(world->store.requests.data[0].count, MANY);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_calls_stand_in_order_of_start_end_and_id),
      TEST(test_the_longest_root_is_the_request),
      TEST(test_an_orphan_is_no_request),
      TEST(test_a_circle_is_broken_at_its_earliest),
      TEST(test_a_span_recorded_twice_is_taken_once),
      TEST(test_client_and_server_of_one_id),
      TEST(test_an_end_before_the_start_is_the_start),
      TEST(test_links_and_tags_follow_their_spans),
      TEST(test_a_store_forgets_requests_and_keeps_names),
      TEST(test_nothing_is_no_request),
      TEST(test_a_deep_chain),
      TEST(test_many_calls_of_one_span),
      TEST(test_many_of_one_id),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
