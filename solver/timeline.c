/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/timeline.h"

#include <string.h>

struct row {
  struct text cells[3]; /* start .. end, who, action */
  struct text details;
};

static void append_occurrence(struct text *text, const struct occurrence *o,
                              const struct valuation *valuation) {
  text_append(text, o->label);
  if (valuation == NULL)
    return;
  text_append(text, " = ");
  rational_print_short(text, valuation->term(o, valuation->context));
}

static void append_costs(struct text *text, const struct record *r,
                         const struct valuation *valuation) {
  for (size_t i = 0; i < r->costs.count; i++) {
    text_append(text, i == 0 ? "takes " : " + ");
    append_occurrence(text, r->costs.data[i], valuation);
  }
}

static void append_separator(struct text *text) {
  if (text->length != 0 && text->data[text->length - 1] != ' ')
    text_append(text, "; ");
}

static void append_details(struct text *text, const struct record *r,
                           const struct valuation *valuation) {
  if (valuation != NULL && r->wait != NULL) {
    text_append(text, "may be late by ");
    append_occurrence(text, r->wait, valuation);
    append_separator(text);
  }
  append_costs(text, r, valuation);
  for (size_t i = 0; i < r->assignments.count; i++) {
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
    append_occurrence(text, m->delay, valuation);
    text_append(text, ", arrives ");
    rational_print_short(text, &m->delivered);
  }
  if (r->fault != NULL) {
    append_separator(text);
    text_format(text, "%s %s AGAIN", r->result == STEP_SENT_TWICE ? "sends" : "charges", r->fault);
  }
}

static void fill_row(struct row *row, const struct record *r, const struct valuation *valuation) {
  for (size_t i = 0; i < 3; i++)
    text_init(&row->cells[i]);
  text_init(&row->details);
  if (valuation != NULL) {
    rational_print_short(&row->cells[0], &r->start);
    text_append(&row->cells[0], " .. ");
    rational_print_short(&row->cells[0], &r->end);
  }
  interpreter_print_node(&row->cells[1], r->step.action->role, r->step.node);
  const char *dot = strchr(r->step.action->name, '.');
  text_append(&row->cells[2], dot == NULL ? r->step.action->name : dot + 1);
  if (r->step.action->message != NULL) {
    text_append(&row->cells[2], " on ");
    interpreter_print_message(&row->cells[2], r->step.action->message, r->step.fields);
  }
  append_details(&row->details, r, valuation);
}

void timeline_print(struct text *text, const struct replay *replay,
                    const struct valuation *valuation) {
  size_t count = replay->records.count;
  struct row *rows = mem_alloc(count, sizeof *rows);
  static const char *const titles[3] = {"time (ns)", "node", "step"};
  size_t widths[3];
  for (size_t c = 0; c < 3; c++)
    widths[c] = strlen(titles[c]);
  for (size_t i = 0; i < count; i++) {
    fill_row(&rows[i], &replay->records.data[i], valuation);
    for (size_t c = 0; c < 3; c++)
      if (rows[i].cells[c].length > widths[c])
        widths[c] = rows[i].cells[c].length;
  }
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
