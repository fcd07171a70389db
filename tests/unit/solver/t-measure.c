/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/encode/encode.h"
#include "solver/encode/symbolic.h"
#include "tests/unit/solver/loaded.h"

/* Sets of a few nodes with known members, times and numbers: the axioms of cardinalities, sums and
 * order statistics must leave room for the true value (else they prove anything), and often leave
 * none for another. */
enum { NODES = 3, SETS = 3, SCENARIOS = 120, DEPTH = 2 };

struct scenario {
  unsigned state; /* of the random numbers */
  unsigned nodes, sets[SETS], times[NODES];
  struct text text;
};

static unsigned draw(struct scenario *s, unsigned below) {
  s->state = s->state * 1103515245u + 12345u;
  return (s->state >> 16) % below;
}

static const char *const names[] = {"p", "q", "s"};

/* A random set term, and its members. */
static unsigned draw_set(struct scenario *s, struct text *text, unsigned depth) {
  unsigned form = draw(s, depth == 0 ? 4 : 7), node = draw(s, s->nodes);
  unsigned all = (1u << s->nodes) - 1;
  if (form == 0) {
    text_append(text, "node");
    return all;
  }
  if (form == 1) {
    unsigned other = draw(s, s->nodes);
    text_format(text, "{%s, %s}", names[node], names[other]);
    return 1u << node | 1u << other;
  }
  if (form < 4) {
    unsigned set = draw(s, SETS);
    text_format(text, "x.%c", 'a' + (int)set);
    return s->sets[set] & all;
  }
  text_append(text, "(");
  unsigned a = draw_set(s, text, depth - 1);
  text_append(text, form == 4 ? " + " : form == 5 ? " - " : " & ");
  unsigned b = draw_set(s, text, depth - 1);
  text_append(text, ")");
  return form == 4 ? a | b : form == 5 ? a & ~b : a & b;
}

static unsigned kth(const struct scenario *s, unsigned members, unsigned rank) {
  unsigned best = 0;
  bool found = false;
  for (unsigned i = 0; i < s->nodes; i++) {
    unsigned count = 0;
    for (unsigned j = 0; j < s->nodes; j++)
      count += (members >> j & 1) && s->times[j] <= s->times[i];
    if ((members >> i & 1) && count >= rank && (!found || s->times[i] < best)) {
      best = s->times[i];
      found = true;
    }
  }
  return best;
}

/* A measure of a random set, equal to its value plus `error`. */
static void draw_claim(struct scenario *s, unsigned error) {
  struct text set;
  text_init(&set);
  unsigned members = draw_set(s, &set, DEPTH), sum = 0, form = draw(s, 4);
  unsigned count = (unsigned)__builtin_popcount(members);
  for (unsigned i = 0; i < s->nodes; i++)
    sum += (members >> i & 1) * s->times[i];
  if (form == 0 || count == 0) {
    text_format(&s->text, "|%s| == %u", text_get(&set), count + error);
  } else if (form == 1) {
    text_format(&s->text, "sum r in %s (C[r] + 2 * E) == %u ns + %u * E", text_get(&set),
                sum + error, 2 * count);
  } else if (form == 2) { /* of integers, some negative */
    unsigned rank = 1 + draw(s, s->nodes);
    text_format(&s->text, "kth(%u, r in node (x.number[r] - 2)) + 2 == %u", rank,
                kth(s, (1u << s->nodes) - 1, rank) + error);
  } else {
    unsigned rank = 1 + draw(s, count);
    text_format(&s->text, "kth(%u, r in %s (C[r])) == %u ns", rank, text_get(&set),
                kth(s, members, rank) + error);
  }
  text_clear(&set);
}

static void write_nodes(struct scenario *s) {
  for (unsigned i = 0; i < s->nodes; i++)
    text_format(&s->text, "%s%s in node", i == 0 ? "forall " : ", ", names[i]);
  text_format(&s->text, ". n == %u", s->nodes);
  for (unsigned i = 0; i < s->nodes; i++)
    for (unsigned j = 0; j < i; j++)
      text_format(&s->text, " and %s != %s", names[i], names[j]);
  text_append(&s->text, " and (forall r in node. false");
  for (unsigned i = 0; i < s->nodes; i++)
    text_format(&s->text, " or r == %s", names[i]);
  text_append(&s->text, ")");
  for (unsigned i = 0; i < s->nodes; i++) {
    for (unsigned set = 0; set < SETS; set++)
      text_format(&s->text, " and %s(%s in x.%c)", s->sets[set] >> i & 1 ? "" : "not ", names[i],
                  'a' + (int)set);
    text_format(&s->text, " and C[%s] == %u ns and x.number[%s] == %u", names[i], s->times[i],
                names[i], s->times[i]);
  }
}

/* Whether the solver finds that the scenario with its claim cannot be. */
static bool contradicts(unsigned seed, unsigned error, bool ordered) {
  struct scenario s = {.state = seed * 7919u + 1};
  text_init(&s.text);
  s.nodes = 1 + draw(&s, NODES);
  for (unsigned i = 0; i < SETS; i++)
    s.sets[i] = draw(&s, 8);
  for (unsigned i = 0; i < NODES; i++)
    s.times[i] = draw(&s, 5);
  text_append(&s.text,
              "protocol sets\nparam n : int >= 1\nrole node[n]\nrole x\n"
              "external world\ncomponent C[node], E\ndelay d\nmessage M : x -> world\n"
              "state x {\n a : set of node = {}\n b : set of node = {}\n"
              " c : set of node = {}\n number : map node to int = 0\n}\ninvariant scenario: ");
  write_nodes(&s);
  if (ordered)
    text_append(&s.text, " and sum r in node (C[r]) >= 0 ns");
  text_append(&s.text, " implies not (");
  draw_claim(&s, error);
  text_append(&s.text, ")\naction x.Do cost E {\n send M\n}\nbound m: sent M within E\n");
  struct loaded loaded;
  loaded_init(&loaded, "sets.tp", text_get(&s.text));
  assert_non_null(loaded.model);
  struct smt *smt = smt_new();
  struct encoder e;
  smt_terms goals = {0};
  encoder_init(&e, smt, loaded.model, NULL, loaded.model->variable_count);
  smt_term formula = encode(&e, loaded.model->invariants.items[0]->formula, symbolic_any(&e));
  encoder_lemmas(&e, &(struct encoder_mark){0}, &goals);
  smt_assert(smt, smt_not(smt, formula));
  for (size_t i = 0; i < e.axioms.count; i++)
    smt_assert(smt, e.axioms.data[i]);
  bool answer = smt_check(smt, 2000, false, NULL) == SMT_UNSAT;
  if (answer && error == 0)
    fprintf(stderr, "%s\n", text_get(&s.text));
  vector_clear(&goals);
  encoder_clear(&e);
  smt_free(smt);
  loaded_clear(&loaded);
  text_clear(&s.text);
  return answer;
}

static void count(bool ordered) {
  unsigned caught = 0;
  for (unsigned seed = 0; seed < SCENARIOS; seed++) {
    assert_false(contradicts(seed, 0, ordered));
    caught += contradicts(seed, 1, ordered);
  }
  print_message("%u of %u wrong values contradict the axioms\n", caught, SCENARIOS);
  assert_true(caught * 3 >= SCENARIOS); /* the axioms are used; they are not complete */
}

static void unordered_families(void **state) {
  (void)state;
  count(false);
}

static void ordered_families(void **state) {
  (void)state;
  count(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unordered_families),
      cmocka_unit_test(ordered_families),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
