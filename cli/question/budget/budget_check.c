/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/budget/budget_check.h"

#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "cli/question/budget/parts.h"
#include "cli/question/verify/parameters.h"
#include "cli/question/verify/reuse.h"
#include "cli/question/verify/verify.h"
#include "dist/budget/confirm.h"
#include "lang/instantiate.h"
#include "lang/source.h"
#include "solver/verify.h"

struct checking {
  struct budget_check *c;
  struct expression_table table;
  const struct expression *expression;
  VECTOR(size_t) part_of;
};

static enum status instantiate(struct checking *k) {
  struct budget_check *c = k->c;
  const struct budget_check_request *request = c->request;
  const settings *set = request->set.count != 0 ? &request->set : &c->file.set;
  struct parameters values;
  struct text message;
  text_init(&message);
  enum status status = parameters_read(&values, c->protocol.model, set, request->asker);
  if (status == STATUS_OK) {
    status = parameters_need_times(&values, c->bound, &message);
    if (status == STATUS_OK)
      status = bound_instantiate_at(&k->expression, &k->table, c->protocol.model, c->bound, NULL,
                                    values.values, values.given, values.times, &message);
    if (status != STATUS_OK)
      asker_fail(request->asker, status, "%s", text_get(&message));
  }
  parameters_clear(&values);
  text_clear(&message);
  return status;
}

static enum status read(struct budget_check *c) {
  const struct budget_check_request *request = c->request;
  enum status status = budget_file_read(&c->file, request->path, request->asker);
  if (status == STATUS_OK && c->file.each)
    status = asker_fail(request->asker, STATUS_DATA,
                        "%s: its promises are of series of measurements (--each), which a protocol "
                        "does not know; check each with --component",
                        request->path);
  if (status == STATUS_OK)
    status = slo_read(&c->slos, c->file.objective, request->asker);
  if (status != STATUS_OK)
    return status;
  survival_tail_of(&c->chance, &c->slos.data[0].percentile.share);
  status = protocol_load(&c->protocol, request->protocol, request->asker);
  c->has_protocol = true;
  if (status != STATUS_OK)
    return status;
  char digest[DIGEST_LENGTH + 1];
  digest_bytes(digest, c->protocol.source->bytes, c->protocol.source->length);
  c->is_changed = strcmp(digest, c->file.digest) != 0;
  c->bound = protocol_bound(&c->protocol, c->file.bound, request->asker);
  return c->bound == NULL ? STATUS_USAGE : STATUS_OK;
}

/* --- parts ------------------------------------------------------------------------------------ */

static size_t part_called(struct budget_check *c, char *name) {
  for (size_t g = 0; g < c->parts.count; g++)
    if (strcmp(c->parts.data[g].name, name) == 0) {
      mem_free(name);
      return g;
    }
  vector_push(&c->parts, (struct checked_part){.name = name, .promise = {0, SURVIVAL_ONE}});
  return c->parts.count - 1;
}

/* The first is the one that the sum counts. */
static enum status read_promises(struct checked_part *part, const char *text,
                                 const struct asker *asker) {
  promise_list list = {0};
  enum status status = promises_read(&list, text, asker);
  part->promise = list.data[0];
  part->is_promised = true;
  for (size_t i = 1; i < list.count; i++)
    vector_push(&part->also, list.data[i]);
  vector_clear(&list);
  return status;
}

static enum status make_parts(struct checking *k) {
  struct budget_check *c = k->c;
  for (size_t i = 0; i < c->file.promises.count; i++) {
    const struct setting *of = &c->file.promises.data[i];
    size_t g = part_called(c, mem_copy_text(of->name, strlen(of->name)));
    const struct asker nobody = {0};
    if (read_promises(&c->parts.data[g], of->value, &nobody) != STATUS_OK)
      return asker_fail(c->request->asker, STATUS_DATA,
                        "%s: the promise of %s is none: \"%s\"; give p99.9<=5ms, and others behind "
                        "commas",
                        c->request->path, of->name, of->value);
  }
  for (size_t i = 0; i < k->table.occurrences.count; i++) {
    size_t g = part_called(c, part_name(k->table.occurrences.data[i], &c->file.groups));
    c->parts.data[g].occurrences++;
    vector_push(&k->part_of, g);
  }
  return STATUS_OK;
}

/* --- whether they suffice --------------------------------------------------------------------- */

static bool keeps(const struct slo *slo, const struct rational *value) {
  int order = rational_compare(value, &slo->limit_ns);
  return slo->strict ? order < 0 : order <= 0;
}

static void add_up(struct checking *k, const struct budget_nodes *nodes,
                   const struct promise *promises) {
  struct budget_check *c = k->c;
  struct spending spending;
  struct rational value;
  int64_t ns = INT64_MAX;
  uint64_t *misses = mem_alloc(c->parts.count + 1, sizeof *misses);
  for (size_t g = 0; g < c->parts.count; g++)
    misses[g] = promises[g].miss;
  rational_init(&value);
  spending_init(&spending, nodes, c->file.independent);
  spending_exact(&value, &spending, promises);
  c->within = keeps(&c->slos.data[0], &value);
  rational_ceil(&ns, &value);
  c->value_ns = (uint64_t)ns;
  c->spent = spending_total(&spending, misses);
  spending_clear(&spending);
  rational_clear(&value);
  mem_free(misses);
}

/* As the evaluators see it: of a file with many promises only those that the bound needs have laws. */
static enum status ask_evaluators(struct checking *k, struct text *message) {
  struct budget_check *c = k->c;
  size_t count = 0, *number = mem_alloc(c->parts.count + 1, sizeof *number);
  size_t *part_of = mem_alloc(k->part_of.count + 1, sizeof *part_of);
  struct promise *promises = mem_alloc(c->parts.count + 1, sizeof *promises);
  struct promise_points *also = mem_alloc(c->parts.count + 1, sizeof *also);
  for (size_t g = 0; g < c->parts.count; g++) {
    const struct checked_part *part = &c->parts.data[g];
    if (part->occurrences == 0)
      continue;
    promises[count] = part->promise;
    also[count] = (struct promise_points){part->also.data, part->also.count};
    number[g] = count++;
  }
  for (size_t i = 0; i < k->part_of.count; i++)
    part_of[i] = number[k->part_of.data[i]];
  const struct confirm_request request = {.expression = k->expression,
                                          .part_of = part_of,
                                          .promises = promises,
                                          .also = also,
                                          .part_count = count,
                                          .objective_ns = &c->slos.data[0].limit_ns,
                                          .strict = c->slos.data[0].strict,
                                          .independent = c->file.independent,
                                          .jobs = c->request->effort.jobs};
  enum status status = confirm(&c->confirmed, &request, message);
  mem_free(number);
  mem_free(part_of);
  mem_free(promises);
  mem_free(also);
  return status;
}

static enum status judge(struct checking *k) {
  struct budget_check *c = k->c;
  struct promise *promises = mem_alloc(c->parts.count + 1, sizeof *promises);
  for (size_t g = 0; g < c->parts.count; g++)
    promises[g] = c->parts.data[g].promise;
  struct budget_nodes nodes;
  struct text message;
  text_init(&message);
  enum status status = budget_nodes_make(&nodes, k->expression, k->table.occurrences.count,
                                         k->part_of.data, &message);
  if (status == STATUS_OK) {
    add_up(k, &nodes, promises);
    status = ask_evaluators(k, &message);
  }
  if (status != STATUS_OK)
    asker_fail(c->request->asker, status, "%s", text_get(&message));
  budget_nodes_clear(&nodes);
  text_clear(&message);
  mem_free(promises);
  return status;
}

static enum status prove(struct budget_check *c) {
  const struct budget_check_request *request = c->request;
  struct verify_options how = effort_options(&request->effort, request->asker);
  how.only = c->bound;
  c->proof = mem_alloc(1, sizeof *c->proof);
  reuse_or_verify(c->proof, c->protocol.model, c->protocol.source, &how, request->effort.reuse);
  verification_assumptions(c->proof, &c->ledger);
  enum status status = c->proof->bounds.count == 0
                           ? STATUS_UNKNOWN
                           : verdict_status(c->proof->bounds.data[0].verdict);
  return asker_stopped(request->asker) ? STATUS_INTERRUPTED : status;
}

enum status budget_check_ask(struct budget_check *c, const struct budget_check_request *request) {
  *c = (struct budget_check){.request = request};
  ledger_init(&c->ledger);
  struct checking k = {.c = c};
  expression_table_init(&k.table);
  enum status status = read(c);
  if (status == STATUS_OK)
    status = instantiate(&k);
  if (status == STATUS_OK)
    status = make_parts(&k);
  if (status == STATUS_OK)
    status = judge(&k);
  if (status == STATUS_OK)
    status = prove(c);
  c->found = status == STATUS_OK;
  bool suffices = (c->within && c->spent <= c->chance) || c->confirmed <= c->chance;
  c->status = c->found && !suffices ? STATUS_REFUTED : status;
  expression_table_clear(&k.table);
  vector_clear(&k.part_of);
  return c->status;
}

void budget_check_clear(struct budget_check *c) {
  for (size_t g = 0; g < c->parts.count; g++) {
    mem_free(c->parts.data[g].name);
    vector_clear(&c->parts.data[g].also);
  }
  vector_clear(&c->parts);
  slo_clear(&c->slos);
  if (c->proof != NULL)
    verification_clear(c->proof);
  mem_free(c->proof);
  ledger_clear(&c->ledger);
  if (c->has_protocol)
    protocol_clear(&c->protocol);
  budget_file_clear(&c->file);
}
