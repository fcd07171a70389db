/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the services of an experiment are like, and what speaks against their numbers
 * (throughput.h).
 */
#include "cli/present/throughput.h"
#include "measure/throughput/experiment/waiting.h"

static const double busy_least = 0.9;

static const struct object_key service_keys[] = {
    KEY("service", TEXT, .marks = MARK_NAMES),
    KEY("calls", NUMBER, .note = "for a user request"),
    KEY("work_ns", NUMBER, .marks = MARK_NULL),
    KEY("workers", COUNT, .marks = MARK_NULL),
    KEY("workers_measured", FLAG),
    KEY("busy", SHARE, .marks = MARK_NULL, .note = "null: unknown"),
    KEY("resource", TEXT, .marks = MARK_NULL),
    {0}};
static const struct object_kind service_kind = {"service", NULL, service_keys};

static const struct object_key profile_keys[] = {KEY("plan", TEXT, .marks = MARK_NAMES),
                                                 KEY("entry", TEXT, .marks = MARK_NAMES),
                                                 KEY("throughput", NUMBER),
                                                 KEY("services", OBJECTS, .objects = &service_kind),
                                                 {0}};
const struct object_kind throughput_profile_kind = {
    "profile", "of `whatif throughput`; in a journal, too, with 0 for null", profile_keys};

static const struct object_key waiting_keys[] = {KEY("service", TEXT, .marks = MARK_NAMES),
                                                 KEY("by", TEXT, .words = "proxy|together|busy"),
                                                 KEY("neighbour", TEXT, .marks = MARK_NULL),
                                                 {0}};
const struct object_kind throughput_waiting_kind = {
    "waiting", "of `whatif throughput`, a service whose time may contain waiting", waiting_keys};

/* --- services --------------------------------------------------------------------------------- */

static void put_work(struct objects *objects, double ns) {
  if (ns <= 0) {
    object_null(objects, "work_ns");
    object_words(objects, "work_ns", "unknown");
    return;
  }
  object_number(objects, "work_ns", ns);
  if (ns < 1e6)
    object_words(objects, "work_ns", "%.1f us", ns / 1e3);
  else
    object_words(objects, "work_ns", "%.3f ms", ns / 1e6);
}

/* A doubt: it may have more workers than were seen to be busy. */
static bool put_service(struct objects *objects, const struct plan_service *service,
                        const struct profile_service *known) {
  bool doubt = known->workers_measured && known->busy < 0.5 && known->calls > 0;
  objects_add(objects);
  object_text(objects, "service", service->name);
  object_number(objects, "calls", known->calls);
  put_work(objects, known->work_ns);
  if (known->workers != 0) {
    object_count(objects, "workers", known->workers);
  } else {
    object_null(objects, "workers");
    object_words(objects, "workers", "unknown");
  }
  object_flag(objects, "workers_measured", known->workers_measured);
  if (known->busy > 0) {
    object_number(objects, "busy", known->busy);
    object_words(objects, "busy", "%.0f %%%s", 100 * known->busy, doubt ? " *" : "");
  } else {
    object_null(objects, "busy");
    object_words(objects, "busy", "%s", doubt ? "*" : "");
  }
  object_text(objects, "resource", service->resource);
  return doubt;
}

static void show_services(struct document *document, const struct experiment *experiment) {
  static const struct object_column columns[] = {
      {.title = "service", .key = "service"},
      {.title = "calls", .align = TABLE_RIGHT, .key = "calls", .decimals = 4},
      {.title = "time each", .align = TABLE_RIGHT, .key = "work_ns"},
      {.title = "workers", .align = TABLE_RIGHT, .key = "workers"},
      {.title = "busy", .align = TABLE_RIGHT, .key = "busy"},
  };
  const struct experiment_plan *plan = experiment->plan;
  struct objects *profile = document_objects(document, &throughput_profile_kind);
  bool doubt = false;
  objects_add(profile);
  object_text(profile, "plan", plan->path);
  object_text(profile, "entry", plan->services[plan->entry].name);
  object_number(profile, "throughput", experiment->profile.throughput);
  struct objects *services = object_list(profile, "services");
  for (uint32_t s = 0; s < plan->count; s++)
    doubt |= put_service(services, &plan->services[s], &experiment->profile.services[s]);
  document_table(document, LINES_APART, 2, services, columns, sizeof columns / sizeof *columns);
  if (doubt)
    document_say(document, LINES_CLOSE,
                 "* never seen to be busy: it may have more workers; say how many in the plan");
}

/* --- doubts ----------------------------------------------------------------------------------- */

/* Where nobody is busy all the time, something that is not measured limits. */
static void say_limit(struct document *document, const struct experiment *experiment) {
  const struct experiment_plan *plan = experiment->plan;
  const struct profile_service *known = experiment->profile.services;
  uint32_t most = 0;
  for (uint32_t s = 0; s < plan->count; s++) {
    if (known[s].calls > 0 && known[s].busy <= 0)
      return; /* unknown */
    most = known[s].busy > known[most].busy ? s : most;
  }
  if (known[most].busy < busy_least)
    document_say(document, LINES_CLOSE,
                 "No service is busy all the time; %s is for %.0f %%. Give the load more users, or "
                 "look for what else limits.",
                 plan->services[most].name, 100 * known[most].busy);
}

static void take_warning(struct document *document, struct text *text) {
  document_take(document, LINES_CLOSE, 2, text);
  document_hang(document, 2);
}

/* Who has no calls is never paused: predictions take it for infinitely fast. */
static void say_uncounted(struct document *document, const struct experiment *experiment) {
  const struct experiment_plan *plan = experiment->plan;
  const char *between = "warning: ";
  struct text text;
  text_init(&text);
  for (uint32_t s = 0; s < plan->count; s++)
    if (experiment->profile.services[s].calls <= 0) {
      text_format(&text, "%s%s", between, plan->services[s].name);
      between = ", ";
    }
  if (text.length == 0)
    return;
  text_append(&text, ": no call was counted, so it never pauses, and predictions take it for "
                     "infinitely fast. Count its calls; leave it out if no request waits for it.");
  take_warning(document, &text);
}

typedef VECTOR(const struct window *) windows;

/* What was measured while nobody paused. */
static void gather(windows *list, const struct experiment *experiment) {
  if (experiment->first.good)
    vector_push(list, &experiment->first);
  for (size_t c = 0; c < FIRST_CHANGE; c++)
    for (size_t i = 0; i < experiment->cells.data[c].good.count; i++)
      vector_push(list, &experiment->cells.data[c].good.data[i]);
}

static void append_doubt(struct text *text, enum waiting why, const char *name, const char *other) {
  text_format(text, "%s%s", text->length == 0 ? "warning: the time of " : ", ", name);
  if (why == WAITING_PROXY)
    text_append(text, " (measured at a proxy)");
  else if (why == WAITING_TOGETHER)
    text_format(text, " (it changes with that of %s)", other);
  else
    text_format(text, " (as long as that of %s, both being busy)", other);
}

static void show_waiting(struct document *document, const struct experiment *experiment) {
  static const char *const names[] = {
      [WAITING_PROXY] = "proxy", [WAITING_TOGETHER] = "together", [WAITING_BUSY] = "busy"};
  const struct experiment_plan *plan = experiment->plan;
  struct objects *objects = document_objects(document, &throughput_waiting_kind);
  windows list = {0};
  struct text text;
  text_init(&text);
  gather(&list, experiment);
  for (uint32_t s = 0; s < plan->count; s++) {
    uint32_t neighbour = 0;
    enum waiting why = waiting_of(&neighbour, plan, &experiment->profile, list.data, list.count, s);
    const char *name = plan->services[s].name, *other = plan->services[neighbour].name;
    if (why == WAITING_NONE)
      continue;
    append_doubt(&text, why, name, other);
    objects_add(objects);
    object_text(objects, "service", name);
    object_text(objects, "by", names[why]);
    object_text(objects, "neighbour", why == WAITING_PROXY ? NULL : other);
  }
  vector_clear(&list);
  if (text.length == 0)
    return;
  text_append(&text, " may contain waiting; state `work` and `workers` in the plan.");
  take_warning(document, &text);
}

void throughput_show_services(struct document *document, const struct experiment *experiment) {
  show_services(document, experiment);
  say_limit(document, experiment);
  say_uncounted(document, experiment);
  show_waiting(document, experiment);
}
