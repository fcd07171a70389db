/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random streams of requests whose arrivals are limited (protocol.h). */
#include "tests/simulator/protocol_parts.h"

static bool flip(struct random *random) {
  return random_below(random, 2) == 0;
}

void stream_draw(struct stream *stream, struct random *random) {
  *stream = (struct stream){.on = true,
                            .servers = 1 + (size_t)random_below(random, 2),
                            .limit = (enum limit)random_below(random, LIMIT_COUNT),
                            .burst = 1 + (unsigned)random_below(random, 3),
                            .fifo = random_below(random, 5) != 0,
                            .keeps_up = random_below(random, 4) != 0,
                            .costs = flip(random),
                            .lean = random_below(random, 3) == 0,
                            .forgetful = random_below(random, 4) == 0,
                            .ahead = random_below(random, 4) == 0};
}

/* Nothing limits the arrivals: what is ahead of a request is part of the bound. */
static void write_ahead(struct text *out, const struct stream *s) {
  text_format(
      out,
      "protocol random\ntiming advanced\nrole a\nrole s0\nexternal client\ndelay d\n"
      "component Gap[int], H0[int]\nmessage M0(k: int) : a -> s0%s\n"
      "message M1(k: int) : s0 -> client\nstate a { asked : int = 0 }\n"
      "state s0 { ghost done : int = 0 }\n"
      "action a.Go cost Gap[asked + 1] { asked := asked + 1  send M0(asked) }\n"
      "action s0.Serve on M0(k) cost H0[k] { done := k  send M1(k) }\n"
      "let Work(j: int, k: int) = sum i in j..k (H0[i])\n"
      "let Passed(j: int, k: int) = sum i in j + 1..k (Gap[i])\n"
      "invariant counting: 0 <= s0.done and s0.done <= a.asked\n"
      "invariant numbered: forall k in int. (sent M0(k) iff 1 <= k and k <= a.asked) and "
      "(charged Gap[k] implies 1 <= k and k <= a.asked)\n"
      "invariant in_order: forall k in int. sent M0(k) implies (received M0(k) iff k <= s0.done)\n"
      "invariant clock: time(a) == Passed(0, a.asked)\n"
      "invariant sent_at: forall k in int. sent M0(k) implies time(M0(k)) - d(M0(k)) == "
      "Passed(0, k)\n"
      "invariant busy: s0.done >= 1 implies time(s0) <= max j in 1..s0.done (time(M0(j)) + "
      "Work(j, s0.done))\ninvariant rested: s0.done == 0 implies time(s0) <= 0 ns\n"
      "bound full: from sent M0(k) sent M1(k) within max j in 1..k (d(M0(j)) + Work(j, k) - "
      "Passed(j, k))\n"
      "bound some: from sent M0(k) sent M1(k) within max j in 1..k (d(M0(j)) + Work(%s, k) - "
      "Passed(j, k)%s)\n",
      s->fifo ? " fifo" : "", s->forgetful ? "j + 1" : "j", s->lean ? " - Passed(j, k)" : "");
}

/* How long the pacer keeps a request at most. */
static void write_tolerance(struct text *out, const struct stream *s) {
  if (s->limit == LIMIT_BURST)
    text_format(out, "%u*T", s->burst - 1);
  else
    text_append(out, s->limit == LIMIT_JITTER ? "J" : "(B - 1)*T");
}

static void write_declarations(struct text *out, const struct stream *s) {
  text_append(out, "protocol random\ntiming advanced\nparam T : time\n");
  if (s->limit == LIMIT_PARAMETER)
    text_append(out, "param B : int >= 1\n");
  if (s->limit == LIMIT_JITTER)
    text_append(out, "param J : time\n");
  text_append(out, "role a\nexternal client\ntimeout Rest\ndelay d\nrepeated Ask\n");
  for (size_t k = 0; k < s->servers; k++)
    text_format(out, "role s%zu\ncomponent H%zu[int]\nstate s%zu { ghost done : int = 0 }\n%s%zu%s",
                k, k, k, s->keeps_up ? "assume H" : "# ", k, s->keeps_up ? " <= T\n" : "\n");
  for (size_t k = 0; k <= s->servers; k++) {
    char from[] = "a\0", to[] = "s0";
    if (k > 0)
      from[0] = 's', from[1] = (char)('0' + k - 1);
    to[1] = (char)('0' + k);
    text_format(out, "message M%zu(k: int) : %.2s -> %s%s", k, from,
                k == s->servers ? "client" : to, s->fifo ? " fifo" : "");
    if (k == 1 && s->paced != 0)
      text_format(out, " paced every %s burst %u", s->slow ? "2*T" : "T", s->paced);
    text_append(out, "\n");
  }
  text_append(out, "arrivals M0 every T ");
  if (s->limit == LIMIT_BURST)
    text_format(out, "burst %u\n", s->burst);
  else
    text_append(out, s->limit == LIMIT_JITTER ? "jitter J\n" : "burst B\n");
}

static void write_actions(struct text *out, const struct stream *s) {
  text_format(out,
              "state a { asked : int = 0 }\n"
              "action a.Go on timeout Rest%s { asked := asked + 1  send M0(asked) }\n",
              s->costs ? " cost Ask" : "");
  for (size_t k = 0; k < s->servers; k++)
    text_format(out, "action s%zu.Serve on M%zu(k) cost H%zu[k] { done := k  send M%zu(k) }\n", k,
                k, k, k + 1);
}

/* Server k is done with a request by the time the pacer lets it go, plus this. */
static void write_way(struct text *out, size_t k) {
  for (size_t i = 0; i <= k; i++)
    text_format(out, "%sd + H%zu", i == 0 ? "" : " + ", i);
}

static void write_invariants(struct text *out, const struct stream *s) {
  text_append(out,
              "invariant numbered: forall k in int. sent M0(k) implies 1 <= k and k <= a.asked\n"
              "invariant asked: a.asked >= 0\n"
              "invariant in_turn: forall j in int, k in int. sent M0(j) and sent M0(k) and "
              "j < k implies paced(M0(j)) + T <= paced(M0(k))\n");
  for (size_t k = 0; k < s->servers; k++) {
    text_format(out,
                "invariant counted%zu: 0 <= s%zu.done and s%zu.done <= %s\n"
                "invariant order%zu: forall k in int. sent M%zu(k) implies (received M%zu(k) iff "
                "k <= s%zu.done)\n"
                "invariant kept%zu: s%zu.done >= 1 implies sent M0(s%zu.done)\n"
                "invariant passed%zu: forall k in int. sent M%zu(k) implies sent M0(k) and 1 <= k "
                "and k <= s%zu.done\n",
                k, k, k, k == 0 ? "a.asked" : "s0.done", k, k, k, k, k, k, k, k, k + 1, k);
    if (k == 0 && s->paced != 0) {
      text_append(out, "invariant lets: forall k in int. sent M1(k) implies paced(M1(k)) <= "
                       "paced(M0(k)) + ");
      write_way(out, 0);
      text_append(out, "\n");
    }
    text_format(out, "invariant rested%zu: s%zu.done == 0 implies time(s%zu) <= 0 ns\n", k, k, k);
    text_format(out,
                "invariant late%zu: forall k in int. sent M%zu(k) implies time(M%zu(k)) <= "
                "paced(M0(k)) + ",
                k, k + 1, k + 1);
    write_way(out, k);
    text_format(out,
                " + d\ninvariant keeps%zu: s%zu.done >= 1 implies time(s%zu) <= "
                "paced(M0(s%zu.done)) + ",
                k, k, k, k);
    write_way(out, k);
    text_append(out, "\n");
  }
}

void stream_write(struct text *out, const struct stream *s) {
  if (s->ahead) {
    write_ahead(out, s);
    return;
  }
  write_declarations(out, s);
  write_actions(out, s);
  write_invariants(out, s);
  text_format(out, "bound full: from sent M0(k) sent M%zu(k) within ", s->servers);
  write_tolerance(out, s);
  text_append(out, " + ");
  write_way(out, s->servers - 1);
  text_format(out, "\nbound some: from sent M0(k) delivered M%zu(k) within ", s->servers);
  if (!s->lean)
    write_tolerance(out, s);
  text_append(out, s->lean ? "" : " + ");
  if (!s->forgetful)
    write_way(out, s->servers - 1);
  text_append(out, s->forgetful ? "d\n" : " + d\n");
}
