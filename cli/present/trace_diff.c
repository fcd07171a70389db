/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `trace diff` as a document (trace_diff.h).
 */
#include "cli/present/trace_diff.h"

#include <math.h>
#include <string.h>

#include "show/ledger.h"

static const double SHOWN_SHARE = 0.1; /* of the change that one adds */

/* No break of a line comes after it. */
#define INDENT "\u00a0\u00a0"

enum { SHOWN_SERVICES = 8, SHOWN_IN_SERVICE = 4, SHOWN_ROOTS = 10, SHOWN_PARTS = 8 };

/* --- kinds ------------------------------------------------------------------------------------ */

/* Of means; what is not known is left out. */
#define KEYS_OF_CHANGE                                                                             \
  KEY("before_ns", NS, .marks = MARK_MAYBE, .note = "a mean"),                                     \
      KEY("after_ns", NS, .marks = MARK_MAYBE, .note = "a mean"),                                  \
      KEY("change_ns", NS, .marks = MARK_MAYBE),                                                   \
      KEY("least_ns", NS, .marks = MARK_MAYBE | MARK_LOWER),                                       \
      KEY("most_ns", NS, .marks = MARK_MAYBE | MARK_UPPER)
#define KEYS_OF_SIDES KEY("before", COUNT), KEY("after", COUNT, .note = "requests")

static const struct object_key diff_keys[] = {
    KEY("verdict", TEXT, .words = "slower|faster|elsewhere|too few requests|no difference"),
    KEYS_OF_SIDES,
    KEY("before_failed", COUNT),
    KEY("after_failed", COUNT),
    KEY("failed_by_chance", NUMBER),
    KEYS_OF_CHANGE,
    KEY("mix_ns", NS, .marks = MARK_MAYBE,
        .note = "of the change: because roots have other shares"),
    KEY("services", COUNT, .note = "and ways to one"),
    KEY("significant_services", COUNT),
    KEY("causes", COUNT),
    KEY("significant", COUNT),
    KEY("calls_tried", COUNT),
    KEY("flows_tried", COUNT),
    {0}};
static const struct object_kind diff_kind = {"diff", "of `trace diff`", diff_keys};

static const struct object_key percentile_keys[] = {
    KEY("percentile", TEXT, .marks = MARK_NAMES),
    KEY("before_ns", NS),
    KEY("after_ns", NS),
    KEY("change_ns", NS),
    KEY("least_ns", NS, .marks = MARK_MAYBE | MARK_LOWER),
    KEY("most_ns", NS, .marks = MARK_MAYBE | MARK_UPPER, .note = "left out if infinite"),
    KEY("verdict", TEXT, .words = "slower|faster|no difference shown|drifts"),
    {0}};
static const struct object_kind percentile_kind = {"diff_percentile", "of `trace diff`",
                                                   percentile_keys};

static const struct object_key root_keys[] = {KEY("service", TEXT, .marks = MARK_NAMES),
                                              KEY("operation", TEXT, .marks = MARK_NAMES),
                                              KEYS_OF_SIDES,
                                              KEYS_OF_CHANGE,
                                              KEY("significant", FLAG),
                                              {0}};
static const struct object_kind root_kind = {"diff_root", "of `trace diff`, of several roots",
                                             root_keys};

static const struct object_key service_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("where", TEXT, .marks = MARK_NAMES, .words = "in|way to",
        .note = "it, or between calls of it and its own spans"),
    KEY("causes", COUNT),
    KEYS_OF_CHANGE,
    KEY("significant", FLAG),
    KEY("either_way", FLAG, .note = "so also if no undecided order is a wait"),
    {0}};
static const struct object_kind service_kind = {"diff_service", "of `trace diff`", service_keys};

static const struct object_key cause_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("of", TEXT, .marks = MARK_NAMES, .words = "work|network|queue"),
    KEY("service", TEXT, .marks = MARK_NAMES),
    KEY("where", TEXT, .marks = MARK_NAMES, .words = "in|way to"),
    KEYS_OF_CHANGE,
    KEY("significant", FLAG),
    KEY("either_way", FLAG),
    {0}};
static const struct object_kind cause_kind = {"diff_cause", "of `trace diff`", cause_keys};

static const struct object_key call_keys[] = {
    KEY("service", TEXT, .marks = MARK_NAMES),
    KEY("operation", TEXT, .marks = MARK_NAMES),
    KEYS_OF_SIDES,
    KEY("by_chance", NUMBER, .note = "corrected for all that were tried"),
    {0}};
static const struct object_kind call_kind = {
    "diff_call", "of `trace diff`, that more requests of one side make", call_keys};

static const struct object_key flow_keys[] = {
    KEY("flow", COUNT, .marks = MARK_NAMES),
    KEY("root", TEXT),
    KEY("calls", COUNT),
    KEYS_OF_SIDES,
    KEY("by_chance", NUMBER, .note = "corrected for all that were tried"),
    {0}};
static const struct object_kind flow_kind = {
    "diff_flow", "of `trace diff`, that more requests of one side have", flow_keys};

const struct object_kind *const trace_diff_kinds[] = {&diff_kind,    &percentile_kind, &root_kind,
                                                      &service_kind, &cause_kind,      &call_kind,
                                                      &flow_kind,    &assumption_kind, NULL};

/* --- changes ---------------------------------------------------------------------------------- */

static void put_change(struct objects *objects, const struct tail_difference *difference) {
  object_mean(objects, "before_ns", difference->rest);
  object_mean(objects, "after_ns", difference->slow);
  object_mean(objects, "change_ns", difference->difference);
  object_mean(objects, "least_ns", difference->least);
  object_mean(objects, "most_ns", difference->most);
}

static void put_flag(struct objects *objects, const struct trace_diff *d, bool significant) {
  object_flag(objects, "significant", significant);
  object_words(objects, "significant", "%s",
               significant        ? "yes"
               : d->report.enough ? "not significant"
                                  : "");
}

static void put_summary(struct document *document, const struct trace_diff *d) {
  static const char *const words[] = {"slower", "faster", "elsewhere", "too few requests",
                                      "no difference"};
  struct objects *diff = document_objects(document, &diff_kind);
  objects_add(diff);
  object_text(diff, "verdict", words[d->verdict]);
  object_count(diff, "before", d->counts[DIFF_BEFORE]);
  object_count(diff, "after", d->counts[DIFF_AFTER]);
  object_count(diff, "before_failed", d->failed[DIFF_BEFORE]);
  object_count(diff, "after_failed", d->failed[DIFF_AFTER]);
  object_number(diff, "failed_by_chance", d->failed_by_chance);
  put_change(diff, &d->report.latency);
  if (d->roots.count != 0)
    object_mean(diff, "mix_ns", d->mix);
  object_count(diff, "services", d->report.services.count);
  object_count(diff, "significant_services", d->report.named);
  object_count(diff, "causes", d->report.tested);
  object_count(diff, "significant", d->report.significant);
  object_count(diff, "calls_tried", d->calls_tried);
  object_count(diff, "flows_tried", d->flows_tried);
}

/* Of what is significant: whether the other reading of undecided orders says so, too. */
static void put_reading(struct objects *objects, const struct trace_diff *d, bool significant,
                        bool either_way) {
  put_flag(objects, d, significant);
  object_flag(objects, "either_way", significant && either_way);
  if (significant && !either_way)
    object_words(objects, "significant", "if waited for");
}

/* --- percentiles ------------------------------------------------------------------------------ */

static const char *percentile_verdict(const struct diff_percentile *p) {
  if (!p->settled)
    return "drifts";
  return p->least > 0 ? "slower" : p->most < 0 ? "faster" : "no difference shown";
}

static void put_percentile(struct objects *rows, const struct trace_diff *d, size_t i) {
  const struct diff_percentile *p = &d->percentiles.data[i];
  uint64_t before = p->sides[DIFF_BEFORE].value_ns, after = p->sides[DIFF_AFTER].value_ns;
  objects_add(rows);
  object_text(rows, "percentile", d->wanted.data[i].text);
  object_words(rows, "percentile", "p%s", d->wanted.data[i].text);
  object_ns(rows, "before_ns", (int64_t)before);
  object_ns(rows, "after_ns", (int64_t)after);
  object_ns(rows, "change_ns", (int64_t)after - (int64_t)before);
  if (p->settled) {
    object_mean(rows, "least_ns", p->least);
    object_mean(rows, "most_ns", p->most);
  }
  object_text(rows, "verdict", percentile_verdict(p));
}

static void put_mean(struct objects *rows, const struct trace_diff *d) {
  objects_add(rows);
  object_shown(rows, SHOWN_PEOPLE);
  object_words(rows, "percentile", "mean");
  put_change(rows, &d->report.latency);
  object_words(rows, "verdict", "%s",
               d->report.slower   ? "slower"
               : d->report.faster ? "faster"
                                  : "no difference shown");
}

static void show_percentiles(struct document *document, const struct trace_diff *d) {
  static const struct object_column columns[] = {
      {.title = "latency", .key = "percentile"},
      {.title = "before", .align = TABLE_RIGHT, .key = "before_ns"},
      {.title = "after", .align = TABLE_RIGHT, .key = "after_ns"},
      {.title = "change", .align = TABLE_RIGHT, .key = "change_ns"},
      {.align = TABLE_RIGHT, .form = COLUMN_RANGE, .key = "least_ns", .to = "most_ns"},
      {.title = "", .key = "verdict"},
  };
  document_section(document, "latency", "Latency");
  struct objects *rows = document_objects(document, &percentile_kind);
  put_mean(rows, d);
  for (size_t i = 0; i < d->percentiles.count; i++)
    put_percentile(rows, d, i);
  document_table(document, LINES_APART, 2, rows, columns, sizeof columns / sizeof *columns);
  document_column_title(document, 4, "%g %% interval", 100 * (1 - d->level));
}

/* --- roots ------------------------------------------------------------------------------------ */

static void put_root(struct objects *roots, const struct trace_diff *d,
                     const struct diff_root *root) {
  const char *service = names_text(&d->store.names, root->service);
  const char *operation = names_text(&d->store.names, root->operation);
  objects_add(roots);
  object_text(roots, "service", service);
  object_text(roots, "operation", operation);
  object_words(roots, "operation", "%s/%s", service, operation);
  object_count(roots, "before", root->counts[DIFF_BEFORE]);
  object_count(roots, "after", root->counts[DIFF_AFTER]);
  if (root->compared)
    put_change(roots, &root->difference);
  put_flag(roots, d, root->significant);
  if (root->counts[DIFF_BEFORE] == 0 || root->counts[DIFF_AFTER] == 0)
    object_words(roots, "significant", "%s",
                 root->counts[DIFF_BEFORE] == 0 ? "only after" : "only before");
}

static void show_roots(struct document *document, const struct trace_diff *d) {
  static const struct object_column columns[] = {
      {.title = "root", .key = "operation"},
      {.title = "before", .align = TABLE_RIGHT, .key = "before"},
      {.title = "after", .align = TABLE_RIGHT, .key = "after"},
      {.title = "change", .align = TABLE_RIGHT, .key = "change_ns"},
      {.align = TABLE_RIGHT, .form = COLUMN_RANGE, .key = "least_ns", .to = "most_ns"},
      {.title = "beyond chance", .key = "significant"},
  };
  if (d->roots.count == 0)
    return;
  struct text text;
  text_init(&text);
  document_section(document, "roots", "Root by root");
  struct objects *roots = document_objects(document, &root_kind);
  for (size_t i = 0; i < d->roots.count; i++) {
    put_root(roots, d, &d->roots.data[i]);
    object_shown(roots, i < SHOWN_ROOTS ? SHOWN_ALWAYS : SHOWN_FULL);
  }
  document_table(document, LINES_APART, 2, roots, columns, sizeof columns / sizeof *columns);
  document_column_title(document, 4, "%g %% interval", 100 * (1 - d->level));
  trace_diff_mix_say(&text, d);
  document_take(document, LINES_APART, 2, &text);
  text_clear(&text);
}

/* --- services and causes ---------------------------------------------------------------------- */

static const char *where_word(const struct tail_service *service) {
  return service->way ? "way to" : "in";
}

static const struct tail_service *service_of(const struct trace_diff *d, uint32_t index) {
  return &d->causes.services.data[index];
}

/* What is named, and what else makes up much of the change; or the largest when none is named. */
static bool is_large(const struct trace_diff *d, size_t place, size_t most,
                     const struct tail_difference *difference, bool significant) {
  double latency = fabs(d->report.latency.difference), size = fabs(difference->difference);
  return place < most && size > 0 &&
         (significant || size >= SHOWN_SHARE * latency ||
          (d->report.named + d->report.significant == 0 && size >= latency / 100));
}

static void put_services(struct document *document, const struct trace_diff *d) {
  struct objects *services = document_objects(document, &service_kind);
  for (size_t i = 0; i < d->report.services.count; i++) {
    const struct tail_service_finding *finding = &d->report.services.data[i];
    objects_add(services);
    object_text(services, "name", service_of(d, finding->service)->name);
    object_text(services, "where", where_word(service_of(d, finding->service)));
    object_count(services, "causes", finding->causes);
    put_change(services, &finding->difference);
    put_reading(services, d, finding->significant, d->services_too[i]);
  }
}

/* A line above the causes of a service. */
static void put_service_line(struct objects *causes, const struct trace_diff *d, size_t number) {
  const struct tail_service_finding *finding = &d->report.services.data[number];
  const struct tail_service *service = service_of(d, finding->service);
  objects_add(causes);
  object_shown(causes, SHOWN_PEOPLE);
  object_words(causes, "name", "%s%s", service->way ? "the way to " : "", service->name);
  put_change(causes, &finding->difference);
  put_reading(causes, d, finding->significant, d->services_too[number]);
}

static void put_cause(struct objects *causes, const struct trace_diff *d, size_t number,
                      bool alone) {
  const struct tail_finding *finding = &d->report.findings.data[number];
  const struct tail_cause *cause = &d->causes.causes.data[finding->cause];
  objects_add(causes);
  object_text(causes, "name", cause->name);
  object_words(causes, "name", "%s%s%s", alone ? "" : INDENT, cause->name,
               tail_cause_where(cause->kind));
  object_text(causes, "of",
              cause->kind == CAUSE_NETWORK ? "network"
              : cause->kind == CAUSE_QUEUE ? "queue"
                                           : "work");
  object_text(causes, "service", service_of(d, cause->service)->name);
  object_text(causes, "where", where_word(service_of(d, cause->service)));
  put_change(causes, &finding->difference);
  put_reading(causes, d, finding->significant, d->either_way[number]);
}

static void put_causes_of(struct objects *causes, const struct trace_diff *d, size_t number,
                          bool shown) {
  const struct tail_service_finding *service = &d->report.services.data[number];
  bool alone = service->causes == 1;
  size_t place = 0;
  if (shown && !alone)
    put_service_line(causes, d, number);
  for (size_t i = 0; i < d->report.findings.count; i++) {
    const struct tail_finding *finding = &d->report.findings.data[i];
    if (d->causes.causes.data[finding->cause].service != service->service)
      continue;
    put_cause(causes, d, i, alone);
    if (!shown || (!alone && !is_large(d, place++, SHOWN_IN_SERVICE, &finding->difference,
                                       finding->significant)))
      object_shown(causes, SHOWN_FULL);
  }
}

/* What is not shown changes by so much together. */
static void put_remainder(struct objects *causes, const struct trace_diff *d, double shown) {
  double left = d->report.latency.difference - shown;
  if (fabs(left) < 1)
    return;
  objects_add(causes);
  object_shown(causes, SHOWN_BRIEF);
  object_words(causes, "name", "further causes");
  object_mean(causes, "change_ns", left);
}

static void show_causes(struct document *document, const struct trace_diff *d) {
  static const struct object_column columns[] = {
      {.title = "on the critical path", .key = "name"},
      {.title = "before", .align = TABLE_RIGHT, .key = "before_ns"},
      {.title = "after", .align = TABLE_RIGHT, .key = "after_ns"},
      {.title = "change", .align = TABLE_RIGHT, .key = "change_ns"},
      {.align = TABLE_RIGHT, .form = COLUMN_RANGE, .key = "least_ns", .to = "most_ns"},
      {.title = "beyond chance", .key = "significant"},
  };
  document_section(document, "causes", "What accounts for it");
  struct objects *causes = document_objects(document, &cause_kind);
  double sum = 0;
  for (size_t i = 0; i < d->report.services.count; i++) {
    const struct tail_service_finding *finding = &d->report.services.data[i];
    bool shown = is_large(d, i, SHOWN_SERVICES, &finding->difference, finding->significant);
    put_causes_of(causes, d, i, shown);
    sum += shown ? finding->difference.difference : 0;
  }
  put_remainder(causes, d, sum);
  document_table(document, LINES_APART, 2, causes, columns, sizeof columns / sizeof *columns);
  document_column_title(document, 4, "%g %% interval", 100 * (1 - d->level));
}

/* --- calls and flows -------------------------------------------------------------------------- */

static void put_sides(struct objects *parts, const struct trace_diff *d,
                      const struct diff_part *part, size_t place) {
  static const char *const keys[] = {"before", "after"};
  for (size_t side = 0; side < DIFF_SIDES; side++) {
    object_count(parts, keys[side], part->counts[side]);
    object_words(parts, keys[side], "%.1f %%",
                 100 * (double)part->counts[side] / (double)d->counts[side]);
  }
  object_number(parts, "by_chance", part->by_chance);
  object_words(parts, "by_chance", "%s%.2g", part->by_chance < 1e-99 ? "below " : "",
               fmax(part->by_chance, 1e-99));
  object_shown(parts, place < SHOWN_PARTS ? SHOWN_ALWAYS : SHOWN_FULL);
}

static void show_calls(struct document *document, const struct trace_diff *d) {
  static const struct object_column columns[] = {
      {.title = "call", .key = "operation"},
      {.title = "of those before", .align = TABLE_RIGHT, .key = "before"},
      {.title = "of those after", .align = TABLE_RIGHT, .key = "after"},
      {.title = "by chance", .align = TABLE_RIGHT, .key = "by_chance"},
  };
  if (d->calls.count == 0)
    return;
  document_section(document, "calls", "Calls that more requests of one side make");
  document_say(document, LINES_APART,
               "Calls that more requests of one side make (%zu tried):", d->calls_tried);
  struct objects *calls = document_objects(document, &call_kind);
  for (size_t i = 0; i < d->calls.count; i++) {
    const struct diff_part *part = &d->calls.data[i];
    const char *service = names_text(&d->store.names, part->service);
    const char *operation = names_text(&d->store.names, part->operation);
    objects_add(calls);
    object_text(calls, "service", service);
    object_text(calls, "operation", operation);
    object_words(calls, "operation", "%s/%s", service, operation);
    put_sides(calls, d, part, i);
  }
  document_table(document, LINES_CLOSE, 4, calls, columns, sizeof columns / sizeof *columns);
}

static void show_flows(struct document *document, const struct trace_diff *d) {
  static const struct object_column columns[] = {
      {.title = "flow", .align = TABLE_RIGHT, .key = "flow"},
      {.title = "root", .key = "root"},
      {.title = "calls", .align = TABLE_RIGHT, .key = "calls"},
      {.title = "of those before", .align = TABLE_RIGHT, .key = "before"},
      {.title = "of those after", .align = TABLE_RIGHT, .key = "after"},
      {.title = "by chance", .align = TABLE_RIGHT, .key = "by_chance"},
  };
  if (d->flows.count == 0)
    return;
  document_section(document, "flows", "Flows that more requests of one side have");
  document_say(document, LINES_APART,
               "Flows that more requests of one side have (%zu tried):", d->flows_tried);
  struct objects *flows = document_objects(document, &flow_kind);
  for (size_t i = 0; i < d->flows.count; i++) {
    const struct diff_part *part = &d->flows.data[i];
    struct text root;
    text_init(&root);
    text_format(&root, "%s/%s", names_text(&d->store.names, part->service),
                names_text(&d->store.names, part->operation));
    objects_add(flows);
    object_count(flows, "flow", part->flow + 1);
    object_text(flows, "root", text_get(&root));
    object_count(flows, "calls", d->graph.flows.data[part->flow]->calls.count);
    put_sides(flows, d, part, i);
    text_clear(&root);
  }
  document_table(document, LINES_CLOSE, 4, flows, columns, sizeof columns / sizeof *columns);
}

/* --- all of it -------------------------------------------------------------------------------- */

static void say(struct document *document, void (*what)(struct text *, const struct trace_diff *),
                const struct trace_diff *d) {
  struct text text;
  text_init(&text);
  what(&text, d);
  document_take(document, LINES_APART, 2, &text);
  text_clear(&text);
}

void trace_diff_document(struct document *document, const struct trace_diff *d,
                         const struct document_page *page) {
  document_init(document, "trace diff", trace_diff_kinds);
  document_title(document, "What changed between two recordings");
  document_made(document, page);
  say(document, trace_diff_sides_say, d);
  say(document, trace_diff_verdict_say, d);
  show_percentiles(document, d);
  show_roots(document, d);
  put_services(document, d);
  show_causes(document, d);
  show_calls(document, d);
  show_flows(document, d);
  put_summary(document, d);
  document_ledger(document, &d->ledger);
}
