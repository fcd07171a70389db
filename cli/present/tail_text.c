/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail` as text. */
#include "cli/present/tail.h"
#include "cli/present/tail_hot.h"
#include "show/wrapped.h"

static void print_sentence(void (*say)(struct text *, const struct tail_answer *),
                           const struct tail_answer *a) {
  struct text text;
  text_init(&text);
  say(&text, a);
  if (text.length != 0)
    wrapped_format(2, 2, "%s", text_get(&text));
  text_clear(&text);
}

static void print_table(void (*make)(struct table *, const struct tail_answer *, bool),
                        const struct tail_answer *a, bool full, size_t indent) {
  struct table table;
  make(&table, a, full);
  table_print(stdout, &table, indent);
  table_clear(&table);
}

static void print_groups(const struct tail_answer *a, bool full) {
  if (a->report.groups.count == 0)
    return;
  wrapped_format(2, 2, "Without the excess of these alone, a slow request would not be slow:");
  print_table(tail_groups_table, a, full, 4);
}

static void print_tags(const struct tail_answer *a, bool full) {
  if (a->tags.tried == 0)
    return;
  putchar('\n');
  if (a->tags.findings.count == 0) {
    wrapped_format(2, 2, "No tag separates the slow requests from the rest (%zu values tried).",
                   a->tags.tried);
    return;
  }
  wrapped_format(2, 2,
                 "Tags that slow requests have more often (%zu values tried):", a->tags.tried);
  print_table(tail_tags_table, a, full, 4);
}

void tail_print_text(const struct tail_answer *a, bool full) {
  print_sentence(tail_sides_say, a);
  print_sentence(tail_means_say, a);
  putchar('\n');
  if (a->verdict == TAIL_ONE) {
    print_table(tail_one_table, a, full, 2);
    return;
  }
  print_table(tail_causes_table, a, full, 2);
  putchar('\n');
  print_sentence(tail_verdict_say, a);
  print_groups(a, full);
  print_tags(a, full);
  hot_print_text(a->hot, a->level, full);
}
