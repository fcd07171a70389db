/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/choice.h"

#include "tests/simulator/value.h"

/* What the action chooses; false when there is nothing to choose. Until its next step a node
 * chooses the same. */
static bool choose(struct cluster *cluster, const struct actor *actor,
                   const struct action *action) {
  for (size_t i = 0; i < action->choice_count; i++) {
    const struct variable *v = action->choices[i];
    uint64_t bits = cluster_hash(actor->seed, 5000 + 10 * action->id + i);
    bool range = v->domain == DOMAIN_RANGE, set = v->domain == DOMAIN_SET;
    int64_t low = range ? value_of(cluster, v->low) : 0;
    int64_t high = range ? value_of(cluster, v->high)
                   : set ? 63
                         : cluster->sizes[v->type.role->id] - 1;
    uint64_t members = set ? (uint64_t)value_of(cluster, v->set) : 0;
    if (high < low || (set && members == 0))
      return false;
    int64_t value = low + (int64_t)(bits % (uint64_t)(high - low + 1));
    while (set && (members >> value & 1) == 0)
      value = (value + 1) % 64;
    cluster->variables[v->id] = value;
  }
  return true;
}

/* False: the mail is none for the action. */
static bool bind_mail(struct cluster *cluster, const struct actor *actor,
                      const struct action *action, const struct mail *mail) {
  cluster->variables[action->node->id] = actor->node;
  for (size_t i = 0; i < mail->message->field_count; i++)
    if (action->fields[i] != action->node)
      cluster->variables[action->fields[i]->id] = mail->fields[i];
  for (size_t i = 0; i < mail->message->field_count; i++) /* one variable twice, or the node */
    if (cluster->variables[action->fields[i]->id] != mail->fields[i])
      return false;
  return true;
}

static void bind_chosen(struct cluster *cluster, const struct action *action,
                        const int64_t *chosen) {
  for (size_t i = 0; i < action->choice_count; i++)
    cluster->variables[action->choices[i]->id] = chosen[i];
}

void choice_bind(struct cluster *cluster, const struct actor *actor, const struct choice *choice) {
  cluster->variables[choice->action->node->id] = actor->node;
  if (choice->source == SOURCE_MESSAGE)
    bind_mail(cluster, actor, choice->action, &cluster->mails.data[choice->mail]);
  bind_chosen(cluster, choice->action, choice->chosen);
}

struct paying {
  const struct actor *actor;
  const struct term *cost;
  size_t place, member; /* of the cost in its action, of the occurrence in its batch */
  choice_pay pay;
  void *context;
};

static void pay_member(struct cluster *cluster, void *context) {
  struct paying *p = context;
  const struct component *component = p->cost->component;
  int64_t ns, indices[INDICES_MAX];
  if (component->repeated) {
    ns = cluster_draw(
        cluster, cluster->limits[component->id],
        cluster_hash(p->actor->seed, 1000 * component->id + 100000 * p->member + p->place));
  } else {
    values_of(cluster, p->cost->args, p->cost->count, indices);
    ns = cluster_charge(cluster, component, indices, p->cost->count)->ns;
  }
  p->member++;
  p->pay(cluster, p->cost, ns, p->context);
}

void choice_costs(struct cluster *cluster, const struct actor *actor, const struct action *action,
                  choice_pay pay, void *context) {
  for (size_t i = 0; i < action->cost_count; i++) {
    const struct term *condition = action->conditions == NULL ? NULL : action->conditions[i];
    const struct variable *batch = action->batches == NULL ? NULL : action->batches[i];
    struct paying p = {actor, action->costs[i], i, 0, pay, context};
    if (condition == NULL || value_of(cluster, condition) != 0)
      value_each(cluster, batch == NULL ? 0 : 1, &batch, pay_member, &p);
  }
}

static void add_up(struct cluster *cluster, const struct term *cost, int64_t ns, void *context) {
  (void)cluster;
  (void)cost;
  *(int64_t *)context += ns;
}

static int64_t length_of(struct cluster *cluster, const struct actor *actor,
                         const struct action *action) {
  int64_t length = 0;
  choice_costs(cluster, actor, action, add_up, &length);
  return length;
}

/* The clock is read at some instant of the step. */
static void bind_read(struct cluster *cluster, const struct actor *actor,
                      const struct action *action, int64_t start_ns) {
  if (action->read == NULL)
    return;
  int64_t length = length_of(cluster, actor, action);
  uint64_t bits = cluster_hash(actor->seed, 1);
  int64_t offset = bits % 3 == 0   ? 0
                   : bits % 3 == 1 ? length
                                   : (int64_t)((double)length * (double)(bits >> 40) / 0x1p24);
  cluster->variables[action->read->id] = start_ns + offset;
}

int64_t choice_read(struct cluster *cluster, const struct actor *actor,
                    const struct choice *choice) {
  choice_bind(cluster, actor, choice);
  bind_read(cluster, actor, choice->action, choice->start_ns);
  return cluster->variables[choice->action->read->id];
}

static bool guards_hold(struct cluster *cluster, const struct actor *actor,
                        const struct action *action, int64_t start_ns) {
  bind_read(cluster, actor, action, start_ns);
  for (size_t i = 0; i < action->guard_count; i++)
    if (value_of(cluster, action->guards[i]) == 0)
      return false;
  return true;
}

bool choices_is_behind(const struct cluster *cluster, const struct mail *mail) {
  for (size_t i = 0; mail->message->fifo && i < cluster->mails.count; i++) {
    const struct mail *other = &cluster->mails.data[i];
    if (!other->received && !other->doomed && other->message->fifo && other->order < mail->order &&
        other->message->sender == mail->message->sender && other->from == mail->from &&
        other->message->receiver == mail->message->receiver && other->to == mail->to)
      return true;
  }
  return false;
}

static bool is_for(const struct mail *mail, const struct actor *actor,
                   const struct action *action) {
  return !mail->received && !mail->doomed && mail->message == action->message &&
         mail->to == actor->node;
}

/* What a step on a message or timer may choose so that its guards hold: one of all that there is.
 */
struct picking {
  const struct actor *actor;
  const struct action *action;
  int64_t start_ns;
  size_t possible;
  int64_t chosen[CHOICES_MAX];
};

/* The k-th replaces those before it with probability 1/k. */
static void consider(struct cluster *cluster, void *context) {
  struct picking *p = context;
  if (!guards_hold(cluster, p->actor, p->action, p->start_ns))
    return;
  p->possible++;
  if (cluster_hash(p->actor->seed, 7000 + p->possible) % p->possible != 0)
    return;
  for (size_t i = 0; i < p->action->choice_count; i++)
    p->chosen[i] = cluster->variables[p->action->choices[i]->id];
}

/* Leaves the action's variables bound. */
static bool takes(struct cluster *cluster, const struct actor *actor, const struct action *action,
                  const struct mail *mail, int64_t start_ns) {
  if (!is_for(mail, actor, action) || !bind_mail(cluster, actor, action, mail))
    return false;
  struct picking p = {.actor = actor, .action = action, .start_ns = start_ns};
  value_each(cluster, action->choice_count, action->choices, consider, &p);
  bind_chosen(cluster, action, p.chosen);
  return p.possible > 0;
}

bool choices_take(struct cluster *cluster, const struct actor *actor, const struct mail *mail,
                  int64_t at_ns) {
  for (size_t i = 0; i < cluster->model->actions.count; i++) {
    const struct action *action = cluster->model->actions.items[i];
    if (action->role != actor->role || action->message != mail->message || action->loses)
      continue;
    int64_t *slot = action->schedule == NULL
                        ? NULL
                        : cluster_cell(cluster, action->schedule->state, actor->node, 0);
    int64_t before = slot == NULL ? 0 : *slot;
    if (slot != NULL)
      *slot = (int64_t)action->slot;
    bool can = takes(cluster, actor, action, mail, at_ns);
    if (slot != NULL)
      *slot = before;
    if (can)
      return true;
  }
  return false;
}

static int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* Keeps those that come first, with what the action's variables are bound to. */
static void offer(choices_t *choices, const struct cluster *cluster, struct choice choice) {
  for (size_t i = 0; i < choice.action->choice_count; i++)
    choice.chosen[i] = cluster->variables[choice.action->choices[i]->id];
  if (choices->count > 0 && choice.start_ns > choices->data[0].start_ns)
    return;
  if (choices->count > 0 && choice.start_ns < choices->data[0].start_ns)
    choices->count = 0;
  vector_push(choices, choice);
}

static void offer_mails(choices_t *choices, struct cluster *cluster, const struct actor *actor,
                        const struct action *action) {
  const struct schedule *schedule = action->schedule;
  for (size_t i = 0; i < cluster->mails.count; i++) {
    const struct mail *mail = &cluster->mails.data[i];
    if (!is_for(mail, actor, action))
      continue;
    int64_t start = later(actor->clock_ns, mail->delivered_ns);
    if (schedule != NULL && schedule->timeout != NULL &&
        start > actor->clock_ns + cluster->limits[schedule->timeout->id])
      continue;
    if (choices_is_behind(cluster, mail) || !takes(cluster, actor, action, mail, start))
      continue;
    offer(choices, cluster,
          (struct choice){.action = action,
                          .mail = i,
                          .source = SOURCE_MESSAGE,
                          .start_ns = start,
                          .due_ns = mail->delivered_ns});
  }
}

static void offer_timer(choices_t *choices, struct cluster *cluster, const struct actor *actor,
                        const struct action *action) {
  int64_t due = value_of(cluster, action->timer), start = later(actor->clock_ns, due);
  struct picking p = {.actor = actor, .action = action, .start_ns = start};
  value_each(cluster, action->choice_count, action->choices, consider, &p);
  if (p.possible == 0)
    return;
  bind_chosen(cluster, action, p.chosen);
  offer(choices, cluster,
        (struct choice){
            .action = action, .mail = 0, .source = SOURCE_TIMER, .start_ns = start, .due_ns = due});
}

/* --- arrivals --- */

static bool is_sent_in(const struct block *block, const struct message *message) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if ((s->kind == STATEMENT_SEND && s->message == message) ||
        is_sent_in(&s->then_block, message) || is_sent_in(&s->else_block, message))
      return true;
  }
  return false;
}

int64_t choices_paced(struct cluster *cluster, const struct message *message, int64_t from,
                      int64_t sent_ns) {
  int64_t every = value_of(cluster, message->pacer->every), paced = sent_ns, apart = 0;
  for (size_t i = cluster->mails.count; i-- > 0;) {
    const struct mail *mail = &cluster->mails.data[i];
    if (mail->message != message || mail->from != from)
      continue;
    apart += every;
    paced = later(paced, mail->sent_ns + apart);
  }
  return paced;
}

int64_t choices_left(struct cluster *cluster, const struct message *message, int64_t from,
                     int64_t sent_ns) {
  int64_t every = value_of(cluster, message->pacer->every), left = sent_ns;
  int64_t window = -value_of(cluster, message->pacer->tolerance);
  for (size_t i = cluster->mails.count; i-- > 0;) {
    const struct mail *mail = &cluster->mails.data[i];
    if (mail->message != message || mail->from != from)
      continue;
    window += every;
    left = later(left, mail->left_ns + later(window, 0));
  }
  return left;
}

/* Before this time the action may not end, or it would break the arrivals of what it may send. Any
 * window counts: of messages that the node sends one after the other, k + B take k*T at least. */
static int64_t earliest_end(struct cluster *cluster, const struct actor *actor,
                            const struct action *action) {
  int64_t earliest = 0;
  for (size_t i = 0; i < cluster->model->messages.count; i++) {
    const struct message *message = cluster->model->messages.items[i];
    if (message->pacer == NULL || message->pacer->holds || !is_sent_in(&action->body, message))
      continue;
    int64_t paced = choices_paced(cluster, message, actor->node, 0);
    earliest = later(earliest, paced - value_of(cluster, message->pacer->tolerance));
  }
  return earliest;
}

bool choice_arrives(struct cluster *cluster, const struct actor *actor,
                    const struct choice *choice) {
  choice_bind(cluster, actor, choice);
  int64_t earliest = earliest_end(cluster, actor, choice->action);
  return earliest == 0 || choice->start_ns + length_of(cluster, actor, choice->action) >= earliest;
}

/* A node that waits as long as it likes waits until it may send. */
static int64_t rest(struct cluster *cluster, const struct actor *actor, const struct action *action,
                    int64_t wait_ns) {
  int64_t earliest = earliest_end(cluster, actor, action);
  if (earliest == 0)
    return wait_ns;
  int64_t needed = earliest - actor->clock_ns - length_of(cluster, actor, action);
  int64_t most = cluster->limits[action->timeout->id];
  return later(wait_ns, needed > most ? most : needed);
}

static void offer_timeout(choices_t *choices, struct cluster *cluster, const struct actor *actor,
                          const struct action *action) {
  int64_t wait = cluster_draw(cluster, cluster->limits[action->timeout->id],
                              cluster_hash(actor->seed, 500000 + action->id));
  int64_t start = actor->clock_ns + rest(cluster, actor, action, wait);
  if (guards_hold(cluster, actor, action, start))
    offer(choices, cluster,
          (struct choice){.action = action,
                          .mail = 0,
                          .source = action->idle ? SOURCE_IDLE : SOURCE_TIMER,
                          .start_ns = start,
                          .due_ns = start});
}

/* A scheduled node does what its slot has; others may not want to. */
static void offer_spontaneous(choices_t *choices, struct cluster *cluster,
                              const struct actor *actor, const struct action *action) {
  bool wants = action->schedule != NULL ||
               (cluster_hash(actor->seed, 900000 + action->id) & 255) < cluster->habits.eager;
  if (wants && guards_hold(cluster, actor, action, actor->clock_ns))
    offer(choices, cluster,
          (struct choice){.action = action,
                          .source = action->idle ? SOURCE_IDLE : SOURCE_SPONTANEOUS,
                          .start_ns = actor->clock_ns,
                          .due_ns = actor->clock_ns});
}

void choices_find(choices_t *choices, struct cluster *cluster, const struct actor *actor) {
  for (size_t i = 0; i < cluster->model->actions.count; i++) {
    const struct action *action = cluster->model->actions.items[i];
    if (action->role != actor->role || action->loses)
      continue;
    cluster->variables[action->node->id] = actor->node;
    if (action->message == NULL && action->timer == NULL && !choose(cluster, actor, action))
      continue;
    if (action->message != NULL)
      offer_mails(choices, cluster, actor, action);
    else if (action->timer != NULL)
      offer_timer(choices, cluster, actor, action);
    else if (action->timeout != NULL)
      offer_timeout(choices, cluster, actor, action);
    else
      offer_spontaneous(choices, cluster, actor, action);
  }
}

/* The smaller, the sooner. */
static int64_t rank_of(const struct cluster *cluster, const struct choice *choice) {
  enum order order = cluster->habits.order;
  if (choice->source == SOURCE_IDLE)
    return 3;
  if (choice->source == SOURCE_SPONTANEOUS || order == ORDER_DUE || order == ORDER_ANY)
    return 1;
  return (order == ORDER_TIMERS) == (choice->source == SOURCE_TIMER) ? 1 : 2;
}

/* Keeps, of those of the source (SOURCE_SPONTANEOUS: of all with a due time), what is due first. */
static void keep_first_due(choices_t *choices, enum source source) {
  int64_t first = INT64_MAX;
  size_t kept = 0;
  for (size_t pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < choices->count; i++) {
      struct choice choice = choices->data[i];
      bool counts =
          source == SOURCE_SPONTANEOUS ? choice.source != source : choice.source == source;
      if (pass == 0 && counts && choice.due_ns < first)
        first = choice.due_ns;
      if (pass == 1 && (!counts || choice.due_ns == first))
        choices->data[kept++] = choice;
    }
  choices->count = kept;
}

/* Keeps, of the messages, those with the highest priority. */
static void keep_preferred(choices_t *choices) {
  int64_t most = INT64_MIN;
  size_t kept = 0;
  for (size_t i = 0; i < choices->count; i++) {
    const struct choice *choice = &choices->data[i];
    if (choice->source == SOURCE_MESSAGE && choice->action->message->priority > most)
      most = choice->action->message->priority;
  }
  for (size_t i = 0; i < choices->count; i++)
    if (choices->data[i].source != SOURCE_MESSAGE ||
        choices->data[i].action->message->priority == most)
      choices->data[kept++] = choices->data[i];
  choices->count = kept;
}

static void keep_first_rank(choices_t *choices, const struct cluster *cluster) {
  int64_t first = INT64_MAX;
  size_t kept = 0;
  for (size_t i = 0; i < choices->count; i++) {
    int64_t rank = rank_of(cluster, &choices->data[i]);
    first = rank < first ? rank : first;
  }
  for (size_t i = 0; i < choices->count; i++)
    if (rank_of(cluster, &choices->data[i]) == first)
      choices->data[kept++] = choices->data[i];
  choices->count = kept;
}

struct choice choices_pick(choices_t *choices, struct cluster *cluster) {
  enum order order = cluster->habits.order;
  keep_preferred(choices);
  if (order != ORDER_ANY || cluster->model->timing == TIMING_ADVANCED)
    keep_first_due(choices, SOURCE_MESSAGE);
  keep_first_rank(choices, cluster);
  /* A step of the node's own has no due time: before or after the others, as it happens. */
  if (order == ORDER_DUE)
    keep_first_due(choices, SOURCE_SPONTANEOUS);
  return choices->data[random_below(&cluster->random, choices->count)];
}
