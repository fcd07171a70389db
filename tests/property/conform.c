/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random timed executions of every shipped spec and proved case, told as a program would record
 * them, must be found to follow it, and to keep every bound that is proved of it; changed in one
 * place such that no execution can look like that, they must be refused.
 *
 * Prints TAP.
 */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lang/check.h"
#include "lang/parse.h"
#include "lang/source.h"
#include "solver/conform/conform.h"
#include "solver/judge/valuation.h"
#include "solver/search/draw.h"
#include "solver/search/scope.h"

enum { SCOPES = 3, RUNS = 40, STEPS = 25, LOOP_STEPS = 80 };

struct tally {
  size_t followed, skipped, refused;
  uint64_t held;     /* bounds, of the executions followed */
  char failure[512]; /* the first */
};

typedef VECTOR(struct conform_event) event_vector;

/* One execution as it is told. */
struct told {
  event_vector events;
  size_t count; /* told so far */
  bool exact;   /* all its times are whole and small, and it takes its messages in order */
};

static int64_t whole(struct told *told, const struct rational *value) {
  int64_t result = 0;
  told->exact &=
      rational_is_integer(value) && rational_floor(&result, value) && result < INT64_C(1) << 40;
  return result;
}

static void tell(struct told *told, struct conform_event event, const int64_t *arguments,
                 size_t count) {
  event.position = told->count++;
  event.count = (uint8_t)count;
  told->exact &= count <= CONFORM_ARGUMENTS;
  for (size_t i = 0; i < count && i < CONFORM_ARGUMENTS; i++) {
    event.arguments[i] = (int32_t)arguments[i];
    told->exact &= event.arguments[i] == arguments[i];
  }
  vector_push(&told->events, event);
}

/* The costs of a step that charges several, one after the other; repeated ones have no record. */
static void tell_parts(struct told *told, const struct step_record *record,
                       const struct model *model, const struct valuation *valuation,
                       struct conform_event event) {
  size_t without = 0;
  for (size_t i = 0; i < record->costs.count && record->costs.count > 1; i++) {
    const struct occurrence *o = record->costs.data[i];
    event.kind = CONFORM_PART;
    event.what.component = values_component(model, o);
    event.end = event.start + whole(told, valuation->term(o, valuation->context));
    without += event.what.component->repeated;
    if (!event.what.component->repeated)
      tell(told, event, o->indices, o->index_count);
    event.start = event.end;
  }
  told->exact &= without <= 1;
}

static void tell_sends(struct told *told, const struct step_record *record,
                       struct conform_event event) {
  for (size_t i = 0; i < record->sent.count; i++) {
    const struct record_message *sent = &record->sent.data[i];
    event.kind = CONFORM_SEND;
    event.what.message = sent->message;
    event.start = event.end = whole(told, &sent->left);
    tell(told, event, sent->fields, sent->message->field_count);
    struct conform_event arrival = {.kind = CONFORM_ARRIVAL,
                                    .what.message = sent->message,
                                    .role = sent->message->receiver,
                                    .node = (int32_t)sent->receiver,
                                    .start = event.start,
                                    .end = whole(told, &sent->delivered)};
    tell(told, arrival, sent->fields, sent->message->field_count);
  }
}

/* Nobody records a loss: what is lost does not arrive. */
static void tell_loss(struct told *told, const struct step *step) {
  const struct message *message = step->action->message;
  size_t kept = 0;
  for (size_t i = 0; i < told->events.count; i++) {
    const struct conform_event *event = &told->events.data[i];
    bool lost = event->kind == CONFORM_ARRIVAL && event->what.message == message;
    for (size_t f = 0; f < message->field_count && lost; f++)
      lost = event->arguments[f] == step->fields[f];
    if (!lost)
      told->events.data[kept++] = *event;
  }
  told->events.count = kept;
}

static void tell_step(struct told *told, const struct step_record *record,
                      const struct model *model, const struct valuation *valuation) {
  const struct action *action = record->step.action;
  struct conform_event event = {.kind = CONFORM_STEP,
                                .what.action = action,
                                .role = action->role,
                                .node = (int32_t)record->step.node,
                                .start = whole(told, &record->start),
                                .end = whole(told, &record->end)};
  int64_t arguments[INDEX_COUNT_MAX + CHOICES_MAX + 1];
  size_t count = step_argument_count(action);
  for (size_t i = 0; i < count; i++)
    arguments[i] = step_argument(&record->step, i);
  if (action->read != NULL) {
    int64_t offset = whole(told, &record->read_at) - event.start;
    told->exact &= offset <= INT32_MAX;
    arguments[count++] = offset;
  }
  tell(told, event, arguments, count);
  tell_parts(told, record, model, valuation, event);
  tell_sends(told, record, event);
}

static bool take_any(struct draw *draw, struct world *world, struct told *told) {
  step_vector steps = {0};
  step_list(&steps, world);
  draw_order(draw, world, &steps);
  bool taken = false;
  for (size_t i = 0; i < steps.count && !taken; i++) {
    if (!draw_prepare(draw, world, &steps.data[i]))
      continue;
    struct valuation valuation = draw_valuation(draw);
    struct step_record record;
    record_init(&record);
    taken = step_take(world, &steps.data[i], &valuation, &record) == STEP_TAKEN;
    if (taken && steps.data[i].action->loses)
      tell_loss(told, &steps.data[i]);
    else if (taken)
      tell_step(told, &record, world->interpreter->model, &valuation);
    record_clear(&record);
  }
  vector_clear(&steps);
  return taken;
}

/* Whether a message lies there although its receiver took a later one. In the advanced model's
 * order of steps, which need not be that of their starts, it was then sent afterwards; in a
 * recording it is there, and the node passes it by. */
static bool leaves_one_behind(const struct world *world) {
  bool found = false;
  for (size_t i = 0; i < world->messages.count && !found; i++) {
    const struct world_message *m = &world->messages.data[i];
    const struct role *role = m->message->receiver;
    found = !m->received && !role->external &&
            rational_compare(&m->delivered, world_arrival(world, role, m->receiver)) < 0;
  }
  return found && world->interpreter->model->timing == TIMING_ADVANCED;
}

/* A request of no length says where time 0 is; it ends where the last step does not matter. */
static void tell_execution(struct told *told, struct draw *draw) {
  struct interpreter *in = draw->interpreter;
  struct valuation valuation = draw_valuation(draw);
  struct world *world = world_new(in, &valuation);
  struct conform_event request = {.kind = CONFORM_REQUEST, .what.text = "run"};
  tell(told, request, NULL, 0);
  size_t steps = in->model->schedules.count == 0 ? STEPS : LOOP_STEPS;
  for (size_t i = 0; i < steps && take_any(draw, world, told); i++)
    ;
  for (size_t i = 0; i < in->model->components.count; i++)
    if (in->model->components.items[i]->kind == COMPONENT_CONSTANT)
      whole(told, valuation.bare(in->model->components.items[i], valuation.context));
  told->exact &= !leaves_one_behind(world);
  world_free(world);
}

static void fail(struct tally *tally, const struct conform *conform, const char *what,
                 uint64_t seed) {
  if (tally->failure[0] != '\0')
    return;
  struct text text;
  text_init(&text);
  if (conform_culprit(conform) != NULL) {
    conform_print_event(&text, conform_culprit(conform));
    text_format(&text, " %s", conform_reason(conform));
  }
  snprintf(tally->failure, sizeof tally->failure, "%s (seed %" PRIu64 "): %s", what, seed,
           text_get(&text));
  text_clear(&text);
}

static bool fits(struct conform *conform, const event_vector *events) {
  enum conform_verdict verdict = conform_instance(conform, events->data, events->count);
  /* An execution may stop before the event of any bound. */
  return verdict == CONFORM_FITS || verdict == CONFORM_INCOMPLETE ||
         (conform_culprit(conform) != NULL && conform_culprit(conform)->kind == CONFORM_REQUEST);
}

static size_t count_kind(const struct told *told, enum conform_kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < told->events.count; i++)
    count += told->events.data[i].kind == kind;
  return count;
}

static size_t find_kind(const struct told *told, enum conform_kind kind, size_t number) {
  size_t i = 0;
  for (;; i++)
    if (told->events.data[i].kind == kind && number-- == 0)
      return i;
}

/* Whether it is the sending of the message, or its arrival. */
static bool is_of(const struct conform_event *event, const struct conform_event *sent) {
  return (event->kind == CONFORM_ARRIVAL || event->kind == CONFORM_SEND) &&
         event->what.message == sent->what.message &&
         memcmp(event->arguments, sent->arguments, sizeof sent->arguments) == 0;
}

/* What is lost does not. */
static bool arrives(const struct told *told, const struct conform_event *sent) {
  bool found = false;
  for (size_t i = 0; i < told->events.count && !found; i++)
    found = told->events.data[i].kind == CONFORM_ARRIVAL &&
            told->events.data[i].what.message == sent->what.message &&
            memcmp(told->events.data[i].arguments, sent->arguments, sizeof sent->arguments) == 0;
  return found;
}

/* Each change leaves something that is no execution, whatever else it is. */
static void change(struct tally *tally, struct conform *conform, struct told *told,
                   struct draw *draw, uint64_t seed) {
  size_t sends = count_kind(told, CONFORM_SEND);
  if (sends == 0)
    return;
  size_t at = find_kind(told, CONFORM_SEND, draw_number(draw, sends));
  struct conform_event sent = told->events.data[at];
  const char *what;
  const struct pacer *pacer = sent.what.message->pacer;
  unsigned kind = (unsigned)draw_number(draw, pacer != NULL && pacer->holds ? 5 : 4);
  switch (kind == 2 && !arrives(told, &sent) ? 0 : kind) {
  case 0:
    what = "a message sent twice";
    vector_push(&told->events, sent);
    break;
  case 1:
    what = "a message that was not sent";
    told->events.data[at] = told->events.data[--told->events.count];
    break;
  case 2:
    what = "a message that arrives before it is sent";
    for (size_t i = 0; i < told->events.count; i++)
      if (told->events.data[i].kind == CONFORM_ARRIVAL &&
          told->events.data[i].what.message == sent.what.message &&
          memcmp(told->events.data[i].arguments, sent.arguments, sizeof sent.arguments) == 0)
        told->events.data[i].start = told->events.data[i].end = sent.start - 1;
    break;
  case 4:
    what = "a message that leaves before its pacer lets it";
    for (size_t i = 0; i < told->events.count; i++)
      if (is_of(&told->events.data[i], &sent))
        told->events.data[i].start--;
    told->events.data[at].end--;
    break;
  default:
    what = "a message of nobody";
    told->events.data[at].node = -1;
    break;
  }
  tally->refused++;
  if (fits(conform, &told->events))
    fail(tally, conform, what, seed);
}

static void run_once(struct interpreter *in, const bool *proved, uint64_t seed,
                     struct tally *tally) {
  struct draw draw;
  draw_init(&draw, in, seed);
  if (draw_begin(&draw)) {
    struct told told = {.exact = true};
    tell_execution(&told, &draw);
    const struct rational **times = mem_alloc(in->model->components.count, sizeof *times);
    for (size_t i = 0; i < in->model->components.count; i++)
      times[i] = values_bare(&draw.values, in->model->components.items[i]);
    const struct bound **bounds = mem_alloc(in->model->bounds.count, sizeof *bounds);
    size_t count = 0;
    for (size_t i = 0; i < in->model->bounds.count; i++)
      if (proved[i])
        bounds[count++] = in->model->bounds.items[i];
    struct conform_settings settings = {
        .times = times, .bounds = bounds, .bound_count = count, .timed = true};
    struct conform *conform = conform_new(in, &settings);
    if (!told.exact || count_kind(&told, CONFORM_STEP) == 0) {
      tally->skipped++;
    } else {
      tally->followed++;
      if (!fits(conform, &told.events))
        fail(tally, conform, "an execution is refused", seed);
      for (size_t i = 0; i < count; i++)
        tally->held += conform_tightness(conform)[i].happened;
      change(tally, conform, &told, &draw, seed);
    }
    conform_free(conform);
    mem_free(bounds);
    mem_free(times);
    vector_clear(&told.events);
  }
  draw_clear(&draw);
}

static void run_scopes(const struct model *model, const bool *proved, struct tally *tally) {
  struct scopes scopes;
  scopes_init(&scopes, model, SCOPE_TWO_FIRST, SCOPES);
  for (size_t s = 0; s < scopes.items.count; s++) {
    struct text message;
    text_init(&message);
    struct interpreter *in = interpreter_new(model, scopes.items.data[s], &message);
    for (uint64_t r = 0; r < RUNS || (tally->followed < 5 && r < 20 * RUNS); r++)
      run_once(in, proved, 1000 * s + r, tally);
    interpreter_free(in);
    text_clear(&message);
  }
  scopes_clear(&scopes);
}

/* All bounds of the files are proved, but for those of the published protocol with a mistake. */
static bool run_file(const char *file, size_t number) {
  struct tally tally = {0};
  struct text message;
  text_init(&message);
  struct source *source;
  struct diagnostics diagnostics;
  diagnostics_init(&diagnostics);
  if (source_load(&source, file, &message) != STATUS_OK)
    snprintf(tally.failure, sizeof tally.failure, "%s", text_get(&message));
  struct ast *ast = source == NULL ? NULL : parse(source, &diagnostics);
  struct model *model = ast == NULL ? NULL : check(ast, source, &diagnostics);
  if (model != NULL) {
    bool *proved = mem_alloc(model->bounds.count, sizeof *proved);
    for (size_t i = 0; i < model->bounds.count; i++)
      proved[i] = strstr(file, "buggy") == NULL && model->bounds.items[i]->expression != NULL;
    run_scopes(model, proved, &tally);
    mem_free(proved);
  }
  bool good = model != NULL && tally.failure[0] == '\0' && tally.followed > 0;
  printf("%s %zu - %s: %zu executions followed, bounds held %" PRIu64
         " times, %zu changed ones refused (%zu not whole)%s%s\n",
         good ? "ok" : "not ok", number, file, tally.followed, tally.held, tally.refused,
         tally.skipped, tally.failure[0] ? ": " : "", tally.failure);
  model_free(model);
  ast_free(ast);
  source_free(source);
  diagnostics_clear(&diagnostics);
  text_clear(&message);
  return good;
}

int main(void) {
  glob_t found = {0};
  if (glob("specs/*.tp", 0, NULL, &found) != 0 ||
      glob("specs/*/*.tp", GLOB_APPEND, NULL, &found) != 0 ||
      glob("tests/cases/proved/*.tp", GLOB_APPEND, NULL, &found) != 0) {
    printf("not ok 1 - no specs found\n");
    return 1;
  }
  bool good = true;
  for (size_t i = 0; i < found.gl_pathc; i++)
    good = run_file(found.gl_pathv[i], i + 1) && good;
  printf("1..%zu\n", found.gl_pathc);
  globfree(&found);
  return good ? 0 : 1;
}
