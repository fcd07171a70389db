/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/law/draws.h"

#include <math.h>
#include <string.h>

#include "cli/question/law/laws.h"
#include "cli/question/law/request.h"
#include "dist/draw/deck.h"
#include "dist/draw/observed.h"
#include "dist/evaluate/compose_draw.h"
#include "dist/source/joint.h"
#include "dist/statistics/limits.h"

/* Steps of evaluation that are worth their time. */
#define WORK_MAX (UINT64_C(1) << 30)

struct dealing {
  const struct laws *laws;
  struct row_program program;
  VECTOR(size_t) entry_of;   /* by leaf */
  VECTOR(struct deck) decks; /* by entry; empty where nothing is dealt */
  VECTOR(uint64_t) cards;    /* by entry: dealt for each row */
  VECTOR(bool) tables;       /* by table: whether a leaf is one of its columns */
  bool chooses;              /* a law that is composed is random without any draw of a name */
  VECTOR(uint32_t *) order;  /* by table: of its rows, shuffled; NULL: as they are */
  struct random random;      /* of mixtures */
  size_t row;
};

static uint64_t mix(uint64_t seed, uint64_t word) {
  return (seed ^ word) * UINT64_C(0x100000001b3); /* FNV-1a */
}

static uint64_t seed_of(const char *name) {
  uint64_t seed = UINT64_C(0xcbf29ce484222325);
  for (; *name != '\0'; name++)
    seed = mix(seed, (uint64_t)(unsigned char)*name);
  return seed;
}

/* Of what was observed, too: a deck is shuffled from the order of size, and one order for all data
 * would join the same ranks in all of them, so that one name's limits were wrong too often. */
static uint64_t seed_of_entry(const struct law_entry *entry) {
  uint64_t seed = seed_of(entry->name);
  for (size_t i = 0; i < entry->sample.count; i++) {
    seed = mix(seed, entry->sample.bins[i].lower_ns);
    seed = mix(seed, entry->sample.bins[i].upper_ns);
    seed = mix(seed, entry->sample.bins[i].count);
  }
  return mix(seed, entry->sample.beyond);
}

/* --- what a row takes ------------------------------------------------------------------------- */

static const char *count_cards(struct dealing *d, size_t index) {
  const struct law_entry *entry = d->laws->entries.data[index];
  if (entry->compose == NULL) {
    if (entry->table == TABLE_NONE)
      d->cards.data[index]++;
    else
      d->tables.data[entry->table] = true;
    return NULL;
  }
  if (compose_draw_size(entry->compose) > ROW_STEPS_MAX)
    return "a law given with --law is too large";
  d->chooses |= compose_draw_choices(entry->compose) != 0;
  for (size_t i = 0; i < compose_name_count(entry->compose); i++)
    d->cards.data[laws_entry_called(d->laws, compose_name(entry->compose, i))] +=
        compose_draw_count(entry->compose, i);
  return NULL;
}

static const char *prepare(struct dealing *d, const struct laws *laws,
                           const struct expression *expression) {
  *d = (struct dealing){.laws = laws, .random = {seed_of("mixtures")}};
  const char *why = NULL;
  bool good = row_program_init(&d->program, expression, &why);
  for (size_t i = 0; i < laws->entries.count; i++)
    vector_push(&d->cards, 0);
  for (size_t i = 0; i < laws->tables.count; i++)
    vector_push(&d->tables, false);
  for (size_t i = 0; i < d->program.leaves.count && good && why == NULL; i++) {
    const struct row_leaf *leaf = &d->program.leaves.data[i];
    size_t index = laws_entry_of(laws, leaf->occurrence, leaf->component);
    if (index >= laws->entries.count)
      return "a name without an index has no law";
    vector_push(&d->entry_of, index);
    why = count_cards(d, index);
  }
  return why;
}

static void clear_drawing(struct dealing *d) {
  row_program_clear(&d->program);
  for (size_t i = 0; i < d->decks.count; i++)
    deck_clear(&d->decks.data[i]);
  for (size_t i = 0; i < d->order.count; i++)
    mem_free(d->order.data[i]);
  vector_clear(&d->entry_of);
  vector_clear(&d->decks);
  vector_clear(&d->cards);
  vector_clear(&d->tables);
  vector_clear(&d->order);
}

uint64_t *draws_per_row(const struct laws *laws, const struct expression *expression) {
  struct dealing d;
  uint64_t *cards = NULL;
  if (prepare(&d, laws, expression) == NULL) {
    cards = mem_alloc(laws->entries.count, sizeof *cards);
    for (size_t i = 0; i < laws->entries.count; i++) {
      const struct law_entry *entry = laws->entries.data[i];
      bool column = entry->table != TABLE_NONE && d.tables.data[entry->table];
      cards[i] = column ? 1 : d.cards.data[i];
    }
  }
  clear_drawing(&d);
  return cards;
}

/* --- decks and rows --------------------------------------------------------------------------- */

/* One table, which is *table, and nothing that is dealt or chosen: each row is a request. */
static bool is_by_request(const struct dealing *d, size_t *table) {
  size_t tables = 0;
  for (size_t i = 0; i < d->tables.count; i++)
    if (d->tables.data[i]) {
      tables++;
      *table = i;
    }
  for (size_t i = 0; i < d->cards.count; i++)
    if (d->cards.data[i] != 0)
      return false;
  return tables == 1 && !d->chooses;
}

/* Not by the table's path: the result would depend on the folder that it is named from. Two tables
 * have different orders, else what was in one row would meet again. */
static uint32_t *shuffled(size_t rows, size_t table) {
  struct random random = {seed_of("tables") + table};
  uint32_t *order = mem_alloc(rows, sizeof *order);
  for (size_t i = 0; i < rows; i++)
    order[i] = (uint32_t)i;
  random_shuffle(&random, order, rows);
  return order;
}

/* Deals the decks and finds how many rows there are; 0 with a reason. */
static uint64_t deal(struct dealing *d, bool by_request, const char **why) {
  uint64_t rows = UINT64_MAX;
  for (size_t i = 0; i < d->cards.count; i++) {
    struct deck deck = {0};
    const struct law_entry *entry = d->laws->entries.data[i];
    uint64_t seed = d->cards.data[i] == 0 ? 0 : seed_of_entry(entry);
    d->random.state = mix(d->random.state, seed);
    if (d->cards.data[i] != 0 && !deck_init(&deck, &entry->sample, seed))
      *why = "a file counts observations that nobody made";
    vector_push(&d->decks, deck);
    uint64_t most = d->cards.data[i] == 0 ? UINT64_MAX : deck.count / d->cards.data[i];
    rows = most < rows ? most : rows;
  }
  for (size_t i = 0; i < d->tables.count; i++) {
    const struct joint *joint = d->laws->tables.data[i];
    bool mixed = d->tables.data[i] && !by_request;
    vector_push(&d->order, mixed ? shuffled(joint->rows, i) : NULL);
    if (d->tables.data[i] && joint->rows < rows)
      rows = joint->rows;
  }
  if (rows == UINT64_MAX)
    *why = "nothing in it is measured";
  else if (rows == 0)
    *why = "a file has fewer observations than the bound has occurrences of it";
  uint64_t most = WORK_MAX / (d->program.steps.count + 1);
  if (!by_request && rows > most)
    rows = most;
  return *why == NULL ? rows : 0;
}

static struct row_value capped(struct row_value x, const struct law_entry *entry) {
  int64_t floor = 0, ceil = 0;
  if (!entry->has_cap || row_is_absent(x) || !rational_ceil(&ceil, &entry->cap_ns) ||
      !rational_floor(&floor, &entry->cap_ns))
    return x;
  x.upper_ns = x.upper_ns < (uint64_t)ceil ? x.upper_ns : (uint64_t)ceil;
  x.lower_ns = x.lower_ns < (uint64_t)floor ? x.lower_ns : (uint64_t)floor;
  return x;
}

static struct row_value draw_name(void *context, const char *name) {
  struct dealing *d = context;
  size_t index = laws_entry_called(d->laws, name);
  return capped(deck_deal(&d->decks.data[index]), d->laws->entries.data[index]);
}

static struct row_value draw_entry(struct dealing *d, size_t index) {
  const struct law_entry *entry = d->laws->entries.data[index];
  if (entry->compose != NULL) {
    struct compose_draws draws = {.draw = draw_name, .context = d, .random = &d->random};
    return capped(compose_draw(entry->compose, &draws), entry);
  }
  if (entry->table == TABLE_NONE)
    return capped(deck_deal(&d->decks.data[index]), entry);
  const uint32_t *order = d->order.data[entry->table];
  size_t row = order == NULL ? d->row : order[d->row];
  struct joint_cell cell =
      d->laws->tables.data[entry->table]->columns.data[entry->column].cells[row];
  return capped((struct row_value){cell.lower_ns, cell.upper_ns}, entry);
}

static uint64_t scaled(uint64_t x_ns, const struct draws_change *change, bool up) {
  if (x_ns == ROW_INFINITE)
    return x_ns; /* what never ends does not when it is faster */
  __extension__ unsigned __int128 product = x_ns;
  product = product * change->numerator + (up ? change->denominator - 1 : 0);
  return (uint64_t)(product / change->denominator);
}

struct row_value draws_changed(struct row_value x, const struct draws_change *change) {
  if (row_is_absent(x))
    return x;
  if (change->removed)
    return (struct row_value){0, 0};
  return (struct row_value){scaled(x.lower_ns, change, false), scaled(x.upper_ns, change, true)};
}

static void evaluate_rows(struct draws *draws, struct dealing *d, uint64_t rows,
                          const struct draws_change *change) {
  size_t count = d->program.leaves.count;
  struct row_value *leaves = mem_alloc(count, sizeof *leaves);
  for (d->row = 0; d->row < rows; d->row++) {
    for (size_t i = 0; i < count; i++) {
      leaves[i] = draw_entry(d, d->entry_of.data[i]);
      if (draws_changes(change, d->entry_of.data[i]))
        leaves[i] = draws_changed(leaves[i], change);
    }
    observed_add(&draws->values, row_evaluate(&d->program, leaves));
  }
  sample_finish(&draws->values);
  mem_free(leaves);
}

/* Shuffled, the values depend on each other no more than the observations of the worst source. */
static void worsen(struct serial *worst, const struct serial *serial) {
  worst->known |= serial->known;
  worst->dependent |= serial->dependent;
  worst->settled &= serial->settled;
  worst->wanders |= serial->wanders;
  worst->inflation = fmax(worst->inflation, serial->inflation);
  worst->inflation_upper = worst->inflation_lower = worst->inflation;
}

static struct serial worst_source(const struct dealing *d) {
  struct serial worst = serial_independent();
  for (size_t i = 0; i < d->laws->entries.count; i++) {
    const struct law_entry *entry = d->laws->entries.data[i];
    bool column = entry->table != TABLE_NONE && d->tables.data[entry->table];
    if (column || d->cards.data[i] != 0)
      worsen(&worst, &entry->serial);
  }
  return worst;
}

/* Or nothing is to be said of other requests than these. */
static bool is_exchangeable(const struct laws *laws) {
  return laws->request == NULL || laws->request->exchangeable ||
         rational_sign(&laws->request->confidence) == 0;
}

void draws_make(struct draws *draws, const struct laws *laws, const struct expression *expression,
                const struct draws_change *change) {
  *draws = (struct draws){.serial = serial_independent()};
  sample_init(&draws->values);
  struct dealing d;
  draws->why = prepare(&d, laws, expression);
  if (draws->why == NULL) {
    draws->by_request = is_by_request(&d, &draws->table);
    uint64_t rows = deal(&d, draws->by_request, &draws->why);
    if (rows != 0)
      evaluate_rows(draws, &d, rows, change);
    if (!draws->by_request)
      draws->serial = worst_source(&d);
    draws->made = rows != 0;
  }
  draws->by_request &= draws->made;
  if (draws->by_request) {
    laws_regard_runs(&draws->values, laws->tables.data[draws->table]);
    draws->levels = levels_new(&draws->values, is_exchangeable(laws));
  }
  clear_drawing(&d);
}

void draws_clear(struct draws *draws) {
  sample_clear(&draws->values);
  levels_free(draws->levels);
}

/* One occurrence for each file: two with the same value would be joined more than they were. */
static bool has_own_series(const struct dealing *d, size_t rows) {
  for (size_t i = 0; i < d->entry_of.count; i++) {
    const struct law_entry *entry = d->laws->entries.data[d->entry_of.data[i]];
    bool constant = entry->compose != NULL && compose_draw_choices(entry->compose) == 0;
    if (!constant && (entry->compose != NULL || entry->sample.series_count != rows ||
                      (entry->table == TABLE_NONE && d->cards.data[d->entry_of.data[i]] != 1)))
      return false;
  }
  return true;
}

void draws_row_by_row(struct sample *values, const struct laws *laws,
                      const struct expression *expression, size_t rows) {
  struct dealing d;
  bool good = prepare(&d, laws, expression) == NULL && has_own_series(&d, rows);
  struct row_value *leaves = mem_alloc(d.entry_of.count, sizeof *leaves);
  for (size_t row = 0; row < rows && good; row++) {
    for (size_t i = 0; i < d.entry_of.count; i++) {
      const struct law_entry *entry = laws->entries.data[d.entry_of.data[i]];
      leaves[i] = entry->compose != NULL ? draw_entry(&d, d.entry_of.data[i])
                                         : (struct row_value){entry->sample.series_lower[row],
                                                              entry->sample.series[row]};
    }
    observed_add(values, row_evaluate(&d.program, leaves));
  }
  sample_finish(values);
  mem_free(leaves);
  clear_drawing(&d);
}

double share_double(const struct rational *share) {
  struct rational fine;
  rational_init(&fine);
  rational_set_integer(&fine, INT64_C(1) << 60);
  rational_mul(&fine, &fine, share);
  int64_t parts = 0;
  rational_floor(&parts, &fine);
  rational_clear(&fine);
  return ldexp((double)parts, -60);
}

struct serial draws_serial(const struct draws *draws, const struct rational *share) {
  if (!draws->by_request)
    return draws->serial;
  return share == NULL ? levels_overall(draws->levels) : levels_at(draws->levels, share);
}

/* Shuffled, the values are worth the same at each percentile. */
struct level_ends draws_ends(const struct draws *draws, const struct rational *share,
                             uint64_t count, uint64_t chance) {
  const struct sample *values = &draws->values;
  if (draws->by_request)
    return levels_ends(draws->levels, values, share, count, chance);
  const struct serial *serial = &draws->serial;
  struct level_ends ends = {.upper_settled = serial->settled, .lower_settled = serial->settled};
  ends.upper_finite =
      limit_upper(&ends.upper_ns, values, share, serial_worth_upper(serial, count), chance) &&
      ends.upper_ns < SAMPLE_NS_MAX;
  ends.lower_ns = limit_lower(values, share, serial_worth_lower(serial, count), chance);
  return ends;
}
