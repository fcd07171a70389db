/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/law/grid_choice.h"
#include "cli/question/law/laws.h"
#include "cli/question/law/request.h"

#include <math.h>
#include <string.h>

/* A linear grid has at most this many points: its sums take about as long as those of the
 * log-linear one. */
enum { STEPS_MAX = 1 << 17 };

struct tops {
  const struct laws *laws;
  struct rational *of_entry;
};

static const struct rational *bare_value(const char *component, void *context) {
  const struct tops *values = context;
  size_t index = laws_entry_of(values->laws, NULL, component);
  size_t count = values->laws->entries.count;
  return &values->of_entry[index < count ? index : count]; /* not drawn: evaluation will refuse */
}

/* The median, or the largest value, of a measured entry. */
static uint64_t value_of(const struct law_entry *entry, bool largest) {
  if (largest)
    return law_entry_largest(entry);
  struct rational half;
  rational_init(&half);
  rational_set_fraction(&half, 1, 2);
  uint64_t ns = law_entry_largest(entry);
  sample_quantile(&ns, &entry->sample, &half);
  rational_clear(&half);
  return ns;
}

/* The expression where every draw has this value, rounded up; UINT64_MAX: too large. */
static uint64_t evaluate_at(const struct laws *laws, const struct expression *expression,
                            bool largest) {
  struct tops values = {laws, mem_alloc(laws->entries.count + 1, sizeof *values.of_entry)};
  struct rational *terms = mem_alloc(laws->by_occurrence.count, sizeof *terms);
  for (size_t i = 0; i < laws->entries.count; i++) {
    rational_init(&values.of_entry[i]);
    uint64_t ns = value_of(laws->entries.data[i], largest);
    rational_set_integer(&values.of_entry[i], (int64_t)ns);
  }
  rational_init(&values.of_entry[laws->entries.count]);
  for (size_t i = 0; i < laws->by_occurrence.count; i++)
    terms[i] = values.of_entry[laws->by_occurrence.data[i]];
  struct rational result;
  rational_init(&result);
  expression_value(&result, expression, terms, bare_value, &values);
  int64_t ns = 0;
  bool fits = rational_ceil(&ns, &result);
  rational_clear(&result);
  for (size_t i = 0; i <= laws->entries.count; i++)
    rational_clear(&values.of_entry[i]);
  mem_free(values.of_entry);
  mem_free(terms);
  return fits ? (uint64_t)ns : UINT64_MAX;
}

/* Why no linear grid can be used, or NULL. */
static const char *obstacle(const struct laws *laws) {
  if (laws->request->tail != TAIL_INFINITE)
    return "a modelled tail has no end";
  for (size_t i = 0; i < laws->entries.count; i++)
    if (laws->entries.data[i]->compose != NULL)
      return "the end of a law written with --law is not known";
  return NULL;
}

/* Up to `largest` and what rounding adds, with the least step; false when it is beyond any grid. */
static bool linear_grid(struct grid *grid, uint64_t largest, uint64_t addends) {
  uint64_t roundings = 2 * addends + 64; /* constants and factors are rounded too */
  if (largest >= UINT64_C(1) << 60 || roundings > STEPS_MAX / 2)
    return false;
  unsigned shift = 0;
  while ((largest >> shift) + roundings > STEPS_MAX)
    shift++;
  *grid = (struct grid){.shift = shift, .points = (size_t)((largest >> shift) + roundings)};
  return grid_is_valid(grid);
}

/* Significant digits of a share in percent: two, or all before the point. */
static int digits(double share) {
  return share < 0.99 ? 2 : 3 + (int)ceil(log10(share));
}

static void add_line(const struct grid_choice *choice, struct ledger *ledger) {
  const char *kind = grid_is_linear(&choice->grid) ? "linear" : "logarithmic";
  struct text why;
  text_init(&why);
  if (choice->by_user)
    text_append(&why, "as --grid says");
  else if (choice->other < 0)
    text_append(&why, "the other kind is not possible here");
  else
    text_format(&why, "the other kind would be %.*g %%", digits(choice->other),
                100 * choice->other);
  ledger_add(ledger, LEDGER_DIST,
             "the grid is %s: rounding was predicted to add at most %.*g %%%s (%s)", kind,
             digits(choice->slack), 100 * choice->slack,
             grid_is_linear(&choice->grid) ? " at the median" : "", why.data);
  text_clear(&why);
}

/* The log-linear grid, as far as the largest value may be rounded up. */
static void choose_log(struct grid_choice *choice, uint64_t largest, bool end_is_known) {
  double reach = (double)largest * (1 + choice->slack) + 1;
  choice->grid = end_is_known && reach < 0x1p60 ? *grid_up_to((uint64_t)reach) : grid_long;
  choice->is_cut = grid_index_upper(&choice->grid, largest) == grid_count(&choice->grid);
}

bool grid_choose(struct grid_choice *choice, const struct laws *laws,
                 const struct expression *expression, struct ledger *ledger, struct text *message) {
  enum grid_wish wish = laws->request->grid;
  struct evaluate_cost cost = evaluate_cost(expression);
  double sub_count = (double)(UINT64_C(1) << grid_default.sub_bits);
  *choice = (struct grid_choice){
      .slack = expm1(cost.depth * log1p(1 / sub_count)), .by_user = wish != WISH_AUTO, .other = -1};
  const char *why_not = obstacle(laws);
  uint64_t largest = evaluate_at(laws, expression, true);
  choose_log(choice, largest, why_not == NULL);
  struct grid linear;
  if (why_not == NULL && !linear_grid(&linear, largest, cost.addends))
    why_not = "it would need too many points";
  if (why_not != NULL && wish == WISH_LINEAR) {
    text_format(message, "--grid linear is not possible: %s; leave it out", why_not);
    return false;
  }
  if (why_not == NULL) {
    double median = (double)evaluate_at(laws, expression, false);
    double step = (double)(UINT64_C(1) << linear.shift);
    double slack =
        (double)cost.addends * (linear.shift == 0 ? 0 : step) / (median < 1 ? 1 : median);
    bool take = wish == WISH_LINEAR || (wish == WISH_AUTO && slack < choice->slack);
    choice->other = take ? choice->slack : slack;
    if (take) {
      choice->grid = linear;
      choice->is_cut = false;
      choice->slack = slack;
    }
  }
  add_line(choice, ledger);
  return true;
}
