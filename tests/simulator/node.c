/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/node.h"

#include <string.h>

#include "tests/simulator/choice.h"
#include "tests/simulator/timeline.h"
#include "tests/simulator/value.h"

static void note_longest(struct cluster *cluster, const struct component *component, int64_t ns) {
  if (ns > cluster->longest[component->id])
    cluster->longest[component->id] = ns;
}

/* --- sending --- */

struct sending {
  const struct statement *statement;
  const struct actor *actor;
};

static int64_t receiver_of(struct cluster *cluster, const struct statement *send,
                           const struct mail *mail) {
  int field = send->message->receiver_field;
  if (field >= 0)
    return node_of_role(cluster, send->message->fields[field].type.role, send->message->receiver,
                        mail->fields[field]);
  return send->to == NULL ? 0 : value_of(cluster, send->to);
}

/* On a FIFO channel that keeps the order, nothing is delivered before what was sent before. */
static void keep_order(const struct cluster *cluster, struct mail *mail) {
  for (size_t i = 0; mail->message->fifo && i < cluster->mails.count; i++) {
    const struct mail *other = &cluster->mails.data[i];
    if (other->message->fifo && other->message->sender == mail->message->sender &&
        other->from == mail->from && other->message->receiver == mail->message->receiver &&
        other->to == mail->to && other->message->delay == mail->message->delay &&
        other->delivered_ns > mail->left_ns + mail->delay_ns)
      mail->delay_ns = other->delivered_ns - mail->left_ns;
  }
}

static void wake(struct cluster *cluster, const struct mail *mail) {
  for (size_t i = 0; i < cluster->actors.count; i++) {
    struct actor *actor = &cluster->actors.data[i];
    if (actor->role == mail->message->receiver && actor->node == mail->to)
      actor->known = false;
  }
}

/* Whether the mail is one of those that its receiver never gets: no more of a kind than are lost.
 */
static bool is_doomed(struct cluster *cluster, const struct mail *mail) {
  const struct loss *loss = mail->message->loss;
  if (loss == NULL || (random_bits(&cluster->random) & 255) >= cluster->habits.lossy)
    return false;
  int64_t missed = 0;
  for (size_t i = 0; i < cluster->mails.count; i++)
    missed += cluster->mails.data[i].doomed && cluster->mails.data[i].message == mail->message &&
              cluster->mails.data[i].to == mail->to;
  return missed < value_of(cluster, loss->most);
}

static void send_one(struct cluster *cluster, void *context) {
  const struct sending *sending = context;
  const struct statement *send = sending->statement;
  struct mail mail = {.message = send->message,
                      .from = sending->actor->node,
                      .sent_ns = sending->actor->clock_ns,
                      .order = cluster->order};
  values_of(cluster, send->args, send->arg_count, mail.fields);
  if (cluster_mail(cluster, send->message, mail.fields) != NULL) {
    cluster->mistake = "a message is sent twice";
    return;
  }
  mail.to = receiver_of(cluster, send, &mail);
  mail.left_ns = mail.sent_ns;
  if (mail.message->pacer != NULL && mail.message->pacer->holds)
    mail.left_ns = choices_left(cluster, mail.message, mail.from, mail.sent_ns);
  mail.delay_ns = cluster_draw(cluster, cluster->limits[send->message->delay->id],
                               random_bits(&cluster->random));
  if (cluster->habits.fifo_in_order)
    keep_order(cluster, &mail);
  note_longest(cluster, send->message->delay, mail.delay_ns);
  mail.delivered_ns = mail.waits_from_ns = mail.left_ns + mail.delay_ns;
  if (mail.message->pacer != NULL)
    mail.paced_ns = choices_paced(cluster, mail.message, mail.from, mail.sent_ns);
  mail.doomed = is_doomed(cluster, &mail);
  cluster_send(cluster, &mail);
  timeline_send(cluster, &mail);
  wake(cluster, &mail);
}

/* --- statements --- */

static void run_block(struct cluster *cluster, const struct actor *actor,
                      const struct block *block);

static void run_statement(struct cluster *cluster, const struct actor *actor,
                          const struct statement *statement) {
  if (statement->kind == STATEMENT_IF) {
    bool holds = value_of(cluster, statement->condition) != 0;
    run_block(cluster, actor, holds ? &statement->then_block : &statement->else_block);
  } else if (statement->kind == STATEMENT_ASSIGN) {
    int64_t key = statement->key == NULL ? 0 : value_of(cluster, statement->key);
    int64_t value = value_of(cluster, statement->value);
    *cluster_cell(cluster, statement->state, actor->node, key) = value;
  } else {
    struct sending sending = {statement, actor};
    cluster->order++;
    value_each(cluster, statement->variable_count, statement->variables, send_one, &sending);
  }
}

static void run_block(struct cluster *cluster, const struct actor *actor,
                      const struct block *block) {
  for (size_t i = 0; i < block->count && cluster->mistake == NULL; i++)
    run_statement(cluster, actor, block->statements[i]);
}

/* --- waiting --- */

static int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static void note_wait(struct cluster *cluster, struct mail *mail, int64_t until_ns) {
  mail->wait_ns = later(mail->wait_ns, until_ns - mail->waits_from_ns);
  if (cluster->model->queueing != NULL)
    note_longest(cluster, cluster->model->queueing, mail->wait_ns);
}

/* What lies there when the node starts a step: it waits for the node's work if the node could take
 * it, and for something else if the node was free and could not. */
static void note_waits(struct cluster *cluster, const struct actor *actor, const struct mail *taken,
                       int64_t start_ns, int64_t end_ns) {
  for (size_t i = 0; i < cluster->mails.count; i++) {
    struct mail *mail = &cluster->mails.data[i];
    if (mail == taken || mail->received || mail->doomed || mail->to != actor->node ||
        mail->message->receiver != actor->role || mail->delivered_ns > start_ns)
      continue;
    if (choices_take(cluster, actor, mail, start_ns))
      note_wait(cluster, mail, start_ns);
    else if (later(mail->delivered_ns, actor->clock_ns) < start_ns)
      mail->waits_from_ns = end_ns;
  }
}

/* --- a step --- */

struct bill {
  int64_t ns;
  size_t items;
};

static void charge(struct cluster *cluster, const struct term *cost, int64_t ns, void *context) {
  struct bill *bill = context;
  bill->ns += ns;
  bill->items++;
  note_longest(cluster, cost->component, ns);
  timeline_cost(cluster, cost, ns);
  if (cost->component->repeated)
    return;
  int64_t indices[INDICES_MAX];
  values_of(cluster, cost->args, cost->count, indices);
  struct charge *charge = cluster_charge(cluster, cost->component, indices, cost->count);
  if (charge->charged)
    cluster->mistake = "an occurrence is charged twice";
  charge->charged = true;
}

static struct bill charge_costs(struct cluster *cluster, const struct actor *actor,
                                const struct action *action) {
  struct bill bill = {0};
  choice_costs(cluster, actor, action, charge, &bill);
  return bill;
}

/* Whether time passes between this step and those before it. */
static void note_idle(struct cluster *cluster, const struct choice *choice,
                      const struct bill *bill) {
  bool idle = choice->action->timer != NULL && bill->items == 0;
  bool same = cluster->idle > 0 && choice->start_ns == cluster->now_ns;
  cluster->idle = !idle ? 0 : same ? cluster->idle + 1 : 1;
  cluster->latest = choice->action;
}

static void receive(struct cluster *cluster, const struct actor *actor, const struct action *action,
                    struct mail *mail, int64_t start_ns) {
  note_wait(cluster, mail, start_ns);
  mail->received = true;
  cluster->received++;
  if (action->schedule != NULL && action->schedule->timeout != NULL)
    note_longest(cluster, action->schedule->timeout, start_ns - actor->clock_ns);
}

/* The chosen step's variables are bound anew: other choices have bound them since. */
static void do_step(struct cluster *cluster, struct actor *actor, const struct choice *choice) {
  const struct action *action = choice->action;
  struct mail *mail = choice->source == SOURCE_MESSAGE ? &cluster->mails.data[choice->mail] : NULL;
  if (action->timeout != NULL)
    note_longest(cluster, action->timeout, choice->start_ns - actor->clock_ns);
  int64_t read = action->read == NULL ? 0 : choice_read(cluster, actor, choice);
  choice_bind(cluster, actor, choice);
  timeline_step(cluster, actor, choice);
  struct bill bill = charge_costs(cluster, actor, action);
  int64_t end = choice->start_ns + bill.ns;
  note_idle(cluster, choice, &bill);
  note_waits(cluster, actor, mail, choice->start_ns, end);
  if (mail != NULL)
    receive(cluster, actor, action, mail, choice->start_ns);
  choice_bind(cluster, actor, choice);
  if (action->read != NULL)
    cluster->variables[action->read->id] = read;
  actor->clock_ns = end;
  cluster->now_ns = choice->start_ns;
  timeline_end(cluster, actor, end);
  run_block(cluster, actor, &action->body);
  actor->seed = random_bits(&cluster->random);
  actor->known = false;
}

/* When the node can next start with something; INT64_MAX: not before something is delivered. */
static int64_t next_of(struct cluster *cluster, struct actor *actor) {
  if (actor->known)
    return actor->next_ns;
  choices_t choices = {0};
  choices_find(&choices, cluster, actor);
  actor->known = true;
  actor->next_ns = choices.count == 0 ? INT64_MAX : choices.data[0].start_ns;
  vector_clear(&choices);
  return actor->next_ns;
}

static struct actor *next_actor(struct cluster *cluster) {
  struct actor *first = NULL;
  size_t ties = 1;
  for (size_t i = 0; i < cluster->actors.count; i++) {
    struct actor *actor = &cluster->actors.data[i];
    int64_t next = next_of(cluster, actor);
    if (next == INT64_MAX || (first != NULL && next > first->next_ns))
      continue;
    ties = first != NULL && next == first->next_ns ? ties + 1 : 1;
    if (ties == 1 || random_below(&cluster->random, ties) == 0)
      first = actor;
  }
  return first;
}

bool node_step(struct cluster *cluster) {
  struct actor *actor = next_actor(cluster);
  if (actor == NULL || cluster->mistake != NULL)
    return false;
  choices_t choices = {0};
  choices_find(&choices, cluster, actor);
  struct choice choice = choices_pick(&choices, cluster);
  vector_clear(&choices);
  if (!choice_arrives(cluster, actor, &choice)) { /* what follows is outside of the assumption */
    if (choice.action->timer != NULL || choice.action->message != NULL)
      cluster->held = choice.action;
    return false;
  }
  do_step(cluster, actor, &choice);
  cluster->steps++;
  return cluster->mistake == NULL;
}

/* Some step has started at now_ns: what lies there has waited until then, behind its receiver's
 * work too. */
void node_finish(struct cluster *cluster) {
  for (size_t i = 0; i < cluster->actors.count; i++)
    for (size_t j = 0; j < cluster->mails.count; j++) {
      const struct actor *actor = &cluster->actors.data[i];
      struct mail *mail = &cluster->mails.data[j];
      if (!mail->received && !mail->doomed && mail->message->receiver == actor->role &&
          mail->to == actor->node && mail->delivered_ns <= cluster->now_ns &&
          choices_take(cluster, actor, mail, cluster->now_ns))
        note_wait(cluster, mail, cluster->now_ns);
    }
}
