/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/clause.h"

#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "solver/infer/fact.h"
#include "solver/infer/name.h"
#include "solver/search/sample.h"

enum { WORDS = FACTS_MAX / 64, ROWS_MAX = 1 << 14 };
/* seconds_max is for safety only: what is found does not depend on how fast the machine is. */
static const struct sample_effort effort = {
    .scopes = 4, .runs = 60, .steps = 30, .seconds_max = 30};

/* What was true at once in some state, of some nodes and some number: bit i says that of fact i. */
struct row {
  uint64_t bits[WORDS];
};

struct seen_rows {
  const struct named_facts *facts;
  VECTOR(struct row) rows; /* no two alike */
  struct index index;      /* of rows */
};

static void add_row(struct seen_rows *t, const struct row *row) {
  uint64_t hash = hash_bytes(0, (struct slice){(const char *)row->bits, sizeof row->bits});
  for (struct index_look look = index_look(&t->index, hash); index_next(&look);)
    if (memcmp(&t->rows.data[look.row], row, sizeof *row) == 0)
      return;
  index_add(&t->index, hash, (uint32_t)t->rows.count);
  vector_push(&t->rows, *row);
}

static bool see_binding(const struct interpretation *state, void *context) {
  struct seen_rows *t = context;
  struct row row = {{0}};
  for (size_t i = 0; i < t->facts->items.count; i++)
    if (evaluate_holds(state, t->facts->items.data[i].formula))
      row.bits[i / 64] |= (uint64_t)1 << i % 64;
  add_row(t, &row);
  return t->rows.count < ROWS_MAX;
}

static bool see_state(const struct interpretation *state, void *context) {
  const struct seen_rows *t = context;
  return evaluate_each(state, t->facts->variables.data, t->facts->variables.count, see_binding,
                       context);
}

/* --- clauses --------------------------------------------------------------------------------- */

/* Fact number / 2, negated when the number is odd. */
typedef size_t literal;

struct miner {
  const struct named_facts *facts;
  struct term_maker *m;
  drafts *list;
  size_t words, literal_count, most;
  uint64_t *false_in; /* by literal, `words` each: bit r says that it is false in row r */
  bool *always;       /* by literal: it is a clause alone */
  bool *pair;         /* by two literals: they are a clause, or hold one */
};

static const uint64_t *false_rows(const struct miner *c, literal a) {
  return c->false_in + a * c->words;
}

/* Whether in no row all three are false. */
static bool is_clause(const struct miner *c, literal x, literal y, literal z) {
  const uint64_t *a = false_rows(c, x), *b = false_rows(c, y), *d = false_rows(c, z);
  for (size_t i = 0; i < c->words; i++)
    if ((a[i] & b[i] & d[i]) != 0)
      return false;
  return true;
}

static uint64_t about(const struct miner *c, literal a) {
  return c->facts->items.data[a / 2].about;
}

/* What speaks of different nodes altogether says nothing of either. */
static bool is_connected(const struct miner *c, literal a, literal b) {
  return about(c, a) == 0 || about(c, b) == 0 || (about(c, a) & about(c, b)) != 0;
}

static const struct term *fact_of(const struct miner *c, literal a) {
  return c->facts->items.data[a / 2].formula;
}

static const struct term *either(struct miner *c, const struct term *a, const struct term *b) {
  return a == NULL || b == NULL ? (a == NULL ? b : a) : maker_pair(c->m, TERM_OR, TYPE_BOOL, a, b);
}

/* Facts that are negated imply one of the others. */
static void add(struct miner *c, const literal *literals, size_t count) {
  struct draft draft = {.count = count};
  if (c->list->count >= c->most)
    return;
  for (size_t i = 0; i < count; i++) {
    draft.literals[i] = literals[i];
    if (literals[i] % 2 != 0)
      draft.given = maker_and(c->m, draft.given, fact_of(c, literals[i]));
    else
      draft.then = either(c, draft.then, fact_of(c, literals[i]));
  }
  vector_push(c->list, draft);
}

static void add_singles(struct miner *c) {
  for (literal a = 0; a < c->literal_count; a++) {
    c->always[a] = is_clause(c, a, a, a);
    if (c->always[a])
      add(c, &a, 1);
  }
}

static void add_pairs(struct miner *c) {
  for (literal a = 0; a < c->literal_count; a++)
    for (literal b = a + 1; b < c->literal_count; b++) {
      bool whole = c->always[a] || c->always[b] || a / 2 == b / 2;
      bool found = !whole && is_connected(c, a, b) && is_clause(c, a, b, b);
      c->pair[a * c->literal_count + b] = c->pair[b * c->literal_count + a] = whole || found;
      if (found)
        add(c, (const literal[]){a, b}, 2);
    }
}

static bool has_pair(const struct miner *c, literal a, literal b) {
  return c->pair[a * c->literal_count + b];
}

static void add_triples(struct miner *c) {
  for (literal a = 0; a < c->literal_count; a++)
    for (literal b = a + 1; b < c->literal_count; b++) {
      if (has_pair(c, a, b) || !is_connected(c, a, b))
        continue;
      for (literal d = b + 1; d < c->literal_count; d++)
        if (!has_pair(c, a, d) && !has_pair(c, b, d) && is_connected(c, a, d) &&
            is_connected(c, b, d) && is_clause(c, a, b, d))
          add(c, (const literal[]){a, b, d}, 3);
    }
}

static void fill_columns(struct miner *c, const struct seen_rows *t) {
  for (size_t r = 0; r < t->rows.count; r++)
    for (literal a = 0; a < c->literal_count; a++) {
      bool holds = (t->rows.data[r].bits[a / 2 / 64] >> a / 2 % 64 & 1) != 0;
      if (holds == (a % 2 != 0))
        c->false_in[a * c->words + r / 64] |= (uint64_t)1 << r % 64;
    }
}

void drafts_make(drafts *list, struct term_maker *m, const struct model *model, size_t most) {
  struct named_facts facts;
  facts_init(&facts, m, model);
  struct seen_rows table = {.facts = &facts};
  sample_states(NULL, model, m->variable_count, &effort, see_state, &table);
  struct miner miner = {.facts = &facts,
                        .m = m,
                        .list = list,
                        .words = (table.rows.count + 63) / 64,
                        .literal_count = 2 * facts.items.count,
                        .most = list->count + most};
  size_t n = miner.literal_count;
  miner.false_in = mem_alloc(n * miner.words + 1, sizeof *miner.false_in);
  miner.always = mem_alloc(n + 1, sizeof *miner.always);
  miner.pair = mem_alloc(n * n + 1, sizeof *miner.pair);
  fill_columns(&miner, &table);
  add_singles(&miner);
  add_pairs(&miner);
  add_triples(&miner);
  mem_free(miner.false_in);
  mem_free(miner.always);
  mem_free(miner.pair);
  index_clear(&table.index);
  vector_clear(&table.rows);
  facts_clear(&facts);
}

/* --- what follows from others ---------------------------------------------------------------- */

/* Sets the last literal of a draft that is not false; 0: nothing new, 1: something, 2: a
 * contradiction. */
static int propagate(const struct draft *draft, bool *is_false) {
  size_t open = 0, last = 0;
  for (size_t i = 0; i < draft->count; i++)
    if (!is_false[draft->literals[i]])
      last = draft->literals[i], open++;
  if (open == 0)
    return 2;
  if (open > 1 || is_false[last ^ 1])
    return 0;
  is_false[last ^ 1] = true;
  return 1;
}

static bool follows(const drafts *list, const bool *dropped, size_t which) {
  bool is_false[2 * FACTS_MAX] = {false};
  const struct draft *draft = &list->data[which];
  for (size_t i = 0; i < draft->count; i++)
    is_false[draft->literals[i]] = true;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < list->count; i++) {
      int found = i == which || dropped[i] ? 0 : propagate(&list->data[i], is_false);
      if (found == 2)
        return true;
      more = more || found == 1;
    }
  }
  return false;
}

void drafts_reduce(drafts *list) {
  bool *dropped = mem_alloc(list->count + 1, sizeof *dropped);
  for (size_t i = list->count; i-- > 0;)
    dropped[i] = follows(list, dropped, i);
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++)
    if (!dropped[i])
      list->data[count++] = list->data[i];
  list->count = count;
  mem_free(dropped);
}

/* --- as invariants --------------------------------------------------------------------------- */

static bool same_case(const struct draft *a, const struct draft *b) {
  if (a->given == NULL || b->given == NULL || a->then == NULL || b->then == NULL)
    return false;
  return term_equal(a->given, b->given);
}

void drafts_join(drafts *list, struct term_maker *m) {
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) {
    size_t k = 0;
    while (k < count && !same_case(&list->data[k], &list->data[i]))
      k++;
    if (k == count)
      list->data[count++] = list->data[i];
    else
      list->data[k].then = maker_and(m, list->data[k].then, list->data[i].then);
  }
  list->count = count;
}

const struct term *draft_formula(const struct draft *draft, struct term_maker *m,
                                 const struct model *model) {
  const struct term *formula = draft->then == NULL ? maker_not(m, draft->given)
                                                   : maker_implies(m, draft->given, draft->then);
  return infer_name(m, model, maker_close(m, formula));
}
