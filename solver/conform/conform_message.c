/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Matches messages of the model with recorded sends, arrivals and waits (inside.h).
 */
#include <string.h>

#include "solver/conform/inside.h"

#include "base/duration.h"

static const struct conform_event *find(const event_list *list, const struct message *message,
                                        const int64_t *fields, size_t *place) {
  return index_find(list, message, fields, message->field_count, place);
}

static bool is_close(const struct conform *c, int64_t a, int64_t b) {
  return a - b <= c->settings.slack_ns && b - a <= c->settings.slack_ns;
}

static int64_t at_least(int64_t value, int64_t least) {
  return value < least ? least : value;
}

/* The message of a receive is not in the world: what the recording says of it. */
static void explain_missing(struct conform *c, const char *label) {
  const struct conform_event *sent = find(&c->sends, c->step.action->message, c->step.fields, NULL);
  struct text late;
  text_init(&late);
  if (sent == NULL) {
    misfit(c, CONFORM_LACKS, c->event, "receives %s, which nobody has sent", label);
  } else if (c->settings.timed && sent->start > c->event->start) {
    duration_print_nearest(&late, sent->start - c->event->start);
    misfit(c, CONFORM_MISFIT, c->event, "receives %s, which is sent only %s later", label,
           text_get(&late));
  } else {
    misfit(c, CONFORM_LACKS, c->event, "receives %s, which no step recorded before has sent",
           label);
  }
  text_clear(&late);
}

/* At another node than the one that the message is sent to, or of a message to another. */
static bool is_astray(const struct conform_event *event, const struct world_message *m) {
  size_t fields = m->message->field_count;
  return event->role != m->message->receiver || event->node != m->receiver ||
         (event->count > fields && event->arguments[fields] != m->receiver);
}

static bool fits_wait(const struct conform *c, const struct conform_event *wait,
                      const struct conform_event *arrival) {
  return is_close(c, wait->end, c->event->start) && is_close(c, wait->start, arrival->end);
}

static void complain_wait(struct conform *c, const struct world_message *m) {
  const struct conform_event *wait = find(&c->waits, c->step.action->message, c->step.fields, NULL);
  if (is_astray(wait, m)) {
    misfit(c, CONFORM_MISFIT, wait, "is taken out of the queue of a node that it is not sent to");
    return;
  }
  const struct conform_event *arrival =
      find(&c->arrivals, c->step.action->message, c->step.fields, NULL);
  bool begins = is_close(c, wait->end, c->event->start);
  int64_t off = begins ? wait->start - arrival->end : wait->end - c->event->start;
  struct text by;
  text_init(&by);
  duration_print_nearest(&by, off < 0 ? -off : off);
  misfit(c, CONFORM_MISFIT, wait, "%s %s %s %s",
         begins ? "begins to wait" : "is taken out of the queue", text_get(&by),
         off < 0 ? "before" : "after", begins ? "it arrives" : "the step that receives it starts");
  text_clear(&by);
}

static void complain_receipt(struct conform *c, const struct world_message *m) {
  struct text label, to;
  text_init(&label);
  text_init(&to);
  interpreter_print_message(&label, c->step.action->message, c->step.fields);
  if (m == NULL) {
    explain_missing(c, text_get(&label));
  } else if (m->receiver != c->step.node) {
    interpreter_print_node(&to, m->message->receiver, m->receiver);
    misfit(c, CONFORM_MISFIT, c->event, "receives %s, which is sent to %s", text_get(&label),
           text_get(&to));
  } else if (m->received) {
    misfit(c, CONFORM_MISFIT, c->event, "receives %s a second time", text_get(&label));
  } else if (c->settings.timed && find(&c->arrivals, m->message, m->fields, NULL) == NULL) {
    misfit(c, CONFORM_LACKS, c->event, "receives %s, whose arrival is not recorded",
           text_get(&label));
  } else {
    complain_wait(c, m);
  }
  text_clear(&label);
  text_clear(&to);
}

/* Whether there is nothing to say of it. */
static bool is_receipt(struct conform *c, const struct world_message *m) {
  if (m == NULL || m->receiver != c->step.node || m->received)
    return false;
  if (!c->settings.timed)
    return true;
  const struct conform_event *arrival = find(&c->arrivals, m->message, m->fields, NULL);
  const struct conform_event *wait = find(&c->waits, m->message, m->fields, NULL);
  return arrival != NULL && (wait == NULL || (!is_astray(wait, m) && fits_wait(c, wait, arrival)));
}

bool match_receipt(struct conform *c, int64_t *delivered) {
  const struct world_message *m = step_message(c->world, &c->step);
  if (!is_receipt(c, m)) {
    complain_receipt(c, m);
    return false;
  }
  *delivered = c->settings.timed ? whole(&m->delivered) : 0;
  return true;
}

/* Whether what the receiver recorded agrees with the sending. */
static bool match_arrival(struct conform *c, const struct world_message *m,
                          const struct conform_event *sent, const struct conform_event *arrival) {
  struct text text;
  text_init(&text);
  bool good = false;
  if (is_astray(arrival, m)) {
    interpreter_print_node(&text, m->message->receiver, m->receiver);
    misfit(c, CONFORM_MISFIT, arrival, "arrives at another node; it is sent to %s",
           text_get(&text));
  } else if (c->settings.timed && !arrival->sending_unknown &&
             !is_close(c, arrival->start, sent->start)) {
    duration_print_nearest(&text, arrival->start - sent->start);
    misfit(c, CONFORM_MISFIT, arrival,
           "is said by its receiver to have been sent %s later than by "
           "its sender",
           text_get(&text));
  } else if (c->settings.timed && arrival->end < c->event->end - c->settings.slack_ns) {
    conform_print_event(&text, c->event);
    misfit(c, CONFORM_MISFIT, arrival, "arrives before the end of the step that sends it, %s",
           text_get(&text));
  } else {
    good = true;
  }
  text_clear(&text);
  return good;
}

static bool is_held(const struct world_message *m) {
  return m->message->pacer != NULL && m->message->pacer->holds;
}

/* When a message that the step has just sent leaves, since time 0: in the model nothing is added to
 * that yet (step_term answers 0 for delays). */
static int64_t leaving(const struct conform *c, const struct world_message *m) {
  int64_t end = since(c, c->event->end), left = 0;
  if (is_held(m))
    rational_ceil(&left, &m->delivered);
  return at_least(left, end);
}

/* Whether the moment of sending is one of the step; of what a pacer may hold, whether it leaves no
 * sooner than that allows. What it leaves later is part of its delay. */
static bool is_in_time(const struct conform *c, const struct world_message *m,
                       const struct conform_event *sent) {
  int64_t slack = c->settings.slack_ns;
  if (!c->settings.timed)
    return true;
  if (is_held(m))
    return since(c, sent->start) >= leaving(c, m) - slack - c->settings.rounding_ns;
  return sent->start >= c->event->start - slack && sent->start <= c->event->end + slack;
}

static void complain_pacer(struct conform *c, const struct world_message *m,
                           const struct conform_event *sent) {
  struct text early;
  text_init(&early);
  duration_print_nearest(&early, leaving(c, m) - since(c, sent->start));
  misfit(c, CONFORM_MISFIT, sent, "leaves %s before its pacer lets it (%s)", text_get(&early),
         m->message->pacer->text);
  text_clear(&early);
}

static bool match_send(struct conform *c, const struct world_message *m,
                       const struct conform_event *sent) {
  size_t fields = m->message->field_count;
  bool elsewhere = sent->role != c->event->role || sent->node != c->event->node;
  bool outside = !is_in_time(c, m, sent);
  bool astray = sent->count > fields && sent->arguments[fields] != m->receiver;
  if (!elsewhere && !outside && !astray)
    return true;
  struct text step, to;
  text_init(&step);
  text_init(&to);
  conform_print_event(&step, c->event);
  interpreter_print_node(&to, m->message->receiver, m->receiver);
  if (elsewhere)
    misfit(c, CONFORM_MISFIT, sent, "is sent by another node than the one whose step sends it, %s",
           text_get(&step));
  else if (outside && is_held(m))
    complain_pacer(c, m, sent);
  else if (outside)
    misfit(c, CONFORM_MISFIT, sent, "is sent outside the step that sends it, %s", text_get(&step));
  else
    misfit(c, CONFORM_MISFIT, sent, "is sent to another node than in the protocol, which says %s",
           text_get(&to));
  text_clear(&step);
  text_clear(&to);
  return false;
}

static bool is_takeable(const struct conform *c, const struct world_message *m) {
  for (size_t i = 0; i < c->takeable.count; i++)
    if (c->takeable.data[i].message == m->message &&
        memcmp(c->takeable.data[i].fields, m->fields, sizeof m->fields) == 0)
      return true;
  return false;
}

/* Of an action that reads its clock the guards say nothing before it does. */
static bool can_be_taken(struct conform *c, const struct world_message *m) {
  const struct model *model = c->interpreter->model;
  for (size_t a = 0; a < model->actions.count; a++)
    if (model->actions.items[a]->message == m->message && model->actions.items[a]->read != NULL)
      return true;
  struct valuation valuation = stepping_valuation(c);
  return step_could_take(c->world, m, &valuation);
}

void watch_untaken(struct conform *c) {
  for (size_t i = 0; i < c->world->messages.count; i++) {
    const struct world_message *m = &c->world->messages.data[i];
    if (m->received || m->message->receiver->external || is_takeable(c, m) || !can_be_taken(c, m))
      continue;
    struct takeable made = {.message = m->message};
    memcpy(made.fields, m->fields, sizeof m->fields);
    vector_push(&c->takeable, made);
  }
}

/* Values of the eager model depend on what comes later: how long a message waits that is under way,
 * and for messages nobody takes as long as anything happens. */
static void set_eager_values(struct conform *c, const struct world_message *m, int64_t sent,
                             bool arrived, int64_t delivered) {
  struct interpreter *in = c->interpreter;
  if (!arrived)
    set_value(c, interpreter_delay(in, m->message, m->fields), delivered - sent);
  const struct occurrence *wait = interpreter_wait(in, m->message, m->fields);
  if (wait == NULL)
    return;
  const struct conform_event *taken = find(&c->receives, m->message, m->fields, NULL);
  int64_t until = taken == NULL ? c->last_start : since(c, taken->start);
  if (taken == NULL && c->untaken == WAIT_KNOWN && !is_takeable(c, m))
    until = delivered;
  set_value(c, wait, at_least(until - delivered, 0));
}

/* --- losses ----------------------------------------------------------------------------------- */

static const struct action *loss_of(const struct model *model, const struct message *message) {
  for (size_t i = 0; i < model->actions.count; i++)
    if (model->actions.items[i]->loses && model->actions.items[i]->message == message)
      return model->actions.items[i];
  bug("a message that is lost has no action for it");
}

/* How many of the kind its receiver has missed, or is to miss. */
static int64_t missed(const struct conform *c, const struct world_message *m) {
  int64_t count = *world_cell(c->world, m->message->loss->state, m->receiver);
  for (size_t i = 0; i < c->losses.count; i++)
    count +=
        c->losses.data[i].action->message == m->message && c->losses.data[i].node == m->receiver;
  return count;
}

/* Whether the message is lost: what nobody receives, as long as so many may be. */
static bool note_loss(struct conform *c, const struct world_message *m, bool arrived) {
  if (m->message->loss == NULL || arrived ||
      find(&c->receives, m->message, m->fields, NULL) != NULL)
    return false;
  struct interpretation e = {
      .interpreter = c->interpreter, .world = c->world, .bindings = c->bindings};
  if (missed(c, m) >= evaluate_scalar(&e, m->message->loss->most))
    return false;
  struct step step = {.action = loss_of(c->interpreter->model, m->message), .node = m->receiver};
  for (size_t f = 0; f < m->message->field_count; f++)
    step_set_argument(&step, f, m->fields[f]);
  vector_push(&c->losses, step);
  return true;
}

void take_losses(struct conform *c) {
  bool some = true;
  struct valuation valuation = stepping_valuation(c);
  while (some) {
    some = false;
    for (size_t i = 0; i < c->losses.count && !some; i++) {
      some = step_take(c->world, &c->losses.data[i], c->settings.timed ? &valuation : NULL, NULL) ==
             STEP_TAKEN;
      if (!some)
        continue;
      c->here.lost++;
      c->losses.data[i] = c->losses.data[--c->losses.count];
    }
  }
}

/* --- times ------------------------------------------------------------------------------------ */

static void give_times(struct conform *c, struct world_message *m, const struct conform_event *sent,
                       const struct conform_event *arrival, bool lost) {
  bool eager =
      c->interpreter->model->timing == TIMING_EAGER && !m->message->receiver->external && !lost;
  int64_t end = since(c, c->event->end), left = leaving(c, m), from = since(c, sent->start);
  int64_t delivered = left;
  if (is_held(m) && left < from)
    from = left;
  if (arrival != NULL)
    delivered = at_least(since(c, arrival->end), left);
  else if (eager)
    delivered = at_least(c->last_start, left);
  rational_set_integer(&m->sent_at, end);
  rational_set_integer(&m->delivered, delivered);
  if (arrival != NULL)
    set_value(c, interpreter_delay(c->interpreter, m->message, m->fields),
              at_least(since(c, arrival->end) - from, 0));
  if (eager)
    set_eager_values(c, m, from, arrival != NULL, delivered);
}

static bool match_one(struct conform *c, struct world_message *m) {
  size_t place;
  const struct conform_event *sent = find(&c->sends, m->message, m->fields, &place);
  if (sent == NULL) {
    struct text label;
    text_init(&label);
    interpreter_print_message(&label, m->message, m->fields);
    misfit(c, CONFORM_LACKS, c->event, "sends %s in the protocol, but not in the recording",
           text_get(&label));
    text_clear(&label);
    return false;
  }
  c->used[place] = true;
  if (!match_send(c, m, sent))
    return false;
  const struct conform_event *arrival = find(&c->arrivals, m->message, m->fields, NULL);
  if (arrival != NULL && !match_arrival(c, m, sent, arrival))
    return false;
  bool lost = note_loss(c, m, arrival != NULL);
  if (c->settings.timed)
    give_times(c, m, sent, arrival, lost);
  c->here.messages++;
  vector_push(&c->sent_now, m->message);
  return true;
}

bool match_sends(struct conform *c, size_t step_number) {
  c->sent_now.count = 0;
  for (size_t i = 0; i < c->world->messages.count; i++) {
    struct world_message *m = &c->world->messages.data[i];
    if (m->sent_by == step_number && !match_one(c, m))
      return false;
  }
  return true;
}

void leftovers(struct conform *c) {
  for (size_t i = 0; i < c->sends.count; i++)
    if (!c->used[i])
      misfit(c, CONFORM_LACKS, c->sends.data[i],
             "is sent in the recording, but by no step that the protocol takes there");
  for (size_t i = 0; i < c->waits.count; i++) {
    const struct conform_event *wait = c->waits.data[i];
    int64_t fields[INDEX_COUNT_MAX] = {0};
    for (size_t f = 0; f < wait->what.message->field_count; f++)
      fields[f] = wait->arguments[f];
    if (!wait->what.message->receiver->external &&
        find(&c->receives, wait->what.message, fields, NULL) == NULL)
      misfit(c, CONFORM_LACKS, wait, "is taken out of the queue, but no step receives it");
  }
  if (c->settings.timed)
    leftover_parts(c);
}
