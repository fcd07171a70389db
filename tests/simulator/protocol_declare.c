/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/protocol_parts.h"

static void declare_roles(struct text *out, const struct plan *plan) {
  static const char *const timings[] = {"standard", "advanced", "eager"};
  text_format(out, "protocol random\ntiming %s\n", timings[plan->timing]);
  text_append(out, "param n : int >= 1\nparam P : time\nrole a\nexternal client\n");
  family_roles(out, plan);
  for (size_t k = 0; k < plan->hop_count; k++) {
    text_format(out, "role s%zu\n", k);
    if (plan->hops[k].gate == GATE_MESSAGE)
      text_format(out, "role k%zu\n", k);
    if (plan->hops[k].gate == GATE_TIMER || plan->hops[k].gate == GATE_DEADLINE)
      text_format(out, "param P%zu : time\n", k);
  }
}

/* Components that the hop's actions charge. */
static void declare_hop(struct text *out, const struct hop *hop, size_t k) {
  bool repeated = hop->price == PRICE_REPEATED || hop->price == PRICE_EXECUTIONS;
  if (!hop->loop && !hop->scatter)
    text_format(out, "%s H%zu%s\n", repeated ? "repeated" : "component", k,
                hop->price == PRICE_BATCH ? "[int]" : "");
  if (!hop->loop && !hop->scatter && hop->price == PRICE_EITHER)
    text_format(out, "component G%zu\n", k);
  if (hop->gate != GATE_NONE && hop->gate != GATE_DEADLINE)
    text_format(out, "component O%zu\n", k);
  if (hop->gate == GATE_MESSAGE)
    text_format(out, "component K%zu\n", k);
  if (hop->gate == GATE_TIMEOUT)
    text_format(out, "timeout T%zu\n", k);
  if (hop->busy)
    text_format(out, "component U%zu\n", k);
  if (hop->rival != RIVAL_NONE)
    text_format(out, "repeated L%zu\n", k);
  if (hop->rival != RIVAL_NONE && hop->rival != RIVAL_BEFORE)
    text_format(out, "role x%zu\nstate x%zu { gave : int = 0 }\n", k, k);
  if (hop->loop)
    text_format(out, "schedule s%zu = [Receive%zu, Check%zu] timeout T\n", k, k, k);
}

static void declare_components(struct text *out, const struct plan *plan) {
  bool ticks = false, paced = false;
  for (size_t k = 0; k < plan->hop_count; k++) {
    ticks |= plan->hops[k].ticks;
    paced |= plan->hops[k].paced != 0;
  }
  text_append(out, paced ? "param Pace : time\ncomponent A" : "component A");
  family_components(out, plan_family(plan));
  text_format(out, "\ntimeout T\ndelay d\n%s%s%s",
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
    const char *kinds = hop->gate == GATE_TIMER      ? "PO"
                        : hop->gate == GATE_TIMEOUT  ? "TO"
                        : hop->gate == GATE_MESSAGE  ? "KO"
                        : hop->gate == GATE_STEP     ? "O"
                        : hop->gate == GATE_DEADLINE ? "P"
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

static const char *sender_of(size_t k, char *name) {
  if (k == 0)
    return "a";
  name[0] = 's';
  name[1] = (char)('0' + k - 1);
  name[2] = 0;
  return name;
}

static void declare_rival(struct text *out, enum rival rival, size_t k, const char *from) {
  static const char *const words[] = {"", "", " priority 1", " priority 2", " fifo"};
  text_format(out, "message Rival%zu(c: int) : ", k);
  if (rival == RIVAL_BEFORE)
    text_append(out, from);
  else
    text_format(out, "x%zu", k);
  text_format(out, " -> s%zu%s\n", k, words[rival]);
}

static void declare_copies(struct text *out, const struct hop *hop, size_t k, const char *from) {
  text_format(out, "message M%zu(copy: int) : %s -> s%zu%s loses %u", k, from, k,
              hop->fifo ? " fifo" : "", hop->losses);
  if (hop->paced != 0)
    text_format(out, " paced every Pace burst %u", hop->paced);
  text_append(out, "\n");
}

static void declare_messages(struct text *out, const struct plan *plan) {
  char name[3];
  for (size_t k = 0; k < plan->hop_count; k++) {
    const struct hop *hop = &plan->hops[k];
    const char *from = sender_of(k, name), *fifo = hop->fifo ? " fifo" : "";
    if (hop->scatter || hop->ask != ASK_NONE)
      family_messages(out, plan, k, from);
    else if (hop->losses != 0)
      declare_copies(out, hop, k, from);
    else
      text_format(out, "message M%zu : %s -> s%zu%s%s\n", k, from, k, fifo,
                  hop->rival != RIVAL_NONE ? " priority 1" : "");
    if (hop->rival != RIVAL_NONE)
      declare_rival(out, hop->rival, k, from);
    if (hop->gate == GATE_MESSAGE)
      text_format(out, "message Key%zu : k%zu -> s%zu\n", k, k, k);
  }
  text_format(out, "message M%zu : %s -> client\n", plan->hop_count,
              sender_of(plan->hop_count, name));
}

static void declare_states(struct text *out, const struct plan *plan) {
  text_format(out, "state a { s : bool = false%s }\n",
              plan->chooses == TIMED_READY ? "  ready : bool = false" : "");
  if (plan_family(plan) != NULL)
    family_states(out, plan_family(plan));
  for (size_t k = 0; k < plan->hop_count; k++) {
    text_format(out, "state s%zu { open : bool = false  other : bool = false", k);
    if (plan->hops[k].scatter)
      text_format(out, "  acks : set of %s = {}", family_answers(&plan->hops[k]));
    if (plan->hops[k].ranked || plan->hops[k].added)
      text_format(out, "  got : map %s to int = 0", family_answers(&plan->hops[k]));
    if (plan->hops[k].ask != ASK_NONE)
      text_append(out, "  down : set of w = {}");
    if (plan->hops[k].losses != 0)
      text_append(out, "  seen : bool = false");
    text_append(out, " }\n");
    if (plan->hops[k].gate == GATE_MESSAGE)
      text_format(out, "state k%zu { given : bool = false }\n", k);
  }
}

static void plan_declare(struct text *out, const struct plan *plan) {
  declare_roles(out, plan);
  declare_components(out, plan);
  declare_assumption(out, plan);
  declare_messages(out, plan);
  declare_states(out, plan);
}

void plan_write(struct text *out, const struct plan *plan) {
  if (plan->stream.on) {
    stream_write(out, &plan->stream);
    return;
  }
  plan_declare(out, plan);
  plan_actions(out, plan);
  restless_write(out, plan);
  plan_claims(out, plan);
}
