/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The solver by Z3 (smt.h). But for this file only solver/smt/term_digest.c and z3_name.c know Z3.
 */
#include "solver/smt/smt.h"

#include <string.h>
#include <z3.h>

#include "base/invariant.h"
#include "base/vector.h"
#include "solver/smt/smtlib.h"
#include "solver/smt/term_digest.h"
#include "solver/smt/watch.h"

struct smt {
  Z3_context context;
  Z3_solver solver;
  Z3_model model;           /* of the last SMT_SAT, or NULL */
  struct smt_effort effort; /* what the solver was last told */
  unsigned seed;
  bool ground;               /* made by smt_new_ground */
  bool other;                /* the solver uses the other arithmetic solver */
  VECTOR(smt_term) asserted; /* NULL marks a push */
  /* Of one made by smt_new_ground: what it was asserted before the first push; the first of each
   * level of the solver's; whether `asserted` is yet to be held against it; constants made. */
  VECTOR(smt_term) held;
  VECTOR(size_t) levels;
  bool apart;
  bool flat; /* the solver has all of it without levels, until smt_clear */
  unsigned fresh_count;
  struct term_digests digests;
  bool stale; /* a query ended without an answer: what it learned would burden the next ones */
};

static void on_error(Z3_context context, Z3_error_code code) {
  bug("solver: %s", Z3_get_error_msg(context, code));
}

static void set_params(struct smt *smt, const struct smt_effort *effort) {
  Z3_context c = smt->context;
  Z3_params params = Z3_mk_params(c);
  Z3_params_inc_ref(c, params);
  Z3_params_set_uint(c, params, Z3_mk_string_symbol(c, "rlimit"), effort->resources);
  Z3_params_set_uint(c, params, Z3_mk_string_symbol(c, "random_seed"), smt->seed);
  Z3_params_set_uint(c, params, Z3_mk_string_symbol(c, "arith.solver"),
                     smt->other != smt->ground ? 2 : 6);
  Z3_params_set_bool(c, params, Z3_mk_string_symbol(c, "mbqi"), effort->strategy == SMT_THOROUGH);
  /* its own handler, set and reset by several threads, would swallow or crash on an interrupt */
  Z3_params_set_bool(c, params, Z3_mk_string_symbol(c, "ctrl_c"), false);
  Z3_solver_set_params(c, smt->solver, params);
  Z3_params_dec_ref(c, params);
  smt->effort = *effort;
}

/* A solver without assertions. Its seed and its arithmetic are fixed before the first of them. */
static void start_solver(struct smt *smt) {
  smt->solver = Z3_mk_simple_solver(smt->context);
  Z3_solver_inc_ref(smt->context, smt->solver);
  set_params(smt, &(struct smt_effort){.strategy = SMT_QUICK});
}

struct smt *smt_new(void) {
  return smt_new_seeded(0);
}

struct smt *smt_new_seeded(unsigned seed) {
  struct smt *smt = mem_alloc(1, sizeof *smt);
  smt->seed = seed;
  /* Instances that cost more than this wait until nothing else is left: a goal with many sums or
   * sets drowns otherwise. Solvers take it from the global parameters only. */
  Z3_global_param_set("smt.qi.eager_threshold", "5");
  Z3_config config = Z3_mk_config();
  Z3_set_param_value(config, "auto_config", "false");
  smt->context = Z3_mk_context(config);
  Z3_del_config(config);
  Z3_set_error_handler(smt->context, on_error);
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
    Z3_model_dec_ref(smt->context, smt->model);
  smt->model = NULL;
}

void smt_free(struct smt *smt) {
  if (smt == NULL)
    return;
  forget_model(smt);
  Z3_solver_dec_ref(smt->context, smt->solver);
  Z3_del_context(smt->context);
  vector_clear(&smt->asserted);
  vector_clear(&smt->held);
  vector_clear(&smt->levels);
  term_digests_clear(&smt->digests);
  mem_free(smt);
}

smt_sort smt_sort_bool(struct smt *smt) {
  return Z3_mk_bool_sort(smt->context);
}

smt_sort smt_sort_int(struct smt *smt) {
  return Z3_mk_int_sort(smt->context);
}

smt_sort smt_sort_real(struct smt *smt) {
  return Z3_mk_real_sort(smt->context);
}

smt_sort smt_sort_named(struct smt *smt, const char *name) {
  return Z3_mk_uninterpreted_sort(smt->context, Z3_mk_string_symbol(smt->context, name));
}

smt_function smt_declare(struct smt *smt, const char *name, const smt_sort *domain, size_t count,
                         smt_sort range) {
  return Z3_mk_func_decl(smt->context, Z3_mk_string_symbol(smt->context, name), (unsigned)count,
                         domain, range);
}

smt_term smt_apply(struct smt *smt, smt_function function, const smt_term *args, size_t count) {
  return Z3_mk_app(smt->context, function, (unsigned)count, args);
}

smt_term smt_fresh(struct smt *smt, const char *name, smt_sort sort) {
  if (!smt->ground)
    return Z3_mk_fresh_const(smt->context, name, sort);
  struct text text;
  text_init(&text);
  text_format(&text, "%s!%u", name, smt->fresh_count++);
  smt_term made =
      Z3_mk_const(smt->context, Z3_mk_string_symbol(smt->context, text_get(&text)), sort);
  text_clear(&text);
  return made;
}

smt_term smt_bool(struct smt *smt, bool value) {
  return value ? Z3_mk_true(smt->context) : Z3_mk_false(smt->context);
}

smt_term smt_int(struct smt *smt, int64_t value) {
  return Z3_mk_int64(smt->context, value, smt_sort_int(smt));
}

smt_term smt_real(struct smt *smt, const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print(&text, value);
  smt_term result = Z3_mk_numeral(smt->context, text.data, smt_sort_real(smt));
  text_clear(&text);
  return result;
}

smt_term smt_real_zero(struct smt *smt) {
  return Z3_mk_real(smt->context, 0, 1);
}

bool smt_is_true(struct smt *smt, smt_term a) {
  return a == Z3_mk_true(smt->context);
}

bool smt_is_false(struct smt *smt, smt_term a) {
  return a == Z3_mk_false(smt->context);
}

bool smt_is_numeral(struct smt *smt, smt_term a, int64_t *value) {
  return Z3_get_ast_kind(smt->context, a) == Z3_NUMERAL_AST &&
         Z3_get_sort_kind(smt->context, Z3_get_sort(smt->context, a)) == Z3_INT_SORT &&
         Z3_get_numeral_int64(smt->context, a, value);
}

smt_term smt_not(struct smt *smt, smt_term a) {
  if (smt_is_true(smt, a) || smt_is_false(smt, a))
    return smt_bool(smt, smt_is_false(smt, a));
  return Z3_mk_not(smt->context, a);
}

/* `unit` is what does nothing in the connective, its negation what decides it. */
static smt_term connect(struct smt *smt, const smt_term *args, size_t count, bool unit) {
  smt_term *kept = mem_alloc(count, sizeof(smt_term));
  size_t used = 0;
  smt_term result = NULL;
  for (size_t i = 0; i < count && result == NULL; i++) {
    if (args[i] == smt_bool(smt, !unit))
      result = args[i];
    else if (args[i] != smt_bool(smt, unit))
      kept[used++] = args[i];
  }
  if (result == NULL && used == 0)
    result = smt_bool(smt, unit);
  else if (result == NULL && used == 1)
    result = kept[0];
  else if (result == NULL)
    result = (unit ? Z3_mk_and : Z3_mk_or)(smt->context, (unsigned)used, kept);
  mem_free(kept);
  return result;
}

smt_term smt_and(struct smt *smt, const smt_term *args, size_t count) {
  return connect(smt, args, count, true);
}

smt_term smt_or(struct smt *smt, const smt_term *args, size_t count) {
  return connect(smt, args, count, false);
}

smt_term smt_and2(struct smt *smt, smt_term a, smt_term b) {
  return smt_and(smt, (smt_term[]){a, b}, 2);
}

smt_term smt_or2(struct smt *smt, smt_term a, smt_term b) {
  return smt_or(smt, (smt_term[]){a, b}, 2);
}

smt_term smt_implies(struct smt *smt, smt_term a, smt_term b) {
  if (smt_is_true(smt, a))
    return b;
  if (smt_is_false(smt, a) || smt_is_true(smt, b))
    return smt_bool(smt, true);
  return smt_is_false(smt, b) ? smt_not(smt, a) : Z3_mk_implies(smt->context, a, b);
}

smt_term smt_equal(struct smt *smt, smt_term a, smt_term b) {
  int64_t m, n;
  if (a == b)
    return smt_bool(smt, true);
  if (smt_is_numeral(smt, a, &m) && smt_is_numeral(smt, b, &n))
    return smt_bool(smt, m == n);
  if (smt_is_true(smt, a) || smt_is_true(smt, b))
    return smt_is_true(smt, a) ? b : a;
  if (smt_is_false(smt, a) || smt_is_false(smt, b))
    return smt_not(smt, smt_is_false(smt, a) ? b : a);
  return Z3_mk_eq(smt->context, a, b);
}

smt_term smt_if(struct smt *smt, smt_term condition, smt_term a, smt_term b) {
  if (a == b || smt_is_true(smt, condition))
    return a;
  if (smt_is_false(smt, condition))
    return b;
  if (smt_is_true(smt, a))
    return smt_or2(smt, condition, b);
  if (smt_is_false(smt, a))
    return smt_and2(smt, smt_not(smt, condition), b);
  if (smt_is_true(smt, b))
    return smt_or2(smt, smt_not(smt, condition), a);
  if (smt_is_false(smt, b))
    return smt_and2(smt, condition, a);
  return Z3_mk_ite(smt->context, condition, a, b);
}

smt_term smt_add(struct smt *smt, smt_term a, smt_term b) {
  int64_t m, n, sum;
  bool is_a = smt_is_numeral(smt, a, &m), is_b = smt_is_numeral(smt, b, &n);
  if (is_a && is_b && !__builtin_add_overflow(m, n, &sum))
    return smt_int(smt, sum);
  if ((is_a && m == 0) || a == smt_real_zero(smt))
    return b;
  if ((is_b && n == 0) || b == smt_real_zero(smt))
    return a;
  return Z3_mk_add(smt->context, 2, (Z3_ast[]){a, b});
}

smt_term smt_sum(struct smt *smt, const smt_term *args, size_t count) {
  return count == 1 ? args[0] : Z3_mk_add(smt->context, (unsigned)count, args);
}

smt_term smt_sub(struct smt *smt, smt_term a, smt_term b) {
  int64_t m, n, difference;
  if (smt_is_numeral(smt, a, &m) && smt_is_numeral(smt, b, &n) &&
      !__builtin_sub_overflow(m, n, &difference))
    return smt_int(smt, difference);
  return Z3_mk_sub(smt->context, 2, (Z3_ast[]){a, b});
}

smt_term smt_mul(struct smt *smt, smt_term a, smt_term b) {
  int64_t m, n, product;
  if (smt_is_numeral(smt, a, &m) && smt_is_numeral(smt, b, &n) &&
      !__builtin_mul_overflow(m, n, &product))
    return smt_int(smt, product);
  if (Z3_get_sort(smt->context, a) != Z3_get_sort(smt->context, b))
    a = Z3_simplify(smt->context, Z3_mk_int2real(smt->context, a));
  return Z3_mk_mul(smt->context, 2, (Z3_ast[]){a, b});
}

smt_term smt_div(struct smt *smt, smt_term a, smt_term by) {
  int64_t m = 0, n = 0;
  invariant(smt_is_numeral(smt, by, &n) && n > 0);
  if (smt_is_numeral(smt, a, &m))
    return smt_int(smt, m / n - (m % n < 0));
  return Z3_mk_div(smt->context, a, by);
}

smt_term smt_le(struct smt *smt, smt_term a, smt_term b) {
  int64_t m, n;
  if (smt_is_numeral(smt, a, &m) && smt_is_numeral(smt, b, &n))
    return smt_bool(smt, m <= n);
  return a == b ? smt_bool(smt, true) : Z3_mk_le(smt->context, a, b);
}

smt_term smt_lt(struct smt *smt, smt_term a, smt_term b) {
  int64_t m, n;
  if (smt_is_numeral(smt, a, &m) && smt_is_numeral(smt, b, &n))
    return smt_bool(smt, m < n);
  return a == b ? smt_bool(smt, false) : Z3_mk_lt(smt->context, a, b);
}

static smt_term quantify(struct smt *smt, bool forall, const smt_term *variables, size_t count,
                         smt_term body, const smt_term *pattern, size_t pattern_count) {
  if (count == 0 || smt_is_true(smt, body) || smt_is_false(smt, body))
    return body;
  Z3_app *bound = mem_alloc(count, sizeof *bound);
  for (size_t i = 0; i < count; i++)
    bound[i] = Z3_to_app(smt->context, variables[i]);
  Z3_pattern when =
      pattern_count == 0 ? NULL : Z3_mk_pattern(smt->context, (unsigned)pattern_count, pattern);
  smt_term result = Z3_mk_quantifier_const(smt->context, forall, 0, (unsigned)count, bound,
                                           when != NULL, &when, body);
  mem_free(bound);
  return result;
}

smt_term smt_forall(struct smt *smt, const smt_term *variables, size_t count, smt_term body,
                    const smt_term *pattern, size_t pattern_count) {
  return quantify(smt, true, variables, count, body, pattern, pattern_count);
}

smt_term smt_exists(struct smt *smt, const smt_term *variables, size_t count, smt_term body) {
  return quantify(smt, false, variables, count, body, NULL, 0);
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
    Z3_solver_push(smt->context, smt->solver);
  }
  vector_push(&smt->held, fact);
  Z3_solver_assert(smt->context, smt->solver, fact);
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
    Z3_solver_pop(smt->context, smt->solver, levels);
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
    Z3_solver_pop(smt->context, smt->solver, (unsigned)count);
  smt->asserted.count = 0;
  smt->apart = true;
  smt->fresh_count = 0;
}

void smt_push(struct smt *smt) {
  if (smt->apart)
    hold_asserted(smt);
  vector_push(&smt->asserted, NULL);
  Z3_solver_push(smt->context, smt->solver);
}

/* A new solver with the same assertions. */
static void renew(struct smt *smt, bool other) {
  forget_model(smt);
  Z3_solver_dec_ref(smt->context, smt->solver);
  smt->other = other;
  start_solver(smt);
  smt->held.count = smt->levels.count = 0;
  smt->apart = false;
  smt->flat = smt->ground;
  for (size_t i = 0; i < smt->asserted.count; i++) {
    if (smt->asserted.data[i] == NULL && !other)
      Z3_solver_push(smt->context, smt->solver);
    else if (smt->asserted.data[i] != NULL)
      Z3_solver_assert(smt->context, smt->solver, smt->asserted.data[i]);
  }
  smt->stale = false;
}

void smt_clear(struct smt *smt) {
  if (smt->ground && !smt->stale && !smt->flat) {
    clear_ground(smt);
    return;
  }
  smt->asserted.count = 0;
  renew(smt, false);
  smt->fresh_count = 0;
  smt->flat = false;
  smt->apart = smt->ground;
}

void smt_pop(struct smt *smt) {
  forget_model(smt);
  while (smt->asserted.count != 0 && smt->asserted.data[--smt->asserted.count] != NULL)
    ;
  if (smt->stale || smt->other)
    renew(smt, false);
  else
    Z3_solver_pop(smt->context, smt->solver, 1);
}

void smt_assert(struct smt *smt, smt_term a) {
  bool held = smt->ground && !smt->flat && pushed(smt) == 0;
  vector_push(&smt->asserted, a);
  if (smt->apart)
    return;
  if (held)
    hold(smt, a, false);
  else
    Z3_solver_assert(smt->context, smt->solver, a);
}

static void interrupt(void *context) {
  struct smt *smt = context;
  Z3_solver_interrupt(smt->context, smt->solver);
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
  Z3_lbool answer = Z3_solver_check_assumptions(smt->context, smt->solver, (unsigned)count, marks);
  *over = effort->limit_ms != 0 && watch_end(&watch);
  return answer;
}

enum smt_answer smt_try(struct smt *smt, const struct smt_effort *effort, struct text *reason) {
  forget_model(smt);
  bool other = effort->strategy == SMT_OTHER;
  if (smt->other != other)
    renew(smt, other);
  bool over;
  Z3_lbool answer = check(smt, effort, NULL, 0, &over);
  if (answer == Z3_L_FALSE)
    return SMT_UNSAT;
  if (answer == Z3_L_TRUE) {
    smt->model = Z3_solver_get_model(smt->context, smt->solver);
    Z3_model_inc_ref(smt->context, smt->model);
    return SMT_SAT;
  }
  smt->stale = true;
  if (reason != NULL)
    text_append(reason, over ? "timeout" : Z3_solver_get_reason_unknown(smt->context, smt->solver));
  return SMT_UNKNOWN;
}

enum smt_answer smt_check(struct smt *smt, unsigned limit_ms, bool thorough, struct text *reason) {
  struct smt_effort effort = {.strategy = thorough ? SMT_THOROUGH : SMT_QUICK,
                              .limit_ms = limit_ms};
  return smt_try(smt, &effort, reason);
}

static void read_core(struct smt *smt, const smt_term *marks, size_t count, bool *used) {
  Z3_ast_vector core = Z3_solver_get_unsat_core(smt->context, smt->solver);
  Z3_ast_vector_inc_ref(smt->context, core);
  for (size_t i = 0; i < count; i++) {
    used[i] = false;
    for (unsigned k = 0; k < Z3_ast_vector_size(smt->context, core); k++)
      used[i] = used[i] || Z3_ast_vector_get(smt->context, core, k) == marks[i];
  }
  Z3_ast_vector_dec_ref(smt->context, core);
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
    smt_assert(smt, Z3_mk_implies(smt->context, marks[i], facts[i]));
  }
  renew(smt, effort->strategy == SMT_OTHER);
  enum smt_answer answer = smt_try_marks(smt, marks, count, effort, used);
  smt->stale = true;
  smt_pop(smt);
  mem_free(marks);
  return answer;
}

static smt_term evaluate(struct smt *smt, smt_term a) {
  Z3_ast value = NULL;
  if (smt->model == NULL || !Z3_model_eval(smt->context, smt->model, a, true, &value))
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
  return Z3_get_ast_kind(smt->context, number) == Z3_NUMERAL_AST &&
         rational_parse(value, Z3_get_numeral_string(smt->context, number));
}

void smt_print(struct smt *smt, struct text *text) {
  VECTOR(smt_term) facts = {0};
  for (size_t i = 0; i < smt->asserted.count; i++)
    if (smt->asserted.data[i] != NULL)
      vector_push(&facts, smt->asserted.data[i]);
  vector_push(&facts, smt_bool(smt, true));
  /* what was asserted, not what the solver made of it */
  Z3_set_ast_print_mode(smt->context, Z3_PRINT_SMTLIB2_COMPLIANT);
  const char *script = Z3_benchmark_to_smtlib_string(
      smt->context, "unsat if the obligation holds", "ALL", "unknown", "",
      (unsigned)facts.count - 1, facts.data, facts.data[facts.count - 1]);
  smtlib_portable(text, script);
  vector_clear(&facts);
}

const char *smt_term_digest(struct smt *smt, smt_term a) {
  return term_digest(&smt->digests, smt->context, a); /* terms live as long as the smt */
}

bool smt_digest(struct smt *smt, const smt_term *without, size_t count,
                char digest[DIGEST_LENGTH + 1]) {
  return term_digest_all(&smt->digests, smt->context, smt->asserted.data, smt->asserted.count,
                         without, count, digest);
}
