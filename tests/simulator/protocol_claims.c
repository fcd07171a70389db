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

/* Until the first has answered: of each of w something is under way. */
static void invariant_first(struct text *out, const struct hop *hop, size_t k) {
  const char *told = hop->crossed ? "W(v(x))" : "W(x)";
  text_format(out,
              "invariant under_way: forall x in w. a.s and not x in s%zu.acks implies pending "
              "M%zu(x) or pending N(x)",
              k, k);
  if (hop->family != FAMILY_PLAIN)
    text_format(out, " or pending %s", told);
  text_append(out, hop->family == FAMILY_RETURNED ? " or pending B(x)\n" : "\n");
}

/* "sent M<k> implies ", of each that there is. */
static void if_sent(struct text *out, const struct plan *plan, size_t k) {
  if (k < plan->hop_count && plan->hops[k].scatter)
    text_format(out, "forall x in %s. sent M%zu(x) implies ", family_asked(&plan->hops[k]), k);
  else if (plan_copies(plan, k))
    text_format(out, "forall c in int. sent M%zu(c) implies ", k);
  else
    text_format(out, "sent M%zu implies ", k);
}

static void invariant_scatter(struct text *out, const struct plan *plan, size_t k) {
  const char *who = family_answers(&plan->hops[k]), *asked = family_asked(&plan->hops[k]);
  text_format(out, "invariant counted: forall x in %s. received N(x) iff x in s%zu.acks\n", who, k);
  text_append(out, "invariant all_in: ");
  if_sent(out, plan, k + 1);
  if (plan->hops[k].first)
    text_format(out, "|s%zu.acks| >= 1\n", k);
  else
    text_format(out, "s%zu.acks == %s\n", k, who);
  if (plan->hops[k].ranked || plan->hops[k].added)
    text_format(
        out, "invariant kept: forall x in %s. s%zu.got[x] == (if x in s%zu.acks then 1 else 0)\n",
        who, k, k);
  if (plan->hops[k].first)
    invariant_first(out, &plan->hops[k], k);
  if (plan->hops[k].settles)
    text_format(out, "invariant settled: forall x in %s. charged F[x] implies s%zu.acks == %s\n",
                who, k, who);
  text_format(out, "invariant asked: forall x in %s. sent M%zu(x) implies time(M%zu(x)) <= ", asked,
              k, k);
  plan_way(out, plan, k, plan->drop, WAY_KNOWN);
  text_format(out, " + d(M%zu(x))\n", k);
  family_invariants(out, plan, k);
  if (plan->proof == PROOF_WAITS)
    return;
  text_format(out, "invariant gathered: not sent M%zu implies time(s%zu) <= ", k + 1, k);
  plan_way(out, plan, k + 1, plan->drop, WAY_KNOWN);
  text_append(out, "\n");
}

/* One of w is asked, once, and its answer is passed on. */
static void invariant_ask(struct text *out, const struct plan *plan, size_t k) {
  text_format(out,
              "invariant asks: forall x in w. sent Ask(x) implies received M%zu\n"
              "invariant one: forall x in w, y in w. sent Ask(x) and sent Ask(y) implies x == y\n",
              k);
  if (plan->hops[k].ask != ASK_ANY)
    text_format(out, "invariant up: not first(w) in s%zu.down\n", k);
  text_append(out, "invariant asked: forall x in w. sent Ask(x) implies time(Ask(x)) <= ");
  plan_way_asked(out, plan, k);
  text_append(out, " + d(Ask(x))\n");
  family_invariants(out, plan, k);
}

static void invariant_server(struct text *out, const struct hop *hop, size_t k) {
  if (!hop->busy && !hop->ticks)
    text_format(out, "invariant calm%zu: not s%zu.other\n", k, k);
  if (hop->gate == GATE_NONE && hop->rival == RIVAL_NONE)
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

/* What a batch costs is charged for the message. */
static void invariant_batch(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  if (hop->price != PRICE_BATCH || hop->scatter || hop->loop)
    return;
  text_format(out, "invariant paid%zu: forall i in int. charged H%zu[i] implies ", k, k);
  plan_taken(out, plan, k);
  text_append(out, "\n");
}

/* Of copies: how many there are, all sent at once; and that the first that is taken is paid for. */
static void invariant_copies(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  text_format(out,
              "invariant copies%zu: forall c in int. sent M%zu(c) implies 1 <= c and c <= %u\n"
              "invariant taken%zu: (s%zu.seen implies sent M%zu(1)) and "
              "forall c in int. received M%zu(c) implies s%zu.seen\n",
              k, k, hop->losses + 1, k, k, k, k, k);
  if (hop->fifo)
    text_format(out,
                "invariant in_turn%zu: forall c in int. not s%zu.seen and sent M%zu(c) implies "
                "(lost M%zu(c) iff c <= losses(M%zu))\n"
                "invariant together%zu: (losses(M%zu) >= 1 implies sent M%zu(1)) and "
                "forall b in int, c in 1..%u. sent M%zu(b) implies sent M%zu(c)\n",
                k, k, k, k, k, k, k, k, hop->losses + 1, k, k);
  if (hop->lack == LACK_COPY)
    text_format(out, "invariant fewer%zu: losses(M%zu) < %u\n", k, k, hop->losses);
  if (hop->price == PRICE_NAMED || hop->price == PRICE_EITHER)
    text_format(out, "invariant paid%zu: charged H%zu implies s%zu.seen\n", k, k, k);
  if (hop->price == PRICE_EITHER)
    text_format(out, "invariant paid_else%zu: charged G%zu implies s%zu.seen\n", k, k, k);
}

/* What the server sends it sends for its message, or at its deadline, or for the answer. */
static void invariant_after(struct text *out, const struct plan *plan, size_t k) {
  bool to_all = k + 1 < plan->hop_count && plan->hops[k + 1].scatter;
  const struct hop *hop = &plan->hops[k];
  text_format(out, "invariant after%zu: ", k);
  if_sent(out, plan, k + 1);
  if (hop->ask != ASK_NONE)
    text_append(out, "exists y in w. received N(y)\n");
  else if (hop->gate == GATE_DEADLINE)
    text_format(out, "s%zu.open\n", k);
  else
    plan_taken(out, plan, k);
  if (hop->ask == ASK_NONE && hop->gate != GATE_DEADLINE)
    text_append(out, "\n");
  if (!to_all && !plan_copies(plan, k + 1) && plan_is_certain(plan, k + 1))
    text_format(out, "invariant passed_on%zu: received M%zu implies sent M%zu\n", k, k, k + 1);
}

/* What is under way, and how long the message waits for it: before the server's own step, which is
 * taken once, and after it. */
static void invariant_rival(struct text *out, const struct hop *hop, size_t k) {
  if (hop->rival == RIVAL_BEFORE)
    text_format(out, "invariant rivals%zu: forall c in int. sent Rival%zu(c) implies sent M%zu\n",
                k, k, k);
  else
    text_format(out,
                "invariant rivals%zu: forall c in int. sent Rival%zu(c) implies c <= x%zu.gave\n",
                k, k, k);
  for (unsigned other = 0; other <= hop->busy; other++) {
    const char *not = other == 0 ? "not " : "";
    text_format(out,
                "invariant rested%zu%u: not received M%zu and %ss%zu.other implies time(s%zu) <= "
                "now + ",
                k, other, k, not, k, k);
    text_format(out, other == 0 ? "L%zu\n" : "max(L%zu, U%zu)\n", k, k);
    text_format(out, "invariant soon%zu%u: pending M%zu and %ss%zu.other implies time(s%zu)", k,
                other, k, not, k, k);
    if (hop->lack == LACK_TRAVEL)
      text_format(out, " + d(M%zu)", k);
    text_format(out, " <= time(M%zu) + ", k);
    plan_rival_wait(out, hop, k, other == 1);
    text_append(out, "\n");
  }
}

static void invariant_hop(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  invariant_server(out, hop, k);
  if (hop->scatter) {
    invariant_scatter(out, plan, k);
    return;
  }
  invariant_after(out, plan, k);
  invariant_batch(out, plan, k);
  if (hop->losses != 0)
    invariant_copies(out, plan, k);
  if (hop->rival != RIVAL_NONE)
    invariant_rival(out, hop, k);
  if (hop->ask != ASK_NONE)
    invariant_ask(out, plan, k);
  if (plan->proof == PROOF_INFERRED)
    return;
  bool copies = plan_copies(plan, k);
  text_format(out,
              copies ? "invariant sent%zu: forall c in int. sent M%zu(c) implies time(M%zu(c)) <= "
                     : "invariant sent%zu: sent M%zu implies time(M%zu) <= ",
              k, k, k);
  plan_way(out, plan, k, plan->drop, WAY_KNOWN);
  if (copies && hop->paced != 0)
    text_format(out, " + max(0, c - %u)*Pace", hop->paced);
  text_format(out, copies ? " + d(M%zu(c))\n" : " + d(M%zu)\n", k);
  if (plan->proof != PROOF_WAITS || hop->gate == GATE_DEADLINE)
    invariant_clock(out, plan, k);
}

static void invariant_start(struct text *out, const struct plan *plan) {
  bool scatter = plan->hops[0].scatter;
  if (plan->start != START_ANY)
    text_format(out, "invariant idle: not a.s implies time(a) <= %s\n",
                plan->start == START_POLL ? "P + Loop" : "0 ns");
  if (scatter)
    text_format(out, "invariant unsent: forall x in %s. not a.s implies not sent M0(x)\n",
                family_asked(&plan->hops[0]));
  else if (plan_copies(plan, 0))
    text_append(out, "invariant unsent: forall c in int. not a.s implies not sent M0(c)\n");
  else
    text_append(out, "invariant unsent: not a.s implies not sent M0\n");
  if (!scatter && !plan_copies(plan, 0) && plan_is_certain(plan, 0))
    text_append(out, "invariant sends: a.s implies sent M0\n");
}

static void write_bound(struct text *out, const struct plan *plan, const char *name,
                        const char *target) {
  text_format(out, "bound %s: ", name);
  plan_from(out, plan);
  text_format(out, "%s M%zu within ", target, plan->hop_count);
}

/* Chosen by a power of a parameter: with one node the lean bound and with more the full one, or the
 * other way round; and more by a power, which is nothing for one node. */
static void write_chosen(struct text *out, const struct plan *plan) {
  bool lean_if_one = plan->lean % 2 == 0;
  write_bound(out, plan, "chosen", "sent");
  text_format(out, "(if 2^n %s 2 then ", lean_if_one ? "<=" : ">");
  plan_way(out, plan, plan->hop_count, plan->lean, WAY_BOUND);
  text_append(out, " else ");
  plan_way(out, plan, plan->hop_count, plan->drop, WAY_BOUND);
  text_append(out, ") + (2^(n - 1) - 1)*P\n");
}

static void write_bounds(struct text *out, const struct plan *plan) {
  size_t last = plan->hop_count;
  if (plan->proof == PROOF_INFERRED) {
    text_format(out, "bound found: delivered M%zu within ?\n", last);
    return;
  }
  write_bound(out, plan, "full", "delivered");
  plan_way(out, plan, last, plan->drop, WAY_BOUND);
  text_format(out, " + d(M%zu)\n", last);
  write_bound(out, plan, "lean", "sent");
  plan_way(out, plan, last, plan->lean, WAY_BOUND);
  text_append(out, "\n");
  write_chosen(out, plan);
  if (plan->drop >= 0)
    return;
  write_bound(out, plan, "bare", "sent");
  plan_way(out, plan, last, plan->drop, WAY_BARE);
  text_append(out, "\n");
}

void plan_claims(struct text *out, const struct plan *plan) {
  invariant_start(out, plan);
  for (size_t k = 0; k < plan->hop_count; k++)
    invariant_hop(out, plan, k);
  write_bounds(out, plan);
}
