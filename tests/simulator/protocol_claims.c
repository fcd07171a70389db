/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/protocol_parts.h"

/* One for each state of the server: what it has done, and so how late its clock is. */
static void invariant_clock(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  for (unsigned done = 0; done < 4; done++) {
    bool opened = (done & 1) != 0, busied = (done & 2) != 0;
    bool arrives = plan->proof == PROOF_ARRIVALS && opened && hop->gate >= GATE_TIMER;
    if ((opened && (hop->gate == GATE_NONE || hop->gate == GATE_DEADLINE)) ||
        (busied && !hop->busy))
      continue;
    text_format(out,
                "invariant clock%zu%u: %ss%zu.open and %ss%zu.other and not received M%zu implies "
                "time(s%zu) <= ",
                k, done, opened ? "" : "not ", k, busied ? "" : "not ", k, k, k);
    if (arrives)
      text_format(out, "arrival(s%zu) + O%zu\n", k, k);
    else
      plan_own_work(out, hop, k, opened, busied);
    text_append(out, "\n");
  }
  if (plan_comes_second(plan, hop) && hop->gate != GATE_NONE)
    text_format(out, "invariant second%zu: s%zu.open implies s%zu.other\n", k, k, k);
  if (plan->proof == PROOF_ARRIVALS)
    text_format(out,
                "invariant arrival%zu: not s%zu.open and not received M%zu implies "
                "arrival(s%zu) <= 0 ns\n",
                k, k, k, k);
}

static void invariant_scatter(struct text *out, const struct plan *plan, size_t k) {
  const char *who = family_name(&plan->hops[k]);
  text_format(out, "invariant counted: forall x in %s. received N(x) iff x in s%zu.acks\n", who, k);
  text_format(out, "invariant all_in: sent M%zu implies ", k + 1);
  if (plan->hops[k].first)
    text_format(out, "|s%zu.acks| >= 1\n", k);
  else
    text_format(out, "s%zu.acks == %s\n", k, who);
  if (plan->hops[k].ranked)
    text_format(
        out, "invariant kept: forall x in %s. s%zu.got[x] == (if x in s%zu.acks then 1 else 0)\n",
        who, k, k);
  if (plan->hops[k].first)
    text_format(out,
                "invariant under_way: forall x in w. a.s and not x in s%zu.acks implies pending "
                "M%zu(x) or pending N(x)%s\n",
                k, k, plan->hops[k].family == FAMILY_PAIRED ? " or pending W(x)" : "");
  text_format(out, "invariant asked: forall x in w. sent M%zu(x) implies time(M%zu(x)) <= ", k, k);
  plan_way(out, plan, k, plan->drop, false);
  text_format(out, " + d(M%zu(x))\n", k);
  family_invariants(out, plan, k);
  if (plan->proof == PROOF_WAITS)
    return;
  text_format(out, "invariant gathered: not sent M%zu implies time(s%zu) <= ", k + 1, k);
  plan_way(out, plan, k + 1, plan->drop, false);
  text_append(out, "\n");
}

static void invariant_server(struct text *out, const struct hop *hop, size_t k) {
  if (!hop->busy && !hop->ticks)
    text_format(out, "invariant calm%zu: not s%zu.other\n", k, k);
  if (hop->gate == GATE_NONE)
    text_format(out, "invariant closed%zu: not s%zu.open\n", k, k);
  if (hop->gate == GATE_DEADLINE)
    text_format(out, "invariant done%zu: received M%zu implies s%zu.open\n", k, k, k);
  if (hop->gate != GATE_MESSAGE)
    return;
  text_format(out,
              "invariant given%zu: not k%zu.given implies time(k%zu) <= 0 ns and not sent Key%zu\n",
              k, k, k, k);
  text_format(out, "invariant key%zu: sent Key%zu implies time(Key%zu) <= K%zu + d(Key%zu)\n", k, k,
              k, k, k);
  text_format(out, "invariant opened%zu: s%zu.open iff received Key%zu\n", k, k, k);
}

/* What the server sends it sends for its message, or at its deadline. */
static void invariant_after(struct text *out, const struct plan *plan, size_t k) {
  bool to_all = k + 1 < plan->hop_count && plan->hops[k + 1].scatter;
  const char *of = to_all ? "(x)" : "";
  text_format(out, "invariant after%zu: %ssent M%zu%s implies ", k, to_all ? "forall x in w. " : "",
              k + 1, of);
  text_format(out, plan->hops[k].gate == GATE_DEADLINE ? "s%zu.open\n" : "received M%zu\n", k);
  if (!to_all && plan_is_certain(plan, k + 1))
    text_format(out, "invariant passed_on%zu: received M%zu implies sent M%zu\n", k, k, k + 1);
}

static void invariant_hop(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  invariant_server(out, hop, k);
  if (hop->scatter) {
    invariant_scatter(out, plan, k);
    return;
  }
  invariant_after(out, plan, k);
  if (plan->proof == PROOF_INFERRED)
    return;
  text_format(out, "invariant sent%zu: sent M%zu implies time(M%zu) <= ", k, k, k);
  plan_way(out, plan, k, plan->drop, false);
  text_format(out, " + d(M%zu)\n", k);
  if (plan->proof != PROOF_WAITS || hop->gate == GATE_DEADLINE)
    invariant_clock(out, plan, k);
}

static void invariant_start(struct text *out, const struct plan *plan) {
  bool scatter = plan->hops[0].scatter;
  text_format(out, "invariant idle: not a.s implies time(a) <= %s\n",
              plan->start == START_POLL ? "P + Loop" : "0 ns");
  text_format(out, scatter ? "invariant unsent: forall x in w. not a.s implies not sent M0(x)\n"
                           : "invariant unsent: not a.s implies not sent M0\n");
  if (!scatter && plan_is_certain(plan, 0))
    text_append(out, "invariant sends: a.s implies sent M0\n");
}

static void write_bounds(struct text *out, const struct plan *plan) {
  size_t last = plan->hop_count;
  if (plan->proof == PROOF_INFERRED) {
    text_format(out, "bound found: delivered M%zu within ?\n", last);
    return;
  }
  text_format(out, "bound full: delivered M%zu within ", last);
  plan_way(out, plan, last, plan->drop, false);
  text_format(out, " + d(M%zu)\nbound lean: sent M%zu within ", last, last);
  plan_way(out, plan, last, plan->lean, false);
  if (plan->drop < 0) {
    text_format(out, "\nbound bare: sent M%zu within ", last);
    plan_way(out, plan, last, plan->drop, true);
  }
  text_append(out, "\n");
}

void plan_claims(struct text *out, const struct plan *plan) {
  invariant_start(out, plan);
  for (size_t k = 0; k < plan->hop_count; k++)
    invariant_hop(out, plan, k);
  write_bounds(out, plan);
}
