/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounds and phases as values of proofs/theory/Syntax.v. A phase is "ph_NAME", an invariant of phase
 * 0 "in_0_NAME". */
#include "solver/theory/coq.h"

static void message_of(struct coq *q, const struct message *m, const struct term *const *args) {
  text_format(q->out, "%s ", q->names[COQ_MESSAGE][m->id]);
  coq_numbers(q, args, m->field_count);
}

void coq_bound(struct coq *q, const struct bound *b) {
  struct text *out = q->out;
  text_append(out, "{|\n  bound_variables := [");
  for (size_t i = 0; i < b->variable_count; i++) {
    text_append(out, i == 0 ? "" : "; ");
    coq_binder(q, b->variables[i]);
  }
  text_append(out, "];\n  from := ");
  if (b->from == NULL) {
    text_append(out, "None");
  } else {
    text_format(out, "Some (%s, ", q->names[COQ_MESSAGE][b->from->id]);
    coq_numbers(q, b->from_args, b->from->field_count);
    text_append(out, ")");
  }
  text_append(out, ";\n  target_of := ");
  if (b->target == TARGET_WHEN) {
    text_append(out, "WhenTarget ");
    coq_term(q, b->formula);
    text_format(out, " %s ", q->names[COQ_ROLE][b->node->type.role->id]);
    coq_term(q, b->node);
  } else {
    text_append(out, b->target == TARGET_SENT ? "SentTarget " : "DeliveredTarget ");
    message_of(q, b->message, b->args);
  }
  text_append(out, ";\n  expression :=\n    ");
  coq_term(q, b->expression);
  text_append(out, "\n|}");
}

static const char *kept_name(struct coq *q, const char *prefix, const char *name) {
  struct text text;
  text_init(&text);
  text_append(&text, prefix);
  coq_append_name(&text, name);
  const char *kept = arena_copy(&q->arena, text.data, text.length + 1, 1);
  text_clear(&text);
  return kept;
}

const char *coq_phase_name(struct coq *q, const struct phase *phase) {
  return kept_name(q, "ph_", phase->name);
}

const char *coq_during_name(struct coq *q, const struct phase *phase, const char *invariant) {
  struct text prefix;
  text_init(&prefix);
  text_format(&prefix, "in_%zu_", phase->id);
  const char *name = kept_name(q, prefix.data, invariant);
  text_clear(&prefix);
  return name;
}

static void define_during(struct coq *q, const struct phase *phase) {
  size_t number = 0;
  text_format(q->out, "Definition %s := %zu%%nat.\n", coq_phase_name(q, phase), phase->id);
  for (size_t i = 0; i < q->model->invariants.count; i++) {
    const struct invariant *invariant = q->model->invariants.items[i];
    if (invariant->phase != phase)
      continue;
    const char *name = coq_during_name(q, phase, invariant->name);
    text_format(q->out, "Definition %s := %zu%%nat.\nDefinition %s_says : term Bool :=\n  ", name,
                number++, name);
    coq_term(q, invariant->formula);
    text_append(q->out, ".\n");
  }
}

static void phase_value(struct coq *q, const struct phase *phase) {
  text_append(q->out, "{| start_of := ");
  if (phase->start == NULL)
    text_append(q->out, "Boolean true");
  else
    coq_term(q, phase->start);
  text_append(q->out, ";\n  during := [");
  const char *before = "";
  for (size_t i = 0; i < q->model->invariants.count; i++) {
    const struct invariant *invariant = q->model->invariants.items[i];
    if (invariant->phase != phase)
      continue;
    text_format(q->out, "%s%s_says", before, coq_during_name(q, phase, invariant->name));
    before = "; ";
  }
  text_append(q->out, "];\n  end_of := ");
  coq_bound(q, &phase->end);
  text_append(q->out, " |}");
}

void coq_phases(struct coq *q) {
  const struct model *m = q->model;
  for (size_t k = 0; k < m->phases.count; k++)
    define_during(q, m->phases.items[k]);
  text_append(q->out, "\nDefinition phases : list phase := [");
  for (size_t k = 0; k < m->phases.count; k++) {
    text_append(q->out, k == 0 ? "\n  " : ";\n  ");
    phase_value(q, m->phases.items[k]);
  }
  text_append(q->out, "].\n\n");
}
