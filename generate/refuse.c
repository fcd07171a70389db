/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate/refuse.h"

#include "generate/range.h"

static void refuse_term(struct plan_context *context, const struct term *term) {
  if (term->kind == TERM_FORALL || term->kind == TERM_EXISTS)
    plan_refuse(context, term->span,
                "a quantifier in an action has no C; say it of sets, such as \"seen == server\"");
  if (term->kind == TERM_SUM_OVER && term->type.kind == TYPE_INT)
    plan_refuse(
        context, term->span,
        "a sum over a role has no C; keep it in a variable that changes with what is summed");
  if (term->kind == TERM_POWER)
    plan_refuse(context, term->span,
                "a power whose exponent is not a number has no C; keep it in a variable that is "
                "doubled with each step");
  if (term->kind == TERM_KTH_OVER)
    plan_refuse(context, term->span,
                "the k-th smallest integer of a role has no C; keep it in a variable that messages "
                "bring, or count the members of a set");
  if (term->kind == TERM_TIME && !rational_is_integer(&term->value))
    plan_refuse(context, term->span, "this time is no whole number of nanoseconds");
  if (term->kind == TERM_ITE && term->type.kind == TYPE_MAP)
    plan_refuse(context, term->span,
                "a choice between maps has no C; choose between their elements");
  if (term->kind == TERM_DIV) {
    struct number_range divided = range_of(context->model, term->args[0]);
    if (!divided.known || divided.low < 0)
      plan_refuse(context, term->span,
                  "what is divided here may be negative, which C rounds up; write \"max(0, ...) / "
                  "%lld\" if it never is",
                  (long long)term->args[1]->integer);
  }
  for (size_t i = 0; i < term->count; i++)
    refuse_term(context, term->args[i]);
}

static bool mentions(const struct term *term, const struct variable *variable) {
  bool found = term->kind == TERM_VARIABLE && term->variable == variable;
  for (size_t i = 0; i < term->count && !found; i++)
    found = mentions(term->args[i], variable);
  return found;
}

/* `for all` sends are a set of nodes, the values of one field; nothing else of the message may
 * depend on it. */
static void refuse_send(struct plan_context *context, const struct statement *s) {
  if (s->to != NULL)
    refuse_term(context, s->to);
  for (size_t i = 0; i < s->arg_count; i++)
    refuse_term(context, s->args[i]);
  if (s->variable_count == 0)
    return;
  const struct variable *variable = s->variables[0];
  if (s->variable_count > 1)
    plan_refuse(context, s->span,
                "a send \"for all\" of two variables has no C; send for all of one");
  if (variable->domain == DOMAIN_RANGE)
    plan_refuse(context, s->span,
                "a send \"for all\" of a range of integers has no C; send for all nodes of a set");
  else if (variable->domain == DOMAIN_SET)
    refuse_term(context, variable->set);
  size_t uses = s->to != NULL && mentions(s->to, variable) ? 1 : 0;
  for (size_t i = 0; i < s->arg_count; i++)
    uses += mentions(s->args[i], variable);
  if (uses > 1)
    plan_refuse(context, s->span,
                "more than one field of this message depends on \"%s\", which has no C; the "
                "receiver can compute "
                "the others",
                variable->name);
}

static void refuse_block(struct plan_context *context, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_SEND) {
      refuse_send(context, s);
    } else if (s->kind == STATEMENT_IF) {
      refuse_term(context, s->condition);
      refuse_block(context, &s->then_block);
      refuse_block(context, &s->else_block);
    } else if (!s->state->ghost) {
      refuse_term(context, s->value);
      if (s->key != NULL)
        refuse_term(context, s->key);
    }
  }
}

void refuse_action(struct plan_context *context, const struct action *action) {
  if (action->choice_count != 0)
    plan_refuse(context, action->choices[0]->span,
                "what a step chooses has no C; receive \"%s\" in a message",
                action->choices[0]->name);
  for (size_t i = 0; i < action->guard_count; i++)
    refuse_term(context, action->guards[i]);
  if (action->timer != NULL)
    refuse_term(context, action->timer);
  refuse_block(context, &action->body);
}
