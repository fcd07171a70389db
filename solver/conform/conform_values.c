/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of an instance's occurrences, handed out. Those of messages that did not arrive, or
 * that no step received, are not those that the model was given: they have no end.
 */
#include "solver/conform/inside.h"
#include "solver/judge/valuation.h"

/* Occurrences that have another value than the model's. */
typedef VECTOR(const struct occurrence *) occurrence_list;

struct handing {
  const struct conform *c;
  void (*visit)(void *context, const struct occurrence *occurrence, int64_t ns,
                enum conform_value what);
  void *context;
  occurrence_list special;
};

static void fields_of(int64_t fields[INDEX_COUNT_MAX], const struct conform_event *event) {
  for (size_t i = 0; i < event->what.message->field_count; i++)
    fields[i] = event->arguments[i];
}

static const struct conform_event *find(const event_list *list, const struct message *message,
                                        const int64_t *fields) {
  return index_find(list, message, fields, message->field_count, NULL);
}

static void hand_sent(struct handing *h) {
  const struct conform *c = h->c;
  for (size_t i = 0; i < c->sends.count; i++) {
    const struct message *message = c->sends.data[i]->what.message;
    int64_t fields[INDEX_COUNT_MAX];
    fields_of(fields, c->sends.data[i]);
    if (find(&c->arrivals, message, fields) != NULL)
      continue;
    const struct occurrence *delay = interpreter_delay(c->interpreter, message, fields);
    const struct occurrence *wait = interpreter_wait(c->interpreter, message, fields);
    vector_push(&h->special, delay);
    if (wait != NULL)
      vector_push(&h->special, wait);
    h->visit(h->context, delay, 0, CONFORM_ENDLESS);
  }
}

static void hand_arrived(struct handing *h) {
  const struct conform *c = h->c;
  for (size_t i = 0; i < c->arrivals.count; i++) {
    const struct conform_event *arrival = c->arrivals.data[i];
    const struct message *message = arrival->what.message;
    int64_t fields[INDEX_COUNT_MAX];
    fields_of(fields, arrival);
    const struct occurrence *wait = interpreter_wait(c->interpreter, message, fields);
    if (wait == NULL || message->receiver->external || find(&c->receives, message, fields) != NULL)
      continue;
    int64_t least = c->last_start - since(c, arrival->end);
    vector_push(&h->special, wait);
    h->visit(h->context, wait, least < 0 ? 0 : least, CONFORM_LEAST);
  }
}

static bool is_special(const struct handing *h, const struct occurrence *occurrence) {
  for (size_t i = 0; i < h->special.count; i++)
    if (h->special.data[i] == occurrence)
      return true;
  return false;
}

static bool has_name(const struct conform *c, const struct occurrence *occurrence) {
  const struct component *component = values_component(c->interpreter->model, occurrence);
  return component != NULL && !component->repeated && component->kind != COMPONENT_TIMEOUT;
}

void conform_each_value(const struct conform *c,
                        void (*visit)(void *context, const struct occurrence *occurrence,
                                      int64_t ns, enum conform_value what),
                        void *context) {
  struct handing handing = {.c = c, .visit = visit, .context = context};
  hand_sent(&handing);
  hand_arrived(&handing);
  const struct expression_table *table = &c->interpreter->table;
  for (size_t i = 0; i < table->occurrences.count; i++) {
    const struct occurrence *occurrence = table->occurrences.data[i];
    if (values_is_set(&c->values, occurrence) && has_name(c, occurrence) &&
        !is_special(&handing, occurrence))
      visit(context, occurrence, whole(values_term(&c->values, occurrence)), CONFORM_MEASURED);
  }
  vector_clear(&handing.special);
}
