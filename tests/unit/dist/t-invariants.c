/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What breaks the invariant of a survival function or a form is found where it is used.
 */
#include "tests/unit/base/breaks.h"

#include "dist/evaluate/form.h"
#include "dist/evaluate/form_make.h"
#include "dist/survival/survival.h"

static const struct grid grid = {.shift = 0, .points = 8};

struct operation {
  struct survival z, x;
};

static void operation_init(struct operation *o) {
  survival_init(&o->z, &grid);
  survival_init(&o->x, &grid);
  for (size_t k = 0; k < 8; k++)
    o->x.tail[k] = SURVIVAL_ONE - k;
}

static void operation_clear(struct operation *o) {
  survival_clear(&o->z);
  survival_clear(&o->x);
}

static void set(void *context) {
  struct operation *o = context;
  survival_set(&o->z, &o->x);
}

static void quantile(void *context) {
  struct operation *o = context;
  uint64_t x_ns;
  survival_quantile(&x_ns, &o->x, 0);
}

static void dominates(void *context) {
  struct operation *o = context;
  survival_dominates(&o->x, &o->z);
}

static void survivals(void **state) {
  (void)state;
  struct operation o;
  operation_init(&o);
  invariant_costly_on = true;
  assert_true(survival_is_valid(&o.x));
  set(&o);
  quantile(&o);
  dominates(&o);
  o.x.tail[3] = o.x.tail[2] + 1; /* it grows */
  assert_false(survival_is_valid(&o.x));
  breaks(set, &o, "survival_is_valid(x)");
  breaks(quantile, &o, "survival_is_valid(s)");
  breaks(dominates, &o, "survival_is_valid(x)");
  o.x.tail[3] = o.x.tail[2];
  o.x.tail[0] = SURVIVAL_ONE + 1; /* more than certain */
  breaks(set, &o, "survival_is_valid(x)");
  operation_clear(&o);
}

struct forms {
  struct form_table table;
  struct expression_table ground;
  struct atom *atoms[2];
  struct rational minus;
};

static void forms_init(struct forms *f) {
  form_table_init(&f->table);
  expression_table_init(&f->ground);
  rational_init(&f->minus);
  rational_set_integer(&f->minus, -1);
  for (int64_t i = 0; i < 2; i++)
    f->atoms[i] =
        form_occurrence_atom(&f->table, expression_occurrence(&f->ground, "a", NULL, &i, 1));
}

static void forms_clear(struct forms *f) {
  rational_clear(&f->minus);
  form_table_clear(&f->table);
  expression_table_clear(&f->ground);
}

static void add_negative(void *context) {
  struct forms *f = context;
  struct addend addend = {&f->minus, f->atoms[0]};
  form_sum(&f->table, &f->table.zero, &addend, 1);
}

static void start_negative(void *context) {
  struct forms *f = context;
  form_sum(&f->table, &f->minus, NULL, 0);
}

static void rank_too_high(void *context) {
  struct forms *f = context;
  const struct form *parts[] = {form_single(&f->table, f->atoms[0]),
                                form_single(&f->table, f->atoms[1])};
  form_combined_atom(&f->table, ATOM_KTH, 2, parts, 2);
}

static void part_to_come(void *context) {
  struct forms *f = context;
  const struct form *parts[] = {form_single(&f->table, f->atoms[0]),
                                form_single(&f->table, f->atoms[1])};
  f->atoms[1]->id = 1000;
  form_combined_atom(&f->table, ATOM_MAX, 0, parts, 2);
}

static void forms(void **state) {
  (void)state;
  struct forms f;
  forms_init(&f);
  breaks(add_negative, &f, "form_is_valid(form)");
  breaks(start_negative, &f, "form_is_valid(form)");
  breaks(rank_too_high, &f, "atom_is_valid(atom)");
  breaks(part_to_come, &f, "atom_is_valid(atom)");
  struct addend both[] = {{&f.table.one, f.atoms[1]}, {&f.table.one, f.atoms[0]}};
  struct form sum = *form_sum(&f.table, &f.table.zero, both, 2);
  assert_true(form_is_valid(&sum));
  struct addend swapped[] = {sum.addends[1], sum.addends[0]};
  sum.addends = swapped;
  assert_false(form_is_valid(&sum));
  struct addend twice[] = {swapped[0], swapped[0]};
  sum.addends = twice;
  assert_false(form_is_valid(&sum));
  forms_clear(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(survivals),
      cmocka_unit_test(forms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
