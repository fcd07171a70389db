/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of the evaluator share: three small laws, expressions over occurrences of them,
 * and their exact laws by running through all joint outcomes.
 */
#ifndef TESTS_UNIT_DIST_EVALUATE_FIXTURE_H
#define TESTS_UNIT_DIST_EVALUATE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dist/evaluate/evaluate.h"
#include "tests/unit/dist/random.h"

/* Whole numbers to 512, on which nothing is rounded. */
static const struct grid exact_grid = {.sub_bits = 8, .octaves = 1};

enum { LAWS = 3, ATOMS = 3, EIGHTHS = 8, OCCURRENCES = 8, POINTS = 513 };

/* Law i takes value[i][j] with chance mass[i][j] / 8. */
static const int64_t values[LAWS][ATOMS] = {{0, 3, 10}, {1, 4, 5}, {2, 7, 20}};
static const uint64_t masses[LAWS][ATOMS] = {{5, 2, 1}, {1, 3, 4}, {4, 3, 1}};
static const char *const names[LAWS] = {"A", "B", "C"};

struct fixture {
  struct expression_table table;
  struct survival laws[2][LAWS]; /* by side */
  enum survival_side side;
  struct survival result;
  struct ledger ledger;
  struct text message;
  size_t groups[OCCURRENCES]; /* by occurrence id, when grouped */
  bool is_grouped, together_bare;
};

static inline size_t law_index(const char *component) {
  for (size_t i = 0; i < LAWS; i++)
    if (strcmp(names[i], component) == 0)
      return i;
  return LAWS;
}

static inline enum status find(void *context, size_t *law, const struct survival **survival,
                               const struct occurrence *occurrence, const char *component,
                               struct text *message) {
  struct fixture *f = context;
  assert_true(occurrence == NULL || strcmp(occurrence->component, component) == 0);
  *law = law_index(component);
  if (*law == LAWS) {
    text_format(message, "no data for %s", component);
    return STATUS_NO_INPUT;
  }
  *survival = &f->laws[f->side][*law];
  return STATUS_OK;
}

static inline size_t group(void *context, const struct occurrence *occurrence) {
  struct fixture *f = context;
  return f->groups[occurrence->id];
}

static inline void fixture_init(struct fixture *f, const struct grid *grid) {
  memset(f, 0, sizeof *f);
  expression_table_init(&f->table);
  ledger_init(&f->ledger);
  text_init(&f->message);
  survival_init(&f->result, grid);
  for (size_t side = 0; side < 2; side++)
    for (size_t i = 0; i < LAWS; i++) {
      struct survival *law = &f->laws[side][i];
      survival_init_side(law, grid, side == 0 ? SIDE_UPPER : SIDE_LOWER);
      for (size_t k = 0; k < grid_count(grid); k++) {
        /* what exceeds this point; on the lower side, what the next one does not exceed */
        bool is_last = k + 1 == grid_count(grid);
        uint64_t tail = 0, least = grid_value_ns(grid, k) + 1;
        if (side == 1)
          least = is_last ? UINT64_MAX : grid_value_ns(grid, k + 1);
        for (size_t j = 0; j < ATOMS; j++)
          tail += (uint64_t)values[i][j] >= least ? masses[i][j] : 0;
        law->tail[k] = tail * (SURVIVAL_ONE / EIGHTHS);
      }
    }
}

static inline void fixture_clear(struct fixture *f) {
  expression_table_clear(&f->table);
  survival_clear(&f->result);
  for (size_t i = 0; i < LAWS; i++) {
    survival_clear(&f->laws[0][i]);
    survival_clear(&f->laws[1][i]);
  }
  ledger_clear(&f->ledger);
  text_clear(&f->message);
}

static inline int setup(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  fixture_init(f, &exact_grid);
  *state = f;
  return 0;
}

static inline int teardown(void **state) {
  fixture_clear(*state);
  free(*state);
  return 0;
}

static inline void choose_side(struct fixture *f, enum survival_side side) {
  struct grid grid = f->result.grid;
  survival_clear(&f->result);
  survival_init_side(&f->result, &grid, side);
  f->side = side;
}

static inline enum status evaluate(struct fixture *f, const struct expression *e, bool fresh) {
  struct evaluate_laws laws = {.find = find,
                               .group = f->is_grouped ? group : NULL,
                               .together_bare = f->together_bare,
                               .context = f,
                               .jobs = 2};
  ledger_clear(&f->ledger);
  text_clear(&f->message);
  return evaluate_survival(&f->result, e, &laws, fresh, &f->ledger, &f->message);
}

static inline bool has_line(const struct fixture *f, const char *part) {
  for (size_t i = 0; i < f->ledger.count; i++)
    if (strstr(f->ledger.lines[i].text, part) != NULL)
      return true;
  return false;
}

/* Whether the ledger has nothing that makes the result a bound rather than exact. */
static inline bool claims_exactness(const struct fixture *f) {
  return !has_line(f, "association") && !has_line(f, "are split") &&
         !has_line(f, "any joint law of its parts");
}

static inline const struct expression *integer(struct fixture *f, int64_t value) {
  struct rational x;
  rational_init(&x);
  rational_set_integer(&x, value);
  const struct expression *e = expression_constant(&f->table, &x);
  rational_clear(&x);
  return e;
}

static inline const struct expression *times(struct fixture *f, int64_t factor,
                                             const struct expression *part) {
  struct rational x;
  rational_init(&x);
  rational_set_integer(&x, factor);
  const struct expression *e = expression_scale(&f->table, &x, part);
  rational_clear(&x);
  return e;
}

static inline const struct expression *term(struct fixture *f, size_t law, int64_t index) {
  return expression_term(&f->table, expression_occurrence(&f->table, names[law], NULL, &index, 1));
}

static inline const struct expression *combine(struct fixture *f, enum expression_kind kind,
                                               const struct expression *a,
                                               const struct expression *b) {
  const struct expression *parts[] = {a, b};
  return expression_combine(&f->table, kind, parts, 2, 2);
}

static inline const struct expression *combine_three(struct fixture *f, enum expression_kind kind,
                                                     const struct expression *a,
                                                     const struct expression *b,
                                                     const struct expression *c, int64_t rank) {
  const struct expression *parts[] = {a, b, c};
  return expression_combine(&f->table, kind, parts, 3, rank);
}

#define ADD(a, b) combine(f, EXPRESSION_ADD, a, b)
#define MAX(a, b) combine(f, EXPRESSION_MAX, a, b)
#define MIN(a, b) combine(f, EXPRESSION_MIN, a, b)
#define KTH(rank, a, b, c) combine_three(f, EXPRESSION_KTH, a, b, c, rank)

/* At most six occurrences, so that all outcomes can be run through. */
static inline const struct expression *random_expression(struct fixture *f, struct random *random,
                                                         int depth) {
  static const enum expression_kind kinds[] = {EXPRESSION_ADD, EXPRESSION_ADD, EXPRESSION_MAX,
                                               EXPRESSION_MAX, EXPRESSION_MIN, EXPRESSION_MIN,
                                               EXPRESSION_KTH, EXPRESSION_KTH};
  uint64_t kind = random_below(random, depth == 0 ? 7 : 20);
  if (kind == 0)
    return integer(f, (int64_t)random_below(random, 6));
  if (kind < 7)
    return term(f, random_below(random, LAWS), (int64_t)random_below(random, 2));
  if (kind == 7)
    return times(f, (int64_t)random_below(random, 4), random_expression(f, random, depth - 1));
  const struct expression *parts[4];
  size_t count = 1 + random_below(random, 4);
  for (size_t i = 0; i < count; i++)
    parts[i] = random_expression(f, random, depth - 1);
  return expression_combine(&f->table, kinds[kind % 8], parts, count,
                            (int64_t)(1 + random_below(random, count)));
}

/* What is drawn together: an alone occurrence, or a group. Each draws one of eight equally likely
 * cells; cell[i][u] is the cell of occurrence i's law when the cluster draws u. */
struct joint_law {
  size_t cluster[OCCURRENCES];
  size_t cell[OCCURRENCES][EIGHTHS];
};

enum coupling { COMONOTONE, ANTITHETIC, RANDOM_COUPLING, COUPLINGS };

static inline void joint_law_of(struct joint_law *joint, const struct fixture *f,
                                enum coupling coupling, struct random *random) {
  for (size_t i = 0; i < f->table.occurrences.count; i++) {
    bool is_alone = !f->is_grouped || f->groups[i] == GROUP_ALONE;
    joint->cluster[i] = is_alone ? OCCURRENCES + i : f->groups[i];
    for (size_t u = 0; u < EIGHTHS; u++)
      joint->cell[i][u] = coupling == ANTITHETIC && i % 2 == 1 ? EIGHTHS - 1 - u : u;
    for (size_t u = EIGHTHS; coupling == RANDOM_COUPLING && u-- > 1;) {
      size_t v = random_below(random, u + 1), swapped = joint->cell[i][u];
      joint->cell[i][u] = joint->cell[i][v];
      joint->cell[i][v] = swapped;
    }
  }
}

static inline int64_t value_of_cell(const struct fixture *f, size_t occurrence, size_t cell) {
  size_t law = law_index(f->table.occurrences.data[occurrence]->component), j = 0;
  for (; cell >= masses[law][j]; j++)
    cell -= masses[law][j];
  return values[law][j];
}

/* Draws the clusters one after the other; at the end all terms have values. */
static inline void enumerate_from(uint64_t *tail, const struct fixture *f,
                                  const struct expression *e, const struct joint_law *joint,
                                  struct rational *terms, size_t occurrence, size_t *drawn,
                                  uint64_t mass) {
  size_t n = f->table.occurrences.count;
  if (occurrence == n) {
    struct rational value;
    rational_init(&value);
    expression_value(&value, e, terms, NULL, NULL);
    int64_t at = 0;
    assert_true(rational_ceil(&at, &value) && rational_is_integer(&value));
    for (size_t k = (size_t)at; k < POINTS; k++)
      tail[k] -= mass;
    rational_clear(&value);
    return;
  }
  size_t *u = &drawn[joint->cluster[occurrence]];
  bool is_drawn = *u != EIGHTHS;
  size_t law = law_index(f->table.occurrences.data[occurrence]->component);
  if (is_drawn) {
    rational_set_integer(&terms[occurrence],
                         value_of_cell(f, occurrence, joint->cell[occurrence][*u]));
    enumerate_from(tail, f, e, joint, terms, occurrence + 1, drawn, mass);
  } else if (joint->cluster[occurrence] >= OCCURRENCES) {
    for (size_t j = 0; j < ATOMS; j++) {
      rational_set_integer(&terms[occurrence], values[law][j]);
      enumerate_from(tail, f, e, joint, terms, occurrence + 1, drawn,
                     mass / EIGHTHS * masses[law][j]);
    }
  } else {
    for (*u = 0; *u < EIGHTHS; ++*u) {
      rational_set_integer(&terms[occurrence],
                           value_of_cell(f, occurrence, joint->cell[occurrence][*u]));
      enumerate_from(tail, f, e, joint, terms, occurrence + 1, drawn, mass / EIGHTHS);
    }
    *u = EIGHTHS;
  }
}

/* The exact tails of the expression under that joint law. */
static inline void enumerate_joint(uint64_t *tail, const struct fixture *f,
                                   const struct expression *e, const struct joint_law *joint) {
  struct rational terms[OCCURRENCES];
  size_t drawn[2 * OCCURRENCES];
  assert_true(f->table.occurrences.count <= OCCURRENCES);
  for (size_t i = 0; i < OCCURRENCES; i++)
    rational_init(&terms[i]);
  for (size_t i = 0; i < 2 * OCCURRENCES; i++)
    drawn[i] = EIGHTHS;
  for (size_t k = 0; k < POINTS; k++)
    tail[k] = SURVIVAL_ONE;
  enumerate_from(tail, f, e, joint, terms, 0, drawn, SURVIVAL_ONE);
  for (size_t i = 0; i < OCCURRENCES; i++)
    rational_clear(&terms[i]);
}

/* With all occurrences independent. */
static inline void enumerate(uint64_t *tail, const struct fixture *f, const struct expression *e) {
  struct joint_law joint;
  for (size_t i = 0; i < f->table.occurrences.count; i++)
    joint.cluster[i] = OCCURRENCES + i;
  enumerate_joint(tail, f, e, &joint);
}

/* The result is on its side of the exact tails and, when `is_exact`, equal but for units. */
static inline void check_result(const struct fixture *f, const struct expression *e,
                                const uint64_t *tail, bool is_exact, uint64_t seed) {
  for (size_t k = 0; k < POINTS - 1; k++) {
    uint64_t got = f->result.tail[k];
    uint64_t gap = got > tail[k] ? got - tail[k] : tail[k] - got;
    bool is_outside = f->side == SIDE_UPPER ? got < tail[k] : got > tail[k];
    if (is_outside || (is_exact && gap > 64)) {
      struct text text;
      text_init(&text);
      expression_print(&text, e);
      for (size_t i = 0; i < f->ledger.count; i++)
        print_message("%s\n", f->ledger.lines[i].text);
      fail_msg("seed %lu, %s: P(%s > %zu) is %.9g, not %.9g", (unsigned long)seed,
               f->side == SIDE_UPPER ? "upper" : "lower", text_get(&text), k,
               (double)got / (double)SURVIVAL_ONE, (double)tail[k] / (double)SURVIVAL_ONE);
    }
  }
}

static inline const struct expression *many(struct fixture *f, enum expression_kind kind,
                                            int64_t n) {
  const struct expression **parts = calloc((size_t)n, sizeof *parts);
  for (int64_t i = 0; i < n; i++)
    parts[i] = ADD(ADD(term(f, 0, i), term(f, 1, i)), ADD(term(f, 2, i), term(f, 0, n + i)));
  const struct expression *e = expression_combine(&f->table, kind, parts, (size_t)n, 0);
  free(parts);
  return e;
}

#endif
