/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/encode/symbolic.h"
#include "base/text.h"

#include <string.h>

#include "base/invariant.h"

/* What an effect of the kind cannot do without. */
static bool has_parts(const struct symbolic *s) {
  switch (s->kind) {
  case SYMBOLIC_ANY:
  case SYMBOLIC_INITIAL:
    return true;
  case SYMBOLIC_ASSIGN:
    return s->state != NULL && s->node != NULL && (s->set == NULL) != (s->value == NULL) &&
           (s->key != NULL) == (s->state->type.kind == TYPE_MAP);
  case SYMBOLIC_SEND:
    return s->send != NULL && s->end != NULL && s->left != NULL &&
           (s->send->message->pacer != NULL) == (s->value != NULL);
  case SYMBOLIC_RECEIVE:
  case SYMBOLIC_LOSE:
    return s->message != NULL && s->args != NULL;
  case SYMBOLIC_CHARGE:
    return s->component != NULL && s->args != NULL;
  case SYMBOLIC_CLOCK:
  case SYMBOLIC_ARRIVAL:
    return s->role != NULL && s->node != NULL && s->value != NULL;
  case SYMBOLIC_NOW:
    return s->value != NULL;
  }
  return false;
}

bool symbolic_is_valid(const struct symbolic *s) {
  bool is_first = s->kind == SYMBOLIC_ANY || s->kind == SYMBOLIC_INITIAL;
  for (size_t i = 0; i < s->free.count; i++)
    if (s->values[i] == NULL)
      return false;
  return (s->before == NULL) == is_first && (s->guard == NULL) == is_first && has_parts(s);
}

const struct symbolic *symbolic_push(struct encoder *encoder, struct symbolic layer) {
  if (layer.set != NULL || layer.send != NULL) {
    layer.free = layer.set != NULL ? term_free_variables(&encoder->arena, layer.set)
                                   : send_free_variables(&encoder->arena, layer.send);
    smt_term *values = arena_alloc(&encoder->arena, layer.free.count, sizeof(smt_term));
    for (size_t i = 0; i < layer.free.count; i++)
      values[i] = encoder->environment[layer.free.items[i]->id];
    layer.values = values;
  }
  invariant(symbolic_is_valid(&layer));
  return arena_copy(&encoder->arena, &layer, 1, sizeof layer);
}

smt_term *symbolic_enter_set(struct encoder *e, const struct symbolic *at) {
  smt_term *saved = arena_alloc(&e->arena, at->free.count, sizeof(smt_term));
  for (size_t i = 0; i < at->free.count; i++) {
    saved[i] = encoder_let(e, at->free.items[i], at->values[i]);
  }
  return saved;
}

void symbolic_leave_set(struct encoder *e, const struct symbolic *at, const smt_term *saved) {
  for (size_t i = 0; i < at->free.count; i++)
    encoder_let(e, at->free.items[i], saved[i]);
}

const struct symbolic *symbolic_any(struct encoder *encoder) {
  return symbolic_push(encoder, (struct symbolic){.kind = SYMBOLIC_ANY});
}

const struct symbolic *symbolic_initial(struct encoder *encoder) {
  return symbolic_push(encoder, (struct symbolic){.kind = SYMBOLIC_INITIAL});
}

/* Applies the function "prefix.name" of the unknown state to `first` (may be NULL) and `args`. */
static smt_term unknown(struct encoder *e, const char *prefix, const char *owner, const char *name,
                        const struct type *first_type, smt_term first,
                        const struct type *const *types, const smt_term *args, size_t count,
                        smt_sort range) {
  struct text full;
  text_init(&full);
  text_format(&full, "%s.%s%s%s", prefix, owner, name[0] ? "." : "", name);
  smt_sort *domain = arena_alloc(&e->arena, count + 1, sizeof(smt_sort));
  smt_term *values = arena_alloc(&e->arena, count + 1, sizeof(smt_term));
  size_t n = 0;
  if (first != NULL) {
    domain[n] = encode_sort(e, first_type);
    values[n++] = first;
  }
  for (size_t i = 0; i < count; i++) {
    domain[n] = encode_sort(e, types[i]);
    values[n++] = args[i];
  }
  smt_function function = smt_declare(e->smt, full.data, domain, n, range);
  text_clear(&full);
  return smt_apply(e->smt, function, values, n);
}

/* Something that may have happened in the unknown state: in a scope, only to what that knows of. */
static smt_term unknown_fact(struct encoder *e, const char *prefix, const char *owner,
                             const struct type *const *types, const smt_term *args, size_t count) {
  smt_term fact =
      unknown(e, prefix, owner, "", NULL, NULL, types, args, count, smt_sort_bool(e->smt));
  for (size_t i = 0; e->scope != NULL && i < count; i++)
    fact = smt_and2(e->smt, encode_in_scope(e, types[i], args[i]), fact);
  return fact;
}

static struct type node_type(const struct role *role) {
  return (struct type){.kind = TYPE_NODE, .role = role};
}

/* Of a single node the function has no node argument: there is nothing to distinguish. */
static smt_term unknown_of_node(struct encoder *e, const char *prefix, const struct role *role,
                                const char *name, smt_term node, const struct type *key_type,
                                smt_term key, smt_sort range) {
  struct type type = node_type(role);
  return unknown(e, prefix, role->name, name, &type, role->count == NULL ? NULL : node, &key_type,
                 &key, key != NULL, range);
}

static const struct type **field_types(struct encoder *e, const struct message *message) {
  const struct type **types = arena_alloc(&e->arena, message->field_count, sizeof *types);
  for (size_t i = 0; i < message->field_count; i++)
    types[i] = &message->fields[i].type;
  return types;
}

static smt_term unknown_of_message(struct encoder *e, const char *prefix,
                                   const struct message *message, const smt_term *fields,
                                   smt_sort range) {
  const struct type **types = field_types(e, message);
  return unknown(e, prefix, message->name, "", NULL, NULL, types, fields, message->field_count,
                 range);
}

static smt_term same_node(struct encoder *e, const struct role *role, smt_term a, smt_term b) {
  return role->count == NULL ? smt_bool(e->smt, true) : smt_equal(e->smt, a, b);
}

static smt_term same_args(struct encoder *e, const smt_term *a, const smt_term *b, size_t count) {
  smt_term all = smt_bool(e->smt, true);
  for (size_t i = 0; i < count; i++)
    all = smt_and2(e->smt, all, smt_equal(e->smt, a[i], b[i]));
  return all;
}

static smt_term initial_value(struct encoder *e, const struct symbolic *at,
                              const struct state *state, smt_term node) {
  smt_term saved = encoder_let(e, state->self, node);
  smt_term value = encode(e, state->initial, at);
  encoder_let(e, state->self, saved);
  return value;
}

smt_term symbolic_read(struct encoder *e, const struct symbolic *at, const struct state *state,
                       smt_term node) {
  if (at->kind == SYMBOLIC_INITIAL)
    return initial_value(e, at, state, node);
  if (at->kind == SYMBOLIC_ANY)
    return unknown_of_node(e, "state", state->role, state->name, node, NULL, NULL,
                           encode_sort(e, &state->type));
  smt_term before = symbolic_read(e, at->before, state, node);
  if (at->kind != SYMBOLIC_ASSIGN || at->state != state)
    return before;
  smt_term here = smt_and2(e->smt, at->guard, same_node(e, state->role, node, at->node));
  return smt_if(e->smt, here, at->value, before);
}

smt_term symbolic_member(struct encoder *e, const struct symbolic *at, const struct state *state,
                         smt_term node, smt_term element) {
  if (at->kind == SYMBOLIC_INITIAL) {
    smt_term saved = encoder_let(e, state->self, node);
    smt_term member = encode_member(e, state->initial, element, at);
    encoder_let(e, state->self, saved);
    return member;
  }
  struct type key = node_type(state->type.role);
  if (at->kind == SYMBOLIC_ANY)
    return unknown_of_node(e, "state", state->role, state->name, node, &key, element,
                           smt_sort_bool(e->smt));
  smt_term before = symbolic_member(e, at->before, state, node, element);
  if (at->kind != SYMBOLIC_ASSIGN || at->state != state)
    return before;
  smt_term here = smt_and2(e->smt, at->guard, same_node(e, state->role, node, at->node));
  smt_term *saved = symbolic_enter_set(e, at);
  smt_term member = encode_member(e, at->set, element, at->before);
  symbolic_leave_set(e, at, saved);
  return smt_if(e->smt, here, member, before);
}

smt_term symbolic_get(struct encoder *e, const struct symbolic *at, const struct state *state,
                      smt_term node, smt_term key) {
  if (at->kind == SYMBOLIC_INITIAL)
    return initial_value(e, at, state, node);
  struct type type = node_type(state->type.role);
  if (at->kind == SYMBOLIC_ANY)
    return unknown_of_node(e, "state", state->role, state->name, node, &type, key,
                           encode_sort(e, state->type.element));
  smt_term before = symbolic_get(e, at->before, state, node, key);
  if (at->kind != SYMBOLIC_ASSIGN || at->state != state)
    return before;
  smt_term here = smt_and2(e->smt, at->guard, same_node(e, state->role, node, at->node));
  here = smt_and2(e->smt, here, same_node(e, state->type.role, key, at->key));
  return smt_if(e->smt, here, at->value, before);
}

/* Lets the variables of a send stand for the fields in which they stand, and the others in it for
 * what they stood for when it was executed; returns what they stand for now. */
static smt_term *enter_send(struct encoder *e, const struct symbolic *at, const smt_term *fields) {
  const struct statement *send = at->send;
  size_t own = send->variable_count;
  smt_term *saved = arena_alloc(&e->arena, own + at->free.count, sizeof(smt_term));
  for (size_t v = 0; v < send->variable_count; v++)
    saved[v] = e->environment[send->variables[v]->id];
  for (size_t v = 0; v < send->variable_count; v++)
    for (size_t i = 0; i < send->arg_count; i++)
      if (send->args[i]->kind == TERM_VARIABLE && send->args[i]->variable == send->variables[v])
        encoder_let(e, send->variables[v], fields[i]);
  for (size_t i = 0; i < at->free.count; i++)
    saved[own + i] = encoder_let(e, at->free.items[i], at->values[i]);
  return saved;
}

static void leave_send(struct encoder *e, const struct symbolic *at, const smt_term *saved) {
  size_t own = at->send->variable_count;
  for (size_t v = 0; v < own; v++)
    encoder_let(e, at->send->variables[v], saved[v]);
  for (size_t i = 0; i < at->free.count; i++)
    encoder_let(e, at->free.items[i], saved[own + i]);
}

/* What a send demands of these fields: its variables are in their domains and the other fields have
 * their values. Between enter_send and leave_send. */
static smt_term demanded(struct encoder *e, const struct symbolic *at, const smt_term *fields) {
  const struct statement *send = at->send;
  smt_term all = at->guard;
  for (size_t v = 0; v < send->variable_count; v++)
    all = smt_and2(e->smt, all,
                   encode_in_domain(e, send->variables[v], e->environment[send->variables[v]->id],
                                    at->before));
  for (size_t i = 0; i < send->arg_count; i++)
    all = smt_and2(e->smt, all, smt_equal(e->smt, fields[i], encode(e, send->args[i], at->before)));
  return all;
}

static smt_term sends(struct encoder *e, const struct symbolic *at, const smt_term *fields) {
  smt_term *saved = enter_send(e, at, fields);
  smt_term all = demanded(e, at, fields);
  leave_send(e, at, saved);
  return all;
}

static bool is_send_of(const struct symbolic *at, const struct message *message) {
  return at->kind == SYMBOLIC_SEND && at->send->message == message;
}

smt_term symbolic_sent(struct encoder *e, const struct symbolic *at, const struct message *message,
                       const smt_term *fields) {
  if (at->kind == SYMBOLIC_INITIAL)
    return smt_bool(e->smt, false);
  if (at->kind == SYMBOLIC_ANY)
    return unknown_fact(e, "sent", message->name, field_types(e, message), fields,
                        message->field_count);
  smt_term before = symbolic_sent(e, at->before, message, fields);
  return is_send_of(at, message) ? smt_or2(e->smt, sends(e, at, fields), before) : before;
}

smt_term symbolic_gone(struct encoder *e, const struct symbolic *at, const struct message *message,
                       const smt_term *fields) {
  if (at->kind == SYMBOLIC_INITIAL)
    return smt_bool(e->smt, false);
  if (at->kind == SYMBOLIC_ANY)
    return unknown_fact(e, "received", message->name, field_types(e, message), fields,
                        message->field_count);
  smt_term before = symbolic_gone(e, at->before, message, fields);
  if ((at->kind != SYMBOLIC_RECEIVE && at->kind != SYMBOLIC_LOSE) || at->message != message)
    return before;
  return smt_or2(e->smt, same_args(e, fields, at->args, message->field_count), before);
}

smt_term symbolic_lost(struct encoder *e, const struct symbolic *at, const struct message *message,
                       const smt_term *fields) {
  if (at->kind == SYMBOLIC_INITIAL || message->loss == NULL)
    return smt_bool(e->smt, false);
  if (at->kind == SYMBOLIC_ANY) {
    smt_term lost = unknown_fact(e, "lost", message->name, field_types(e, message), fields,
                                 message->field_count);
    return smt_and2(e->smt, symbolic_gone(e, at, message, fields), lost);
  }
  smt_term before = symbolic_lost(e, at->before, message, fields);
  if (at->kind != SYMBOLIC_LOSE || at->message != message)
    return before;
  return smt_or2(e->smt, same_args(e, fields, at->args, message->field_count), before);
}

smt_term symbolic_delivery(struct encoder *e, const struct symbolic *at,
                           const struct message *message, const smt_term *fields) {
  if (at->kind == SYMBOLIC_INITIAL || at->kind == SYMBOLIC_ANY)
    return unknown_of_message(e, "delivery", message, fields, smt_sort_real(e->smt));
  smt_term before = symbolic_delivery(e, at->before, message, fields);
  if (!is_send_of(at, message))
    return before;
  smt_term newly = sends(e, at, fields);
  smt_term delay = encode_occurrence(e, message->delay, message, fields, message->field_count);
  return smt_if(e->smt, newly, smt_add(e->smt, at->left, delay), before);
}

smt_term symbolic_paced(struct encoder *e, const struct symbolic *at, const struct message *message,
                        const smt_term *fields) {
  if (at->kind == SYMBOLIC_INITIAL || at->kind == SYMBOLIC_ANY)
    return unknown_of_message(e, "paced", message, fields, smt_sort_real(e->smt));
  smt_term before = symbolic_paced(e, at->before, message, fields);
  return is_send_of(at, message) ? smt_if(e->smt, sends(e, at, fields), at->value, before) : before;
}

smt_term symbolic_handed(struct encoder *e, const struct symbolic *at,
                         const struct message *message, const smt_term *fields) {
  if (at->kind == SYMBOLIC_INITIAL || at->kind == SYMBOLIC_ANY)
    return unknown_of_message(e, "handed", message, fields, smt_sort_real(e->smt));
  smt_term before = symbolic_handed(e, at->before, message, fields);
  return is_send_of(at, message) ? smt_if(e->smt, sends(e, at, fields), at->end, before) : before;
}

smt_term symbolic_receiver(struct encoder *e, const struct symbolic *at,
                           const struct message *message, const smt_term *fields) {
  int field = message->receiver_field;
  if (field >= 0)
    return encode_of_role(e, message->fields[field].type.role, message->receiver, fields[field]);
  if (message->receiver->count == NULL)
    return smt_int(e->smt, 0);
  struct type type = node_type(message->receiver);
  if (at->kind == SYMBOLIC_INITIAL || at->kind == SYMBOLIC_ANY)
    return unknown_of_message(e, "receiver", message, fields, encode_sort(e, &type));
  smt_term before = symbolic_receiver(e, at->before, message, fields);
  if (!is_send_of(at, message))
    return before;
  smt_term *saved = enter_send(e, at, fields);
  smt_term newly = demanded(e, at, fields), to = encode(e, at->send->to, at->before);
  leave_send(e, at, saved);
  return smt_if(e->smt, newly, to, before);
}

/* Whether the batch of a CHARGE has the occurrence with these indices. */
static smt_term is_in_batch(struct encoder *e, const struct symbolic *at, const smt_term *indices) {
  smt_term all = smt_apply(e->smt, at->batch, &indices[at->member], 1);
  for (size_t i = 0; i < at->component->index_count; i++)
    if (i != at->member)
      all = smt_and2(e->smt, all, smt_equal(e->smt, indices[i], at->args[i]));
  return all;
}

smt_term symbolic_charged(struct encoder *e, const struct symbolic *at,
                          const struct component *component, const smt_term *indices) {
  if (at->kind == SYMBOLIC_INITIAL)
    return smt_bool(e->smt, false);
  if (at->kind == SYMBOLIC_ANY) {
    const struct type **types = arena_alloc(&e->arena, component->index_count, sizeof *types);
    for (size_t i = 0; i < component->index_count; i++)
      types[i] = &component->index[i];
    return unknown_fact(e, "charged", component->name, types, indices, component->index_count);
  }
  smt_term before = symbolic_charged(e, at->before, component, indices);
  if (at->kind != SYMBOLIC_CHARGE || at->component != component)
    return before;
  smt_term same = at->batch != NULL ? is_in_batch(e, at, indices)
                                    : same_args(e, indices, at->args, component->index_count);
  return smt_or2(e->smt, smt_and2(e->smt, at->guard, same), before);
}

/* The clock or the arrival time of a node: the layers of `kind` set it. */
static smt_term time_of_node(struct encoder *e, const struct symbolic *at, enum symbolic_kind kind,
                             const char *name, const struct role *role, smt_term node) {
  if (at->kind == SYMBOLIC_INITIAL)
    return smt_real_zero(e->smt);
  if (at->kind == SYMBOLIC_ANY)
    return unknown_of_node(e, name, role, "", node, NULL, NULL, smt_sort_real(e->smt));
  smt_term before = time_of_node(e, at->before, kind, name, role, node);
  if (at->kind != kind || at->role != role)
    return before;
  return smt_if(e->smt, same_node(e, role, node, at->node), at->value, before);
}

smt_term symbolic_clock(struct encoder *e, const struct symbolic *at, const struct role *role,
                        smt_term node) {
  return time_of_node(e, at, SYMBOLIC_CLOCK, "clock", role, node);
}

smt_term symbolic_arrival(struct encoder *e, const struct symbolic *at, const struct role *role,
                          smt_term node) {
  return time_of_node(e, at, SYMBOLIC_ARRIVAL, "arrival", role, node);
}

smt_term symbolic_now(struct encoder *e, const struct symbolic *at) {
  if (at->kind == SYMBOLIC_INITIAL)
    return smt_real_zero(e->smt);
  if (at->kind == SYMBOLIC_ANY)
    return unknown(e, "time", "now", "", NULL, NULL, NULL, NULL, 0, smt_sort_real(e->smt));
  return at->kind == SYMBOLIC_NOW ? at->value : symbolic_now(e, at->before);
}

smt_term symbolic_fifo_count(struct encoder *e, const struct symbolic *at) {
  if (at->kind == SYMBOLIC_INITIAL)
    return smt_int(e->smt, 0);
  if (at->kind == SYMBOLIC_ANY)
    return unknown(e, "fifo", "count", "", NULL, NULL, NULL, NULL, 0, smt_sort_int(e->smt));
  smt_term before = symbolic_fifo_count(e, at->before);
  bool counts = at->kind == SYMBOLIC_SEND && at->send->message->fifo;
  return counts ? smt_add(e->smt, before, smt_int(e->smt, 1)) : before;
}

smt_term symbolic_order(struct encoder *e, const struct symbolic *at, const struct message *message,
                        const smt_term *fields) {
  if (at->kind == SYMBOLIC_INITIAL || at->kind == SYMBOLIC_ANY)
    return unknown_of_message(e, "order", message, fields, smt_sort_int(e->smt));
  smt_term before = symbolic_order(e, at->before, message, fields);
  if (!is_send_of(at, message))
    return before;
  return smt_if(e->smt, sends(e, at, fields), symbolic_fifo_count(e, at->before), before);
}
