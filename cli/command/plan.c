/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/question/percentiles/estimate.h"
#include "base/duration.h"
#include "cli/present/column.h"
#include "cli/present/json.h"
#include "cli/question/percentiles/percentile_list.h"
#include "dist/statistics/plan.h"
#include "cli/present/ledger.h"

struct planning {
  const struct options *options;
  struct calculation calculation;
  wanted_list wanted;       /* the percentile */
  struct estimate estimate; /* with the samples there are */
  struct sampling_plan plan;
  struct plan_component *components;
  VECTOR(size_t) entries; /* by component: of the laws; of a table its first column */
};

static enum status complain(const char *option, const char *value, const char *remedy) {
  fprintf(stderr, "tailproof plan: --%s %s: %s\n", option, value, remedy);
  return STATUS_USAGE;
}

/* The percentile with these numbers of observations of the components. */
static enum status predict(void *context, struct plan_result *result, const uint64_t *samples,
                           struct text *message) {
  (void)message;
  struct planning *p = context;
  struct laws *laws = &p->calculation.laws;
  uint64_t *by_entry = mem_alloc(laws->entries.count, sizeof *by_entry);
  for (size_t i = 0; i < p->entries.count; i++) {
    size_t entry = p->entries.data[i], table = laws->entries.data[entry]->table;
    by_entry[entry] = samples[i];
    for (size_t k = 0; k < laws->entries.count && table != TABLE_NONE; k++)
      if (laws->entries.data[k]->table == table)
        by_entry[k] = samples[i];
  }
  struct predicted predicted;
  enum status status = estimate_predict(&predicted, &p->estimate, &p->calculation,
                                        &p->wanted.data[0].share, by_entry);
  mem_free(by_entry);
  *result = (struct plan_result){.value_ns = predicted.finite ? predicted.ns : PLAN_INFINITE,
                                 .unseen = predicted.unseen};
  return status;
}

/* "200/s" or "200": the time of one observation. */
static bool read_rate(uint64_t *cost_ns, const char *text) {
  size_t length = strlen(text);
  if (length > 2 && strcmp(text + length - 2, "/s") == 0)
    length -= 2;
  char *number = mem_copy_text(text, length);
  struct rational rate, second;
  int64_t ns = 0;
  rational_init(&rate);
  rational_init(&second);
  rational_set_integer(&second, 1000000000);
  bool good = rational_parse(&rate, number) && rational_sign(&rate) > 0;
  if (good) {
    rational_div(&rate, &second, &rate);
    good = rational_ceil(&ns, &rate);
  }
  *cost_ns = (uint64_t)ns;
  rational_clear(&rate);
  rational_clear(&second);
  mem_free(number);
  return good;
}

/* A table is called joint. */
static bool is_called(const struct law_entry *entry, const char *name) {
  if (entry->table != TABLE_NONE)
    return strcmp(name, "joint") == 0;
  return strcmp(entry->name, name) == 0 || strcmp(entry->component, name) == 0;
}

static enum status read_rates(struct planning *p) {
  const settings *rates = &p->options->rates;
  for (size_t i = 0; i < rates->count; i++) {
    uint64_t cost_ns = 0;
    if (!read_rate(&cost_ns, rates->data[i].value))
      return complain("rate", rates->data[i].value, "give observations a second, d=200/s");
    bool found = false;
    for (size_t c = 0; c < p->entries.count; c++)
      if (is_called(p->calculation.laws.entries.data[p->entries.data[c]], rates->data[i].name)) {
        p->components[c].cost_ns = cost_ns;
        found = true;
      }
    if (!found)
      return complain("rate", rates->data[i].name, "no measured component is called so");
  }
  return STATUS_OK;
}

static enum status read_numbers(struct planning *p, uint64_t *least) {
  const struct options *options = p->options;
  struct rational value;
  rational_init(&value);
  int64_t ns = 0;
  enum status status = STATUS_OK;
  if (options->budget == NULL)
    status = complain("budget", "is missing", "give the time there is for measuring (600s)");
  else if (!duration_parse(&value, options->budget) || rational_sign(&value) <= 0 ||
           !rational_floor(&ns, &value))
    status = complain("budget", options->budget,
                      "give the time there is for measuring, with its unit (600s)");
  p->plan.budget_ns = (uint64_t)ns;
  if (status == STATUS_OK && options->factor != NULL) {
    char *end;
    p->plan.factor = strtod(options->factor, &end);
    if (strspn(options->factor, "0123456789.") != strlen(options->factor) || *end != '\0' ||
        !(p->plan.factor > 1) || p->plan.factor > 1e9)
      status = complain("factor", options->factor, "give a number above 1");
  }
  if (status == STATUS_OK && options->minimum != NULL) {
    if (!rational_parse(&value, options->minimum) || !rational_is_integer(&value) ||
        rational_sign(&value) <= 0 || !rational_floor(&ns, &value))
      status = complain("minimum", options->minimum, "give a whole number of samples");
    *least = (uint64_t)ns;
  }
  rational_clear(&value);
  return status;
}

static enum status read_command_line(struct planning *p, uint64_t *least) {
  const struct options *options = p->options;
  enum status status = need_files(options, "plan", 1, 1);
  if (status == STATUS_OK && options->data == NULL && options->joint.count == 0) {
    fprintf(stderr,
            "tailproof plan: name the folder of measurements with --data DIR, or a table of "
            "them with --joint FILE\n");
    status = STATUS_USAGE;
  }
  if (status == STATUS_OK && rational_sign(&options->confidence) == 0)
    status = complain("confidence", "0",
                      "more samples change nothing when they are the whole "
                      "truth; give a level such as 0.99");
  if (status == STATUS_OK && strchr(options->percentiles, ',') != NULL) {
    fprintf(stderr, "tailproof plan: name the one percentile to plan for, -p 99.9\n");
    status = STATUS_USAGE;
  }
  if (status == STATUS_OK)
    status = wanted_read(&p->wanted, "plan", options->percentiles);
  return status == STATUS_OK ? read_numbers(p, least) : status;
}

/* All columns of a table are measured at once. */
static bool is_first(const struct laws *laws, size_t entry) {
  size_t table = laws->entries.data[entry]->table;
  for (size_t i = 0; i < entry && table != TABLE_NONE; i++)
    if (laws->entries.data[i]->table == table)
      return false;
  return true;
}

static void add_components(struct planning *p, uint64_t least) {
  const struct laws *laws = &p->calculation.laws;
  uint64_t *per_row = p->estimate.by_draws ? draws_per_row(laws, p->calculation.expression) : NULL;
  for (size_t i = 0; i < p->entries.count; i++) {
    size_t index = p->entries.data[i];
    const struct law_entry *entry = laws->entries.data[index];
    p->components[i] = (struct plan_component){
        .name = entry->table == TABLE_NONE ? entry->name : laws->tables.data[entry->table]->path,
        .samples = entry->sample.real,
        .least = least,
        .cost_ns = 1000000000,
        .per_row = per_row == NULL ? 0 : per_row[index]};
  }
  mem_free(per_row);
}

static enum status make(struct planning *p, uint64_t least) {
  struct laws *laws = &p->calculation.laws;
  for (size_t i = 0; i < laws->entries.count; i++)
    if (laws->entries.data[i]->compose == NULL && is_first(laws, i))
      vector_push(&p->entries, i);
  if (p->entries.count == 0) {
    fprintf(stderr, "tailproof plan: the bound has no measured component\n");
    return STATUS_USAGE;
  }
  p->components = mem_alloc(p->entries.count, sizeof *p->components);
  add_components(p, least);
  enum status status = read_rates(p);
  if (status != STATUS_OK)
    return status;
  p->plan.components = p->components;
  p->plan.count = p->entries.count;
  p->plan.predict = predict;
  p->plan.context = p;
  struct text message;
  text_init(&message);
  status = plan_make(&p->plan, &message);
  if (message.length != 0)
    fprintf(stderr, "tailproof plan: %s\n", message.data);
  text_clear(&message);
  return status;
}

static void append_value(struct text *text, uint64_t ns) {
  if (ns == PLAN_INFINITE)
    text_append(text, "infinite");
  else
    duration_print_upper(text, ns);
}

static void print_component(const struct plan_component *c, int width) {
  printf("  %-*s %14" PRIu64 " %14" PRIu64 " %9.2f %14.3f s\n", width, c->name, c->samples, c->then,
         (double)c->then / (double)c->samples, (double)c->spent_ns / 1e9);
}

/* What was predicted reads the tail of the samples there are, which is known no better than this.
 */
static void print_spread(const struct planning *p) {
  struct interval spread;
  if (p->plan.then.value_ns == PLAN_INFINITE ||
      !estimate_spread(&spread, &p->estimate, &p->calculation, p->plan.then.value_ns))
    return;
  struct text least, most;
  text_init(&least);
  text_init(&most);
  duration_print_lower(&least, spread.lower_ns);
  append_value(&most, spread.upper_finite ? spread.upper_ns : PLAN_INFINITE);
  printf("  As far as the present samples know their tail, it will be between %s and %s.\n",
         least.data, most.data);
  text_clear(&least);
  text_clear(&most);
}

static void print_text(const struct planning *p) {
  const struct sampling_plan *plan = &p->plan;
  struct text now, then, limit;
  text_init(&now);
  text_init(&then);
  text_init(&limit);
  append_value(&now, plan->now.value_ns);
  append_value(&then, plan->then.value_ns);
  append_value(&limit, plan->limit.value_ns);
  printf("\n  p%s at most: now %s; then, predicted, %s; with samples without end %s\n\n",
         p->wanted.data[0].text, now.data, then.data, limit.data);
  int width = 16;
  for (size_t i = 0; i < plan->count; i++)
    column_fit(&width, plan->components[i].name);
  printf("  %-*s %14s %14s %9s %16s\n", width, "", "samples now", "then", "times", "more time");
  for (size_t i = 0; i < plan->count; i++)
    print_component(&plan->components[i], width);
  printf("\n  In all %.3f s of %s.\n", (double)plan->spent_ns / 1e9, p->options->budget);
  if (!plan->reached && plan->needed_ns != 0)
    printf("  NOT REACHED in that time; %.0f s would do.\n", (double)plan->needed_ns / 1e9);
  else if (!plan->reached)
    printf("  NOT REACHED, and not by more samples of these components.\n");
  printf("  A prediction: it takes further samples to look like those there are.\n");
  print_spread(p);
  text_clear(&now);
  text_clear(&then);
  text_clear(&limit);
}

static void add_number(struct jsonl *line, const char *key, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, value);
  jsonl_text(line, key, value == PLAN_INFINITE ? "infinite" : digits);
}

static void print_json(const struct planning *p) {
  const struct sampling_plan *plan = &p->plan;
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_component *c = &plan->components[i];
    struct jsonl *line = jsonl_new("planned");
    jsonl_text(line, "component", c->name);
    add_number(line, "samples", c->samples);
    add_number(line, "then", c->then);
    jsonl_seconds(line, "seconds", (double)c->spent_ns / 1e9);
    jsonl_print(line);
  }
  struct jsonl *line = jsonl_new("plan");
  jsonl_text(line, "bound", p->calculation.bound->name);
  jsonl_text(line, "p", p->wanted.data[0].text);
  add_number(line, "now_ns", plan->now.value_ns);
  add_number(line, "then_ns", plan->then.value_ns);
  struct interval spread;
  if (plan->then.value_ns != PLAN_INFINITE &&
      estimate_spread(&spread, &p->estimate, &p->calculation, plan->then.value_ns)) {
    add_number(line, "then_least_ns", spread.lower_ns);
    add_number(line, "then_most_ns", spread.upper_finite ? spread.upper_ns : PLAN_INFINITE);
  }
  add_number(line, "limit_ns", plan->limit.value_ns);
  jsonl_flag(line, "reached", plan->reached);
  jsonl_seconds(line, "seconds", (double)plan->spent_ns / 1e9);
  if (plan->needed_ns != 0)
    jsonl_seconds(line, "needed_seconds", (double)plan->needed_ns / 1e9);
  jsonl_print(line);
}

static void clear(struct planning *p) {
  mem_free(p->components);
  vector_clear(&p->entries);
  estimate_clear(&p->estimate);
  calculation_clear(&p->calculation);
  wanted_clear(&p->wanted);
}

enum status command_plan(const struct options *options) {
  struct planning p = {.options = options};
  uint64_t least = 0;
  enum status status = read_command_line(&p, &least);
  if (status == STATUS_OK)
    status = calculation_init(&p.calculation, options);
  if (status == STATUS_OK) {
    laws_warn(&p.calculation.laws, NULL, &p.calculation.ledger);
    status = estimate_make(&p.estimate, &p.calculation, DEPENDENCE_INDEPENDENT);
  }
  if (status == STATUS_OK)
    status = make(&p, least);
  if (status == STATUS_OK)
    status = calculation_prove(&p.calculation);
  if (status == STATUS_OK) {
    (options->json ? print_json : print_text)(&p);
    (options->json ? ledger_print_json : ledger_print_text)(&p.calculation.ledger);
    status = p.plan.reached ? STATUS_OK : STATUS_UNKNOWN;
  }
  clear(&p);
  return status;
}
