/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/budget/costs.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/question/budget/parts.h"
#include "dist/budget/cost.h"

enum { BYTES_MOST = 1 << 20, COLUMNS = 4, STEPS = 2000000 };

typedef VECTOR(struct cost_option) option_list;

struct cost_table {
  struct budget *b;
  option_list *options; /* by part */
  size_t line;
};

static enum status fail_at(const struct cost_table *t, const char *what) {
  return asker_fail(t->b->request->of.asker, STATUS_DATA, "%s:%zu: %s", t->b->request->costs,
                    t->line, what);
}

static enum status add_row(struct cost_table *t, char *const *cells) {
  struct budget *b = t->b;
  size_t part = 0;
  while (part < b->parts.count && strcmp(b->parts.data[part].name, cells[0]) != 0)
    part++;
  if (part == b->parts.count)
    return fail_at(t, "no part of the bound is called so");
  if (b->parts.data[part].is_fixed)
    return fail_at(t, "this part's promise is fixed (--fix); leave out one of the two");
  struct cost_option option;
  struct text slo;
  text_init(&slo);
  text_format(&slo, "p%s<=%s", cells[1], cells[2]);
  const struct asker nobody = {0};
  bool good = promise_read(&option.promise, text_get(&slo), &nobody) == STATUS_OK;
  text_clear(&slo);
  if (!good)
    return fail_at(t, "give a percentile and a time with its unit, Pay,99.9,20ms,120");
  if (!number_real(&option.cost, cells[3]) || !(option.cost >= 0) || option.cost > 1e15)
    return fail_at(t, "give a cost, a number of 0 or more");
  vector_push(&t->options[part], option);
  return STATUS_OK;
}

static enum status read_line(struct cost_table *t, char *line) {
  char *cells[COLUMNS];
  size_t count = 0;
  if (line[0] == '\0' || line[0] == '#')
    return STATUS_OK;
  for (char *at = line; at != NULL && count < COLUMNS; count++) {
    cells[count] = at;
    at = strchr(at, ',');
    if (at != NULL)
      *at++ = '\0';
    if (at != NULL && count + 1 == COLUMNS)
      return fail_at(t, "there are more than four columns: part,percentile,limit,cost");
  }
  if (count < COLUMNS)
    return fail_at(t, "there are fewer than four columns: part,percentile,limit,cost");
  if (strcmp(cells[0], "part") == 0 && strcmp(cells[3], "cost") == 0)
    return STATUS_OK;
  return add_row(t, cells);
}

static enum status read_table(struct cost_table *t) {
  const struct budget_request *request = t->b->request;
  char *bytes = NULL;
  size_t length = 0;
  struct text message;
  text_init(&message);
  enum status status = file_read(request->costs, BYTES_MOST, &bytes, &length, &message);
  if (status != STATUS_OK)
    asker_fail(request->of.asker, status, "%s", text_get(&message));
  text_clear(&message);
  for (char *line = bytes; line != NULL && status == STATUS_OK;) {
    char *end = strchr(line, '\n');
    if (end != NULL)
      *end++ = '\0';
    line[strcspn(line, "\r")] = '\0';
    t->line++;
    status = read_line(t, line);
    line = end;
  }
  mem_free(bytes);
  return status;
}

/* Of a part that is not in the table. */
static void add_measured(const struct budget_part *part, option_list *options) {
  for (size_t i = 0; i < part->point_count; i++)
    vector_push(options,
                (struct cost_option){{(uint64_t)part->points[i].ns, part->points[i].miss}, 0});
}

static void take(struct budget *b, const struct cost_choice *choice, const option_list *options) {
  b->found = choice->found;
  b->cost = choice->cost;
  b->is_least_cost = choice->is_least;
  for (size_t g = 0; g < b->parts.count && choice->found; g++) {
    const struct cost_option *option = &options[g].data[choice->options[g]];
    b->parts.data[g].promise = option->promise;
    b->parts.data[g].cost = option->cost;
  }
}

static void search(struct budget *b, const struct budget_nodes *nodes, const option_list *options) {
  struct cost_part *parts = mem_alloc(b->parts.count + 1, sizeof *parts);
  for (size_t g = 0; g < b->parts.count; g++)
    parts[g] = (struct cost_part){options[g].data, options[g].count};
  const struct cost_request request = {.nodes = nodes,
                                       .parts = parts,
                                       .part_count = b->parts.count,
                                       .objective_ns = &b->slos.data[0].limit_ns,
                                       .strict = b->slos.data[0].strict,
                                       .chance = b->chance,
                                       .independent = b->request->independent,
                                       .steps = STEPS};
  struct cost_choice choice;
  cost_find(&choice, &request);
  take(b, &choice, options);
  cost_clear(&choice);
  mem_free(parts);
}

enum status costs_choose(struct budget *b, const struct budget_nodes *nodes) {
  struct cost_table table = {.b = b,
                             .options = mem_alloc(b->parts.count + 1, sizeof *table.options)};
  enum status status = read_table(&table);
  for (size_t g = 0; g < b->parts.count && status == STATUS_OK; g++)
    if (table.options[g].count == 0)
      add_measured(&b->parts.data[g], &table.options[g]);
  if (status == STATUS_OK)
    search(b, nodes, table.options);
  for (size_t g = 0; g < b->parts.count; g++)
    vector_clear(&table.options[g]);
  mem_free(table.options);
  return status;
}
