/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The evaluator on large bounds, generated: processor time and peak memory of each, measured in a
 * child process of its own. Every occurrence has one of a few hundred different lognormal laws, of
 * which one in 10^5 of the mass is infinite, as of a measured component.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "dist/evaluate/evaluate.h"

enum { LAWS = 256 };

struct bench {
  struct ground_table table;
  struct survival laws[LAWS];
  uint64_t random;
  size_t different; /* occurrence k has law k modulo this; 0: one law for each component */
};

/* SplitMix64 (Steele, Lea and Flood 2014). */
static size_t below(struct bench *b, size_t limit) {
  uint64_t x = b->random += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (size_t)((x ^ (x >> 31)) % limit);
}

/* Medians from 0.3 ms to 3 ms. */
static void fill_law(struct survival *s, size_t law) {
  double median = 3e5 * pow(10, (double)(law * 37 % LAWS) / LAWS);
  for (size_t k = 0; k < grid_count(&s->grid); k++) {
    double x = (double)grid_value_ns(&s->grid, k) + 1;
    double tail = fmax(1e-5, 0.5 * erfc(log(x / median) / (0.5 * sqrt(2))));
    s->tail[k] = (uint64_t)ceil(tail * (double)SURVIVAL_ONE);
  }
}

static enum status find(void *context, size_t *law, const struct survival **survival,
                        const struct occurrence *occurrence, const char *component,
                        struct text *message) {
  (void)component;
  (void)message;
  struct bench *b = context;
  *law = b->different == 0 ? (size_t)(unsigned char)occurrence->component[0]
                           : occurrence->id % b->different;
  *survival = &b->laws[*law];
  return STATUS_OK;
}

static const struct ground *term(struct bench *b, const char *name, size_t index) {
  int64_t indices[1] = {(int64_t)index};
  return ground_term(&b->table, ground_occurrence(&b->table, name, NULL, indices, 1));
}

static const struct ground *pair(struct bench *b, enum ground_kind kind, const struct ground *x,
                                 const struct ground *y) {
  const struct ground *parts[] = {x, y};
  return ground_combine(&b->table, kind, parts, 2, 0);
}

/* The primary's work, then for the slowest of 1000 backups a request, its work and an answer. */
static const struct ground *primary_backup(struct bench *b) {
  enum { BACKUPS = 1000 };
  const struct ground *parts[BACKUPS];
  for (size_t i = 0; i < BACKUPS; i++)
    parts[i] = pair(b, GROUND_ADD, term(b, "Request", i),
                    pair(b, GROUND_ADD, term(b, "Backup", i), term(b, "Answer", i)));
  const struct ground *slowest = ground_combine(&b->table, GROUND_MAX, parts, BACKUPS, 0);
  return pair(b, GROUND_ADD, term(b, "First", 0), pair(b, GROUND_ADD, slowest, term(b, "Last", 0)));
}

/* Random: one after the other, or side by side, down to single tasks. */
static const struct ground *series_parallel(struct bench *b, size_t first, size_t count) {
  if (count == 1)
    return term(b, "Task", first);
  size_t left = 1 + below(b, count - 1);
  enum ground_kind kind = below(b, 2) ? GROUND_ADD : GROUND_MAX;
  const struct ground *x = series_parallel(b, first, left);
  return pair(b, kind, x, series_parallel(b, first + left, count - left));
}

static const struct ground *two_hundred(struct bench *b) {
  return series_parallel(b, 0, 200);
}

static const struct ground *quorum(struct bench *b) {
  const struct ground *parts[99];
  for (size_t i = 0; i < 99; i++)
    parts[i] = term(b, "Node", i);
  return ground_combine(&b->table, GROUND_KTH, parts, 99, 50);
}

/* The size of the average graph of a web page in WebPerf (SIGCOMM 2016): 182 tasks, 62 of which
 * wait for two. Tasks wait for recent ones; the page is finished when all are. */
static const struct ground *web_page(struct bench *b) {
  enum { TASKS = 182, JOINS = 62, RECENT = 12 };
  const struct ground *finish[TASKS];
  bool is_waited_for[TASKS] = {false};
  for (size_t i = 0; i < TASKS; i++) {
    const struct ground *own = term(b, "Task", i);
    if (i == 0) {
      finish[i] = own;
      continue;
    }
    size_t recent = i < RECENT ? i : RECENT, one = i - 1 - below(b, recent);
    const struct ground *start = finish[one];
    is_waited_for[one] = true;
    if (i >= RECENT &&
        (i - RECENT) * JOINS / (TASKS - RECENT) != (i + 1 - RECENT) * JOINS / (TASKS - RECENT)) {
      size_t other = i - 1 - below(b, recent);
      is_waited_for[other] = true;
      start = pair(b, GROUND_MAX, start, finish[other]);
    }
    finish[i] = pair(b, GROUND_ADD, start, own);
  }
  const struct ground *last[TASKS];
  size_t count = 0;
  for (size_t i = 0; i < TASKS; i++)
    if (!is_waited_for[i])
      last[count++] = finish[i];
  return ground_combine(&b->table, GROUND_MAX, last, count, 0);
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* In the child: time goes to the pipe. */
static void measure(const struct ground *(*make)(struct bench *), size_t different, int out) {
  struct bench *b = mem_alloc(1, sizeof *b);
  b->different = different;
  ground_table_init(&b->table);
  for (size_t i = 0; i < LAWS; i++) {
    survival_init(&b->laws[i], &grid_default);
    fill_law(&b->laws[i], i);
  }
  const struct ground *expression = make(b);
  struct survival result;
  struct ledger ledger;
  struct text message;
  survival_init(&result, &grid_default);
  ledger_init(&ledger);
  text_init(&message);
  struct evaluate_laws laws = {.find = find, .context = b};
  double times[2] = {now_ms(), 0};
  enum status status = evaluate_survival(&result, expression, &laws, false, &ledger, &message);
  times[0] = now_ms() - times[0];
  uint64_t median = 0;
  if (status == STATUS_OK && survival_quantile(&median, &result, SURVIVAL_ONE / 2))
    times[1] = (double)median / 1e6;
  if (write(out, times, sizeof times) != (ssize_t)sizeof times)
    _exit(STATUS_INTERNAL);
  _exit(status);
}

static void row(const char *what, const char *target, const struct ground *(*make)(struct bench *),
                size_t different) {
  int ends[2];
  if (pipe(ends) != 0)
    bug("no pipe");
  pid_t child = fork();
  if (child == 0)
    measure(make, different, ends[1]);
  close(ends[1]);
  double times[2] = {0};
  int status;
  struct rusage usage;
  bool is_whole = read(ends[0], times, sizeof times) == (ssize_t)sizeof times;
  if (wait4(child, &status, 0, &usage) != child || status != 0 || !is_whole)
    printf("%-58s %14s   %s\n", what, "failed", target);
  else
    printf("%-58s %7.0f ms, %3ld MB   %s\n", what, times[0], usage.ru_maxrss / 1024, target);
  close(ends[0]);
}

int main(void) {
  row("a primary and 1000 backups", "< 1000 ms, < 500 MB", primary_backup, 0);
  row("  every one of them with one of 256 laws", "reported", primary_backup, LAWS);
  row("200 tasks, series-parallel, 200 laws", "< 1000 ms, < 500 MB", two_hundred, 200);
  row("50th of 99, 99 laws", "< 1000 ms, < 500 MB", quorum, 99);
  row("182 tasks, 62 joins, 182 laws", "< 200 ms (WebPerf: 5600)", web_page, 182);
  return 0;
}
