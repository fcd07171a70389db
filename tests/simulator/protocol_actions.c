/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/protocol_parts.h"

static void write_send(struct text *out, const struct plan *plan, size_t k) {
  if (k < plan->hop_count && plan->hops[k].rival == RIVAL_BEFORE)
    text_format(out, "send Rival%zu(1)  send Rival%zu(2)  ", k, k);
  if (k < plan->hop_count && plan->hops[k].scatter)
    text_format(out, "send M%zu(x) for all x in %s", k, family_asked(&plan->hops[k]));
  else if (plan_copies(plan, k))
    for (unsigned c = 1; c <= plan->hops[k].losses + 1; c++)
      text_format(out, "%ssend M%zu(%u)", c == 1 ? "" : "  ", k, c);
  else
    text_format(out, "send M%zu", k);
}

static const char *reads(const struct plan *plan) {
  return plan->reads ? " reads t" : "";
}

static void write_start(struct text *out, const struct plan *plan) {
  static const char *const clauses[] = {"", " on timer P", " on timeout T", " reads t",
                                        " at any time"};
  bool timer = plan->start == START_TIMER;
  static const char *const choices[] = {"", "(z in 0..2)", "(z in 1..(if ready then 2 else 0))"};
  if (plan->chooses == TIMED_READY)
    text_append(out, "action a.Prepare { when not ready  ready := true }\n");
  text_format(out, "action a.Go%s%s%s cost A { when not s%s  s := true  ", choices[plan->chooses],
              clauses[plan->start], timer ? reads(plan) : "",
              plan->start == START_POLL     ? " and t >= P"
              : plan->chooses == TIMED_FREE ? " and z != 1"
                                            : "");
  write_send(out, plan, 0);
  text_append(out, " }\n");
  if (plan->start == START_POLL)
    text_append(out, "action a.Wait reads t cost Loop { when not s and t < P }\n");
}

bool plan_comes_second(const struct plan *plan, const struct hop *hop) {
  return plan->proof == PROOF_ARRIVALS && hop->busy;
}

static void write_gate(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  const char *second = plan_comes_second(plan, hop) ? "other" : NULL;
  if (hop->gate == GATE_MESSAGE)
    text_format(out, "action k%zu.Give cost K%zu { when not given  given := true  send Key%zu }\n",
                k, k, k);
  text_format(out, "action s%zu.Open", k);
  if (hop->gate == GATE_TIMER)
    text_format(out, " on timer P%zu%s", k, reads(plan));
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

/* What is sent in copies costs once. */
static void write_price(struct text *out, const struct hop *hop, size_t k) {
  text_format(out, " cost %s", hop->losses == 0 ? "" : "if seen then 0 else ");
  if (hop->price == PRICE_EITHER)
    text_format(out, "if other then H%zu else G%zu", k, k);
  else if (hop->price == PRICE_BATCH)
    text_format(out, "sum i in 1..%s (H%zu[i])", hop->sized ? "z" : "2", k);
  else if (hop->price == PRICE_EXECUTIONS)
    text_format(out, "sum i in 1..3 (H%zu)", k);
  else
    text_format(out, "H%zu", k);
}

static void write_give_up(struct text *out, const struct plan *plan, size_t k) {
  text_format(out, "action s%zu.GiveUp on timer P%zu%s", k, k, reads(plan));
  write_price(out, &plan->hops[k], k);
  text_append(out, " { when not open  open := true  ");
  write_send(out, plan, k + 1);
  text_append(out, " }\n");
}

/* Of n numbers, 1 for whoever has answered, the smallest is 1, or the largest 0 until now. */
static void write_gather(struct text *out, const struct plan *plan, size_t k, const char *guard) {
  const struct hop *hop = &plan->hops[k];
  const char *who = family_answers(hop);
  text_format(out, "action s%zu.Gather on N(x)", k);
  if (hop->settles)
    text_format(out, " cost if acks + {x} == %s then sum y in %s (F[y]) else 0", who, who);
  text_format(out, " { %s%sacks := acks + {x}  if ", guard,
              hop->added || (hop->ranked && !hop->first) ? "got[x] := 1  " : "");
  if (hop->ranked)
    text_format(out, "kth(%s, y in %s (got[y])) == %s", hop->first ? "n" : "1", who,
                hop->first ? "0" : "1");
  else if (hop->added)
    text_format(out, "sum y in %s (got[y]) == %s", who, hop->first ? "1" : family_size(hop));
  else if (hop->first)
    text_append(out, "|acks| == 1");
  else
    text_format(out, "acks == %s", who);
  text_append(out, " { ");
  write_send(out, plan, k + 1);
  text_format(out, " }%s }\n", hop->ranked && hop->first ? "  got[x] := 1" : "");
}

/* The server chooses one of w, asks it and waits for its answer. */
static void write_ask(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  if (hop->ask != ASK_ANY)
    text_format(
        out, "action s%zu.Notice(x in w - down) { when x != first(w)  down := down + {x} }\n", k);
  text_format(out, "action s%zu.Take(x in w%s) on M%zu", k, hop->ask == ASK_LEFT ? " - down" : "",
              k);
  write_price(out, hop, k);
  text_format(out, " { %ssend Ask(x) }\n", hop->ask == ASK_GUARD ? "when not x in down  " : "");
  family_actions(out, hop, k);
  text_format(out, "action s%zu.Gather on N(x) { ", k);
  write_send(out, plan, k + 1);
  text_append(out, " }\n");
}

/* When the server can take its message; with what it chooses from, and the rest of its guards. */
static const char *condition(const struct hop *hop) {
  return hop->gate == GATE_DEADLINE ? "not open"
         : hop->guarded             ? "open"
         : hop->closes              ? "not other"
                                    : "true";
}

static void write_choice(struct text *out, const struct hop *hop) {
  if (hop->pick == PICK_DOMAIN)
    text_format(out, "(z in 1..(if %s then 2 else 0))", condition(hop));
  else if (hop->pick != PICK_NONE)
    text_append(out, "(z in 0..2)");
}

static void write_guard(struct text *out, const struct hop *hop) {
  const char *when = condition(hop);
  if (hop->pick == PICK_BESIDE)
    text_format(out, "when z != 1 and %s  ", when);
  else if (hop->pick == PICK_PARTS)
    text_format(out, "when (z == 2 and %s) or (z == 1 and %s and other)  ", when, when);
  else if (hop->pick == PICK_NONE && when[0] != 't')
    text_format(out, "when %s  ", when);
  if (hop->gate == GATE_DEADLINE)
    text_append(out, "open := true  ");
}

static void write_take(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  const char *guard = hop->guarded ? "when open  " : hop->closes ? "when not other  " : "";
  if (hop->ask != ASK_NONE) {
    write_ask(out, plan, k);
    return;
  }
  if (hop->scatter) {
    family_actions(out, hop, k);
    write_gather(out, plan, k, guard);
    return;
  }
  text_format(out, "action s%zu.Take", k);
  write_choice(out, hop);
  if (hop->loop)
    text_format(out, " in Receive%zu", k);
  text_format(out, hop->losses == 0 ? " on M%zu" : " on M%zu(copy)", k);
  if (!hop->loop) {
    text_append(out, reads(plan));
    write_price(out, hop, k);
  }
  text_append(out, " { ");
  write_guard(out, hop);
  if (hop->losses != 0)
    text_append(out, "if not seen { ");
  write_send(out, plan, k + 1);
  text_append(out, hop->losses == 0 ? " }\n" : " }  seen := true }\n");
}

/* After the first of them the server may take the step of its own. */
static void write_rival(struct text *out, const struct hop *hop, size_t k) {
  if (hop->rival != RIVAL_BEFORE)
    text_format(out, "action x%zu.Give { when gave < 3  gave := gave + 1  send Rival%zu(gave) }\n",
                k, k);
  text_format(out, "action s%zu.Rival on Rival%zu(c) cost L%zu { open := true }\n", k, k, k);
}

static void write_hop(struct text *out, const struct plan *plan, size_t k) {
  const struct hop *hop = &plan->hops[k];
  if (hop->gate == GATE_DEADLINE)
    write_give_up(out, plan, k);
  else if (hop->gate != GATE_NONE)
    write_gate(out, plan, k);
  if (hop->busy)
    text_format(out, "action s%zu.Other cost U%zu { when %snot other  other := true }\n", k, k,
                hop->rival == RIVAL_NONE ? "" : "open and ");
  if (hop->rival != RIVAL_NONE)
    write_rival(out, hop, k);
  if (hop->ticks)
    text_format(out, "action s%zu.Tick cost Tick { other := not other }\n", k);
  write_take(out, plan, k);
}

void plan_actions(struct text *out, const struct plan *plan) {
  write_start(out, plan);
  for (size_t k = 0; k < plan->hop_count; k++)
    write_hop(out, plan, k);
}
