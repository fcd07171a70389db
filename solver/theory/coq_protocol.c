/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A protocol as a value of proofs/theory/Syntax.v. */
#include <inttypes.h>

#include "lang/owner.h"
#include "solver/theory/coq.h"

static void numbers(struct coq *q, enum coq_kind kind, size_t count) {
  for (size_t i = 0; i < count; i++)
    text_format(q->out, "Definition %s := %zu%%nat.\n", q->names[kind][i], i);
  text_append(q->out, count == 0 ? "" : "\n");
}

static void roles(struct coq *q) {
  const struct model *m = q->model;
  for (size_t i = 0; i < m->roles.count; i++) {
    text_append(q->out, "Definition size_");
    coq_append_name(q->out, q->names[COQ_ROLE][i] + 2);
    text_append(q->out, " : term Int := ");
    if (m->roles.items[i]->count == NULL)
      text_append(q->out, "Integer 1");
    else
      coq_term(q, m->roles.items[i]->count);
    text_append(q->out, ".\n");
  }
  text_append(q->out, "\n");
}

/* The node that sends it, from a field, which is a variable of its number. */
static void sent_from(struct coq *q, const struct message *m) {
  if (m->sender->count == NULL || m->sender_field < 0) {
    text_append(q->out, "(Integer 0)");
    return;
  }
  const struct field *field = &m->fields[m->sender_field];
  struct variable variable = {
      .name = field->name, .id = (size_t)m->sender_field, .type = field->type};
  const struct term named = {.kind = TERM_VARIABLE, .type = field->type, .variable = &variable};
  const struct term *args[] = {&named};
  struct term converted = {
      .type = {.kind = TYPE_NODE, .role = m->sender}, .count = 1, .args = args};
  if (field->type.role != m->sender)
    converted.kind = role_conversion(field->type.role, m->sender);
  coq_term(q, field->type.role == m->sender ? &named : &converted);
}

static void message(struct coq *q, const struct message *m) {
  text_append(q->out, "{| fields_of := [");
  for (size_t i = 0; i < m->field_count; i++) {
    const struct type boolean = {.kind = TYPE_BOOL};
    text_append(q->out, i == 0 ? "" : "; ");
    if (m->fields[i].type.kind == boolean.kind)
      text_append(q->out, "Some (Integer 2)");
    else
      coq_values(q, &m->fields[i].type);
  }
  text_format(q->out, "];\n       received_by := %s; sent_by := %s; sent_from := ",
              q->names[COQ_ROLE][m->receiver->id], q->names[COQ_ROLE][m->sender->id]);
  sent_from(q, m);
  text_format(q->out,
              "; delay := %s; priority_of := %" PRId64 "%%nat;\n       on_fifo := %s; pacer_of := ",
              q->names[COQ_COMPONENT][m->delay->id], m->priority, m->fifo ? "true" : "false");
  if (m->pacer == NULL) {
    text_append(q->out, "None |}");
    return;
  }
  text_append(q->out, "Some {| every_ := ");
  coq_term(q, m->pacer->every);
  text_append(q->out, "; allows := ");
  coq_term(q, m->pacer->tolerance);
  text_format(q->out, "; holds_it := %s |} |}", m->pacer->holds ? "true" : "false");
}

static void state(struct coq *q, const struct state *s) {
  enum type_kind kind = s->type.kind;
  const char *sort = kind == TYPE_BOOL   ? "Bool"
                     : kind == TYPE_TIME ? "Time"
                     : kind == TYPE_SET  ? "NodeSet"
                     : kind == TYPE_MAP  ? "Map"
                                         : "Int";
  text_format(q->out, "{| owner := %s; sort_of := %s; values := ", q->names[COQ_ROLE][s->role->id],
              sort);
  coq_values(q, &s->type);
  text_format(q->out, "; initial_self := %zu; initial := %s", s->self->id,
              kind == TYPE_MAP ? "EveryKey " : "");
  if (kind == TYPE_MAP)
    coq_number(q, s->initial);
  else
    coq_term(q, s->initial);
  text_append(q->out, " |}");
}

#define LIST(q, name, count, each)                                                                 \
  do {                                                                                             \
    text_append((q)->out, "  " name " := [");                                                      \
    for (size_t i = 0; i < (count); i++) {                                                         \
      text_append((q)->out, i == 0 ? "\n    " : ";\n    ");                                        \
      each;                                                                                        \
    }                                                                                              \
    text_append((q)->out, "];\n");                                                                 \
  } while (0)

void coq_protocol(struct coq *q) {
  static const char *const timings[] = {[TIMING_STANDARD] = "StandardModel",
                                        [TIMING_EAGER] = "EagerModel",
                                        [TIMING_ADVANCED] = "AdvancedModel"};
  const struct model *m = q->model;
  numbers(q, COQ_PARAM, m->params.count);
  numbers(q, COQ_ROLE, m->roles.count);
  numbers(q, COQ_COMPONENT, m->components.count);
  numbers(q, COQ_MESSAGE, m->messages.count);
  numbers(q, COQ_STATE, m->states.count);
  numbers(q, COQ_ACTION, m->actions.count);
  roles(q);
  for (size_t i = 0; i < m->actions.count; i++)
    coq_action(q, m->actions.items[i]);
  text_format(q->out, "Definition the_protocol : protocol := {|\n  timing_of := %s;\n",
              timings[m->timing]);
  LIST(q, "assumptions", m->assumptions.count, coq_term(q, m->assumptions.items[i]->formula));
  LIST(
      q, "roles", m->roles.count,
      (text_append(q->out, "{| size := size_"), coq_append_name(q->out, q->names[COQ_ROLE][i] + 2),
       text_format(q->out, "; external := %s |}", m->roles.items[i]->external ? "true" : "false")));
  LIST(q, "messages", m->messages.count, message(q, m->messages.items[i]));
  LIST(q, "states", m->states.count, state(q, m->states.items[i]));
  LIST(q, "actions", m->actions.count, text_format(q->out, "%s_action", q->names[COQ_ACTION][i]));
  text_format(q->out, "  queueing := %s%s\n|}.\n\n", m->queueing == NULL ? "None" : "Some ",
              m->queueing == NULL ? "" : q->names[COQ_COMPONENT][m->queueing->id]);
}
