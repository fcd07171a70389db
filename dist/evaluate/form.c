/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/evaluate/form.h"

#include <stdlib.h>
#include <string.h>

typedef VECTOR(struct addend) addend_vector;
typedef VECTOR(const struct form *) form_vector;

void form_table_init(struct form_table *table) {
  memset(table, 0, sizeof *table);
  arena_init(&table->arena);
  rational_init(&table->zero);
  rational_init(&table->one);
  rational_set_integer(&table->one, 1);
}

void form_table_clear(struct form_table *table) {
  for (size_t i = 0; i < table->rationals.count; i++)
    rational_clear(table->rationals.data[i]);
  vector_clear(&table->rationals);
  vector_clear(&table->atoms);
  vector_clear(&table->by_occurrence);
  vector_clear(&table->stamps);
  vector_clear(&table->known);
  rational_clear(&table->zero);
  rational_clear(&table->one);
  arena_clear(&table->arena);
}

static struct rational *new_rational(struct form_table *table) {
  struct rational *x = arena_alloc(&table->arena, 1, sizeof *x);
  rational_init(x);
  vector_push(&table->rationals, x);
  return x;
}

static const struct rational *sum_of(struct form_table *table, const struct rational *x,
                                     const struct rational *y) {
  if (rational_sign(x) == 0 || rational_sign(y) == 0)
    return rational_sign(x) == 0 ? y : x;
  struct rational *z = new_rational(table);
  rational_add(z, x, y);
  return z;
}

static const struct rational *product_of(struct form_table *table, const struct rational *x,
                                         const struct rational *y) {
  if (rational_compare(x, &table->one) == 0 || rational_compare(y, &table->one) == 0)
    return rational_compare(x, &table->one) == 0 ? y : x;
  struct rational *z = new_rational(table);
  rational_mul(z, x, y);
  return z;
}

static const struct rational *difference_of(struct form_table *table, const struct rational *x,
                                            const struct rational *y) {
  if (rational_sign(y) == 0)
    return x;
  struct rational *z = new_rational(table);
  rational_sub(z, x, y);
  return z;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ (hash >> 29);
}

static uint64_t mix_rational(uint64_t hash, const struct rational *x) {
  int64_t floor = 0; /* only a hash */
  rational_floor(&floor, x);
  return mix(hash, (uint64_t)floor);
}

static int compare_addends(const void *left, const void *right) {
  size_t a = ((const struct addend *)left)->atom->id, b = ((const struct addend *)right)->atom->id;
  return (a > b) - (a < b);
}

/* Sorts, merges equal atoms, drops those with coefficient 0. Empties `addends`. */
static const struct form *make_form(struct form_table *table, const struct rational *constant,
                                    addend_vector *addends) {
  struct form *form = arena_alloc(&table->arena, 1, sizeof *form);
  form->constant = constant;
  if (addends->count != 0)
    qsort(addends->data, addends->count, sizeof *addends->data, compare_addends);
  size_t count = 0;
  for (size_t i = 0; i < addends->count; i++) {
    struct addend *addend = &addends->data[i], *last = &addends->data[count - (count != 0)];
    if (rational_sign(addend->coefficient) == 0)
      continue;
    if (count != 0 && last->atom == addend->atom && !addend->atom->is_redrawn)
      last->coefficient = sum_of(table, last->coefficient, addend->coefficient);
    else
      addends->data[count++] = *addend;
  }
  form->count = count;
  form->addends = arena_copy(&table->arena, addends->data, count, sizeof *addends->data);
  form->hash = mix_rational(count, constant);
  for (size_t i = 0; i < count; i++) {
    form->is_redrawn = form->is_redrawn || form->addends[i].atom->is_redrawn;
    form->hash =
        mix_rational(mix(form->hash, form->addends[i].atom->id), form->addends[i].coefficient);
  }
  vector_clear(addends);
  return form;
}

static bool same_form(const struct form *a, const struct form *b) {
  if (a->hash != b->hash || a->count != b->count || a->is_redrawn || b->is_redrawn ||
      rational_compare(a->constant, b->constant) != 0)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->addends[i].atom != b->addends[i].atom ||
        rational_compare(a->addends[i].coefficient, b->addends[i].coefficient) != 0)
      return false;
  return true;
}

static struct atom *new_atom(struct form_table *table, enum atom_kind kind) {
  struct atom *atom = arena_alloc(&table->arena, 1, sizeof *atom);
  atom->kind = kind;
  atom->id = table->atoms.count;
  vector_push(&table->atoms, atom);
  return atom;
}

static struct atom *occurrence_atom(struct form_table *table, const struct occurrence *occurrence) {
  while (table->by_occurrence.count <= occurrence->id) {
    vector_push(&table->by_occurrence, NULL);
    vector_push(&table->stamps, 0);
  }
  struct atom **known = &table->by_occurrence.data[occurrence->id];
  if (*known != NULL)
    return *known;
  struct atom *atom = new_atom(table, ATOM_OCCURRENCE);
  atom->occurrence = occurrence;
  atom->id_count = 1;
  atom->occurrences = arena_copy(&table->arena, &occurrence, 1, sizeof occurrence);
  table->by_occurrence.data[occurrence->id] = atom;
  return atom;
}

static struct atom *bare_atom(struct form_table *table, const char *component) {
  struct atom *atom = new_atom(table, ATOM_BARE);
  atom->component = component;
  atom->is_redrawn = true;
  return atom;
}

static const struct form *single(struct form_table *table, struct atom *atom) {
  addend_vector addends = {0};
  vector_push(&addends, (struct addend){&table->one, atom});
  return make_form(table, &table->zero, &addends);
}

/* The occurrences of all parts, each once. */
static void collect_occurrences(struct form_table *table, struct atom *atom) {
  VECTOR(const struct occurrence *) found = {0};
  size_t stamp = ++table->stamp;
  for (size_t i = 0; i < atom->part_count; i++)
    for (size_t j = 0; j < atom->parts[i]->count; j++) {
      const struct atom *inner = atom->parts[i]->addends[j].atom;
      for (size_t k = 0; k < inner->id_count; k++) {
        size_t id = inner->occurrences[k]->id;
        if (table->stamps.data[id] != stamp)
          vector_push(&found, inner->occurrences[k]);
        table->stamps.data[id] = stamp;
      }
    }
  atom->id_count = found.count;
  atom->occurrences = arena_copy(&table->arena, found.data, found.count, sizeof *found.data);
  vector_clear(&found);
}

static int compare_forms(const void *left, const void *right) {
  const struct form *a = *(const struct form *const *)left;
  const struct form *b = *(const struct form *const *)right;
  return (a->hash > b->hash) - (a->hash < b->hash);
}

static bool same_parts(const struct atom *atom, const form_vector *parts) {
  if (atom->kind != ATOM_MAX || atom->is_redrawn || atom->part_count != parts->count)
    return false;
  for (size_t i = 0; i < parts->count; i++)
    if (!same_form(atom->parts[i], parts->data[i]))
      return false;
  return true;
}

/* The maximum of forms already sorted by hash and without repeats. */
static struct atom *max_atom(struct form_table *table, const form_vector *parts) {
  for (size_t i = 0; i < table->atoms.count; i++)
    if (same_parts(table->atoms.data[i], parts))
      return table->atoms.data[i];
  struct atom *atom = new_atom(table, ATOM_MAX);
  atom->part_count = parts->count;
  atom->parts = arena_copy(&table->arena, parts->data, parts->count, sizeof *parts->data);
  for (size_t i = 0; i < parts->count; i++)
    atom->is_redrawn = atom->is_redrawn || parts->data[i]->is_redrawn;
  collect_occurrences(table, atom);
  return atom;
}

static const struct rational *coefficient_in(const struct form *form, const struct atom *atom) {
  struct addend key = {NULL, (struct atom *)atom};
  if (form->count == 0)
    return NULL;
  const struct addend *found =
      bsearch(&key, form->addends, form->count, sizeof key, compare_addends);
  return found == NULL ? NULL : found->coefficient;
}

/* What every part adds alike. An occurrence that some part adds more of stays where it is: taken
 * out in part, it would be both outside and inside of the maximum. */
static const struct form *common_form(struct form_table *table, const form_vector *parts) {
  const struct form *first = parts->data[0];
  const struct rational *constant = first->constant;
  for (size_t i = 1; i < parts->count; i++)
    if (rational_compare(parts->data[i]->constant, constant) < 0)
      constant = parts->data[i]->constant;
  addend_vector addends = {0};
  for (size_t j = 0; j < first->count; j++) {
    struct addend common = first->addends[j];
    bool everywhere = !common.atom->is_redrawn;
    for (size_t i = 1; i < parts->count && everywhere; i++) {
      const struct rational *other = coefficient_in(parts->data[i], common.atom);
      everywhere = other != NULL && rational_compare(other, common.coefficient) == 0;
    }
    if (everywhere)
      vector_push(&addends, common);
  }
  return make_form(table, constant, &addends);
}

static const struct form *without(struct form_table *table, const struct form *form,
                                  const struct form *common) {
  addend_vector addends = {0};
  for (size_t i = 0; i < form->count; i++)
    if (coefficient_in(common, form->addends[i].atom) == NULL)
      vector_push(&addends, form->addends[i]);
  return make_form(table, difference_of(table, form->constant, common->constant), &addends);
}

/* Whether a <= b whatever the values: b adds all that a adds. */
static bool is_below(const struct form *a, const struct form *b) {
  if (a->is_redrawn || rational_compare(a->constant, b->constant) > 0)
    return false;
  for (size_t i = 0; i < a->count; i++) {
    const struct rational *other = coefficient_in(b, a->addends[i].atom);
    if (other == NULL || rational_compare(a->addends[i].coefficient, other) > 0)
      return false;
  }
  return true;
}

/* Drops the parts that another part is never below, and sorts. */
static void tidy_parts(form_vector *parts) {
  size_t count = 0;
  for (size_t i = 0; i < parts->count; i++) {
    const struct form *part = parts->data[i];
    bool needed = true;
    for (size_t j = 0; j < parts->count && needed; j++)
      needed = j == i || (j >= count && j < i) || !is_below(part, parts->data[j]);
    if (needed)
      parts->data[count++] = part;
  }
  parts->count = count;
  qsort(parts->data, parts->count, sizeof *parts->data, compare_forms);
}

/* form + other */
static const struct form *plus(struct form_table *table, const struct form *form,
                               const struct form *other) {
  addend_vector addends = {0};
  for (size_t i = 0; i < form->count; i++)
    vector_push(&addends, form->addends[i]);
  for (size_t i = 0; i < other->count; i++)
    vector_push(&addends, other->addends[i]);
  return make_form(table, sum_of(table, form->constant, other->constant), &addends);
}

static const struct form *max_of(struct form_table *table, form_vector *parts) {
  const struct form *common = common_form(table, parts);
  for (size_t i = 0; i < parts->count; i++)
    parts->data[i] = without(table, parts->data[i], common);
  tidy_parts(parts);
  if (parts->count == 1)
    return plus(table, common, parts->data[0]);
  return plus(table, common, single(table, max_atom(table, parts)));
}

static const struct form *form_of_node(struct form_table *table, const struct ground *e);

static const struct form *form_of_add(struct form_table *table, const struct ground *e) {
  addend_vector addends = {0};
  const struct rational *constant = &table->zero;
  for (size_t i = 0; i < e->count; i++) {
    const struct form *part = form_of_node(table, e->parts[i]);
    if (part == NULL) {
      vector_clear(&addends);
      return NULL;
    }
    constant = sum_of(table, constant, part->constant);
    for (size_t j = 0; j < part->count; j++)
      vector_push(&addends, part->addends[j]);
  }
  return make_form(table, constant, &addends);
}

static const struct form *form_of_scale(struct form_table *table, const struct ground *e) {
  const struct form *part = form_of_node(table, e->parts[0]);
  if (part == NULL)
    return NULL;
  addend_vector addends = {0};
  for (size_t i = 0; i < part->count; i++)
    vector_push(&addends,
                (struct addend){product_of(table, part->addends[i].coefficient, &e->value),
                                part->addends[i].atom});
  return make_form(table, product_of(table, part->constant, &e->value), &addends);
}

static const struct form *form_of_max(struct form_table *table, const struct ground *e) {
  form_vector parts = {0};
  bool good = true;
  for (size_t i = 0; i < e->count && good; i++) {
    vector_push(&parts, form_of_node(table, e->parts[i]));
    good = parts.data[i] != NULL;
  }
  const struct form *result = good ? max_of(table, &parts) : NULL;
  vector_clear(&parts);
  return result;
}

static const struct form *refuse(struct form_table *table, const struct ground *e) {
  text_append(table->message,
              "this version computes no percentiles of minima, nor of order statistics below the "
              "largest; a later one will. Until then bound a minimum by one of its arguments, an "
              "order statistic by the maximum of its own: ");
  ground_print(table->message, e);
  return NULL;
}

static const struct form *combine(struct form_table *table, const struct ground *e) {
  switch (e->kind) {
  case GROUND_ADD:
    return form_of_add(table, e);
  case GROUND_SCALE:
    return form_of_scale(table, e);
  case GROUND_MAX:
    return form_of_max(table, e);
  case GROUND_KTH:
    if (e->rank > 0 && (size_t)e->rank == e->count)
      return form_of_max(table, e);
    return refuse(table, e);
  default:
    return refuse(table, e);
  }
}

static size_t slot_of(const struct form_table *table, const struct ground *e) {
  size_t mask = table->known.count - 1;
  size_t slot = (size_t)mix((uint64_t)(uintptr_t)e, 1) & mask;
  while (table->known.data[slot].node != NULL && table->known.data[slot].node != e)
    slot = (slot + 1) & mask;
  return slot;
}

static void remember(struct form_table *table, const struct ground *e, const struct form *form) {
  if (2 * table->known_count >= table->known.count) {
    struct known_form *old = table->known.data;
    size_t old_count = table->known.count, count = old_count == 0 ? 64 : 2 * old_count;
    table->known.data = mem_alloc(count, sizeof *old);
    table->known.count = table->known.capacity = count;
    for (size_t i = 0; i < old_count; i++)
      if (old[i].node != NULL)
        table->known.data[slot_of(table, old[i].node)] = old[i];
    mem_free(old);
  }
  table->known.data[slot_of(table, e)] = (struct known_form){e, form};
  table->known_count++;
}

static const struct form *form_of_node(struct form_table *table, const struct ground *e) {
  addend_vector none = {0};
  if (e->kind == GROUND_CONSTANT)
    return make_form(table, &e->value, &none);
  if (e->kind == GROUND_OCCURRENCE)
    return single(table, occurrence_atom(table, e->occurrence));
  if (e->kind == GROUND_BARE)
    return single(table, bare_atom(table, e->component));
  if (table->known_count != 0) {
    const struct known_form *known = &table->known.data[slot_of(table, e)];
    if (known->node == e)
      return known->form;
  }
  const struct form *form = combine(table, e);
  if (form != NULL)
    remember(table, e, form);
  return form;
}

const struct form *form_of(struct form_table *table, const struct ground *expression,
                           struct text *message) {
  table->message = message;
  return form_of_node(table, expression);
}
