/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A hop about a family: whom its message goes to, who answers it, and how long that takes
 * (protocol.h).
 */
#include "tests/simulator/protocol_parts.h"

const struct hop *plan_family(const struct plan *plan) {
  for (size_t k = 0; k < plan->hop_count; k++)
    if (plan->hops[k].scatter || plan->hops[k].ask != ASK_NONE)
      return &plan->hops[k];
  return NULL;
}

bool family_has_groups(const struct hop *hop) {
  return hop->family == FAMILY_GROUPED || hop->family == FAMILY_SUMMED ||
         hop->family == FAMILY_QUORUM;
}

static bool has_pairs(const struct hop *hop) {
  return hop->family == FAMILY_PAIRED || hop->family == FAMILY_RETURNED;
}

const char *family_asked(const struct hop *hop) {
  return hop->family == FAMILY_SUMMED || hop->family == FAMILY_QUORUM ? "u" : "w";
}

const char *family_answers(const struct hop *hop) {
  return family_has_groups(hop) ? "u" : "w";
}

const char *family_size(const struct hop *hop) {
  return family_has_groups(hop) ? "m" : "n";
}

void family_roles(struct text *out, const struct plan *plan) {
  const struct hop *hop = plan_family(plan);
  if (hop != NULL && family_has_groups(hop))
    text_append(out, "param m : int >= 1\nassume m <= 3\nrole u[m]\nrole w[u, n]\n");
  else
    text_append(out, hop != NULL && has_pairs(hop) ? "role w[n]\nrole v[w]\n" : "role w[n]\n");
  if (hop != NULL && hop->family == FAMILY_QUORUM)
    text_append(out, "param q : int >= 1\nassume q <= n\n");
}

/* Who has a step of its own in a crowded family, or NULL. */
static const char *busy_role(const struct hop *hop) {
  if (!hop->crowded || hop->family == FAMILY_SUMMED)
    return NULL;
  return has_pairs(hop) ? "v" : "w";
}

void family_components(struct text *out, const struct hop *hop) {
  text_append(out, ", C[w]");
  if (hop == NULL)
    return;
  if (has_pairs(hop))
    text_append(out, ", D[v]");
  if (hop->family == FAMILY_RETURNED)
    text_append(out, ", E[w]");
  if (hop->family == FAMILY_QUORUM)
    text_append(out, ", E[u]");
  if (hop->settles)
    text_format(out, ", F[%s]", family_answers(hop));
  if (busy_role(hop) != NULL)
    text_format(out, ", L[%s]", busy_role(hop));
}

/* The name of the message that asks one of the family. */
static void asking(struct text *out, const struct hop *hop, size_t k) {
  if (hop->ask != ASK_NONE)
    text_append(out, "Ask");
  else
    text_format(out, "M%zu", k);
}

void family_messages(struct text *out, const struct plan *plan, size_t k, const char *from) {
  const struct hop *hop = &plan->hops[k];
  const char *fifo = hop->fifo ? " fifo" : "", *asked = family_asked(hop);
  if (hop->ask != ASK_NONE) {
    text_format(out, "message M%zu : %s -> s%zu%s\n", k, from, k, fifo);
    text_format(out, "message Ask(x: w) : s%zu -> w x%s\n", k, fifo);
  } else {
    text_format(out, "message M%zu(x: %s) : %s -> %s x%s\n", k, asked, from, asked, fifo);
  }
  if (has_pairs(hop))
    text_format(
        out, hop->crossed ? "message W(y: v) : w y -> v y%s\n" : "message W(x: w) : w x -> v x%s\n",
        fifo);
  if (hop->family == FAMILY_RETURNED)
    text_format(out, "message B(x: w) : v x -> w x%s\n", fifo);
  if (hop->family == FAMILY_QUORUM)
    text_format(out, "message B(x: w) : u x -> w x%s\n", fifo);
  if (hop->family == FAMILY_GROUPED || hop->family == FAMILY_QUORUM)
    text_format(out, "message W(x: w) : w x -> u x%s\n", fifo);
  text_format(out, "message N(x: %s) : %s x -> s%zu%s\n", family_answers(hop),
              hop->family == FAMILY_PAIRED ? "v" : family_answers(hop), k, fifo);
}

void family_states(struct text *out, const struct hop *hop) {
  if (busy_role(hop) != NULL)
    text_format(out, "state %s { own : bool = false }\n", busy_role(hop));
  if (hop->family == FAMILY_GROUPED)
    text_append(out, "state u { have : set of w = {} }\n");
  if (hop->family == FAMILY_QUORUM)
    text_append(out,
                "state u { have : set of w = {}  asked : bool = false  told : bool = false }\n");
}

/* Of v, which hears from its w and tells it, or the server. */
static void pair_actions(struct text *out, const struct hop *hop) {
  text_format(out, "action v y.Keep on W(%s) cost D[y] { send %s(w(y)) }\n",
              hop->crossed ? "y" : "x", hop->family == FAMILY_RETURNED ? "B" : "N");
  if (hop->family == FAMILY_RETURNED)
    text_append(out, "action w x.Back on B(x) cost E[x] { send N(x) }\n");
}

static void group_actions(struct text *out, const struct hop *hop, size_t k) {
  if (hop->family == FAMILY_GROUPED)
    text_append(out, "action u y.Collect on W(x) { have := have + {x}  "
                     "if have == w[y] { send N(y) } }\n");
  if (hop->family == FAMILY_SUMMED)
    text_format(out, "action u y.Serve on M%zu(y) cost sum x in w[y] (C[x]) { send N(y) }\n", k);
  if (hop->family == FAMILY_QUORUM)
    text_format(out,
                "action u y.Pass on M%zu(y) cost E[y] { asked := true  "
                "send B(x) for all x in w[y] }\n"
                "action w x.Serve on B(x) cost C[x] { send W(x) }\n"
                "action u y.Collect on W(x) { have := have + {x}  "
                "if not told and |have| >= q { told := true  send N(y) } }\n",
                k);
}

void family_actions(struct text *out, const struct hop *hop, size_t k) {
  if (busy_role(hop) != NULL)
    text_format(out, "action %s x.Own cost L[x] { when not own  own := true }\n", busy_role(hop));
  if (hop->family != FAMILY_SUMMED && hop->family != FAMILY_QUORUM) {
    text_append(out, "action w x.Serve on ");
    asking(out, hop, k);
    text_format(out, "(x) cost C[x] { send %s }\n",
                hop->family == FAMILY_PLAIN      ? "N(x)"
                : has_pairs(hop) && hop->crossed ? "W(v(x))"
                                                 : "W(x)");
  }
  if (has_pairs(hop))
    pair_actions(out, hop);
  else
    group_actions(out, hop, k);
}

/* " + d(M(x))", and the wait. */
static void takes(struct text *out, const char *message, bool waits) {
  text_format(out, " + d(%s)", message);
  if (waits)
    text_format(out, " + Q(%s)", message);
}

/* What is passed on, and the work for it. */
static void passes(struct text *out, const struct hop *hop, const char *message, bool waits,
                   const char *work) {
  takes(out, message, waits && hop->lack != LACK_PASSED_WAIT);
  if (hop->lack != LACK_PASSED_WORK)
    text_format(out, " + %s", work);
}

static void group_way(struct text *out, const struct hop *hop, bool waits) {
  if (hop->family == FAMILY_GROUPED) {
    text_append(out, " + C[y]");
    passes(out, hop, "W(y)", waits, "0 ns");
    text_append(out, ")");
  } else if (hop->family == FAMILY_SUMMED) {
    text_append(out, " + sum y in w[x] (C[y])");
  } else {
    text_append(out, " + E[x] + kth(q, y in w[x] (0 ns");
    passes(out, hop, "B(y)", waits, "C[y]");
    takes(out, "W(y)", waits);
    text_append(out, "))");
  }
}

void family_way(struct text *out, const struct hop *hop, size_t k, bool waits) {
  struct text ask;
  text_init(&ask);
  asking(&ask, hop, k);
  text_append(&ask, hop->family == FAMILY_GROUPED ? "(y)" : "(x)");
  text_append(out, hop->family == FAMILY_GROUPED ? "max y in w[x] (0 ns" : "0 ns");
  takes(out, text_get(&ask), waits && hop->lack != LACK_WAIT);
  if (family_has_groups(hop))
    group_way(out, hop, waits);
  else
    text_append(out, " + C[x]");
  if (has_pairs(hop))
    passes(out, hop, hop->crossed ? "W(v(x))" : "W(x)", waits, "D[v(x)]");
  if (hop->family == FAMILY_RETURNED) {
    takes(out, "B(x)", waits);
    text_append(out, " + E[x]");
  }
  text_append(out, " + d(N(x))");
  text_clear(&ask);
}

void family_bare_way(struct text *out, const struct hop *hop, bool waits) {
  static const int messages[] = {2, 3, 3, 4, 2, 4};
  static const char *const costs[] = {" + C",         " + C + D", " + C",
                                      " + C + D + E", " + n*C",   " + C + E"};
  text_format(out, " + %d*d%s", messages[hop->family], costs[hop->family]);
  if (waits)
    text_format(out, " + %d*Q", messages[hop->family]);
}
