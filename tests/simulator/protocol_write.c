/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/simulator/protocol.h"

/* --- the sum along the way ----------------------------------------------------------------------
 */

/* An expression under way: terms are numbered, and one is left out. */
struct sum {
  struct text text;
  const struct plan *plan;
  int next, drop;
  bool bare;
};

static bool is_kept(struct sum *sum) {
  return sum->next++ != sum->drop;
}

static void add(struct sum *sum, const char *term) {
  if (is_kept(sum))
    text_format(&sum->text, " + %s", term);
}

static void add_start(struct sum *sum) {
  static const char *const waits[] = {"0 ns", "P", "T", "P + Loop"};
  text_append(&sum->text, waits[sum->plan->start]);
  add(sum, "A");
}

/* "d(M1)", and "d" with bare names. */
static void name_of(struct text *out, const struct sum *sum, const char *component,
                    const char *message, size_t k) {
  if (sum->bare)
    text_append(out, component);
  else
    text_format(out, "%s(%s%zu)", component, message, k);
}

static void add_named(struct sum *sum, const char *component, const char *message, size_t k) {
  struct text name;
  text_init(&name);
  name_of(&name, sum, component, message, k);
  add(sum, text_get(&name));
  text_clear(&name);
}

/* What the server's own work takes, its gate's and the other; from the time when that can begin. */
static void own_work(struct text *out, const struct hop *hop, size_t k, bool opened, bool busied) {
  static const char letters[] = {'0', '0', 'P', 'T'};
  if (!opened || hop->gate == GATE_NONE)
    text_append(out, "0 ns");
  else if (hop->gate == GATE_MESSAGE)
    text_format(out, "K%zu + d(Key%zu) + O%zu", k, k, k);
  else if (hop->gate == GATE_STEP)
    text_format(out, "O%zu", k);
  else
    text_format(out, "%c%zu + O%zu", letters[hop->gate], k, k);
  if (busied && hop->busy)
    text_format(out, " + U%zu", k);
}

static void add_price(struct sum *sum, size_t k) {
  const struct hop *hop = &sum->plan->hops[k];
  struct text price;
  text_init(&price);
  if (hop->loop)
    text_format(&price, "Receive%zu", k);
  else if (hop->price == PRICE_EITHER)
    text_format(&price, "max(H%zu, G%zu)", k, k);
  else
    text_format(&price, "H%zu", k);
  if (hop->scatter)
    is_kept(sum);
  else
    add(sum, text_get(&price));
  text_clear(&price);
}

static void add_scatter(struct sum *sum, size_t k) {
  bool waits = sum->plan->proof == PROOF_WAITS, kept = is_kept(sum), gathers = is_kept(sum);
  if (sum->bare) {
    text_append(&sum->text, " + 2*d + C");
    text_append(&sum->text, waits ? " + 2*Q" : "");
    return;
  }
  text_append(&sum->text, sum->plan->hops[k].first ? " + kth(1, x in w (" : " + max x in w (");
  text_format(&sum->text, "d(M%zu(x)) + C[x] + d(N(x))", k);
  if (waits && kept)
    text_format(&sum->text, " + Q(M%zu(x))", k);
  if (waits && gathers)
    text_append(&sum->text, " + Q(N(x))");
  text_append(&sum->text, sum->plan->hops[k].first ? "))" : ")");
}

/* The sum becomes max(own work, sum). */
static void max_with_own(struct sum *sum, size_t k) {
  struct text inner = sum->text;
  bool kept = is_kept(sum);
  if (!kept)
    return;
  text_init(&sum->text);
  text_append(&sum->text, "max(");
  bool arrives = sum->plan->proof == PROOF_ARRIVALS && sum->plan->hops[k].gate >= GATE_TIMER;
  own_work(&sum->text, &sum->plan->hops[k], k, !arrives, true);
  text_format(&sum->text, ", %s)", text_get(&inner));
  text_clear(&inner);
}

/* What the server does itself, before the message or, known from arrivals, after it. */
static void add_own(struct sum *sum, size_t k) {
  const struct hop *hop = &sum->plan->hops[k];
  bool arrives = sum->plan->proof == PROOF_ARRIVALS && hop->gate >= GATE_TIMER;
  if (arrives && is_kept(sum))
    text_format(&sum->text, " + O%zu", k);
  if (!arrives || hop->busy)
    max_with_own(sum, k);
}

static void add_hop(struct sum *sum, size_t k) {
  const struct hop *hop = &sum->plan->hops[k];
  if (hop->scatter) {
    add_scatter(sum, k);
  } else {
    add_named(sum, "d", "M", k);
    if (sum->plan->proof == PROOF_WAITS)
      add_named(sum, "Q", "M", k);
    else
      add_own(sum, k);
  }
  add_price(sum, k);
}

/* Appends the sum up to the sending of M<hops>. */
static void way(struct text *out, const struct plan *plan, size_t hops, int drop, bool bare) {
  struct sum sum = {.plan = plan, .drop = drop, .bare = bare};
  text_init(&sum.text);
  add_start(&sum);
  for (size_t k = 0; k < hops; k++)
    add_hop(&sum, k);
  text_append(out, text_get(&sum.text));
  text_clear(&sum.text);
}

/* --- declarations -------------------------------------------------------------------------------
 */

static void declare_roles(struct text *out, const struct plan *plan) {
  static const char *const timings[] = {"standard", "advanced", "eager"};
  text_format(out, "protocol random\ntiming %s\n", timings[plan->timing]);
  text_append(out, "param n : int >= 1\nparam P : time\nrole a\nexternal client\nrole w[n]\n");
  for (size_t k = 0; k < plan->hop_count; k++) {
    text_format(out, "role s%zu\n", k);
    if (plan->hops[k].gate == GATE_MESSAGE)
      text_format(out, "role k%zu\n", k);
    if (plan->hops[k].gate == GATE_TIMER)
      text_format(out, "param P%zu : time\n", k);
  }
}

/* Components that the hop's actions charge. */
static void declare_hop(struct text *out, const struct hop *hop, size_t k) {
  const char *kind = hop->price == PRICE_REPEATED ? "repeated" : "component";
  if (!hop->loop && !hop->scatter)
    text_format(out, "%s H%zu\n", kind, k);
  if (!hop->loop && !hop->scatter && hop->price == PRICE_EITHER)
    text_format(out, "component G%zu\n", k);
  if (hop->gate != GATE_NONE)
    text_format(out, "component O%zu\n", k);
  if (hop->gate == GATE_MESSAGE)
    text_format(out, "component K%zu\n", k);
  if (hop->gate == GATE_TIMEOUT)
    text_format(out, "timeout T%zu\n", k);
  if (hop->busy)
    text_format(out, "component U%zu\n", k);
  if (hop->loop)
    text_format(out, "schedule s%zu = [Receive%zu, Check%zu] timeout T\n", k, k, k);
}

static void declare_components(struct text *out, const struct plan *plan) {
  bool ticks = false;
  for (size_t k = 0; k < plan->hop_count; k++)
    ticks |= plan->hops[k].ticks;
  text_format(out, "component A, C[w]\ntimeout T\ndelay d\n%s%s%s",
              plan->start == START_POLL ? "repeated Loop\n" : "", ticks ? "repeated Tick\n" : "",
              plan->queueing ? "queueing Q\n" : "");
  for (size_t k = 0; k < plan->hop_count; k++)
    declare_hop(out, &plan->hops[k], k);
}

/* Some comparison of times of the file is assumed. */
static void declare_assumption(struct text *out, const struct plan *plan) {
  char names[3 + 4 * HOPS_MAX][3] = {"A", "d", "P"};
  size_t count = 3;
  for (size_t k = 0; k < plan->hop_count; k++) {
    const struct hop *hop = &plan->hops[k];
    const char *kinds = hop->gate == GATE_TIMER     ? "PO"
                        : hop->gate == GATE_TIMEOUT ? "TO"
                        : hop->gate == GATE_MESSAGE ? "KO"
                        : hop->gate == GATE_STEP    ? "O"
                                                    : "";
    for (; *kinds != 0; kinds++) {
      names[count][0] = *kinds;
      names[count][1] = (char)('0' + k);
      count++;
    }
    if (hop->busy) {
      names[count][0] = 'U';
      names[count][1] = (char)('0' + k);
      count++;
    }
  }
  if (plan->assumed > 0)
    text_format(out, "assume %s <= %s\n", names[plan->assumed % count],
                names[plan->assumed / count % count]);
}

static const char *sender_of(const struct plan *plan, size_t k, char *name) {
  (void)plan;
  if (k == 0)
    return "a";
  name[0] = 's';
  name[1] = (char)('0' + k - 1);
  name[2] = 0;
  return name;
}

static void declare_messages(struct text *out, const struct plan *plan) {
  char name[3];
  for (size_t k = 0; k < plan->hop_count; k++) {
    const struct hop *hop = &plan->hops[k];
    const char *from = sender_of(plan, k, name), *fifo = hop->fifo ? " fifo" : "";
    if (hop->scatter)
      text_format(out, "message M%zu(x: w) : %s -> w x%s\nmessage N(x: w) : w x -> s%zu%s\n", k,
                  from, fifo, k, fifo);
    else
      text_format(out, "message M%zu : %s -> s%zu%s\n", k, from, k, fifo);
    if (hop->gate == GATE_MESSAGE)
      text_format(out, "message Key%zu : k%zu -> s%zu\n", k, k, k);
  }
  text_format(out, "message M%zu : %s -> client\n", plan->hop_count,
              sender_of(plan, plan->hop_count, name));
}

static void declare_states(struct text *out, const struct plan *plan) {
  text_append(out, "state a { s : bool = false }\n");
  for (size_t k = 0; k < plan->hop_count; k++) {
    text_format(out, "state s%zu { open : bool = false  other : bool = false", k);
    if (plan->hops[k].scatter)
      text_append(out, "  acks : set of w = {}");
    text_append(out, " }\n");
    if (plan->hops[k].gate == GATE_MESSAGE)
      text_format(out, "state k%zu { given : bool = false }\n", k);
  }
}

/* --- actions ------------------------------------------------------------------------------------
 */

static void write_send(struct text *out, const struct plan *plan, size_t k) {
  if (k < plan->hop_count && plan->hops[k].scatter)
    text_format(out, "send M%zu(x) for all x in w", k);
  else
    text_format(out, "send M%zu", k);
}

static void write_start(struct text *out, const struct plan *plan) {
  static const char *const clauses[] = {"", " on timer P", " on timeout T", " reads t"};
  text_format(out, "action a.Go%s cost A { when not s%s  s := true  ", clauses[plan->start],
              plan->start == START_POLL ? " and t >= P" : "");
  write_send(out, plan, 0);
  text_append(out, " }\n");
  if (plan->start == START_POLL)
    text_append(out, "action a.Wait reads t cost Loop { when not s and t < P }\n");
}

/* Known from arrivals, what is due is done behind the server's own step. */
static bool comes_second(const struct plan *plan, const struct hop *hop) {
  return plan->proof == PROOF_ARRIVALS && hop->busy;
}

static void write_gate(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  const char *second = comes_second(plan, hop) ? "other" : NULL;
  if (hop->gate == GATE_MESSAGE)
    text_format(out, "action k%zu.Give cost K%zu { when not given  given := true  send Key%zu }\n",
                k, k, k);
  text_format(out, "action s%zu.Open", k);
  if (hop->gate == GATE_TIMER)
    text_format(out, " on timer P%zu", k);
  else if (hop->gate == GATE_TIMEOUT)
    text_format(out, " on timeout T%zu", k);
  else if (hop->gate == GATE_MESSAGE)
    text_format(out, " on Key%zu", k);
  text_format(out, " cost O%zu { ", k);
  if (hop->gate != GATE_MESSAGE)
    text_format(out, "when not open%s%s  ", second == NULL ? "" : " and ",
                second == NULL ? "" : second);
  else if (second != NULL)
    text_format(out, "when %s  ", second);
  text_append(out, "open := true }\n");
}

static void write_take(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  const char *guard = hop->guarded ? "when open  " : "";
  if (hop->scatter) {
    text_format(out, "action w x.Serve on M%zu(x) cost C[x] { send N(x) }\n", k);
    text_format(out, "action s%zu.Gather on N(x) { %sacks := acks + {x}  if %s { ", k, guard,
                hop->first ? "|acks| == 1" : "acks == w");
    write_send(out, plan, k + 1);
    text_append(out, " } }\n");
    return;
  }
  text_format(out, "action s%zu.Take", k);
  if (hop->loop)
    text_format(out, " in Receive%zu", k);
  text_format(out, " on M%zu", k);
  if (!hop->loop && hop->price == PRICE_EITHER)
    text_format(out, " cost if other then H%zu else G%zu", k, k);
  else if (!hop->loop)
    text_format(out, " cost H%zu", k);
  text_format(out, " { %s", guard);
  write_send(out, plan, k + 1);
  text_append(out, " }\n");
}

static void write_hop(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  if (hop->gate != GATE_NONE)
    write_gate(out, plan, k);
  if (hop->busy)
    text_format(out, "action s%zu.Other cost U%zu { when not other  other := true }\n", k, k);
  if (hop->ticks)
    text_format(out, "action s%zu.Tick cost Tick { other := not other }\n", k);
  write_take(out, plan, k);
}

/* --- invariants and bounds ----------------------------------------------------------------------
 */

/* One for each state of the server: what it has done, and so how late its clock is. */
static void invariant_clock(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  for (unsigned done = 0; done < 4; done++) {
    bool opened = (done & 1) != 0, busied = (done & 2) != 0;
    bool arrives = plan->proof == PROOF_ARRIVALS && opened && hop->gate >= GATE_TIMER;
    if ((opened && hop->gate == GATE_NONE) || (busied && !hop->busy))
      continue;
    text_format(out,
                "invariant clock%zu%u: %ss%zu.open and %ss%zu.other and not received M%zu implies "
                "time(s%zu) <= ",
                k, done, opened ? "" : "not ", k, busied ? "" : "not ", k, k, k);
    if (arrives)
      text_format(out, "arrival(s%zu) + O%zu\n", k, k);
    else
      own_work(out, hop, k, opened, busied);
    text_append(out, "\n");
  }
  if (comes_second(plan, hop) && hop->gate != GATE_NONE)
    text_format(out, "invariant second%zu: s%zu.open implies s%zu.other\n", k, k, k);
  if (plan->proof == PROOF_ARRIVALS)
    text_format(out,
                "invariant arrival%zu: not s%zu.open and not received M%zu implies "
                "arrival(s%zu) <= 0 ns\n",
                k, k, k, k);
}

static void invariant_scatter(struct text *out, const struct plan *plan, size_t k) {
  text_format(out, "invariant served: forall x in w. sent N(x) implies received M%zu(x)\n", k);
  text_format(out, "invariant counted: forall x in w. received N(x) iff x in s%zu.acks\n", k);
  text_format(out, "invariant all_in: sent M%zu implies ", k + 1);
  text_format(out, plan->hops[k].first ? "|s%zu.acks| >= 1\n" : "s%zu.acks == w\n", k);
  if (plan->hops[k].first)
    text_format(out,
                "invariant under_way: forall x in w. a.s and not x in s%zu.acks implies pending "
                "M%zu(x) or pending N(x)\n",
                k, k);
  text_format(out, "invariant asked: forall x in w. sent M%zu(x) implies time(M%zu(x)) <= ", k, k);
  way(out, plan, k, plan->drop, false);
  text_format(out, " + d(M%zu(x))\n", k);
  text_format(out, "invariant answered: forall x in w. sent N(x) implies time(N(x)) <= ");
  way(out, plan, k, plan->drop, false);
  text_format(out, " + d(M%zu(x)) + %s%zu%s + C[x] + d(N(x))\n", k,
              plan->proof == PROOF_WAITS ? "Q(M" : "0*d(M", k, "(x))");
  if (plan->proof == PROOF_WAITS)
    return;
  text_format(out,
              "invariant rested: forall x in w. not received M%zu(x) implies time(x) <= 0 ns\n", k);
  text_format(out, "invariant gathered: not sent M%zu implies time(s%zu) <= ", k + 1, k);
  way(out, plan, k + 1, plan->drop, false);
  text_append(out, "\n");
}

static void invariant_hop(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  if (!hop->busy && !hop->ticks)
    text_format(out, "invariant calm%zu: not s%zu.other\n", k, k);
  if (hop->gate == GATE_NONE)
    text_format(out, "invariant closed%zu: not s%zu.open\n", k, k);
  if (hop->gate == GATE_MESSAGE) {
    text_format(
        out, "invariant given%zu: not k%zu.given implies time(k%zu) <= 0 ns and not sent Key%zu\n",
        k, k, k, k);
    text_format(out, "invariant key%zu: sent Key%zu implies time(Key%zu) <= K%zu + d(Key%zu)\n", k,
                k, k, k, k);
    text_format(out, "invariant opened%zu: s%zu.open iff received Key%zu\n", k, k, k);
  }
  if (hop->scatter) {
    invariant_scatter(out, plan, k);
    return;
  }
  if (k + 1 < plan->hop_count && plan->hops[k + 1].scatter)
    text_format(out, "invariant after%zu: forall x in w. sent M%zu(x) implies received M%zu\n", k,
                k + 1, k);
  else
    text_format(out, "invariant after%zu: sent M%zu implies received M%zu\n", k, k + 1, k);
  if (plan->proof == PROOF_INFERRED)
    return;
  text_format(out, "invariant sent%zu: sent M%zu implies time(M%zu) <= ", k, k, k);
  way(out, plan, k, plan->drop, false);
  text_format(out, " + d(M%zu)\n", k);
  if (plan->proof != PROOF_WAITS)
    invariant_clock(out, plan, k);
}

static void invariant_start(struct text *out, const struct plan *plan) {
  bool scatter = plan->hops[0].scatter;
  text_format(out, "invariant idle: not a.s implies time(a) <= %s\n",
              plan->start == START_POLL ? "P + Loop" : "0 ns");
  text_format(out, scatter ? "invariant unsent: forall x in w. not a.s implies not sent M0(x)\n"
                           : "invariant unsent: not a.s implies not sent M0\n");
}

static void write_bounds(struct text *out, const struct plan *plan) {
  size_t last = plan->hop_count;
  if (plan->proof == PROOF_INFERRED) {
    text_format(out, "bound found: delivered M%zu within ?\n", last);
    return;
  }
  text_format(out, "bound full: delivered M%zu within ", last);
  way(out, plan, last, plan->drop, false);
  text_format(out, " + d(M%zu)\nbound lean: sent M%zu within ", last, last);
  way(out, plan, last, plan->lean, false);
  if (plan->drop < 0) {
    text_format(out, "\nbound bare: sent M%zu within ", last);
    way(out, plan, last, plan->drop, true);
  }
  text_append(out, "\n");
}

void plan_write(struct text *out, const struct plan *plan) {
  declare_roles(out, plan);
  declare_components(out, plan);
  declare_assumption(out, plan);
  declare_messages(out, plan);
  declare_states(out, plan);
  write_start(out, plan);
  for (size_t k = 0; k < plan->hop_count; k++)
    write_hop(out, plan, k);
  invariant_start(out, plan);
  for (size_t k = 0; k < plan->hop_count; k++)
    invariant_hop(out, plan, k);
  write_bounds(out, plan);
}
