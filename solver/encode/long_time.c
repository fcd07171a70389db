/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/encode/long_time.h"

#include <stdlib.h>

#include "base/text.h"
#include "lang/term_same.h"
#include "solver/encode/encode.h"

void long_times_init(struct long_times *times) {
  *times = (struct long_times){0};
  vector_push(&times->sums, (struct long_time){0});
}

void long_times_clear(struct long_times *times) {
  vector_clear(&times->sums);
  vector_clear(&times->places);
}

/* --- what is a sum ------------------------------------------------------------------------------
 */

static bool is_sum(const struct term *t) {
  return t->kind == TERM_ADD && t->type.kind == TYPE_TIME;
}

/* An index that is the same in every state and has no variable. */
static bool is_fixed(const struct term *t) {
  switch (t->kind) {
  case TERM_BOOL:
  case TERM_INT:
  case TERM_ENUM:
  case TERM_PARAM:
  case TERM_NODE:
  case TERM_FIRST:
  case TERM_LAST:
    return true;
  default:
    return false;
  }
}

static bool is_addend(const struct term *t) {
  bool time = t->kind == TERM_TIME || t->kind == TERM_BARE || t->kind == TERM_OCCURRENCE ||
              t->kind == TERM_DELAY;
  for (size_t i = 0; i < t->count; i++)
    time = time && is_fixed(t->args[i]);
  return time;
}

/* Whether it is a sum of addends, written from left to right. */
static bool is_plain(const struct term *t) {
  for (; is_sum(t); t = t->args[0])
    if (!is_addend(t->args[1]))
      return false;
  return is_addend(t);
}

/* --- the table ----------------------------------------------------------------------------------
 */

/* The sum that adds `last` to the one before; it is made where there is none. */
static size_t extend(struct long_times *times, size_t before, const struct term *last) {
  size_t number = times->sums.data[before].longer;
  while (number != LONG_TIME_NONE && !term_is_same(times->sums.data[number].last, last))
    number = times->sums.data[number].other;
  if (number != LONG_TIME_NONE)
    return number;
  struct long_time *from = &times->sums.data[before];
  struct long_time made = {
      .last = last, .before = before, .count = from->count + 1, .other = from->longer};
  from->longer = times->sums.count;
  vector_push(&times->sums, made);
  return times->sums.count - 1;
}

static size_t add_sum(struct long_times *times, const struct term *sum) {
  VECTOR(const struct term *) terms = {0};
  for (; is_sum(sum); sum = sum->args[0])
    vector_push(&terms, sum->args[1]);
  size_t number = extend(times, LONG_TIME_NONE, sum);
  while (terms.count != 0)
    number = extend(times, number, terms.data[--terms.count]);
  vector_clear(&terms);
  return number;
}

static bool has_constant(const struct long_times *times, size_t number) {
  return times->sums.data[number].whole && times->sums.data[number].count >= LONG_TIME_TERMS;
}

void long_times_add(struct long_times *times, const struct term *formula) {
  if (is_sum(formula) && is_plain(formula)) {
    size_t number = add_sum(times, formula);
    times->sums.data[number].whole = true;
    if (has_constant(times, number))
      vector_push(&times->places, (struct long_time_place){formula, number});
    return;
  }
  for (size_t i = 0; i < formula->count; i++)
    long_times_add(times, formula->args[i]);
}

static int by_address(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const struct long_time_place *)a)->term;
  uintptr_t y = (uintptr_t)((const struct long_time_place *)b)->term;
  return (x > y) - (x < y);
}

void long_times_finish(struct long_times *times) {
  if (times->places.count != 0)
    qsort(times->places.data, times->places.count, sizeof *times->places.data, by_address);
}

size_t long_times_number(const struct long_times *times, const struct term *term) {
  if (times == NULL || times->places.count == 0)
    return LONG_TIME_NONE;
  struct long_time_place wanted = {.term = term};
  const struct long_time_place *found = bsearch(&wanted, times->places.data, times->places.count,
                                                sizeof *times->places.data, by_address);
  return found == NULL ? LONG_TIME_NONE : found->number;
}

size_t long_times_before(const struct long_times *times, size_t number) {
  do
    number = times->sums.data[number].before;
  while (number != LONG_TIME_NONE && !has_constant(times, number));
  return number;
}

/* --- constants ----------------------------------------------------------------------------------
 */

smt_term encode_long_time(struct encoder *e, size_t number) {
  const struct long_times *times = e->long_times;
  if (e->constants == NULL)
    e->constants = arena_alloc(&e->arena, times->sums.count, sizeof *e->constants);
  if (e->constants[number] != NULL)
    return e->constants[number];
  size_t before = long_times_before(times, number), count = 0;
  smt_term *terms = arena_alloc(&e->arena, times->sums.data[number].count + 1, sizeof *terms);
  for (size_t i = number; i != before; i = times->sums.data[i].before)
    terms[count++] = encode(e, times->sums.data[i].last, NULL);
  smt_term sum = before != LONG_TIME_NONE ? encode_long_time(e, before) : terms[--count];
  while (count != 0)
    sum = smt_add(e->smt, sum, terms[--count]);
  struct text name;
  text_init(&name);
  text_format(&name, "long.%zu", number);
  smt_function constant = smt_declare(e->smt, name.data, NULL, 0, smt_sort_real(e->smt));
  text_clear(&name);
  e->constants[number] = smt_apply(e->smt, constant, NULL, 0);
  vector_push(&e->defined, number);
  encoder_assume(e, FACT_DEFINITION, smt_equal(e->smt, e->constants[number], sum));
  return e->constants[number];
}
