/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/protocol_parts.h"

bool plan_is_certain(const struct plan *plan, size_t k) {
  bool certain =
      plan->timing == TIMING_EAGER && plan->proof == PROOF_WAITS && plan->start == START_TIMER;
  for (size_t j = 0; j < k; j++) {
    const struct hop *hop = &plan->hops[j];
    certain &= !hop->guarded && !hop->closes && !hop->scatter && !hop->loop && hop->losses == 0 &&
               hop->gate != GATE_DEADLINE;
  }
  return certain;
}

/* The message that the starter sends, or one of them. */
static const char *plan_first(const struct plan *plan) {
  const struct hop *hop = &plan->hops[0];
  if (!hop->scatter)
    return hop->losses == 0 ? "M0" : "M0(1)";
  return family_asked(hop)[0] == 'u' ? "M0(first(u))" : "M0(first(w))";
}

bool plan_copies(const struct plan *plan, size_t k) {
  return k < plan->hop_count && plan->hops[k].losses != 0;
}

void plan_taken(struct text *out, const struct plan *plan, size_t k) {
  text_format(out, plan_copies(plan, k) ? "s%zu.seen" : "received M%zu", k);
}

void plan_from(struct text *out, const struct plan *plan) {
  if (plan->start == START_ANY)
    text_format(out, "from sent %s ", plan_first(plan));
}

/* An expression under way: terms are numbered, and one is left out. */
struct sum {
  struct text text;
  const struct plan *plan;
  int next, drop;
  enum way way;
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
  if (sum->plan->start != START_ANY) {
    text_append(&sum->text, waits[sum->plan->start]);
    add(sum, "A");
    return;
  }
  const char *first = plan_first(sum->plan);
  is_kept(sum);
  if (sum->way == WAY_KNOWN)
    text_format(&sum->text, "time(%s) - d(%s)", first, first);
  else
    text_append(&sum->text, "0 ns");
}

/* "d(M1)", and "d" with bare names. */
static void name_of(struct text *out, const struct sum *sum, const char *component,
                    const char *message, size_t k) {
  if (sum->way == WAY_BARE)
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

void plan_own_work(struct text *out, const struct hop *hop, size_t k, bool opened, bool busied) {
  static const char letters[] = {'0', '0', 'P', 'T'};
  if (!opened || hop->gate == GATE_NONE || hop->gate == GATE_DEADLINE)
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

/* What the server works for each of the answers when it has them all. */
static void add_settling(struct sum *sum, const struct hop *hop) {
  struct text price;
  text_init(&price);
  if (sum->way == WAY_BARE)
    text_format(&price, "%s*F", family_size(hop));
  else
    text_format(&price, "sum y in %s (F[y])", family_answers(hop));
  add(sum, text_get(&price));
  text_clear(&price);
}

static void add_price(struct sum *sum, size_t k) {
  const struct hop *hop = &sum->plan->hops[k];
  struct text price;
  text_init(&price);
  if (hop->loop)
    text_format(&price, "Receive%zu", k);
  else if (hop->price == PRICE_EITHER)
    text_format(&price, "max(H%zu, G%zu)", k, k);
  else if (hop->price == PRICE_BATCH)
    text_format(&price, "sum i in 1..%d (H%zu[i])",
                hop->sized && (!is_kept(sum) || hop->lack == LACK_SIZE) ? 1 : 2, k);
  else if (hop->price == PRICE_EXECUTIONS)
    text_format(&price, "3*H%zu", k);
  else
    text_format(&price, "H%zu", k);
  if (hop->settles)
    add_settling(sum, hop);
  else if (hop->scatter)
    is_kept(sum);
  else
    add(sum, text_get(&price));
  text_clear(&price);
}

/* A simple plan may also leave out all but the first. */
static void add_scatter(struct sum *sum, size_t k) {
  bool waits = sum->plan->proof == PROOF_WAITS, kept = is_kept(sum), gathers = is_kept(sum);
  const struct hop *hop = &sum->plan->hops[k];
  bool all = !sum->plan->simple || (is_kept(sum) && hop->lack != LACK_OTHERS);
  if (sum->way == WAY_BARE) {
    family_bare_way(&sum->text, hop, waits);
    return;
  }
  const char *who = family_answers(hop);
  if (hop->first)
    text_append(&sum->text, " + kth(1, x in w (");
  else
    text_format(&sum->text, all ? " + max x in %s (" : " + max x in {first(%s)} (", who);
  family_way(&sum->text, hop, k, waits && kept);
  if (waits && gathers)
    text_append(&sum->text, " + Q(N(x))");
  text_append(&sum->text, hop->first ? "))" : ")");
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
  plan_own_work(&sum->text, &sum->plan->hops[k], k, !arrives, true);
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

/* How long a pacer holds one of the copies, which are sent at once; the bound may forget that. */
static void add_hold(struct text *out, const struct hop *hop, unsigned copy) {
  if (hop->paced != 0 && !hop->unpaced && copy > hop->paced)
    text_format(out, " + %u*Pace", copy - hop->paced);
}

/* The latest of the copies, of which one is not lost; a plan may leave out the last. */
static void add_copies(struct sum *sum, size_t k) {
  bool waits = is_kept(sum), all = is_kept(sum);
  const struct hop *hop = &sum->plan->hops[k];
  unsigned copies = hop->losses + (all && hop->lack != LACK_COPY ? 1 : 0);
  if (sum->way == WAY_BARE) {
    text_append(&sum->text, waits ? " + d + Q" : " + d");
    add_hold(&sum->text, hop, copies);
    return;
  }
  text_append(&sum->text, " + max(");
  for (unsigned i = 1; i <= copies; i++) {
    text_format(&sum->text, "%sd(M%zu(%u))", i == 1 ? "" : ", ", k, i);
    add_hold(&sum->text, hop, i);
    if (waits)
      text_format(&sum->text, " + Q(M%zu(%u))", k, i);
  }
  text_append(&sum->text, ")");
}

void plan_rival_wait(struct text *out, const struct hop *hop, size_t k, bool other) {
  if (hop->lack == LACK_WAIT)
    text_append(out, "0 ns");
  else
    text_format(out,
                !other                  ? "L%zu"
                : hop->lack == LACK_OWN ? "max(L%zu, U%zu)"
                                        : "L%zu + U%zu",
                k, k);
}

/* The message, and what it waits for: that may have begun before it was sent. */
static void add_rival(struct sum *sum, size_t k) {
  const struct hop *hop = &sum->plan->hops[k];
  bool travels = hop->lack == LACK_TRAVEL;
  text_append(&sum->text, travels ? " + max(0 ns" : "");
  add_named(sum, "d", "M", k);
  text_append(&sum->text, travels ? ", 0 ns" : "");
  if (is_kept(sum)) {
    text_append(&sum->text, " + ");
    plan_rival_wait(&sum->text, hop, k, hop->busy);
  }
  text_append(&sum->text, travels ? ")" : "");
}

/* The message, and then the answer of the one that is asked. */
static void add_message(struct sum *sum, size_t k) {
  const struct hop *hop = &sum->plan->hops[k];
  if (plan_copies(sum->plan, k)) {
    add_copies(sum, k);
    return;
  }
  if (hop->rival != RIVAL_NONE) {
    add_rival(sum, k);
    return;
  }
  add_named(sum, "d", "M", k);
  if (sum->plan->proof == PROOF_WAITS)
    add_named(sum, "Q", "M", k);
  else
    add_own(sum, k);
}

/* The message or the deadline, whichever is first; without urgency, whichever is last. */
static void add_deadline(struct sum *sum, size_t k) {
  const struct plan *plan = sum->plan;
  bool eager = plan->timing == TIMING_EAGER, certain = plan_is_certain(plan, k);
  add_named(sum, "d", "M", k);
  if (plan->proof == PROOF_WAITS)
    add_named(sum, "Q", "M", k);
  struct text inner = sum->text;
  text_init(&sum->text);
  text_format(&sum->text, "%smax(P%zu, %s%zu%s", certain ? "min(" : "", k,
              plan->hops[k].busy ? "U" : "0*P", k, eager ? ")" : ", ");
  if (!eager)
    text_format(&sum->text, "%s)", text_get(&inner));
  else if (certain)
    text_format(&sum->text, ", %s)", text_get(&inner));
  text_clear(&inner);
}

static void add_hop(struct sum *sum, size_t k) {
  const struct hop *hop = &sum->plan->hops[k];
  if (hop->gate == GATE_DEADLINE)
    add_deadline(sum, k);
  else if (hop->scatter)
    add_scatter(sum, k);
  else
    add_message(sum, k);
  add_price(sum, k);
  if (hop->ask != ASK_NONE)
    add_scatter(sum, k);
}

static struct sum sum_begin(const struct plan *plan, size_t hops, int drop, enum way way) {
  struct sum sum = {.plan = plan, .drop = drop, .way = way};
  text_init(&sum.text);
  add_start(&sum);
  for (size_t k = 0; k < hops; k++)
    add_hop(&sum, k);
  return sum;
}

void plan_way(struct text *out, const struct plan *plan, size_t hops, int drop, enum way way) {
  struct sum sum = sum_begin(plan, hops, drop, way);
  text_append(out, text_get(&sum.text));
  text_clear(&sum.text);
}

void plan_way_asked(struct text *out, const struct plan *plan, size_t k) {
  struct sum sum = sum_begin(plan, k, plan->drop, WAY_KNOWN);
  add_message(&sum, k);
  add_price(&sum, k);
  text_append(out, text_get(&sum.text));
  text_clear(&sum.text);
}
