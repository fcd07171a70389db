/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What it costs to turn bounds into laws on the default grid: large and tangled expressions, each
 * in a process of its own, by elapsed time on up to two processors, processor time and peak memory.
 * The laws are made before the clock starts, and count in the memory.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "dist/evaluate/evaluate.h"

struct laws {
  size_t count;
  struct survival *survivals;
};

/* Lognormal bodies of different medians and widths with a Pareto tail: between 10 us and seconds.
 */
static void fill_law(struct survival *s, size_t seed) {
  double median = 1e5 * exp2((double)(seed * 37 % 64) / 16);
  double sigma = 0.3 + (double)(seed * 11 % 16) / 32;
  for (size_t k = 0; k < grid_count(&s->grid); k++) {
    double x = (double)grid_value_ns(&s->grid, k);
    double body = x == 0 ? 1 : 0.5 * erfc(log(x / median) / sigma / sqrt(2));
    double tail = x < 20 * median ? 1 : pow(x / median / 20, -2.5);
    double share = 0.999 * body + 0.001 * tail;
    share = share > 1 - 1e-5 ? 1 : share < 1e-5 ? 0 : share;
    s->tail[k] = (uint64_t)(share * (double)SURVIVAL_ONE);
  }
}

static void laws_init(struct laws *laws, size_t count) {
  laws->count = count;
  laws->survivals = mem_alloc(count, sizeof *laws->survivals);
  for (size_t i = 0; i < count; i++) {
    survival_init(&laws->survivals[i], &grid_default);
    fill_law(&laws->survivals[i], i);
  }
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* An occurrence's law is its second index. */
static enum status find(void *context, size_t *law, const struct survival **survival,
                        const struct occurrence *occurrence, const char *component,
                        struct text *message) {
  const struct laws *laws = context;
  (void)component;
  (void)message;
  *law = (size_t)occurrence->indices[1] % laws->count;
  *survival = &laws->survivals[*law];
  return STATUS_OK;
}

static const struct expression *term(struct expression_table *table, int64_t index, size_t law) {
  const int64_t indices[] = {index, (int64_t)law};
  return expression_term(table, expression_occurrence(table, "X", NULL, indices, 2));
}

static const struct expression *combine(struct expression_table *table, enum expression_kind kind,
                                        const struct expression *a, const struct expression *b) {
  const struct expression *parts[] = {a, b};
  return expression_combine(table, kind, parts, 2, 1);
}

static uint64_t draw(uint64_t *state, uint64_t limit) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (*state >> 33) % limit;
}

/* `tasks` tasks, each after one of the few before it, `joins` of them after two or three. */
static const struct expression *task_graph(struct expression_table *table, size_t tasks,
                                           size_t joins) {
  const struct expression **end = mem_alloc(tasks, sizeof *end);
  bool *is_followed = mem_alloc(tasks, sizeof *is_followed);
  uint64_t state = 5;
  for (size_t i = 0; i < tasks; i++) {
    const struct expression *before[3];
    size_t count =
        i == 0 ? 0 : 1 + (i > 2 && draw(&state, tasks) < joins ? 1 + draw(&state, 2) : 0);
    for (size_t j = 0; j < count; j++) {
      size_t at = i - 1 - draw(&state, i < 8 ? i : 8);
      before[j] = end[at];
      is_followed[at] = true;
    }
    end[i] = term(table, (int64_t)i, i);
    if (count > 0)
      end[i] = combine(table, EXPRESSION_ADD,
                       expression_combine(table, EXPRESSION_MAX, before, count, 0), end[i]);
  }
  size_t last = 0;
  for (size_t i = 0; i < tasks; i++)
    if (!is_followed[i])
      end[last++] = end[i];
  const struct expression *all = expression_combine(table, EXPRESSION_MAX, end, last, 0);
  mem_free(end);
  mem_free(is_followed);
  return all;
}

/* Everything after `before`, which thus comes in on every path. */
static const struct expression *series_parallel(struct expression_table *table, size_t nodes,
                                                size_t *next, const struct expression *before,
                                                uint64_t *state) {
  if (nodes <= 1) {
    size_t i = (*next)++;
    return combine(table, EXPRESSION_ADD, before, term(table, (int64_t)i, i));
  }
  size_t first = 1 + draw(state, nodes - 1);
  bool is_series = draw(state, 2) == 0;
  const struct expression *a = series_parallel(table, first, next, before, state);
  const struct expression *b =
      series_parallel(table, nodes - first, next, is_series ? a : before, state);
  return is_series ? b : combine(table, EXPRESSION_MAX, a, b);
}

static const struct expression *series_parallel_graph(struct expression_table *table,
                                                      size_t nodes) {
  uint64_t state = 7;
  size_t next = 1;
  return series_parallel(table, nodes, &next, term(table, 0, 0), &state);
}

/* Requests to n backups and back, of one law or each of its own. */
static const struct expression *primary_backup(struct expression_table *table, size_t n,
                                               bool alike) {
  const struct expression **parts = mem_alloc(n, sizeof *parts);
  for (size_t i = 0; i < n; i++) {
    const struct expression *path[] = {term(table, 1, 0),
                                       term(table, (int64_t)(5 * i + 2), 1),
                                       term(table, (int64_t)(5 * i + 3), 2),
                                       term(table, (int64_t)(5 * i + 4), alike ? 3 : 3 + i),
                                       term(table, (int64_t)(5 * i + 5), 2),
                                       term(table, (int64_t)(5 * i + 6), 1)};
    parts[i] = expression_combine(table, EXPRESSION_ADD, path, 6, 0);
  }
  const struct expression *all = expression_combine(table, EXPRESSION_MAX, parts, n, 0);
  mem_free(parts);
  return all;
}

static const struct expression *quorum(struct expression_table *table, size_t rank, size_t n) {
  const struct expression **parts = mem_alloc(n, sizeof *parts);
  for (size_t i = 0; i < n; i++)
    parts[i] = term(table, (int64_t)i, i);
  const struct expression *all = expression_combine(table, EXPRESSION_KTH, parts, n, (int64_t)rank);
  mem_free(parts);
  return all;
}

enum { TASKS, TASKS_SHARED, SERIES_PARALLEL, BACKUPS, BACKUPS_DIFFERENT, QUORUM, MANY, CASES };

static const struct {
  const char *name, *target;
  size_t laws;
} cases[CASES] = {
    {"182 tasks with 62 joins, as many laws", "< 200 ms", 182},
    {"  of which 30 laws are different", "< 200 ms", 30},
    {"series-parallel graph of 200 nodes, as many laws", "< 1 s, < 500 MB", 200},
    {"primary/backup, 1000 backups", "< 1 s, < 500 MB", 4},
    {"  each with a law of its own", "reported", 1003},
    {"50 of 99, all of different laws", "< 1 s, < 500 MB", 99},
    {"primary/backup, 20 000 backups (100 001 occurrences)", "reported", 4},
};

static const struct expression *expression_of(struct expression_table *table, int which) {
  switch (which) {
  case TASKS:
  case TASKS_SHARED:
    return task_graph(table, 182, 62);
  case SERIES_PARALLEL:
    return series_parallel_graph(table, 200);
  case BACKUPS:
    return primary_backup(table, 1000, true);
  case BACKUPS_DIFFERENT:
    return primary_backup(table, 1000, false);
  case QUORUM:
    return quorum(table, 50, 99);
  default:
    return primary_backup(table, 20000, true);
  }
}

static void run(int which) {
  struct laws laws;
  struct expression_table table;
  struct ledger ledger;
  struct text message;
  struct survival result;
  laws_init(&laws, cases[which].laws);
  expression_table_init(&table);
  ledger_init(&ledger);
  text_init(&message);
  survival_init(&result, &grid_default);
  struct evaluate_laws source = {.find = find, .context = &laws, .jobs = parallel_processors()};
  const struct expression *expression = expression_of(&table, which);
  clock_t start = clock();
  double begin = seconds();
  enum status status = evaluate_survival(&result, expression, &source, false, &ledger, &message);
  double elapsed = 1e3 * (seconds() - begin);
  double ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  if (status != STATUS_OK)
    printf("%-58s %14s\n", cases[which].name, text_get(&message));
  else
    printf("%-58s %5.0f ms, %4ld MB   %s (%.0f ms of processor time)\n", cases[which].name, elapsed,
           usage.ru_maxrss / 1024, cases[which].target, ms);
  for (size_t i = 0; getenv("LEDGER") != NULL && i < ledger.count; i++)
    printf("    %s\n", ledger.lines[i].text);
}

int main(void) {
  for (int which = 0; which < CASES; which++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      run(which);
      return 0;
    }
    if (child > 0)
      waitpid(child, NULL, 0);
  }
  return 0;
}
