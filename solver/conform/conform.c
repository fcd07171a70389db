/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/conform/conform.h"

#include "base/text.h"
#include "solver/conform/inside.h"
#include "solver/judge/valuation.h"

static void mark_mentioned(struct conform *c, const struct term *term) {
  if (term->component != NULL)
    c->mentioned[term->component->id] = true;
  for (size_t i = 0; i < term->count; i++)
    mark_mentioned(c, term->args[i]);
}

/* All that is recorded is of one clock; only what is given besides is of true time. */
static bool has_constants(const struct model *model) {
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->kind == COMPONENT_CONSTANT)
      return true;
  return false;
}

struct conform *conform_new(struct interpreter *interpreter,
                            const struct conform_settings *settings) {
  const struct model *model = interpreter->model;
  size_t nodes = interpreter->node_count;
  struct conform *c = mem_alloc(1, sizeof *c);
  c->interpreter = interpreter;
  c->settings = *settings;
  c->settings.rate_ppb = has_constants(model) ? settings->rate_ppb : 0;
  values_init(&c->values, model);
  c->recorded = values_valuation(&c->values);
  rational_init(&c->scratch);
  rational_init(&c->answer);
  rational_init(&c->limit);
  c->mentioned = mem_alloc(model->components.count, sizeof *c->mentioned);
  c->bindings = mem_alloc(model->variable_count, sizeof *c->bindings);
  c->tightness = mem_alloc(settings->bound_count, sizeof *c->tightness);
  c->next = mem_alloc(nodes, sizeof *c->next);
  c->past = mem_alloc(nodes, sizeof *c->past);
  c->before = mem_alloc(nodes, sizeof *c->before);
  c->free_at = mem_alloc(nodes, sizeof *c->free_at);
  for (size_t i = 0; i < settings->bound_count; i++)
    if (settings->bounds[i]->expression != NULL)
      mark_mentioned(c, settings->bounds[i]->expression);
  for (size_t i = 0; i < model->assumptions.count; i++)
    mark_mentioned(c, model->assumptions.items[i]->formula);
  text_init(&c->reason);
  text_init(&c->allowed);
  return c;
}

void conform_free(struct conform *c) {
  if (c == NULL)
    return;
  values_clear(&c->values);
  rational_clear(&c->scratch);
  rational_clear(&c->answer);
  rational_clear(&c->limit);
  mem_free(c->mentioned);
  mem_free(c->bindings);
  mem_free(c->tightness);
  mem_free(c->next);
  mem_free(c->past);
  mem_free(c->before);
  mem_free(c->free_at);
  conform_index_clear(c);
  vector_clear(&c->happened);
  vector_clear(&c->losses);
  vector_clear(&c->sent_now);
  vector_clear(&c->takeable);
  vector_clear(&c->executions);
  text_clear(&c->reason);
  text_clear(&c->allowed);
  mem_free(c);
}

static bool is_ready(const struct conform *c, const struct conform_event *event) {
  const struct message *message = event->what.action->message;
  if (message == NULL)
    return true;
  int64_t fields[INDEX_COUNT_MAX] = {0};
  for (size_t i = 0; i < message->field_count; i++)
    fields[i] = event->arguments[i];
  return world_message(c->world, message, fields) != NULL;
}

/* When a step starts for the order of steps: in the eager model, which orders them by their starts
 * in the model, with the time before it that is counted in. */
static int64_t order_key(const struct conform *c, const struct conform_event *event, size_t node) {
  bool eager = c->interpreter->model->timing == TIMING_EAGER;
  int64_t free_at = c->origin + c->free_at[node];
  return eager && event->start > free_at && counts_in(c, event->what.action) ? free_at
                                                                             : event->start;
}

/* The step to take now: that with the earliest start, of equal ones (without times: of all) one
 * whose message has been sent. NULL when all were taken. */
static const struct conform_event *next_step(struct conform *c, size_t *node) {
  const struct conform_event *best = NULL;
  bool best_ready = false;
  int64_t best_key = 0;
  for (size_t i = 0; i < c->interpreter->node_count; i++) {
    if (c->next[i] == c->past[i])
      continue;
    const struct conform_event *head = c->steps.data[c->next[i]];
    int64_t key = order_key(c, head, i);
    bool first = best == NULL, tie = !c->settings.timed;
    if (!first && c->settings.timed) {
      if (key > best_key)
        continue;
      tie = key == best_key;
    }
    if (!first && tie && best_ready)
      continue;
    bool ready = is_ready(c, head);
    if (!first && tie && !ready)
      continue;
    best = head;
    best_key = key;
    best_ready = ready;
    *node = i;
  }
  return best;
}

/* Time 0: the start of the first step, or of the request, or a beginning, where that is earlier. */
static void find_origin(struct conform *c) {
  bool any = false;
  int64_t last = 0;
  c->origin = c->all[0].start;
  for (size_t i = 0; i < c->all_count; i++) {
    const struct conform_event *event = &c->all[i];
    if (event->kind != CONFORM_STEP && event->kind != CONFORM_REQUEST &&
        event->kind != CONFORM_BEGINNING)
      continue;
    c->origin = any && c->origin <= event->start ? c->origin : event->start;
    if (event->kind == CONFORM_STEP && (!any || event->start > last))
      last = event->start;
    any = true;
  }
  c->last_start = any && last > c->origin ? since(c, last) : 0;
}

static void begin(struct conform *c, const struct conform_event *events, size_t count) {
  c->all = events;
  c->all_count = count;
  c->culprit = NULL;
  c->gap = (struct conform_gap){0};
  c->verdict = CONFORM_FITS;
  c->here = (struct conform_counts){0};
  c->slack_used = 0;
  c->happened.count = 0;
  c->losses.count = 0;
  c->sent_now.count = 0;
  c->unmet = false;
  find_origin(c);
  values_reset(&c->values);
  const struct model *model = c->interpreter->model;
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->kind == COMPONENT_CONSTANT && c->settings.timed)
      values_fix_bare(&c->values, model->components.items[i], c->settings.times[i]);
  c->world = world_new(c->interpreter, c->settings.timed ? &c->recorded : NULL);
  index_events(c);
}

/* Whether all steps were taken; those after a misfit that is known already do not matter. */
static bool take_steps(struct conform *c) {
  size_t node = 0;
  for (const struct conform_event *event; (event = next_step(c, &node)) != NULL;) {
    if (c->culprit != NULL && c->culprit->start < event->start)
      return false;
    c->next[node]++;
    if (!take_step(c, event))
      return false;
    take_losses(c);
    if (c->untaken == WAIT_WATCHED)
      watch_untaken(c);
    note_events(c);
  }
  return c->culprit == NULL;
}

static void add_most(uint64_t *count, int64_t *most, uint64_t more, int64_t ns) {
  *count += more;
  *most = ns > *most ? ns : *most;
}

static void add_counts(struct conform_counts *to, const struct conform_counts *from) {
  to->steps += from->steps;
  to->messages += from->messages;
  to->lost += from->lost;
  add_most(&to->tolerated, &to->tolerated_ns, from->tolerated, from->tolerated_ns);
  add_most(&to->counted_in, &to->counted_in_ns, from->counted_in, from->counted_in_ns);
  add_most(&to->covered, &to->covered_ns, from->covered, from->covered_ns);
}

/* Whether it is complete. */
static bool follow(struct conform *c, const struct conform_event *events, size_t count,
                   enum wait_untaken untaken) {
  c->untaken = untaken;
  begin(c, events, count);
  bool complete = false;
  if (take_steps(c)) {
    leftovers(c);
    complete = judge_instance(c);
  }
  world_free(c->world);
  c->world = NULL;
  return complete;
}

enum conform_verdict conform_instance(struct conform *c, const struct conform_event *events,
                                      size_t count) {
  bool complete = follow(c, events, count, WAIT_ALL);
  if (c->unmet && c->interpreter->model->queueing != NULL) {
    c->takeable.count = 0;
    follow(c, events, count, WAIT_WATCHED);
    complete = follow(c, events, count, WAIT_KNOWN);
  }
  if (c->culprit != NULL)
    return c->verdict;
  keep_tightness(c);
  add_counts(&c->counts, &c->here);
  (*(complete ? &c->counts.complete : &c->counts.incomplete))++;
  return complete ? CONFORM_FITS : CONFORM_INCOMPLETE;
}

const struct conform_counts *conform_counts(const struct conform *c) {
  return &c->counts;
}

const struct conform_tightness *conform_tightness(const struct conform *c) {
  return c->tightness;
}

const struct conform_event *conform_culprit(const struct conform *c) {
  return c->culprit;
}

const char *conform_reason(const struct conform *c) {
  return text_get(&c->reason);
}

const char *conform_allowed(const struct conform *c) {
  return text_get(&c->allowed);
}

struct conform_gap conform_gap(const struct conform *c) {
  return c->gap;
}

int64_t conform_origin(const struct conform *c) {
  return c->origin;
}
