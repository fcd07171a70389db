/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A node beside the way, of which steps that take no time must be taken: some go on for ever at one
 * moment, or may not be taken. It has nothing to do with the bounds, so that nothing is to be
 * proved of them where it stands still.
 */
#include "tests/simulator/protocol_parts.h"

/* What the actions are; of the relay and of what is limited the rest is below. */
static const char *const actions[RESTLESS_COUNT] = {
    [RESTLESS_ONCE] = "action spare.Tick on timer P { when not done  done := true }\n",
    [RESTLESS_COUNTED] = "action spare.Tick on timer P { when count < 3  count := count + 1 }\n",
    [RESTLESS_PERIOD] =
        "param Step : time\nassume Step > 0 ms\n"
        "action spare.Tick on timer due { when count < 9  count := count + 1  due := "
        "due + Step }\n",
    [RESTLESS_BARE] = "action spare.Tick on timer P { done := true }\n",
    [RESTLESS_IF] = "action spare.Tick on timer P { if not done { done := true } }\n",
    [RESTLESS_PAIR] = "action spare.Tick on timer P { when not done  done := true }\n"
                      "action spare.Tock at once { when done  done := false }\n",
    [RESTLESS_AT_ONCE] = "action spare.Tick at once { count := 1 }\n",
    [RESTLESS_SAME] = "action spare.Tick on timer due { due := max(due, P)  count := 2 - count }\n",
    [RESTLESS_EITHER] = "component Z\n"
                        "action spare.Tick on timer P cost if done then 0 else Z { done := true }\n"
                        "invariant once: charged Z implies done\n",
    [RESTLESS_LIMITED] =
        "message Zap(k: int) : spare -> client\narrivals Zap every P burst 1\nassume P > 0 ms\n"
        "action spare.Tick on timer P { when count < 2  count := count + 1  send Zap(count) }\n"
        "invariant zaps: forall k in int. sent Zap(k) implies k <= count\n",
    [RESTLESS_PACED] =
        "message Zap(k: int) : spare -> client paced every P burst 1\nassume P > 0 ms\n"
        "action spare.Tick on timer P { when count < 3  count := count + 1  send Zap(count) }\n"
        "invariant zaps: forall k in int. sent Zap(k) implies k <= count\n",
    [RESTLESS_RELAY] =
        "role giver\nstate giver { handed : int = 0 }\n"
        "message Yak(k: int) : giver -> spare\nmessage Zap(k: int) : spare -> client\n"
        "arrivals Zap every P burst 1\n"
        "action giver.Give on timeout T { when handed < 2  handed := handed + 1  send Yak(handed) "
        "}\n"
        "action spare.Pass on Yak(k) { send Zap(k) }\n"
        "invariant yaks: forall k in int. sent Yak(k) implies k <= handed\n"
        "invariant zaps: forall k in int. sent Zap(k) implies received Yak(k)\n",
};

/* The same where steps read the clock. */
static const char *const reading[RESTLESS_COUNT] = {
    [RESTLESS_ONCE] = "action spare.Tick on timer P reads t { when not done  done := true }\n",
    [RESTLESS_PERIOD] = "param Step : time\nassume Step > 0 ms\n"
                        "action spare.Tick on timer due reads t { due := t + Step }\n",
    [RESTLESS_BARE] = "action spare.Tick on timer P reads t { done := true }\n",
    [RESTLESS_SAME] = "action spare.Tick on timer due reads t { due := t }\n",
};

void restless_draw(struct plan *plan, struct random *random) {
  bool eager = plan->timing == TIMING_EAGER;
  plan->restless = RESTLESS_NONE;
  if (plan->stream.on || random_below(random, eager ? 3 : 6) != 0)
    return;
  plan->restless =
      eager ? (enum restless)(1 + random_below(random, RESTLESS_COUNT - 1)) : RESTLESS_RELAY;
}

void restless_write(struct text *out, const struct plan *plan) {
  if (plan->restless == RESTLESS_NONE)
    return;
  text_append(out,
              "role spare\nstate spare { done : bool = false  count : int = 0  due : time = P }\n");
  bool reads = plan->reads && reading[plan->restless] != NULL;
  text_append(out, (reads ? reading : actions)[plan->restless]);
}
