/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a bound rests on is the same whatever else the file claims: the queries of its obligations,
 * their number, and its verdict, also beside false neighbours, before it or after it; and where
 * only one bound is asked for, nothing is tried for the others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "solver/verify.h"
#include "tests/unit/solver/loaded.h"

/* A quorum, so that the bound is an order statistic with counting of its own; a sum over slots, so
 * that it has lemmas; an invariant that is only true with an other one. */
static const char protocol[] =
    "protocol independence\n"
    "timing eager\n"
    "param n : int >= 1\n"
    "param k : int >= 1\n"
    "param w : int >= 0\n"
    "assume k <= n\n"
    "role leader\n"
    "role copy[n]\n"
    "external client\n"
    "component Write\n"
    "component Sync[copy]\n"
    "component Wait[int]\n"
    "delay d\n"
    "queueing Q\n"
    "message Put(to: copy)  : leader -> copy to\n"
    "message Ack(from: copy) : copy from -> leader\n"
    "message Done            : leader -> client\n"
    "state leader { begun : bool = false  done : bool = false  acks : set of copy = {} }\n"
    "action leader.Begin cost Write { when not begun  begun := true\n"
    "  send Put(c) for all c in copy }\n"
    "action copy c.Sync on Put(c) cost Sync[c] { send Ack(c) }\n"
    "action leader.Take on Ack(c) {\n"
    "  acks := acks + {c}\n"
    "  if not done and |acks| >= k { done := true  send Done } }\n"
    "invariant idle:   not begun implies time(leader) <= 0 and not done\n"
    "invariant busy:   not done implies time(leader) <= Write + kth(k, c in copy (d(Put(c)) +\n"
    "    Q(Put(c)) + Sync[c] + d(Ack(c)) + Q(Ack(c))))\n"
    "invariant on_way: forall c in copy. begun and not c in acks implies pending Put(c) or\n"
    "    pending Ack(c)\n"
    "invariant few:    not done implies |acks| < k\n"
    "invariant done:   sent Done iff done\n"
    "invariant put:    forall c in copy. sent Put(c) implies time(Put(c)) <= Write + d(Put(c))\n"
    "invariant ack:    forall c in copy. sent Ack(c) implies time(Ack(c)) <= Write + d(Put(c)) +\n"
    "    Q(Put(c)) + Sync[c] + d(Ack(c))\n";

/* What one copy takes; each false neighbour leaves out one of them. */
static const char *const parts[] = {"d(Put(c))", "Q(Put(c))", "Sync[c]", "d(Ack(c))", "Q(Ack(c))"};
enum { PARTS = sizeof parts / sizeof *parts, FALSE_BOUNDS = 3 };

/* `without`: the part left out; PARTS: none, which is the true bound. */
static void append_bound(struct text *text, size_t without) {
  if (without == PARTS)
    text_append(text, "bound done_in: ");
  else
    text_format(text, "bound false_%zu: ", without);
  text_append(text, "delivered Done within Write + kth(k, c in copy (0 ms");
  for (size_t i = 0; i < PARTS; i++)
    if (i != without)
      text_format(text, " + %s", parts[i]);
  text_append(text, ")) + d(Done) + sum j in 0..w - 1 (Wait[j])\n");
}

enum beside { ALONE, FALSE_FIRST, FALSE_LAST };

static void load(struct loaded *loaded, enum beside beside) {
  struct text text;
  text_init(&text);
  text_append(&text, protocol);
  for (size_t i = 0; beside == FALSE_FIRST && i < FALSE_BOUNDS; i++)
    append_bound(&text, i);
  append_bound(&text, PARTS);
  for (size_t i = 0; beside == FALSE_LAST && i < FALSE_BOUNDS; i++)
    append_bound(&text, i);
  loaded_init(loaded, "independence.tp", text_get(&text));
  text_clear(&text);
  assert_non_null(loaded->model);
}

/* The queries of a proof that a bound rests on: what each is for, how much is asserted, and the
 * functions that it is about, without their numbers. (How terms are shared in the script depends on
 * what else is in the solver's memory; so do numbers.) */
struct queries {
  pthread_mutex_t mutex;
  VECTOR(char *) texts;
  const char *bound;
};

static size_t count_of(const char *script, const char *what) {
  size_t count = 0;
  for (const char *at = strstr(script, what); at != NULL; at = strstr(at + 1, what))
    count++;
  return count;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void append_declared(struct text *text, const char *script) {
  VECTOR(char *) lines = {0};
  for (const char *at = strstr(script, "(declare-"); at != NULL; at = strstr(at + 1, "(declare-")) {
    struct text line;
    text_init(&line);
    for (const char *c = at; *c != '\n' && *c != '\0'; c++)
      if (!isdigit((unsigned char)*c))
        text_append_bytes(&line, c, 1);
    vector_push(&lines, text_take(&line));
  }
  if (lines.count != 0)
    qsort(lines.data, lines.count, sizeof *lines.data, by_text);
  for (size_t i = 0; i < lines.count; i++) {
    text_format(text, "%s\n", lines.data[i]);
    mem_free(lines.data[i]);
  }
  vector_clear(&lines);
}

static void note_query(void *context, const struct obligation *o, const char *script) {
  struct queries *q = context;
  const struct property *p = o->property;
  bool other = p != NULL && p->kind == PROPERTY_BOUND && strcmp(p->name, q->bound) != 0;
  if (other || (o->bound != NULL && strcmp(o->bound->name, q->bound) != 0))
    return;
  struct text text;
  text_init(&text);
  obligation_print(&text, o);
  text_format(&text, "\n%zu assertions\n", count_of(script, "(assert"));
  append_declared(&text, script);
  pthread_mutex_lock(&q->mutex);
  vector_push(&q->texts, text_take(&text));
  pthread_mutex_unlock(&q->mutex);
}

static void list_queries(struct queries *q, enum beside beside) {
  *q = (struct queries){.mutex = PTHREAD_MUTEX_INITIALIZER, .bound = "done_in"};
  struct loaded loaded;
  load(&loaded, beside);
  struct proof_options options = {
      .jobs = 2, .limit_ms = 300, .on_query = note_query, .query_context = q};
  struct proof proof;
  proof_init(&proof, loaded.model, &options);
  proof_clear(&proof);
  loaded_clear(&loaded);
  qsort(q->texts.data, q->texts.count, sizeof *q->texts.data, by_text);
}

static void clear_queries(struct queries *q) {
  for (size_t i = 0; i < q->texts.count; i++)
    mem_free(q->texts.data[i]);
  vector_clear(&q->texts);
}

static void compare(enum beside where) {
  struct queries alone, beside;
  list_queries(&alone, ALONE);
  list_queries(&beside, where);
  assert_int_equal(alone.texts.count, beside.texts.count);
  assert_true(alone.texts.count > 20);
  for (size_t i = 0; i < alone.texts.count; i++)
    assert_string_equal(alone.texts.data[i], beside.texts.data[i]);
  clear_queries(&alone);
  clear_queries(&beside);
}

static void test_same_queries(void **state) {
  (void)state;
  compare(FALSE_LAST);
  compare(FALSE_FIRST);
}

static const struct bound_report *report_of(const struct verification *v, const char *name) {
  for (size_t i = 0; i < v->bounds.count; i++)
    if (strcmp(v->bounds.data[i].bound->name, name) == 0)
      return &v->bounds.data[i];
  return NULL;
}

static void test_same_verdict(void **state) {
  (void)state;
  struct verify_options options = {.jobs = 2, .limit_ms = 300, .search_seconds = 2};
  size_t obligations[2];
  for (size_t i = 0; i < 2; i++) {
    struct loaded loaded;
    load(&loaded, i == 0 ? ALONE : FALSE_FIRST);
    struct verification v;
    verification_init(&v, loaded.model, &options);
    const struct bound_report *report = report_of(&v, "done_in");
    assert_int_equal(report->verdict, VERDICT_PROVED);
    obligations[i] = report->obligations;
    for (size_t k = 0; k < v.bounds.count; k++)
      assert_int_equal(v.bounds.data[k].verdict,
                       &v.bounds.data[k] == report ? VERDICT_PROVED : VERDICT_REFUTED);
    verification_clear(&v);
    loaded_clear(&loaded);
  }
  assert_int_equal(obligations[0], obligations[1]);
}

/* Nothing is tried, or generated, for the bounds not asked for. */
static void test_only_one(void **state) {
  (void)state;
  struct loaded alone, beside;
  load(&alone, ALONE);
  load(&beside, FALSE_FIRST);
  struct verify_options options = {.jobs = 2, .limit_ms = 300, .search_seconds = 2};
  struct verification v, w;
  verification_init(&v, alone.model, &options);
  options.only = beside.model->bounds.items[FALSE_BOUNDS];
  verification_init(&w, beside.model, &options);
  assert_int_equal(w.bounds.count, 1);
  assert_int_equal(w.bounds.data[0].verdict, VERDICT_PROVED);
  assert_int_equal(w.proof.obligations.count, v.proof.obligations.count);
  assert_int_equal(w.proof.properties.items.count, v.proof.properties.items.count);
  verification_clear(&v);
  verification_clear(&w);
  loaded_clear(&alone);
  loaded_clear(&beside);
}

static size_t count_open(const struct proof *proof) {
  size_t open = 0;
  for (size_t i = 0; i < proof->obligations.count; i++)
    open += proof->obligations.data[i].open;
  return open;
}

/* What a brief attempt leaves open is not tried again for a bound that is given up. */
static void test_given_up(void **state) {
  (void)state;
  struct loaded loaded;
  load(&loaded, FALSE_LAST);
  struct proof_options options = {.jobs = 2, .limit_ms = 2000};
  struct proof proof;
  proof_begin(&proof, loaded.model, &options);
  size_t open = count_open(&proof);
  double before = 0, after = 0;
  assert_true(open > 0);
  for (size_t i = 0; i < proof.obligations.count; i++)
    before += proof.obligations.data[i].open ? proof.obligations.data[i].seconds : 0;
  bool *spared = mem_alloc(proof.properties.items.count, sizeof *spared);
  for (size_t i = 0; i < proof.properties.items.count; i++)
    spared[i] = true;
  proof_settle(&proof, &options, spared);
  assert_int_equal(count_open(&proof), 0);
  size_t unproved = 0;
  for (size_t i = 0; i < proof.obligations.count; i++) {
    unproved += !proof.obligations.data[i].proved;
    after += proof.obligations.data[i].proved ? 0 : proof.obligations.data[i].seconds;
  }
  assert_int_equal(unproved, open);
  assert_true(before == after);
  mem_free(spared);
  proof_clear(&proof);
  loaded_clear(&loaded);
}

/* More actions than sessions are kept open: most are opened again, some several times. */
static void test_many_actions(void **state) {
  (void)state;
  enum { STAGES = 24 };
  struct text text, time;
  text_init(&text);
  text_init(&time);
  text_append(&text, "protocol chain\ntiming standard\ndelay d\nqueueing Q\nexternal client\n");
  for (int i = 0; i < STAGES; i++)
    text_format(&text, "role r%d\ncomponent C%d\n", i, i);
  for (int i = 0; i < STAGES; i++)
    text_format(&text,
                i + 1 < STAGES ? "message M%d : r%d -> r%d\n" : "message M%d : r%d -> client\n", i,
                i, i + 1);
  text_append(&text, "state r0 { begun : bool = false }\n"
                     "action r0.S cost C0 { when not begun begun := true send M0 }\n"
                     "invariant fresh: not begun implies time(r0) <= 0\n");
  for (int i = 0; i < STAGES; i++) {
    text_format(&time, i == 0 ? "C%d + d(M%d)" : " + C%d + d(M%d)", i, i);
    text_format(&text, "invariant t%d: sent M%d implies time(M%d) <= %s\n", i, i, i,
                text_get(&time));
    if (i + 1 < STAGES) {
      text_format(&text, "action r%d.S on M%d cost C%d { send M%d }\n", i + 1, i, i + 1, i + 1);
      text_format(&time, " + Q(M%d)", i);
    }
  }
  text_format(&text, "bound total: delivered M%d within %s\n", STAGES - 1, text_get(&time));
  struct loaded loaded;
  loaded_init(&loaded, "chain.tp", text_get(&text));
  assert_non_null(loaded.model);
  struct verify_options options = {
      .jobs = 2, .limit_ms = 300, .search_seconds = 2, .explain = true};
  struct verification v;
  verification_init(&v, loaded.model, &options);
  assert_int_equal(v.bounds.data[0].verdict, VERDICT_PROVED);
  assert_int_equal(v.bounds.data[0].failed, 0);
  assert_int_equal(v.bounds.data[0].obligations, v.proof.obligations.count);
  verification_clear(&v);
  loaded_clear(&loaded);
  text_clear(&text);
  text_clear(&time);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_queries), cmocka_unit_test(test_same_verdict),
      cmocka_unit_test(test_only_one),     cmocka_unit_test(test_given_up),
      cmocka_unit_test(test_many_actions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
