/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `when F at NODE` counts the clock of NODE in the states in which F holds. That is when F came
 * about only if a step of NODE brought it about: the clock of any other node may stand still
 * meanwhile, and a loss is a step of none. So F reads what NODE alone changes: its own state, what
 * it sent, received and charged, and its own times. */
#include "lang/checker.h"
#include "lang/source.h"

/* Whether a message's side, a node of this role or the node in this field, is `node`. Without a
 * field, a node of a family is unknown. */
static bool is_side(struct checker *checker, const struct term *node, const struct term *message,
                    const struct role *role, int field) {
  if (role != node->type.role)
    return false;
  return role->count == NULL ||
         (field >= 0 &&
          term_is_same(term_of_role(checker, message->args[field], role, node->span), node));
}

static bool is_sender(struct checker *checker, const struct term *node, const struct term *t) {
  return is_side(checker, node, t, t->message->sender, t->message->sender_field);
}

static bool is_receiver(struct checker *checker, const struct term *node, const struct term *t) {
  return is_side(checker, node, t, t->message->receiver, t->message->receiver_field);
}

/* Whether every action that charges what `t` names does so as `node`: it is of a single node, or
 * its own node stands where `t` has `node`. */
static bool is_payer(const struct checker *checker, const struct term *node, const struct term *t) {
  for (size_t i = 0; i < checker->actions.count; i++) {
    const struct action *action = checker->actions.data[i];
    for (size_t k = 0; k < action->cost_count; k++) {
      const struct term *cost = action->costs[k];
      bool own = action->role == node->type.role && action->role->count == NULL;
      for (size_t j = 0; j < cost->count && cost->count == t->count && !own; j++)
        own = cost->args[j]->kind == TERM_VARIABLE && cost->args[j]->variable == action->node &&
              term_is_same(t->args[j], node);
      if (cost->component == t->component && !own)
        return false;
    }
  }
  return true;
}

/* Whether a loss may change it. */
static bool is_of_loss(const struct term *t) {
  return t->kind == TERM_LOST || (t->kind == TERM_PENDING && t->message->loss != NULL) ||
         (t->kind == TERM_STATE && t->state->loses != NULL);
}

static bool is_brought_about(struct checker *checker, const struct term *node,
                             const struct term *t) {
  if (is_of_loss(t))
    return false;
  switch (t->kind) {
  case TERM_STATE:
  case TERM_TIME_NODE:
  case TERM_ARRIVAL:
    return term_is_same(t->args[0], node);
  case TERM_SENT:
  case TERM_TIME_MESSAGE:
  case TERM_PACED:
  case TERM_HANDED:
  case TERM_RECEIVER:
    return is_sender(checker, node, t);
  case TERM_RECEIVED:
    return is_receiver(checker, node, t);
  case TERM_PENDING:
    return is_sender(checker, node, t) && is_receiver(checker, node, t);
  case TERM_CHARGED:
    return is_payer(checker, node, t);
  default:
    return t->kind != TERM_NOW;
  }
}

/* The first part of `t` that another node's step may change, or NULL. */
static const struct term *foreign_part(struct checker *checker, const struct term *node,
                                       const struct term *t) {
  const struct term *found = is_brought_about(checker, node, t) ? NULL : t;
  for (size_t i = 0; i < t->count && found == NULL; i++)
    found = foreign_part(checker, node, t->args[i]);
  for (size_t i = 0; i < t->variable_count && found == NULL; i++) {
    const struct variable *v = t->variables[i];
    const struct term *parts[] = {v->set, v->low, v->high};
    for (size_t k = 0; k < 3 && found == NULL; k++)
      found = parts[k] == NULL ? NULL : foreign_part(checker, node, parts[k]);
  }
  return found;
}

static void hint_event(struct diagnostic *d, const struct term *part, const char *bound) {
  const struct role *role = part->kind == TERM_STATE ? part->state->role : NULL;
  const char *message = part->message == NULL ? NULL : part->message->name;
  if (role != NULL && role->count != NULL)
    diagnostic_hint(d,
                    "\"bound %.60s for all x in %s: when %s at x within ...\" is about each of "
                    "them; all have it by the maximum of those expressions",
                    bound, role->name, part->type.kind == TYPE_BOOL ? part->state->name : "...");
  else if (role != NULL)
    diagnostic_hint(d,
                    "bound it at %s, or let the message that tells of it change the node's own "
                    "state",
                    role->name);
  else if (part->kind == TERM_SENT || part->kind == TERM_TIME_MESSAGE)
    diagnostic_hint(d,
                    "write \"sent %s\" or \"delivered %s\" instead of \"when\", or name its "
                    "sender behind \"at\"",
                    message, message);
  else if (part->kind == TERM_RECEIVED)
    diagnostic_hint(d, "name the node that receives %s behind \"at\", or speak of its state",
                    message);
  else
    diagnostic_hint(d, "speak of the state of the node behind \"at\", of what it sent and of what "
                       "it received");
}

void check_event(struct checker *checker, const struct bound *bound) {
  if (bound->target != TARGET_WHEN)
    return;
  const struct term *node = bound->node;
  struct diagnostic *d;
  if (node->type.role->external) {
    d = REPORT(checker, E0446, node->span,
               "role \"%.60s\" is external: it takes no steps, so its clock stands still",
               node->type.role->name);
    diagnostic_hint(d, "when a message reaches it is \"delivered MESSAGE\"");
    return;
  }
  const char *at = source_slice(checker->source, node->span, checker->arena);
  if (foreign_part(checker, node, node) != NULL) {
    d = REPORT(checker, E0447, node->span, "which node \"%.60s\" is changes with the state", at);
    diagnostic_hint(d, "a clock is that of one node: first, next(first), or x of \"for all x\"");
    return;
  }
  const struct term *part = foreign_part(checker, node, bound->formula);
  if (part == NULL)
    return;
  d = REPORT(checker, E0447, part->span,
             is_of_loss(part) ? "\"%.60s\" may change when a message is lost, which is no step of "
                                "%.60s, whose clock counts"
                              : "\"%.60s\" may change by a step of another node than %.60s, whose "
                                "clock counts",
             source_slice(checker->source, part->span, checker->arena), at);
  diagnostic_note(d, node->span, "the clock is that of this node, which may stand still meanwhile");
  hint_event(d, part, bound->name);
}
