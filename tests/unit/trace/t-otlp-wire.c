/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/wire.h"
#include "tests/unit/trace/reading.h"

#define TITLE "0000000000000000069ca59c291ddf26:\n"
#define SHOWN_ROOT TITLE "41cce63235646512 shop/get 1695943859713543001+370003 server\n"
#define SHOWN SHOWN_ROOT "0000000000000001<41cce63235646512 shop/call 1695943859713543002+1\n"
#define TRACE_ID "\0\0\0\0\0\0\0\0\x06\x9c\xa5\x9c\x29\x1d\xdf\x26"
#define ROOT_ID "\x41\xcc\xe6\x32\x35\x64\x65\x12"
#define CALL_ID "\0\0\0\0\0\0\0\1"
#define START UINT64_C(1695943859713543001)

/* A text that ends at its first NUL, or where `bytes` says. */
#define TEXT(string) ((struct slice){(string), sizeof(string) - 1})

static void put_time(struct text *out, uint32_t field, uint64_t ns) {
  enum { FIXED64 = 1 };
  char bytes[8];
  wire_put_packed(out, (uint64_t)field << 3 | FIXED64);
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (char)(ns >> (8 * i));
  text_append_bytes(out, bytes, sizeof bytes);
}

static struct slice slice_of(const struct text *text) {
  return (struct slice){text_get(text), text->length};
}

/* Appends a field that is a message, and frees the message. */
static void put_message(struct text *out, uint32_t field, struct text *message) {
  wire_put_bytes(out, field, slice_of(message));
  text_clear(message);
}

struct span {
  struct slice id, parent, name;
  uint64_t start, end, kind;
};

static const struct span root = {TEXT(ROOT_ID), TEXT(""), TEXT("get"), START, START + 370003, 2};
static const struct span call = {TEXT(CALL_ID), TEXT(ROOT_ID), TEXT("call"),
                                 START + 1,     START + 2,     0};

/* `more`: fields behind those of a span. */
static void put_span(struct text *scope, const struct span *span, const struct text *more) {
  struct text out;
  text_init(&out);
  wire_put_bytes(&out, 1, TEXT(TRACE_ID));
  wire_put_bytes(&out, 2, span->id);
  if (span->parent.length != 0)
    wire_put_bytes(&out, 4, span->parent);
  wire_put_bytes(&out, 5, span->name);
  wire_put_number(&out, 6, span->kind);
  put_time(&out, 7, span->start);
  put_time(&out, 8, span->end);
  if (more != NULL)
    text_append_bytes(&out, text_get(more), more->length);
  put_message(scope, 2, &out);
}

static void put_attribute(struct text *out, uint32_t field, const char *key, struct slice value) {
  struct text attribute, any;
  text_init(&attribute);
  text_init(&any);
  wire_put_bytes(&attribute, 1, (struct slice){key, strlen(key)});
  wire_put_bytes(&any, 1, value);
  put_message(&attribute, 2, &any);
  put_message(out, field, &attribute);
}

/* An item of resource_spans with a span of the scope; the resource before it or behind. */
static void put_resource_spans(struct text *out, const struct span *span, const struct text *more,
                               bool behind) {
  struct text item, resource, scope;
  text_init(&item);
  text_init(&resource);
  text_init(&scope);
  put_attribute(&resource, 1, "service.name", TEXT("shop"));
  put_span(&scope, span, more);
  if (!behind)
    put_message(&item, 1, &resource);
  put_message(&item, 2, &scope);
  if (behind)
    put_message(&item, 1, &resource);
  put_message(out, 1, &item);
}

static void put_length(struct text *out, size_t length, bool four_bytes) {
  if (!four_bytes)
    wire_put_packed(out, length);
  for (int shift = 24; four_bytes && shift >= 0; shift -= 8)
    text_append_bytes(out, &(char){(char)(length >> shift)}, 1);
}

/* Two messages, behind `framing` 1 with varints, 2 with four bytes. */
static void put_messages(struct text *out, int framing) {
  const struct span *spans[] = {&call, &root};
  for (size_t i = 0; i < 2; i++) {
    struct text message;
    text_init(&message);
    put_resource_spans(&message, spans[i], NULL, i == 1);
    if (framing != 0)
      put_length(out, message.length, framing == 2);
    text_append_bytes(out, message.data, message.length);
    text_clear(&message);
  }
}

static struct reading *read_bytes(const struct text *bytes) {
  return reading_of_bytes(text_get(bytes), bytes->length);
}

static void check_bytes(const struct text *bytes, const char *shown) {
  struct reading *reading = read_bytes(bytes);
  assert_string_equal(reading_show(reading), shown);
  reading_free(reading);
}

static void test_messages(void **state) {
  (void)state;
  for (int framing = 0; framing < 3; framing++) {
    struct text bytes;
    text_init(&bytes);
    put_messages(&bytes, framing);
    check_bytes(&bytes, SHOWN);
    text_clear(&bytes);
  }
}

static bool says_broken_off(const struct reading *reading) {
  for (size_t i = 0; i < reading->ledger.count; i++)
    if (strstr(reading->ledger.lines[i].text, "1 files end within an event, a document") != NULL)
      return true;
  return false;
}

/* Wherever a file ends, it holds whole messages, which are read, or is refused. */
static void test_every_end(void **state) {
  (void)state;
  for (int framing = 0; framing < 3; framing++) {
    struct text bytes, first;
    text_init(&bytes);
    text_init(&first);
    put_messages(&bytes, framing);
    put_resource_spans(&first, &call, NULL, false);
    size_t head = framing == 0 ? 0 : framing == 1 ? 1 + (first.length > 127) : 4;
    size_t least = head + first.length, whole = bytes.length;
    for (bytes.length = least; bytes.length < whole; bytes.length++) {
      struct reading *reading = read_bytes(&bytes);
      if (framing != 0 || bytes.length == least) {
        assert_int_equal(reading->status, STATUS_OK);
        assert_int_equal(reading->store.start.count, 1);
        assert_int_equal(says_broken_off(reading), bytes.length != least);
      } else
        assert_non_null(strstr(text_get(&reading->said), "truncated"));
      reading_free(reading);
    }
    text_clear(&bytes);
    text_clear(&first);
  }
}

static void put_value(struct text *more, const char *key, const struct text *any) {
  struct text attribute;
  text_init(&attribute);
  wire_put_bytes(&attribute, 1, (struct slice){key, strlen(key)});
  wire_put_bytes(&attribute, 2, slice_of(any));
  put_message(more, 9, &attribute);
}

/* Values of attributes are those that JSON has; links to the same request alone count. */
static void test_attributes_and_links(void **state) {
  (void)state;
  struct text more, any, link, status, bytes;
  text_init(&more);
  text_init(&any);
  wire_put_number(&any, 3, (uint64_t)-7);
  put_value(&more, "int", &any);
  text_clear(&any);
  put_time(&any, 4, UINT64_C(0x3fb999999999999a)); /* 0.1 */
  put_value(&more, "double", &any);
  text_clear(&any);
  wire_put_number(&any, 2, 1);
  put_value(&more, "bool", &any);
  text_clear(&any);
  put_attribute(&more, 9, "text", TEXT("a\\b\n\"c"));
  for (int other = 0; other < 2; other++) {
    text_init(&link);
    wire_put_bytes(&link, 1, other != 0 ? TEXT("0123456789abcdef") : TEXT(TRACE_ID));
    wire_put_bytes(&link, 2, TEXT(ROOT_ID));
    put_message(&more, 13, &link);
  }
  text_init(&status);
  wire_put_number(&status, 3, 2);
  put_message(&more, 15, &status);
  text_init(&bytes);
  put_resource_spans(&bytes, &root, NULL, false);
  put_resource_spans(&bytes, &call, &more, false);
  struct reading *reading = read_bytes(&bytes);
  assert_string_equal(reading_show(reading), SHOWN_ROOT
                      "0000000000000001<41cce63235646512 shop/call 1695943859713543002+1 error\n");
  const struct span_store *store = &reading->store;
  assert_int_equal(store->requests.data[0].link_count, 1);
  assert_int_equal(store->tag_end.data[1] - store->tag_end.data[0], 5);
  static const char *const values[] = {"-7", "0.1", "true", "a\\b \"c"};
  for (size_t i = 0; i < 4; i++)
    assert_string_equal(
        names_text(&store->names, store->tags.data[store->tag_end.data[0] + 1 + i].value),
        values[i]);
  reading_free(reading);
  text_clear(&bytes);
  text_clear(&more);
  text_clear(&any);
}

static void check_said(struct text *bytes, const char *expected) {
  struct reading *reading = read_bytes(bytes);
  if (strstr(text_get(&reading->said), expected) == NULL)
    assert_string_equal(text_get(&reading->said), expected);
  reading_free(reading);
  text_clear(bytes);
}

static void test_what_is_wrong(void **state) {
  (void)state;
  struct text bytes;
  text_init(&bytes);
  struct span late = root;
  late.end = UINT64_MAX;
  put_resource_spans(&bytes, &late, NULL, false);
  check_said(&bytes, ": byte 32: a time of this span is outside of the years 1824 to 2116");
  put_resource_spans(&bytes, &root, NULL, false);
  text_append_bytes(&bytes, "\x0f", 1);
  check_said(&bytes, ": byte 85: no message of OTLP; the file is damaged");
  put_messages(&bytes, 1);
  bytes.data[0] ^= 1;
  check_said(&bytes, "no message of OTLP; the file is damaged");
}

/* Metrics and logs have the same messages around what they have for spans. */
static void test_other_telemetry(void **state) {
  (void)state;
  struct text bytes, item, scope, metric;
  text_init(&bytes);
  text_init(&item);
  text_init(&scope);
  text_init(&metric);
  wire_put_bytes(&metric, 1, TEXT("a name of sixtee"));
  wire_put_bytes(&metric, 2, TEXT("what it is"));
  put_message(&scope, 2, &metric);
  put_message(&item, 2, &scope);
  put_message(&bytes, 1, &item);
  check_said(&bytes, "holds no traces");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_messages),
      cmocka_unit_test(test_every_end),
      cmocka_unit_test(test_attributes_and_links),
      cmocka_unit_test(test_what_is_wrong),
      cmocka_unit_test(test_other_telemetry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
