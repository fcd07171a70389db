/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/draft.h"

#include <stdio.h>

#include "base/jsonl.h"
#include "show/table.h"

static double percent(const struct draft_answer *answer, const struct draft_file *file) {
  return 100.0 * (double)file->flow->requests.count / (double)answer->store.requests.count;
}

static void append_root(struct text *text, const struct draft_answer *answer,
                        const struct draft_file *file) {
  flow_call_name(text, file->flow, 0, &answer->store.names);
}

static void print_table(const struct draft_answer *answer, const struct draft_request *request) {
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "flow");
  table_column(&table, TABLE_RIGHT, "calls");
  table_column(&table, TABLE_RIGHT, "requests");
  table_column(&table, TABLE_RIGHT, "share");
  table_column(&table, TABLE_LEFT, "drafted as");
  for (size_t i = 0; i < answer->files.count; i++) {
    const struct draft_file *file = &answer->files.data[i];
    struct text root;
    text_init(&root);
    append_root(&root, answer, file);
    table_take(&table, &root);
    table_cell(&table, "%zu", file->flow->calls.count);
    table_cell(&table, "%zu", file->flow->requests.count);
    table_cell(&table, "%.1f %%", percent(answer, file));
    if (file->name != NULL)
      table_cell(&table, "%s/%s.tp", request->out, file->name);
    else
      table_cell(&table, "not drafted: %s", file->reason);
  }
  table_print(stdout, &table, 2);
  table_clear(&table);
}

static void print_next(const struct draft_answer *answer, const struct draft_request *request) {
  const char *name = NULL;
  for (size_t i = answer->files.count; i-- > 0;)
    name = answer->files.data[i].name != NULL ? answer->files.data[i].name : name;
  if (name == NULL)
    return;
  printf("\n  Next:\n"
         "    tailproof verify --infer --write %s/%s.tp\n"
         "    tailproof replay %s/%s.tp --traces %s\n"
         "    tailproof percentiles %s/%s.tp --joint %s/%s.csv --observed request -p 50,90,99\n",
         request->out, name, request->out, name, request->traces[0], request->out, name,
         request->out, name);
}

void draft_print_text(const struct draft_answer *answer, const struct draft_request *request) {
  printf("%zu requests, %zu flow%s\n\n", answer->store.requests.count, answer->files.count,
         answer->files.count == 1 ? "" : "s");
  print_table(answer, request);
  print_next(answer, request);
}

void draft_print_json(const struct draft_answer *answer, const struct draft_request *request) {
  struct jsonl *line = jsonl_new("draft");
  jsonl_integer(line, "requests", (int64_t)answer->store.requests.count);
  jsonl_text(line, "folder", request->out);
  struct jsonl *flows = jsonl_list(line, "flows");
  for (size_t i = 0; i < answer->files.count; i++) {
    const struct draft_file *file = &answer->files.data[i];
    struct text root;
    text_init(&root);
    append_root(&root, answer, file);
    struct jsonl *item = jsonl_item(flows);
    jsonl_text(item, "root", text_get(&root));
    jsonl_integer(item, "calls", (int64_t)file->flow->calls.count);
    jsonl_integer(item, "requests", (int64_t)file->flow->requests.count);
    jsonl_text(item, "name", file->name);
    jsonl_text(item, "reason", file->name == NULL ? file->reason : NULL);
    text_clear(&root);
  }
  jsonl_print(line);
}
