/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Terms by Z3 (smt.h). But for this file only z3_solver.c, z3_loaded.c, term_digest.c and
 * z3_name.c of this folder know Z3.
 */
#include "solver/smt/smt.h"

#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/invariant.h"
#include "solver/smt/smtlib.h"
#include "solver/smt/z3_state.h"

smt_sort smt_sort_bool(struct smt *smt) {
  return z3.mk_bool_sort(smt->context);
}

smt_sort smt_sort_int(struct smt *smt) {
  return z3.mk_int_sort(smt->context);
}

smt_sort smt_sort_real(struct smt *smt) {
  return z3.mk_real_sort(smt->context);
}

smt_sort smt_sort_named(struct smt *smt, const char *name) {
  return z3.mk_uninterpreted_sort(smt->context, z3.mk_string_symbol(smt->context, name));
}

smt_function smt_declare(struct smt *smt, const char *name, const smt_sort *domain, size_t count,
                         smt_sort range) {
  return z3.mk_func_decl(smt->context, z3.mk_string_symbol(smt->context, name), (unsigned)count,
                         domain, range);
}

smt_term smt_apply(struct smt *smt, smt_function function, const smt_term *args, size_t count) {
  return z3.mk_app(smt->context, function, (unsigned)count, args);
}

smt_term smt_fresh(struct smt *smt, const char *name, smt_sort sort) {
  if (!smt->ground)
    return z3.mk_fresh_const(smt->context, name, sort);
  struct text text;
  text_init(&text);
  text_format(&text, "%s!%u", name, smt->fresh_count++);
  smt_term made =
      z3.mk_const(smt->context, z3.mk_string_symbol(smt->context, text_get(&text)), sort);
  text_clear(&text);
  return made;
}

smt_term smt_bool(struct smt *smt, bool value) {
  return value ? z3.mk_true(smt->context) : z3.mk_false(smt->context);
}

smt_term smt_int(struct smt *smt, int64_t value) {
  return z3.mk_int64(smt->context, value, smt_sort_int(smt));
}

smt_term smt_real(struct smt *smt, const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print(&text, value);
  smt_term result = z3.mk_numeral(smt->context, text.data, smt_sort_real(smt));
  text_clear(&text);
  return result;
}

smt_term smt_real_zero(struct smt *smt) {
  return z3.mk_real(smt->context, 0, 1);
}

bool smt_is_true(struct smt *smt, smt_term a) {
  return a == z3.mk_true(smt->context);
}

bool smt_is_false(struct smt *smt, smt_term a) {
  return a == z3.mk_false(smt->context);
}

bool smt_is_numeral(struct smt *smt, smt_term a, int64_t *value) {
  return z3.get_ast_kind(smt->context, a) == Z3_NUMERAL_AST &&
         z3.get_sort_kind(smt->context, z3.get_sort(smt->context, a)) == Z3_INT_SORT &&
         z3.get_numeral_int64(smt->context, a, value);
}

smt_term smt_not(struct smt *smt, smt_term a) {
  if (smt_is_true(smt, a) || smt_is_false(smt, a))
    return smt_bool(smt, smt_is_false(smt, a));
  return z3.mk_not(smt->context, a);
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
    result = (unit ? z3.mk_and : z3.mk_or)(smt->context, (unsigned)used, kept);
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
  return smt_is_false(smt, b) ? smt_not(smt, a) : z3.mk_implies(smt->context, a, b);
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
  return z3.mk_eq(smt->context, a, b);
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
  return z3.mk_ite(smt->context, condition, a, b);
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
  return z3.mk_add(smt->context, 2, (Z3_ast[]){a, b});
}

smt_term smt_sum(struct smt *smt, const smt_term *args, size_t count) {
  return count == 1 ? args[0] : z3.mk_add(smt->context, (unsigned)count, args);
}

smt_term smt_sub(struct smt *smt, smt_term a, smt_term b) {
  int64_t m, n, difference;
  if (smt_is_numeral(smt, a, &m) && smt_is_numeral(smt, b, &n) &&
      !__builtin_sub_overflow(m, n, &difference))
    return smt_int(smt, difference);
  return z3.mk_sub(smt->context, 2, (Z3_ast[]){a, b});
}

smt_term smt_mul(struct smt *smt, smt_term a, smt_term b) {
  int64_t m, n, product;
  if (smt_is_numeral(smt, a, &m) && smt_is_numeral(smt, b, &n) &&
      !__builtin_mul_overflow(m, n, &product))
    return smt_int(smt, product);
  if (z3.get_sort(smt->context, a) != z3.get_sort(smt->context, b))
    a = z3.simplify(smt->context, z3.mk_int2real(smt->context, a));
  return z3.mk_mul(smt->context, 2, (Z3_ast[]){a, b});
}

smt_term smt_div(struct smt *smt, smt_term a, smt_term by) {
  int64_t m = 0, n = 0;
  invariant(smt_is_numeral(smt, by, &n) && n > 0);
  if (smt_is_numeral(smt, a, &m))
    return smt_int(smt, m / n - (m % n < 0));
  return z3.mk_div(smt->context, a, by);
}

smt_term smt_le(struct smt *smt, smt_term a, smt_term b) {
  int64_t m, n;
  if (smt_is_numeral(smt, a, &m) && smt_is_numeral(smt, b, &n))
    return smt_bool(smt, m <= n);
  return a == b ? smt_bool(smt, true) : z3.mk_le(smt->context, a, b);
}

smt_term smt_lt(struct smt *smt, smt_term a, smt_term b) {
  int64_t m, n;
  if (smt_is_numeral(smt, a, &m) && smt_is_numeral(smt, b, &n))
    return smt_bool(smt, m < n);
  return a == b ? smt_bool(smt, false) : z3.mk_lt(smt->context, a, b);
}

static smt_term quantify(struct smt *smt, bool forall, const smt_term *variables, size_t count,
                         smt_term body, const smt_term *pattern, size_t pattern_count) {
  if (count == 0 || smt_is_true(smt, body) || smt_is_false(smt, body))
    return body;
  Z3_app *bound = mem_alloc(count, sizeof *bound);
  for (size_t i = 0; i < count; i++)
    bound[i] = z3.to_app(smt->context, variables[i]);
  Z3_pattern when =
      pattern_count == 0 ? NULL : z3.mk_pattern(smt->context, (unsigned)pattern_count, pattern);
  smt_term result = z3.mk_quantifier_const(smt->context, forall, 0, (unsigned)count, bound,
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

/* A walk through the subterms of a term, each once. */
struct walk {
  Z3_context context;
  const smt_function *functions;
  size_t count;
  VECTOR(unsigned) seen; /* the solver's numbers of subterms */
  struct index index;    /* of seen */
};

static bool is_seen(struct walk *w, Z3_ast a) {
  unsigned id = z3.get_ast_id(w->context, a);
  for (struct index_look look = index_look(&w->index, hash_word(0, id)); index_next(&look);)
    if (w->seen.data[look.row] == id)
      return true;
  index_add(&w->index, hash_word(0, id), (uint32_t)w->seen.count);
  vector_push(&w->seen, id);
  return false;
}

static bool applies_one(struct walk *w, Z3_ast a) {
  if (is_seen(w, a))
    return false;
  if (z3.get_ast_kind(w->context, a) == Z3_QUANTIFIER_AST)
    return applies_one(w, z3.get_quantifier_body(w->context, a));
  if (z3.get_ast_kind(w->context, a) != Z3_APP_AST)
    return false;
  Z3_app app = z3.to_app(w->context, a);
  for (size_t i = 0; i < w->count; i++)
    if (z3.get_app_decl(w->context, app) == w->functions[i])
      return true;
  for (unsigned i = 0; i < z3.get_app_num_args(w->context, app); i++)
    if (applies_one(w, z3.get_app_arg(w->context, app, i)))
      return true;
  return false;
}

bool smt_mentions(struct smt *smt, smt_term a, const smt_function *functions, size_t count) {
  struct walk w = {.context = smt->context, .functions = functions, .count = count};
  bool found = applies_one(&w, a);
  vector_clear(&w.seen);
  index_clear(&w.index);
  return found;
}

void smt_print(struct smt *smt, struct text *text) {
  VECTOR(smt_term) facts = {0};
  for (size_t i = 0; i < smt->asserted.count; i++)
    if (smt->asserted.data[i] != NULL)
      vector_push(&facts, smt->asserted.data[i]);
  vector_push(&facts, smt_bool(smt, true));
  /* what was asserted, not what the solver made of it */
  z3.set_ast_print_mode(smt->context, Z3_PRINT_SMTLIB2_COMPLIANT);
  const char *script = z3.benchmark_to_smtlib_string(
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
