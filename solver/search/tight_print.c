/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How tight a bound is, as text (tight.h).
 */
#include <inttypes.h>

#include "solver/search/scope.h"
#include "solver/search/tight.h"

enum { SCOPES_SHOWN = 3, TERMS_SHOWN = 2 };

/* "n=1, k=2", k being the number that the bound counts from. */
static void print_scope(struct text *text, const struct model *model, const struct tightness *t,
                        const struct tight_scope *scope) {
  if (model->params.count != 0 || !scope->numbered)
    scope_print(text, model, scope->values);
  if (scope->numbered)
    text_format(text, "%s%s=%" PRId64, model->params.count == 0 ? "" : ", ", t->number,
                scope->number);
}

static void print_one_by_one(struct text *text, const struct model *model,
                             const struct tightness *t, enum tight_outcome outcome) {
  size_t count = 0;
  for (size_t i = 0; i < t->scopes.count; i++) {
    if (t->scopes.data[i].outcome != outcome || ++count > SCOPES_SHOWN)
      continue;
    text_append(text, count == 1 ? "" : "; ");
    print_scope(text, model, t, &t->scopes.data[i]);
  }
  if (count > SCOPES_SHOWN)
    text_format(text, "; and %zu more", count - SCOPES_SHOWN);
}

void tightness_print_scopes(struct text *text, const struct model *model, const struct tightness *t,
                            enum tight_outcome outcome) {
  if (model->params.count + (t->number != NULL) != 1) {
    print_one_by_one(text, model, t, outcome);
    return;
  }
  const char *before = "=";
  text_append(text, t->number != NULL ? t->number : model->params.items[0]->name);
  for (size_t i = 0; i < t->scopes.count; i++) {
    if (t->scopes.data[i].outcome != outcome)
      continue;
    const struct tight_scope *scope = &t->scopes.data[i];
    text_format(text, "%s%" PRId64, before, t->number != NULL ? scope->number : scope->values[0]);
    before = ", ";
  }
}

void tight_term_print(struct text *text, const struct tight_term *term) {
  if (!term->charged)
    text_format(text, "no execution found charges %s on its way to the event", term->label);
  else
    text_format(text, "%s is not %sneeded", term->label, term->decided ? "" : "known to be ");
}

/* Terms of which too little is known only where all else is well. */
static bool is_shown(const struct tightness *t, const struct tight_term *term) {
  return term->decided || (t->attained != 0 && t->missed == 0 && t->undecided == 0);
}

/* Appends the terms in brackets, or after `before` inside brackets that are open. */
static void print_spare(struct text *text, const struct tightness *t, const char *before) {
  size_t shown = 0;
  for (size_t i = 0; i < t->spare.count; i++) {
    const struct tight_term *term = &t->spare.data[i];
    if (!is_shown(t, term) || ++shown > TERMS_SHOWN)
      continue;
    text_append(text, shown == 1 ? before : "; ");
    tight_term_print(text, term);
  }
  if (shown > TERMS_SHOWN)
    text_format(text, "; and %zu more such terms", shown - TERMS_SHOWN);
  text_append(text, shown == 0 || before[0] == ';' ? "" : ")");
}

/* Attained with some parameters, and not, or perhaps not, with others. */
static void print_where(struct text *text, const struct model *model, const struct tightness *t) {
  text_append(text, t->spare.count == 0 ? "tight at " : "attained at ");
  tightness_print_scopes(text, model, t, TIGHT_ATTAINED);
  text_append(text, t->missed != 0 ? " (not at " : " (not decided at ");
  tightness_print_scopes(text, model, t, t->missed != 0 ? TIGHT_MISSED : TIGHT_UNDECIDED);
  if (t->missed != 0 && t->undecided != 0) {
    text_append(text, "; not decided at ");
    tightness_print_scopes(text, model, t, TIGHT_UNDECIDED);
  }
  print_spare(text, t, "; ");
  text_append(text, ")");
}

/* Whether nothing but the limits of the search speaks against it. */
static bool is_open(const struct tightness *t) {
  bool open = t->undecided != 0 || (t->attained == 0 && t->missed == 0);
  for (size_t i = 0; i < t->spare.count && t->attained != 0; i++)
    open = open || !t->spare.data[i].decided;
  return open;
}

void tightness_print(struct text *text, const struct model *model, const struct tightness *t) {
  if (tightness_holds(t)) {
    text_append(text, "tight");
  } else if (t->attained != 0 && t->missed + t->undecided != 0) {
    print_where(text, model, t);
  } else {
    text_append(text, is_open(t) ? "not known whether tight" : "not tight");
    print_spare(text, t, " (");
  }
}
