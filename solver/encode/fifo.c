/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/encode/fifo.h"

static smt_term sender_of(struct encoder *e, const struct message *m, const smt_term *fields) {
  int field = m->sender_field;
  return field < 0 ? smt_int(e->smt, 0)
                   : encode_of_role(e, m->fields[field].type.role, m->sender, fields[field]);
}

static bool same_channel(const struct message *a, const struct message *b) {
  return a->fifo && b->fifo && a->sender == b->sender && a->receiver == b->receiver;
}

/* For all messages of a kind: a formula about one of them. */
struct every {
  const struct symbolic *at;
  const struct message *kind;
  const struct variable **variables;
  const struct message *message; /* the one that is to be the next, or NULL */
  const smt_term *fields;
};

static const smt_term *values_of(struct encoder *e, const struct every *x) {
  smt_term *values = arena_alloc(&e->arena, x->kind->field_count, sizeof(smt_term));
  for (size_t i = 0; i < x->kind->field_count; i++)
    values[i] = e->environment[x->variables[i]->id];
  return values;
}

static smt_term is_not_before(struct encoder *e, void *context, smt_term *pattern) {
  const struct every *x = context;
  struct smt *smt = e->smt;
  const smt_term *other = values_of(e, x);
  smt_term sent = symbolic_sent(e, x->at, x->kind, other);
  *pattern = x->at->kind == SYMBOLIC_ANY ? sent : NULL;
  smt_term facts[] = {
      sent,
      smt_not(smt, symbolic_gone(e, x->at, x->kind, other)),
      smt_equal(smt, sender_of(e, x->kind, other), sender_of(e, x->message, x->fields)),
      smt_equal(smt, symbolic_receiver(e, x->at, x->kind, other),
                symbolic_receiver(e, x->at, x->message, x->fields)),
  };
  smt_term order = smt_le(smt, symbolic_order(e, x->at, x->message, x->fields),
                          symbolic_order(e, x->at, x->kind, other));
  return smt_implies(smt, smt_and(smt, facts, 4), order);
}

static smt_term is_counted(struct encoder *e, void *context, smt_term *pattern) {
  const struct every *x = context;
  const smt_term *values = values_of(e, x);
  smt_term order = symbolic_order(e, x->at, x->kind, values);
  *pattern = x->at->kind == SYMBOLIC_ANY ? order : NULL;
  return smt_implies(e->smt, symbolic_sent(e, x->at, x->kind, values),
                     smt_lt(e->smt, order, symbolic_fifo_count(e, x->at)));
}

static smt_term for_every(struct encoder *e, struct every *x,
                          smt_term (*body)(struct encoder *, void *, smt_term *)) {
  const struct message *m = x->kind;
  x->variables = arena_alloc(&e->arena, m->field_count, sizeof *x->variables);
  for (size_t i = 0; i < m->field_count; i++)
    x->variables[i] = encoder_variable(e, m->fields[i].name, &m->fields[i].type);
  struct quantified q = {.forall = true,
                         .variables = x->variables,
                         .count = m->field_count,
                         .state = x->at,
                         .body = body,
                         .context = x};
  return encode_quantified(e, &q);
}

smt_term fifo_is_next(struct encoder *e, const struct symbolic *at, const struct message *message,
                      const smt_term *fields) {
  smt_term all = smt_bool(e->smt, true);
  for (size_t i = 0; i < e->model->messages.count; i++) {
    const struct message *kind = e->model->messages.items[i];
    struct every x = {.at = at, .kind = kind, .message = message, .fields = fields};
    if (same_channel(kind, message))
      all = smt_and2(e->smt, all, for_every(e, &x, is_not_before));
  }
  return all;
}

smt_term fifo_facts(struct encoder *e, const struct symbolic *at) {
  smt_term all = smt_bool(e->smt, true);
  for (size_t i = 0; i < e->model->messages.count; i++) {
    struct every x = {.at = at, .kind = e->model->messages.items[i]};
    if (x.kind->fifo)
      all = smt_and2(e->smt, all, for_every(e, &x, is_counted));
  }
  return all;
}
