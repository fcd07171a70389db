/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/verify_kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/jsonl.h"
#include "solver/tell/timeline.h"

bool verification_is_final(const struct verification *v) {
  bool final = v->bounds.count != 0 && !v->interrupted;
  for (size_t i = 0; i < v->bounds.count; i++)
    final = final && v->bounds.data[i].verdict != VERDICT_UNKNOWN;
  return final;
}

/* --- to text ------------------------------------------------------------------------------------
 */

/* To the last bit; jsonl_number keeps nine digits. */
static void put_seconds(struct jsonl *json, const char *key, double value) {
  struct text text;
  text_init(&text);
  text_format(&text, "%.17g", value);
  jsonl_text(json, key, text_get(&text));
  text_clear(&text);
}

static void put_time(struct jsonl *json, const char *key, const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print(&text, value);
  jsonl_text(json, key, text_get(&text));
  text_clear(&text);
}

static void put_values(struct jsonl *json, const char *key, const int64_t *values, size_t count) {
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < count; i++)
    text_format(&text, " %lld", (long long)values[i]);
  jsonl_text(json, key, text_get(&text));
  text_clear(&text);
}

static void put_tightness(struct jsonl *json, const struct tightness *t,
                          const struct model *model) {
  struct jsonl *list = jsonl_list(json, "scopes");
  for (size_t i = 0; i < t->scopes.count; i++) {
    struct jsonl *item = jsonl_item(list);
    put_values(item, "values", t->scopes.data[i].values, model->params.count);
    if (t->scopes.data[i].numbered)
      jsonl_integer(item, "number", t->scopes.data[i].number);
    jsonl_integer(item, "outcome", t->scopes.data[i].outcome);
  }
  list = jsonl_list(json, "spare");
  for (size_t i = 0; i < t->spare.count; i++) {
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "label", t->spare.data[i].label);
    jsonl_flag(item, "charged", t->spare.data[i].charged);
    jsonl_flag(item, "decided", t->spare.data[i].decided);
  }
}

static void put_execution(struct jsonl *json, const struct timeline *t) {
  jsonl_text(json, "remark", t->remark);
  jsonl_flag(json, "timed", t->timed);
  struct jsonl *list = jsonl_list(json, "constants");
  for (size_t i = 0; i < t->constants.count; i++) {
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "name", t->constants.data[i].name);
    put_time(item, "value", &t->constants.data[i].value);
  }
  list = jsonl_list(json, "rows");
  for (size_t i = 0; i < t->rows.count; i++) {
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "node", t->rows.data[i].node);
    jsonl_text(item, "step", t->rows.data[i].step);
    jsonl_text(item, "what", t->rows.data[i].what);
    put_time(item, "start", &t->rows.data[i].start);
    put_time(item, "end", &t->rows.data[i].end);
  }
  list = jsonl_list(json, "messages");
  for (size_t i = 0; i < t->messages.count; i++) {
    const struct timeline_message *message = &t->messages.data[i];
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "name", message->name);
    jsonl_text(item, "receiver", message->receiver);
    jsonl_integer(item, "sent", (int64_t)message->sent);
    jsonl_integer(item, "received",
                  message->received == TIMELINE_NEVER ? -1 : (int64_t)message->received);
    jsonl_flag(item, "held", message->held);
    put_time(item, "left", &message->left);
    put_time(item, "delivered", &message->delivered);
  }
}

static void put_bound(struct jsonl *json, const struct bound_report *r, const struct model *model) {
  jsonl_text(json, "name", r->bound->name);
  jsonl_flag(json, "proved", r->verdict == VERDICT_PROVED);
  jsonl_integer(json, "obligations", (int64_t)r->obligations);
  jsonl_integer(json, "failed", (int64_t)r->failed);
  put_seconds(json, "seconds", r->seconds);
  put_seconds(json, "median_seconds", r->median_seconds);
  put_seconds(json, "worst_seconds", r->worst_seconds);
  jsonl_text(json, "worst", r->worst);
  put_values(json, "scope", r->scope, model->params.count); /* final: it was reached */
  jsonl_integer(json, "steps", (int64_t)r->reached_steps);
  if (r->verdict == VERDICT_PROVED) {
    put_tightness(json, &r->tightness, model);
    jsonl_flag(json, "never_later", r->never_later);
    return;
  }
  jsonl_text(json, "time", r->time);
  jsonl_text(json, "limit", r->limit);
  put_values(json, "counter_scope", r->counter_scope, model->params.count);
  put_execution(json, r->execution);
}

char *verification_keep(const struct verification *v) {
  struct jsonl *json = jsonl_new(NULL);
  struct jsonl *list = jsonl_list(json, "bounds");
  for (size_t i = 0; i < v->bounds.count; i++)
    put_bound(jsonl_item(list), &v->bounds.data[i], v->model);
  list = jsonl_list(json, "never");
  for (size_t i = 0; i < v->model->actions.count; i++)
    jsonl_flag(jsonl_item(list), "taken", !v->never[i]);
  return jsonl_take(json);
}

/* --- and back -----------------------------------------------------------------------------------
 *
 * `good` becomes false where something is not there.
 */

static char *get_text(const struct jsonl *json, const char *key, bool *good) {
  const char *found = jsonl_get_text(json, key);
  *good = *good && found != NULL;
  return found == NULL ? NULL : mem_copy_text(found, strlen(found));
}

static char *get_text_or_none(const struct jsonl *json, const char *key) {
  bool any = true;
  return get_text(json, key, &any);
}

static double get_seconds(const struct jsonl *json, const char *key, bool *good) {
  const char *found = jsonl_get_text(json, key);
  char *end = NULL;
  double value = found == NULL ? 0 : strtod(found, &end);
  *good = *good && found != NULL && end != found && *end == '\0';
  return value;
}

static int64_t get_integer(const struct jsonl *json, const char *key, bool *good) {
  int64_t value = 0;
  *good = jsonl_get_integer(&value, json, key) && *good;
  return value;
}

static size_t get_count(const struct jsonl *json, const char *key, bool *good) {
  int64_t value = get_integer(json, key, good);
  *good = *good && value >= 0;
  return value < 0 ? 0 : (size_t)value;
}

static void get_time(struct rational *value, const struct jsonl *json, const char *key,
                     bool *good) {
  const char *found = jsonl_get_text(json, key);
  rational_init(value);
  *good = *good && found != NULL && rational_parse(value, found);
}

static int64_t *get_values(const struct jsonl *json, const char *key, size_t count, bool *good) {
  const char *at = jsonl_get_text(json, key);
  int64_t *values = mem_alloc(count, sizeof *values);
  *good = *good && at != NULL;
  for (size_t i = 0; i < count && *good; i++) {
    char *end;
    values[i] = strtoll(at, &end, 10);
    *good = end != at;
    at = end;
  }
  *good = *good && *at == '\0';
  return values;
}

static void count_outcome(struct tightness *t, enum tight_outcome outcome) {
  t->attained += outcome == TIGHT_ATTAINED;
  t->missed += outcome == TIGHT_MISSED;
  t->undecided += outcome == TIGHT_UNDECIDED;
}

static void get_tightness(struct tightness *t, const struct jsonl *json, const struct model *model,
                          bool *good) {
  const struct jsonl *list = jsonl_get_list(json, "scopes");
  for (size_t i = 0; i < jsonl_count(list); i++) {
    const struct jsonl *item = jsonl_at(list, i);
    size_t outcome = get_count(item, "outcome", good);
    struct tight_scope scope = {.values = get_values(item, "values", model->params.count, good),
                                .outcome = (enum tight_outcome)outcome};
    scope.numbered = jsonl_get_integer(&scope.number, item, "number");
    *good = *good && outcome <= TIGHT_NOTHING;
    vector_push(&t->scopes, scope);
    count_outcome(t, scope.outcome);
  }
  const struct jsonl *spare = jsonl_get_list(json, "spare");
  *good = *good && list != NULL && spare != NULL;
  for (size_t i = 0; i < jsonl_count(spare); i++) {
    const struct jsonl *item = jsonl_at(spare, i);
    struct tight_term term = {.label = get_text(item, "label", good),
                              .charged = jsonl_get_flag(item, "charged"),
                              .decided = jsonl_get_flag(item, "decided")};
    vector_push(&t->spare, term);
  }
}

static void get_rows(struct timeline *t, const struct jsonl *list, bool *good) {
  for (size_t i = 0; i < jsonl_count(list); i++) {
    const struct jsonl *item = jsonl_at(list, i);
    struct timeline_row row = {.node = get_text(item, "node", good),
                               .step = get_text(item, "step", good),
                               .what = get_text(item, "what", good)};
    get_time(&row.start, item, "start", good);
    get_time(&row.end, item, "end", good);
    vector_push(&t->rows, row);
  }
}

static void get_messages(struct timeline *t, const struct jsonl *list, bool *good) {
  for (size_t i = 0; i < jsonl_count(list); i++) {
    const struct jsonl *item = jsonl_at(list, i);
    int64_t received = get_integer(item, "received", good);
    struct timeline_message message = {
        .name = get_text(item, "name", good),
        .receiver = get_text(item, "receiver", good),
        .sent = get_count(item, "sent", good),
        .received = received < 0 ? TIMELINE_NEVER : (size_t)received,
        .held = jsonl_get_flag(item, "held"),
    };
    get_time(&message.left, item, "left", good);
    get_time(&message.delivered, item, "delivered", good);
    *good = *good && message.sent < t->rows.count && received < (int64_t)t->rows.count;
    vector_push(&t->messages, message);
  }
}

static void get_constants(struct timeline *t, const struct jsonl *list, bool *good) {
  for (size_t i = 0; i < jsonl_count(list); i++) {
    const struct jsonl *item = jsonl_at(list, i);
    struct constant constant = {.name = get_text(item, "name", good)};
    get_time(&constant.value, item, "value", good);
    vector_push(&t->constants, constant);
  }
}

static struct timeline *get_execution(const struct jsonl *json, bool *good) {
  struct timeline *timeline = mem_alloc(1, sizeof *timeline);
  *timeline = (struct timeline){.timed = jsonl_get_flag(json, "timed"),
                                .remark = get_text_or_none(json, "remark")};
  *good = *good && jsonl_get_list(json, "constants") != NULL;
  get_constants(timeline, jsonl_get_list(json, "constants"), good);
  get_rows(timeline, jsonl_get_list(json, "rows"), good);
  get_messages(timeline, jsonl_get_list(json, "messages"), good);
  *good = *good && timeline->rows.count != 0;
  return timeline;
}

static struct bound_report get_bound(const struct jsonl *json, const struct bound *bound,
                                     const struct model *model, bool *good) {
  bool proved = jsonl_get_flag(json, "proved");
  struct bound_report r = {.bound = bound,
                           .verdict = proved ? VERDICT_PROVED : VERDICT_REFUTED,
                           .obligations = get_count(json, "obligations", good),
                           .failed = get_count(json, "failed", good),
                           .seconds = get_seconds(json, "seconds", good),
                           .median_seconds = get_seconds(json, "median_seconds", good),
                           .worst_seconds = get_seconds(json, "worst_seconds", good),
                           .worst = get_text_or_none(json, "worst"),
                           .reached = true,
                           .scope = get_values(json, "scope", model->params.count, good),
                           .reached_steps = get_count(json, "steps", good),
                           .reused = true};
  r.obligations_reused = r.obligations;
  if (proved) {
    get_tightness(&r.tightness, json, model, good);
    r.tightness.number = tightness_number(bound);
    r.tight = tightness_holds(&r.tightness);
    r.never_later = jsonl_get_flag(json, "never_later");
  } else {
    r.time = get_text(json, "time", good);
    r.limit = get_text(json, "limit", good);
    r.counter_scope = get_values(json, "counter_scope", model->params.count, good);
    r.execution = get_execution(json, good);
  }
  return r;
}

static const struct bound *bound_named(const struct model *model, const char *name) {
  for (size_t i = 0; name != NULL && i < model->bounds.count; i++)
    if (strcmp(model->bounds.items[i]->name, name) == 0)
      return model->bounds.items[i];
  return NULL;
}

static void get_all(struct verification *v, const struct bound *only, const struct jsonl *json,
                    bool *good) {
  const struct jsonl *bounds = jsonl_get_list(json, "bounds");
  for (size_t i = 0; i < jsonl_count(bounds); i++) {
    const struct jsonl *item = jsonl_at(bounds, i);
    const struct bound *bound = bound_named(v->model, jsonl_get_text(item, "name"));
    *good = *good && bound != NULL;
    if (bound != NULL && (only == NULL || only == bound))
      vector_push(&v->bounds, get_bound(item, bound, v->model, good));
  }
  const struct jsonl *never = jsonl_get_list(json, "never");
  *good = *good && v->bounds.count == (only == NULL ? jsonl_count(bounds) : 1) &&
          v->bounds.count != 0 && jsonl_count(never) == v->model->actions.count;
  v->never = mem_alloc(v->model->actions.count, sizeof *v->never);
  for (size_t i = 0; *good && i < v->model->actions.count; i++)
    v->never[i] = !jsonl_get_flag(jsonl_at(never, i), "taken");
}

bool verification_recall(struct verification *v, const struct model *model,
                         const struct bound *only, const char *bytes, size_t length) {
  struct text message;
  text_init(&message);
  *v = (struct verification){.model = model};
  struct jsonl *json = jsonl_parse(bytes, length, &message);
  bool good = json != NULL;
  if (good)
    get_all(v, only, json, &good);
  if (!good)
    verification_clear(v);
  jsonl_free(json);
  text_clear(&message);
  return good;
}
