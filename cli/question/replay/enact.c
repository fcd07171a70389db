/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/replay/enact.h"

#include <stdarg.h>
#include <string.h>

#include "cli/question/replay/names.h"
#include "trace/draft/series.h"

static const struct role *find_role(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->roles.count; i++)
    if (strcmp(model->roles.items[i]->name, name) == 0)
      return model->roles.items[i];
  return NULL;
}

static const struct action *find_action(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->actions.count; i++)
    if (strcmp(model->actions.items[i]->name, name) == 0)
      return model->actions.items[i];
  return NULL;
}

static const struct component *find_component(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->components.count; i++)
    if (strcmp(model->components.items[i]->name, name) == 0)
      return model->components.items[i];
  return NULL;
}

/* What is looked for, and what for. */
struct search {
  const struct model *model;
  struct text *message; /* filled by the first that is missing */
  struct text name;
};

__attribute__((format(printf, 2, 3))) static const char *named(struct search *search,
                                                               const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  search->name.length = 0;
  text_format_list(&search->name, format, arguments);
  va_end(arguments);
  return text_get(&search->name);
}

static const void *found(struct search *search, const void *what, const char *kind) {
  if (what == NULL && search->message->length == 0)
    text_format(search->message, "has no %s %s, which its .calls file stands for", kind,
                text_get(&search->name));
  return what;
}

static void find_call(struct enact_call *call, struct search *search, const struct draft_plan *plan,
                      uint32_t p) {
  const struct model *model = search->model;
  const char *name = plan->calls.data[p].name;
  call->role = found(search, find_role(model, named(search, "%s", name)), "role");
  call->begin = found(search, find_action(model, named(search, "%s.Begin", name)), "action");
  if (p == 0)
    return;
  const char *caller = plan->calls.data[draft_caller(plan, p)].name;
  call->call = found(search, recording_message(model, named(search, "Call_%s", name)), "message");
  call->answer =
      found(search, recording_message(model, named(search, "Answer_%s", name)), "message");
  call->on_answer =
      found(search, find_action(model, named(search, "%s.On_%s", caller, name)), "action");
}

static void find_works(struct enactment *enactment, struct search *search) {
  const struct draft_plan *plan = enactment->plan;
  for (size_t s = 0; s < plan->steps.count; s++)
    for (size_t w = 0; w < plan->steps.data[s].works.count; w++) {
      uint32_t activity = plan->steps.data[s].works.data[w];
      search->name.length = 0;
      draft_component(&search->name, plan, activity);
      enactment->works[activity] =
          found(search, find_component(search->model, text_get(&search->name)), "component");
    }
}

bool enactment_init(struct enactment *enactment, const struct draft_plan *plan,
                    const struct model *model, struct text *message) {
  *enactment = (struct enactment){.plan = plan};
  enactment->works = mem_alloc(plan->flow->activities.count, sizeof *enactment->works);
  struct search search = {.model = model, .message = message};
  text_init(&search.name);
  for (uint32_t p = 0; p < plan->calls.count; p++) {
    struct enact_call call = {0};
    if (draft_is_node(plan, p))
      find_call(&call, &search, plan, p);
    vector_push(&enactment->calls, call);
  }
  enactment->reply = found(&search, recording_message(model, named(&search, "Reply")), "message");
  find_works(enactment, &search);
  text_clear(&search.name);
  return message->length == 0;
}

void enactment_clear(struct enactment *enactment) {
  vector_clear(&enactment->calls);
  mem_free(enactment->works);
}

/* A call or an answer on its way. */
struct incoming {
  int64_t at;
  uint32_t node; /* which is called, or answers */
  bool is_answer;
};

struct enacting {
  const struct enactment *of;
  const struct shape_times *times;
  const uint32_t *most;
  event_vector *events;
  uint32_t instance;
  bool *answered;              /* by node */
  VECTOR(struct incoming) due; /* in the order of sending */
};

static void add(struct enacting *enacting, struct conform_event event) {
  event.instance = enacting->instance;
  event.position = enacting->events->count;
  vector_push(enacting->events, event);
}

static int64_t delay_of(const struct enacting *enacting, uint32_t node, bool is_answer) {
  uint32_t activities[2];
  const struct draft_plan *plan = enacting->of->plan;
  size_t count = is_answer ? draft_answer_delay(activities, plan, node)
                           : draft_call_delay(activities, plan, node);
  int64_t sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += shape_sum(enacting->times, activities[i]);
  return sum;
}

static void send(struct enacting *enacting, uint32_t node, bool is_answer, int64_t at) {
  const struct enactment *of = enacting->of;
  const struct enact_call *call = &of->calls.data[node];
  uint32_t caller = draft_caller(of->plan, node);
  const struct role *callers = of->calls.data[caller].role;
  const struct message *message = is_answer ? call->answer : call->call;
  int64_t arrives = at + delay_of(enacting, node, is_answer);
  add(enacting, (struct conform_event){.what.message = message,
                                       .role = is_answer ? call->role : callers,
                                       .start = at,
                                       .end = at,
                                       .kind = CONFORM_SEND});
  add(enacting, (struct conform_event){.what.message = message,
                                       .role = is_answer ? callers : call->role,
                                       .start = at,
                                       .end = arrives,
                                       .kind = CONFORM_ARRIVAL});
  vector_push(&enacting->due, (struct incoming){arrives, node, is_answer});
}

static void send_all(struct enacting *enacting, const struct draft_step *step, int64_t at) {
  for (size_t c = 0; c < step->calls.count; c++)
    send(enacting, step->calls.data[c], false, at);
  if (step->replies && step->node != 0)
    send(enacting, step->node, true, at);
  else if (step->replies)
    add(enacting, (struct conform_event){.what.message = enacting->of->reply,
                                         .role = enacting->of->calls.data[0].role,
                                         .start = at,
                                         .end = at,
                                         .kind = CONFORM_SEND});
}

/* Whether the step's last answer is this one. */
static bool is_due(const struct enacting *enacting, const struct draft_step *step,
                   uint32_t answer) {
  bool mine = false;
  for (size_t i = 0; i < step->answers.count; i++) {
    mine |= step->answers.data[i] == answer;
    if (!enacting->answered[step->answers.data[i]])
      return false;
  }
  return mine;
}

static int64_t pay_part(struct enacting *enacting, const struct draft_step *step, uint32_t activity,
                        int64_t at, int64_t duration, uint32_t round) {
  add(enacting, (struct conform_event){.what.component = enacting->of->works[activity],
                                       .role = enacting->of->calls.data[step->node].role,
                                       .start = at,
                                       .end = at + duration,
                                       .arguments = {(int32_t)round},
                                       .count = round > 0,
                                       .kind = CONFORM_PART});
  return at + duration;
}

/* All rounds of the loop; works[w] is the first of what each costs. Returns where its last is. */
static size_t pay_loop(struct enacting *enacting, const struct draft_step *step,
                       const struct shape_loop *loop, size_t w, int64_t *at) {
  const struct draft_plan *plan = enacting->of->plan;
  const struct shape_times *times = enacting->times;
  size_t parts = 2 * (size_t)(loop->last - loop->call + 1);
  uint32_t first = step->works.data[w], most = enacting->most[loop - plan->shape->loops.data];
  size_t made = times->from.data[first + 1] - times->from.data[first];
  for (uint32_t round = 0; round < most || round < made; round++)
    for (size_t i = 0; i < parts; i++) {
      uint32_t activity = step->works.data[w + i];
      int64_t duration = round < made ? times->rounds.data[times->from.data[activity] + round] : 0;
      *at = pay_part(enacting, step, activity, *at, duration, round + 1);
    }
  return w + parts - 1;
}

/* The costs of the planned steps that a step of the model is; returns its end. */
static int64_t pay(struct enacting *enacting, const struct draft_step *step, int64_t at) {
  const struct draft_plan *plan = enacting->of->plan;
  for (size_t w = 0; w < step->works.count; w++) {
    uint32_t activity = step->works.data[w];
    const struct shape_loop *loop =
        draft_loop_of(plan, plan->flow->activities.data[activity].position);
    if (loop != NULL)
      w = pay_loop(enacting, step, loop, w, &at);
    else
      at = pay_part(enacting, step, activity, at, shape_sum(enacting->times, activity), 0);
  }
  return at;
}

static void take(struct enacting *enacting, const struct incoming *arrival) {
  const struct draft_plan *plan = enacting->of->plan;
  const struct enact_call *call = &enacting->of->calls.data[arrival->node];
  uint32_t node = arrival->is_answer ? draft_caller(plan, arrival->node) : arrival->node;
  int64_t end = arrival->at;
  enacting->answered[arrival->node] |= arrival->is_answer;
  size_t place = enacting->events->count;
  add(enacting,
      (struct conform_event){.what.action = arrival->is_answer ? call->on_answer : call->begin,
                             .role = enacting->of->calls.data[node].role,
                             .start = arrival->at,
                             .kind = CONFORM_STEP});
  for (int sending = 0; sending < 2; sending++)
    for (size_t s = 0; s < plan->steps.count; s++) {
      const struct draft_step *step = &plan->steps.data[s];
      bool begins = !arrival->is_answer && step->node == node && step->answers.count == 0;
      if (!begins && !(arrival->is_answer && is_due(enacting, step, arrival->node)))
        continue;
      if (sending == 0)
        end = pay(enacting, step, end);
      else
        send_all(enacting, step, end);
    }
  enacting->events->data[place].end = end;
}

/* Takes the earliest of what is due; of equals the one sent first. */
static struct incoming next(struct enacting *enacting) {
  size_t first = 0;
  for (size_t i = 1; i < enacting->due.count; i++)
    if (enacting->due.data[i].at < enacting->due.data[first].at)
      first = i;
  struct incoming arrival = enacting->due.data[first];
  enacting->due.count--;
  memmove(&enacting->due.data[first], &enacting->due.data[first + 1],
          (enacting->due.count - first) * sizeof arrival);
  return arrival;
}

void enact(event_vector *events, const struct enactment *enactment, const struct shape_times *times,
           const uint32_t *most, uint32_t instance) {
  struct enacting enacting = {enactment, times, most, events, instance, NULL, {0}};
  enacting.answered = mem_alloc(enactment->calls.count, sizeof *enacting.answered);
  vector_push(&enacting.due, (struct incoming){0, 0, false});
  int64_t end = 0;
  while (enacting.due.count > 0) {
    struct incoming arrival = next(&enacting);
    take(&enacting, &arrival);
  }
  for (size_t i = 0; i < events->count; i++)
    if (events->data[i].kind == CONFORM_SEND && events->data[i].what.message == enactment->reply)
      end = events->data[i].end;
  add(&enacting, (struct conform_event){.what.text = "request",
                                        .role = enactment->calls.data[0].role,
                                        .end = end,
                                        .kind = CONFORM_REQUEST});
  mem_free(enacting.answered);
  vector_clear(&enacting.due);
}
