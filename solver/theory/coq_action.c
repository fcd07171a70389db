/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Actions and statements as values of proofs/theory/Syntax.v. */
#include "lang/owner.h"
#include "solver/theory/coq.h"

/* The receiver of a message, from the field that names it or a node of its pair, or from `to`. */
static void receiver(struct coq *q, const struct statement *s) {
  const struct message *m = s->message;
  if (m->receiver->count == NULL) {
    text_append(q->out, "(Integer 0)");
    return;
  }
  const struct term *named = m->receiver_field < 0 ? s->to : s->args[m->receiver_field];
  if (named->type.role == m->receiver) {
    coq_term(q, named);
    return;
  }
  struct term converted = {.kind = role_conversion(named->type.role, m->receiver),
                           .type = {.kind = TYPE_NODE, .role = m->receiver},
                           .count = 1,
                           .args = &named};
  coq_term(q, &converted);
}

static void statement(struct coq *q, const struct statement *s, size_t depth);

static void block(struct coq *q, const struct block *b, size_t depth) {
  text_append(q->out, "[");
  for (size_t i = 0; i < b->count; i++) {
    text_format(q->out, "%s\n%*s", i == 0 ? "" : ";", (int)(2 * depth), "");
    statement(q, b->statements[i], depth);
  }
  text_append(q->out, "]");
}

static void send(struct coq *q, const struct statement *s) {
  text_format(q->out, "Send %s ", q->names[COQ_MESSAGE][s->message->id]);
  coq_numbers(q, s->args, s->arg_count);
  text_append(q->out, " ");
  receiver(q, s);
  text_append(q->out, " [");
  for (size_t i = 0; i < s->variable_count; i++) {
    text_append(q->out, i == 0 ? "" : "; ");
    coq_binder(q, s->variables[i]);
  }
  text_append(q->out, "]");
}

static void assign(struct coq *q, const struct statement *s) {
  const char *name = q->names[COQ_STATE][s->state->id];
  if (s->key != NULL) {
    text_format(q->out, "AssignKey %s ", name);
    coq_term(q, s->key);
    text_append(q->out, " ");
    coq_number(q, s->value);
    return;
  }
  enum type_kind kind = s->state->type.kind;
  text_format(q->out, "Assign %s %s ",
              kind == TYPE_BOOL   ? "Bool"
              : kind == TYPE_TIME ? "Time"
              : kind == TYPE_SET  ? "NodeSet"
                                  : "Int",
              name);
  coq_term(q, s->value);
}

static void statement(struct coq *q, const struct statement *s, size_t depth) {
  if (s->kind == STATEMENT_ASSIGN) {
    assign(q, s);
  } else if (s->kind == STATEMENT_SEND) {
    send(q, s);
  } else {
    text_append(q->out, "If ");
    coq_term(q, s->condition);
    text_append(q->out, " ");
    block(q, &s->then_block, depth + 1);
    text_append(q->out, " ");
    block(q, &s->else_block, depth + 1);
  }
}

static void trigger(struct coq *q, const struct action *a) {
  if (a->message != NULL) {
    text_format(q->out, "%s %s [", a->loses ? "Losing" : "On",
                q->names[COQ_MESSAGE][a->message->id]);
    for (size_t i = 0; i < a->message->field_count; i++)
      text_format(q->out, "%s%zu (*%s*)", i == 0 ? "" : "; ", a->fields[i]->id, a->fields[i]->name);
    text_append(q->out, "]");
  } else if (a->timeout != NULL) {
    text_format(q->out, "After %s", q->names[COQ_COMPONENT][a->timeout->id]);
  } else if (a->timer != NULL) {
    text_append(q->out, "At ");
    coq_term(q, a->timer);
  } else {
    text_append(q->out, "Always");
  }
}

static void charge(struct coq *q, const struct action *a, size_t index) {
  const struct term *cost = a->costs[index],
                    *when = a->conditions == NULL ? NULL : a->conditions[index];
  const struct variable *batch = a->batches == NULL ? NULL : a->batches[index];
  text_format(q->out, "{| component_charged := %s; repeated := %s; indices := ",
              q->names[COQ_COMPONENT][cost->component->id],
              cost->component->repeated ? "true" : "false");
  coq_numbers(q, cost->args, cost->count);
  text_append(q->out, ";\n       condition := ");
  text_append(q->out, when == NULL ? "None" : "Some ");
  if (when != NULL)
    coq_term(q, when);
  text_append(q->out, "; batch := ");
  text_append(q->out, batch == NULL ? "None" : "Some ");
  if (batch != NULL)
    coq_binder(q, batch);
  text_append(q->out, " |}");
}

void coq_action(struct coq *q, const struct action *a) {
  text_format(q->out, "(* %s *)\nDefinition %s_action : action := {|\n", a->name,
              q->names[COQ_ACTION][a->id]);
  text_format(q->out, "  acts := %s; self := %zu (*%s*);\n  trigger_of := ",
              q->names[COQ_ROLE][a->role->id], a->node->id, a->node->name);
  trigger(q, a);
  text_append(q->out, ";\n  choices_of := [");
  for (size_t i = 0; i < a->choice_count; i++) {
    text_append(q->out, i == 0 ? "" : "; ");
    coq_binder(q, a->choices[i]);
  }
  text_append(q->out, "];\n  guards := [");
  for (size_t i = 0; i < a->guard_count; i++) {
    text_append(q->out, i == 0 ? "\n    " : ";\n    ");
    coq_term(q, a->guards[i]);
  }
  text_append(q->out, "];\n  charges := [");
  for (size_t i = 0; i < a->cost_count; i++) {
    text_append(q->out, i == 0 ? "\n    " : ";\n    ");
    charge(q, a, i);
  }
  text_append(q->out, "];\n  body := ");
  block(q, &a->body, 2);
  const struct component *timeout = a->schedule == NULL ? NULL : a->schedule->timeout;
  text_format(q->out, ";\n  in_slot := %s; slot_timeout := %s%s; idle_step := %s\n|}.\n\n",
              a->schedule == NULL ? "false" : "true", timeout == NULL ? "None" : "Some ",
              timeout == NULL ? "" : q->names[COQ_COMPONENT][timeout->id],
              a->idle ? "true" : "false");
}
