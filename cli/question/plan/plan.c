/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/number.h"
#include "base/memory.h"
#include "dist/source/joint.h"

static enum status complain(const struct planning *p, const char *option, const char *value,
                            const char *remedy) {
  return asker_fail(p->request->of.asker, STATUS_USAGE, "--%s %s: %s", option, value, remedy);
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
  bool good = number_exact(&rate, number) && rational_sign(&rate) > 0;
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
  const settings *rates = &p->request->rates;
  for (size_t i = 0; i < rates->count; i++) {
    uint64_t cost_ns = 0;
    if (!read_rate(&cost_ns, rates->data[i].value))
      return complain(p, "rate", rates->data[i].value, "give observations a second, d=200/s");
    bool found = false;
    for (size_t c = 0; c < p->entries.count; c++)
      if (is_called(p->calculation.laws.entries.data[p->entries.data[c]], rates->data[i].name)) {
        p->components[c].cost_ns = cost_ns;
        found = true;
      }
    if (!found)
      return complain(p, "rate", rates->data[i].name, "no measured component is called so");
  }
  return STATUS_OK;
}

static enum status read_numbers(struct planning *p, uint64_t *least) {
  const struct plan_request *request = p->request;
  struct rational value;
  rational_init(&value);
  int64_t ns = 0;
  enum status status = STATUS_OK;
  if (request->budget == NULL)
    status = complain(p, "budget", "is missing", "give the time there is for measuring (600s)");
  else if (!duration_parse(&value, request->budget) || rational_sign(&value) <= 0 ||
           !rational_floor(&ns, &value))
    status = complain(p, "budget", request->budget,
                      "give the time there is for measuring, with its unit (600s)");
  p->plan.budget_ns = (uint64_t)ns;
  if (status == STATUS_OK && request->factor != NULL) {
    if (!number_real(&p->plan.factor, request->factor) || !(p->plan.factor > 1) ||
        p->plan.factor > 1e9)
      status = complain(p, "factor", request->factor, "give a number above 1");
  }
  if (status == STATUS_OK && request->minimum != NULL) {
    if (!number_whole(least, request->minimum, INT64_MAX) || *least == 0)
      status =
          complain(p, "minimum", request->minimum, "give a whole number of samples, 1 or more");
  }
  rational_clear(&value);
  return status;
}

static enum status read_request(struct planning *p, uint64_t *least) {
  const struct plan_request *request = p->request;
  enum status status = STATUS_OK;
  if (rational_sign(&request->of.confidence) == 0)
    status = complain(p, "confidence", "0",
                      "more samples change nothing when they are the whole "
                      "truth; give a level such as 0.99");
  if (status == STATUS_OK && strchr(request->percentile, ',') != NULL)
    status =
        asker_fail(request->of.asker, STATUS_USAGE, "name the one percentile to plan for, -p 99.9");
  if (status == STATUS_OK)
    status = wanted_read(&p->wanted, request->percentile, request->of.asker);
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
  if (p->entries.count == 0)
    return asker_fail(p->request->of.asker, STATUS_USAGE, "the bound has no measured component");
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
    asker_say(p->request->of.asker, SAYING_MISTAKE, "%s", message.data);
  text_clear(&message);
  return status;
}

/* What was predicted reads the tail of the samples there are, which is known no better than this.
 */
static void find_spread(struct planning *p) {
  p->has_spread = p->plan.then.value_ns != PLAN_INFINITE &&
                  estimate_spread(&p->spread, &p->estimate, &p->calculation, p->plan.then.value_ns);
}

enum status plan_ask(struct planning *p, const struct plan_request *request) {
  *p = (struct planning){.request = request};
  uint64_t least = 0;
  enum status status = read_request(p, &least);
  if (status == STATUS_OK) {
    status = calculation_init(&p->calculation, &request->of);
    p->has_calculation = true;
  }
  if (status == STATUS_OK) {
    laws_warn(&p->calculation.laws, NULL, &p->calculation.ledger);
    status = estimate_make(&p->estimate, &p->calculation, DEPENDENCE_INDEPENDENT);
  }
  if (status == STATUS_OK)
    status = make(p, least);
  if (status == STATUS_OK)
    status = calculation_prove(&p->calculation);
  p->found = status == STATUS_OK;
  if (p->found)
    find_spread(p);
  p->status = p->found && !p->plan.reached ? STATUS_UNKNOWN : status;
  return p->status;
}

void plan_clear_answer(struct planning *p) {
  mem_free(p->components);
  vector_clear(&p->entries);
  estimate_clear(&p->estimate);
  if (p->has_calculation)
    calculation_clear(&p->calculation);
  wanted_clear(&p->wanted);
}
