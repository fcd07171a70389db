/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/unit/trace/spans.h"
#include "trace/span/spans_sort.h"

enum { TRACES = 500, SPANS = 7 };

/* What was handed over: of each trace how many spans, and whether it came in one go. */
struct heard {
  const struct span_names *names;
  int spans[TRACES], times[TRACES];
  int trace, order;
  int first; /* the trace that came first */
};

static void begin(void *context, struct slice trace_id) {
  struct heard *heard = context;
  char text[32];
  snprintf(text, sizeof text, "%.*s", (int)trace_id.length, trace_id.start);
  heard->trace = atoi(text + 1);
  heard->times[heard->trace]++;
  if (heard->order++ == 0)
    heard->first = heard->trace;
}

static void add(void *context, const struct span_record *record) {
  struct heard *heard = context;
  int span = heard->spans[heard->trace]++;
  assert_int_equal(record->start, heard->trace * 1000 + span);
  assert_int_equal(record->end, INT64_MAX / 4 - span);
  assert_int_equal(record->tag_count, (size_t)span % 3);
  for (size_t i = 0; i < record->tag_count; i++)
    assert_int_equal(record->tags[i].value, i + 5);
  assert_int_equal(record->link_count, (size_t)span % 2);
  if (record->link_count != 0) {
    assert_int_equal(record->links[0].length, 3);
    assert_memory_equal(record->links[0].start, "lin", 3);
  }
  assert_int_equal(record->id.length, span);
  assert_memory_equal(record->parent.start, "parent", 6);
  assert_memory_equal(record->service.start, "shop", 5);
  assert_int_equal(record->kind, SPAN_CLIENT);
  assert_int_equal(record->mark, SPAN_FOLLOWS);
}

static enum status finish(void *context) {
  (void)context;
  return STATUS_OK;
}

static enum status add_span(struct spans_sort *gather, int trace, int span) {
  char id[32];
  struct span_tag tags[2] = {{1, 5}, {2, 6}};
  struct slice link = {"link", 3};
  snprintf(id, sizeof id, "t%d", trace);
  return spans_sort_add(gather, span_slice(id),
                        &(struct span_record){.id = {"0123456789", (size_t)span},
                                              .parent = span_slice("parent"),
                                              .service = span_slice("shop"),
                                              .start = trace * 1000 + span,
                                              .end = INT64_MAX / 4 - span,
                                              .kind = SPAN_CLIENT,
                                              .mark = SPAN_FOLLOWS,
                                              .tags = tags,
                                              .tag_count = (size_t)span % 3,
                                              .links = &link,
                                              .link_count = (size_t)span % 2});
}

/* All spans of all traces, those of a trace far apart, with room for `bytes` in memory. */
static void check_gathered(size_t bytes, bool ordered) {
  struct span_names names;
  names_init(&names);
  struct spans_sort *gather = spans_sort_new(&names, bytes);
  struct heard *heard = mem_alloc(1, sizeof *heard);
  for (int span = 0; span < SPANS; span++)
    for (int trace = TRACES; trace-- != 0;)
      assert_int_equal(add_span(gather, trace, span), STATUS_OK);
  struct spans_sort_hearer hearer = {heard, begin, add, finish};
  assert_int_equal(spans_sort_finish(gather, &hearer), STATUS_OK);
  for (int trace = 0; trace < TRACES; trace++) {
    assert_int_equal(heard->times[trace], 1);
    assert_int_equal(heard->spans[trace], SPANS);
  }
  assert_true(!ordered || heard->first == TRACES - 1);
  spans_sort_free(gather);
  mem_free(heard);
  names_clear(&names);
}

static void test_in_memory(void **state) {
  (void)state;
  check_gathered(SIZE_MAX, true);
}

/* Once to files, and again to the files of further levels. */
static void test_in_temporary_files(void **state) {
  (void)state;
  check_gathered(200000, false);
  check_gathered(5000, false);
  check_gathered(1, false);
}

static void test_a_folder_that_takes_no_files(void **state) {
  (void)state;
  struct span_names names;
  names_init(&names);
  setenv("TMPDIR", "/dev/null/x", 1);
  struct spans_sort *gather = spans_sort_new(&names, 1);
  assert_int_equal(add_span(gather, 1, 1), STATUS_INTERNAL);
  assert_string_equal(spans_sort_failure(gather),
                      "/dev/null/x: a temporary file for sorting spans by request failed: Not a "
                      "directory; set TMPDIR to a folder with as much room as the traces take");
  unsetenv("TMPDIR");
  spans_sort_free(gather);
  names_clear(&names);
}

/* As on a disk that is full: the message comes when the files are written out at the latest. */
static void test_a_full_disk(void **state) {
  (void)state;
  struct rlimit before, small;
  struct span_names names;
  struct heard *heard = mem_alloc(1, sizeof *heard);
  struct spans_sort_hearer hearer = {heard, begin, add, finish};
  names_init(&names);
  struct spans_sort *sort = spans_sort_new(&names, 100);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 1000;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  enum status status = STATUS_OK;
  for (int span = 0; span < SPANS && status == STATUS_OK; span++)
    for (int trace = 0; trace < TRACES && status == STATUS_OK; trace++)
      status = add_span(sort, trace, span);
  if (status == STATUS_OK)
    status = spans_sort_finish(sort, &hearer);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(status, STATUS_INTERNAL);
  assert_non_null(strstr(spans_sort_failure(sort), "a temporary file for sorting spans by request "
                                                   "failed: File too large; set TMPDIR to"));
  spans_sort_free(sort);
  mem_free(heard);
  names_clear(&names);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_in_memory),
      cmocka_unit_test(test_in_temporary_files),
      cmocka_unit_test(test_a_folder_that_takes_no_files),
      cmocka_unit_test(test_a_full_disk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
