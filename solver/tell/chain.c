/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/tell/chain.h"
#include "base/expression.h"
#include "base/text.h"
#include "lang/model.h"
#include "solver/judge/interpreter.h"
#include "solver/judge/replay.h"
#include "solver/judge/step.h"

#include <string.h>

enum { NONE = -1 };

static void add_domino(domino_vector *chain, struct text *what, struct text *adds,
                       const struct rational *from, const struct rational *until) {
  struct domino d = {.what = text_take(what), .adds = text_take(adds)};
  rational_init(&d.amount);
  rational_init(&d.until);
  rational_set(&d.until, until);
  rational_sub(&d.amount, until, from);
  vector_push(chain, d);
}

static void append_node(struct text *text, const struct step_record *r) {
  interpreter_print_node(text, r->step.action->role, r->step.node);
}

/* Executions of repeated components have no names of their own. */
static const char *cost_name(const struct step_record *r, const struct occurrence *o) {
  const struct action *action = r->step.action;
  for (size_t i = 0; i < action->cost_count; i++)
    if (action->costs[i]->component->repeated &&
        strcmp(action->costs[i]->component->name, o->component) == 0)
      return o->component;
  return o->label;
}

static void add_step(domino_vector *chain, const struct step_record *r) {
  struct text what, adds;
  text_init(&what);
  text_init(&adds);
  append_node(&what, r);
  text_append(&what, " does ");
  step_print_action(&what, &r->step);
  for (size_t i = 0; i < r->costs.count; i++)
    text_format(&adds, "%s%s", i == 0 ? "" : " + ", cost_name(r, r->costs.data[i]));
  add_domino(chain, &what, &adds, &r->start, &r->end);
}

static void add_hold(domino_vector *chain, const struct record_message *m,
                     const struct rational *sent) {
  struct text what, adds;
  text_init(&what);
  text_init(&adds);
  interpreter_print_message(&what, m->message, m->fields);
  text_append(&what, " waits for its pacer");
  text_format(&adds, "\"%s\"", m->message->pacer->text);
  add_domino(chain, &what, &adds, sent, &m->left);
}

/* Since the end of the step that sends it, at `sent`. */
static void add_travel(domino_vector *chain, const struct record_message *m,
                       const struct rational *sent) {
  struct text what, adds;
  text_init(&what);
  text_init(&adds);
  interpreter_print_message(&what, m->message, m->fields);
  text_append(&what, " is under way");
  text_append(&adds, m->delay->label);
  add_domino(chain, &what, &adds, &m->left, &m->delivered);
  if (rational_compare(sent, &m->left) < 0)
    add_hold(chain, m, sent);
}

/* Until the step's start the node waits, for the reason given. */
static void add_wait(domino_vector *chain, const struct step_record *r, const char *why,
                     const char *adds_up_to, const struct rational *from) {
  struct text what, adds;
  text_init(&what);
  text_init(&adds);
  append_node(&what, r);
  text_format(&what, " %s", why);
  if (adds_up_to != NULL)
    text_append(&adds, adds_up_to);
  add_domino(chain, &what, &adds, from, &r->start);
}

static bool is_of_node(const struct step_record *r, const struct step_record *other) {
  return r->step.action->role == other->step.action->role && r->step.node == other->step.node;
}

/* The latest step of the node before record `k`. */
static long previous(const struct replay *replay, long k) {
  const struct step_record *records = replay->records.data;
  for (long i = k - 1; i >= 0; i--)
    if (is_of_node(&records[i], &records[k]))
      return i;
  return NONE;
}

/* The step that sent the message record `k` receives. */
static long sender(const struct replay *replay, long k, const struct record_message **message) {
  const struct step_record *records = replay->records.data;
  for (long i = k - 1; i >= 0 && records[k].wait_delay != NULL; i--)
    for (size_t m = 0; m < records[i].sent.count; m++)
      if (records[i].sent.data[m].delay == records[k].wait_delay) {
        *message = &records[i].sent.data[m];
        return i;
      }
  return NONE;
}

/* Back over what record `k` waited for; the step that this leads to. */
static long walk_back(domino_vector *chain, const struct replay *replay, long k) {
  const struct step_record *r = &replay->records.data[k];
  struct rational zero;
  rational_init(&zero);
  const struct record_message *message = NULL;
  long from = sender(replay, k, &message), before = previous(replay, k);
  const struct rational *clock = before == NONE ? &zero : &replay->records.data[before].end;
  int late = message == NULL ? 0 : rational_compare(&r->start, &message->delivered);
  if (message != NULL && (late == 0 || r->wait != NULL)) {
    if (late > 0)
      add_wait(chain, r, "is busy with steps of its own", r->wait->label, &message->delivered);
    add_travel(chain, message, &replay->records.data[from].end);
  } else {
    if (rational_compare(&r->start, clock) > 0)
      add_wait(chain, r,
               r->timeout == NULL                                        ? "waits for its timer"
               : r->step.action->timeout == NULL || r->step.action->idle ? "waits for messages"
                                                                         : "waits",
               r->timeout != NULL ? r->timeout->component : NULL, clock);
    from = before;
  }
  rational_clear(&zero);
  return from;
}

/* Whether the record's step brought about the event, at `at`. */
static bool is_event(const struct step_record *r, const struct bound *bound,
                     const struct rational *at, const struct record_message **message) {
  if (bound->target == TARGET_WHEN)
    return r->step.action->role == bound->node->type.role && rational_compare(&r->end, at) == 0;
  for (size_t m = 0; m < r->sent.count; m++) {
    const struct record_message *sent = &r->sent.data[m];
    const struct rational *time = bound->target == TARGET_SENT ? &r->end : &sent->delivered;
    if (sent->message == bound->message && rational_compare(time, at) == 0) {
      *message = sent;
      return true;
    }
  }
  return false;
}

static long last_event(const struct replay *replay, const struct bound *bound,
                       const struct record_message **message) {
  struct rational at;
  rational_init(&at);
  rational_add(&at, &replay->begun, &replay->time);
  long k = (long)replay->records.count - 1;
  while (k >= 0 && !is_event(&replay->records.data[k], bound, &at, message))
    k--;
  rational_clear(&at);
  return k;
}

/* Whether the record's step is the one that the bound counts from. */
static bool is_beginning(const struct step_record *r, const struct bound *bound,
                         const struct replay *replay) {
  for (size_t m = 0; bound->from != NULL && m < r->sent.count; m++)
    if (r->sent.data[m].message == bound->from && rational_compare(&r->end, &replay->begun) == 0)
      return true;
  return false;
}

void chain_init(domino_vector *chain, const struct replay *replay, const struct bound *bound) {
  const struct record_message *message = NULL;
  long k = last_event(replay, bound, &message);
  if (k >= 0 && bound->target == TARGET_DELIVERED && message != NULL)
    add_travel(chain, message, &replay->records.data[k].end);
  while (k >= 0 && !is_beginning(&replay->records.data[k], bound, replay)) {
    add_step(chain, &replay->records.data[k]);
    k = walk_back(chain, replay, k);
  }
  for (size_t i = 0; i < chain->count / 2; i++) {
    struct domino swap = chain->data[i];
    chain->data[i] = chain->data[chain->count - 1 - i];
    chain->data[chain->count - 1 - i] = swap;
  }
}

void chain_clear(domino_vector *chain) {
  for (size_t i = 0; i < chain->count; i++) {
    mem_free(chain->data[i].what);
    mem_free(chain->data[i].adds);
    rational_clear(&chain->data[i].amount);
    rational_clear(&chain->data[i].until);
  }
  vector_clear(chain);
}
