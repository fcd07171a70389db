/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/tell/premise.h"

#include "base/text.h"
#include "solver/smt/smt.h"
#include "lang/term_time.h"

struct giver {
  const struct model *model;
  void (*add)(const struct premise *premise, void *context);
  void *context;
};

static void give(const struct giver *to, const char *text, const char *discharge) {
  to->add(&(struct premise){false, LEDGER_MODEL, text, discharge}, to->context);
}

/* What the file says in so many words, beside its assumptions. */
static void give_said(const struct giver *to, struct text *text, const char *discharge) {
  text_append(text, " (stated in the protocol)");
  to->add(&(struct premise){true, LEDGER_MODEL, text_get(text), discharge}, to->context);
}

static void give_stated(const struct giver *to) {
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < to->model->assumptions.count; i++) {
    const struct assumption *assumption = to->model->assumptions.items[i];
    text_format(&text, "%s (stated in the protocol)", assumption->text);
    const char *discharge =
        term_mentions_time(assumption->formula)
            ? "measure the components it names: no observation may break it; or check it at run "
              "time"
            : "check it where the system is configured; --set takes only values that keep it";
    to->add(&(struct premise){true, LEDGER_MODEL, text.data, discharge}, to->context);
    text_clear(&text);
  }
}

static void give_messages(const struct giver *to) {
  const struct model *model = to->model;
  if (model->messages.count == 0)
    return;
  give(to, "a message is received at most once: the network makes no duplicates",
       "use a transport without duplicates, or drop repeated identities on arrival");
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < model->messages.count; i++)
    if (model->messages.items[i]->fifo)
      text_format(&text, "%s%s", text.length == 0 ? "" : ", ", model->messages.items[i]->name);
  if (text.length != 0) {
    text_append(&text,
                " from one node to another are received in the order in which they were sent, and "
                "their delays count the wait for those before");
    give(to, text.data, "send them over one ordered connection, or number them and wait for gaps");
  }
  text_clear(&text);
}

static void give_losses(const struct giver *to) {
  for (size_t i = 0; i < to->model->messages.count; i++) {
    const struct message *message = to->model->messages.items[i];
    if (message->loss == NULL)
      continue;
    struct text text;
    text_init(&text);
    text_format(&text, "of the %s that go to %s%s no more than %s are lost", message->name,
                message->receiver->count == NULL ? "" : "one ", message->receiver->name,
                message->loss->text);
    give_said(to, &text,
              message->fifo
                  ? "count what is sent again; replay refuses a recorded run in which one more "
                    "is missing before a message that was received"
                  : "count what is sent and what is received; what a recorded run leaves open "
                    "may still be on its way");
    text_clear(&text);
  }
}

static void give_arrivals(const struct giver *to) {
  for (size_t i = 0; i < to->model->messages.count; i++) {
    const struct message *message = to->model->messages.items[i];
    if (message->pacer == NULL || message->pacer->holds)
      continue;
    struct text text;
    text_init(&text);
    text_format(&text, "%s%s is sent no more often than \"%s\" allows",
                message->sender->count == NULL ? "" : "from each node, ", message->name,
                message->pacer->text);
    give_said(
        to, &text,
        "send through a limiter that keeps to it; replay refuses a recorded run that does not");
    text_clear(&text);
  }
}

static void give_pacers(const struct giver *to) {
  for (size_t i = 0; i < to->model->messages.count; i++) {
    const struct message *message = to->model->messages.items[i];
    if (message->pacer == NULL || !message->pacer->holds)
      continue;
    struct text text;
    text_init(&text);
    text_format(
        &text,
        "%sa pacer lets %s leave in the order of sending, each as soon as \"%s\" allows; what "
        "it is late by is part of %s",
        message->sender->count == NULL ? "" : "at each node ", message->name, message->pacer->text,
        message->delay->name);
    give_said(to, &text,
              "record when each is handed to the pacer and when it leaves; none may leave sooner");
    text_clear(&text);
  }
}

static void give_priorities(const struct giver *to) {
  bool some = false;
  for (size_t i = 0; i < to->model->messages.count; i++)
    some = some || to->model->messages.items[i]->priority != 0;
  if (some)
    give(to,
         "of the messages that are there a node takes one with the highest priority that it can "
         "take",
         "give each node a queue for each priority, and look into them in this order before each "
         "step");
}

static const char *timing_name(enum timing timing) {
  return timing == TIMING_ADVANCED ? "advanced" : timing == TIMING_EAGER ? "eager" : "standard";
}

static void give_timing(const struct giver *to) {
  const struct model *model = to->model;
  struct text text;
  text_init(&text);
  if (model->queueing != NULL) {
    text_format(&text, "a node is at most %s(m) late for a message m%s (%s timing model)",
                model->queueing->name,
                model->schedules.count == 0 ? "" : ", the other slots of its loop included",
                timing_name(model->timing));
    give(to, text.data,
         "record each wait, from a message's delivery to the start of the step that receives it, "
         "as a "
         "component");
    text_clear(&text);
  }
  if (model->timing == TIMING_ADVANCED)
    give(
        to,
        "a free node starts at once with the message that was delivered first of those that it can "
        "take (advanced timing model)",
        "give each node one queue and one thread; check delivery times against starts in a trace");
  if (model->timing == TIMING_EAGER)
    give(to,
         "a step that can be taken is taken: for a message when its wait is over at the latest, "
         "for a "
         "timer when it is due (eager timing model)",
         "check a trace for messages and timers that stay although their guards hold");
  text_clear(&text);
}

static void give_clocks(const struct giver *to) {
  const struct model *model = to->model;
  bool reads = false, timers = false;
  for (size_t i = 0; i < model->actions.count; i++) {
    reads = reads || model->actions.items[i]->read != NULL;
    timers = timers || model->actions.items[i]->timer != NULL;
  }
  if (reads || timers)
    give(to, "the clocks of all nodes run at the speed of true time and started together",
         "use a monotonic clock and bound its drift; add the drift to the times of the protocol");
  if (reads)
    give(to, "a clock that a step reads shows a time between the start and the end of the step",
         "read the clock inside of the step that is measured");
  if (model->schedules.count != 0)
    give(to, "a scheduled node goes through its slots in order and for ever, also when it is idle",
         "test the loop, or generate it from the schedule");
}

/* Whether two nodes may take steps at the same time. */
static bool has_several_nodes(const struct model *model) {
  size_t roles = 0;
  for (size_t i = 0; i < model->roles.count; i++)
    if (!model->roles.items[i]->external)
      roles += model->roles.items[i]->count == NULL ? 1 : 2;
  return roles > 1;
}

void premises(const struct model *model, void (*add)(const struct premise *premise, void *context),
              void *context) {
  struct giver to = {model, add, context};
  give_stated(&to);
  give(&to, "the running system follows the protocol: its steps, messages and guards",
       "record runs and replay them against the protocol; review the code beside the file");
  give_messages(&to);
  give_losses(&to);
  give_arrivals(&to);
  give_pacers(&to);
  give_priorities(&to);
  give_timing(&to);
  give_clocks(&to);
  if (has_several_nodes(model))
    give(&to,
         "every node has a processor of its own: steps of two nodes do not slow each other down",
         "keep a processor free for each node; or measure the components while all of them work");
  give(&to, "a step takes exactly its cost, a message exactly its delay; nothing else takes time",
       "compare end-to-end observations with the bound: tailproof percentiles --observed FILE");
  struct text text;
  text_init(&text);
  text_format(&text, "%s is right when it answers that a query has no model", smt_name());
  add(
      &(struct premise){
          false, LEDGER_SOLVER, text.data,
          "let other solvers check: tailproof certify, then certify --check --with cvc5"},
      context);
  text_clear(&text);
}
