/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/journal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "measure/throughput/experiment/estimate.h"

enum { BYTES_MOST = 1 << 28 };

/* --- lines ---------------------------------------------------------------------------------------
 */

static void put_share(struct jsonl *json, const struct processor_share *share, const char *all,
                      const char *thread, const char *name) {
  jsonl_number(json, all, share->all);
  jsonl_number(json, thread, share->thread);
  jsonl_text(json, name, share->name);
}

static void put_machine(struct jsonl *json, const struct processor_use *use) {
  if (!use->known)
    return;
  jsonl_number(json, "processors", use->count);
  jsonl_number(json, "processors_busy", use->busy);
  put_share(json, &use->load, "load_processors", "load_thread", "load_name");
  put_share(json, &use->outside, "outside_processors", "outside_thread", "outside_name");
}

struct jsonl *journal_profile_json(const struct experiment *experiment) {
  const struct experiment_plan *plan = experiment->plan;
  struct jsonl *json = jsonl_new("profile");
  jsonl_text(json, "plan", plan->path);
  jsonl_text(json, "entry", plan->services[plan->entry].name);
  jsonl_number(json, "throughput", experiment->profile.throughput);
  jsonl_number(json, "users", experiment->profile.users);
  jsonl_number(json, "users_most", experiment->profile.users_most);
  struct jsonl *list = jsonl_list(json, "services");
  for (uint32_t s = 0; s < plan->count; s++) {
    const struct profile_service *known = &experiment->profile.services[s];
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "service", plan->services[s].name);
    jsonl_number(item, "calls", known->calls);
    jsonl_number(item, "work_ns", known->work_ns);
    jsonl_integer(item, "workers", known->workers);
    jsonl_flag(item, "workers_measured", known->workers_measured);
    jsonl_number(item, "busy", known->busy);
    jsonl_flag(item, "held", known->held);
    jsonl_integer(item, "holders", known->holders);
    jsonl_number(item, "own_ns", (double)known->own_ns);
    jsonl_number(item, "in_flight", known->in_flight);
    jsonl_number(item, "in_flight_counted", known->counted);
    jsonl_integer(item, "moments", known->moments);
    jsonl_flag(item, "work_alone", known->work_alone);
    jsonl_number(item, "alone_ns", experiment->profile.knee[s].alone_ns);
    jsonl_number(item, "computes_ns", experiment->profile.knee[s].computes_ns);
    jsonl_number(item, "at_work", experiment->profile.knee[s].at_work);
    jsonl_number(item, "waiting", experiment->profile.knee[s].waiting);
    jsonl_integer(item, "workers_alone", experiment->profile.knee[s].workers);
    jsonl_number(item, "worked_ns", known->worked_ns);
    jsonl_text(item, "resource", plan->services[s].resource);
    jsonl_text(item, "outside", experiment->profile.talks.outside[s]);
    jsonl_text(item, "past", experiment->profile.talks.past[s]);
    jsonl_text(item, "inside", experiment->profile.talks.inside[s]);
    const struct processor_use *use = &experiment->profile.use;
    jsonl_number(item, "processors_wanted", use->services[s].wanted);
    jsonl_number(item, "throttled", use->services[s].throttled);
    jsonl_number(item, "thread_wanted", use->services[s].thread_wanted);
    jsonl_text(item, "relayed", experiment->profile.talks.relayed[s]);
    jsonl_text(item, "refused", experiment->profile.talks.refused[s]);
    put_share(item, &use->services[s], "processors", "thread", "thread_name");
    put_share(item, &use->pokers[s], "poker_processors", "poker_thread", "poker_name");
  }
  put_machine(json, &experiment->profile.use);
  return json;
}

/* Of each service what it uses in a window. */
static void put_used(struct jsonl *json, const struct processor_use *use, uint32_t count) {
  if (!use->known)
    return;
  jsonl_number(json, "processors", use->count);
  jsonl_number(json, "processors_busy", use->busy);
  jsonl_number(json, "outside_processors", use->outside.all);
  struct jsonl *list = jsonl_list(json, "used");
  for (uint32_t s = 0; s < count; s++) {
    struct jsonl *item = jsonl_item(list);
    jsonl_number(item, "processors", use->services[s].all);
    jsonl_number(item, "thread", use->services[s].thread);
    jsonl_number(item, "wanted", use->services[s].wanted);
  }
}

struct jsonl *journal_window_json(const struct experiment *experiment, const struct cell *cell,
                                  const struct window *window) {
  const struct experiment_plan *plan = experiment->plan;
  struct jsonl *json = jsonl_new("window");
  double predicted;
  jsonl_text(json, "change", cell->change.label);
  jsonl_text(json, "target", cell->target < plan->count ? plan->services[cell->target].name : NULL);
  jsonl_number(json, "level", cell->level_ppm / 1e4);
  jsonl_flag(json, "good", window->good);
  jsonl_text(json, "reason", window->good ? NULL : window->reason);
  jsonl_integer(json, "requests", (int64_t)window->requests);
  jsonl_integer(json, "window_ns", (int64_t)window->window_ns);
  jsonl_integer(json, "paused_ns", (int64_t)window->paused_ns);
  jsonl_integer(json, "noise_ns", (int64_t)window->noise_ns);
  jsonl_integer(json, "saved_ps", (int64_t)window->saved_ps);
  jsonl_flag(json, "check", cell->kind == CELL_CHECK);
  jsonl_integer(json, "batch", (int64_t)cell->batch);
  jsonl_flag(json, "few", cell->few);
  jsonl_integer(json, "rounds", (int64_t)window->rounds);
  jsonl_integer(json, "pauses", (int64_t)window->pauses);
  jsonl_integer(json, "late", (int64_t)window->late);
  if (window->sees_answers[plan->entry])
    jsonl_integer(json, "errors", (int64_t)window->errors[plan->entry]);
  jsonl_integer(json, "owed_ns", (int64_t)window->owed_ns);
  jsonl_integer(json, "realised_ns", (int64_t)window->realised_ns);
  put_used(json, &window->use, plan->count);
  jsonl_text(json, "limit",
             window->limit < plan->count ? plan->services[window->limit].name : NULL);
  if (window->good && estimate_window(&predicted, window))
    jsonl_number(json, "predicted", predicted);
  else
    jsonl_text(json, "predicted", NULL);
  return json;
}

/* At once, so that a kill loses nothing. */
static bool write_line(struct experiment *experiment, struct jsonl *json) {
  jsonl_write(json, experiment->journal);
  if (fflush(experiment->journal) == 0)
    return true;
  asker_fail(experiment->request->asker, STATUS_INTERNAL,
             "%s: cannot be written: %s; the experiment ends", experiment->journal_name,
             strerror(errno));
  return false;
}

bool journal_profile(struct experiment *experiment) {
  return experiment->journal == NULL || write_line(experiment, journal_profile_json(experiment));
}

bool journal_window(struct experiment *experiment, const struct cell *cell,
                    const struct window *window) {
  return experiment->journal == NULL ||
         write_line(experiment, journal_window_json(experiment, cell, window));
}

/* --- going on ------------------------------------------------------------------------------------
 */

static void take_share(struct processor_share *share, const struct jsonl *json, const char *all,
                       const char *thread, const char *name) {
  const char *found = jsonl_get_text(json, name);
  if (!jsonl_get_number(&share->thread, json, thread)) /* none is worth a word */
    share->thread = 0;
  if (!jsonl_get_number(&share->all, json, all) || !(share->all >= 0) || !(share->thread >= 0))
    *share = (struct processor_share){0};
  else if (found != NULL)
    snprintf(share->name, sizeof share->name, "%s", found);
}

/* Of a journal that has none of it nothing is known. */
static void take_talk(char text[TALKS_TEXT], const struct jsonl *item, const char *key) {
  const char *said = jsonl_get_text(item, key);
  snprintf(text, TALKS_TEXT, "%s", said != NULL ? said : "");
}

static void take_machine(struct profile *profile, const struct jsonl *json) {
  struct processor_use *use = &profile->use;
  if (!jsonl_get_number(&profile->users, json, "users") ||
      !jsonl_get_number(&profile->users_most, json, "users_most") || !(profile->users >= 0))
    profile->users = profile->users_most = 0;
  use->known = jsonl_get_number(&use->count, json, "processors") && use->count >= 1 &&
               jsonl_get_number(&use->busy, json, "processors_busy");
  take_share(&use->load, json, "load_processors", "load_thread", "load_name");
  take_share(&use->outside, json, "outside_processors", "outside_thread", "outside_name");
}

static void take_slowing(struct profile_service *known, const struct jsonl *item) {
  int64_t holders;
  double own_ns;
  known->held = jsonl_get_flag(item, "held");
  if (jsonl_get_integer(&holders, item, "holders") && holders > 0 && holders <= UINT32_MAX)
    known->holders = (uint32_t)holders;
  if (!jsonl_get_number(&known->worked_ns, item, "worked_ns") || !(known->worked_ns >= 0))
    known->worked_ns = 0;
  if (jsonl_get_number(&own_ns, item, "own_ns") && own_ns > 0 && own_ns < 1e18)
    known->own_ns = (uint64_t)own_ns;
}

static void take_knee(struct profile *profile, const struct jsonl *item, uint32_t s) {
  struct knee_service *knee = &profile->knee[s];
  int64_t workers;
  struct profile_service *known = &profile->services[s];
  int64_t moments = 0;
  if (!jsonl_get_number(&known->in_flight, item, "in_flight") ||
      !jsonl_get_number(&known->counted, item, "in_flight_counted") ||
      !jsonl_get_integer(&moments, item, "moments") || moments < 0 || moments > UINT32_MAX)
    moments = 0; /* not known */
  known->moments = (uint32_t)moments;
  profile->services[s].work_alone = jsonl_get_flag(item, "work_alone");
  if (!jsonl_get_number(&knee->alone_ns, item, "alone_ns") ||
      !jsonl_get_number(&knee->computes_ns, item, "computes_ns") ||
      !jsonl_get_number(&knee->at_work, item, "at_work") ||
      !jsonl_get_number(&knee->waiting, item, "waiting") ||
      !jsonl_get_integer(&workers, item, "workers_alone") || workers < 0 || workers > UINT32_MAX)
    *knee = (struct knee_service){0}; /* of a journal without: not known */
  else
    knee->workers = (uint32_t)workers;
}

/* What is wrong with a line; NULL: nothing. */
static const char *take_profile(struct experiment *experiment, const struct jsonl *json) {
  const struct experiment_plan *plan = experiment->plan;
  const struct jsonl *list = jsonl_get_list(json, "services");
  struct profile profile = {0};
  const char *entry = jsonl_get_text(json, "entry");
  if (list == NULL || jsonl_count(list) != plan->count || entry == NULL ||
      strcmp(entry, plan->services[plan->entry].name) != 0 ||
      !jsonl_get_number(&profile.throughput, json, "throughput"))
    return "is of another plan";
  for (uint32_t s = 0; s < plan->count; s++) {
    const struct jsonl *item = jsonl_at(list, s);
    const char *name = item != NULL ? jsonl_get_text(item, "service") : NULL;
    struct profile_service *known = &profile.services[s];
    int64_t workers;
    if (name == NULL || strcmp(name, plan->services[s].name) != 0)
      return "is of another plan";
    if (!jsonl_get_number(&known->calls, item, "calls") ||
        !jsonl_get_number(&known->work_ns, item, "work_ns") ||
        !jsonl_get_integer(&workers, item, "workers") ||
        !jsonl_get_number(&known->busy, item, "busy") || workers < 0 || workers > UINT32_MAX ||
        !(known->calls >= 0) || !(known->work_ns >= 0))
      return "has no numbers where they belong";
    known->workers = (uint32_t)workers;
    take_knee(&profile, item, s);
    take_talk(profile.talks.outside[s], item, "outside");
    take_talk(profile.talks.past[s], item, "past");
    take_talk(profile.talks.inside[s], item, "inside");
    take_talk(profile.talks.relayed[s], item, "relayed");
    take_talk(profile.talks.refused[s], item, "refused");
    take_share(&profile.use.services[s], item, "processors", "thread", "thread_name");
    if (!jsonl_get_number(&profile.use.services[s].wanted, item, "processors_wanted") ||
        !jsonl_get_number(&profile.use.services[s].thread_wanted, item, "thread_wanted"))
      profile.use.services[s].wanted = 0; /* not known */
    if (!jsonl_get_number(&profile.use.services[s].throttled, item, "throttled"))
      profile.use.services[s].throttled = 0;
    take_share(&profile.use.pokers[s], item, "poker_processors", "poker_thread", "poker_name");
    known->workers_measured = jsonl_get_flag(item, "workers_measured");
    take_slowing(known, item);
  }
  take_machine(&profile, json);
  experiment->profile = profile;
  experiment->uses = profile.use.known ? 1 : 0;
  experiment_profiled(experiment);
  return NULL;
}

static void take_used(struct processor_use *use, const struct jsonl *json, uint32_t count) {
  const struct jsonl *list = jsonl_get_list(json, "used");
  use->known = list != NULL && jsonl_count(list) == count &&
               jsonl_get_number(&use->count, json, "processors") && use->count >= 1 &&
               jsonl_get_number(&use->busy, json, "processors_busy") &&
               jsonl_get_number(&use->outside.all, json, "outside_processors");
  for (uint32_t s = 0; s < count && use->known; s++) {
    const struct jsonl *item = jsonl_at(list, s);
    struct processor_share *share = &use->services[s];
    use->known = item != NULL && jsonl_get_number(&share->all, item, "processors") &&
                 jsonl_get_number(&share->thread, item, "thread") &&
                 jsonl_get_number(&share->wanted, item, "wanted") && share->all >= 0 &&
                 share->thread >= 0;
  }
}

static const char *take_window(struct experiment *experiment, const struct jsonl *json) {
  const char *label = jsonl_get_text(json, "change");
  struct cell *cell = NULL;
  for (size_t c = 0; c < experiment->cells.count && label != NULL; c++)
    if (strcmp(experiment->cells.data[c].change.label, label) == 0)
      cell = &experiment->cells.data[c];
  if (cell == NULL)
    return NULL; /* of a change that is not asked about now */
  if (!jsonl_get_flag(json, "good")) {
    cell->refused++;
    experiment->refused++;
    const char *reason = jsonl_get_text(json, "reason");
    snprintf(cell->last_reason, sizeof cell->last_reason, "%.*s", WINDOW_REASON - 1,
             reason != NULL ? reason : "");
    return NULL;
  }
  int64_t requests, window_ns, paused_ns, noise_ns, saved_ps;
  if (!jsonl_get_integer(&requests, json, "requests") ||
      !jsonl_get_integer(&window_ns, json, "window_ns") ||
      !jsonl_get_integer(&paused_ns, json, "paused_ns") ||
      !jsonl_get_integer(&noise_ns, json, "noise_ns") ||
      !jsonl_get_integer(&saved_ps, json, "saved_ps") || requests <= 0 || window_ns <= 0 ||
      paused_ns < 0 || paused_ns > window_ns || noise_ns < 0 || saved_ps < 0)
    return "has no numbers where they belong";
  struct window window = {.requests = (uint64_t)requests,
                          .window_ns = (uint64_t)window_ns,
                          .paused_ns = (uint64_t)paused_ns,
                          .noise_ns = (uint64_t)noise_ns,
                          .saved_ps = (uint64_t)saved_ps,
                          .limit = PLAN_SERVICES,
                          .good = true};
  int64_t errors, batch;
  take_used(&window.use, json, experiment->plan->count);
  if (jsonl_get_integer(&batch, json, "batch") && batch >= 0)
    cell->batch = (uint64_t)batch;
  cell->few = jsonl_get_flag(json, "few");
  uint32_t entry = experiment->plan->entry;
  if (jsonl_get_integer(&errors, json, "errors") && errors >= 0) {
    window.sees_answers[entry] = true;
    window.errors[entry] = (uint64_t)errors;
  }
  vector_push(&cell->good, window);
  return NULL;
}

static const char *take_line(struct experiment *experiment, const char *line, size_t length,
                             struct text *message) {
  struct jsonl *json = jsonl_parse(line, length, message);
  if (json == NULL)
    return "is no JSON";
  const char *kind = jsonl_get_text(json, "kind"), *wrong = NULL;
  if (kind != NULL && strcmp(kind, "profile") == 0)
    wrong = take_profile(experiment, json);
  else if (kind != NULL && strcmp(kind, "window") == 0)
    wrong = experiment->profiled ? take_window(experiment, json)
                                 : "comes before what the services are like";
  else
    wrong = "is not of a journal";
  jsonl_free(json);
  return wrong;
}

/* *whole: how many bytes are whole lines. A last line without its end was cut off when the
 * experiment was killed. */
static enum status take_all(struct experiment *experiment, size_t *whole, const char *bytes,
                            size_t length) {
  struct text message;
  const char *wrong = NULL;
  unsigned line = 0;
  text_init(&message);
  for (const char *at = bytes, *stop; wrong == NULL; at = stop + 1) {
    stop = memchr(at, '\n', length - (size_t)(at - bytes));
    if (stop == NULL)
      break;
    line++;
    *whole = (size_t)(stop + 1 - bytes);
    wrong = take_line(experiment, at, (size_t)(stop - at), &message);
  }
  text_clear(&message);
  if (wrong == NULL)
    return STATUS_OK;
  return asker_fail(experiment->request->asker, STATUS_DATA,
                    "%s:%u: %s; name a journal of this plan, or leave out --resume",
                    experiment->journal_name, line, wrong);
}

static enum status resume(struct experiment *experiment) {
  struct text message;
  char *bytes;
  size_t length, whole = 0;
  const char *name = experiment->journal_name;
  text_init(&message);
  enum status status = file_read(name, BYTES_MOST, &bytes, &length, &message);
  if (status != STATUS_OK)
    asker_fail(experiment->request->asker, status, "%s", text_get(&message));
  else
    status = take_all(experiment, &whole, bytes, length);
  if (status == STATUS_OK && whole < length && truncate(name, (off_t)whole) != 0)
    status = asker_fail(experiment->request->asker, STATUS_INTERNAL,
                        "%s: the last line, which is not whole, cannot be removed: %s", name,
                        strerror(errno));
  mem_free(bytes);
  text_clear(&message);
  return status;
}

enum status journal_open(struct experiment *experiment) {
  const struct experiment_request *request = experiment->request;
  experiment->journal_name = request->resume != NULL ? request->resume : request->journal;
  if (request->resume != NULL && request->journal != NULL)
    return asker_fail(request->asker, STATUS_USAGE,
                      "--resume adds to its journal; leave out --journal");
  if (experiment->journal_name == NULL)
    return STATUS_OK;
  enum status status = request->resume != NULL ? resume(experiment) : STATUS_OK;
  if (status != STATUS_OK)
    return status;
  experiment->journal = fopen(experiment->journal_name, request->resume != NULL ? "ae" : "wxe");
  if (experiment->journal == NULL)
    return asker_fail(request->asker, errno == EEXIST ? STATUS_USAGE : STATUS_INTERNAL,
                      "%s: cannot be made: %s; %s", experiment->journal_name, strerror(errno),
                      errno == EEXIST ? "go on with --resume, or name a new file"
                                      : "name another file");
  return STATUS_OK;
}
