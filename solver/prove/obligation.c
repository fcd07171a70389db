/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Obligations as people read them, and what to do about one that is open (proof.h).
 */
#include "lang/print.h"
#include "solver/prove/progress.h"
#include "solver/prove/proof.h"

#include <string.h>

/* "replica[n]" */
bool reason_is_exhausted(const char *reason) {
  return strstr(reason, "cancel") != NULL || strstr(reason, "resource") != NULL ||
         strstr(reason, "timeout") != NULL;
}

static void print_family(struct text *text, const struct model *model, const struct role *role) {
  text_append(text, role->name);
  if (role->count == NULL)
    return;
  text_append(text, "[");
  if (role->owner != NULL)
    text_format(text, "%s%s", role->owner->name, role->each == NULL ? "" : ", ");
  if (role->owner == NULL || role->each != NULL)
    print_term(text, model, role->each == NULL ? role->count : role->each);
  text_append(text, "]");
}

static void print_number(struct text *text, const struct model *model, const struct obligation *o) {
  text_append(text, o->kind == OBLIGATION_RANK ? "the rank "
                    : o->plus_one              ? "the quorum of more than "
                                               : "the quorum ");
  print_term(text, model, o->term);
}

static void explain_deferral(struct text *text, const struct model *model,
                             const struct obligation *o) {
  if (o->action == NULL)
    text_format(text,
                "%s may wait for the clock: it can be delivered before a guard lets it be taken",
                o->message->name);
  else
    text_format(text, "%s may wait for %s: it can be delivered before %s %s \"%s\"",
                o->message->name, o->action->name, o->action->name,
                o->state->type.kind == TYPE_BOOL ? "sets" : "changes", o->state->name);
  if (model->timing == TIMING_ADVANCED)
    text_append(text, ", and then messages are not taken in the order of their delivery");
  else
    text_format(text, ", and %s(%s) does not count that wait", model->queueing->name,
                o->message->name);
  text_append(text, " (take it without that guard and keep it in the state)");
}

static void print_circle(struct text *text, const struct obligation *o) {
  for (size_t i = 0; i < o->circle_count; i++)
    text_format(text, "%s%s",
                i == 0                     ? ""
                : i + 1 == o->circle_count ? " and "
                                           : ", ",
                o->circle[i]->name);
}

static void explain_progress(struct text *text, const struct model *model,
                             const struct obligation *o) {
  text_append(text, "no time passes behind ");
  if (o->message != NULL) {
    const char *delay = o->message->delay->name;
    text_format(
        text,
        "%s: it may be there, be taken and be answered by others of its kind in no time, as "
        "the assumptions let %s be 0: write \"assume %s > 0 ms\"",
        o->message->name, delay, delay);
    return;
  }
  print_circle(text, o);
  if (o->circle_count > 1)
    text_append(text, ", which make each other possible at one moment");
  text_append(text, ": ");
  progress_advise(text, model, o->action);
}

static void explain_pace(struct text *text, const struct model *model, const struct obligation *o) {
  const char *sent = o->message->name;
  text_format(text, "%s %s, which may have to send %s sooner than its arrivals allow (%s)",
              model->timing == TIMING_EAGER ? "no time passes behind" : "nothing goes on behind",
              o->action->name, sent, o->message->pacer->text);
  text_format(
      text,
      ": limit what it waits for, so that invariants show that it never has to, or send %s "
      "in a step \"at any time\"; if a limiter holds it, write \"paced\" behind its receiver",
      sent);
}

/* A family needs a node: an extremum over its nodes would otherwise be of nothing. */
static void explain_family(struct text *text, const struct model *model, const struct role *role) {
  print_family(text, model, role);
  text_append(text, " may have no node; add `assume ");
  print_term(text, model, role->each == NULL ? role->count : role->each);
  text_append(text, " >= 1`");
}

bool obligation_explain(struct text *text, const struct model *model, const struct obligation *o) {
  if (o->kind == OBLIGATION_DEFERRAL) {
    explain_deferral(text, model, o);
    return true;
  }
  if (o->kind == OBLIGATION_PROGRESS || o->kind == OBLIGATION_PACE) {
    (o->kind == OBLIGATION_PACE ? explain_pace : explain_progress)(text, model, o);
    return true;
  }
  if (o->kind == OBLIGATION_FAMILY) {
    explain_family(text, model, o->role);
    return true;
  }
  if (o->kind != OBLIGATION_QUORUM && o->kind != OBLIGATION_RANK)
    return false;
  print_number(text, model, o);
  text_append(text, o->kind == OBLIGATION_RANK ? " can lie outside 1 .. the size of "
                                               : " can be larger than ");
  print_family(text, model, o->role);
  return true;
}

static void print_property(struct text *text, const char *verb, const struct property *p) {
  text_format(text, "%s %s %s", verb, p->kind == PROPERTY_BOUND ? "bound" : "invariant", p->name);
}

static void print_of_phase(struct text *text, const struct obligation *o) {
  const char *phase = o->phase == NULL ? "" : o->phase->name;
  switch (o->kind) {
  case OBLIGATION_START:
    text_format(text, "the first state starts phase %s", phase);
    return;
  case OBLIGATION_ENTER:
    text_format(text, "the start of phase %s", phase);
    print_property(text, " gives", o->property);
    return;
  case OBLIGATION_END:
    text_format(text, "phase %s ends in time", phase);
    return;
  case OBLIGATION_HANDOVER:
    text_format(text, "phase %s hands over to %s", phase, o->next == NULL ? "" : o->next->name);
    return;
  case OBLIGATION_EARLY:
    text_format(text, "the event of bound %s does not happen before the end of phase %s",
                o->bound->name, phase);
    return;
  case OBLIGATION_TARGET:
    text_format(text, "the end of phase %s is the event of bound %s", phase, o->bound->name);
    return;
  default:
    text_format(text, "the phases together are within bound %s", o->bound->name);
    return;
  }
}

static void print_deferral(struct text *text, const struct obligation *o) {
  if (o->action == NULL)
    text_format(text, "no %s waits for the time of a guard", o->message->name);
  else
    text_format(text, "no %s waits for action %s", o->message->name, o->action->name);
}

static void print_progress(struct text *text, const struct obligation *o) {
  const struct progress_rank *rank = o->rank;
  if (o->message != NULL) {
    text_format(text, "%s does not go round in no time", o->message->name);
    return;
  }
  if (rank == NULL) {
    text_append(text, "time passes behind ");
    print_circle(text, o);
    return;
  }
  text_format(text, "action %s, where it takes no time, ", o->action->name);
  if (rank->timer != NULL)
    text_format(text, "sets the timer of %s %s", rank->timer->name,
                o->falls ? "later" : "no earlier");
  else if (rank->flag == NULL)
    text_format(text, "makes rank %zu %s", rank->number, o->falls ? "smaller" : "no larger");
  else if (o->falls)
    text_append(text, "is not due again");
  else
    text_format(text, "does not make %s due", rank->flag->name);
}

void obligation_print(struct text *text, const struct obligation *o) {
  switch (o->kind) {
  case OBLIGATION_INITIAL:
    print_property(text, "the first state has", o->property);
    return;
  case OBLIGATION_STEP:
    text_format(text, "action %s", o->action->name);
    print_property(text, " keeps", o->property);
    if (o->phase != NULL)
      text_format(text, " in phase %s", o->phase->name);
    return;
  case OBLIGATION_ONCE:
    text_format(text, "action %s %s %s at most once", o->action->name,
                o->once.kind == ONCE_SENT ? "sends each" : "charges each",
                o->once.kind == ONCE_SENT ? o->once.message->name : o->once.component->name);
    return;
  case OBLIGATION_FAMILY:
    text_format(text, "the assumptions give %s at least one node", o->role->name);
    return;
  case OBLIGATION_LEMMA:
    text_append(text, "the terms of a sum lie between 0 and their bare name");
    return;
  case OBLIGATION_QUORUM:
    text_format(text, "the assumptions let a quorum of %s fit into it", o->role->name);
    return;
  case OBLIGATION_DEFERRAL:
    print_deferral(text, o);
    return;
  case OBLIGATION_PROGRESS:
    print_progress(text, o);
    return;
  case OBLIGATION_PACE:
    text_format(text, "action %s may send %s when it has to", o->action->name, o->message->name);
    return;
  case OBLIGATION_RANK:
    text_format(text, "the assumptions keep a rank among the nodes of %s", o->role->name);
    return;
  default:
    print_of_phase(text, o);
  }
}
