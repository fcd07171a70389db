/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The goals of bounds by phases (session.h): start, step, end, hand-over, total. proof.h says why
 * they imply the bound.
 */
#include "solver/prove/session.h"

/* With the bound's variables as new constants, so that what holds of them holds of every value. */
static void bind_variables(struct encoder *e, const struct bound *bound) {
  for (size_t i = 0; i < bound->variable_count; i++)
    encode_fresh(e, bound->variables[i]);
}

static bool is_by_phases(const struct property *p) {
  return p->kind == PROPERTY_BOUND && p->bound->by_phases;
}

/* What holds of `at`, in which the phase starts: its invariants; `given`: that it starts there. */
static void add_enter(struct session *s, const struct phase *phase, const struct symbolic *at,
                      bool given) {
  const struct properties *p = &s->proof->properties;
  for (size_t i = 0; i < p->items.count; i++) {
    const struct property *property = &p->items.data[i];
    if (property->phase != phase || !session_wants(s, property))
      continue;
    session_begin_goals(s);
    smt_term start = given ? encode(&s->encoder, phase->start, at) : NULL;
    session_add_goal(
        s,
        (struct obligation){
            .kind = OBLIGATION_ENTER, .phase = phase, .property = property, .outside = true},
        encode(&s->encoder, property->formula, at), &start, given);
  }
}

/* --- the first state: the first phase's start; the phases together are within the bound ---------
 */

static void add_total(struct session *s, const struct bound *bound) {
  const struct model *model = s->proof->properties.model;
  smt_term total = smt_real_zero(s->smt);
  session_begin_goals(s);
  bind_variables(&s->encoder, bound);
  for (size_t i = 0; i < model->phases.count; i++) {
    const struct term *part = model->phases.items[i]->end.expression;
    total = smt_add(s->smt, total, encode(&s->encoder, part, NULL));
  }
  smt_term limit = encode(&s->encoder, bound->expression, NULL);
  session_add_goal(s, (struct obligation){.kind = OBLIGATION_TOTAL, .bound = bound},
                   smt_le(s->smt, total, limit), NULL, 0);
}

static void add_first_goals(struct session *s) {
  const struct properties *p = &s->proof->properties;
  const struct phase *first = p->model->phases.items[0];
  session_begin_goals(s);
  if (first->start != NULL)
    session_add_goal(s, (struct obligation){.kind = OBLIGATION_START, .phase = first},
                     encode(&s->encoder, first->start, s->after), NULL, 0);
  add_enter(s, first, s->after, false);
  for (size_t i = 0; i < p->items.count; i++)
    if (is_by_phases(&p->items.data[i]) && p->items.data[i].bound->expression != NULL)
      add_total(s, p->items.data[i].bound);
}

/* --- a state of a phase: its invariants at its start, its end, the next phase -------------------
 */

/* That the phase has ended; for the goals that begin here. */
static smt_term begin_with_event(struct session *s) {
  session_begin_goals(s);
  return encode(&s->encoder, s->proof->properties.phases[s->phase->id].event, s->before);
}

static void add_end(struct session *s) {
  const struct phase_end *end = &s->proof->properties.phases[s->phase->id];
  smt_term event = begin_with_event(s);
  session_add_goal(s, (struct obligation){.kind = OBLIGATION_END, .phase = s->phase},
                   encode(&s->encoder, end->in_time, s->before), &event, 1);
}

static void add_handover(struct session *s) {
  const struct properties *p = &s->proof->properties;
  const struct phase_end *end = &p->phases[s->phase->id];
  if (s->phase->id + 1 == p->phase_count)
    return;
  const struct phase *next = p->model->phases.items[s->phase->id + 1];
  smt_term event = begin_with_event(s);
  smt_term in_time = encode(&s->encoder, end->in_time, s->before);
  smt_term latest = encode(&s->encoder, end->latest, s->before), began = s->encoder.began;
  s->encoder.began = latest;
  smt_term start = encode(&s->encoder, next->start, s->before);
  s->encoder.began = began;
  session_add_goal(
      s, (struct obligation){.kind = OBLIGATION_HANDOVER, .phase = s->phase, .next = next}, start,
      (smt_term[]){event, in_time}, 2);
}

/* Before the last phase ends the bound's event has not happened; then it has, no later. */
static void add_bound_goals(struct session *s, const struct property *bound) {
  struct encoder *e = &s->encoder;
  const struct properties *p = &s->proof->properties;
  smt_term event = begin_with_event(s);
  bind_variables(e, bound->bound);
  smt_term happened = encode(e, bound->event, s->before);
  session_add_goal(
      s, (struct obligation){.kind = OBLIGATION_EARLY, .phase = s->phase, .bound = bound->bound},
      smt_not(s->smt, happened), (smt_term[]){smt_not(s->smt, event)}, 1);
  if (s->phase->id + 1 != p->phase_count)
    return;
  smt_term time = encode(e, bound->time, s->before);
  smt_term end = encode(e, p->phases[s->phase->id].time, s->before);
  session_add_goal(
      s, (struct obligation){.kind = OBLIGATION_TARGET, .phase = s->phase, .bound = bound->bound},
      smt_and2(s->smt, happened, smt_le(s->smt, time, end)), &event, 1);
}

static void add_state_goals(struct session *s) {
  const struct properties *p = &s->proof->properties;
  if (s->phase->id != 0)
    add_enter(s, s->phase, s->before, true);
  add_end(s);
  add_handover(s);
  for (size_t i = 0; i < p->items.count; i++)
    if (is_by_phases(&p->items.data[i]))
      add_bound_goals(s, &p->items.data[i]);
}

/* --- an action in a phase -----------------------------------------------------------------------
 */

static void add_stay(struct session *s) {
  const struct properties *p = &s->proof->properties;
  for (size_t i = 0; i < p->items.count; i++) {
    const struct property *property = &p->items.data[i];
    if (property->phase != s->phase || !session_wants(s, property))
      continue;
    smt_term open = smt_not(s->smt, begin_with_event(s));
    session_add_goal(
        s, (struct obligation){.kind = OBLIGATION_STEP, .phase = s->phase, .property = property},
        encode(&s->encoder, property->formula, s->after), &open, 1);
  }
}

void session_add_phase_goals(struct session *s) {
  if (s->phase != NULL && s->action != NULL)
    add_stay(s);
  else if (s->phase != NULL)
    add_state_goals(s);
  else if (s->action == NULL && s->proof->properties.phase_count != 0)
    add_first_goals(s);
}
