/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folds: the same whatever the order and the grouping of shards, and what the graph of all requests
 * says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/unit/trace/spans.h"
#include "trace/fold/fold.h"
#include "trace/fold/histogram.h"
#include "trace/fold/request.h"
#include "trace/fold/view.h"

enum { SHARDS = 5, EACH = 40 };

static int64_t below(struct random *random, uint64_t count) {
  return (int64_t)random_below(random, count);
}

/* `b` mostly starts after `a` has ended; names need escapes. */
static void add_request(struct builder *builder, struct random *random, uint64_t number) {
  char id[40];
  snprintf(id, sizeof id, "trace %llu", (unsigned long long)number);
  int64_t start = 1000000 * (int64_t)number, a = 20 + below(random, 2000);
  int64_t b = below(random, 60) == 0 ? 15 : a + below(random, 5);
  const char *host = below(random, 2) == 0 ? "host 1" : "";
  const struct span_row rows[] = {
      {"0", NULL, "shop", "GET /%", start, start + a + 3000, SPAN_SERVER, 0},
      {"1", "0", "cart", "a", start + 10, start + a, SPAN_CLIENT, 0},
      {"2", "0", "cart", "b", start + b, start + a + 2000, SPAN_CLIENT, 0},
      {below(random, 3) == 0 ? "3" : NULL, "0", "-", "", start + 30, start + 9000, 0, 0},
      {0}};
  builder_begin(builder, span_slice(id));
  for (const struct span_row *row = rows; row->id != NULL; row++)
    builder_add(builder, &(struct span_record){.id = span_slice(row->id),
                                               .parent = span_slice(row->parent),
                                               .service = span_slice(row->service),
                                               .operation = span_slice(row->operation),
                                               .instance = span_slice(host),
                                               .start = row->start,
                                               .end = row->end,
                                               .kind = row->kind,
                                               .status = number % 7 == 0 ? SPAN_ERROR : SPAN_OK});
  builder_finish(builder);
}

static void make_store(struct span_store *store, size_t first, size_t shards) {
  span_store_init(store);
  struct builder *builder = builder_new(store);
  for (size_t shard = first; shard < first + shards; shard++) {
    struct random random = {shard};
    for (uint64_t i = 0; i < EACH; i++)
      add_request(builder, &random, shard * EACH + i);
  }
  builder_free(builder);
}

static void add_shard(struct trace_fold *fold, size_t shard) {
  char digest[DIGEST_LENGTH + 1], name[16];
  snprintf(name, sizeof name, "shard %zu", shard);
  digest_bytes(digest, name, strlen(name));
  struct span_store store;
  make_store(&store, shard, 1);
  fold_add(fold, &store);
  fold_shard_add(fold, digest, name);
  span_store_clear(&store);
}

static char *text_of(struct trace_fold *fold) {
  struct text text;
  text_init(&text);
  fold_settle(fold);
  fold_print(&text, fold);
  return text_take(&text);
}

static struct trace_fold parsed(const char *text) {
  struct trace_fold fold;
  struct text message;
  text_init(&message);
  if (fold_parse(&fold, text, strlen(text), &message) != STATUS_OK)
    fail_msg("refused: %s", text_get(&message));
  text_clear(&message);
  return fold;
}

static char *shard_text(size_t shard, uint64_t keep) {
  struct trace_fold fold;
  fold_init(&fold, keep);
  add_shard(&fold, shard);
  char *text = text_of(&fold);
  fold_clear(&fold);
  return text;
}

static char *sum(const char *a, const char *b) {
  struct trace_fold x = parsed(a), y = parsed(b);
  assert_true(fold_merge(&x, &y, NULL));
  char *text = text_of(&x);
  fold_clear(&x);
  fold_clear(&y);
  return text;
}

/* Merges two of the parts, whichever, until one is left. */
static char *merged(struct random *random, uint64_t keep) {
  char *parts[SHARDS];
  for (size_t i = 0; i < SHARDS; i++)
    parts[i] = shard_text(i, keep);
  for (size_t count = SHARDS; count > 1; count--) {
    size_t i = (size_t)below(random, count), j = (size_t)below(random, count - 1);
    j += j >= i;
    char *both = sum(parts[i], parts[j]);
    mem_free(parts[i]);
    mem_free(parts[j]);
    parts[i] = both;
    parts[j] = parts[count - 1];
    if (i == count - 1)
      parts[j] = both;
  }
  return parts[0];
}

static char *at_once(struct trace_fold *fold, uint64_t keep) {
  fold_init(fold, keep);
  for (size_t i = SHARDS; i-- > 0;)
    add_shard(fold, i);
  return text_of(fold);
}

static void check_groupings(uint64_t keep) {
  struct trace_fold fold;
  struct random random = {keep};
  char *expected = at_once(&fold, keep);
  assert_int_equal(fold_requests(&fold), SHARDS * EACH);
  for (int i = 0; i < 40; i++) {
    char *found = merged(&random, keep);
    assert_string_equal(found, expected);
    mem_free(found);
  }
  fold_clear(&fold);
  mem_free(expected);
}

static void test_groupings(void **state) {
  (void)state;
  check_groupings(1);
  check_groupings(7);
  check_groupings(60); /* one flow is kept whole, and the other not */
  check_groupings(1000);
}

/* Of folds that keep different numbers the smaller one counts. */
static void test_keeps(void **state) {
  (void)state;
  char *a = shard_text(0, 100), *b = shard_text(1, 5), *c = shard_text(0, 5);
  char *mixed = sum(a, b), *turned = sum(b, a), *alike = sum(c, b);
  assert_string_equal(mixed, alike);
  assert_string_equal(turned, alike);
  mem_free(a);
  mem_free(b);
  mem_free(c);
  mem_free(mixed);
  mem_free(turned);
  mem_free(alike);
}

static const struct request_flow *same_flow(const struct request_graph *graph,
                                            const struct request_flow *flow) {
  for (size_t f = 0; f < graph->flows.count; f++)
    if (graph->flows.data[f]->calls.count == flow->calls.count)
      return graph->flows.data[f];
  fail_msg("a flow is missing");
  return NULL;
}

static const struct order *same_order(const struct request_flow *flow, const struct order *order) {
  for (size_t i = 0; i < flow->orders.count; i++)
    if (flow->orders.data[i].before == order->before && flow->orders.data[i].after == order->after)
      return &flow->orders.data[i];
  fail_msg("an order is missing");
  return NULL;
}

/* Streams are looked for in those that are kept alone, and stand last. */
static size_t waits_of(const struct request_flow *flow) {
  size_t count = 0;
  while (count < flow->orders.count && flow->orders.data[count].kind == ORDER_AFTER)
    count++;
  return count;
}

/* The graph of a fold against that of all requests. */
static void check_view(uint64_t keep) {
  const struct graph_options options = {.undecided = UNDECIDED_WAITS, .level = 0.05};
  struct trace_fold fold;
  struct fold_view view;
  struct span_store store;
  struct request_graph graph;
  size_t refuted = 0;
  mem_free(at_once(&fold, keep));
  fold_view_make(&view, &fold, &options);
  make_store(&store, 0, SHARDS);
  request_graph_make(&graph, &store, &options);
  assert_int_equal(view.graph.flows.count, graph.flows.count);
  for (size_t f = 0; f < view.graph.flows.count; f++) {
    const struct request_flow *flow = view.graph.flows.data[f], *of = same_flow(&graph, flow);
    assert_int_equal(view.flows.data[f]->requests, of->requests.count);
    assert_int_equal(flow->requests.count < keep ? 0 : keep,
                     flow->requests.count < keep ? 0 : flow->requests.count);
    assert_int_equal(flow->clipped, of->clipped);
    assert_int_equal(flow->apart, of->apart);
    assert_int_equal(waits_of(flow), waits_of(of));
    for (size_t i = 0; i < waits_of(of); i++) {
      const struct order *order = &of->orders.data[i], *found = same_order(flow, order);
      assert_int_equal(found->held, order->held);
      assert_int_equal(found->refuted, order->refuted);
      refuted += found->verdict == ORDER_REFUTED;
      if (order->verdict == ORDER_REFUTED || keep > SHARDS * EACH)
        assert_int_equal(found->verdict, order->verdict);
      if (found->verdict == ORDER_SUPPORTED)
        assert_int_equal(order->verdict, ORDER_SUPPORTED);
      if (keep > SHARDS * EACH)
        assert_true(found->by_chance == order->by_chance);
    }
  }
  assert_true(refuted > 0);
  request_graph_clear(&graph);
  span_store_clear(&store);
  fold_view_clear(&view);
  fold_clear(&fold);
}

/* Where few requests are kept, those that refute an order are not among them. */
static void test_view(void **state) {
  (void)state;
  check_view(3);
  check_view(30);
  check_view(1000);
}

/* Percentiles: of all requests, exact as far as the bins are. */
static void test_latencies(void **state) {
  (void)state;
  const struct graph_options options = {.undecided = UNDECIDED_WAITS, .level = 0.05};
  for (uint64_t keep = 2; keep <= 1000; keep += 998) {
    struct trace_fold fold;
    struct fold_view view;
    struct span_store store;
    struct sample sample, exact;
    mem_free(at_once(&fold, keep));
    fold_view_make(&view, &fold, &options);
    make_store(&store, 0, SHARDS);
    sample_init(&sample);
    sample_init(&exact);
    for (size_t f = 0; f < view.flows.count; f++)
      assert_true(fold_view_latencies(&sample, &view, f));
    for (size_t i = 0; i < store.requests.count; i++)
      sample_add(&exact, (uint64_t)span_store_latency(&store, &store.requests.data[i]), 1);
    sample_finish(&sample);
    sample_finish(&exact);
    assert_int_equal(sample.total, exact.total);
    for (long percent = 1; percent < 100; percent += 7) {
      struct rational share;
      uint64_t found, expected;
      rational_init(&share);
      rational_set_fraction(&share, percent, 100);
      assert_true(sample_quantile(&found, &sample, &share));
      assert_true(sample_quantile(&expected, &exact, &share));
      assert_in_range(found, expected, expected + expected / 1024);
      rational_clear(&share);
    }
    sample_clear(&sample);
    sample_clear(&exact);
    span_store_clear(&store);
    fold_view_clear(&view);
    fold_clear(&fold);
  }
}

/* A file that was cut anywhere, or has another character anywhere, is refused in one line. */
static void test_damage(void **state) {
  (void)state;
  char *text = shard_text(0, 3);
  size_t length = strlen(text);
  for (size_t i = 0; i < 2 * length; i++) {
    char *copy = mem_copy_text(text, i < length ? i : length);
    if (i >= length)
      copy[i - length] = copy[i - length] == '1' ? '2' : '1';
    struct trace_fold fold;
    struct text message;
    text_init(&message);
    assert_int_equal(fold_parse(&fold, copy, strlen(copy), &message), STATUS_DATA);
    assert_true(message.length > 0);
    assert_null(strchr(message.data, '\n'));
    text_clear(&message);
    mem_free(copy);
  }
  mem_free(text);
}

/* A shard's text with something else in the place of `from`, and the digest made anew. */
static char *remade(const char *from, const char *to) {
  char *text = shard_text(0, 3), *at = strstr(text, from), digest[DIGEST_LENGTH + 1];
  size_t end = (size_t)(strstr(text, "\nend ") + 1 - text), rest;
  struct text other;
  assert_non_null(at);
  rest = (size_t)(at - text) + strlen(from);
  text_init(&other);
  text_append_bytes(&other, text, (size_t)(at - text));
  text_append(&other, to);
  text_append_bytes(&other, text + rest, end - rest);
  digest_bytes(digest, other.data, other.length);
  text_format(&other, "end %s\n", digest);
  mem_free(text);
  return text_take(&other);
}

/* Mistakes that the digest does not show. */
static void check_mistake(const char *from, const char *to, const char *message) {
  char *text = remade(from, to);
  struct text said;
  struct trace_fold fold;
  text_init(&said);
  assert_int_equal(fold_parse(&fold, text, strlen(text), &said), STATUS_DATA);
  if (strstr(text_get(&said), message) == NULL)
    assert_string_equal(text_get(&said), message);
  text_clear(&said);
  mem_free(text);
}

/* Counts that say of an order that it held in each request, and a kept request in which it did not:
 * that one is believed. */
static void test_contradiction(void **state) {
  (void)state;
  const struct graph_options options = {.undecided = UNDECIDED_WAITS, .level = 0.05};
  char *text = remade("pair 1 2 20 0", "pair 1 2 21 0");
  struct trace_fold fold = parsed(text);
  struct fold_view view;
  fold_view_make(&view, &fold, &options);
  const struct order order = {.before = 1, .after = 2};
  assert_int_equal(same_order(view.graph.flows.data[0], &order)->refuted, 1);
  fold_view_clear(&view);
  fold_clear(&fold);
  mem_free(text);
}

static void test_mistakes(void **state) {
  (void)state;
  check_mistake("keep 3", "keep 0", "line 2: is not \"keep NUMBER\"");
  check_mistake("keep 3", "keep 2", "is not \"flow REQUESTS CALLS KEPT\"");
  check_mistake("0 cart a", "2 cart a", "a list of calls that is none");
  check_mistake("0 cart a", "0 cart c", "a list of calls that is none");
  check_mistake("0 cart a", "0 car%t a", "a list of calls that is none");
  check_mistake("GET%20", "GET%90", "a list of calls that is none");
  check_mistake(" 0 0:", " 0 1:", "is no request of the flow's calls");
  check_mistake("latencies ", "latencies 1:1 ", "not of all requests");
  check_mistake("pair 1 2", "pair 2 1", "is no count of the flow's calls");
  check_mistake("pair 1 2", "pair 0 2", "is no count of the flow's calls");
  check_mistake("events 0 0", "events 9 0", "is no count of the flow's calls");
  check_mistake("durations 1", "durations 1 -5:1", "is no count of the flow's calls");
}

/* A character, or a stretch that was copied over another one, is changed at random, and the digest
 * is made anew: what is read nevertheless can be viewed, added up, and printed again. */
static void check_changed(struct random *random, const char *text, const char *other) {
  static const char signs[] = "0129-: @%\nax";
  const struct graph_options options = {.undecided = UNDECIDED_WAITS, .level = 0.05};
  char digest[DIGEST_LENGTH + 1];
  struct fold_view view;
  struct trace_fold fold, more;
  struct text changed, message;
  text_init(&changed);
  text_init(&message);
  text_append(&changed, text);
  size_t end = (size_t)(strstr(text, "\nend ") + 1 - text), length = 1 + (size_t)below(random, 30);
  size_t at = (size_t)below(random, end - 40), from = (size_t)below(random, end - 40);
  if (below(random, 2) == 0)
    changed.data[at] = signs[below(random, sizeof signs - 1)];
  else
    memmove(changed.data + at, changed.data + from, length);
  digest_bytes(digest, changed.data, end);
  memcpy(changed.data + end + 4, digest, DIGEST_LENGTH);
  if (fold_parse(&fold, changed.data, changed.length, &message) == STATUS_OK) {
    fold_settle(&fold);
    fold_view_make(&view, &fold, &options);
    fold_view_clear(&view);
    more = parsed(other);
    if (fold_merge(&fold, &more, &message))
      mem_free(text_of(&fold));
    fold_clear(&more);
    fold_clear(&fold);
  } else {
    assert_true(message.length > 0);
  }
  text_clear(&changed);
  text_clear(&message);
}

static void test_changed(void **state) {
  (void)state;
  struct random random = {11};
  char *text = shard_text(0, 4), *other = shard_text(1, 6);
  for (int i = 0; i < 3000; i++)
    check_changed(&random, text, other);
  mem_free(text);
  mem_free(other);
}

static void test_doubles(void **state) {
  (void)state;
  struct trace_fold fold;
  struct slice id;
  fold_init(&fold, 1000);
  add_shard(&fold, 0);
  assert_int_equal(fold_doubles(&fold, &id), 0);
  add_shard(&fold, 0);
  assert_int_equal(fold_doubles(&fold, &id), EACH);
  fold_clear(&fold);
}

static void check_bins(unsigned bits, int64_t value) {
  struct fold_histogram histogram;
  struct fold_bin bin = {0};
  fold_histogram_init(&histogram, bits);
  assert_true(fold_histogram_add(&histogram, value, 3));
  assert_true(fold_histogram_next(&bin, &histogram));
  assert_true(bin.lower <= value && value <= bin.upper);
  assert_true(bin.upper - bin.lower <= bin.lower >> bits);
  assert_int_equal(bin.count, 3);
  int64_t upper = bin.upper;
  assert_true(fold_histogram_add(&histogram, upper, 1)); /* an edge is in its own bin */
  bin = (struct fold_bin){0};
  assert_true(fold_histogram_next(&bin, &histogram));
  assert_int_equal(bin.count, 4);
  assert_false(fold_histogram_next(&bin, &histogram));
  assert_false(fold_histogram_add(&histogram, value, UINT64_MAX));
  fold_histogram_clear(&histogram);
}

static void test_bins(void **state) {
  (void)state;
  for (unsigned bits = 1; bits <= 16; bits += 3)
    for (int64_t power = 1; power > 0 && power < INT64_MAX / 2; power *= 2)
      for (int64_t off = -1; off <= 1; off++)
        check_bins(bits, power + off);
  check_bins(7, INT64_MAX);
  check_bins(10, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_groupings),     cmocka_unit_test(test_keeps),
      cmocka_unit_test(test_view),          cmocka_unit_test(test_latencies),
      cmocka_unit_test(test_damage),        cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_contradiction), cmocka_unit_test(test_changed),
      cmocka_unit_test(test_doubles),       cmocka_unit_test(test_bins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
