/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to write where no time passes (progress.h): the change of the file that is most likely
 * meant.
 */
#include "solver/prove/progress.h"

#include "lang/print.h"

/* --- a variable that the step sets, and could ask for ------------------------------------------
 */

static bool is_of_state(const struct term *t, const void *context) {
  return t->kind == TERM_STATE && t->state == context;
}

static bool is_asked_for(const struct action *action, const struct state *state) {
  bool found = false;
  for (size_t i = 0; i < action->guard_count && !found; i++)
    found = term_has_part(action->guards[i], is_of_state, state);
  return found;
}

/* The first assignment of true or false to a variable that no guard of the action mentions. */
static const struct statement *flag_set(const struct action *action, const struct block *block) {
  const struct statement *found = NULL;
  for (size_t i = 0; i < block->count && found == NULL; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_IF) {
      found = flag_set(action, &s->then_block);
      if (found == NULL)
        found = flag_set(action, &s->else_block);
    } else if (s->kind == STATEMENT_ASSIGN && s->value->kind == TERM_BOOL && !s->state->hidden &&
               !s->state->ghost && !is_asked_for(action, s->state)) {
      found = s;
    }
  }
  return found;
}

/* --- a timer that the step sets ----------------------------------------------------------------
 */

/* Of a sum an addend that is a parameter, or that begins as one. */
static const struct term *constant_in(const struct term *t, const struct action *action) {
  if (t->kind == TERM_BARE && t->component->kind == COMPONENT_CONSTANT)
    return t;
  if (t->kind == TERM_STATE && !term_has_part(action->timer, is_of_state, t->state))
    return constant_in(t->state->initial, action);
  const struct term *found = NULL;
  for (size_t i = 0; (t->kind == TERM_ADD || t->kind == TERM_MUL) && i < t->count; i++)
    found = found != NULL ? found : constant_in(t->args[i], action);
  return found;
}

/* The parameter by which the step sets its timer later, if that may be 0. */
static const struct term *period_of(const struct action *action, const struct block *block) {
  const struct term *found = NULL;
  for (size_t i = 0; i < block->count && found == NULL; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_ASSIGN && s->value->kind == TERM_ADD &&
        term_has_part(action->timer, is_of_state, s->state))
      found = constant_in(s->value, action);
    if (s->kind == STATEMENT_IF)
      found = period_of(action, &s->then_block);
    if (s->kind == STATEMENT_IF && found == NULL)
      found = period_of(action, &s->else_block);
  }
  return found;
}

/* Whether it is assumed to be larger than a time: there is no need to write so again. */
static bool is_positive_in(const struct term *t, const struct term *period) {
  if (t->kind == TERM_AND)
    return is_positive_in(t->args[0], period) || is_positive_in(t->args[1], period);
  if ((t->kind != TERM_LT && t->kind != TERM_GT) || t->args[0]->type.kind != TYPE_TIME)
    return false;
  const struct term *large = t->args[t->kind == TERM_LT], *small = t->args[t->kind == TERM_GT];
  return large->kind == TERM_BARE && large->component == period->component &&
         small->kind == TERM_TIME && rational_sign(&small->value) >= 0;
}

static bool is_known_positive(const struct model *model, const struct term *period) {
  bool found = false;
  for (size_t i = 0; i < model->assumptions.count && !found; i++)
    found = is_positive_in(model->assumptions.items[i]->formula, period);
  return found;
}

void progress_advise(struct text *text, const struct model *model, const struct action *action) {
  const struct statement *flag = flag_set(action, &action->body);
  const struct term *period = period_of(action, &action->body);
  if (flag != NULL) {
    text_format(text, "write \"when %s%s\"", flag->value->integer ? "not " : "", flag->state->name);
  } else if (period != NULL && !is_known_positive(model, period)) {
    text_append(text, "write \"assume ");
    print_term(text, model, period);
    text_append(text, " > 0 ms\"");
  } else {
    text_append(text, "write a guard that the step makes false, such as \"when not done\", or a "
                      "timer that it sets later, or a cost");
  }
}
