/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Invariants about the messages of a hop that is about a family (protocol.h).
 */
#include "tests/simulator/protocol_parts.h"

/* What is known of one hop's messages. */
struct known {
  struct text *out;
  const struct plan *plan;
  const struct hop *hop;
  size_t k;
  const char *asks; /* the message that asks one of the family, "M0" or "Ask" */
  const char *told; /* "W(x)", what x sends to its v or u */
  bool waits;
};

/* The sending of the message that asks. */
static void begin(const struct known *x) {
  if (x->hop->ask == ASK_NONE)
    plan_way(x->out, x->plan, x->k, x->plan->drop, WAY_KNOWN);
  else
    plan_way_asked(x->out, x->plan, x->k);
}

/* "forall x in w. sent W(x) implies time(W(x)) <= ...", to be followed by what it takes. */
static void at_most(const struct known *x, const char *name, const char *role,
                    const char *message) {
  text_format(x->out, "invariant %s: forall x in %s. sent %s implies time(%s) <= ", name, role,
              message, message);
  begin(x);
}

static void takes(const struct known *x, const char *message, bool waits, const char *then) {
  text_format(x->out, " + d(%s)", message);
  if (x->waits && waits)
    text_format(x->out, " + Q(%s)", message);
  text_append(x->out, then);
}

/* The message that asks the node that `of` says, and the step of x upon it. */
static void asked(const struct known *x, const char *of, const char *then) {
  struct text message;
  text_init(&message);
  text_format(&message, "%s(%s)", x->asks, of);
  takes(x, text_get(&message), x->hop->lack != LACK_WAIT, then);
  text_clear(&message);
}

/* What is passed on, and the work for it. */
static void passed(const struct known *x, const char *message, const char *work) {
  takes(x, message, x->hop->lack != LACK_PASSED_WAIT, x->hop->lack != LACK_PASSED_WORK ? work : "");
}

/* When what x tells its v or u arrives. */
static void told_time(const struct known *x) {
  at_most(x, "told_time", "w", x->told);
  asked(x, "x", " + C[x]");
  text_format(x->out, " + d(%s)\n", x->told);
}

/* Without waits: a clock is late by what the node has done. */
static void rested(const struct known *x) {
  text_format(x->out,
              "invariant rested: forall x in w. not received %s(x) implies time(x) <= 0 ns\n",
              x->asks);
  if (x->hop->family == FAMILY_PAIRED)
    text_append(x->out, "invariant kept_rest: forall y in v. not received W(w(y)) implies "
                        "time(y) <= 0 ns\n");
  if (x->hop->family != FAMILY_GROUPED)
    return;
  text_append(x->out,
              "invariant collects: forall x in u. not sent N(x) implies time(x) + d(N(x)) <= ");
  begin(x);
  text_append(x->out, " + ");
  family_way(x->out, x->hop, x->k, false);
  text_append(x->out, "\n");
}

static void pairs(const struct known *x) {
  bool returned = x->hop->family == FAMILY_RETURNED;
  text_format(x->out, "invariant told: forall x in w. sent %s(x) implies received %s\n",
              returned ? "B" : "N", x->told);
  told_time(x);
  if (!returned)
    return;
  text_append(x->out, "invariant back: forall x in w. sent N(x) implies received B(x)\n");
  at_most(x, "back_time", "w", "B(x)");
  asked(x, "x", " + C[x]");
  passed(x, x->told, " + D[v(x)]");
  text_append(x->out, " + d(B(x))\n");
}

static void group(const struct known *x) {
  text_append(x->out, "invariant told: forall x in w. received W(x) iff x in u(x).have\n"
                      "invariant whole: forall y in u. sent N(y) implies y.have == w[y]\n");
  told_time(x);
}

static void sum(const struct known *x) {
  text_format(x->out, "invariant worked: forall x in w. charged C[x] implies received %s(u(x))\n",
              x->asks);
}

static void quorum(const struct known *x) {
  text_format(x->out,
              "invariant passes: forall y in u. y.asked iff received %s(y)\n"
              "invariant fans: forall x in w. sent B(x) iff u(x).asked\n"
              "invariant told: forall y in u. (sent N(y) iff y.told) and (y.told implies y.asked)\n"
              "invariant few: forall y in u. not y.told implies |y.have| < q\n"
              "invariant rested: forall y in u. not y.asked implies time(y) <= 0 ns\n",
              x->asks);
  at_most(x, "fan_time", "w", "B(x)");
  asked(x, "u(x)", " + E[u(x)] + d(B(x))\n");
  at_most(x, "told_time", "w", "W(x)");
  asked(x, "u(x)", " + E[u(x)]");
  passed(x, "B(x)", " + C[x]");
  text_append(x->out, " + d(W(x))\n");
}

static void of_family(const struct known *x) {
  bool passes_on = x->hop->family != FAMILY_PLAIN && x->hop->family != FAMILY_SUMMED;
  if (x->hop->family != FAMILY_QUORUM)
    text_format(x->out, "invariant served: forall x in %s. sent %s implies received %s(x)\n",
                family_asked(x->hop), passes_on ? x->told : "N(x)", x->asks);
  switch (x->hop->family) {
  case FAMILY_PAIRED:
  case FAMILY_RETURNED:
    pairs(x);
    break;
  case FAMILY_GROUPED:
    group(x);
    break;
  case FAMILY_SUMMED:
    sum(x);
    break;
  case FAMILY_QUORUM:
    quorum(x);
    break;
  default:
    break;
  }
}

void family_invariants(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  struct text asks;
  text_init(&asks);
  if (hop->ask != ASK_NONE)
    text_append(&asks, "Ask");
  else
    text_format(&asks, "M%zu", k);
  struct known x = {.out = out,
                    .plan = plan,
                    .hop = hop,
                    .k = k,
                    .asks = text_get(&asks),
                    .told = hop->crossed ? "W(v(x))" : "W(x)",
                    .waits = plan->proof == PROOF_WAITS};
  of_family(&x);
  at_most(&x, "answered", family_answers(hop), "N(x)");
  text_append(out, " + ");
  family_way(out, hop, k, x.waits);
  text_append(out, "\n");
  if (!x.waits)
    rested(&x);
  text_clear(&asks);
}
