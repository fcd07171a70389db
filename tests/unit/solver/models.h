/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Checked models built by hand, independent of the parser: primary/backup and the lock ring of
 * specs/, with switches for mistakes. Everything lives in the model's arena.
 */
#ifndef TESTS_UNIT_SOLVER_MODELS_H
#define TESTS_UNIT_SOLVER_MODELS_H

#include <stdarg.h>
#include <string.h>

#include "lang/model.h"

static inline void models_free(struct model *model) {
  arena_clear(&model->arena);
}

#define NEW(m, type) ((struct type *)arena_alloc(&(m)->arena, 1, sizeof(struct type)))
#define ONE(m, type, item)                                                                         \
  (arena_copy(&(m)->arena, &(const struct type *){item}, 1, sizeof(void *)))

/* Appends to a list of the model; room for 16. */
#define ADD(m, list, type, item)                                                                   \
  do {                                                                                             \
    if ((m)->list.count == 0)                                                                      \
      (m)->list.items = arena_alloc(&(m)->arena, 16, sizeof(const struct type *));                 \
    (item)->id = (m)->list.count;                                                                  \
    (m)->list.items[(m)->list.count++] = (item);                                                   \
  } while (0)

static inline struct type plain(enum type_kind kind) {
  return (struct type){.kind = kind};
}

static inline struct type of_role(enum type_kind kind, const struct role *role) {
  return (struct type){.kind = kind, .role = role};
}

static inline struct term *term(struct model *m, enum term_kind kind, struct type type,
                                size_t count, ...) {
  struct term *t = NEW(m, term);
  t->kind = kind;
  t->type = type;
  t->count = count;
  t->args = arena_alloc(&m->arena, count, sizeof(const struct term *));
  va_list list;
  va_start(list, count);
  for (size_t i = 0; i < count; i++)
    t->args[i] = va_arg(list, const struct term *);
  va_end(list);
  return t;
}

static inline const struct term *number(struct model *m, int64_t n) {
  struct term *t = term(m, TERM_INT, plain(TYPE_INT), 0);
  t->integer = n;
  return t;
}

static inline const struct term *truth(struct model *m, bool value) {
  struct term *t = term(m, TERM_BOOL, plain(TYPE_BOOL), 0);
  t->integer = value;
  return t;
}

static inline const struct term *use(struct model *m, const struct variable *v) {
  struct term *t = term(m, TERM_VARIABLE, v->type, 0);
  t->variable = v;
  return t;
}

static inline const struct term *param_term(struct model *m, const struct param *p) {
  struct term *t = term(m, TERM_PARAM, plain(TYPE_INT), 0);
  t->param = p;
  return t;
}

static inline const struct term *state_at(struct model *m, const struct state *s,
                                          const struct term *node) {
  struct term *t = term(m, TERM_STATE, s->type, 1, node);
  t->state = s;
  return t;
}

static inline const struct term *plus(struct model *m, const struct term *a, const struct term *b) {
  return term(m, TERM_ADD, a->type, 2, a, b);
}

static inline const struct term *times(struct model *m, int64_t k, const struct term *a) {
  return term(m, TERM_MUL, a->type, 2, number(m, k), a);
}

static inline const struct term *both(struct model *m, const struct term *a, const struct term *b) {
  return term(m, TERM_AND, plain(TYPE_BOOL), 2, a, b);
}

static inline const struct term *equal(struct model *m, const struct term *a,
                                       const struct term *b) {
  return term(m, TERM_EQ, plain(TYPE_BOOL), 2, a, b);
}

/* Of a component with one index or none (index NULL); a BARE when `message` and index are NULL and
 * the component has indices or is no step. */
static inline const struct term *cost(struct model *m, const struct component *c,
                                      const struct term *index) {
  struct term *t = index == NULL ? term(m, TERM_OCCURRENCE, plain(TYPE_TIME), 0)
                                 : term(m, TERM_OCCURRENCE, plain(TYPE_TIME), 1, index);
  t->component = c;
  return t;
}

static inline const struct term *bare(struct model *m, const struct component *c) {
  struct term *t = term(m, TERM_BARE, plain(TYPE_TIME), 0);
  t->component = c;
  return t;
}

static inline const struct term *about(struct model *m, enum term_kind kind,
                                       const struct component *c, const struct message *message,
                                       const struct term *field) {
  struct type type = plain(kind == TERM_DELAY || kind == TERM_TIME_MESSAGE ? TYPE_TIME : TYPE_BOOL);
  struct term *t = term(m, kind, type, 1, field);
  t->component = c;
  t->message = message;
  return t;
}

static inline const struct term *binder(struct model *m, enum term_kind kind,
                                        const struct variable *v, const struct term *body) {
  struct term *t = term(m, kind, body->type, 1, body);
  t->variable_count = 1;
  t->variables = ONE(m, variable, v);
  return t;
}

static inline struct variable *variable(struct model *m, const char *name, struct type type,
                                        enum domain_kind domain) {
  struct variable *v = NEW(m, variable);
  v->name = name;
  v->id = m->variable_count++;
  v->type = type;
  v->domain = domain;
  return v;
}

static inline struct variable *range(struct model *m, const char *name, const struct term *low,
                                     const struct term *high) {
  struct variable *v = variable(m, name, plain(TYPE_INT), DOMAIN_RANGE);
  v->low = low;
  v->high = high;
  return v;
}

static inline const struct param *add_param(struct model *m, const char *name) {
  struct param *p = NEW(m, param);
  p->name = name;
  ADD(m, params, param, p);
  return p;
}

static inline const struct role *add_role(struct model *m, const char *name,
                                          const struct term *count, bool external) {
  struct role *r = NEW(m, role);
  r->name = name;
  r->count = count;
  r->external = external;
  ADD(m, roles, role, r);
  return r;
}

static inline const struct component *add_component(struct model *m, const char *name,
                                                    enum component_kind kind,
                                                    const struct type *index) {
  struct component *c = NEW(m, component);
  c->name = name;
  c->kind = kind;
  if (index != NULL) {
    c->index_count = 1;
    c->index = arena_copy(&m->arena, index, 1, sizeof *index);
  }
  ADD(m, components, component, c);
  return c;
}

static inline const struct message *add_message(struct model *m, const char *name,
                                                const struct type *field, const struct role *sender,
                                                const struct role *receiver, int sender_field,
                                                int receiver_field) {
  struct message *made = NEW(m, message);
  *made = (struct message){.name = name,
                           .sender = sender,
                           .receiver = receiver,
                           .sender_field = sender_field,
                           .receiver_field = receiver_field};
  for (size_t i = 0; i < m->components.count; i++)
    if (m->components.items[i]->kind == COMPONENT_DELAY)
      made->delay = m->components.items[i];
  if (field != NULL) {
    struct field f = {.name = "field", .type = *field};
    made->field_count = 1;
    made->fields = arena_copy(&m->arena, &f, 1, sizeof f);
  }
  ADD(m, messages, message, made);
  return made;
}

static inline const struct state *add_state(struct model *m, const char *name,
                                            const struct role *role, struct type type) {
  struct state *s = NEW(m, state);
  s->name = name;
  s->role = role;
  s->type = type;
  s->self = variable(m, "self", of_role(TYPE_NODE, role), DOMAIN_NONE);
  s->initial = type.kind == TYPE_SET   ? term(m, TERM_SET, type, 0)
               : type.kind == TYPE_INT ? number(m, 0)
                                       : truth(m, false);
  ADD(m, states, state, s);
  return s;
}

static inline struct statement *assign_to(struct model *m, const struct state *state,
                                          const struct term *value) {
  struct statement *s = NEW(m, statement);
  s->kind = STATEMENT_ASSIGN;
  s->state = state;
  s->value = value;
  return s;
}

static inline struct statement *send(struct model *m, const struct message *message,
                                     const struct term *field) {
  struct statement *s = NEW(m, statement);
  s->kind = STATEMENT_SEND;
  s->message = message;
  if (field != NULL) {
    s->arg_count = 1;
    s->args = ONE(m, term, field);
  }
  return s;
}

static inline struct block block(struct model *m, size_t count, ...) {
  struct block b = {.count = count};
  b.statements = arena_alloc(&m->arena, count, sizeof(const struct statement *));
  va_list list;
  va_start(list, count);
  for (size_t i = 0; i < count; i++)
    b.statements[i] = va_arg(list, const struct statement *);
  va_end(list);
  return b;
}

static inline struct action *add_action(struct model *m, const char *name, const struct role *role,
                                        const struct variable *node, const struct message *message,
                                        const struct variable *field, const struct term *guard,
                                        const struct term *charge, struct block body) {
  struct action *a = NEW(m, action);
  a->name = name;
  a->role = role;
  a->node = node;
  a->message = message;
  if (field != NULL)
    a->fields = ONE(m, variable, field);
  if (guard != NULL) {
    a->guard_count = 1;
    a->guards = ONE(m, term, guard);
  }
  a->cost_count = 1;
  a->costs = ONE(m, term, charge);
  a->body = body;
  ADD(m, actions, action, a);
  return a;
}

static inline struct bound *add_bound(struct model *m, const char *name, enum target_kind target,
                                      const struct term *expression) {
  struct bound *b = NEW(m, bound);
  b->name = name;
  b->target = target;
  b->expression = expression;
  b->target_text = b->expression_text = name;
  ADD(m, bounds, bound, b);
  return b;
}

static inline void add_assumption(struct model *m, const struct term *formula, const char *text) {
  struct assumption *a = NEW(m, assumption);
  a->formula = formula;
  a->text = text;
  if (m->assumptions.count == 0)
    m->assumptions.items = arena_alloc(&m->arena, 16, sizeof(const struct assumption *));
  m->assumptions.items[m->assumptions.count++] = a;
}

enum mistake {
  MISTAKE_NONE,
  MISTAKE_SEND_TWICE,   /* Broadcast is not guarded and costs nothing indexed: sends again */
  MISTAKE_CHARGE_TWICE, /* Broadcast is not guarded and sends nothing the second time */
  MISTAKE_ACK_COST,     /* Handle and Collect charge the same occurrence */
};

struct primary_backup {
  struct model model;
  const struct component *request, *handle, *ack_cost, *delay, *queueing;
  const struct message *request_message, *ack_message, *reply_message;
  const struct role *primary, *backup;
  const struct state *started, *acked;
  struct bound *reply, *uniform, *delivered;             /* right */
  struct bound *no_handle, *no_wait, *one_delay, *early; /* wrong */
};

/* PrimaryRequest + max b (d(Request(b)) + Queuing(Request(b)) [+ BackupRequest[b]] + d(Ack(b))
 * [+ Queuing(Ack(b))] + PrimaryAck[b]). */
static inline const struct term *reply_expression(struct primary_backup *p, bool handle,
                                                  bool wait) {
  struct model *m = &p->model;
  const struct variable *b = variable(m, "b", of_role(TYPE_NODE, p->backup), DOMAIN_ROLE);
  const struct term *x = about(m, TERM_DELAY, p->delay, p->request_message, use(m, b));
  x = plus(m, x, about(m, TERM_DELAY, p->queueing, p->request_message, use(m, b)));
  if (handle)
    x = plus(m, x, cost(m, p->handle, use(m, b)));
  x = plus(m, x, about(m, TERM_DELAY, p->delay, p->ack_message, use(m, b)));
  if (wait)
    x = plus(m, x, about(m, TERM_DELAY, p->queueing, p->ack_message, use(m, b)));
  x = plus(m, x, cost(m, p->ack_cost, use(m, b)));
  return plus(m, cost(m, p->request, NULL), binder(m, TERM_MAX_OVER, b, x));
}

static inline const struct term *uniform_expression(struct primary_backup *p, int64_t delays) {
  struct model *m = &p->model;
  const struct term *x = plus(m, cost(m, p->request, NULL), bare(m, p->handle));
  x = plus(m, x, bare(m, p->ack_cost));
  x = plus(m, x, times(m, 2, bare(m, p->queueing)));
  return plus(m, x, times(m, delays, bare(m, p->delay)));
}

static inline void add_bounds(struct primary_backup *p) {
  struct model *m = &p->model;
  const struct term *reply = reply_expression(p, true, true);
  p->reply = add_bound(m, "reply", TARGET_SENT, reply);
  p->uniform = add_bound(m, "uniform", TARGET_SENT, uniform_expression(p, 2));
  struct term *d_reply = term(m, TERM_DELAY, plain(TYPE_TIME), 0);
  d_reply->component = p->delay;
  d_reply->message = p->reply_message;
  p->delivered = add_bound(m, "delivered", TARGET_DELIVERED,
                           plus(m, reply_expression(p, true, true), d_reply));
  p->no_handle = add_bound(m, "no_handle", TARGET_SENT, reply_expression(p, false, true));
  p->no_wait = add_bound(m, "no_wait", TARGET_SENT, reply_expression(p, true, false));
  p->one_delay = add_bound(m, "one_delay", TARGET_SENT, uniform_expression(p, 1));
  p->early = add_bound(m, "early", TARGET_DELIVERED, reply_expression(p, true, true));
  for (size_t i = 0; i < m->bounds.count; i++)
    ((struct bound *)m->bounds.items[i])->message = p->reply_message;
}

static inline void add_primary_backup_actions(struct primary_backup *p, enum mistake mistake) {
  struct model *m = &p->model;
  const struct variable *self = variable(m, "primary", of_role(TYPE_NODE, p->primary), DOMAIN_NONE);
  const struct term *me = use(m, self);
  const struct variable *each = variable(m, "b", of_role(TYPE_NODE, p->backup), DOMAIN_ROLE);
  struct statement *all = send(m, p->request_message, use(m, each));
  all->variable_count = 1;
  all->variables = ONE(m, variable, each);
  const struct term *idle = term(m, TERM_NOT, plain(TYPE_BOOL), 1, state_at(m, p->started, me));
  struct statement *unless = NEW(m, statement);
  unless->kind = STATEMENT_IF;
  unless->condition = idle;
  unless->then_block = block(m, 2, assign_to(m, p->started, truth(m, true)), all);
  bool again = mistake == MISTAKE_SEND_TWICE || mistake == MISTAKE_CHARGE_TWICE;
  struct action *broadcast =
      add_action(m, "primary.Broadcast", p->primary, self, NULL, NULL, again ? NULL : idle,
                 cost(m, p->request, NULL),
                 mistake == MISTAKE_SEND_TWICE ? block(m, 1, all) : block(m, 1, unless));
  broadcast->cost_count = mistake == MISTAKE_SEND_TWICE ? 0 : 1;
  const struct variable *b = variable(m, "b", of_role(TYPE_NODE, p->backup), DOMAIN_NONE);
  add_action(m, "backup.Handle", p->backup, b, p->request_message, b, NULL,
             cost(m, p->handle, use(m, b)), block(m, 1, send(m, p->ack_message, use(m, b))));
  const struct variable *self2 =
      variable(m, "primary", of_role(TYPE_NODE, p->primary), DOMAIN_NONE);
  const struct variable *from = variable(m, "b", of_role(TYPE_NODE, p->backup), DOMAIN_NONE);
  struct type set = of_role(TYPE_SET, p->backup);
  const struct term *acked = state_at(m, p->acked, use(m, self2));
  const struct term *more = term(m, TERM_SET, set, 1, use(m, from));
  struct statement *check = NEW(m, statement);
  check->kind = STATEMENT_IF;
  check->condition = equal(m, acked, term(m, TERM_ROLE_SET, set, 0));
  check->then_block = block(m, 1, send(m, p->reply_message, NULL));
  struct statement *count = assign_to(m, p->acked, term(m, TERM_UNION, set, 2, acked, more));
  add_action(m, "primary.Collect", p->primary, self2, p->ack_message, from, NULL,
             cost(m, mistake == MISTAKE_ACK_COST ? p->handle : p->ack_cost, use(m, from)),
             block(m, 2, count, check));
}

static inline void primary_backup_build(struct primary_backup *p, enum mistake mistake) {
  memset(p, 0, sizeof *p);
  struct model *m = &p->model;
  m->name = "primary_backup";
  const struct param *n = add_param(m, "n");
  add_assumption(m, term(m, TERM_GE, plain(TYPE_BOOL), 2, param_term(m, n), number(m, 1)),
                 "n >= 1");
  p->primary = add_role(m, "primary", NULL, false);
  p->backup = add_role(m, "backup", param_term(m, n), false);
  const struct role *client = add_role(m, "client", NULL, true);
  struct type backup = of_role(TYPE_NODE, p->backup);
  p->request = add_component(m, "PrimaryRequest", COMPONENT_STEP, NULL);
  p->handle = add_component(m, "BackupRequest", COMPONENT_STEP, &backup);
  p->ack_cost = add_component(m, "PrimaryAck", COMPONENT_STEP, &backup);
  p->delay = add_component(m, "d", COMPONENT_DELAY, NULL);
  p->queueing = m->queueing = add_component(m, "Queuing", COMPONENT_QUEUEING, NULL);
  p->request_message = add_message(m, "Request", &backup, p->primary, p->backup, -1, 0);
  p->ack_message = add_message(m, "Ack", &backup, p->backup, p->primary, 0, -1);
  p->reply_message = add_message(m, "Reply", NULL, p->primary, client, -1, -1);
  p->started = add_state(m, "started", p->primary, plain(TYPE_BOOL));
  p->acked = add_state(m, "acked", p->primary, of_role(TYPE_SET, p->backup));
  add_primary_backup_actions(p, mistake);
  add_bounds(p);
}

struct ring {
  struct model model;
  const struct param *n;
  const struct role *node;
  const struct component *grant, *accept, *delay;
  const struct message *transfer;
  const struct state *held, *epoch;
  struct bound *circle, *after_hops; /* right; after_hops is for all nodes i */
  struct bound *short_circle;        /* wrong: Accept is missing */
};

/* sum k in 0..last (Grant[k] + d(Transfer(k + 1)) [+ Accept[k]]) */
static inline const struct term *laps(struct ring *r, const struct term *last, bool accept) {
  struct model *m = &r->model;
  const struct variable *k = range(m, "k", number(m, 0), last);
  const struct term *next = plus(m, use(m, k), number(m, 1));
  const struct term *x =
      plus(m, cost(m, r->grant, use(m, k)), about(m, TERM_DELAY, r->delay, r->transfer, next));
  if (accept)
    x = plus(m, x, cost(m, r->accept, use(m, k)));
  return binder(m, TERM_SUM_OVER, k, x);
}

static inline struct bound *ring_bound(struct ring *r, const char *name, const struct term *node,
                                       bool accept) {
  struct model *m = &r->model;
  const struct term *n = param_term(m, r->n);
  const struct term *last = term(m, TERM_SUB, plain(TYPE_INT), 2, n, number(m, 1));
  struct bound *b = add_bound(m, name, TARGET_WHEN, laps(r, last, accept));
  b->node = node;
  b->formula = both(m, state_at(m, r->held, node), equal(m, state_at(m, r->epoch, node), n));
  return b;
}

static inline void add_ring_actions(struct ring *r) {
  struct model *m = &r->model;
  struct type node = of_role(TYPE_NODE, r->node);
  const struct variable *i = variable(m, "i", node, DOMAIN_NONE);
  const struct term *epoch = state_at(m, r->epoch, use(m, i));
  struct statement *pass = send(m, r->transfer, plus(m, epoch, number(m, 1)));
  pass->to = term(m, TERM_NEXT, node, 1, use(m, i));
  add_action(m, "node.Grant", r->node, i, NULL, NULL, state_at(m, r->held, use(m, i)),
             cost(m, r->grant, epoch), block(m, 2, assign_to(m, r->held, truth(m, false)), pass));
  const struct variable *j = variable(m, "i", node, DOMAIN_NONE);
  const struct variable *e = variable(m, "e", plain(TYPE_INT), DOMAIN_NONE);
  const struct term *before = term(m, TERM_SUB, plain(TYPE_INT), 2, use(m, e), number(m, 1));
  add_action(m, "node.Accept", r->node, j, r->transfer, e,
             term(m, TERM_GT, plain(TYPE_BOOL), 2, use(m, e), state_at(m, r->epoch, use(m, j))),
             cost(m, r->accept, before),
             block(m, 2, assign_to(m, r->held, truth(m, true)), assign_to(m, r->epoch, use(m, e))));
}

static inline void ring_build(struct ring *r) {
  memset(r, 0, sizeof *r);
  struct model *m = &r->model;
  m->name = "lock";
  r->n = add_param(m, "n");
  r->node = add_role(m, "node", param_term(m, r->n), false);
  struct type integer = plain(TYPE_INT);
  r->grant = add_component(m, "Grant", COMPONENT_STEP, &integer);
  r->accept = add_component(m, "Accept", COMPONENT_STEP, &integer);
  r->delay = add_component(m, "d", COMPONENT_DELAY, NULL);
  r->transfer = add_message(m, "Transfer", &integer, r->node, r->node, -1, -1);
  r->held = add_state(m, "held", r->node, plain(TYPE_BOOL));
  r->epoch = add_state(m, "epoch", r->node, integer);
  const struct term *first = term(m, TERM_FIRST, of_role(TYPE_NODE, r->node), 0);
  ((struct state *)r->held)->initial = equal(m, use(m, r->held->self), first);
  add_ring_actions(r);
  r->circle = ring_bound(r, "circle", first, true);
  struct variable *i = variable(m, "i", of_role(TYPE_NODE, r->node), DOMAIN_ROLE);
  r->after_hops = ring_bound(r, "after_hops", use(m, i), true);
  r->after_hops->variable_count = 1;
  r->after_hops->variables = ONE(m, variable, i);
  r->short_circle = ring_bound(r, "short_circle", first, false);
}

#endif
