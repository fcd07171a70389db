/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a step did, the order of steps, and a step as text (step.h).
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "solver/judge/step.h"

void record_init(struct step_record *record) {
  memset(record, 0, sizeof *record);
  rational_init(&record->start);
  rational_init(&record->end);
  rational_init(&record->read_at);
}

void record_clear(struct step_record *record) {
  rational_clear(&record->start);
  rational_clear(&record->end);
  rational_clear(&record->read_at);
  for (size_t i = 0; i < record->sent.count; i++) {
    rational_clear(&record->sent.data[i].left);
    rational_clear(&record->sent.data[i].delivered);
  }
  for (size_t i = 0; i < record->assignments.count; i++) {
    mem_free(record->assignments.data[i].name);
    mem_free(record->assignments.data[i].value);
  }
  vector_clear(&record->costs);
  vector_clear(&record->sent);
  vector_clear(&record->assignments);
  vector_clear(&record->time_assignments);
  vector_clear(&record->powers);
  mem_free(record->fault);
  record->fault = NULL;
}

void record_vector_clear(record_vector *records) {
  for (size_t i = 0; i < records->count; i++)
    record_clear(&records->data[i]);
  vector_clear(records);
}

int step_compare(const struct step *a, const struct step *b) {
  if (a->action != b->action)
    return a->action->id < b->action->id ? -1 : 1;
  if (a->node != b->node)
    return a->node < b->node ? -1 : 1;
  for (size_t i = 0; i < INDEX_COUNT_MAX; i++)
    if (a->fields[i] != b->fields[i])
      return a->fields[i] < b->fields[i] ? -1 : 1;
  for (size_t i = 0; i < CHOICES_MAX; i++)
    if (a->choices[i] != b->choices[i])
      return a->choices[i] < b->choices[i] ? -1 : 1;
  return 0;
}

static size_t field_count(const struct action *action) {
  return action->message == NULL ? 0 : action->message->field_count;
}

size_t step_argument_count(const struct action *action) {
  return field_count(action) + action->choice_count;
}

/* Where the argument is kept. */
static int64_t *argument(struct step *step, size_t index) {
  size_t fields = field_count(step->action);
  return index < fields ? &step->fields[index] : &step->choices[index - fields];
}

int64_t step_argument(const struct step *step, size_t index) {
  struct step copy = *step;
  return *argument(&copy, index);
}

void step_set_argument(struct step *step, size_t index, int64_t value) {
  *argument(step, index) = value;
}

void step_print_choices(struct text *text, const struct step *step) {
  for (size_t i = 0; i < step->action->choice_count; i++)
    text_format(text, "%s%" PRId64, i == 0 ? "(" : ", ", step->choices[i]);
  if (step->action->choice_count != 0)
    text_append(text, ")");
}

void step_print_action(struct text *text, const struct step *step) {
  const struct action *action = step->action;
  const char *dot = strchr(action->name, '.');
  text_append(text, action->loses ? "loses" : dot == NULL ? action->name : dot + 1);
  step_print_choices(text, step);
  if (action->message == NULL)
    return;
  text_append(text, action->loses ? " " : " on ");
  interpreter_print_message(text, action->message, step->fields);
}

void step_print(struct text *text, const struct step *step) {
  interpreter_print_node(text, step->action->role, step->node);
  text_append(text, step->action->loses ? " " : ".");
  step_print_action(text, step);
}
