/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random small protocols, each judged twice: by the verifier and by the interpreter's hunts, which
 * share no code with the encoder. Never `proved` when a hunt finds an event later than the bound or
 * something that happens twice; `refuted` always with an execution; `proved` always reached.
 *
 * A protocol is a chain of stages. Each receives the message of the one before it at one or all
 * nodes of a role, takes its cost and sends on: to one, to all of a family, numbered by an integer,
 * or once all of a family have answered. The generator knows the time along the chain and writes it
 * into invariants and bounds, in most bounds with a mistake: a term dropped, doubled, exchanged, a
 * maximum made a minimum or a sum, a bare name for an occurrence.
 *
 * Prints TAP. Arguments: the number of protocols and the first seed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/hunt.h"
#include "solver/scope.h"
#include "solver/verify.h"
#include "tests/unit/solver/loaded.h"

enum { STAGES_MAX = 5, EXPRESSIONS_MAX = 400, SCOPES = 4, PROTOCOLS = 150 };

/* --- expressions ------------------------------------------------------------------------------ */

enum shape { SHAPE_LEAF, SHAPE_SUM, SHAPE_OVER };

/* The time at which something happens; `@` in a leaf stands for the member of the family. */
struct expression {
  enum shape shape;
  const char *word; /* of OVER: max, min or sum */
  const char *family;
  char name[16], index[24]; /* of LEAF: C3 and [@]; d and (M3(@)) */
  size_t count;
  struct expression *parts[2];
};

enum index { INDEX_NONE, INDEX_MEMBER, INDEX_INT };

struct stage {
  const char *role; /* who acts */
  enum index index; /* of the message it receives; of the first stage NONE */
  const char *family;
  int number;
  bool joins, to_first;    /* waits for all; the message goes to the first node of a family */
  struct expression *sent; /* when the message it receives was sent */
};

struct generator {
  uint64_t state;
  struct text text;
  struct expression pool[EXPRESSIONS_MAX];
  size_t used, stage_count;
  struct stage stages[STAGES_MAX + 1]; /* the last is who hears the end */
  bool queueing;
};

static size_t below(struct generator *g, size_t count) {
  uint64_t z = g->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (size_t)((z ^ (z >> 31)) % count);
}

static bool chance(struct generator *g, size_t percent) {
  return below(g, 100) < percent;
}

static struct expression *new_expression(struct generator *g, enum shape shape) {
  if (g->used == EXPRESSIONS_MAX)
    bug("a generated expression is too large");
  g->pool[g->used] = (struct expression){.shape = shape};
  return &g->pool[g->used++];
}

static struct expression *leaf(struct generator *g, const char *name, const char *index) {
  struct expression *e = new_expression(g, SHAPE_LEAF);
  snprintf(e->name, sizeof e->name, "%s", name);
  snprintf(e->index, sizeof e->index, "%s", index);
  return e;
}

static struct expression *plus(struct generator *g, struct expression *a, struct expression *b) {
  if (a == NULL || b == NULL)
    return a == NULL ? b : a;
  struct expression *e = new_expression(g, SHAPE_SUM);
  e->count = 2;
  e->parts[0] = a;
  e->parts[1] = b;
  return e;
}

static struct expression *over(struct generator *g, const char *word, const char *family,
                               struct expression *body) {
  struct expression *e = new_expression(g, SHAPE_OVER);
  e->word = word;
  e->family = family;
  e->count = 1;
  e->parts[0] = body;
  return e;
}

static struct expression *copy(struct generator *g, const struct expression *from) {
  struct expression *e = new_expression(g, from->shape);
  *e = *from;
  for (size_t i = 0; i < from->count; i++)
    e->parts[i] = copy(g, from->parts[i]);
  return e;
}

static void print(struct text *text, const struct expression *e, const char *member, int depth) {
  char inner[8];
  switch (e->shape) {
  case SHAPE_LEAF:
    text_append(text, e->name);
    for (const char *at = e->index; *at != '\0'; at++)
      if (*at == '@')
        text_append(text, member);
      else
        text_append_bytes(text, at, 1);
    return;
  case SHAPE_SUM:
    print(text, e->parts[0], member, 2 * depth);
    text_append(text, " + ");
    print(text, e->parts[1], member, 2 * depth + 1);
    return;
  case SHAPE_OVER:
    snprintf(inner, sizeof inner, "y%d", depth % 1000);
    text_format(text, "%s %s in %s (", e->word, inner, e->family);
    print(text, e->parts[0], inner, 2 * depth);
    text_append(text, ")");
    return;
  }
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void list_parts(struct expression *e, enum shape shape, struct expression **list,
                       size_t *count) {
  if (e->shape == shape)
    list[(*count)++] = e;
  for (size_t i = 0; i < e->count; i++)
    list_parts(e->parts[i], shape, list, count);
}

static struct expression *pick(struct generator *g, struct expression *e, enum shape shape) {
  struct expression *list[EXPRESSIONS_MAX];
  size_t count = 0;
  list_parts(e, shape, list, &count);
  return count == 0 ? NULL : list[below(g, count)];
}

/* Of the sums that end in a wait, one loses it. */
static void forget_wait(struct generator *g, struct expression *e) {
  struct expression *list[EXPRESSIONS_MAX];
  size_t count = 0, waits = 0;
  list_parts(e, SHAPE_SUM, list, &count);
  for (size_t i = 0; i < count; i++)
    if (list[i]->parts[1]->shape == SHAPE_LEAF && strcmp(list[i]->parts[1]->name, "Q") == 0)
      list[waits++] = list[i];
  if (waits == 0)
    return;
  struct expression *sum = list[below(g, waits)];
  *sum = *sum->parts[0];
}

/* Some of these keep a true bound true: doubling, a sum for a maximum, a bare name. */
static void change(struct generator *g, struct expression *e) {
  struct expression *part = pick(g, e, SHAPE_LEAF), *other = pick(g, e, SHAPE_LEAF);
  struct expression *family = pick(g, e, SHAPE_OVER), *sum = pick(g, e, SHAPE_SUM);
  switch (below(g, 9)) {
  case 0: /* drop */
    if (sum != NULL)
      *sum = *sum->parts[below(g, 2)];
    return;
  case 2: /* double */
    *part = *plus(g, copy(g, part), copy(g, part));
    return;
  case 3:
    if (family != NULL)
      family->word = "min";
    return;
  case 4:
    if (family != NULL)
      family->word = "sum";
    return;
  case 5:
    if (part->index[0] != '\0')
      part->index[0] = '\0';
    return;
  case 6: /* another name with the same index */
    if (strchr(part->index, '(') == NULL && strcmp(part->index, other->index) == 0)
      memcpy(part->name, other->name, sizeof part->name);
    return;
  default: /* nobody waits */
    forget_wait(g, e);
    return;
  }
}

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
static struct expression *of_message(struct generator *g, const char *name, size_t number) {
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
}

static struct expression *cost_of(struct generator *g, size_t i) {
  char name[8], index[16];
  snprintf(name, sizeof name, "C%zu", i % 10);
  index_of(&g->stages[i], "@", "[", "]", index, sizeof index);
  return leaf(g, name, index);
}

/* When stage i ends, for the member it is about. */
static struct expression *end_of(struct generator *g, size_t i) {
  const struct stage *s = &g->stages[i];
  struct expression *e = NULL;
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
  g->queueing = chance(g, 75);
  g->stages[0] = (struct stage){.role = "p"};
  for (size_t i = 1; i <= g->stage_count; i++) {
    choose_stage(g, i);
    g->stages[i].sent = end_of(g, i - 1);
  }
}

static void declare(struct generator *g) {
  struct text *t = &g->text;
  text_append(
      t, "protocol random\nparam n : int >= 1\nrole p\nrole q\nrole f[n]\nrole g[2]\ndelay d\n");
  if (g->queueing)
    text_append(t, "queueing Q\n");
  text_append(t, "component W, V[f], X[f], Y\n");
  for (size_t i = 0; i < g->stage_count; i++) {
    const struct stage *s = &g->stages[i];
    const char *type = s->index == INDEX_NONE ? "" : s->index == INDEX_INT ? "int" : s->family;
    text_format(t, s->index == INDEX_NONE ? "component C%zu%s\n" : "component C%zu[%s]\n", i, type);
  }
  for (size_t i = 1; i <= g->stage_count; i++) {
    const struct stage *s = &g->stages[i];
    text_format(t, "message M%zu", i);
    if (s->index == INDEX_INT)
      text_append(t, "(k: int)");
    else if (s->index == INDEX_MEMBER)
      text_format(t, "(x: %s)", s->family);
    text_format(t, " : %s -> %s%s\n", g->stages[i - 1].role, s->role,
                is_family(s->role) && !s->to_first ? " x" : "");
  }
}

static void print_send(struct generator *g, size_t i, bool numbered) {
  const struct stage *s = &g->stages[i + 1], *here = &g->stages[i];
  struct text *t = &g->text;
  text_format(t, "send M%zu", i + 1);
  bool all = s->index == INDEX_MEMBER && here->index != INDEX_MEMBER;
  if (s->index == INDEX_INT && numbered)
    text_append(t, "(k + 1)");
  else if (s->index == INDEX_INT)
    text_format(t, "(%d)", s->number);
  else if (s->index == INDEX_MEMBER)
    text_append(t, all ? "(z)" : "(x)");
  if (s->to_first)
    text_format(t, " to first(%s)", s->role);
  if (all)
    text_format(t, " for all z in %s", s->family);
  text_append(t, " ");
}

static void print_header(struct generator *g, size_t i) {
  const struct stage *s = &g->stages[i];
  struct text *t = &g->text;
  bool named = s->index == INDEX_MEMBER && strcmp(s->family, s->role) == 0 && !s->to_first;
  if (is_family(s->role))
    text_format(t, "action %s %s.H%zu", s->role, named ? "x" : "y", i);
  else
    text_format(t, "action %s.H%zu", s->role, i);
  if (i != 0)
    text_format(t, " on M%zu%s", i,
                s->index == INDEX_NONE  ? ""
                : s->index == INDEX_INT ? "(k)"
                                        : "(x)");
  text_format(t, " cost C%zu%s {\n", i,
              s->index == INDEX_NONE  ? ""
              : s->index == INDEX_INT ? "[k]"
                                      : "[x]");
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
  text_append(t, "state q {\n  busy : bool = false\n}\nstate f {\n  busy : bool = false\n}\n");
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
    text_append(t, "action q.Busy cost W {\n  when not busy\n  busy := true\n}\n");
  if (chance(g, g->queueing ? 50 : 15))
    text_append(t, "action f y.Busy cost V[y] {\n  when not busy\n  busy := true\n}\n");
}

/* Whether only stage i takes steps at its role, as far as the chain goes. */
static bool acts_once(const struct generator *g, size_t i) {
  for (size_t k = 0; k < g->stage_count; k++)
    if (k != i && strcmp(g->stages[k].role, g->stages[i].role) == 0)
      return false;
  return strstr(text_get(&g->text), "Busy") == NULL && !g->stages[i].to_first &&
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
    struct expression *limit = plus(g, copy(g, s->sent), of_message(g, "d", i));
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

static void print_bound(struct generator *g, size_t number) {
  struct text *t = &g->text;
  size_t i = 1 + below(g, g->stage_count);
  const struct stage *s = &g->stages[i];
  bool delivered = chance(g, 40);
  struct expression *limit = copy(g, s->sent);
  if (delivered)
    limit = plus(g, limit, of_message(g, "d", i));
  for (size_t mistakes = chance(g, 40) ? 0 : 1 + below(g, 2); mistakes > 0; mistakes--)
    change(g, limit);
  text_format(t, "bound b%zu", number);
  if (s->index == INDEX_MEMBER)
    text_format(t, " for all x in %s", s->family);
  char fields[12];
  index_of(s, "x", "(", ")", fields, sizeof fields);
  text_format(t, ": %s M%zu%s within ", delivered ? "delivered" : "sent", i, fields);
  print(t, limit, "x", 1);
  text_append(t, "\n");
}

static void generate(struct generator *g, uint64_t seed) {
  memset(g, 0, sizeof *g);
  g->state = seed;
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

/* --- judging ---------------------------------------------------------------------------------- */

struct outcome {
  uint64_t seed;
  size_t verdicts[3];
  size_t hunted, events; /* proved bounds hunted; comparisons made */
  char *wrong;           /* what, with the protocol; NULL: nothing */
};

static const char *hunt_one(struct outcome *outcome, struct interpreter *in,
                            const struct bound *bound, uint64_t seed, bool paths) {
  struct hunt hunt;
  hunt_init(&hunt, in);
  struct explore_limits limits = {.depth_max = 16, .seconds_max = 0.1};
  struct hunt_options options = {.seed = seed, .runs = 60, .steps_max = 30, .seconds_max = 0.2};
  if (paths)
    hunt_paths(&hunt, in, bound, &limits, 6, seed);
  else
    hunt_random(&hunt, in, bound, &options);
  static const char *const names[] = {NULL, "a later event", "a second send", "a second charge"};
  const char *found = names[hunt.verdict];
  outcome->events += hunt.events;
  hunt_clear(&hunt);
  return found;
}

static const char *hunt_all(struct outcome *outcome, const struct model *model,
                            const struct bound *bound) {
  struct scopes scopes;
  scopes_init(&scopes, model, SCOPE_SMALLEST_FIRST, SCOPES);
  const char *found = NULL;
  for (size_t i = 0; i < 2 * scopes.items.count && found == NULL; i++) {
    struct text ignored;
    text_init(&ignored);
    struct interpreter *in = interpreter_new(model, scopes.items.data[i / 2], &ignored);
    found = hunt_one(outcome, in, bound, outcome->seed + i, i % 2 == 0);
    interpreter_free(in);
    text_clear(&ignored);
  }
  scopes_clear(&scopes);
  outcome->hunted++;
  return found;
}

static void judge_report(struct outcome *outcome, const struct model *model,
                         const struct bound_report *r, struct text *wrong) {
  outcome->verdicts[r->verdict]++;
  const char *found = r->verdict == VERDICT_PROVED ? hunt_all(outcome, model, r->bound) : NULL;
  if (found != NULL)
    text_format(wrong, "# %s proved, but the interpreter finds %s\n", r->bound->name, found);
  if (r->verdict == VERDICT_PROVED && !r->reached)
    text_format(wrong, "# %s proved, but never reached\n", r->bound->name);
  if (r->verdict == VERDICT_REFUTED && (r->execution == NULL || r->time == NULL))
    text_format(wrong, "# %s refuted without an execution\n", r->bound->name);
}

static void judge(size_t index, void *context) {
  struct outcome *outcome = &((struct outcome *)context)[index];
  struct generator *g = mem_alloc(1, sizeof *g);
  generate(g, outcome->seed);
  struct loaded loaded;
  loaded_init(&loaded, "random", text_get(&g->text));
  struct text wrong;
  text_init(&wrong);
  if (loaded.model == NULL) {
    text_append(&wrong, "# the checker refuses it\n");
  } else {
    struct verify_options options = {.jobs = 1, .limit_ms = 150, .search_seconds = 0.5};
    struct verification v;
    verification_init(&v, loaded.model, &options);
    for (size_t i = 0; i < v.bounds.count; i++)
      judge_report(outcome, loaded.model, &v.bounds.data[i], &wrong);
    verification_clear(&v);
  }
  if (wrong.length != 0) {
    text_append(&wrong, text_get(&g->text));
    outcome->wrong = text_take(&wrong);
  }
  text_clear(&wrong);
  loaded_clear(&loaded);
  text_clear(&g->text);
  mem_free(g);
}

static void print_wrong(const struct outcome *outcome) {
  printf("# seed %" PRIu64 "\n", outcome->seed);
  for (const char *line = outcome->wrong; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    printf("# %.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
}

static bool report(bool good, int number, const char *what) {
  printf("%s %d - %s\n", good ? "ok" : "not ok", number, what);
  return good;
}

int main(int argc, char **argv) {
  size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : PROTOCOLS;
  uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  if (argc > 3) { /* to read one */
    struct generator *g = mem_alloc(1, sizeof *g);
    generate(g, first);
    fputs(text_get(&g->text), stdout);
    text_clear(&g->text);
    mem_free(g);
    return 0;
  }
  struct outcome *outcomes = mem_alloc(count, sizeof *outcomes);
  for (size_t i = 0; i < count; i++)
    outcomes[i].seed = first + i;
  parallel_run(parallel_processors(), count, judge, outcomes);
  size_t totals[3] = {0}, wrong = 0, hunted = 0, events = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t v = 0; v < 3; v++)
      totals[v] += outcomes[i].verdicts[v];
    hunted += outcomes[i].hunted;
    events += outcomes[i].events;
    if (outcomes[i].wrong != NULL) {
      wrong++;
      print_wrong(&outcomes[i]);
    }
    mem_free(outcomes[i].wrong);
  }
  mem_free(outcomes);
  size_t all = totals[0] + totals[1] + totals[2];
  printf("1..3\n# %zu protocols, %zu bounds: %zu proved, %zu refuted, %zu unknown; %zu proved ones "
         "hunted, %zu events compared\n",
         count, all, totals[VERDICT_PROVED], totals[VERDICT_REFUTED], totals[VERDICT_UNKNOWN],
         hunted, events);
  bool good = report(wrong == 0 && all != 0, 1, "the interpreter contradicts no verdict");
  good = report(10 * totals[VERDICT_PROVED] >= all, 2, "a tenth of the bounds is proved") && good;
  good = report(10 * totals[VERDICT_REFUTED] >= all, 3, "a tenth is refuted") && good;
  return good ? 0 : 1;
}
