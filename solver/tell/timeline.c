/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/tell/timeline.h"
#include "base/text.h"
#include "solver/judge/replay.h"
#include "solver/judge/step.h"
#include "solver/judge/valuation.h"

#include <string.h>

/* A choice without a name is known by its component's. */
static void append_occurrence(struct text *text, const struct occurrence *o, bool nameless,
                              const struct valuation *valuation) {
  text_append(text, nameless ? o->component : o->label);
  if (valuation == NULL)
    return;
  text_append(text, " = ");
  rational_print_short(text, valuation->term(o, valuation->context));
}

static bool is_nameless(const struct step_record *r, const struct occurrence *o) {
  const struct action *action = r->step.action;
  for (size_t i = 0; i < action->cost_count; i++)
    if (action->costs[i]->component->repeated &&
        strcmp(action->costs[i]->component->name, o->component) == 0)
      return true;
  return false;
}

static void append_costs(struct text *text, const struct step_record *r,
                         const struct valuation *valuation) {
  for (size_t i = 0; i < r->costs.count; i++) {
    text_append(text, i == 0 ? "takes " : " + ");
    append_occurrence(text, r->costs.data[i], is_nameless(r, r->costs.data[i]), valuation);
  }
}

static void append_separator(struct text *text) {
  if (text->length != 0 && text->data[text->length - 1] != ' ')
    text_append(text, "; ");
}

/* The step's name says where in its loop the node is. */
static bool is_slot(const struct step_record *r, const struct record_assignment *assignment) {
  const struct schedule *schedule = r->step.action->schedule;
  return schedule != NULL && strcmp(assignment->name, schedule->state->name) == 0;
}

/* Whether a pacer may hold it, so that it leaves later than its step ends. */
static bool is_held(const struct record_message *m) {
  return m->message->pacer != NULL && m->message->pacer->holds;
}

static void append_sent(struct text *text, const struct record_message *m,
                        const struct valuation *valuation) {
  text_append(text, "sends ");
  interpreter_print_message(text, m->message, m->fields);
  if (valuation == NULL)
    return;
  if (is_held(m)) {
    text_append(text, ", leaves ");
    rational_print_short(text, &m->left);
  }
  text_append(text, ", ");
  append_occurrence(text, m->delay, false, valuation);
  text_append(text, ", arrives ");
  rational_print_short(text, &m->delivered);
}

static void append_details(struct text *text, const struct step_record *r,
                           const struct valuation *valuation) {
  if (valuation != NULL && r->wait != NULL) {
    text_append(text, "may be late by ");
    append_occurrence(text, r->wait, false, valuation);
    append_separator(text);
  }
  if (r->timeout != NULL) {
    text_append(text, "waits ");
    append_occurrence(text, r->timeout, true, valuation);
    append_separator(text);
  }
  append_costs(text, r, valuation);
  if (r->read != NULL) {
    append_separator(text);
    text_append(text, "reads ");
    rational_print_short(text, &r->read_at);
  }
  for (size_t i = 0; i < r->assignments.count; i++) {
    if (is_slot(r, &r->assignments.data[i]))
      continue;
    append_separator(text);
    text_format(text, "%s := %s", r->assignments.data[i].name, r->assignments.data[i].value);
  }
  for (size_t i = 0; i < r->sent.count; i++) {
    append_separator(text);
    append_sent(text, &r->sent.data[i], valuation);
  }
  if (r->fault != NULL) {
    append_separator(text);
    text_format(text, "%s %s AGAIN", r->result == STEP_SENT_TWICE ? "sends" : "charges", r->fault);
  }
}

static char *node_name(const struct role *role, int64_t node) {
  struct text text;
  text_init(&text);
  interpreter_print_node(&text, role, node);
  return text_take(&text);
}

static char *message_name(const struct message *message, const int64_t *fields) {
  struct text text;
  text_init(&text);
  interpreter_print_message(&text, message, fields);
  return text_take(&text);
}

/* The row from the first record to the last, which are of one node; step and details are taken. */
static void add_row(struct timeline *timeline, const struct step_record *first,
                    const struct step_record *last, struct text *step, struct text *details) {
  struct timeline_row row = {
      .node = node_name(first->step.action->role, first->step.node),
      .step = mem_copy_text(text_get(step), step->length),
      .what = mem_copy_text(text_get(details), details->length),
  };
  rational_init(&row.start);
  rational_init(&row.end);
  rational_set(&row.start, &first->start);
  rational_set(&row.end, &last->end);
  vector_push(&timeline->rows, row);
  text_clear(step);
  text_clear(details);
}

static void add_step(struct timeline *timeline, const struct step_record *r,
                     const struct valuation *valuation) {
  struct text step, details;
  text_init(&step);
  text_init(&details);
  step_print_action(&step, &r->step);
  append_details(&details, r, valuation);
  add_row(timeline, r, r, &step, &details);
}

/* Several idle steps of one node, in one row: they do nothing but take time. */
static void add_idle(struct timeline *timeline, const struct step_record *records, size_t count,
                     const struct valuation *valuation) {
  struct text step, details;
  text_init(&step);
  text_init(&details);
  text_format(&step, "idle, %zu slots", count);
  for (size_t i = 0; i < count; i++) {
    text_append(&details, i == 0 ? "takes " : ", ");
    if (records[i].timeout != NULL) {
      append_occurrence(&details, records[i].timeout, true, valuation);
      text_append(&details, " + ");
    }
    for (size_t c = 0; c < records[i].costs.count; c++)
      append_occurrence(&details, records[i].costs.data[c], true, valuation);
  }
  add_row(timeline, records, &records[count - 1], &step, &details);
}

/* How many records from `at` on share a row. */
static size_t idle_count(const struct replay *replay, size_t at) {
  const struct step *first = &replay->records.data[at].step;
  size_t count = 0;
  while (at + count < replay->records.count) {
    const struct step *step = &replay->records.data[at + count].step;
    if (!step->action->idle || step->node != first->node ||
        step->action->role != first->action->role)
      break;
    count++;
  }
  return count;
}

/* A message is known by what it is called: an identity is sent at most once. */
static void receive(struct timeline *timeline, const struct step *step) {
  if (step->action->message == NULL || step->action->loses)
    return;
  char *name = message_name(step->action->message, step->fields);
  for (size_t i = 0; i < timeline->messages.count; i++) {
    struct timeline_message *message = &timeline->messages.data[i];
    if (message->received == TIMELINE_NEVER && strcmp(message->name, name) == 0)
      message->received = timeline->rows.count - 1;
  }
  mem_free(name);
}

static void send_all(struct timeline *timeline, const struct step_record *r) {
  for (size_t i = 0; i < r->sent.count; i++) {
    const struct record_message *m = &r->sent.data[i];
    struct timeline_message message = {
        .name = message_name(m->message, m->fields),
        .receiver = node_name(m->message->receiver, m->receiver),
        .sent = timeline->rows.count - 1,
        .received = TIMELINE_NEVER,
        .held = is_held(m),
    };
    rational_init(&message.left);
    rational_set(&message.left, &m->left);
    rational_init(&message.delivered);
    rational_set(&message.delivered, &m->delivered);
    vector_push(&timeline->messages, message);
  }
}

struct timeline *timeline_new(const struct model *model, const struct replay *replay,
                              const struct valuation *valuation) {
  struct timeline *timeline = mem_alloc(1, sizeof *timeline);
  *timeline = (struct timeline){.timed = valuation != NULL};
  if (valuation != NULL)
    constants_take(&timeline->constants, model, valuation);
  for (size_t i = 0; i < replay->records.count;) {
    const struct step_record *record = &replay->records.data[i];
    size_t idle = idle_count(replay, i), taken = idle < 2 ? 1 : idle;
    if (idle < 2)
      add_step(timeline, record, valuation);
    else
      add_idle(timeline, record, idle, valuation);
    for (size_t k = 0; k < taken; k++) {
      receive(timeline, &record[k].step);
      send_all(timeline, &record[k]);
    }
    i += taken;
  }
  return timeline;
}

void timeline_free(struct timeline *timeline) {
  if (timeline == NULL)
    return;
  for (size_t i = 0; i < timeline->rows.count; i++) {
    struct timeline_row *row = &timeline->rows.data[i];
    mem_free(row->node);
    mem_free(row->step);
    mem_free(row->what);
    rational_clear(&row->start);
    rational_clear(&row->end);
  }
  for (size_t i = 0; i < timeline->messages.count; i++) {
    mem_free(timeline->messages.data[i].name);
    mem_free(timeline->messages.data[i].receiver);
    rational_clear(&timeline->messages.data[i].left);
    rational_clear(&timeline->messages.data[i].delivered);
  }
  constants_clear(&timeline->constants);
  vector_clear(&timeline->rows);
  vector_clear(&timeline->messages);
  mem_free(timeline->remark);
  mem_free(timeline);
}
