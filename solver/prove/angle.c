/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Goals that a brief attempt leaves open, from other angles (session.h). Each begins with a solver
 * that has learned nothing, so what it finds does not hang on what was asked before. A proof from
 * less is a proof.
 */
#include <string.h>

#include "base/memory.h"
#include "base/seconds.h"
#include "solver/prove/session.h"
#include "solver/search/relevance.h"

enum { ANGLE_LIMIT_MS = 300 };

/* Whether what is asserted has no model. */
static bool is_proved(struct session *s) {
  unsigned limit = s->options->limit_ms;
  struct smt_effort effort = session_effort_of(limit < ANGLE_LIMIT_MS ? limit : ANGLE_LIMIT_MS);
  smt_renew(s->smt);
  return smt_try(s->smt, &effort, NULL) == SMT_UNSAT;
}

/* --- what the goal and the step depend on, alone ------------------------------------------------
 *
 * What follows upon the goal, and what goes on beside it, only keeps the solver busy: with two
 * order statistics of what happens later it finds no end.
 */

/* What the fact says of what matters, or NULL; *all becomes false where it says more. */
static smt_term part_of_fact(struct session *s, const struct needs *needs, const struct fact *fact,
                             bool *all) {
  const struct property *property = fact->property;
  if (property == NULL)
    return fact->term;
  if (!property->alive)
    return NULL;
  const struct term *part = needs_part(needs, &s->encoder.arena, property->formula);
  if (part == property->formula)
    return fact->term;
  *all = false;
  return part == NULL ? NULL : encode(&s->encoder, part, s->before);
}

static smt_term *slice(struct session *s, const struct goal *goal, size_t *count, bool *all) {
  struct needs needs;
  needs_init(&needs, s->proof->properties.model);
  needs_add_term(&needs, goal->obligation.property->formula);
  needs_add_action(&needs, s->action);
  needs_close(&needs);
  smt_term *facts = mem_alloc(s->facts.count + 1, sizeof *facts);
  *count = 0;
  *all = true;
  session_begin_goals(s);
  for (size_t i = 0; i < s->facts.count; i++) {
    smt_term part = part_of_fact(s, &needs, &s->facts.data[i], all);
    if (part != NULL)
      facts[(*count)++] = part;
  }
  needs_clear(&needs);
  return facts;
}

static bool try_slice(struct session *s, const struct goal *goal) {
  size_t count;
  bool all;
  smt_term *facts = slice(s, goal, &count, &all);
  session_push(s);
  session_assert_sends(s);
  for (size_t i = 0; i < count; i++)
    smt_assert(s->smt, facts[i]);
  session_push_goal(s, goal);
  bool proved = !all && is_proved(s);
  smt_pop(s->smt);
  smt_pop(s->smt);
  mem_free(facts);
  return proved;
}

/* --- one order statistic, or none ---------------------------------------------------------------
 *
 * How the members of one are counted says nothing of another, but the solver holds each set of
 * members against each. What the times of two rounds are a sum of is settled round by round.
 */

static const struct order_statistic *order_at(const struct session *s, const struct goal *goal,
                                              size_t i) {
  size_t shared = s->base.order_statistics;
  return i < shared ? s->encoder.order_statistics.data[i] : goal->orders[i - shared];
}

/* Whether the axiom is about how members are counted, but for the statistic `kept`. */
static bool is_of_others(struct session *s, const struct goal *goal, size_t kept, smt_term axiom) {
  size_t count = s->base.order_statistics + goal->order_count;
  for (size_t i = 0; i < count; i++)
    if (i != kept && order_statistic_counts(&s->encoder, order_at(s, goal, i), axiom))
      return true;
  return false;
}

static void assert_but_others(struct session *s, const struct goal *goal, size_t kept,
                              const smt_term *axioms, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!is_of_others(s, goal, kept, axioms[i]))
      smt_assert(s->smt, axioms[i]);
}

/* With the counting of statistic `kept` alone; of none where it is none of them. */
static bool try_order(struct session *s, const struct goal *goal, size_t kept) {
  struct goal less = *goal;
  less.axiom_count = 0;
  smt_clear(s->smt);
  smt_push(s->smt);
  assert_but_others(s, goal, kept, s->encoder.axioms.data, s->base.axioms);
  assert_but_others(s, goal, kept, goal->axioms, goal->axiom_count);
  smt_assert(s->smt, s->transition.enabled);
  session_assert_facts(s, false);
  session_assert_facts(s, true);
  session_push_goal(s, &less);
  bool proved = is_proved(s);
  smt_clear(s->smt);
  session_assert_base(s);
  return proved;
}

static bool try_orders(struct session *s, const struct goal *goal) {
  size_t count = s->base.order_statistics + goal->order_count;
  bool proved = false;
  for (size_t kept = count; count != 0 && kept != SIZE_MAX && !proved; kept--)
    if (count > 1 || kept == count)
      proved = try_order(s, goal, kept);
  return proved;
}

bool session_try_angles(struct session *s, const struct goal *goal, double *seconds) {
  double start = seconds_worked();
  bool proved = try_slice(s, goal) || try_orders(s, goal);
  *seconds += seconds_worked() - start;
  return proved;
}
