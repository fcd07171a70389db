/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/judge/limits.h"

#include "base/text.h"
#include "solver/judge/event.h"
#include "solver/judge/valuation.h"

/* --- times ------------------------------------------------------------------------------------ */

static void set(struct stream_range *value, const struct rational *ns) {
  *value = stream_constant(ns);
}

static bool occurrence(struct stream_range *value, const struct term *term, const int64_t *indices,
                       void *context, struct text *message) {
  const struct interpretation *e = ((struct limits *)context)->e;
  struct interpreter *in = e->interpreter;
  (void)message;
  const struct occurrence *o =
      term->kind == TERM_OCCURRENCE            ? interpreter_cost(in, term->component, indices)
      : term->component == in->model->queueing ? interpreter_wait(in, term->message, indices)
                                               : interpreter_delay(in, term->message, indices);
  set(value, e->valuation->term(o, e->valuation->context));
  return true;
}

static bool bare(struct stream_range *value, const struct component *component, void *context,
                 struct text *message) {
  const struct interpretation *e = ((struct limits *)context)->e;
  const struct rational *ns = e->valuation->bare(component, e->valuation->context);
  (void)message;
  if (ns != NULL)
    set(value, ns);
  return ns != NULL;
}

/* --- which bounds ----------------------------------------------------------------------------- */

/* Whether it adds or compares over a range, whose length may grow with the number. */
static bool has_range(const struct term *term) {
  bool found = false;
  for (size_t i = 0; i < term->variable_count; i++)
    found |= term->variables[i]->domain == DOMAIN_RANGE;
  for (size_t i = 0; i < term->count && !found; i++)
    found = has_range(term->args[i]);
  return found;
}

/* The one integer among the bound's variables. */
static const struct variable *find_number(const struct bound *bound) {
  const struct variable *found = NULL;
  for (size_t i = 0; i < bound->variable_count; i++)
    if (bound->variables[i]->type.kind == TYPE_INT) {
      if (found != NULL)
        return NULL;
      found = bound->variables[i];
    }
  return found;
}

void limits_init(struct limits *l, const struct bound *bound, const struct interpretation *e) {
  *l = (struct limits){.bound = bound, .e = e, .number = find_number(bound)};
  int64_t most = evaluate_range_max(e);
  l->source = (struct stream_source){occurrence, bare, l, most, most};
  l->followed = l->number != NULL && bound->expression != NULL && has_range(bound->expression);
  l->message = mem_alloc(1, sizeof *l->message);
  text_init(l->message);
}

void limits_clear(struct limits *l) {
  for (size_t i = 0; i < l->streams.count; i++) {
    stream_evaluation_clear(&l->streams.data[i]->evaluation);
    mem_free(l->streams.data[i]->values);
    mem_free(l->streams.data[i]);
  }
  vector_clear(&l->streams);
  text_clear(l->message);
  mem_free(l->message);
}

/* --- one -------------------------------------------------------------------------------------- */

static bool is_of(const struct limits *l, const struct limits_stream *stream) {
  for (size_t i = 0; i < l->bound->variable_count; i++) {
    const struct variable *v = l->bound->variables[i];
    if (v != l->number && stream->values[i] != l->e->bindings[v->id])
      return false;
  }
  return true;
}

static struct limits_stream *stream_of(struct limits *l) {
  for (size_t i = l->streams.count; i > 0; i--)
    if (is_of(l, l->streams.data[i - 1]))
      return l->streams.data[i - 1];
  struct limits_stream *made = mem_alloc(1, sizeof *made);
  made->values = mem_alloc(l->bound->variable_count, sizeof *made->values);
  made->met = INT64_MIN;
  made->evaluation = (struct stream_evaluation){.model = l->e->interpreter->model,
                                                .bound = l->bound,
                                                .params = l->e->interpreter->params,
                                                .number = l->number,
                                                .source = &l->source,
                                                .message = l->message};
  stream_evaluation_init(&made->evaluation);
  for (size_t i = 0; i < l->bound->variable_count; i++) {
    const struct variable *v = l->bound->variables[i];
    made->values[i] = l->e->bindings[v->id];
    made->evaluation.variables[v->id] = made->values[i];
  }
  vector_push(&l->streams, made);
  return made;
}

/* What is no whole number, is out of order or too large is evaluated; so are all that follow. */
static bool follow(struct rational *limit, struct limits *l) {
  struct limits_stream *stream = stream_of(l);
  int64_t number = l->e->bindings[l->number->id];
  struct stream_range x = {0, 0};
  if (number > stream->met)
    x = stream_value(&stream->evaluation, number);
  l->followed = number > stream->met && !stream->evaluation.failed && x.low == x.high &&
                x.high < STREAM_ENDLESS && x.low > -STREAM_ENDLESS;
  stream->met = number;
  if (l->followed)
    rational_set_integer(limit, x.low);
  return l->followed;
}

bool limits_at(struct rational *limit, struct limits *l) {
  if (l->followed && follow(limit, l))
    return true;
  l->evaluated++;
  return event_limit(limit, l->e, l->bound);
}
