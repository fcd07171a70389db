/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/draft/actions.h"

#include "trace/draft/series.h"

static const char *name_of(const struct draft_plan *plan, uint32_t p) {
  return plan->calls.data[p].name;
}

static bool takes(const struct draft_step *step, uint32_t answer) {
  for (size_t i = 0; i < step->answers.count; i++)
    if (step->answers.data[i] == answer)
      return true;
  return false;
}

/* Whether the answer is one of several that a step takes. */
static bool is_joined(const struct draft_plan *plan, uint32_t answer) {
  for (size_t s = 0; s < plan->steps.count; s++)
    if (plan->steps.data[s].answers.count > 1 && takes(&plan->steps.data[s], answer))
      return true;
  return false;
}

static void state_of(struct text *text, const struct draft_plan *plan, uint32_t node) {
  struct text variables;
  text_init(&variables);
  if (node == 0)
    text_append(&variables, "  begun : bool = false\n");
  for (uint32_t p = 1; p < plan->calls.count; p++)
    if (draft_is_node(plan, p) && draft_caller(plan, p) == node && is_joined(plan, p))
      text_format(&variables, "  has_%s : bool = false\n", name_of(plan, p));
  if (variables.length > 0)
    text_format(text, "state %s {\n%s}\n\n", name_of(plan, node), text_get(&variables));
  text_clear(&variables);
}

void draft_states(struct text *text, const struct draft_plan *plan) {
  for (uint32_t p = 0; p < plan->calls.count; p++)
    if (draft_is_node(plan, p))
      state_of(text, plan, p);
}

/* "has_cart and has_price", without one of them; `prefix` before each. */
static void condition(struct text *text, const struct draft_plan *plan,
                      const struct draft_step *step, uint32_t without, const char *prefix) {
  const char *between = "";
  for (size_t i = 0; i < step->answers.count; i++) {
    if (step->answers.data[i] == without)
      continue;
    text_format(text, "%s%shas_%s", between, prefix, name_of(plan, step->answers.data[i]));
    between = " and ";
  }
}

/* Of a loop "sum k in 1..N_item (Until_item[k] + Work_item[k])". */
static void costs(struct text *text, const struct draft_plan *plan, const struct draft_step *step) {
  for (size_t w = 0; w < step->works.count; w++) {
    const struct activity *activity = &plan->flow->activities.data[step->works.data[w]];
    const struct shape_loop *loop = draft_loop_of(plan, activity->position);
    bool of_call = loop != NULL && activity->position == loop->call;
    text_append(text, w > 0 ? " + " : "");
    if (of_call && activity->is_lead)
      text_format(text, "sum k in 1..N_%s (", name_of(plan, loop->call));
    draft_component(text, plan, step->works.data[w]);
    text_append(text, loop == NULL ? "" : "[k]");
    text_append(text, of_call && !activity->is_lead ? ")" : "");
  }
}

static void sends(struct text *text, const struct draft_plan *plan, const struct draft_step *step,
                  const char *indent) {
  for (size_t c = 0; c < step->calls.count; c++)
    text_format(text, "%ssend Call_%s\n", indent, name_of(plan, step->calls.data[c]));
  if (step->replies && step->node == 0)
    text_format(text, "%ssend Reply\n", indent);
  else if (step->replies)
    text_format(text, "%ssend Answer_%s\n", indent, name_of(plan, step->node));
}

static void action_begin(struct text *text, const struct draft_plan *plan,
                         const struct draft_step *step) {
  const char *name = name_of(plan, step->node);
  text_format(text, "action %s.Begin", name);
  if (step->node != 0)
    text_format(text, " on Call_%s", name);
  if (step->works.count > 0)
    text_append(text, " cost ");
  costs(text, plan, step);
  text_append(text, " {\n");
  if (step->node == 0)
    text_append(text, "  when not begun\n  begun := true\n");
  sends(text, plan, step, "  ");
  text_append(text, "}\n\n");
}

/* Of the steps that an answer may complete at most one costs anything: its node is then busy with
 * nothing else (plan.h). */
static void cost_of_answer(struct text *text, const struct draft_plan *plan, uint32_t answer) {
  for (size_t s = 0; s < plan->steps.count; s++) {
    const struct draft_step *step = &plan->steps.data[s];
    if (!takes(step, answer) || step->works.count == 0)
      continue;
    text_append(text, " cost ");
    if (step->answers.count == 1) {
      costs(text, plan, step);
      return;
    }
    text_append(text, "if ");
    condition(text, plan, step, answer, "");
    text_append(text, " then ");
    costs(text, plan, step);
    text_append(text, " else 0");
    return;
  }
}

static void action_on_answer(struct text *text, const struct draft_plan *plan, uint32_t answer) {
  const char *name = name_of(plan, answer);
  text_format(text, "action %s.On_%s on Answer_%s", name_of(plan, draft_caller(plan, answer)), name,
              name);
  cost_of_answer(text, plan, answer);
  text_append(text, " {\n");
  if (is_joined(plan, answer))
    text_format(text, "  has_%s := true\n", name);
  for (size_t s = 0; s < plan->steps.count; s++) {
    const struct draft_step *step = &plan->steps.data[s];
    if (!takes(step, answer))
      continue;
    if (step->answers.count == 1) {
      sends(text, plan, step, "  ");
      continue;
    }
    text_append(text, "  if ");
    condition(text, plan, step, answer, "");
    text_append(text, " {\n");
    sends(text, plan, step, "    ");
    text_append(text, "  }\n");
  }
  text_append(text, "}\n\n");
}

void draft_actions(struct text *text, const struct draft_plan *plan) {
  for (size_t s = 0; s < plan->steps.count; s++)
    if (plan->steps.data[s].answers.count == 0)
      action_begin(text, plan, &plan->steps.data[s]);
  for (uint32_t p = 1; p < plan->calls.count; p++)
    if (draft_is_node(plan, p))
      action_on_answer(text, plan, p);
}

static void known_by(struct text *text, const struct draft_plan *plan,
                     const struct draft_step *step) {
  text_append(text, " iff ");
  struct text prefix;
  text_init(&prefix);
  text_format(&prefix, "%s.", name_of(plan, step->node));
  condition(text, plan, step, 0, text_get(&prefix));
  text_clear(&prefix);
  text_append(text, "\n");
}

static void known_step(struct text *text, const struct draft_plan *plan,
                       const struct draft_step *step) {
  for (size_t w = 0; w < step->works.count; w++) {
    struct text name;
    text_init(&name);
    draft_component(&name, plan, step->works.data[w]);
    const struct activity *activity = &plan->flow->activities.data[step->works.data[w]];
    const struct shape_loop *loop = draft_loop_of(plan, activity->position);
    text_format(text, "invariant paid_%s: ", text_get(&name));
    if (loop != NULL)
      text_format(text, "forall k in 1..N_%s. ", name_of(plan, loop->call));
    text_format(text, "charged %s%s", text_get(&name), loop == NULL ? "" : "[k]");
    text_clear(&name);
    known_by(text, plan, step);
  }
  for (size_t c = 0; c < step->calls.count; c++) {
    const char *name = name_of(plan, step->calls.data[c]);
    text_format(text, "invariant sent_Call_%s: sent Call_%s", name, name);
    known_by(text, plan, step);
  }
  if (!step->replies)
    return;
  const char *name = name_of(plan, step->node);
  if (step->node == 0)
    text_append(text, "invariant sent_Reply: sent Reply");
  else
    text_format(text, "invariant sent_Answer_%s: sent Answer_%s", name, name);
  known_by(text, plan, step);
}

void draft_invariants(struct text *text, const struct draft_plan *plan) {
  for (uint32_t p = 1; p < plan->calls.count; p++)
    if (draft_is_node(plan, p) && is_joined(plan, p))
      text_format(text, "invariant known_%s: %s.has_%s iff received Answer_%s\n", name_of(plan, p),
                  name_of(plan, draft_caller(plan, p)), name_of(plan, p), name_of(plan, p));
  for (size_t s = 0; s < plan->steps.count; s++)
    if (plan->steps.data[s].answers.count > 1)
      known_step(text, plan, &plan->steps.data[s]);
  if (plan->joins)
    text_append(text, "\n");
}
