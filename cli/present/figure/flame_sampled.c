/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/flame_sampled.h"

#include "cli/present/figure/flame.h"
#include "show/page.h"
#include "cli/present/profile.h"
#include "trace/stacks/frame.h"

enum status profile_draw(const struct profile_answer *a, const char *path, const char *typed,
                         struct text *message) {
  enum { PAGE_ROWS = 100 };
  struct stack_profile by_text;
  struct table table;
  struct text about = {0}, made = {0};
  stack_profile_init(&by_text);
  stack_profile_by_text(&by_text, &a->profile, true);
  if (a->profile.count != 0) {
    struct document document;
    profile_document(&document, a, PAGE_ROWS);
    document_first_table(&table, &document);
    document_clear(&document);
  } else {
    table_init(&table);
  }
  profile_head_say(&about, a);
  picture_made(&made, typed);
  struct flame flame = {.profile = &by_text,
                        .title = "Where the processor time goes",
                        .about = text_get(&about),
                        .made = text_get(&made),
                        .table = &table,
                        .ledger = &a->ledger};
  enum status status = flame_write(&flame, path, message);
  table_clear(&table);
  text_clear(&about);
  text_clear(&made);
  stack_profile_clear(&by_text);
  return status;
}
