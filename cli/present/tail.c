/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail` about traces and tables as a document (tail.h).
 */
#include <math.h>

#include "cli/present/difference.h"
#include "cli/present/tail.h"
#include "cli/present/tail_groups.h"
#include "cli/present/tail_hot.h"

static const double SHOWN_SHARE = 0.1; /* of the difference that one adds */

/* No break of a line comes after it. */
#define INDENT "\u00a0\u00a0"

enum { SHOWN_CAUSES = 8, SHOWN_IN_SERVICE = 4 };

/* --- kinds ------------------------------------------------------------------------------------ */

#define KEY_WHERE(more)                                                                            \
  KEY("where", TEXT, .marks = MARK_NAMES | (more), .words = "in|way to",                           \
      .note = "it, or between calls of it and its own spans")

static const struct object_key service_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY_WHERE(0),
    KEY("causes", COUNT),
    KEYS_OF_DIFFERENCE,
    KEY("share", SHARE, .marks = MARK_MAYBE, .note = "of the latency's difference"),
    KEY("significant", FLAG),
    KEYS_OF_SHARE("necessary", MARK_MAYBE),
    KEYS_OF_SHARE("sufficient", MARK_MAYBE),
    {0}};
static const struct object_kind service_kind = {"tail_service", "of `tail` about traces",
                                                service_keys};

static const struct object_key cause_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("of", TEXT, .marks = MARK_NAMES, .words = "work|network|queue|other"),
    KEY("service", TEXT, .marks = MARK_NAMES | MARK_MAYBE, .note = "of traces"),
    KEY_WHERE(MARK_MAYBE),
    KEYS_OF_DIFFERENCE,
    KEY("share", SHARE, .marks = MARK_MAYBE, .note = "of the latency's difference"),
    KEY("part_ns", NS, .marks = MARK_MAYBE),
    KEY("usual_ns", NS, .marks = MARK_MAYBE),
    KEY("more_ns", NS, .marks = MARK_MAYBE, .note = "all three with `--request`"),
    KEY("significant", FLAG),
    KEYS_OF_SHARE("necessary", MARK_MAYBE),
    KEYS_OF_SHARE("sufficient", MARK_MAYBE),
    {0}};
static const struct object_kind cause_kind = {"cause", "of `tail` about traces and tables",
                                              cause_keys};

/* A line of what one request is made of. */
static const struct object_key excess_keys[] = {
    KEY("name", TEXT), KEY("part_ns", NS), KEY("usual_ns", NS), KEY("more_ns", NS), {0}};
static const struct object_kind excess_kind = {"excess", NULL, excess_keys};

static const struct object_key tail_keys[] = {
    KEY("verdict", TEXT, .words = "explained|too few requests|not slower|no cause|one request"),
    KEY("requests", COUNT),
    KEY("slow", COUNT),
    KEY("rest", COUNT),
    KEY("threshold_ns", NS, .marks = MARK_MAYBE, .note = "left out where each root has its own"),
    KEYS_OF_SHARE("slow_above", 0),
    KEYS_OF_SHARE("rest_above", 0),
    KEYS_OF_DIFFERENCE,
    KEY("causes", COUNT),
    KEY("significant", COUNT),
    KEY("services", COUNT, .note = "and ways to one; 0 of tables"),
    KEY("significant_services", COUNT),
    KEY("tags_tried", COUNT),
    {0}};
static const struct object_kind tail_kind = {"tail", "of traces and tables", tail_keys};

const struct object_kind *const tail_kinds[] = {&tail_kind,           &service_kind,    &cause_kind,
                                                &tail_group_kind,     &tail_tag_kind,   &hot_kind,
                                                &joined_profile_kind, &assumption_kind, NULL};

/* --- causes ----------------------------------------------------------------------------------- */

static const struct tail_cause *cause_of(const struct tail_answer *a, uint32_t index) {
  return &a->causes.causes.data[index];
}

static const char *kind_word(enum cause_kind kind) {
  return kind == CAUSE_NETWORK ? "network"
         : kind == CAUSE_QUEUE ? "queue"
         : kind == CAUSE_OTHER ? "other"
                               : "work";
}

static const char *where_word(const struct tail_service *service) {
  return service->way ? "way to" : "in";
}

static void put_name(struct objects *causes, const struct tail_cause *cause) {
  object_text(causes, "name", cause->name);
  object_words(causes, "name", "%s%s", cause->name, tail_cause_where(cause->kind));
}

static void put_difference(struct objects *causes, const struct tail_answer *a,
                           const struct tail_difference *difference) {
  object_difference(causes, difference);
  object_number(causes, "share", difference->difference / a->report.latency.difference);
}

static void put_judged(struct objects *objects, const struct tail_answer *a, bool significant,
                       const struct tail_share *necessary, const struct tail_share *sufficient) {
  object_flag(objects, "significant", significant);
  if (significant) {
    object_share(objects, "necessary", necessary);
    object_share(objects, "sufficient", sufficient);
  } else if (a->report.enough) {
    object_words(objects, "necessary.count", "not significant");
  }
}

static void put_cause(struct objects *causes, const struct tail_answer *a,
                      const struct tail_finding *finding) {
  const struct tail_cause *cause = cause_of(a, finding->cause);
  objects_add(causes);
  put_name(causes, cause);
  object_text(causes, "of", kind_word(cause->kind));
  if (cause->service != TAIL_NO_SERVICE) {
    const struct tail_service *service = &a->causes.services.data[cause->service];
    object_text(causes, "service", service->name);
    object_text(causes, "where", where_word(service));
  }
  put_difference(causes, a, &finding->difference);
  if (a->verdict == TAIL_ONE) {
    object_ns(causes, "part_ns", cause->parts[a->one]);
    object_ns(causes, "usual_ns", cause->usual);
    object_ns(causes, "more_ns", cause->parts[a->one] - cause->usual);
  }
  if (cause->kind == CAUSE_OTHER)
    object_flag(causes, "significant", false);
  else
    put_judged(causes, a, finding->significant, &finding->necessary, &finding->sufficient);
}

/* Services and causes that are named, and others that add much; or the largest when none is named.
 */
static bool is_large(const struct tail_answer *a, size_t place, size_t most,
                     const struct tail_difference *difference, bool significant) {
  double latency = fabs(a->report.latency.difference);
  return place < most && difference->difference >= latency / 100 &&
         (significant || a->report.significant + a->report.named == 0 ||
          difference->difference >= SHOWN_SHARE * latency);
}

/* What is not shown adds so much together, where that is a per cent. */
static void put_remainder(struct objects *causes, const struct tail_answer *a, double shown) {
  double left = a->report.latency.difference - shown, share = left / a->report.latency.difference;
  if (round(100 * share) == 0)
    return;
  objects_add(causes);
  object_shown(causes, SHOWN_BRIEF);
  object_text(causes, "name", "further causes");
  object_mean(causes, "difference_ns", left);
  object_number(causes, "share", share);
}

/* A line above the causes of a service. */
static void put_service_line(struct objects *causes, const struct tail_answer *a,
                             const struct tail_service_finding *finding) {
  const struct tail_service *service = &a->causes.services.data[finding->service];
  objects_add(causes);
  object_shown(causes, SHOWN_PEOPLE);
  object_text(causes, "name", service->name);
  object_words(causes, "name", "%s%s", service->way ? "the way to " : "", service->name);
  put_difference(causes, a, &finding->difference);
  put_judged(causes, a, finding->significant, &finding->necessary, &finding->sufficient);
}

/* The causes of a service, the largest difference first; `shown`: the service is. */
static void put_causes_of(struct objects *causes, const struct tail_answer *a,
                          const struct tail_service_finding *service, bool shown) {
  size_t place = 0;
  bool alone = service->causes == 1;
  if (shown && !alone)
    put_service_line(causes, a, service);
  for (size_t i = 0; i < a->report.findings.count; i++) {
    const struct tail_finding *finding = &a->report.findings.data[i];
    const struct tail_cause *cause = cause_of(a, finding->cause);
    if (cause->service != service->service)
      continue;
    put_cause(causes, a, finding);
    if (!alone)
      object_words(causes, "name", INDENT "%s%s", cause->name, tail_cause_where(cause->kind));
    bool large =
        alone || is_large(a, place++, SHOWN_IN_SERVICE, &finding->difference, finding->significant);
    if (!shown || !large)
      object_shown(causes, SHOWN_FULL);
  }
}

/* The causes of traces; what is shown adds so much. */
static double put_services(struct objects *causes, const struct tail_answer *a, size_t *hidden) {
  double sum = 0;
  for (size_t i = 0; i < a->report.services.count; i++) {
    const struct tail_service_finding *finding = &a->report.services.data[i];
    bool shown = is_large(a, i, SHOWN_CAUSES, &finding->difference, finding->significant);
    put_causes_of(causes, a, finding, shown);
    sum += shown ? finding->difference.difference : 0;
    *hidden += !shown;
  }
  return sum;
}

/* Those of tables, and what no call of a table accounts for. */
static double put_others(struct objects *causes, const struct tail_answer *a, size_t *hidden) {
  double sum = 0;
  for (size_t i = 0; i < a->report.findings.count; i++) {
    const struct tail_finding *finding = &a->report.findings.data[i];
    if (cause_of(a, finding->cause)->service != TAIL_NO_SERVICE)
      continue;
    put_cause(causes, a, finding);
    if (finding->other ||
        is_large(a, i, SHOWN_CAUSES, &finding->difference, finding->significant)) {
      sum += finding->difference.difference;
      continue;
    }
    object_shown(causes, SHOWN_FULL);
    (*hidden)++;
  }
  return sum;
}

static struct objects *put_causes(struct document *document, const struct tail_answer *a) {
  struct objects *causes = document_objects(document, &cause_kind);
  size_t hidden = 0;
  double shown = put_services(causes, a, &hidden);
  shown += put_others(causes, a, &hidden);
  if (hidden != 0)
    put_remainder(causes, a, shown);
  objects_add(causes);
  object_shown(causes, SHOWN_PEOPLE);
  object_text(causes, "name", "latency");
  put_difference(causes, a, &a->report.latency);
  return causes;
}

/* For programs; people see them among the causes. */
static void put_service_objects(struct document *document, const struct tail_answer *a) {
  if (a->report.services.count == 0)
    return;
  struct objects *services = document_objects(document, &service_kind);
  for (size_t i = 0; i < a->report.services.count; i++) {
    const struct tail_service_finding *finding = &a->report.services.data[i];
    const struct tail_service *service = &a->causes.services.data[finding->service];
    objects_add(services);
    object_text(services, "name", service->name);
    object_text(services, "where", where_word(service));
    object_count(services, "causes", finding->causes);
    put_difference(services, a, &finding->difference);
    put_judged(services, a, finding->significant, &finding->necessary, &finding->sufficient);
  }
}

static void show_causes(struct document *document, const struct tail_answer *a,
                        struct objects *causes) {
  static const struct object_column columns[] = {
      {.title = "cause", .key = "name"},
      {.title = "adds", .align = TABLE_RIGHT, .key = "difference_ns"},
      {.align = TABLE_RIGHT, .form = COLUMN_RANGE, .key = "least_ns", .to = "most_ns"},
      {.title = "share", .align = TABLE_RIGHT, .key = "share"},
      {.title = "necessary for", .align = TABLE_RIGHT, .form = COLUMN_SHARE, .key = "necessary"},
      {.title = "sufficient in", .align = TABLE_RIGHT, .form = COLUMN_SHARE, .key = "sufficient"},
  };
  document_section(document, "causes", "What each cause adds to slow requests");
  document_table(document, LINES_APART, 2, causes, columns, sizeof columns / sizeof *columns);
  document_column_title(document, 2, "%g %% interval", 100 * (1 - a->level));
}

/* --- one request ------------------------------------------------------------------------------ */

static int64_t excess_of(const struct tail_answer *a, size_t cause) {
  return a->causes.causes.data[cause].parts[a->one] - a->causes.causes.data[cause].usual;
}

/* The causes with the largest excess first. */
static size_t *by_excess(const struct tail_answer *a) {
  size_t count = a->causes.causes.count, *order = mem_alloc(count, sizeof *order);
  for (size_t i = 0; i < count; i++) {
    size_t at = i;
    for (; at > 0 && excess_of(a, order[at - 1]) < excess_of(a, i); at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return order;
}

static void show_one(struct document *document, const struct tail_answer *a) {
  static const struct object_column columns[] = {
      {.title = "on the critical path", .key = "name"},
      {.title = "here", .align = TABLE_RIGHT, .key = "part_ns"},
      {.title = "usual", .align = TABLE_RIGHT, .key = "usual_ns"},
      {.title = "more", .align = TABLE_RIGHT, .key = "more_ns"},
  };
  size_t count = a->causes.causes.count, *order = by_excess(a);
  document_section(document, "causes", "On the critical path");
  struct objects *lines = document_objects(document, &excess_kind);
  for (size_t i = 0; i < count; i++) {
    const struct tail_cause *cause = &a->causes.causes.data[order[i]];
    int64_t part = cause->parts[a->one];
    objects_add(lines);
    object_shown(lines, i < SHOWN_CAUSES && (part != 0 || cause->usual != 0) ? SHOWN_PEOPLE
                                                                             : SHOWN_PEOPLE_FULL);
    put_name(lines, cause);
    object_ns(lines, "part_ns", part);
    object_ns(lines, "usual_ns", cause->usual);
    object_ns(lines, "more_ns", excess_of(a, order[i]));
  }
  document_table(document, LINES_APART, 2, lines, columns, sizeof columns / sizeof *columns);
  mem_free(order);
}

/* --- all of it -------------------------------------------------------------------------------- */

static const char *verdict_word(enum tail_verdict verdict) {
  switch (verdict) {
  case TAIL_TOO_FEW:
    return "too few requests";
  case TAIL_NOT_SLOWER:
    return "not slower";
  case TAIL_NO_CAUSE:
    return "no cause";
  case TAIL_ONE:
    return "one request";
  default:
    return "explained";
  }
}

static void put_summary(struct document *document, const struct tail_answer *a) {
  struct objects *tail = document_objects(document, &tail_kind);
  objects_add(tail);
  object_text(tail, "verdict", verdict_word(a->verdict));
  object_count(tail, "requests", a->split.requests);
  object_count(tail, "slow", a->split.slow);
  object_count(tail, "rest", a->split.rest);
  if (a->split.thresholds == NULL)
    object_ns(tail, "threshold_ns", a->split.threshold);
  object_share(tail, "slow_above", &a->report.slow_above);
  object_share(tail, "rest_above", &a->report.rest_above);
  object_difference(tail, &a->report.latency);
  object_count(tail, "causes", a->report.tested);
  object_count(tail, "significant", a->report.significant);
  object_count(tail, "services", a->report.services.count);
  object_count(tail, "significant_services", a->report.named);
  object_count(tail, "tags_tried", a->tags.tried);
}

static void say(struct document *document, enum lines lines,
                void (*what)(struct text *, const struct tail_answer *),
                const struct tail_answer *a) {
  struct text text;
  text_init(&text);
  what(&text, a);
  document_take(document, lines, 2, &text);
  text_clear(&text);
}

void tail_document(struct document *document, const struct tail_answer *a,
                   const struct document_page *page) {
  document_init(document, "tail", tail_kinds);
  if (a->verdict == TAIL_ONE)
    document_title(document, "Why request %s takes its time", a->request->request);
  else
    document_title(document, "Why %zu of %zu requests are slow", a->split.slow, a->split.requests);
  document_made(document, page);
  say(document, LINES_APART, tail_sides_say, a);
  say(document, LINES_CLOSE, tail_means_say, a);
  if (page != NULL && a->verdict != TAIL_ONE)
    say(document, LINES_CLOSE, tail_verdict_say, a);
  document_figures(document, page, a, 0);
  if (a->verdict != TAIL_ONE)
    put_service_objects(document, a);
  struct objects *causes = put_causes(document, a);
  if (a->verdict == TAIL_ONE) {
    show_one(document, a);
  } else {
    show_causes(document, a, causes);
    if (page == NULL)
      say(document, LINES_APART, tail_verdict_say, a);
    tail_show_groups(document, a);
    tail_show_tags(document, a);
    hot_document(document, a->hot, a->level);
  }
  put_summary(document, a);
  document_ledger(document, &a->ledger);
}
