/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kinds of messages as the loop knows them (loop.h): who sends and receives them, and in which
 * order they are taken.
 */
#include "generate/loop.h"

#include "generate/protocol.h"

bool names_receiver(const struct message *message) {
  return message->receiver_field < 0 && message->receiver->count != NULL;
}

/* Whether some action takes it. */
static bool is_taken(const struct model *model, const struct message *message) {
  for (size_t i = 0; i < model->actions.count; i++)
    if (model->actions.items[i]->message == message)
      return true;
  return false;
}

/* --- order ------------------------------------------------------------------------------------ */

/* Whether a message of the one kind overtakes none of the other between the same two nodes. */
static bool is_ordered(const struct message *a, const struct message *b) {
  return a->fifo && b->fifo && a->sender == b->sender && a->receiver == b->receiver;
}

/* Whether all of its FIFO channels may be lost. */
static bool is_lossy(const struct model *model, const struct message *message) {
  for (size_t i = 0; i < model->messages.count; i++)
    if (is_ordered(model->messages.items[i], message) && model->messages.items[i]->loss == NULL)
      return false;
  return message->fifo;
}

/* How many priorities its receiver knows up to this one, beside 0. */
static size_t rank_of(const struct model *model, const struct message *message) {
  size_t rank = 0;
  for (size_t i = 0; i < model->messages.count; i++) {
    const struct message *one = model->messages.items[i];
    bool counts = one->receiver == message->receiver && one->priority > 0 &&
                  one->priority <= message->priority;
    for (size_t j = 0; j < i && counts; j++)
      counts = model->messages.items[j]->receiver != one->receiver ||
               model->messages.items[j]->priority != one->priority;
    rank += counts;
  }
  return rank;
}

size_t role_priorities(const struct model *model, const struct role *role) {
  size_t most = 0;
  for (size_t i = 0; i < model->messages.count; i++) {
    const struct message *message = model->messages.items[i];
    const size_t rank = message->receiver == role ? rank_of(model, message) : 0;
    most = rank > most ? rank : most;
  }
  return most;
}

/* The place of a send among those of the role. */
static size_t place_of(const struct plan_role *plan, const struct effect_send *send) {
  size_t i = 0;
  while (plan->sends.data[i].message != send->statement->message ||
         plan->sends.data[i].number != send->number)
    i++;
  return i;
}

void refuse_order(struct plan_context *context, const struct plan_role *plan,
                  const struct plan_action *action) {
  for (size_t j = 0; j < action->effect.sends.count; j++)
    for (size_t i = 0; i < j; i++) {
      const struct effect_send *first = &action->effect.sends.data[i];
      const struct effect_send *second = &action->effect.sends.data[j];
      if (is_ordered(first->statement->message, second->statement->message) &&
          place_of(plan, first) > place_of(plan, second))
        plan_refuse(context, second->statement->span,
                    "here %s is sent before %s on their FIFO channel and elsewhere behind it, and "
                    "a loop sends them in one order: send them in the same order everywhere, or "
                    "leave --loop away and call the steps",
                    first->statement->message->name, second->statement->message->name);
    }
}

/* --- the table -------------------------------------------------------------------------------- */

static void put_kind(struct code_writer *w, const struct message *m) {
  const struct model *model = w->context->model;
  put(w, "[%s_%s] = {.name = \"%s\"", model->name, m->name, m->name);
  put_break(w, ",", 0);
  put(w, ".delay = \"%s\"", m->delay->name);
  put_break(w, ",", 0);
  put(w, ".fields = %zu", m->field_count);
  put_break(w, ",", 0);
  put(w, ".sender = %zu", m->sender->id);
  put_break(w, ",", 0);
  put(w, ".receiver = %zu", m->receiver->id);
  put_break(w, ",", 0);
  put(w, ".sender_field = %d", m->sender_field);
  put_break(w, ",", 0);
  put(w, ".receiver_field = %d", m->receiver_field);
  const struct {
    bool holds;
    const char *member;
  } marks[] = {{names_receiver(m), "names_receiver"},
               {is_taken(model, m), "taken"},
               {m->fifo, "fifo"},
               {is_lossy(model, m), "lossy"}};
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
    if (marks[i].holds) {
      put_break(w, ",", 0);
      put(w, ".%s = true", marks[i].member);
    }
  if (m->priority != 0) {
    put_break(w, ",", 0);
    put(w, ".priority = %zu", rank_of(model, m));
  }
  put(w, "},");
  end_line(w, 4, 8);
}

void write_kind_table(struct code_writer *w) {
  const struct model *model = w->context->model;
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static const struct tp_kind kinds[] = {");
  for (size_t i = 0; i < model->messages.count; i++)
    put_kind(w, model->messages.items[i]);
  write_line(w, 0, "};");
}
