/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the services of an experiment are like, and what speaks against their numbers
 * (throughput.h).
 */
#include "cli/present/throughput.h"
#include "measure/throughput/experiment/slowing.h"
#include "measure/throughput/experiment/waiting.h"

#include <inttypes.h>
#include <math.h>

static const double busy_least = 0.9;

static const struct object_key service_keys[] = {
    KEY("service", TEXT, .marks = MARK_NAMES),
    KEY("calls", NUMBER, .note = "for a user request"),
    KEY("work_ns", NUMBER, .marks = MARK_NULL),
    KEY("workers", COUNT, .marks = MARK_NULL),
    KEY("workers_measured", FLAG),
    KEY("busy", SHARE, .marks = MARK_NULL, .note = "null: unknown"),
    KEY("slow", TEXT, .words = "hold|freeze",
        .note = "how it is slowed while another seems faster"),
    KEY("holders", COUNT, .marks = MARK_NULL,
        .note = "workers, of a held one; null: for all requests"),
    KEY("alone_ns", NUMBER, .marks = MARK_MAYBE,
        .note = "of a call when there is one user; this and the next four where that was measured"),
    KEY("computes_ns", NUMBER, .marks = MARK_MAYBE,
        .note = "of it, what computes or waits for a processor"),
    KEY("at_work", NUMBER, .marks = MARK_MAYBE, .note = "calls, with all users, on average"),
    KEY("waiting", NUMBER, .marks = MARK_MAYBE, .note = "calls, likewise, that are there besides"),
    KEY("workers_alone", COUNT, .marks = MARK_MAYBE | MARK_NULL,
        .note = "that it has, as calls wait for them; null: that is not told"),
    KEY("throttled", SHARE, .marks = MARK_MAYBE, .note = "of the time, by a processor quota"),
    KEY("resource", TEXT, .marks = MARK_NULL),
    KEY("inside", TEXT, .note = "services of the plan that it talks to by proxy or relay"),
    KEY("outside", TEXT, .note = "whom it talks to that is not in the plan"),
    KEY("past", TEXT, .note = "services whose proxy or relay it goes past"),
    KEY("relayed", TEXT, .note = "what its relay counts by"),
    KEY("refused", TEXT, .note = "what clients spoke that its proxy does not read"),
    KEY("processors", NUMBER, .marks = MARK_MAYBE,
        .note = "that it keeps busy; this and what follows where they are seen"),
    KEY("processors_wanted", NUMBER, .marks = MARK_MAYBE,
        .note = "with the time in which its threads waited for one"),
    KEY("thread", SHARE, .marks = MARK_MAYBE, .note = "of its busiest thread's time"),
    KEY("poker_processors", NUMBER, .marks = MARK_MAYBE, .note = "of its poker with the proxy"),
    {0}};
static const struct object_kind service_kind = {"service", NULL, service_keys};

static const struct object_key profile_keys[] = {
    KEY("plan", TEXT, .marks = MARK_NAMES),
    KEY("entry", TEXT, .marks = MARK_NAMES),
    KEY("throughput", NUMBER),
    KEY("users", NUMBER, .marks = MARK_NULL, .note = "in flight, on average"),
    KEY("users_most", NUMBER, .marks = MARK_NULL),
    KEY("processors", NUMBER, .marks = MARK_NULL, .note = "of the machine"),
    KEY("processors_busy", NUMBER, .marks = MARK_NULL),
    KEY("load_processors", NUMBER, .marks = MARK_NULL),
    KEY("outside_processors", NUMBER, .marks = MARK_NULL, .note = "of what is not in the plan"),
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

/* What it takes for a call that comes alone. */
static void put_alone(struct objects *objects, const struct knee_service *knee) {
  if (!(knee->alone_ns > 0))
    return;
  object_number(objects, "alone_ns", knee->alone_ns);
  object_number(objects, "computes_ns", knee->computes_ns);
  object_number(objects, "at_work", knee->at_work);
  object_number(objects, "waiting", knee->waiting);
  if (knee->workers != 0)
    object_count(objects, "workers_alone", knee->workers);
  else
    object_null(objects, "workers_alone");
}

/* A doubt: it may have more workers than were seen to be busy. */
static bool put_service(struct objects *objects, const struct experiment *experiment, uint32_t s) {
  const struct plan_service *service = &experiment->plan->services[s];
  const struct profile_service *known = &experiment->profile.services[s];
  const struct processor_use *use = &experiment->profile.use;
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
  object_text(objects, "slow", known->held ? "hold" : "freeze");
  if (known->held && known->holders != 0)
    object_count(objects, "holders", known->holders);
  else
    object_null(objects, "holders");
  put_alone(objects, &experiment->profile.knee[s]);
  if (use->known)
    object_number(objects, "throttled", use->services[s].throttled);
  object_text(objects, "resource", service->resource);
  object_text(objects, "inside", experiment->profile.talks.inside[s]);
  object_text(objects, "outside", experiment->profile.talks.outside[s]);
  object_text(objects, "past", experiment->profile.talks.past[s]);
  object_text(objects, "relayed", experiment->profile.talks.relayed[s]);
  object_text(objects, "refused", experiment->profile.talks.refused[s]);
  if (use->known) {
    object_number(objects, "processors", use->services[s].all);
    object_number(objects, "processors_wanted", use->services[s].wanted);
    object_number(objects, "thread", use->services[s].thread);
    object_words(objects, "thread", "%.0f %%", 100 * use->services[s].thread);
    object_number(objects, "poker_processors", use->pokers[s].all);
  }
  return doubt;
}

static void put_maybe(struct objects *objects, const char *key, double value, bool known) {
  if (known)
    object_number(objects, key, value);
  else
    object_null(objects, key);
}

static void put_machine(struct objects *objects, const struct profile *profile) {
  const struct processor_use *use = &profile->use;
  put_maybe(objects, "users", profile->users, profile->users > 0);
  put_maybe(objects, "users_most", profile->users_most, profile->users > 0);
  put_maybe(objects, "processors", use->count, use->known);
  put_maybe(objects, "processors_busy", use->busy, use->known);
  put_maybe(objects, "load_processors", use->load.all, use->known);
  put_maybe(objects, "outside_processors", use->outside.all, use->known);
}

static void show_services(struct document *document, const struct experiment *experiment) {
  static const struct object_column columns[] = {
      {.title = "service", .key = "service"},
      {.title = "calls", .align = TABLE_RIGHT, .key = "calls", .decimals = 4},
      {.title = "time each", .align = TABLE_RIGHT, .key = "work_ns"},
      {.title = "workers", .align = TABLE_RIGHT, .key = "workers"},
      {.title = "busy", .align = TABLE_RIGHT, .key = "busy"},
      {.title = "processors", .align = TABLE_RIGHT, .key = "processors", .decimals = 2},
      {.title = "one thread", .align = TABLE_RIGHT, .key = "thread"},
  };
  const struct experiment_plan *plan = experiment->plan;
  struct objects *profile = document_objects(document, &throughput_profile_kind);
  bool doubt = false;
  objects_add(profile);
  object_text(profile, "plan", plan->path);
  object_text(profile, "entry", plan->services[plan->entry].name);
  object_number(profile, "throughput", experiment->profile.throughput);
  put_machine(profile, &experiment->profile);
  struct objects *services = object_list(profile, "services");
  for (uint32_t s = 0; s < plan->count; s++)
    doubt |= put_service(services, experiment, s);
  size_t shown = sizeof columns / sizeof *columns - (experiment->profile.use.known ? 0 : 2);
  document_table(document, LINES_APART, 2, services, columns, shown);
  if (doubt)
    document_say(document, LINES_CLOSE,
                 "* never seen to be busy: its workers are the most calls that were seen at once; "
                 "say how many it has in the plan");
}

/* Who was in flight, and what the machine did. */
static void say_machine(struct document *document, const struct experiment *experiment) {
  const struct profile *profile = &experiment->profile;
  const struct processor_use *use = &profile->use;
  double services = 0, pokers = 0;
  if (profile->users > 0)
    document_say(document, LINES_CLOSE, "%.3g users in flight on average, %.0f at most.",
                 profile->users, profile->users_most);
  if (!use->known)
    return;
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    services += use->services[s].all;
    pokers += use->pokers[s].all;
  }
  document_say(document, LINES_CLOSE,
               "Processors busy: %.2g of %.0f (services %.2g, load %.2g, pokers and proxies %.2g, "
               "what is not in the plan %.2g).",
               use->busy, use->count, services, use->load.all, pokers, use->outside.all);
}

/* What services work for a request, and how many of them wait: with one user nothing waits. */
static void say_alone(struct document *document, const struct experiment *experiment) {
  const char *between = "Alone, a call takes ";
  struct text text;
  text_init(&text);
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    const struct knee_service *knee = &experiment->profile.knee[s];
    if (!(knee->alone_ns > 0))
      continue;
    text_format(&text, "%s%.3g ms of %s (%.2g of a processor; %.2g at work, %.2g waiting", between,
                knee->alone_ns / 1e6, experiment->plan->services[s].name,
                fmin(knee->computes_ns / knee->alone_ns, 1), knee->at_work, knee->waiting);
    if (knee->workers != 0)
      text_format(&text, ": %" PRIu32 " worker%s", knee->workers, knee->workers == 1 ? "" : "s");
    text_append(&text, ")");
    between = ", ";
  }
  if (text.length == 0)
    return;
  text_append(&text, ".");
  document_take(document, LINES_CLOSE, 2, &text);
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

/* Who is slowed by holding its answers, and why. */
static void say_held(struct document *document, const struct experiment *experiment) {
  const struct experiment_plan *plan = experiment->plan;
  const char *between = "Answers are held, where others would be stopped, of ";
  struct text text;
  text_init(&text);
  for (uint32_t s = 0; s < plan->count; s++) {
    const struct profile_service *known = &experiment->profile.services[s];
    if (!known->held)
      continue;
    text_format(&text, "%s%s", between, plan->services[s].name);
    if (known->holders != 0)
      text_format(&text, " (%u at once%s)", known->holders,
                  plan->services[s].workers != 0 ? ", as the plan says" : "");
    text_append(&text, plan->services[s].slow == PLAN_SLOW_HOLD ? ", as the plan says"
                       : slowing_waits(&experiment->profile, plan, s)
                           ? ", which waits and hardly runs"
                           : ", which leaves processors idle");
    between = ", ";
  }
  if (text.length == 0)
    return;
  text_append(&text, ".");
  document_take(document, LINES_CLOSE, 2, &text);
}

/* How relays count. */
static void say_relayed(struct document *document, const struct experiment *experiment) {
  const struct talks *talks = &experiment->profile.talks;
  const char *between = "Counted by relays: ";
  struct text text;
  text_init(&text);
  for (uint32_t s = 0; s < experiment->plan->count; s++)
    if (talks->relayed[s][0] != '\0') {
      text_format(&text, "%s%s by %s", between, experiment->plan->services[s].name,
                  talks->relayed[s]);
      between = "; ";
    }
  if (text.length == 0)
    return;
  text_append(&text, ".");
  document_take(document, LINES_CLOSE, 2, &text);
}

/* What a request may wait for and nobody counts. */
static void say_talks(struct document *document, const struct experiment *experiment) {
  const struct experiment_plan *plan = experiment->plan;
  const struct talks *talks = &experiment->profile.talks;
  for (uint32_t s = 0; s < plan->count; s++) {
    struct text text;
    text_init(&text);
    if (talks->outside[s][0] != '\0')
      text_format(&text,
                  "warning: %s talks to %s, which is not in the plan: predictions take it for "
                  "infinitely fast. Put it into the plan, or under not_waited_for.",
                  plan->services[s].name, talks->outside[s]);
    if (talks->past[s][0] != '\0')
      text_format(&text,
                  "%s%s talks to %s past the proxy or relay: those calls are not counted. Point it "
                  "there.",
                  text.length == 0 ? "warning: " : " ", plan->services[s].name, talks->past[s]);
    if (talks->refused[s][0] != '\0')
      text_format(&text, "%sclients of %s speak %s, which its proxy refuses: give `relay`.",
                  text.length == 0 ? "warning: " : " ", plan->services[s].name, talks->refused[s]);
    if (text.length != 0)
      take_warning(document, &text);
    else
      text_clear(&text);
  }
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
  say_machine(document, experiment);
  say_alone(document, experiment);
  say_limit(document, experiment);
  say_uncounted(document, experiment);
  say_relayed(document, experiment);
  say_held(document, experiment);
  say_talks(document, experiment);
  show_waiting(document, experiment);
}
