/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a session may use must be possible together: where the axioms of the encoding, a file's
 * assumptions and invariants and a step contradict each other, everything would be proved. Looked
 * for in the first state, in every action and in every phase of every eighth spec and case that is
 * proved (of all with TEST_ALL).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <stdlib.h>

#include "lang/source.h"
#include "solver/prove/session.h"
#include "tests/unit/solver/loaded.h"

/* Contradictions of the encoding were found with far less. */
enum { RESOURCES = 60000, SAFETY_MS = 10000 };

/* True invariants say that these never get to act: a later timer in an election that the first one
 * decides, the way of synchronising that the other version of the protocol takes, and what charges
 * terms that no execution has. */
static const struct {
  const char *file, *action;
} never_enabled[] = {
    {"specs/leader_election.tp", "server.StandLater"},
    {"specs/performal/zookeeper_buggy.tp", "follower.PreSyncDiff"},
    {"specs/performal/zookeeper_fixed.tp", "follower.PreSyncSnapshot"},
    {"tests/cases/proved/tight_terms.tp", "source.Lose"},
    {"tests/cases/proved/tight_terms.tp", "server.Search"},
};

static bool is_never_enabled(const char *file, const struct action *action) {
  for (size_t i = 0; action != NULL && i < sizeof never_enabled / sizeof *never_enabled; i++)
    if (strcmp(file, never_enabled[i].file) == 0 &&
        strcmp(action->name, never_enabled[i].action) == 0)
      return true;
  return false;
}

/* Of all axioms of all goals together the solver's search for candidate models takes minutes to end
 * here, whatever its limit. */
static bool may_take_minutes(const char *file) {
  return strcmp(file, "tests/cases/proved/pairs.tp") == 0;
}

static bool is_contradictory(struct smt *smt, const char *file) {
  static const enum smt_strategy strategies[] = {SMT_QUICK, SMT_OTHER, SMT_THOROUGH};
  size_t count = may_take_minutes(file) ? 2 : 3;
  enum smt_answer answer = SMT_UNKNOWN;
  for (size_t i = 0; i < count && answer == SMT_UNKNOWN; i++) {
    struct smt_effort effort = {
        .strategy = strategies[i], .resources = RESOURCES, .limit_ms = SAFETY_MS};
    answer = smt_try(smt, &effort, NULL);
  }
  return answer == SMT_UNSAT;
}

static size_t look(const char *file, const struct proof *proof, const struct action *action,
                   const struct phase *phase) {
  struct proof_options options = {.jobs = 1, .limit_ms = 1000};
  struct session_place place = {.action = action, .phase = phase};
  struct session session;
  session_open(&session, proof, &options, &place);
  session_push_facts(&session);
  for (size_t i = 0; i < session.goals.count; i++)
    for (size_t k = 0; k < session.goals.data[i].axiom_count; k++)
      smt_assert(session.smt, session.goals.data[i].axioms[k]);
  bool wrong = !is_never_enabled(file, action) && is_contradictory(session.smt, file);
  if (wrong)
    print_error("%s: contradiction in %s, %s\n", file, phase == NULL ? "no phase" : phase->name,
                action == NULL ? "no action" : action->name);
  session_close(&session);
  return wrong;
}

/* Generated invariants are left out: it is not known yet which of them hold. */
static void init_proof(struct proof *proof, const struct model *model) {
  *proof = (struct proof){0};
  arena_init(&proof->arena);
  properties_init(&proof->properties, model, NULL);
  for (size_t i = 0; i < proof->properties.items.count; i++)
    if (proof->properties.items.data[i].kind == PROPERTY_GENERATED)
      proof->properties.items.data[i].alive = false;
}

static size_t look_everywhere(const char *file) {
  struct text message;
  text_init(&message);
  struct source *source;
  assert_int_equal(source_load(&source, file, &message), STATUS_OK);
  struct diagnostics diagnostics;
  diagnostics_init(&diagnostics);
  struct ast *ast = parse(source, &diagnostics);
  struct model *model = check(ast, source, &diagnostics);
  assert_non_null(model);
  struct proof proof;
  init_proof(&proof, model);
  size_t wrong = 0;
  for (size_t phase = 0; phase <= proof.properties.phase_count; phase++)
    for (size_t action = 0; action <= model->actions.count; action++)
      wrong += look(file, &proof, action == 0 ? NULL : model->actions.items[action - 1],
                    phase == proof.properties.phase_count ? NULL : model->phases.items[phase]);
  proof_clear(&proof);
  model_free(model);
  ast_free(ast);
  source_free(source);
  diagnostics_clear(&diagnostics);
  text_clear(&message);
  return wrong;
}

static void test_possible(void **state) {
  (void)state;
  const char *all = getenv("TEST_ALL");
  size_t every = all != NULL && *all != '\0' ? 1 : 8;
  glob_t found = {0};
  assert_int_equal(glob("specs/*.tp", 0, NULL, &found), 0);
  assert_int_equal(glob("specs/*/*.tp", GLOB_APPEND, NULL, &found), 0);
  size_t specs = found.gl_pathc, wrong = 0;
  assert_int_equal(glob("tests/cases/proved/*.tp", GLOB_APPEND, NULL, &found), 0);
  for (size_t i = 0; i < specs; i += every)
    wrong += look_everywhere(found.gl_pathv[i]);
  for (size_t i = specs; i < found.gl_pathc; i += every)
    wrong += look_everywhere(found.gl_pathv[i]);
  globfree(&found);
  assert_int_equal(wrong, 0);
}

/* That contradictions are found: invariants that no state has. */
static void test_found(void **state) {
  (void)state;
  struct loaded loaded;
  loaded_init(
      &loaded, "wrong.tp",
      "protocol p\nrole a\ncomponent A\nstate a { x : int = 0 }\n"
      "action a.Go cost A { when x == 0  x := 1 }\n"
      "invariant high: x >= 2\ninvariant low: x <= 1\nbound b: when x == 1 at a within A\n");
  assert_non_null(loaded.model);
  struct proof proof;
  init_proof(&proof, loaded.model);
  assert_int_equal(look("wrong.tp", &proof, loaded.model->actions.items[0], NULL), 1);
  assert_int_equal(look("wrong.tp", &proof, NULL, NULL), 0);
  proof_clear(&proof);
  loaded_clear(&loaded);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_possible), cmocka_unit_test(test_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
