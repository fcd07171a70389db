/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/text.h"
#include "lang/print.h"
#include "solver/infer/clause.h"
#include "tests/unit/solver/loaded.h"

/* A request that is answered by one of two messages, and only once. */
static const char *const text =
    "protocol either\n"
    "param n : int >= 1\n"
    "role client\n"
    "role server[n]\n"
    "component Ask[server]\n"
    "component Work[server]\n"
    "delay d\n"
    "message Request(s: server) : client -> server s\n"
    "message Yes(s: server) : server s -> client\n"
    "message No(s: server) : server s -> client\n"
    "state client { asked : set of server = {}  heard : set of server = {} }\n"
    "state server { open : bool = true }\n"
    "action client.Ask(s in server) cost Ask[s] {\n"
    "  when not s in asked\n"
    "  asked := asked + {s}\n"
    "  send Request(s)\n"
    "}\n"
    "action server s.Agree on Request(s) cost Work[s] { open := false  send Yes(s) }\n"
    "action server s.Refuse on Request(s) cost Work[s] { open := false  send No(s) }\n"
    "action client.Yes on Yes(s) { heard := heard + {s} }\n"
    "action client.No on No(s) { heard := heard + {s} }\n"
    "bound b for all s in server: sent Yes(s) within 1 s\n";

struct bench {
  struct loaded loaded;
  struct arena arena;
  struct rational zero;
  struct term_maker m;
  drafts list;
};

static int set_up(void **state) {
  struct bench *b = mem_alloc(1, sizeof *b);
  loaded_init(&b->loaded, "either.tp", text);
  assert_non_null(b->loaded.model);
  arena_init(&b->arena);
  rational_init(&b->zero);
  b->m = (struct term_maker){
      .arena = &b->arena, .variable_count = b->loaded.model->variable_count, .zero = &b->zero};
  drafts_make(&b->list, &b->m, b->loaded.model, 10000);
  *state = b;
  return 0;
}

static int tear_down(void **state) {
  struct bench *b = *state;
  vector_clear(&b->list);
  rational_clear(&b->zero);
  arena_clear(&b->arena);
  loaded_clear(&b->loaded);
  mem_free(b);
  return 0;
}

static bool has(struct bench *b, const char *wanted) {
  bool found = false;
  for (size_t i = 0; i < b->list.count && !found; i++) {
    struct text printed;
    text_init(&printed);
    print_term(&printed, b->loaded.model, draft_formula(&b->list.data[i], &b->m, b->loaded.model));
    found = strcmp(text_get(&printed), wanted) == 0;
    text_clear(&printed);
  }
  return found;
}

static void test_drafts_hold_and_are_minimal(void **state) {
  struct bench *b = *state;
  assert_true(has(b, "forall s in server. not (sent Yes(s) and sent No(s))"));
  assert_true(has(b, "forall s in server. sent Yes(s) implies received Request(s)"));
  assert_true(has(b, "forall s in server. received Request(s) implies sent Yes(s) or sent No(s)"));
  assert_true(has(b, "forall s in server. s in heard implies not s.open") ||
              has(b, "forall s in server. not (s.open and s in heard)") ||
              has(b, "forall s in server. not (s in heard and s.open)"));
  /* what an execution contradicts, */
  assert_false(has(b, "forall s in server. received Request(s) implies sent Yes(s)"));
  assert_false(has(b, "forall s in server. sent Request(s) implies received Request(s)"));
  /* and what says less than another */
  assert_false(has(b, "forall s in server. sent Yes(s) implies received Request(s) or sent No(s)"));
}

static void test_at_most_so_many(void **state) {
  struct bench *b = *state;
  drafts few = {0};
  drafts_make(&few, &b->m, b->loaded.model, 3);
  assert_int_equal(few.count, 3);
  for (size_t i = 0; i < few.count; i++)
    assert_true(few.data[i].count <= b->list.data[b->list.count - 1].count);
  vector_clear(&few);
}

static struct draft clause(size_t a, size_t b, size_t c) {
  struct draft draft = {.literals = {a, b, c}, .count = c != 0 ? 3 : 2};
  return draft;
}

/* Literals of facts 1 to 4: 2*i says that it holds, 2*i + 1 that it does not. */
static void test_reduce(void **state) {
  (void)state;
  drafts list = {0};
  vector_push(&list, clause(3, 4, 0)); /* 1 implies 2 */
  vector_push(&list, clause(5, 6, 0)); /* 2 implies 3 */
  vector_push(&list, clause(3, 6, 0)); /* 1 implies 3: follows */
  vector_push(&list, clause(7, 2, 0)); /* 3 implies 1 */
  vector_push(&list, clause(5, 2, 0)); /* 2 implies 1: follows */
  vector_push(&list, clause(3, 4, 8)); /* 1 implies 2 or 4: follows */
  vector_push(&list, clause(3, 7, 8)); /* 1 and 3 imply 4: does not */
  drafts_reduce(&list);
  assert_int_equal(list.count, 4);
  assert_int_equal(list.data[2].literals[0], 7);
  assert_int_equal(list.data[3].literals[2], 8);
  vector_clear(&list);
}

static void test_join(void **state) {
  struct bench *b = *state;
  drafts_reduce(&b->list);
  size_t before = b->list.count;
  drafts_join(&b->list, &b->m);
  assert_true(b->list.count < before);
  for (size_t i = 0; i < b->list.count; i++)
    for (size_t j = 0; j < i; j++)
      assert_false(b->list.data[i].given != NULL && b->list.data[j].given != NULL &&
                   b->list.data[i].then != NULL && b->list.data[j].then != NULL &&
                   term_equal(b->list.data[i].given, b->list.data[j].given));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_drafts_hold_and_are_minimal, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_at_most_so_many, set_up, tear_down),
      cmocka_unit_test(test_reduce),
      cmocka_unit_test_setup_teardown(test_join, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
