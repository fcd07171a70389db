/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/containment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { SWEEPS = 500 };

/* A share below this is taken for the load that all calls have in common. */
static const double SHARE_LEAST = 0.1;
/* How strongly it is presumed that a call is waited for, against the variance of the latency. */
static const double PRESUMED = 0.01;
/* The part of the rows that may contradict a share. */
static const double CONTRADICTING = 0.1;
/* A time is unusual that exceeds the mean of the rest by so many standard deviations; what a
 * caller's own time may vary by, in its own; and how many unusual ones say something. */
static const double UNUSUAL = 4, SLACK = 1.5;
enum { UNUSUAL_LEAST = 10 };
/* Rows that are enough to know what nine tenths of them allow. */
enum { LOOKED_AT = 2000 };

/* A sum of squares to be made small: (1/2) x' S x - c' x + (ridge/2) |x - 1|^2 in 0 <= x <= most.
 */
struct quadratic {
  size_t count;
  const double *matrix; /* S[i * stride + j] */
  size_t stride;
  const double *linear;
  const double *most;
  double ridge;
};

/* Coordinate descent, which for such a problem finds the least (Tseng 2001). */
static void minimize(double *x, const struct quadratic *q) {
  for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
    double moved = 0;
    for (size_t i = 0; i < q->count; i++) {
      double own = q->matrix[i * q->stride + i] + q->ridge;
      if (q->most[i] <= 0 || own <= 0)
        continue;
      double slope = q->linear[i] + q->ridge * (1 - x[i]);
      for (size_t j = 0; j < q->count; j++)
        slope -= q->matrix[i * q->stride + j] * x[j];
      double next = fmin(fmax(x[i] + slope / own, 0), q->most[i]);
      moved = fmax(moved, fabs(next - x[i]));
      x[i] = next;
    }
    if (moved < 1e-9)
      break;
  }
}

/* The columns of some requests. */
struct moments {
  size_t count, rows;
  double *mean, *covariance;
};

static bool is_in(const enum tail_side *sides, size_t row, bool rest, bool slow) {
  return (rest && sides[row] == TAIL_REST) || (slow && sides[row] == TAIL_SLOW);
}

static void moments_clear(struct moments *m) {
  mem_free(m->mean);
  mem_free(m->covariance);
}

static void add_products(struct moments *m, const double *row) {
  for (size_t i = 0; i < m->count; i++)
    for (size_t j = 0; j <= i; j++)
      m->covariance[i * m->count + j] += row[i] * row[j];
}

static void finish_products(struct moments *m) {
  for (size_t i = 0; i < m->count; i++)
    for (size_t j = 0; j <= i; j++) {
      double value = m->rows == 0 ? 0 : m->covariance[i * m->count + j] / (double)m->rows;
      m->covariance[i * m->count + j] = m->covariance[j * m->count + i] = value;
    }
}

/* Of `count` columns of doubles, by column, over the rows chosen. */
static struct moments moments_of(const double *const *columns, size_t count, size_t rows,
                                 const enum tail_side *sides, bool rest, bool slow) {
  struct moments m = {count, 0, mem_alloc(count, sizeof(double)),
                      mem_alloc(count * count, sizeof(double))};
  for (size_t r = 0; r < rows; r++)
    if (is_in(sides, r, rest, slow)) {
      m.rows++;
      for (size_t i = 0; i < count; i++)
        m.mean[i] += columns[i][r];
    }
  for (size_t i = 0; i < count && m.rows != 0; i++)
    m.mean[i] /= (double)m.rows;
  double *row = mem_alloc(count, sizeof *row);
  for (size_t r = 0; r < rows; r++)
    if (is_in(sides, r, rest, slow)) {
      for (size_t i = 0; i < count; i++)
        row[i] = columns[i][r] - m.mean[i];
      add_products(&m, row);
    }
  finish_products(&m);
  mem_free(row);
  return m;
}

/* What is known of the calls while shares are looked for. */
struct fitting {
  const struct call_table *table;
  const enum tail_side *sides;
  size_t count;
  const double **columns; /* of doubles: calls, by row */
  struct moments rest;
  double *shift;     /* by call: mean of the slow less mean of the rest */
  double resolution; /* the finest difference of two times that the table shows, in ns */
  double *ratios;    /* room for a number a row */
};

static int by_double(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The `part` quantile of the ratios; 1 when there are too few to say anything. */
static double low_ratio(const struct fitting *f, size_t count, size_t least) {
  if (count < least)
    return 1;
  qsort(f->ratios, count, sizeof *f->ratios, by_double);
  return f->ratios[(size_t)(CONTRADICTING * (double)(count - 1))];
}

static double spread_of(const struct fitting *f, size_t call) {
  return sqrt(f->rest.covariance[call * f->count + call]);
}

/* A caller takes no less than the share of its callee's time. */
static double fitting_in(const struct fitting *f, size_t caller, size_t callee) {
  const double *a = f->columns[caller], *b = f->columns[callee], half = f->resolution / 2;
  size_t stride = f->table->rows / LOOKED_AT + 1, count = 0;
  for (size_t r = 0; r < f->table->rows; r += stride)
    f->ratios[count++] = (a[r] + half) / fmax(b[r] - half, half);
  return low_ratio(f, count, 1);
}

/* Where a callee takes unusually long its caller is longer by the share of that, whoever the
 * request belongs to. */
static double following(const struct fitting *f, size_t caller, size_t callee) {
  const double *a = f->columns[caller], *b = f->columns[callee];
  double slack = SLACK * spread_of(f, caller) + f->resolution;
  double unusual = UNUSUAL * spread_of(f, callee) + f->resolution;
  size_t count = 0;
  for (size_t r = 0; r < f->table->rows; r++) {
    double excess = b[r] - f->rest.mean[callee];
    if (excess > unusual)
      f->ratios[count++] = (a[r] - f->rest.mean[caller] + slack) / excess;
  }
  return low_ratio(f, count, UNUSUAL_LEAST);
}

/* Who may contain whom: all that are said to; else the longer the shorter. */
static bool may_contain(const struct fitting *f, const call_pairs *pairs, size_t a, size_t b) {
  if (pairs == NULL)
    return a != b && f->rest.mean[b] < f->rest.mean[a] && f->rest.covariance[b * f->count + b] > 0;
  for (size_t i = 0; i < pairs->count; i++)
    if (pairs->data[i].caller == a && pairs->data[i].callee == b)
      return true;
  return false;
}

/* A caller does not become faster where its callees become slower. */
static void keep_own(double *shares, const struct fitting *f, size_t a) {
  double inside = 0, slower = 0, own = fmax(f->shift[a], 0);
  for (size_t b = 0; b < f->count; b++) {
    inside += shares[b] * f->shift[b];
    slower += shares[b] * fmax(f->shift[b], 0);
  }
  if (inside <= own || slower <= 0)
    return;
  double keep = fmax(0, 1 - (inside - own) / slower);
  for (size_t b = 0; b < f->count; b++)
    if (f->shift[b] > 0)
      shares[b] *= keep;
}

static void fit_shares(double *shares, const struct fitting *f, const call_pairs *pairs, size_t a,
                       double *most) {
  for (size_t b = 0; b < f->count; b++) {
    most[b] = 0;
    if (may_contain(f, pairs, a, b))
      most[b] = fmax(0, fmin(1, fmin(fitting_in(f, a, b), following(f, a, b))));
  }
  struct quadratic q = {
      f->count, f->rest.covariance, f->count, &f->rest.covariance[a * f->count], most, 0};
  minimize(shares, &q);
  for (size_t b = 0; b < f->count; b++)
    if (shares[b] < SHARE_LEAST)
      shares[b] = most[b] = 0;
  minimize(shares, &q);
  keep_own(shares, f, a);
}

static double own_time(const struct containment *c, const struct call_table *table, size_t call,
                       size_t row) {
  double own = (double)table->calls.data[call].ns[row];
  for (size_t b = 0; b < c->count; b++) {
    double share = c->shares[call * c->count + b];
    if (share > 0)
      own -= share * (double)table->calls.data[b].ns[row];
  }
  return own;
}

/* How much of each call's own time shows in the latency. */
static void fit_weights(struct containment *c, const struct call_table *table,
                        const enum tail_side *sides) {
  size_t n = c->count;
  const double **columns = mem_alloc(n + 1, sizeof *columns);
  double *cells = mem_alloc((n + 1) * table->rows, sizeof *cells),
         *most = mem_alloc(n, sizeof *most);
  for (size_t i = 0; i <= n; i++) {
    columns[i] = &cells[i * table->rows];
    for (size_t r = 0; r < table->rows; r++)
      cells[i * table->rows + r] = i == n ? (double)table->latency.ns[r] : own_time(c, table, i, r);
  }
  struct moments m = moments_of(columns, n + 1, table->rows, sides, true, true);
  for (size_t i = 0; i < n; i++)
    c->weight[i] = most[i] = 1;
  minimize(c->weight, &(struct quadratic){n, m.covariance, n + 1, &m.covariance[n * (n + 1)], most,
                                          PRESUMED * m.covariance[n * (n + 1) + n]});
  moments_clear(&m);
  mem_free(columns);
  mem_free(cells);
  mem_free(most);
}

/* The largest unit of which all times are whole multiples. */
static double resolution_of(const struct call_table *table) {
  int64_t unit = 1000000000;
  for (size_t i = 0; i < table->calls.count; i++)
    for (size_t r = 0; r < table->rows && unit > 1;)
      if (table->calls.data[i].ns[r] % unit == 0)
        r++;
      else
        unit /= 10;
  return (double)unit;
}

static void fitting_init(struct fitting *f, const struct call_table *table,
                         const enum tail_side *sides) {
  size_t n = table->calls.count;
  *f = (struct fitting){.table = table,
                        .sides = sides,
                        .count = n,
                        .columns = mem_alloc(n, sizeof *f->columns),
                        .shift = mem_alloc(n, sizeof(double)),
                        .resolution = resolution_of(table),
                        .ratios = mem_alloc(table->rows, sizeof(double))};
  for (size_t i = 0; i < n; i++) {
    double *cells = mem_alloc(table->rows, sizeof *cells);
    for (size_t r = 0; r < table->rows; r++)
      cells[r] = (double)table->calls.data[i].ns[r];
    f->columns[i] = cells;
  }
  f->rest = moments_of(f->columns, n, table->rows, sides, true, false);
  struct moments slow = moments_of(f->columns, n, table->rows, sides, false, true);
  for (size_t i = 0; i < n; i++)
    f->shift[i] = slow.mean[i] - f->rest.mean[i];
  moments_clear(&slow);
}

static void fitting_clear(struct fitting *f) {
  for (size_t i = 0; i < f->count; i++)
    mem_free((double *)f->columns[i]);
  moments_clear(&f->rest);
  mem_free(f->columns);
  mem_free(f->shift);
  mem_free(f->ratios);
}

void containment_find(struct containment *c, const struct call_table *table,
                      const enum tail_side *sides, const call_pairs *pairs) {
  size_t n = table->calls.count;
  *c = (struct containment){n, mem_alloc(n * n, sizeof(double)), mem_alloc(n, sizeof(double))};
  struct fitting f;
  fitting_init(&f, table, sides);
  double *most = mem_alloc(n, sizeof *most);
  for (size_t a = 0; a < n; a++)
    fit_shares(&c->shares[a * n], &f, pairs, a, most);
  mem_free(most);
  fitting_clear(&f);
  fit_weights(c, table, sides);
}

void containment_clear(struct containment *c) {
  mem_free(c->shares);
  mem_free(c->weight);
  *c = (struct containment){0};
}

void containment_causes(struct tail_causes *causes, const struct call_table *table,
                        const struct containment *c, const enum tail_side *sides) {
  tail_causes_init(causes, table->rows);
  int64_t *left = mem_alloc(table->rows, sizeof *left);
  for (size_t r = 0; r < table->rows; r++)
    left[r] = causes->latency[r] = table->latency.ns[r];
  for (size_t i = 0; i < c->count; i++) {
    struct tail_cause *cause = tail_causes_add(causes, table->calls.data[i].name, CAUSE_WORK);
    for (size_t r = 0; r < table->rows; r++) {
      cause->parts[r] = llround(c->weight[i] * own_time(c, table, i, r));
      left[r] -= cause->parts[r];
    }
  }
  struct tail_cause *other = tail_causes_add(causes, "in none of these calls", CAUSE_OTHER);
  memcpy(other->parts, left, table->rows * sizeof *left);
  mem_free(left);
  tail_causes_settle(causes, sides);
}

static enum status add_pair(call_pairs *pairs, const char *path, size_t line, struct slice text,
                            const struct call_table *table, const struct asker *asker) {
  struct slice name, rest = text;
  size_t found[2] = {SIZE_MAX, SIZE_MAX};
  for (size_t i = 0; i < 2; i++) {
    if (!slice_field(&name, &rest, ';'))
      return asker_fail(asker, STATUS_DATA, "%s:%zu: write a caller and a callee: cart_get;db_read",
                        path, line);
    found[i] = call_table_find_call(table, name);
    if (found[i] == SIZE_MAX && !(i == 0 && slice_is(name, table->latency.name)))
      return asker_fail(asker, STATUS_DATA,
                        "%s:%zu: \"%.*s\" is no column of calls; write it as the table does", path,
                        line, (int)(name.length > 64 ? 64 : name.length), name.start);
  }
  if (found[0] != SIZE_MAX)
    vector_push(pairs, (struct call_pair){found[0], found[1]});
  return STATUS_OK;
}

enum status call_pairs_read(call_pairs *pairs, const char *path, const struct call_table *table,
                            const struct asker *asker) {
  struct text message;
  text_init(&message);
  char *bytes = NULL;
  size_t length = 0;
  enum status status = file_read(path, (size_t)1 << 24, &bytes, &length, &message);
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s", text_get(&message));
  struct slice line, rest = {bytes, length};
  for (size_t number = 1; status == STATUS_OK && slice_field(&line, &rest, '\n'); number++)
    if (line.length != 0 && line.start[0] != '#')
      status = add_pair(pairs, path, number, line, table, asker);
  mem_free(bytes);
  text_clear(&message);
  return status;
}
