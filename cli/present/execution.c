/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/execution.h"

#include "show/table.h"
#include "show/wrapped.h"

static void fill(struct table *table, const struct timeline *execution) {
  table_init(table);
  if (execution->timed)
    table_column(table, TABLE_LEFT, "time (ns)");
  table_column(table, TABLE_LEFT, "node");
  table_column(table, TABLE_LEFT, "step");
  table_column(table, TABLE_LEFT, "what it does");
  for (size_t i = 0; i < execution->rows.count; i++) {
    const struct timeline_row *row = &execution->rows.data[i];
    struct text time;
    text_init(&time);
    if (execution->timed) {
      rational_print_short(&time, &row->start);
      text_append(&time, " .. ");
      rational_print_short(&time, &row->end);
      table_take(table, &time);
    }
    table_cell(table, "%s", row->node);
    table_cell(table, "%s", row->step);
    table_cell(table, "%s", row->what);
  }
}

void execution_print(const struct timeline *execution) {
  struct table table;
  fill(&table, execution);
  table_print(stdout, &table, 4);
  table_clear(&table);
  if (execution->remark == NULL)
    return;
  putchar('\n');
  wrapped_format(2, 2, "%s", execution->remark);
}

void execution_format(struct text *text, const struct timeline *execution) {
  struct table table;
  fill(&table, execution);
  table_format(text, &table, 4, SIZE_MAX);
  table_clear(&table);
  if (execution->remark != NULL)
    text_format(text, "\n  %s\n", execution->remark);
}

static void put_number(struct jsonl *json, const char *key, const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print_short(&text, value);
  jsonl_text(json, key, text.data);
  text_clear(&text);
}

static void put_message(struct jsonl *list, const struct timeline *execution,
                        const struct timeline_message *message) {
  struct jsonl *item = jsonl_item(list);
  jsonl_text(item, "name", message->name);
  jsonl_integer(item, "sent_by", (int64_t)message->sent);
  jsonl_text(item, "receiver", message->receiver);
  if (execution->timed && message->held)
    put_number(item, "left_ns", &message->left);
  if (execution->timed)
    put_number(item, "delivered_ns", &message->delivered);
  if (message->received != TIMELINE_NEVER)
    jsonl_integer(item, "received_by", (int64_t)message->received);
}

void execution_json(struct jsonl *json, const struct timeline *execution) {
  struct text text;
  text_init(&text);
  execution_format(&text, execution);
  jsonl_text(json, "execution", text_get(&text));
  text_clear(&text);
  struct jsonl *constants = jsonl_inside(json, "constants_ns");
  for (size_t i = 0; i < execution->constants.count; i++)
    put_number(constants, execution->constants.data[i].name, &execution->constants.data[i].value);
  struct jsonl *steps = jsonl_list(json, "steps");
  for (size_t i = 0; i < execution->rows.count; i++) {
    const struct timeline_row *row = &execution->rows.data[i];
    struct jsonl *item = jsonl_item(steps);
    jsonl_text(item, "node", row->node);
    jsonl_text(item, "step", row->step);
    jsonl_text(item, "what", row->what);
    if (execution->timed) {
      put_number(item, "start_ns", &row->start);
      put_number(item, "end_ns", &row->end);
    }
  }
  struct jsonl *messages = jsonl_list(json, "messages");
  for (size_t i = 0; i < execution->messages.count; i++)
    put_message(messages, execution, &execution->messages.data[i]);
}
