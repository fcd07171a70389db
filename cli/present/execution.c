/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/execution.h"

#include <stdio.h>

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

void execution_format(struct text *text, const struct timeline *execution) {
  struct table table;
  fill(&table, execution);
  table_format(text, &table, 4, SIZE_MAX);
  table_clear(&table);
  if (execution->remark != NULL)
    text_format(text, "\n  %s\n", execution->remark);
}

/* --- as a part of a document ------------------------------------------------------------------ */

static const struct object_key step_keys[] = {KEY("node", TEXT, .marks = MARK_NAMES),
                                              KEY("step", TEXT, .marks = MARK_NAMES),
                                              KEY("what", TEXT),
                                              KEY("start_ns", DECIMAL, .marks = MARK_MAYBE),
                                              KEY("end_ns", DECIMAL, .marks = MARK_MAYBE),
                                              {0}};
const struct object_kind execution_step_kind = {"step", NULL, step_keys};

static const struct object_key message_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("sent_by", COUNT),
    KEY("receiver", TEXT, .marks = MARK_NAMES | MARK_NULL),
    KEY("left_ns", DECIMAL, .marks = MARK_MAYBE, .note = "where a pacer holds it"),
    KEY("delivered_ns", DECIMAL, .marks = MARK_MAYBE),
    KEY("received_by", COUNT, .marks = MARK_MAYBE, .note = "both count the steps from 0"),
    {0}};
const struct object_kind execution_message_kind = {"message", NULL, message_keys};

void execution_show(struct document *document, const struct timeline *execution) {
  struct table table;
  struct text text;
  text_init(&text);
  fill(&table, execution);
  document_grid(document, LINES_APART, 4, &table);
  text_append(&text, execution->remark == NULL ? "" : execution->remark);
  document_take(document, LINES_APART, 2, &text);
}

static void put_number(struct objects *objects, const char *key, const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print_short(&text, value);
  object_text(objects, key, text.data);
  text_clear(&text);
}

static void put_steps(struct objects *steps, const struct timeline *execution) {
  for (size_t i = 0; i < execution->rows.count; i++) {
    const struct timeline_row *row = &execution->rows.data[i];
    objects_add(steps);
    object_text(steps, "node", row->node);
    object_text(steps, "step", row->step);
    object_text(steps, "what", row->what);
    if (execution->timed) {
      put_number(steps, "start_ns", &row->start);
      put_number(steps, "end_ns", &row->end);
    }
  }
}

static void put_messages(struct objects *messages, const struct timeline *execution) {
  for (size_t i = 0; i < execution->messages.count; i++) {
    const struct timeline_message *message = &execution->messages.data[i];
    objects_add(messages);
    object_text(messages, "name", message->name);
    object_count(messages, "sent_by", message->sent);
    object_text(messages, "receiver", message->receiver);
    if (execution->timed && message->held)
      put_number(messages, "left_ns", &message->left);
    if (execution->timed)
      put_number(messages, "delivered_ns", &message->delivered);
    if (message->received != TIMELINE_NEVER)
      object_count(messages, "received_by", message->received);
  }
}

void constants_put(struct objects *objects, const char *key, const constant_vector *constants) {
  object_map(objects, key);
  for (size_t i = 0; i < constants->count; i++) {
    struct text text;
    text_init(&text);
    rational_print_short(&text, &constants->data[i].value);
    object_pair_digits(objects, key, constants->data[i].name, text.data);
    text_clear(&text);
  }
}

void execution_put(struct objects *objects, const char *prefix, const struct timeline *execution) {
  char key[40];
  struct text text;
  text_init(&text);
  execution_format(&text, execution);
  snprintf(key, sizeof key, "%sexecution", prefix);
  object_text(objects, key, text_get(&text));
  text_clear(&text);
  snprintf(key, sizeof key, "%sconstants_ns", prefix);
  constants_put(objects, key, &execution->constants);
  snprintf(key, sizeof key, "%ssteps", prefix);
  put_steps(object_list(objects, key), execution);
  snprintf(key, sizeof key, "%smessages", prefix);
  put_messages(object_list(objects, key), execution);
}
