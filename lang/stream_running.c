/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A maximum that is followed from one request to the next (stream_value.h). In
 *
 *     max j in 1..k (d(Request(j)) + sum i in j..k (Serve[i]))
 *
 * the body is P(k) + (d(Request(j)) - P(j - 1)), with P(i) the sum of the first i. What stands in
 * parentheses does not change with k, so its maximum over j only has to be continued.
 */
#include "lang/stream_value.h"

/* What the body adds up to, as a part that changes with j alone and one that changes with k alone.
 * Lower and upper ends are computed side by side; what is subtracted exchanges them. */
struct apart {
  struct stream_evaluation *e;
  const struct variable *j;
  bool of_j; /* which of the two is wanted */
  struct stream_range sum;
  int64_t low, high; /* of_j: the largest lower end of a sum; else the smallest upper one */
  bool plain;
};

static void add(struct apart *a, struct stream_range x, bool negative) {
  if (a->plain)
    return;
  a->sum.low += negative ? -x.high : x.low;
  a->sum.high += negative ? -x.low : x.high;
  a->plain = x.high >= STREAM_ENDLESS || x.low <= -STREAM_ENDLESS ||
             a->sum.high >= STREAM_ENDLESS || a->sum.low <= -STREAM_ENDLESS;
}

/* P(high), or -P(low - 1). */
static void add_sum(struct apart *a, const struct term *t, bool negative) {
  const struct variable *i = t->variables[0];
  int64_t end = a->of_j ? stream_integer(a->e, i->low) - 1 : stream_integer(a->e, i->high);
  const struct stream_prefix *p = end < 0 ? NULL : stream_prefix_of(a->e, t, end);
  if (p == NULL || a->e->failed || p->endless.data[end] != 0) {
    a->plain = true;
    return;
  }
  struct stream_range x = p->sums.data[end];
  if (a->of_j) {
    a->low = end + 1 > a->low ? end + 1 : a->low;
    add(a, (struct stream_range){x.high, x.low}, !negative);
  } else {
    a->high = end < a->high ? end : a->high;
    add(a, x, negative);
  }
}

static bool is_apart(const struct apart *a, const struct term *t) {
  const struct variable *i = t->variable_count == 1 ? t->variables[0] : NULL;
  return t->kind == TERM_SUM_OVER && i != NULL && i->domain == DOMAIN_RANGE &&
         !stream_mentions(i->low, a->e->number) && !stream_mentions(i->high, a->j) &&
         !stream_mentions(t->args[0], a->e->number) && !stream_mentions(t->args[0], a->j);
}

static void split(struct apart *a, const struct term *t, bool negative) {
  if (t->kind == TERM_ADD || t->kind == TERM_SUB) {
    split(a, t->args[0], negative);
    split(a, t->args[1], negative != (t->kind == TERM_SUB));
  } else if (!stream_mentions(t, a->e->number)) {
    if (a->of_j)
      add(a, stream_term(a->e, t), negative);
  } else if (!stream_mentions(t, a->j)) {
    if (!a->of_j)
      add(a, stream_term(a->e, t), negative);
  } else if (is_apart(a, t)) {
    add_sum(a, t, negative);
  } else {
    a->plain = true;
  }
}

static struct stream_running *running_of(struct stream_evaluation *e, const struct term *term,
                                         int64_t low) {
  for (size_t i = 0; i < e->runnings.count; i++)
    if (e->runnings.data[i].term == term)
      return &e->runnings.data[i];
  const struct variable *j = term->variables[0];
  bool plain = stream_mentions(j->low, NULL);
  vector_push(&e->runnings,
              ((struct stream_running){.term = term, .plain = plain, .low = low, .met = low - 1}));
  return &e->runnings.data[e->runnings.count - 1];
}

bool stream_follow(struct stream_evaluation *e, const struct term *term,
                   struct stream_range *value) {
  const struct variable *j = term->variables[0];
  if (e->depth != 0 || j->domain != DOMAIN_RANGE)
    return false;
  int64_t low = stream_integer(e, j->low), high = stream_integer(e, j->high);
  struct stream_running *r = running_of(e, term, low);
  r->plain |= high < low || high > e->source->last || high < r->met || low != r->low;
  struct apart of_k = {.e = e, .j = j, .high = INT64_MAX - 1};
  e->depth++; /* what is inside is computed once for each j, and not followed by itself */
  while (!r->plain && !e->failed && r->met < high) {
    e->variables[j->id] = r->met + 1;
    struct apart of_j = {.e = e, .j = j, .of_j = true};
    split(&of_j, term->args[0], false);
    r->most = r->met < r->low ? of_j.sum : stream_larger(r->most, of_j.sum);
    r->latest = of_j.low > r->latest ? of_j.low : r->latest;
    r->plain |= of_j.plain;
    r->met++;
  }
  if (!r->plain && !e->failed) {
    split(&of_k, term->args[0], false);
    r->plain |= of_k.plain || r->latest > of_k.high + 1;
  }
  e->depth--;
  if (r->plain || e->failed)
    return false;
  *value = (struct stream_range){r->most.low + of_k.sum.low, r->most.high + of_k.sum.high};
  return true;
}
