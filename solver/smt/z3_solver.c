/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Solvers by Z3: made, told and asked, and the models that they find (smt.h). Terms are in z3.c.
 */
#include <string.h>

#include "base/invariant.h"
#include "base/memory.h"
#include "solver/smt/watch.h"
#include "solver/smt/z3_state.h"

static void on_error(Z3_context context, Z3_error_code code) {
  if (code == Z3_MEMOUT_FAIL)
    mem_exhausted(Z3_START_BYTES);
  bug("solver: %s", z3.get_error_msg(context, code));
}

static void set_params(struct smt *smt, const struct smt_effort *effort) {
  Z3_context c = smt->context;
  Z3_params params = z3.mk_params(c);
  z3.params_inc_ref(c, params);
  z3.params_set_uint(c, params, z3.mk_string_symbol(c, "rlimit"), effort->resources);
  z3.params_set_uint(c, params, z3.mk_string_symbol(c, "random_seed"),
                     smt->seed + smt->flavour.reseed);
  z3.params_set_uint(c, params, z3.mk_string_symbol(c, "arith.solver"),
                     (smt->flavour.strategy == SMT_OTHER) != smt->ground ? 2 : 6);
  z3.params_set_uint(c, params, z3.mk_string_symbol(c, "relevancy"),
                     smt->flavour.strategy == SMT_ALL ? 0 : 2);
  z3.params_set_bool(c, params, z3.mk_string_symbol(c, "mbqi"), effort->strategy == SMT_THOROUGH);
  /* its own handler, set and reset by several threads, would swallow or crash on an interrupt */
  z3.params_set_bool(c, params, z3.mk_string_symbol(c, "ctrl_c"), false);
  z3.solver_set_params(c, smt->solver, params);
  z3.params_dec_ref(c, params);
  smt->effort = *effort;
}

/* A solver without assertions. Its seed and its arithmetic are fixed before the first of them. */
static void start_solver(struct smt *smt) {
  smt->solver = z3.mk_simple_solver(smt->context);
  z3.solver_inc_ref(smt->context, smt->solver);
  set_params(smt, &(struct smt_effort){.strategy = SMT_QUICK});
}

struct smt *smt_new(void) {
  return smt_new_seeded(0);
}

struct smt *smt_new_seeded(unsigned seed) {
  struct smt *smt = mem_alloc(1, sizeof *smt);
  smt->seed = seed;
  z3_need();
  /* Instances that cost more than this wait until nothing else is left: a goal with many sums or
   * sets drowns otherwise. Solvers take it from the global parameters only. */
  z3.global_param_set("smt.qi.eager_threshold", "5");
  Z3_config config = z3.mk_config();
  z3.set_param_value(config, "auto_config", "false");
  smt->context = z3.mk_context(config);
  z3.del_config(config);
  if (smt->context == NULL)
    mem_exhausted(Z3_START_BYTES);
  z3.set_error_handler(smt->context, on_error);
  start_solver(smt);
  return smt;
}

struct smt *smt_new_ground(void) {
  struct smt *smt = smt_new_seeded(0);
  smt->ground = smt->apart = true;
  set_params(smt, &(struct smt_effort){.strategy = SMT_QUICK});
  return smt;
}

static void forget_model(struct smt *smt) {
  if (smt->model != NULL)
    z3.model_dec_ref(smt->context, smt->model);
  smt->model = NULL;
}

void smt_free(struct smt *smt) {
  if (smt == NULL)
    return;
  forget_model(smt);
  z3.solver_dec_ref(smt->context, smt->solver);
  z3.del_context(smt->context);
  vector_clear(&smt->asserted);
  vector_clear(&smt->held);
  vector_clear(&smt->levels);
  term_digests_clear(&smt->digests);
  mem_free(smt);
}

/* --- questions that begin alike -----------------------------------------------------------------
 *
 * A solver of smt_new_ground is asked about one execution after the other, and neighbours have most
 * of their steps in common. After smt_clear constants are numbered from 0 again, so that what was
 * said of the same steps are the same terms. The solver keeps these, and forgets only from the
 * first level on in which something else is asserted.
 */

enum { LEVEL_SIZE = 16 };

static void hold(struct smt *smt, smt_term fact, bool apart) {
  if (apart || smt->levels.count == 0) {
    vector_push(&smt->levels, smt->held.count);
    z3.solver_push(smt->context, smt->solver);
  }
  vector_push(&smt->held, fact);
  z3.solver_assert(smt->context, smt->solver, fact);
}

static size_t held_alike(const struct smt *smt) {
  size_t i = 0;
  while (i < smt->held.count && i < smt->asserted.count &&
         smt->held.data[i] == smt->asserted.data[i])
    i++;
  return i;
}

/* Has the solver hold what is asserted before the first push. */
static void hold_asserted(struct smt *smt) {
  size_t alike = held_alike(smt);
  unsigned levels = 0;
  while (smt->held.count > alike) {
    smt->held.count = smt->levels.data[--smt->levels.count];
    levels++;
  }
  if (levels != 0)
    z3.solver_pop(smt->context, smt->solver, levels);
  size_t first = smt->held.count;
  for (size_t i = first; i < smt->asserted.count && smt->asserted.data[i] != NULL; i++)
    hold(smt, smt->asserted.data[i], (i - first) % LEVEL_SIZE == 0);
  smt->apart = false;
}

static size_t pushed(const struct smt *smt) {
  size_t count = 0;
  for (size_t i = 0; i < smt->asserted.count; i++)
    count += smt->asserted.data[i] == NULL;
  return count;
}

static void clear_ground(struct smt *smt) {
  forget_model(smt);
  size_t count = pushed(smt);
  if (count != 0)
    z3.solver_pop(smt->context, smt->solver, (unsigned)count);
  smt->asserted.count = 0;
  smt->apart = true;
  smt->fresh_count = 0;
}

void smt_push(struct smt *smt) {
  if (smt->apart)
    hold_asserted(smt);
  vector_push(&smt->asserted, NULL);
  z3.solver_push(smt->context, smt->solver);
}

static const struct smt_effort usual = {.strategy = SMT_QUICK};

static struct smt_effort flavour_of(const struct smt_effort *effort) {
  bool own = effort->strategy == SMT_OTHER || effort->strategy == SMT_ALL;
  return (struct smt_effort){.strategy = own ? effort->strategy : SMT_QUICK,
                             .reseed = effort->reseed};
}

static bool is_same(const struct smt_effort *a, const struct smt_effort *b) {
  return a->strategy == b->strategy && a->reseed == b->reseed;
}

/* A new solver with the same assertions; one that is not the usual one has them without levels. */
static void renew(struct smt *smt, const struct smt_effort *flavour) {
  bool other = !is_same(flavour, &usual);
  forget_model(smt);
  z3.solver_dec_ref(smt->context, smt->solver);
  smt->flavour = *flavour;
  start_solver(smt);
  smt->held.count = smt->levels.count = 0;
  smt->apart = false;
  smt->flat = smt->ground;
  for (size_t i = 0; i < smt->asserted.count; i++) {
    if (smt->asserted.data[i] == NULL && !other)
      z3.solver_push(smt->context, smt->solver);
    else if (smt->asserted.data[i] != NULL)
      z3.solver_assert(smt->context, smt->solver, smt->asserted.data[i]);
  }
  smt->stale = false;
}

void smt_renew(struct smt *smt) {
  renew(smt, &usual);
}

void smt_clear(struct smt *smt) {
  if (smt->ground && !smt->stale && !smt->flat) {
    clear_ground(smt);
    return;
  }
  smt->asserted.count = 0;
  renew(smt, &usual);
  smt->fresh_count = 0;
  smt->flat = false;
  smt->apart = smt->ground;
}

void smt_pop(struct smt *smt) {
  forget_model(smt);
  while (smt->asserted.count != 0 && smt->asserted.data[--smt->asserted.count] != NULL)
    ;
  if (smt->stale || !is_same(&smt->flavour, &usual))
    renew(smt, &usual);
  else
    z3.solver_pop(smt->context, smt->solver, 1);
}

void smt_assert(struct smt *smt, smt_term a) {
  bool held = smt->ground && !smt->flat && pushed(smt) == 0;
  vector_push(&smt->asserted, a);
  if (smt->apart)
    return;
  if (held)
    hold(smt, a, false);
  else
    z3.solver_assert(smt->context, smt->solver, a);
}

static void interrupt(void *context) {
  struct smt *smt = context;
  z3.solver_interrupt(smt->context, smt->solver);
}

/* The solver's own time limit is one of elapsed time. *over: ours ended it. */
static Z3_lbool check(struct smt *smt, const struct smt_effort *effort, const smt_term *marks,
                      size_t count, bool *over) {
  if (smt->apart)
    hold_asserted(smt);
  if (memcmp(&smt->effort, effort, sizeof *effort) != 0)
    set_params(smt, effort);
  struct watch watch;
  if (effort->limit_ms != 0)
    watch_begin(&watch, effort->limit_ms, interrupt, smt);
  Z3_lbool answer = z3.solver_check_assumptions(smt->context, smt->solver, (unsigned)count, marks);
  *over = effort->limit_ms != 0 && watch_end(&watch);
  return answer;
}

enum smt_answer smt_try(struct smt *smt, const struct smt_effort *effort, struct text *reason) {
  forget_model(smt);
  struct smt_effort flavour = flavour_of(effort);
  if (!is_same(&smt->flavour, &flavour))
    renew(smt, &flavour);
  bool over;
  Z3_lbool answer = check(smt, effort, NULL, 0, &over);
  if (answer == Z3_L_FALSE)
    return SMT_UNSAT;
  if (answer == Z3_L_TRUE) {
    smt->model = z3.solver_get_model(smt->context, smt->solver);
    z3.model_inc_ref(smt->context, smt->model);
    return SMT_SAT;
  }
  smt->stale = true;
  if (reason != NULL)
    text_append(reason, over ? "timeout" : z3.solver_get_reason_unknown(smt->context, smt->solver));
  return SMT_UNKNOWN;
}

enum smt_answer smt_check(struct smt *smt, unsigned limit_ms, bool thorough, struct text *reason) {
  struct smt_effort effort = {.strategy = thorough ? SMT_THOROUGH : SMT_QUICK,
                              .limit_ms = limit_ms};
  return smt_try(smt, &effort, reason);
}

static void read_core(struct smt *smt, const smt_term *marks, size_t count, bool *used) {
  Z3_ast_vector core = z3.solver_get_unsat_core(smt->context, smt->solver);
  z3.ast_vector_inc_ref(smt->context, core);
  for (size_t i = 0; i < count; i++) {
    used[i] = false;
    for (unsigned k = 0; k < z3.ast_vector_size(smt->context, core); k++)
      used[i] = used[i] || z3.ast_vector_get(smt->context, core, k) == marks[i];
  }
  z3.ast_vector_dec_ref(smt->context, core);
}

enum smt_answer smt_try_marks(struct smt *smt, const smt_term *marks, size_t count,
                              const struct smt_effort *effort, bool *used) {
  forget_model(smt);
  bool over;
  Z3_lbool answer = check(smt, effort, marks, count, &over);
  if (answer == Z3_L_FALSE) {
    read_core(smt, marks, count, used);
    return SMT_UNSAT;
  }
  smt->stale = true;
  return answer == Z3_L_TRUE ? SMT_SAT : SMT_UNKNOWN;
}

enum smt_answer smt_core(struct smt *smt, const smt_term *facts, size_t count,
                         const struct smt_effort *effort, bool *used) {
  smt_term *marks = mem_alloc(count, sizeof *marks);
  smt_push(smt);
  for (size_t i = 0; i < count; i++) {
    marks[i] = smt_fresh(smt, "used", smt_sort_bool(smt));
    smt_assert(smt, z3.mk_implies(smt->context, marks[i], facts[i]));
  }
  struct smt_effort flavour = flavour_of(effort);
  renew(smt, &flavour);
  enum smt_answer answer = smt_try_marks(smt, marks, count, effort, used);
  smt->stale = true;
  smt_pop(smt);
  mem_free(marks);
  return answer;
}

static smt_term evaluate(struct smt *smt, smt_term a) {
  Z3_ast value = NULL;
  if (smt->model == NULL || !z3.model_eval(smt->context, smt->model, a, true, &value))
    bug("value asked for without a model");
  return value;
}

bool smt_value_bool(struct smt *smt, smt_term a) {
  return smt_is_true(smt, evaluate(smt, a));
}

bool smt_value_int(struct smt *smt, smt_term a, int64_t *value) {
  return smt_is_numeral(smt, evaluate(smt, a), value);
}

bool smt_value_real(struct smt *smt, smt_term a, struct rational *value) {
  smt_term number = evaluate(smt, a);
  return z3.get_ast_kind(smt->context, number) == Z3_NUMERAL_AST &&
         rational_parse(value, z3.get_numeral_string(smt->context, number));
}
