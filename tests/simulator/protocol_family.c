/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A hop whose message goes to all of a family, and who answers it: the nodes, what belongs to each,
 * or the owner of some of them (protocol.h).
 */
#include "tests/simulator/protocol_parts.h"

enum family plan_family(const struct plan *plan) {
  for (size_t k = 0; k < plan->hop_count; k++)
    if (plan->hops[k].scatter)
      return plan->hops[k].family;
  return FAMILY_PLAIN;
}

const char *family_name(const struct hop *hop) {
  return hop->family == FAMILY_GROUPED ? "u" : "w";
}

void family_roles(struct text *out, const struct plan *plan) {
  enum family family = plan_family(plan);
  if (family == FAMILY_GROUPED)
    text_append(out, "param m : int >= 1\nassume m <= 3\nrole u[m]\nrole w[u, n]\n");
  else
    text_append(out, family == FAMILY_PAIRED ? "role w[n]\nrole v[w]\n" : "role w[n]\n");
}

void family_messages(struct text *out, const struct plan *plan, size_t k, const char *from) {
  const char *fifo = plan->hops[k].fifo ? " fifo" : "", *name = family_name(&plan->hops[k]);
  enum family family = plan->hops[k].family;
  text_format(out, "message M%zu(x: w) : %s -> w x%s\n", k, from, fifo);
  if (family != FAMILY_PLAIN)
    text_format(out, "message W(x: w) : w x -> %s x%s\n", family == FAMILY_PAIRED ? "v" : "u",
                fifo);
  text_format(out, "message N(x: %s) : %s x -> s%zu%s\n", name,
              family == FAMILY_PAIRED ? "v" : name, k, fifo);
}

void family_actions(struct text *out, const struct hop *hop, size_t k) {
  text_format(out, "action w x.Serve on M%zu(x) cost C[x] { send %s(x) }\n", k,
              hop->family == FAMILY_PLAIN ? "N" : "W");
  if (hop->family == FAMILY_PAIRED)
    text_append(out, "action v y.Keep on W(x) cost D[y] { send N(w(y)) }\n");
  if (hop->family == FAMILY_GROUPED)
    text_append(out, "action u y.Collect on W(x) { have := have + {x}  "
                     "if have == w[y] { send N(y) } }\n");
}

void family_way(struct text *out, const struct hop *hop, size_t k, bool waits) {
  if (hop->family == FAMILY_GROUPED)
    text_format(out, "max y in w[x] (d(M%zu(y)) + C[y] + d(W(y))%s", k, waits ? " + Q(W(y))" : "");
  else
    text_format(out, "d(M%zu(x)) + C[x]", k);
  if (waits)
    text_format(out, " + Q(M%zu(%s))", k, hop->family == FAMILY_GROUPED ? "y" : "x");
  if (hop->family == FAMILY_GROUPED)
    text_append(out, ")");
  if (hop->family == FAMILY_PAIRED)
    text_format(out, " + d(W(x)) + D[v(x)]%s", waits ? " + Q(W(x))" : "");
  text_append(out, " + d(N(x))");
}

/* "forall x in w. sent W(x) implies time(W(x)) <= ..." */
static void told_time(struct text *out, const struct plan *plan, size_t k) {
  text_append(out, "invariant told_time: forall x in w. sent W(x) implies time(W(x)) <= ");
  plan_way(out, plan, k, plan->drop, false);
  text_format(out, " + d(M%zu(x)) + C[x] + d(W(x))", k);
  if (plan->proof == PROOF_WAITS)
    text_format(out, " + Q(M%zu(x))", k);
  text_append(out, "\n");
}

/* Without waits: a clock is late by what the node has done. */
static void rested(struct text *out, const struct plan *plan, size_t k) {
  enum family family = plan->hops[k].family;
  text_format(out,
              "invariant rested: forall x in w. not received M%zu(x) implies time(x) <= 0 ns\n", k);
  if (family == FAMILY_PAIRED)
    text_append(out, "invariant kept_rest: forall y in v. not received W(w(y)) implies "
                     "time(y) <= 0 ns\n");
  if (family != FAMILY_GROUPED)
    return;
  text_append(out,
              "invariant collects: forall x in u. not sent N(x) implies time(x) + d(N(x)) <= ");
  plan_way(out, plan, k, plan->drop, false);
  text_append(out, " + ");
  family_way(out, &plan->hops[k], k, false);
  text_append(out, "\n");
}

void family_invariants(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  bool waits = plan->proof == PROOF_WAITS;
  text_format(out, "invariant served: forall x in w. sent %s(x) implies received M%zu(x)\n",
              hop->family == FAMILY_PLAIN ? "N" : "W", k);
  if (hop->family == FAMILY_PAIRED)
    text_append(out, "invariant told: forall x in w. sent N(x) implies received W(x)\n");
  if (hop->family == FAMILY_GROUPED)
    text_append(out, "invariant told: forall x in w. received W(x) iff x in u(x).have\n"
                     "invariant whole: forall y in u. sent N(y) implies y.have == w[y]\n");
  if (hop->family != FAMILY_PLAIN)
    told_time(out, plan, k);
  text_format(out, "invariant answered: forall x in %s. sent N(x) implies time(N(x)) <= ",
              family_name(hop));
  plan_way(out, plan, k, plan->drop, false);
  text_append(out, " + ");
  family_way(out, hop, k, waits);
  text_append(out, "\n");
  if (!waits)
    rested(out, plan, k);
}
