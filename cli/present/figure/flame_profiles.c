/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/flame_profiles.h"

#include "base/file.h"
#include "cli/present/figure/flame.h"
#include "show/page.h"
#include "cli/present/stacks.h"

enum { PAGE_ROWS = 50 };

enum status show_draw(const struct show_answer *a, const char *path, const char *typed,
                      struct text *message) {
  struct document document;
  struct table table;
  struct text about = {0}, made = {0}, title = {0};
  show_say(&about, a);
  picture_made(&made, typed);
  text_format(&title, "Where the time goes in %s", file_name(a->request->path));
  stacks_document(&document, a, PAGE_ROWS);
  document_first_table(&table, &document);
  document_clear(&document);
  struct flame flame = {.profile = &a->by_text,
                        .title = title.data,
                        .about = about.data,
                        .made = made.data,
                        .table = &table,
                        .ledger = &a->ledger};
  enum status status = flame_write(&flame, path, message);
  table_clear(&table);
  text_clear(&about);
  text_clear(&made);
  text_clear(&title);
  return status;
}

/* By frame; owned. */
static struct flame_change *find_changes(const struct stack_difference *difference) {
  struct flame_change *found = mem_alloc(difference->profile.frames.count, sizeof *found);
  for (size_t i = 0; i < difference->changes.count; i++) {
    const struct stack_change *change = &difference->changes.data[i];
    found[change->frame].change = change->share_after - change->share_before;
    found[change->frame].found = !difference->counted || !change->settled ? FLAME_UNKNOWN
                                 : change->significant                    ? FLAME_SIGNIFICANT
                                                                          : FLAME_SETTLED;
  }
  return found;
}

enum status change_draw(const struct change_answer *a, const char *path, const char *typed,
                        struct text *message) {
  struct document document;
  struct table table;
  struct text about = {0}, made = {0}, title = {0};
  change_say(&about, a);
  picture_made(&made, typed);
  text_format(&title, "What changed from %s to %s", file_name(a->request->before),
              file_name(a->request->after));
  struct flame_change *found = find_changes(&a->difference);
  change_document(&document, a, PAGE_ROWS);
  document_first_table(&table, &document);
  document_clear(&document);
  struct flame flame = {.profile = &a->difference.profile,
                        .before = a->difference.before,
                        .before_total = a->difference.before_total,
                        .changes = found,
                        .title = title.data,
                        .about = about.data,
                        .made = made.data,
                        .table = &table,
                        .ledger = &a->ledger};
  enum status status = flame_write(&flame, path, message);
  mem_free(found);
  table_clear(&table);
  text_clear(&about);
  text_clear(&made);
  text_clear(&title);
  return status;
}
