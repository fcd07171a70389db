/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file: the protocol, its invariants, the obligations as hypotheses with the digests of their
 * queries, and a theorem for each bound, which is an instance of proofs/theory/Corollary.v. */
#include <stdlib.h>
#include <string.h>

#include "solver/encode/transition.h"
#include "solver/theory/printing.h"
#include "solver/theory/theory.h"

static void write_name(struct theory_printing *p, size_t index) {
  struct text text;
  text_init(&text);
  text_append(&text, "i_");
  coq_append_name(&text, p->invariants.data[index]->name);
  for (size_t i = 0; i < index; i++)
    if (strcmp(p->names[i], text.data) == 0) {
      text_format(&text, "_%zu", index);
      i = (size_t)-1;
    }
  p->names[index] = arena_copy(&p->coq.arena, text.data, text.length + 1, 1);
  text_clear(&text);
}

static void collect_invariants(struct theory_printing *p) {
  const struct properties *all = &p->proof->properties;
  for (size_t i = 0; i < all->items.count; i++) {
    const struct property *property = &all->items.data[i];
    if (property->kind != PROPERTY_BOUND && property->phase == NULL && property->alive)
      vector_push(&p->invariants, property);
  }
  p->names = arena_alloc(&p->coq.arena, p->invariants.count, sizeof(char *));
  for (size_t i = 0; i < p->invariants.count; i++)
    write_name(p, i);
}

static void print_invariants(struct theory_printing *p) {
  struct text *out = p->coq.out;
  for (size_t i = 0; i < p->invariants.count; i++) {
    text_format(out, "Definition %s := %zu%%nat.\nDefinition %s_says : term Bool :=\n  ",
                p->names[i], i, p->names[i]);
    coq_term(&p->coq, p->invariants.data[i]->formula);
    text_append(out, ".\n");
  }
  text_append(out, "\nDefinition invariants : list (term Bool) := [");
  for (size_t i = 0; i < p->invariants.count; i++)
    text_format(out, "%s%s_says", i == 0 ? "" : "; ", p->names[i]);
  text_append(out, "].\n\n");
}

static void define_bound(struct theory_printing *p, const struct bound *b) {
  struct text *out = p->coq.out;
  text_append(out, "Definition b_");
  coq_append_name(out, b->name);
  text_format(out, "%s : bound := ", b->by_phases ? " (* by phases *)" : "");
  coq_bound(&p->coq, b);
  text_append(out, ".\n\n");
}

static void print_follow(struct theory_printing *p) {
  struct text *out = p->coq.out;
  const struct model *model = p->coq.model;
  size_t count = 0;
  text_append(out, "Definition follow : list follows := [");
  for (size_t i = 0; i < model->components.count; i++) {
    if (!charge_follows_message(model, model->components.items[i]))
      continue;
    text_append(out, count++ == 0 ? "\n  " : ";\n  ");
    coq_follows(&p->coq, model, model->components.items[i]);
  }
  text_append(out, "].\n\n");
}

/* A comment with the file and the digest of each query whose text is this, or begins with it. */
static size_t print_queries(struct theory_printing *p, const char *text, bool begins) {
  size_t found = 0, length = strlen(text);
  for (size_t i = 0; i < p->certificate->entries.count; i++) {
    const struct certificate_entry *entry = &p->certificate->entries.data[i];
    if (begins ? strncmp(entry->text, text, length) != 0 : strcmp(entry->text, text) != 0)
      continue;
    text_format(p->coq.out, "(* %s: %s\n   sha256 %s *)\n", entry->file, entry->text,
                entry->digest);
    found++;
  }
  return found;
}

void printing_hypothesis(struct theory_printing *p, const char *text, const char *name,
                         const char *proposition) {
  if (print_queries(p, text, false) == 0) {
    text_format(p->coq.out, "(* no query: %s *)\n", text);
    p->unasked++;
  }
  text_format(p->coq.out, "Hypothesis %s : %s.\n", name, proposition);
}

static void text_of(struct text *text, const struct action *action, const struct property *p) {
  struct obligation o = {.kind = action == NULL ? OBLIGATION_INITIAL : OBLIGATION_STEP,
                         .action = action,
                         .property = p};
  text_clear(text);
  obligation_print(text, &o);
}

static void invariant_hypotheses(struct theory_printing *p, const struct action *action,
                                 const char *of_action) {
  struct text text, name, proposition;
  text_init(&text);
  text_init(&name);
  text_init(&proposition);
  for (size_t i = 0; i < p->invariants.count; i++) {
    text_of(&text, action, p->invariants.data[i]);
    text_clear(&name);
    text_clear(&proposition);
    if (action == NULL) {
      text_format(&name, "initial_%s", p->names[i]);
      text_format(&proposition, "initial_obligation unit the_protocol invariants %s", p->names[i]);
    } else {
      text_format(&name, "step_%s_%s", of_action, p->names[i]);
      text_format(&proposition, "step_obligation unit the_protocol invariants %s %s", of_action,
                  p->names[i]);
    }
    printing_hypothesis(p, text_get(&text), name.data, proposition.data);
  }
  text_clear(&text);
  text_clear(&name);
  text_clear(&proposition);
}

static void once_hypothesis(struct theory_printing *p, const struct action *action,
                            const char *name) {
  struct text text, proposition;
  text_init(&text);
  text_init(&proposition);
  text_format(&proposition, "once_obligation unit the_protocol follow invariants %s", name);
  struct text hypothesis_name;
  text_init(&hypothesis_name);
  text_format(&hypothesis_name, "once_%s", name);
  size_t found = 0;
  static const char *const verbs[] = {"sends", "charges"};
  for (size_t i = 0; i < 2; i++) {
    text_clear(&text);
    text_format(&text, "action %s %s each ", action->name, verbs[i]);
    found += print_queries(p, text.data, true);
  }
  /* Without a query there is nothing to ask, which Coq sees. */
  if (found == 0)
    text_format(p->coq.out,
                "Definition %s : %s :=\n  silent_obligation unit the_protocol follow invariants "
                "%s eq_refl.\n",
                hypothesis_name.data, proposition.data, name);
  else
    text_format(p->coq.out, "Hypothesis %s : %s.\n", hypothesis_name.data, proposition.data);
  text_clear(&text);
  text_clear(&proposition);
  text_clear(&hypothesis_name);
}

static void bound_hypotheses(struct theory_printing *p, const struct property *bound) {
  struct text text, name, proposition, of;
  text_init(&text);
  text_init(&name);
  text_init(&proposition);
  text_init(&of);
  coq_append_name(&of, bound->name);
  text_of(&text, NULL, bound);
  text_format(&name, "initial_b_%s", of.data);
  text_format(&proposition, "bound_initial_obligation unit the_protocol b_%s", of.data);
  printing_hypothesis(p, text.data, name.data, proposition.data);
  const struct model *model = p->coq.model;
  for (size_t a = 0; a < model->actions.count; a++) {
    const char *action = p->coq.names[COQ_ACTION][a];
    text_of(&text, model->actions.items[a], bound);
    text_clear(&name);
    text_clear(&proposition);
    text_format(&name, "step_%s_b_%s", action, of.data);
    text_format(&proposition, "bound_step_obligation unit the_protocol invariants b_%s %s", of.data,
                action);
    printing_hypothesis(p, text.data, name.data, proposition.data);
  }
  text_clear(&text);
  text_clear(&name);
  text_clear(&proposition);
  text_clear(&of);
}

static void print_hypotheses(struct theory_printing *p) {
  const struct model *model = p->coq.model;
  text_append(p->coq.out, "Section Obligations.\nContext (T : times) (unit : T).\n\n");
  invariant_hypotheses(p, NULL, NULL);
  for (size_t a = 0; a < model->actions.count; a++) {
    text_append(p->coq.out, "\n");
    invariant_hypotheses(p, model->actions.items[a], p->coq.names[COQ_ACTION][a]);
    once_hypothesis(p, model->actions.items[a], p->coq.names[COQ_ACTION][a]);
  }
}

void printing_conjunction(struct text *out, const char *prefix, const char *const *names,
                          size_t count, const char *suffix) {
  for (size_t i = 0; i < count; i++)
    text_append(out, "(conj ");
  text_append(out, "I");
  for (size_t i = 0; i < count; i++)
    text_format(out, " %s%s%s)", prefix, names[i], suffix);
}

static void print_shared(struct theory_printing *p) {
  struct text *out = p->coq.out, prefix;
  size_t actions = p->coq.model->actions.count, invariants = p->invariants.count;
  const char *const *names = p->coq.names[COQ_ACTION];
  text_init(&prefix);
  text_append(out, "\nDefinition initially : each (length invariants) "
                   "(initial_obligation unit the_protocol invariants) :=\n  ");
  printing_conjunction(out, "initial_", p->names, invariants, "");
  text_append(out, ".\n");
  for (size_t a = 0; a < actions; a++) {
    text_format(out,
                "Definition steps_%s : each (length invariants) "
                "(step_obligation unit the_protocol invariants %s) :=\n  ",
                names[a], names[a]);
    text_clear(&prefix);
    text_format(&prefix, "step_%s_", names[a]);
    printing_conjunction(out, prefix.data, p->names, invariants, "");
    text_append(out, ".\n");
  }
  text_append(out, "Definition steps : each (length (actions the_protocol)) (fun a =>\n  each "
                   "(length invariants) (step_obligation unit the_protocol invariants a)) :=\n  ");
  printing_conjunction(out, "steps_", names, actions, "");
  text_append(out, ".\nDefinition once : each (length (actions the_protocol)) "
                   "(once_obligation unit the_protocol follow invariants) :=\n  ");
  printing_conjunction(out, "once_", names, actions, "");
  text_append(out, ".\n");
  text_clear(&prefix);
}

void printing_statement(struct theory_printing *p, const struct bound *bound) {
  struct text of;
  text_init(&of);
  coq_append_name(&of, bound->name);
  text_format(p->coq.out,
              "\n(* %s within %s *)\nTheorem bound_%s : forall w x,\n"
              "  Induction.possible (s := executions the_protocol unit) w ->\n"
              "  Induction.reachable (executions the_protocol unit) w x ->\n"
              "  kept unit the_protocol b_%s w x.\nProof.\n",
              bound->target_text, bound->expression_text, of.data, of.data);
  text_clear(&of);
}

static void print_theorem(struct theory_printing *p, const struct property *bound) {
  struct text *out = p->coq.out, suffix, of;
  text_init(&suffix);
  text_init(&of);
  coq_append_name(&of, bound->name);
  text_append(out, "\n");
  bound_hypotheses(p, bound);
  printing_statement(p, bound->bound);
  text_format(out,
              "  exact (bound_from_obligations unit the_protocol follow invariants b_%s eq_refl\n"
              "    initially steps once initial_b_%s\n    ",
              of.data, of.data);
  text_format(&suffix, "_b_%s", of.data);
  printing_conjunction(out, "step_", p->coq.names[COQ_ACTION], p->coq.model->actions.count,
                       suffix.data);
  text_append(out, ").\nQed.\n");
  text_clear(&suffix);
  text_clear(&of);
}

static void print_head(struct theory_printing *p) {
  text_format(
      p->coq.out,
      "(* Made by tailproof certify --theory. The protocol %s as a value, and its bounds\n"
      "   as theorems. What they rest on are the hypotheses below, and nothing else; above\n"
      "   each stand the queries that a solver has answered (of tailproof certify --out). *)\n"
      "From Coq Require Import ZArith List.\nImport ListNotations.\n"
      "From Theory Require Import Time Syntax.\n\n",
      p->coq.model->name);
}

static void print_values(struct theory_printing *p) {
  const struct properties *all = &p->proof->properties;
  coq_protocol(&p->coq);
  collect_invariants(p);
  print_invariants(p);
  for (size_t i = 0; i < all->items.count; i++)
    if (all->items.data[i].kind == PROPERTY_BOUND)
      define_bound(p, all->items.data[i].bound);
  if (all->phase_count != 0)
    coq_phases(&p->coq);
}

static void print_all(struct theory_printing *p) {
  struct text *out = p->coq.out;
  const struct properties *all = &p->proof->properties;
  print_head(p);
  print_values(p);
  text_format(out,
              "From Theory Require Import Meaning Model Standard Timing Denote Once Corollary%s.\n"
              "From Theory Require Induction.\n\n",
              all->phase_count == 0 ? "" : " Phases");
  print_follow(p);
  text_append(out, "Example well_formed_here : well_formed the_protocol invariants = true.\n"
                   "Proof. reflexivity. Qed.\n\n");
  print_hypotheses(p);
  print_shared(p);
  printing_phase_hypotheses(p);
  for (size_t i = 0; i < all->items.count; i++)
    if (all->items.data[i].kind == PROPERTY_BOUND)
      (all->items.data[i].bound->by_phases ? printing_by_phases
                                           : print_theorem)(p, &all->items.data[i]);
  text_append(out, "End Obligations.\n\n");
  for (size_t i = 0; i < all->items.count; i++)
    if (all->items.data[i].kind == PROPERTY_BOUND) {
      text_append(out, "Print Assumptions bound_");
      coq_append_name(out, all->items.data[i].name);
      text_append(out, ".\n");
    }
}

bool theory_print(struct text *out, struct text *why, const struct model *model,
                  const struct proof *proof, const struct certificate *certificate) {
  struct theory_printing p = {.proof = proof, .certificate = certificate};
  coq_init(&p.coq, out, model);
  print_all(&p);
  if (p.coq.fraction)
    text_append(why, "times of fractions of a nanosecond");
  else if (p.unasked != 0)
    text_format(why, "%zu obligations of which no solver was asked", p.unasked);
  vector_clear(&p.invariants);
  coq_clear(&p.coq);
  return !p.coq.fraction && p.unasked == 0;
}
