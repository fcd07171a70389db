/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/judge.h"

#include <string.h>

#include "tests/simulator/node.h"
#include "tests/simulator/value.h"

struct watching {
  const struct bound *bound;
};

static void watch_one(struct cluster *cluster, void *context) {
  const struct watching *watching = context;
  struct event event = {.bound = watching->bound};
  for (size_t i = 0; i < event.bound->variable_count; i++)
    event.chosen[i] = cluster->variables[event.bound->variables[i]->id];
  vector_push(&cluster->events, event);
}

void judge_watch(struct cluster *cluster, const struct bound *bound) {
  struct watching watching = {bound};
  if (bound->variable_count > INDICES_MAX)
    bug("more than %d variables", INDICES_MAX);
  cluster->watching = true;
  value_each(cluster, bound->variable_count, bound->variables, watch_one, &watching);
  cluster->watching = false;
}

static void bind(struct cluster *cluster, const struct event *event) {
  for (size_t i = 0; i < event->bound->variable_count; i++)
    cluster->variables[event->bound->variables[i]->id] = event->chosen[i];
}

static int64_t clock_at(struct cluster *cluster, const struct term *node) {
  struct term clock = {.kind = TERM_TIME_NODE, .count = 1, .args = &node};
  return value_of(cluster, &clock);
}

static const struct mail *find_mail(struct cluster *cluster, const struct message *message,
                                    const struct term *const *args) {
  int64_t fields[INDICES_MAX];
  values_of(cluster, args, message->field_count, fields);
  return cluster_mail(cluster, message, fields);
}

/* Whether what the bound counts from has happened, and when. */
static bool has_begun(int64_t *ns, struct cluster *cluster, const struct bound *bound) {
  *ns = 0;
  if (bound->from == NULL)
    return true;
  const struct mail *mail = find_mail(cluster, bound->from, bound->from_args);
  *ns = mail == NULL ? 0 : mail->sent_ns;
  return mail != NULL;
}

static void note_event(struct cluster *cluster, struct event *event) {
  const struct bound *bound = event->bound;
  int64_t begun;
  bind(cluster, event);
  if (!has_begun(&begun, cluster, bound))
    return;
  if (bound->target == TARGET_WHEN) {
    if (value_of(cluster, bound->formula) == 0)
      return;
    int64_t clock = clock_at(cluster, bound->node) - begun;
    event->ns = event->happened && event->ns > clock ? event->ns : clock;
    event->happened = true;
  } else if (!event->happened) {
    const struct mail *mail = find_mail(cluster, bound->message, bound->args);
    event->happened = mail != NULL;
    if (mail != NULL)
      event->ns = (bound->target == TARGET_SENT ? mail->sent_ns : mail->delivered_ns) - begun;
  }
}

void judge_note(struct cluster *cluster) {
  for (size_t i = 0; i < cluster->events.count; i++)
    note_event(cluster, &cluster->events.data[i]);
}

bool judge_has_seen_all(struct cluster *cluster) {
  for (size_t i = 0; i < cluster->events.count; i++)
    if (cluster->events.data[i].bound->target == TARGET_WHEN || !cluster->events.data[i].happened)
      return false;
  return true;
}

static bool never_happened(const struct cluster *cluster, const struct component *component) {
  if (component->kind != COMPONENT_STEP || component->repeated || component->index_count > 0)
    return false;
  const int64_t none = 0;
  const struct charge *charge = cluster_charged(cluster, component, &none, 0);
  return charge == NULL || !charge->charged;
}

/* False when the assumptions do not hold for what was drawn and waited. */
static bool tighten(struct cluster *cluster) {
  const struct model *model = cluster->model;
  size_t count = model->components.count;
  int64_t *drawn = mem_alloc(count + 1, sizeof *drawn);
  for (size_t i = 0; i < count; i++) {
    const struct component *component = model->components.items[i];
    drawn[i] = component == model->queueing ? cluster->longest[i] : cluster->limits[i];
    if (component->kind != COMPONENT_CONSTANT)
      cluster->limits[i] = never_happened(cluster, component) ? 0 : cluster->longest[i];
  }
  bool hold = cluster_assumptions_hold(cluster);
  if (!hold) {
    memcpy(cluster->limits, drawn, count * sizeof *drawn);
    hold = cluster_assumptions_hold(cluster);
  }
  mem_free(drawn);
  return hold;
}

bool judge_run(struct cluster *cluster, struct breach *breach, size_t *reached, size_t *attained) {
  *reached = *attained = 0;
  node_finish(cluster);
  if (cluster->mistake != NULL || !tighten(cluster))
    return false;
  for (size_t i = 0; i < cluster->events.count; i++) {
    const struct event *event = &cluster->events.data[i];
    if (!event->happened)
      continue;
    bind(cluster, event);
    int64_t limit = value_of(cluster, event->bound->expression);
    if (cluster->mistake != NULL)
      return false;
    ++*reached;
    *attained += limit > 0 && event->ns == limit;
    if (event->ns > limit)
      *breach = (struct breach){.bound = event->bound, .event_ns = event->ns, .limit_ns = limit};
  }
  return true;
}

/* Whether finitely many integers are enough to refute the formula. */
static bool is_universal(const struct term *term, bool positive) {
  bool over_integers = false;
  for (size_t i = 0; i < term->variable_count; i++)
    over_integers |= term->variables[i]->domain == DOMAIN_INT;
  if (over_integers && (!positive || term->kind != TERM_FORALL))
    return false;
  bool keeps = term->kind == TERM_FORALL || term->kind == TERM_EXISTS || term->kind == TERM_AND ||
               term->kind == TERM_OR || term->kind == TERM_IMPLIES;
  for (size_t i = 0; i < term->count; i++)
    if (!is_universal(term->args[i], keeps && positive && (term->kind != TERM_IMPLIES || i == 1)))
      return false;
  return true;
}

bool judge_state(struct cluster *cluster, struct breach *breach) {
  bool holds = true;
  int64_t *limits = cluster->limits;
  cluster->limits = cluster->fate->limits; /* what the bare names are worth in the end */
  for (size_t i = 0; i < cluster->model->invariants.count && holds; i++) {
    const struct invariant *invariant = cluster->model->invariants.items[i];
    if (invariant->phase != NULL || !is_universal(invariant->formula, true))
      continue;
    holds = value_of(cluster, invariant->formula) != 0 || cluster->mistake != NULL;
    cluster->mistake = NULL;
    if (!holds)
      *breach = (struct breach){.invariant = invariant};
  }
  cluster->limits = limits;
  return holds;
}
