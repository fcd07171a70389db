/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounds by phases: the phases, their obligations as hypotheses, and theorems that are instances of
 * proofs/theory/Phases.v. */
#include "solver/theory/printing.h"

static size_t phase_count(const struct theory_printing *p) {
  return p->proof->properties.phase_count;
}

static const struct phase *phase_at(const struct theory_printing *p, size_t k) {
  return p->coq.model->phases.items[k];
}

/* The invariants of a phase, and what they are called. */
struct during {
  size_t count;
  const struct property **properties;
  const char **names;
};

static const char *phase_name(struct theory_printing *p, size_t k) {
  return coq_phase_name(&p->coq, phase_at(p, k));
}

static struct during during_of(struct theory_printing *p, size_t k) {
  const struct properties *all = &p->proof->properties;
  struct during during = {
      .properties = arena_alloc(&p->coq.arena, all->items.count, sizeof *during.properties),
      .names = arena_alloc(&p->coq.arena, all->items.count, sizeof *during.names)};
  for (size_t i = 0; i < all->items.count; i++) {
    const struct property *property = &all->items.data[i];
    if (property->phase != phase_at(p, k))
      continue;
    during.properties[during.count] = property;
    during.names[during.count++] = coq_during_name(&p->coq, property->phase, property->name);
  }
  return during;
}

/* --- obligations ------------------------------------------------------------------------------ */

/* "Hypothesis PREFIXNAME : KIND_obligation unit the_protocol OF." of the queries that show it. */
static void ask(struct theory_printing *p, const struct obligation *o, const char *prefix,
                const char *name, const char *kind, const char *of) {
  struct text said, whole, proposition;
  text_init(&said);
  text_init(&whole);
  text_init(&proposition);
  obligation_print(&said, o);
  text_format(&whole, "%s%s", prefix, name);
  text_format(&proposition, "%s_obligation unit the_protocol %s", kind, of);
  printing_hypothesis(p, text_get(&said), text_get(&whole), text_get(&proposition));
  text_clear(&said);
  text_clear(&whole);
  text_clear(&proposition);
}

/* Of each invariant of the phase: its start gives it; or (with an action) the action keeps it. */
static void ask_invariants(struct theory_printing *p, size_t k, const struct action *action) {
  struct during during = during_of(p, k);
  struct text of, prefix;
  text_init(&of);
  text_init(&prefix);
  const char *acting = action == NULL ? "" : p->coq.names[COQ_ACTION][action->id];
  text_format(&prefix, "%s%s%s", action == NULL ? "enter_" : "stay_", acting,
              action == NULL ? "" : "_");
  for (size_t i = 0; i < during.count; i++) {
    struct obligation o = {.kind = action == NULL ? OBLIGATION_ENTER : OBLIGATION_STEP,
                           .action = action,
                           .phase = phase_at(p, k),
                           .property = during.properties[i]};
    text_clear(&of);
    text_format(&of, "invariants phases %s %s%s%s", phase_name(p, k), acting,
                action == NULL ? "" : " ", during.names[i]);
    ask(p, &o, prefix.data, during.names[i], action == NULL ? "enter" : "stay", of.data);
  }
  text_clear(&of);
  text_clear(&prefix);
}

static void ask_ends(struct theory_printing *p, size_t k) {
  struct text of;
  text_init(&of);
  text_format(&of, "invariants phases %s", phase_name(p, k));
  const struct phase *phase = phase_at(p, k);
  ask(p, &(struct obligation){.kind = OBLIGATION_END, .phase = phase}, "end_", phase_name(p, k),
      "end", of.data);
  if (k + 1 < phase_count(p))
    ask(p,
        &(struct obligation){
            .kind = OBLIGATION_HANDOVER, .phase = phase, .next = phase_at(p, k + 1)},
        "handover_", phase_name(p, k), "handover", of.data);
  text_clear(&of);
}

static void ask_start(struct theory_printing *p) {
  const struct phase *first = phase_at(p, 0);
  if (first->start == NULL) /* there is nothing to ask, which Coq sees */
    text_append(p->coq.out, "Definition starts : start_obligation unit the_protocol phases :=\n"
                            "  starts_anyhow unit the_protocol phases eq_refl.\n");
  else
    ask(p, &(struct obligation){.kind = OBLIGATION_START, .phase = first}, "starts", "", "start",
        "phases");
}

/* --- all of a kind ---------------------------------------------------------------------------- */

/* "Definition NAME : each (length phases) (...) := (conj ... )." */
static void define_all(struct theory_printing *p, const char *name, const char *proposition,
                       const char *prefix, const char *const *names, size_t count,
                       const char *suffix) {
  text_format(p->coq.out, "Definition %s : %s :=\n  ", name, proposition);
  printing_conjunction(p->coq.out, prefix, names, count, suffix);
  text_append(p->coq.out, ".\n");
}

static const char **phase_names(struct theory_printing *p) {
  const char **names = arena_alloc(&p->coq.arena, phase_count(p), sizeof *names);
  for (size_t k = 0; k < phase_count(p); k++)
    names[k] = phase_name(p, k);
  return names;
}

static void define_stays(struct theory_printing *p, size_t k) {
  struct during during = during_of(p, k);
  struct text name, proposition, prefix;
  text_init(&name);
  text_init(&proposition);
  text_init(&prefix);
  size_t actions = p->coq.model->actions.count;
  const char *const *acting = p->coq.names[COQ_ACTION];
  for (size_t a = 0; a < actions; a++) {
    text_clear(&name);
    text_clear(&proposition);
    text_clear(&prefix);
    text_format(&name, "stays_%s_%s", acting[a], phase_name(p, k));
    text_format(&proposition,
                "each (length (during (phase_at phases %s)))\n"
                "  (stay_obligation unit the_protocol invariants phases %s %s)",
                phase_name(p, k), phase_name(p, k), acting[a]);
    text_format(&prefix, "stay_%s_", acting[a]);
    define_all(p, name.data, proposition.data, prefix.data, during.names, during.count, "");
  }
  text_clear(&name);
  text_clear(&proposition);
  text_format(&name, "stays_%s", phase_name(p, k));
  text_format(&proposition,
              "each (length (actions the_protocol)) (fun a =>\n"
              "  each (length (during (phase_at phases %s)))"
              " (stay_obligation unit the_protocol invariants phases %s a))",
              phase_name(p, k), phase_name(p, k));
  struct text suffix;
  text_init(&suffix);
  text_format(&suffix, "_%s", phase_name(p, k));
  define_all(p, name.data, proposition.data, "stays_", acting, actions, suffix.data);
  text_clear(&suffix);
  text_clear(&name);
  text_clear(&proposition);
  text_clear(&prefix);
}

static void define_enters(struct theory_printing *p, size_t k) {
  struct during during = during_of(p, k);
  struct text name, proposition;
  text_init(&name);
  text_init(&proposition);
  text_format(&name, "enters_%s", phase_name(p, k));
  text_format(&proposition,
              "each (length (during (phase_at phases %s)))\n"
              "  (enter_obligation unit the_protocol invariants phases %s)",
              phase_name(p, k), phase_name(p, k));
  define_all(p, name.data, proposition.data, "enter_", during.names, during.count, "");
  text_clear(&name);
  text_clear(&proposition);
}

void printing_phase_hypotheses(struct theory_printing *p) {
  if (phase_count(p) == 0)
    return;
  text_append(p->coq.out, "\n");
  ask_start(p);
  for (size_t k = 0; k < phase_count(p); k++) {
    text_append(p->coq.out, "\n");
    ask_invariants(p, k, NULL);
    for (size_t a = 0; a < p->coq.model->actions.count; a++)
      ask_invariants(p, k, p->coq.model->actions.items[a]);
    ask_ends(p, k);
    define_enters(p, k);
    define_stays(p, k);
  }
  const char **names = phase_names(p);
  size_t count = phase_count(p);
  define_all(p, "entered",
             "each (length phases) (fun k => each (length (during (phase_at phases k)))\n"
             "  (enter_obligation unit the_protocol invariants phases k))",
             "enters_", names, count, "");
  define_all(p, "stayed", "stays unit the_protocol invariants phases", "stays_", names, count, "");
  define_all(p, "ended",
             "each (length phases) (end_obligation unit the_protocol invariants phases)", "end_",
             names, count, "");
  define_all(p, "handed_over",
             "each (pred (length phases)) (handover_obligation unit the_protocol invariants "
             "phases)",
             "handover_", names, count - 1, "");
}

/* --- a bound ---------------------------------------------------------------------------------- */

void printing_by_phases(struct theory_printing *p, const struct property *property) {
  const struct bound *bound = property->bound;
  size_t count = phase_count(p);
  struct text b, of, prefix;
  text_init(&b);
  text_init(&of);
  text_init(&prefix);
  text_append(&b, "b_");
  coq_append_name(&b, bound->name);
  text_format(&prefix, "early_%s_", b.data);
  text_append(p->coq.out, "\n");
  for (size_t k = 0; k < count; k++) {
    text_clear(&of);
    text_format(&of, "invariants phases %s %s", b.data, phase_name(p, k));
    struct obligation o = {.kind = OBLIGATION_EARLY, .phase = phase_at(p, k), .bound = bound};
    ask(p, &o, prefix.data, phase_name(p, k), "early", of.data);
  }
  text_clear(&of);
  text_format(&of, "invariants phases %s", b.data);
  ask(p,
      &(struct obligation){
          .kind = OBLIGATION_TARGET, .phase = phase_at(p, count - 1), .bound = bound},
      "target_", b.data, "target", of.data);
  text_clear(&of);
  text_format(&of, "phases %s", b.data);
  ask(p, &(struct obligation){.kind = OBLIGATION_TOTAL, .bound = bound}, "total_", b.data, "total",
      of.data);
  printing_statement(p, bound);
  text_format(p->coq.out,
              "  exact (bound_by_phases_from_obligations unit the_protocol follow invariants phases"
              " %s eq_refl\n    eq_refl initially steps once starts entered stayed ended"
              " handed_over\n    ",
              b.data);
  printing_conjunction(p->coq.out, prefix.data, phase_names(p), count, "");
  text_format(p->coq.out, "\n    target_%s total_%s).\nQed.\n", b.data, b.data);
  text_clear(&b);
  text_clear(&of);
  text_clear(&prefix);
}
