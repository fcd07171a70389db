/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The verdict of one bound as a part of a document (verify.h).
 */
#include <math.h>
#include <string.h>

#include "cli/present/execution.h"
#include "cli/present/explain.h"
#include "cli/present/verify.h"
#include "solver/search/scope.h"
#include "solver/verify.h"

/* --- the kind --------------------------------------------------------------------------------- */

static const struct object_key scope_keys[] = {KEY("scope", MAP, .marks = MARK_NAMES | MARK_INLINE),
                                               {0}};
static const struct object_kind scope_kind = {"scope", NULL, scope_keys};

static const struct object_key spare_keys[] = {
    KEY("term", TEXT, .marks = MARK_NAMES), KEY("charged", FLAG), KEY("decided", FLAG), {0}};
static const struct object_kind spare_kind = {"spare", NULL, spare_keys};

static const struct object_key bound_keys[] = {
    KEY("file", TEXT, .marks = MARK_NAMES),
    KEY("protocol", TEXT, .marks = MARK_NAMES),
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("verdict", TEXT, .words = "proved|refuted|unknown"),
    KEY("obligations", COUNT),
    KEY("failed", COUNT),
    KEY("seconds", SECONDS),
    KEY("reused", FLAG, .note = "by an earlier proof"),
    KEY("obligations_reused", COUNT, .note = "proved by an earlier verification"),
    KEY("obligations_asked", COUNT, .note = "of which the solver was asked this time"),
    KEY("reached.scope", MAP, .marks = MARK_MAYBE | MARK_OUTER_NULL,
        .note = "parameters that are integers"),
    KEY("reached.steps", COUNT, .marks = MARK_MAYBE),
    KEY("tight", FLAG, .note = "for plain `tight`"),
    KEY("tightness.text", TEXT, .marks = MARK_MAYBE, .note = "of a proved bound"),
    KEY("tightness.attained", OBJECTS, .marks = MARK_MAYBE, .objects = &scope_kind),
    KEY("tightness.not_attained", OBJECTS, .marks = MARK_MAYBE, .objects = &scope_kind),
    KEY("tightness.not_decided", OBJECTS, .marks = MARK_MAYBE, .objects = &scope_kind),
    KEY("tightness.not_needed", OBJECTS, .marks = MARK_MAYBE, .objects = &spare_kind),
    KEY("never_later", FLAG, .marks = MARK_MAYBE,
        .note = "true of a proved bound `from` a message of which no execution was found in which "
                "the event comes later"),
    KEY("target", TEXT),
    KEY("expression", TEXT, .marks = MARK_NULL),
    KEY("median_ms", NUMBER, .marks = MARK_MAYBE),
    KEY("worst_ms", NUMBER, .marks = MARK_MAYBE, .note = "times of one obligation"),
    KEY("worst", TEXT, .marks = MARK_MAYBE, .note = "the slowest"),
    KEY("reason", TEXT, .marks = MARK_MAYBE, .note = "this and what follows of an unknown one"),
    KEY("open", TEXT, .marks = MARK_MAYBE | MARK_LINES,
        .note = "every goal not proved, a line each"),
    KEY("line", COUNT, .marks = MARK_MAYBE),
    KEY("column", COUNT, .marks = MARK_MAYBE),
    KEY("induction", TEXT, .marks = MARK_MAYBE | MARK_LINES),
    KEY("scopes", TEXT, .marks = MARK_MAYBE),
    KEY("hint", TEXT, .marks = MARK_MAYBE),
    KEYS_OF_EXPLANATION,
    KEY("counterexample.scope", MAP, .marks = MARK_MAYBE, .note = "refuted"),
    KEY("counterexample.time_ns", DECIMAL, .marks = MARK_MAYBE),
    KEY("counterexample.bound_ns", DECIMAL, .marks = MARK_MAYBE),
    KEYS_OF_EXECUTION("counterexample."),
    KEY("scope", MAP, .marks = MARK_MAYBE,
        .note = "these of an execution that shows why it is unknown"),
    KEYS_OF_EXECUTION(""),
    {0}};
const struct object_kind bound_kind = {"bound", NULL, bound_keys};

/* --- for programs ----------------------------------------------------------------------------- */

void scope_put(struct objects *objects, const char *key, const struct model *model,
               const int64_t *scope) {
  object_map(objects, key);
  for (size_t i = 0; i < model->params.count; i++)
    object_pair_integer(objects, key, model->params.items[i]->name, scope[i]);
}

static void put_scopes(struct objects *objects, const char *key, const struct model *model,
                       const struct tightness *t, enum tight_outcome outcome) {
  struct objects *list = object_list(objects, key);
  for (size_t i = 0; i < t->scopes.count; i++) {
    if (t->scopes.data[i].outcome != outcome)
      continue;
    objects_add(list);
    scope_put(list, "scope", model, t->scopes.data[i].values);
    if (t->scopes.data[i].numbered)
      object_pair_integer(list, "scope", t->number, t->scopes.data[i].number);
  }
}

static void put_tightness(struct objects *objects, const struct bound_report *r,
                          const struct model *model) {
  const struct tightness *t = &r->tightness;
  struct text text;
  text_init(&text);
  tightness_print(&text, model, t);
  object_text(objects, "tightness.text", text_get(&text));
  text_clear(&text);
  put_scopes(objects, "tightness.attained", model, t, TIGHT_ATTAINED);
  put_scopes(objects, "tightness.not_attained", model, t, TIGHT_MISSED);
  put_scopes(objects, "tightness.not_decided", model, t, TIGHT_UNDECIDED);
  struct objects *spare = object_list(objects, "tightness.not_needed");
  for (size_t i = 0; i < t->spare.count; i++) {
    objects_add(spare);
    object_text(spare, "term", t->spare.data[i].label);
    object_flag(spare, "charged", t->spare.data[i].charged);
    object_flag(spare, "decided", t->spare.data[i].decided);
  }
  object_flag(objects, "never_later", r->never_later);
}

static void put_unless_null(struct objects *objects, const char *key, const char *text) {
  if (text != NULL)
    object_text(objects, key, text);
}

static void put_unknown(struct objects *objects, const struct bound_report *r,
                        const struct source *source) {
  put_unless_null(objects, "reason", r->reason);
  put_unless_null(objects, "open", r->open);
  if (r->place.end != 0) {
    struct place place = source_place(source, r->place.start);
    object_count(objects, "line", place.line);
    object_count(objects, "column", place.column);
  }
  put_unless_null(objects, "induction", r->induction);
  put_unless_null(objects, "scopes", r->scopes);
  put_unless_null(objects, "hint", r->hint);
}

static void put_execution(struct objects *objects, const struct bound_report *r,
                          const struct model *model) {
  if (r->verdict == VERDICT_REFUTED) {
    scope_put(objects, "counterexample.scope", model, r->counter_scope);
    object_text(objects, "counterexample.time_ns", r->time);
    object_text(objects, "counterexample.bound_ns", r->limit);
    execution_put(objects, "counterexample.", r->execution);
  } else if (r->execution != NULL) {
    scope_put(objects, "scope", model, r->counter_scope);
    execution_put(objects, "", r->execution);
  }
}

/* To the microsecond. */
static double milliseconds(double seconds) {
  return round(seconds * 1e6) / 1e3;
}

static void put_bound(struct objects *objects, const struct bound_report *r,
                      const struct model *model, const struct source *source) {
  objects_add(objects);
  object_text(objects, "file", source->name);
  object_text(objects, "protocol", model->name);
  object_text(objects, "name", r->bound->name);
  object_text(objects, "verdict", verdict_name(r->verdict));
  object_count(objects, "obligations", r->obligations);
  object_count(objects, "failed", r->failed);
  object_number(objects, "seconds", r->seconds);
  object_flag(objects, "reused", r->reused);
  object_count(objects, "obligations_reused", r->obligations_reused);
  object_count(objects, "obligations_asked", r->obligations_asked);
  if (r->reached) {
    scope_put(objects, "reached.scope", model, r->scope);
    object_count(objects, "reached.steps", r->reached_steps);
  }
  object_flag(objects, "tight", r->tight);
  if (r->verdict == VERDICT_PROVED)
    put_tightness(objects, r, model);
  object_text(objects, "target", r->bound->target_text);
  object_text(objects, "expression", r->bound->expression_text);
  if (r->worst != NULL) {
    object_number(objects, "median_ms", milliseconds(r->median_seconds));
    object_number(objects, "worst_ms", milliseconds(r->worst_seconds));
    object_text(objects, "worst", r->worst);
  }
  if (r->verdict == VERDICT_UNKNOWN)
    put_unknown(objects, r, source);
  if (r->explanation != NULL)
    explanation_put(objects, r->explanation, model);
  put_execution(objects, r, model);
}

/* --- for people ------------------------------------------------------------------------------- */

/* A sentence of its own line, further ones deeper. */
static void say(struct document *document, enum lines lines, size_t indent, size_t hang,
                struct text *text) {
  if (text->length == 0)
    return;
  document_take(document, lines, indent, text);
  document_hang(document, hang);
}

/* Of a refutation, or of what shows why the bound is unknown. */
static void say_execution(struct document *document, const struct bound_report *r,
                          const struct model *model) {
  bool known = parameters_exist(model, &r->execution->constants);
  struct text scope, text;
  text_init(&scope);
  text_init(&text);
  parameters_print(&scope, model, r->counter_scope, &r->execution->constants);
  if (r->verdict == VERDICT_REFUTED)
    text_format(&text,
                "An execution with %s in which it takes %s ns, the bound being %s ns:", scope.data,
                r->time, r->limit);
  else
    text_format(&text, "An execution%s%s that shows it:", known ? " with " : "",
                known ? scope.data : "");
  say(document, LINES_APART, 2, 0, &text);
  execution_show(document, r->execution);
  text_clear(&scope);
}

/* How the verdict came about. */
static void append_proof(struct text *text, const struct bound_report *r,
                         const struct model *model) {
  text_format(text, "%zu obligations", r->obligations);
  if (r->failed != 0)
    text_format(text, ", %zu not proved", r->failed);
  text_format(text, ", %.2f s", r->seconds);
  if (r->reached) {
    text_append(text, ", reached with ");
    scope_print(text, model, r->scope);
    text_format(text, " in %zu steps", r->reached_steps);
  }
}

static void say_numbers(struct document *document, const struct bound_report *r,
                        const struct model *model, bool full) {
  struct text text;
  text_init(&text);
  if (r->verdict == VERDICT_PROVED)
    tightness_print(&text, model, &r->tightness);
  else if (r->failed != 0 && !full)
    text_format(&text, "%zu of %zu obligations not proved", r->failed, r->obligations);
  if (full) {
    text_append(&text, text.length == 0 ? "" : "; ");
    append_proof(&text, r, model);
  }
  say(document, LINES_CLOSE, 4, 0, &text);
}

/* The reason names the first. */
static void say_open(struct document *document, const struct bound_report *r, bool all) {
  struct text text;
  if (r->open == NULL || r->failed < 2)
    return;
  text_init(&text);
  if (all)
    text_append(&text, "    open goals:\n");
  else
    text_format(&text, "    --all-goals lists the %zu goals that are open\n", r->failed);
  for (const char *at = r->open; all && *at != '\0'; at += strcspn(at, "\n") + 1)
    text_format(&text, "      %.*s\n", (int)strcspn(at, "\n"), at);
  document_pre(document, LINES_CLOSE, &text);
}

static void say_induction(struct document *document, const struct bound_report *r) {
  struct text text;
  if (r->induction == NULL)
    return;
  document_say(document, LINES_APART,
               "The induction fails here (the first state need not be reachable; then an "
               "invariant is missing):");
  text_init(&text);
  text_format(&text, "%s\n", r->induction);
  document_pre(document, LINES_APART, &text);
}

static void say_search(struct document *document, const struct bound_report *r) {
  struct text text;
  text_init(&text);
  if (r->worst != NULL)
    text_format(&text, "The obligations took %.1f ms (median) to %.1f ms: %s",
                r->median_seconds * 1e3, r->worst_seconds * 1e3, r->worst);
  say(document, LINES_CLOSE, 2, 2, &text);
  if (r->scopes != NULL)
    text_format(&text, "A counterexample to induction was looked for with %s", r->scopes);
  say(document, LINES_CLOSE, 2, 2, &text);
  if (r->hint != NULL)
    text_format(&text, "What might help: in that state %s", r->hint);
  say(document, LINES_CLOSE, 2, 2, &text);
}

/* "    TARGET within EXPRESSION", which may be long. */
static void say_claim(struct document *document, const struct bound *bound) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s within %s", bound->target_text,
              bound->expression_text == NULL ? "?" : bound->expression_text);
  document_code(document, 4, &text);
  document_hang(document, 4);
}

static void say_head(struct document *document, const struct bound_report *r,
                     const struct source *source) {
  static const enum status statuses[] = {STATUS_OK, STATUS_REFUTED, STATUS_UNKNOWN};
  struct text about;
  text_init(&about);
  text_format(&about, "%s: %s", source->name, r->bound->name);
  document_head(document, LINES_CLOSE, statuses[r->verdict], about.data, verdict_name(r->verdict),
                r->verdict == VERDICT_UNKNOWN ? r->reason : "");
  text_clear(&about);
}

/* Of sent N from M it is M that can be sent from N, when it comes later. */
static void say_order(struct document *document, const struct bound_report *r) {
  const struct bound *b = r->bound;
  struct text text;
  if (!r->never_later)
    return;
  text_init(&text);
  text_append(&text, "warning: in no execution that was tried it comes later than what it counts "
                     "from; so the bound says nothing of how long anything takes");
  say(document, LINES_CLOSE, 4, 0, &text);
  if (b->target != TARGET_WHEN)
    text_format(&text, "if it comes first, write: from sent %s(..) sent %s(..) within ..",
                b->message->name, b->from->name);
  else
    text_append(&text, "write behind \"from\" what comes first");
  say(document, LINES_CLOSE, 4, 0, &text);
}

static void say_place(struct document *document, const struct bound_report *r,
                      const struct source *source) {
  struct text text;
  if (r->verdict != VERDICT_UNKNOWN || r->place.end == 0)
    return;
  struct place place = source_place(source, r->place.start);
  text_init(&text);
  text_format(&text, "    the place is %s:%zu:%zu\n", source->name, place.line, place.column);
  document_pre(document, LINES_CLOSE, &text);
}

static void say_all(struct document *document, const struct bound_report *r,
                    const struct model *model, const struct source *source,
                    const struct report_style *style) {
  say_head(document, r, source);
  say_claim(document, r->bound);
  say_place(document, r, source);
  say_numbers(document, r, model, style->full);
  say_order(document, r);
  if (r->execution != NULL)
    say_execution(document, r, model);
  if (r->verdict == VERDICT_UNKNOWN) {
    say_open(document, r, style->all_goals);
    say_induction(document, r);
  }
  if (style->explain)
    say_search(document, r);
  if (r->explanation != NULL)
    explanation_show(document, r, model);
}

void bound_show(struct document *document, const struct bound_report *r, const struct model *model,
                const struct source *source, const struct report_style *style) {
  if (!style->brief || style->full || r->verdict != VERDICT_PROVED) {
    say_all(document, r, model, source, style);
  } else {
    say_head(document, r, source);
    say_order(document, r);
  }
  put_bound(document_objects(document, &bound_kind), r, model, source);
}
