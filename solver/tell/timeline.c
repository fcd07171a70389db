/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/tell/timeline.h"

#include <string.h>

struct row {
  struct text cells[3]; /* start .. end, who, action */
  struct text details;
};

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
    const struct record_message *m = &r->sent.data[i];
    append_separator(text);
    text_append(text, "sends ");
    interpreter_print_message(text, m->message, m->fields);
    if (valuation == NULL)
      continue;
    text_append(text, ", ");
    append_occurrence(text, m->delay, false, valuation);
    text_append(text, ", arrives ");
    rational_print_short(text, &m->delivered);
  }
  if (r->fault != NULL) {
    append_separator(text);
    text_format(text, "%s %s AGAIN", r->result == STEP_SENT_TWICE ? "sends" : "charges", r->fault);
  }
}

static void fill_times(struct row *row, const struct step_record *first,
                       const struct step_record *last, const struct valuation *valuation) {
  for (size_t i = 0; i < 3; i++)
    text_init(&row->cells[i]);
  text_init(&row->details);
  if (valuation != NULL) {
    rational_print_short(&row->cells[0], &first->start);
    text_append(&row->cells[0], " .. ");
    rational_print_short(&row->cells[0], &last->end);
  }
  interpreter_print_node(&row->cells[1], first->step.action->role, first->step.node);
}

static void fill_row(struct row *row, const struct step_record *r,
                     const struct valuation *valuation) {
  fill_times(row, r, r, valuation);
  const char *dot = strchr(r->step.action->name, '.');
  text_append(&row->cells[2], dot == NULL ? r->step.action->name : dot + 1);
  if (r->step.action->message != NULL) {
    text_append(&row->cells[2], " on ");
    interpreter_print_message(&row->cells[2], r->step.action->message, r->step.fields);
  }
  append_details(&row->details, r, valuation);
}

/* Several idle steps of one node, in one line: they do nothing but take time. */
static void fill_idle_row(struct row *row, const struct step_record *records, size_t count,
                          const struct valuation *valuation) {
  fill_times(row, records, &records[count - 1], valuation);
  text_format(&row->cells[2], "idle, %zu slots", count);
  for (size_t i = 0; i < count; i++) {
    text_append(&row->details, i == 0 ? "takes " : ", ");
    if (records[i].timeout != NULL) {
      append_occurrence(&row->details, records[i].timeout, true, valuation);
      text_append(&row->details, " + ");
    }
    for (size_t c = 0; c < records[i].costs.count; c++)
      append_occurrence(&row->details, records[i].costs.data[c], true, valuation);
  }
}

/* How many records from `at` on share a line. */
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

static size_t fill_rows(struct row *rows, const struct replay *replay,
                        const struct valuation *valuation) {
  size_t filled = 0;
  for (size_t i = 0; i < replay->records.count;) {
    size_t idle = idle_count(replay, i);
    if (idle < 2)
      fill_row(&rows[filled++], &replay->records.data[i], valuation);
    else
      fill_idle_row(&rows[filled++], &replay->records.data[i], idle, valuation);
    i += idle < 2 ? 1 : idle;
  }
  return filled;
}

void timeline_print(struct text *text, const struct replay *replay,
                    const struct valuation *valuation) {
  struct row *rows = mem_alloc(replay->records.count, sizeof *rows);
  size_t count = fill_rows(rows, replay, valuation);
  static const char *const titles[3] = {"time (ns)", "node", "step"};
  size_t widths[3];
  for (size_t c = 0; c < 3; c++)
    widths[c] = strlen(titles[c]);
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < 3; c++)
      if (rows[i].cells[c].length > widths[c])
        widths[c] = rows[i].cells[c].length;
  for (size_t c = valuation == NULL ? 1 : 0; c < 3; c++)
    text_format(text, "    %-*s", (int)widths[c], titles[c]);
  text_append(text, "    what it does\n");
  for (size_t i = 0; i < count; i++) {
    for (size_t c = valuation == NULL ? 1 : 0; c < 3; c++)
      text_format(text, "    %-*s", (int)widths[c], text_get(&rows[i].cells[c]));
    text_format(text, "    %s\n", text_get(&rows[i].details));
    for (size_t c = 0; c < 3; c++)
      text_clear(&rows[i].cells[c]);
    text_clear(&rows[i].details);
  }
  mem_free(rows);
}
