/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pages of metrics in protobuf: edges, counts, differences of two, and damage of every kind. Pages
 * that another encoder has made are tests/cli/t-import-protobuf.sh's.
 */
#include "base/wire.h"
#include "dist/source/metrics.h"
#include "dist/source/power.h"
#include "tests/unit/dist/parse.h"

#include <math.h>

/* A histogram's fields; of the lists, those up to the first that is 0 (`deltas`: up to `count`). */
struct shape {
  uint64_t count, zeros, created;
  double threshold, count_float;
  int64_t schema;
  struct {
    double upper;
    uint64_t count;
  } classic[4];
  struct {
    int64_t offset;
    uint64_t length;
  } spans[3];
  int64_t deltas[8];
  double counts[8];
};

static void put_double(struct text *out, uint32_t field, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  wire_put_packed(out, field << 3 | 1);
  for (unsigned i = 0; i < 8; i++)
    text_append_bytes(out, &(char){(char)(bits >> 8 * i)}, 1);
}

static uint64_t zigzag(int64_t value) {
  return value < 0 ? ((uint64_t) - (value + 1) << 1) + 1 : (uint64_t)value << 1;
}

static void put_message(struct text *out, uint32_t field, struct text *message) {
  wire_put_bytes(out, field, (struct slice){text_get(message), message->length});
  text_clear(message);
}

static void put_native(struct text *out, const struct shape *shape) {
  size_t buckets = 0;
  for (size_t i = 0; i < 3 && shape->spans[i].length != 0; i++) {
    struct text span;
    text_init(&span);
    wire_put_number(&span, 1, zigzag(shape->spans[i].offset));
    wire_put_number(&span, 2, shape->spans[i].length);
    put_message(out, 12, &span);
    buckets += shape->spans[i].length;
  }
  for (size_t i = 0; i < buckets && i < 8 && shape->count_float == 0; i++)
    wire_put_number(out, 13, zigzag(shape->deltas[i]));
  for (size_t i = 0; i < buckets && i < 8 && shape->count_float != 0; i++)
    put_double(out, 14, shape->counts[i]);
}

static void put_histogram(struct text *out, const struct shape *shape) {
  struct text part;
  text_init(&part);
  wire_put_number(out, 1, shape->count);
  for (size_t i = 0; i < 4 && shape->classic[i].upper != 0; i++) {
    wire_put_number(&part, 1, shape->classic[i].count);
    put_double(&part, 2, shape->classic[i].upper);
    put_message(out, 3, &part);
  }
  put_double(out, 4, shape->count_float);
  wire_put_number(out, 5, zigzag(shape->schema));
  put_double(out, 6, shape->threshold);
  wire_put_number(out, 7, shape->zeros);
  put_native(out, shape);
  wire_put_number(&part, 1, shape->created);
  if (shape->created != 0)
    put_message(out, 15, &part);
  text_clear(&part);
}

/* The page of one family, of two label sets if `second` is there. */
static struct text page_of(const struct shape *first, const struct shape *second) {
  struct text page, family, metric, part;
  text_init(&page);
  text_init(&family);
  text_init(&metric);
  text_init(&part);
  wire_put_bytes(&family, 1, (struct slice){"a_seconds", 9});
  wire_put_number(&family, 3, 4);
  for (int i = 0; i < 2; i++) {
    const struct shape *shape = i == 0 ? first : second;
    if (shape == NULL)
      continue;
    wire_put_bytes(&part, 1, (struct slice){"i", 1});
    wire_put_bytes(&part, 2, (struct slice){i == 0 ? "1" : "2", 1});
    put_message(&metric, 1, &part);
    put_histogram(&part, shape);
    put_message(&metric, 7, &part);
    put_message(&family, 4, &metric);
  }
  wire_put_packed(&page, family.length);
  text_append_bytes(&page, text_get(&family), family.length);
  text_clear(&family);
  return page;
}

static struct parsed ask(const struct shape *later, const struct shape *second,
                         const struct shape *earlier, const char *select) {
  struct parsed parsed = {.status = STATUS_OK};
  struct text now = page_of(later, second), before = {0};
  text_init(&before);
  if (earlier != NULL)
    before = page_of(earlier, NULL);
  sample_init(&parsed.sample);
  source_notes_init(&parsed.notes);
  text_init(&parsed.message);
  const struct source_page page = {.name = "f", .bytes = text_get(&now), .length = now.length};
  const struct source_page since = {
      .name = "f", .bytes = text_get(&before), .length = before.length};
  const struct source_options options = {.select = select,
                                         .since = earlier == NULL ? NULL : &since};
  parsed.status = source_read_page(&parsed.sample, &parsed.notes, &page, &options, &parsed.message);
  parsed_check(&parsed, "", 0);
  text_clear(&now);
  text_clear(&before);
  return parsed;
}

static void gives(struct parsed parsed, const char *expected) {
  if (parsed.status != STATUS_OK)
    fail_msg("%s", text_get(&parsed.message));
  parsed_has(parsed, expected);
}

static void refuses(struct parsed parsed, const char *words) {
  if (parsed.status != STATUS_DATA || strstr(text_get(&parsed.message), words) == NULL)
    fail_msg("status %d, \"%s\", where \"%s\" is expected", parsed.status,
             text_get(&parsed.message), words);
  parsed_clear(&parsed);
}

/* Of doubles the exact value counts: 0.005 is a little above 5 ms, 0.1 above 100 ms, 0.7 below. */
static void classic(void **unused) {
  (void)unused;
  static const struct shape decimal = {.count = 9, .classic = {{0.005, 2}, {0.7, 5}, {1, 5}}};
  gives(ask(&decimal, NULL, NULL, NULL), "0-5000001:2 5000001-700000000:3 +4");
  static const struct shape closed = {.count = 9, .classic = {{0.5, 9}, {(double)INFINITY, 9}}};
  gives(ask(&closed, NULL, NULL, NULL), "0-500000000:9 +0");
  static const struct shape beyond = {.count = 9, .classic = {{0.5, 0}, {(double)INFINITY, 8}}};
  refuses(ask(&beyond, NULL, NULL, NULL), "counts 9, but its last bucket 8");
  static const struct shape large = {.count = 9, .classic = {{1e10, 9}}};
  refuses(ask(&large, NULL, NULL, NULL), "is the unit right?");
  static const struct shape below = {.count = 9, .classic = {{-0.5, 9}}};
  refuses(ask(&below, NULL, NULL, NULL), "a time that is not negative");
}

/* Bucket i is above 2^((i - 1) / 2^schema) and at most 2^(i / 2^schema). */
static void native(void **unused) {
  (void)unused;
  static const struct shape ones = {
      .count = 10, .zeros = 1, .spans = {{0, 1}, {1, 2}}, .deltas = {2, 1, 1}};
  gives(ask(&ones, NULL, NULL, NULL),
        "0-1:1 499999999-1000000001:2 1999999999-4000000001:3 3999999999-8000000001:4 +0");
  static const struct shape wide = {.count = 5, .schema = -2, .spans = {{0, 2}}, .deltas = {2, 1}};
  gives(ask(&wide, NULL, NULL, NULL), "62499999-1000000001:2 999999999-16000000001:3 +0");
  static const struct shape infinite = {
      .count = 5, .schema = -4, .spans = {{1, 1}, {62, 1}}, .deltas = {2, 1}};
  gives(ask(&infinite, NULL, NULL, NULL), "999999999-65536000000060:2 +3");
  static const struct shape floats = {
      .count_float = 5, .zeros = 2, .threshold = 0x1p-10, .spans = {{0, 2}}, .counts = {0, 3}};
  gives(ask(&floats, NULL, NULL, NULL), "0-976564:2 999999999-2000000001:3 +0");
  /* below a nanosecond buckets are one */
  static const struct shape tiny = {
      .count = 9, .zeros = 2, .threshold = 0x1p-60, .spans = {{-50, 2}}, .deltas = {3, 1}};
  gives(ask(&tiny, NULL, NULL, NULL), "0-2:9 +0");
  static const struct shape later = {
      .count = 12, .zeros = 3, .threshold = 0x1p-60, .spans = {{-50, 2}}, .deltas = {4, 1}};
  gives(ask(&later, NULL, &tiny, NULL), "0-2:3 +0");
  static const struct shape back = {.count = 2, .spans = {{3, 1}, {-1, 1}}, .deltas = {1, 0}};
  refuses(ask(&back, NULL, NULL, NULL), "a span of buckets that goes back by 1");
}

/* The edges of every schema against logarithms in long double. */
static void edges(void **unused) {
  (void)unused;
  for (int schema = -4; schema <= 8; schema++)
    for (int64_t index = -30; index <= 30; index++) {
      struct metrics_bucket bucket = metrics_power_bucket(schema, index, 9);
      long double low = exp2l(ldexpl((long double)index, -schema)) * 1e9L;
      long double high = exp2l(ldexpl((long double)(index + 1), -schema)) * 1e9L;
      if (low < 0x1p62L)
        assert_true((long double)bucket.lower_ns <= low && bucket.lower_ns + 2 >= low * 0.999999L);
      if (high < 0x1p62L)
        assert_true((long double)bucket.upper_ns >= high &&
                    (long double)bucket.upper_ns <= high * 1.000001L + 2);
    }
  uint64_t lower, upper;
  power_round(&lower, &upper, power_of_double(5e-324), 9);
  assert_true(lower == 0 && upper == 1);
  power_round(&lower, &upper, power_of_double(0x1.8p-1), 9);
  assert_true(lower == 750000000 && upper == 750000000);
  power_round(&lower, &upper, power_of_double(1.7e308), 9);
  assert_true(upper == UINT64_MAX);
}

static void differences(void **unused) {
  (void)unused;
  static const struct shape before = {
      .count = 10, .zeros = 1, .created = 7, .spans = {{0, 1}, {1, 2}}, .deltas = {2, 1, 1}};
  struct shape after = {
      .count = 15, .zeros = 2, .created = 7, .spans = {{0, 4}}, .deltas = {3, -2, 4, -1}};
  gives(ask(&after, NULL, &before, NULL),
        "0-1:1 499999999-1000000001:1 999999999-2000000001:1 1999999999-4000000001:2 +0");
  /* the program halved its resolution in between: 3 of (2, 4] and 4 of (4, 8] are of (1, 4] and
   * (4, 16] now */
  static const struct shape coarse = {
      .count = 13, .zeros = 1, .schema = -1, .created = 7, .spans = {{0, 3}}, .deltas = {3, 1, 1}};
  gives(ask(&coarse, NULL, &before, NULL),
        "249999999-1000000001:1 999999999-4000000001:1 3999999999-16000000001:1 +0");
  /* or it widened the bucket of zero to 1 s */
  static const struct shape widened = {
      .count = 12, .zeros = 5, .threshold = 1, .created = 7, .spans = {{2, 2}}, .deltas = {3, 1}};
  gives(ask(&widened, NULL, &before, NULL), "0-1000000001:2 +0");
  refuses(ask(&before, NULL, &after, NULL), "are smaller than before");
  after.created = 8;
  refuses(ask(&after, NULL, &before, NULL), "began to count at another time");
}

static void choices(void **unused) {
  (void)unused;
  static const struct shape one = {.count = 9, .classic = {{0.5, 9}}},
                            two = {.count = 5, .spans = {{0, 1}}, .deltas = {5}};
  refuses(ask(&one, &two, NULL, NULL), "a_seconds has 2 label sets: {i=\"1\"}, {i=\"2\"}");
  gives(ask(&one, &two, NULL, "a_seconds{i=\"1\"}"), "0-500000000:9 +0");
  gives(ask(&one, &two, NULL, "{i=~\".\"}"), "0-500000000:9 499999999-1000000001:5 +0");
  refuses(ask(&one, &two, NULL, "b_seconds"), "no histogram \"b_seconds\"; there is a_seconds");
  refuses(ask(&one, &two, NULL, "{i=\"3\"}"), "no label set of a_seconds is selected");
}

/* Every prefix of a page and every bit of it changed: one message, or a sample. */
static void damage(void **unused) {
  (void)unused;
  static const struct shape both = {.count = 10,
                                    .zeros = 1,
                                    .created = 300,
                                    .threshold = 0x1p-20,
                                    .classic = {{0.5, 4}, {1, 10}},
                                    .spans = {{-3, 1}, {1, 2}},
                                    .deltas = {2, 1, 1}};
  struct text page = page_of(&both, NULL);
  assert_int_equal(parse_prefixes(FORMAT_PROTOBUF, text_get(&page), page.length), 1);
  for (size_t bit = 0; bit < 8 * page.length; bit++) {
    page.data[bit / 8] ^= (char)(1 << bit % 8);
    struct parsed parsed = parse_bytes(FORMAT_PROTOBUF, text_get(&page), page.length, NULL);
    parsed_check(&parsed, "", 0);
    parsed_clear(&parsed);
    page.data[bit / 8] ^= (char)(1 << bit % 8);
  }
  struct parsed named = parse_bytes(FORMAT_PROMETHEUS, text_get(&page), page.length, NULL);
  refuses(named, "it is a page of metrics in protobuf; rename it to .pb");
  text_clear(&page);
  static const char text[] = "a_s_bucket{le=\"+Inf\"} 1\n";
  named = parse_bytes(FORMAT_PROTOBUF, text, sizeof text - 1, NULL);
  refuses(named, "rename it to .prom");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classic),     cmocka_unit_test(native),  cmocka_unit_test(edges),
      cmocka_unit_test(differences), cmocka_unit_test(choices), cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
