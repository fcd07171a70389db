/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests/property/protocols.c: random protocols as text.
 *
 * A protocol is a chain of stages. Each receives the message of the one before it at one or all
 * nodes of a role, takes its cost and sends on: to one, to all of a family, numbered by an integer,
 * or once all of a family, or enough of it, have answered. The generator knows the time along the
 * chain and writes it into invariants and bounds, in most bounds with a mistake: a term dropped,
 * doubled, exchanged, a maximum made a minimum, a rank or a sum, a bare name for an occurrence. It
 * mixes in timing models, FIFO channels, repeated and conditional costs, polling, steps at any
 * time, clock reads, and a strict loop for one role.
 */
#ifndef TESTS_PROPERTY_CHAIN_H
#define TESTS_PROPERTY_CHAIN_H

#include "tests/property/expression.h"

/* --- the chain -------------------------------------------------------------------------------- */

static bool is_family(const char *role) {
  return role[0] == 'f' || role[0] == 'g';
}

static void index_of(const struct stage *s, const char *member, const char *open, const char *close,
                     char *result, size_t size) {
  if (s->index == INDEX_NONE)
    result[0] = '\0';
  else if (s->index == INDEX_MEMBER)
    snprintf(result, size, "%s%s%s", open, member, close);
  else
    snprintf(result, size, "%s%d%s", open, s->number, close);
}

/* "M3(@)" as a leaf d(M3(@)) or Q(M3(@)). */
static struct time_of *of_message(struct generator *g, const char *name, size_t number) {
  char fields[12], index[24];
  index_of(&g->stages[number], "@", "(", ")", fields, sizeof fields);
  snprintf(index, sizeof index, "(M%zu%s)", number % 10, fields);
  return leaf(g, name, index);
}

static void choose_stage(struct generator *g, size_t i) {
  static const char *const roles[] = {"p", "q", "f", "g"};
  const struct stage *before = &g->stages[i - 1];
  struct stage *s = &g->stages[i];
  *s = (struct stage){.role = roles[below(g, 4)]};
  bool single = !is_family(before->role);
  size_t kind = below(g, 3);
  if (before->index == INDEX_MEMBER && (!single || kind != 0)) {
    s->index = INDEX_MEMBER;
    s->family = before->family;
  } else if (before->index == INDEX_MEMBER) {
    g->stages[i - 1].joins = true;
  } else if (kind == 0) {
    s->index = INDEX_INT;
    s->number = before->index == INDEX_INT ? before->number + 1 : (int)below(g, 3);
  } else if (kind == 1 || is_family(s->role)) {
    s->index = INDEX_MEMBER;
    s->family = is_family(s->role) ? s->role : roles[2 + below(g, 2)];
  }
  bool named = s->index == INDEX_MEMBER && strcmp(s->family, s->role) == 0;
  s->to_first = is_family(s->role) && !named;
  s->repeated = chance(g, 20);
  s->enough = chance(g, 50) ? 2 : 1;
}

static struct time_of *cost_of(struct generator *g, size_t i) {
  char name[8], index[16];
  snprintf(name, sizeof name, "C%zu", i % 10);
  index_of(&g->stages[i], "@", "[", "]", index, sizeof index);
  return leaf(g, name, g->stages[i].repeated ? "" : index);
}

/* When stage i ends, for the member it is about. */
static struct time_of *end_of(struct generator *g, size_t i) {
  const struct stage *s = &g->stages[i];
  struct time_of *e = NULL;
  if (i != 0) {
    e = plus(g, copy(g, s->sent), of_message(g, "d", i));
    if (g->queueing)
      e = plus(g, e, of_message(g, "Q", i));
  }
  e = plus(g, e, cost_of(g, i));
  return s->joins ? over(g, "max", s->family, e) : e;
}

static void choose_chain(struct generator *g) {
  g->stage_count = 2 + below(g, STAGES_MAX - 2);
  static const char *const timings[] = {"standard", "standard", "advanced", "eager"};
  g->timing = timings[below(g, 4)];
  g->queueing = g->timing[0] != 'a' && chance(g, 80);
  g->scheduled = chance(g, 15);
  g->polls = chance(g, 15);
  g->checks = chance(g, 15);
  g->chooses = chance(g, 25);
  g->stages[0] = (struct stage){.role = "p"};
  for (size_t i = 1; i <= g->stage_count; i++) {
    choose_stage(g, i);
    g->stages[i].sent = end_of(g, i - 1);
  }
}

static void declare(struct generator *g) {
  struct text *t = &g->text;
  text_format(t,
              "protocol random\ntiming %s\nparam n : int >= 1\nparam P : time\nrole p\nrole q\n"
              "role f[n]\nrole g[2]\ndelay d\ntimeout T\nrepeated R\n",
              g->timing);
  if (g->queueing)
    text_append(t, "queueing Q\n");
  text_append(t, "component W, V[f], X[f], Y\n");
  for (size_t i = 0; i < g->stage_count; i++) {
    const struct stage *s = &g->stages[i];
    const char *type = s->index == INDEX_NONE ? "" : s->index == INDEX_INT ? "int" : s->family;
    if (s->repeated)
      text_format(t, "repeated C%zu\n", i);
    else
      text_format(t, s->index == INDEX_NONE ? "component C%zu%s\n" : "component C%zu[%s]\n", i,
                  type);
  }
  for (size_t i = 1; i <= g->stage_count; i++) {
    const struct stage *s = &g->stages[i];
    text_format(t, "message M%zu", i);
    if (s->index == INDEX_INT)
      text_append(t, "(k: int)");
    else if (s->index == INDEX_MEMBER)
      text_format(t, "(x: %s)", s->family);
    bool fifo = !is_family(g->stages[i - 1].role) && chance(g, 15);
    text_format(t, " : %s -> %s%s%s\n", g->stages[i - 1].role, s->role,
                is_family(s->role) && !s->to_first ? " x" : "", fifo ? " fifo" : "");
  }
  if (g->scheduled)
    text_append(t, "schedule q = [Take, Work] timeout T\n");
}

static void print_send(struct generator *g, size_t i, bool numbered) {
  const struct stage *s = &g->stages[i + 1], *here = &g->stages[i];
  struct text *t = &g->text;
  text_format(t, "send M%zu", i + 1);
  bool all = s->index == INDEX_MEMBER && here->index != INDEX_MEMBER;
  if (s->index == INDEX_INT && numbered) /* the quotients are k + 1, also where k is 0 */
    text_append(t, chance(g, 80)   ? "(k + 1)"
                   : chance(g, 50) ? "((2*k - 1)/2 + 2)"
                                   : "((k + 2^2 - 1)/1 - 2)");
  else if (s->index == INDEX_INT && g->chooses && i == 0)
    text_append(t, "(c0)");
  else if (s->index == INDEX_INT)
    text_format(t, "(%d)", s->number);
  else if (s->index == INDEX_MEMBER)
    text_append(t, g->chooses && i == 0 ? "(c0)" : all ? "(z)" : "(x)");
  if (s->to_first)
    text_format(t, " to first(%s)", s->role);
  if (all && !(g->chooses && i == 0))
    text_format(t, " for all z in %s", s->family);
  text_append(t, " ");
}

/* The first step sends to one node of its choice, or a number of its choice. */
static void print_choice(struct generator *g, const struct stage *next) {
  if (next->index == INDEX_MEMBER)
    text_format(&g->text, "(c0 in %s)", next->family);
  else if (next->index == INDEX_INT)
    text_format(&g->text, "(c0 in %d..%d)", next->number, next->number + (chance(g, 30) ? 1 : 0));
  else
    text_append(&g->text, "(c0 in f - {first(f)}, c1 in 0..index(c0))");
}

static void print_header(struct generator *g, size_t i) {
  const struct stage *s = &g->stages[i];
  struct text *t = &g->text;
  bool named = s->index == INDEX_MEMBER && strcmp(s->family, s->role) == 0 && !s->to_first;
  if (is_family(s->role))
    text_format(t, "action %s %s.H%zu", s->role, named ? "x" : "y", i);
  else
    text_format(t, "action %s.H%zu", s->role, i);
  if (g->chooses && i == 0)
    print_choice(g, &g->stages[1]);
  if (g->scheduled && s->role[0] == 'q')
    text_append(t, " in Take");
  if (i != 0)
    text_format(t, " on M%zu%s", i,
                s->index == INDEX_NONE  ? ""
                : s->index == INDEX_INT ? "(k)"
                                        : "(x)");
  else if (!(g->scheduled && s->role[0] == 'q') && chance(g, 8))
    text_append(t, " at any time");
  const char *index = s->repeated || s->index == INDEX_NONE ? ""
                      : s->index == INDEX_INT               ? "[k]"
                                                            : "[x]";
  if (i != 0 && s->role[0] == 'p' && chance(g, 30))
    text_format(t, " cost if c == 2 then C%zu%s else C%zu%s + Y {\n", i, index, i, index);
  else
    text_format(t, " cost C%zu%s {\n", i, index);
}

static void print_action(struct generator *g, size_t i) {
  const struct stage *s = &g->stages[i];
  struct text *t = &g->text;
  bool numbered = s->index == INDEX_INT;
  print_header(g, i);
  if (i == 0)
    text_append(t, chance(g, 3) ? "  started := true\n"
                                : "  when not started\n  started := true\n  c := c + 2\n");
  if (s->joins && i % 2 == 0)
    text_format(t, "  left%zu := left%zu - {x}\n  if left%zu == {} { ", i, i, i);
  else if (s->joins && s->family[0] == 'g')
    text_format(t, "  got%zu := got%zu + {x}\n  if |got%zu| == %d { ", i, i, i, s->enough);
  else if (s->joins)
    text_format(t, "  got%zu := got%zu + {x}\n  if got%zu == %s { ", i, i, i, s->family);
  else if (s->role[0] == 'p' && chance(g, 30))
    text_append(t, chance(g, 90) ? "  if c == 2 { " : "  if c < 2 { ");
  else if (numbered && chance(g, 30))
    text_format(t, "  if k <= %d { ", s->number);
  else
    text_append(t, "  if true { ");
  print_send(g, i, numbered && chance(g, 80));
  if (chance(g, 2))
    print_send(g, i, numbered);
  text_append(t, "}\n}\n");
}

static void print_states(struct generator *g) {
  struct text *t = &g->text;
  text_append(t, "state p {\n  started : bool = false\n  c : int = 0\n  busy : bool = false\n}\n");
  text_append(t, "state q {\n  busy : bool = false\n  due : time = P\n}\nstate f {\n  busy : bool "
                 "= false\n}\n");
  for (size_t i = 1; i < g->stage_count; i++) {
    const struct stage *s = &g->stages[i];
    if (s->joins)
      text_format(t, "state %s { %s%zu : set of %s = %s }\n", s->role, i % 2 ? "got" : "left", i,
                  s->family, i % 2 ? "{}" : s->family);
  }
}

static void print_busy_actions(struct generator *g) {
  struct text *t = &g->text;
  if (chance(g, g->queueing ? 50 : 15))
    text_format(t, "action q.Busy%s cost W {\n  when not busy\n  busy := true\n}\n",
                g->scheduled ? " in Work" : "");
  if (g->polls && !g->scheduled)
    text_format(t, "action q.BusyPoll %s cost R { }\n",
                chance(g, 30) ? "at any time" : "on timeout T");
  if (g->checks)
    text_format(t, "action q.BusyCheck%s reads t cost R {\n  when t %s due\n  due := t + P\n}\n",
                g->scheduled ? " in Work" : "", chance(g, 70) ? ">=" : "<");
  if (chance(g, g->queueing ? 50 : 15))
    text_append(t, "action f y.Busy cost V[y] {\n  when not busy\n  busy := true\n}\n");
}

/* Whether only stage i takes steps at its role, as far as the chain goes. */
static bool acts_once(const struct generator *g, size_t i) {
  for (size_t k = 0; k < g->stage_count; k++)
    if (k != i && strcmp(g->stages[k].role, g->stages[i].role) == 0)
      return false;
  return strstr(text_get(&g->text), "Busy") == NULL && !g->scheduled && !g->stages[i].to_first &&
         (g->stages[i].index != INDEX_MEMBER || is_family(g->stages[i].role));
}

static void print_clock_invariant(struct generator *g, size_t i) {
  const struct stage *s = &g->stages[i];
  struct text *t = &g->text;
  if (i == 0 || i == g->stage_count || !acts_once(g, i))
    return;
  if (s->index == INDEX_NONE)
    text_format(t, "invariant clock%zu: not received M%zu implies time(%s) <= 0\n", i, i, s->role);
  else if (s->index == INDEX_MEMBER)
    text_format(t,
                "invariant clock%zu: forall x in %s. not received M%zu(x) implies time(x) <= 0\n",
                i, s->role, i);
}

/* What follows a message with a number was sent only once that one was received. */
static void print_sender_invariant(struct generator *g, size_t i) {
  const struct stage *s = &g->stages[i], *before = &g->stages[i - 1];
  struct text *t = &g->text;
  if (before->index != INDEX_INT)
    return;
  text_format(t, "invariant follows%zu: ", i);
  if (s->index == INDEX_MEMBER)
    text_format(t, "forall x in %s. sent M%zu(x)", s->family, i);
  else if (s->index == INDEX_INT)
    text_format(t, "forall k in int. sent M%zu(k)", i);
  else
    text_format(t, "sent M%zu", i);
  text_format(t, " implies received M%zu(%d)\n", i - 1, before->number);
}

static void print_invariants(struct generator *g) {
  struct text *t = &g->text;
  text_append(t, "invariant start: not started implies time(p) <= 0 and c == 0\n"
                 "invariant counter: started implies c == 2\n");
  for (size_t i = 1; i <= g->stage_count; i++) {
    const struct stage *s = &g->stages[i];
    struct time_of *limit = plus(g, copy(g, s->sent), of_message(g, "d", i));
    if (chance(g, 4))
      change(g, limit);
    if (s->index == INDEX_NONE)
      text_format(t, "invariant at%zu: sent M%zu implies time(M%zu) <= ", i, i, i);
    else if (s->index == INDEX_MEMBER)
      text_format(t, "invariant at%zu: forall x in %s. sent M%zu(x) implies time(M%zu(x)) <= ", i,
                  s->family, i, i);
    else
      text_format(t,
                  "invariant at%zu: forall k in int. sent M%zu(k) implies k == %d and "
                  "time(M%zu(k)) <= ",
                  i, i, s->number, i);
    print(t, limit, "x", 1);
    text_append(t, "\n");
    if (i < g->stage_count && s->joins && i % 2 == 0)
      text_format(t,
                  "invariant left_at%zu: forall x in %s. (x in left%zu) iff not received M%zu(x)\n",
                  i, s->family, i, i);
    print_clock_invariant(g, i);
    print_sender_invariant(g, i);
  }
}

/* Counts from message j; a limit from time 0 is one from there, too. */
static void print_from(struct generator *g, size_t j, const struct stage *target) {
  const struct stage *s = &g->stages[j];
  bool same =
      s->index == INDEX_MEMBER && target->index == INDEX_MEMBER && s->family == target->family;
  text_format(&g->text, "from sent M%zu%s ", j,
              s->index == INDEX_NONE  ? ""
              : s->index == INDEX_INT ? "(k)"
              : same                  ? "(x)"
                                      : "(w)");
}

static void print_bound(struct generator *g, size_t number) {
  struct text *t = &g->text;
  size_t i = 1 + below(g, g->stage_count);
  const struct stage *s = &g->stages[i];
  bool delivered = chance(g, 40);
  struct time_of *limit = copy(g, s->sent);
  if (delivered)
    limit = plus(g, limit, of_message(g, "d", i));
  for (size_t mistakes = chance(g, 40) ? 0 : 1 + below(g, 2); mistakes > 0; mistakes--)
    change(g, limit);
  text_format(t, "bound b%zu", number);
  if (s->index == INDEX_MEMBER)
    text_format(t, " for all x in %s", s->family);
  char fields[12];
  index_of(s, "x", "(", ")", fields, sizeof fields);
  text_append(t, ": ");
  if (chance(g, 25))
    print_from(g, 1 + below(g, i), s);
  text_format(t, "%s M%zu%s within ", delivered ? "delivered" : "sent", i, fields);
  print(t, limit, "x", 1);
  text_append(t, "\n");
}

static void generate(struct generator *g, uint64_t seed) {
  memset(g, 0, sizeof *g);
  g->random = (struct random){seed};
  text_init(&g->text);
  choose_chain(g);
  declare(g);
  print_states(g);
  for (size_t i = 0; i < g->stage_count; i++)
    print_action(g, i);
  print_busy_actions(g);
  print_invariants(g);
  for (size_t i = 0; i < 3; i++)
    print_bound(g, i + 1);
}

#endif
