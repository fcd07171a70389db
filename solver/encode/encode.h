/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From terms of the checked model to terms of the solver, relative to a symbolic state.
 *
 * Two modes. Without a scope parameters are integer constants, an ordered family is the integers
 * 0 .. count-1, another family is a sort of its own, and quantifiers stay quantifiers. With a scope
 * (a value for every parameter) everything is expanded to a quantifier-free formula: that is for
 * finding counterexamples to induction, never for a proof, because quantifiers over all integers
 * are cut to SCOPE_LEAST .. SCOPE_MOST. What happened in the unknown state happened to integers
 * strictly between those two, so that each end stands for all the integers beyond it.
 *
 * Times are reals in nanoseconds. max, min over a domain and sums become functions with axioms;
 * axioms collect in the encoder and the caller asserts them. Each is an instance of a schema that
 * has a name and a proof (solver/encode/fact.h).
 *
 *   max b in S (E(b)):   m >= E(b) for each b in S, and m = E(b) for some b in S (0 if S is empty)
 *   sum over lo..hi:     split into addends; each addend A(k) gets P with P(0) = 0 and
 *                        P(j+1) = P(j) + A(j), so the sum is P(hi+1) - P(lo). The recurrence is
 *                        given once around each argument that occurs (Z below is P without a
 *                        trigger), hence no matching loop. k*E with a symbolic k is the sum of the
 *                        constant E over 0..k-1. With numbers for both, a constant is multiplied.
 *   b^k, b^k*E           functions G of k: G(0) = 1 or E, G(k+1) = b*G(k), again around each k that
 *                        occurs; of a factor like 2^(k+1) - 1 each addend by itself. Lemmas: G
 *                        grows, and is at least E (solver/encode/power.c)
 *   |S|, sum b in S (E): see solver/encode/cardinality.h
 *   kth(k, b in S (E)):  v; at least k members have E <= v, at most k-1 have E < v, one has E = v;
 *                        integers or times; reads the oldest state in which S and E are the same
 *   sum of integers:     see solver/encode/integer_sum.h
 *   A + B + C + ...:     a long sum that many formulas share is a constant
 * (solver/encode/long_time.h) lemmas about P, each with its own obligation (encoder_lemmas): P
 * grows, and P is at most the sum of the bare name; where A is a max (min), P grows by at least (at
 * most) what the sum of each argument does, and by no more than all of them together.
 */
#ifndef SOLVER_ENCODE_ENCODE_H
#define SOLVER_ENCODE_ENCODE_H

#include "base/vector.h"
#include "lang/model.h"
#include "solver/encode/fact.h"
#include "solver/smt/smt.h"

enum { SCOPE_LEAST = -2, SCOPE_MOST = 6, SCOPE_VALUES_MAX = 64 };

struct symbolic;        /* a symbolic state, solver/encode/symbolic.h */
struct long_times;      /* long times and their numbers, solver/encode/long_time.h */
struct sum_function;    /* a prefix sum P, solver/encode/sum.c */
struct power_function;  /* a power b^k, or b^k*E, solver/encode/power.c */
struct extremum;        /* a max or min over a domain, solver/encode/extremum.c */
struct measure;         /* a cardinality or a sum over a set, solver/encode/cardinality.c */
struct order_statistic; /* a k-th smallest, solver/encode/order_statistic.c */
struct integer_sum;     /* a sum of integers, solver/encode/integer_sum.c */

struct encoder {
  struct smt *smt;             /* borrowed */
  const struct model *model;   /* borrowed */
  const int64_t *scope;        /* by param id, or NULL */
  const smt_term *environment; /* by variable id: what it stands for; encoder_let writes it */
  uint64_t balance;            /* a hash of the environment: equal when nothing in it has changed */
  size_t variable_count, environment_size;
  smt_term began;                      /* what TERM_BEGAN stands for; NULL outside phases */
  const struct long_times *long_times; /* those that get constants; borrowed; NULL: none does */
  smt_term *constants;                 /* of long times, by number; NULL: not defined; or NULL */
  VECTOR(size_t) defined;              /* numbers of the long times that have a constant */
  VECTOR(smt_term) axioms;             /* encoder_assume */
  VECTOR(enum encoder_fact) facts;     /* of each axiom, what it is */
  VECTOR(const void *) described;      /* functions and terms whose axioms are given */
  VECTOR(struct sum_function *) sums;
  VECTOR(struct power_function *) powers;
  VECTOR(struct extremum *) extrema;
  VECTOR(struct measure *) measures;
  size_t cardinality_pairs;
  size_t name_count; /* functions named by number: no number is used twice */
  VECTOR(struct order_statistic *) order_statistics;
  VECTOR(struct integer_sum *) integer_sums;
  size_t sum_pairs;
  struct arena arena;
};

/* `variable_count` >= model->variable_count: generated invariants have variables of their own. */
void encoder_init(struct encoder *encoder, struct smt *smt, const struct model *model,
                  const int64_t *scope, size_t variable_count);
void encoder_clear(struct encoder *encoder);

/* Marks what the encoder has defined so far, and goes back to a mark. Terms made in between must
 * not be used any more: the functions in them have lost their definitions. */
struct encoder_mark {
  size_t axioms, described, sums, powers, extrema, measures, cardinality_pairs;
  size_t order_statistics, integer_sums, sum_pairs, defined;
};
struct encoder_mark encoder_mark(const struct encoder *encoder);
void encoder_return(struct encoder *encoder, const struct encoder_mark *mark);

/* A variable of no term, for formulas that the encoder makes up itself. */
const struct variable *encoder_variable(struct encoder *encoder, const char *name,
                                        const struct type *type);

/* Lets the variable stand for `value` (NULL: for nothing); returns what it stood for before. What
 * encodes a term leaves the environment as it was, which encode and its like check: one variable
 * that kept the value of an inner term would make every later formula speak of something else. */
smt_term encoder_let(struct encoder *encoder, const struct variable *variable, smt_term value);

/* A term of type BOOL, INT, TIME, ENUM or NODE in a state. Its free variables are taken from the
 * environment, which is the same afterwards. */
smt_term encode(struct encoder *encoder, const struct term *term, const struct symbolic *state);

/* Whether `node` is in the set `set`. */
smt_term encode_member(struct encoder *encoder, const struct term *set, smt_term node,
                       const struct symbolic *state);

/* The element of `map` at `key`. */
smt_term encode_get(struct encoder *encoder, const struct term *map, smt_term key,
                    const struct symbolic *state);

smt_sort encode_sort(struct encoder *encoder, const struct type *type);

/* Whether the value is one of the type: of an ordered family, whose nodes are integers, not every
 * integer is a node. True of all other types. */
smt_term encode_is_node(struct encoder *encoder, const struct type *type, smt_term value);
/* solver/encode/owner.c. Of a family that belongs to another the size is a product, which is linear
 * only when it is told how many each has; else a constant of which the least is known. */
smt_term encode_role_size(struct encoder *encoder, const struct role *role);
/* The node of the owner of `role` to which a node of `role` belongs. */
smt_term encode_owner(struct encoder *encoder, const struct role *role, smt_term node);
/* The node of `to` that a node of `from` tells (lang/owner.h). */
smt_term encode_of_role(struct encoder *encoder, const struct role *from, const struct role *to,
                        smt_term node);
/* The one way in which an axiom comes to the others. */
void encoder_assume(struct encoder *encoder, enum encoder_fact fact, smt_term axiom);

/* Whether this is the first call with the key since the last mark: axioms are given once. */
bool encoder_is_new(struct encoder *encoder, const void *key);

/* Whether a value of the variable's type is in its domain. */
smt_term encode_in_domain(struct encoder *encoder, const struct variable *variable, smt_term value,
                          const struct symbolic *state);

/* A new constant of the variable's type, put into the environment. The single node of a role is
 * always 0. */
smt_term encode_fresh(struct encoder *encoder, const struct variable *variable);

/* Occurrences with given indices; d(m), Queuing(m); the constant of a bare name. */
smt_term encode_occurrence(struct encoder *encoder, const struct component *component,
                           const struct message *message, const smt_term *indices, size_t count);
smt_term encode_bare(struct encoder *encoder, const struct component *component);

/* solver/encode/arithmetic.c: a TERM_ADD or TERM_MUL. */
smt_term encode_arithmetic(struct encoder *encoder, const struct term *term,
                           const struct symbolic *state);

/* solver/encode/long_time.c: the constant of the long time with this number, which is defined where
 * it is met first. */
smt_term encode_long_time(struct encoder *encoder, size_t number);

smt_term encode_max(struct encoder *encoder, smt_term a, smt_term b);
smt_term encode_min(struct encoder *encoder, smt_term a, smt_term b);

/* solver/encode/quantify.c. With a scope: the values that a variable runs over, of a long range the
 * first SCOPE_VALUES_MAX; and the last of them. */
void encode_scope_range(struct encoder *encoder, const struct variable *variable,
                        const struct symbolic *state, int64_t *low, int64_t *high);
int64_t encode_scope_end(int64_t low, int64_t high);

/* With a scope: whether the value is one that the unknown state may know of: true of all but the
 * integers outside SCOPE_LEAST + 1 .. SCOPE_MOST - 1. */
smt_term encode_in_scope(struct encoder *encoder, const struct type *type, smt_term value);

/* For all (or some) values of variables in their domains, `body` with the variables in the
 * environment, which is then as before. `body` may set *pattern to a term with all of them: then it
 * says when the solver is to use the formula. */
struct quantified {
  bool forall;
  const struct variable *const *variables;
  size_t count;
  const struct symbolic *state; /* of the domains */
  smt_term (*body)(struct encoder *encoder, void *context, smt_term *pattern);
  void *context;
  const smt_term *fixed; /* by variable: the one value that it can have (of "some"), or NULL; NULL:
                          * none has */
};
smt_term encode_quantified(struct encoder *encoder, const struct quantified *quantified);

/* A TERM_FORALL or TERM_EXISTS. */
smt_term encode_quantifier(struct encoder *encoder, const struct term *term,
                           const struct symbolic *state);

/* solver/encode/extremum.c: a TERM_MAX_OVER or TERM_MIN_OVER. */
smt_term encode_extremum(struct encoder *encoder, const struct term *term,
                         const struct symbolic *state);

/* solver/encode/order_statistic.c: a TERM_KTH_OVER. */
smt_term encode_order_statistic(struct encoder *encoder, const struct term *term,
                                const struct symbolic *state);
/* Whether the fact is about how members are counted for it: what the k-th smallest is, rather than
 * what is true of it as of any time. */
bool order_statistic_counts(struct encoder *encoder, const struct order_statistic *statistic,
                            smt_term fact);

/* solver/encode/sum.c: a sum over lo..hi of `body` with `variable` running; factor * body with an
 * integer factor. */
smt_term encode_sum(struct encoder *encoder, const struct variable *variable, smt_term low,
                    smt_term high, const struct term *body, const struct symbolic *state);
smt_term encode_product(struct encoder *encoder, smt_term factor, const struct term *body,
                        const struct symbolic *state);

/* Whether the encoding alone says that a time is not negative. */
bool time_is_nonnegative(const struct term *time);

/* solver/encode/power.c: a TERM_POWER; factor * unit, of a factor that has some. */
smt_term encode_power(struct encoder *encoder, const struct term *power,
                      const struct symbolic *state);
bool factor_has_power(const struct term *factor);
smt_term encode_power_product(struct encoder *encoder, const struct term *factor,
                              const struct term *unit, const struct symbolic *state);

/* To be called when everything is encoded: adds the lemmas on prefix sums and powers to the axioms,
 * and to `goals` what each rests on (the step of its induction). Of what the encoder had at `from`,
 * which has its lemmas, only what the later ones add. */
typedef VECTOR(smt_term) smt_terms;
void encoder_lemmas(struct encoder *encoder, const struct encoder_mark *from, smt_terms *goals);
void encoder_power_lemmas(struct encoder *encoder, size_t from, smt_terms *goals);

/* Free variables and dependence on the state, both by looking at the term. */
bool term_reads_state(const struct term *term);
/* The oldest of the states that `at` was made of in which the term has the same value, as no effect
 * since then is on what it reads; NULL when it does not read the state. */
const struct symbolic *term_seen_state(const struct term *term, const struct symbolic *at);
bool term_mentions(const struct term *term, const struct variable *variable);
bool term_mentions_began(const struct term *term);

/* Whether the term, or some part of it or of a domain in it, passes the test. */
bool term_has_part(const struct term *term, bool (*test)(const struct term *, const void *),
                   const void *context);

struct variable_list {
  size_t count;
  const struct variable **items;
};
struct variable_list term_free_variables(struct arena *arena, const struct term *term);
struct variable_list send_free_variables(struct arena *arena, const struct statement *send);
/* Those that can have several values (open), or those that are the only node of their role. */
struct variable_list term_free_open(struct arena *arena, const struct term *term, bool open);
struct variable_list term_free_but(struct arena *arena, const struct term *term,
                                   const struct variable *variable);

/* The sorts of the variables, in the encoder's arena. */
const smt_sort *encode_sorts(struct encoder *encoder, const struct variable_list *variables);

/* What else the meaning of a term depends on, for the start of its key: the state it reads, and
 * when the phase began. */
void term_key_context(struct text *key, const struct encoder *encoder, const struct term *term,
                      const struct symbolic *state);

/* Writes a term so that equal texts mean equal terms: the running variable (may be NULL) and the
 * `free` ones by their place. */
void term_key(struct text *key, const struct term *term, const struct variable *running,
              const struct variable_list *free);

/* A sum taken apart: its addends, each with a factor (NULL: 1) and sign. A factor does not mention
 * the running variable. */
struct sum_part {
  const struct term *term, *factor;
  bool negative;
};
typedef VECTOR(struct sum_part) sum_parts;
void term_split(sum_parts *list, const struct term *term, const struct variable *running,
                const struct term *factor, bool negative);

#endif
