/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How often `percentiles --data` is wrong where the truth is known: in many worlds, asked of a
 * table, of what `import` made of it, of a histogram, of the counters of a server at regular times,
 * and of ten runs. An end counts as decided where the answer says nothing of a condition: that it
 * is not settled, of this run alone, or true if the draws are independent. Of the decided ends no
 * more may be wrong than chance makes so at the stated level.
 *
 * 4 data sets of each sixth world; 200 of each with TEST_ALL. COVERAGE=1 prints the table of docs/coverage.md,
 * COVERAGE_SETS=40 takes another number, COVERAGE_WORLD=name only some worlds, COVERAGE_WAY=windows
 * only one way, and COVERAGE_PART=2/4 the second of four parts.
 */
#include "cli/question/measured/measured.h"
#include "cli/question/store/import.h"
#include "dist/statistics/special.h"
#include "tests/property/coverage_worlds.h"
#include "tests/unit/cli/heard.h"

#define ROWS COVERAGE_ROWS_MOST

static const struct coverage_world worlds[] = {
    {"independent", COVERAGE_INDEPENDENT, 0, 0, ROWS, false},
    {"rounded to 0.25 ms", COVERAGE_TIES, 0, 0, ROWS, false},
    {"Pareto 1.1", COVERAGE_PARETO, 1.1, 0, ROWS, false},
    {"AR 0.6", COVERAGE_REGRESSION, 0.6, 0, ROWS, false},
    {"AR 0.9", COVERAGE_REGRESSION, 0.9, 0, ROWS, false},
    {"AR 0.97", COVERAGE_REGRESSION, 0.97, 0, ROWS, false},
    {"ten clients, AR 0.95", COVERAGE_CLIENTS, 10, 0.95, ROWS, false},
    {"spread AR 0.95", COVERAGE_VOLATILE, 0, 0, ROWS, false},
    {"collections, each 100th", COVERAGE_COLLECTS, 100, 3, ROWS, false},
    {"bursts 2 %, of 20", COVERAGE_BURSTS, 0.02, 20, ROWS, true},
    {"bursts 5 %, of 10", COVERAGE_BURSTS, 0.05, 10, ROWS, false},
    {"bursts 1.5 %, of 60", COVERAGE_BURSTS, 0.015, 60, ROWS, true},
    {"parts slow together, 2 %", COVERAGE_TOGETHER, 0.02, 0, ROWS, false},
    {"lost, half above p95", COVERAGE_LOST, 0.5, 0, ROWS, false},
    {"rows twice, in turn", COVERAGE_TWICE, 0, 0, ROWS, false},
    {"rows twice, behind", COVERAGE_TWICE, 1, 0, ROWS, false},
    {"rows twice, shuffled", COVERAGE_TWICE, 2, 0, ROWS, false},
    {"half 1.5 times slower", COVERAGE_HALF, 1.5, 0, ROWS, false},
    {"half with a tail of 3 %", COVERAGE_TAIL_HALF, 0.03, 0, ROWS, false},
    {"a wave of 10 %", COVERAGE_WAVE, 0.1, 0, ROWS, false},
    {"long, H 0.75, 5 %", COVERAGE_LONG, 0.75, 0.05, ROWS, true},
    {"long, H 0.75, 30 %", COVERAGE_LONG, 0.75, 0.3, ROWS, true},
    {"long, H 0.75, all", COVERAGE_LONG, 0.75, 1, ROWS, true},
    {"long, H 0.9, 5 %", COVERAGE_LONG, 0.9, 0.05, ROWS, true},
    {"long, H 0.9, 30 %", COVERAGE_LONG, 0.9, 0.3, ROWS, true},
    {"long, H 0.9, all", COVERAGE_LONG, 0.9, 1, ROWS, true},
    {"wanders slower, 5 %", COVERAGE_WANDER, 0, 0.05, ROWS, true},
    {"20 rows, independent", COVERAGE_INDEPENDENT, 0, 0, 20, false},
    {"40 rows, AR 0.6", COVERAGE_REGRESSION, 0.6, 0, 40, false},
    {"63 rows, AR 0.9", COVERAGE_REGRESSION, 0.9, 0, 63, false},
};
enum { WORLDS = sizeof worlds / sizeof *worlds };

enum way { WAY_TABLE, WAY_IMPORT, WAY_HISTOGRAM, WAY_WINDOWS, WAY_RUNS, WAYS };
static const char *const way_names[] = {"table", "import", "histogram", "windows", "10 runs"};

enum { PERCENTILES = 3, RUNS = 10, EDGES_MOST = 60, WINDOWS = 100 };
static const double shares[PERCENTILES] = {0.5, 0.9, 0.99};

static unsigned sets = 4;
static bool all_worlds;

struct tally {
  unsigned decided[PERCENTILES], wrong[PERCENTILES]; /* ends */
  unsigned conditional;                              /* answers that hold on a condition */
};

/* --- files ------------------------------------------------------------------------------------ */

/* Rows that stand there twice are refused where nothing tells them apart. */
static void write_table(const char *path, const uint64_t *rows,
                        const struct coverage_world *world) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  bool told_apart = world->kind == COVERAGE_TWICE;
  fputs(told_apart ? "id,latency_ns\n" : "latency_ns\n", file);
  for (size_t i = 0; i < world->rows; i++) {
    if (told_apart)
      fprintf(file, "%zu,", i);
    if (rows[i] == COVERAGE_NEVER)
      fputs("timeout\n", file);
    else
      fprintf(file, "%llu\n", (unsigned long long)rows[i]);
  }
  assert_int_equal(fclose(file), 0);
}

struct edges {
  size_t count;
  uint64_t ns[EDGES_MOST];
};

/* About 15 % apart, and close to each true percentile on both sides. */
static void edges_init(struct edges *edges, const uint64_t *truth) {
  *edges = (struct edges){0};
  for (double ns = 2e5; ns < 4e7; ns *= 1.15)
    edges->ns[edges->count++] = (uint64_t)ns;
  for (size_t i = 0; i < PERCENTILES; i++) {
    if (truth[i] == COVERAGE_NEVER)
      continue;
    edges->ns[edges->count++] = truth[i] - truth[i] / 200;
    edges->ns[edges->count++] = truth[i] + truth[i] / 200;
  }
  qsort(edges->ns, edges->count, sizeof *edges->ns, coverage_order);
}

static size_t count_within(const uint64_t *rows, size_t count, uint64_t ns) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++)
    found += rows[i] <= ns;
  return found;
}

static void write_histogram(const char *path, const uint64_t *rows, size_t count,
                            const struct edges *edges) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (size_t i = 0; i < edges->count; i++)
    fprintf(file, "rpc_seconds_bucket{le=\"%.9f\"} %zu\n", (double)edges->ns[i] * 1e-9,
            count_within(rows, count, edges->ns[i]));
  fprintf(file, "rpc_seconds_bucket{le=\"+Inf\"} %zu\n", count);
  assert_int_equal(fclose(file), 0);
}

static void write_points(FILE *file, const uint64_t *rows, size_t count, uint64_t ns) {
  size_t seen = 0, from = 0;
  for (size_t w = 0; w <= WINDOWS; w++) {
    size_t to = count * w / WINDOWS;
    seen += ns == COVERAGE_NEVER ? to - from : count_within(rows + from, to - from, ns);
    from = to;
    fprintf(file, "%s[%zu,\"%zu\"]", w == 0 ? "" : ",", 1700000000 + 15 * w, seen);
  }
}

static void write_windows(const char *path, const uint64_t *rows, size_t count,
                          const struct edges *edges) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[", file);
  for (size_t i = 0; i < edges->count; i++) {
    fprintf(file, "{\"metric\":{\"__name__\":\"rpc_seconds_bucket\",\"le\":\"%.9f\"},\"values\":[",
            (double)edges->ns[i] * 1e-9);
    write_points(file, rows, count, edges->ns[i]);
    fputs("]},", file);
  }
  fputs("{\"metric\":{\"__name__\":\"rpc_seconds_bucket\",\"le\":\"+Inf\"},\"values\":[", file);
  write_points(file, rows, count, COVERAGE_NEVER);
  fputs("]}]}}", file);
  assert_int_equal(fclose(file), 0);
}

static const char *import(const char *path) {
  struct asker asker = heard_asker();
  struct gather gather;
  const struct import_request request = {
      .asker = &asker, .sources = &path, .source_count = 1, .out = heard_path("imported")};
  assert_int_equal(import_ask(&gather, &request), STATUS_OK);
  gather_clear(&gather);
  return heard_path("imported/A.tph");
}

/* --- questions -------------------------------------------------------------------------------- */

static bool is_conditional(const struct measured *m) {
  return m->assumes_draws || m->wanders;
}

enum { LEVELS = 2 };
static const int levels[LEVELS] = {99, 90};

static void count_ends(struct tally *tally, size_t i, const struct level_ends *ends,
                       uint64_t truth) {
  if (ends->upper_finite && ends->upper_settled) {
    tally->decided[i]++;
    tally->wrong[i] += (double)ends->upper_ns < (double)truth * 0.999;
  }
  if (ends->lower_ns != 0 && ends->lower_settled) {
    tally->decided[i]++;
    tally->wrong[i] += (double)ends->lower_ns > (double)truth * 1.001;
  }
}

/* The ends of the answer, and those of the other level, which are found as those are. */
static void count(struct tally tallies[LEVELS], const struct measured *m, const uint64_t *truth) {
  bool conditional = is_conditional(m);
  for (size_t l = 0; l < LEVELS; l++)
    tallies[l].conditional += conditional;
  for (size_t i = 0; i < PERCENTILES && !conditional; i++) {
    const struct measured_row *row = &m->rows.data[i];
    const struct level_ends other =
        levels_ends(m->levels, &m->sample, &row->wanted->share, m->sample.real, SURVIVAL_ONE / 10);
    count_ends(&tallies[0], i, &row->ends, truth[i]);
    count_ends(&tallies[1], i, &other, truth[i]);
  }
}

static void ask(struct tally tallies[LEVELS], const char *path, const texts *runs,
                const uint64_t *truth) {
  struct asker asker = heard_asker();
  struct measured measured;
  struct measured_request request = {.asker = &asker, .path = path, .percentiles = "50,90,99"};
  if (runs != NULL)
    request.runs = *runs;
  rational_init(&request.confidence);
  rational_set_fraction(&request.confidence, levels[0], 100);
  measured_ask(&measured, &request);
  if (!measured.found)
    fail_msg("%s: %s", path, heard.count == 0 ? "no answer" : heard.lines[0]);
  count(tallies, &measured, truth);
  measured_clear(&measured);
  rational_clear(&request.confidence);
}

struct found {
  struct tally of[WAYS][LEVELS];
};

static void ask_runs(struct found *found, const struct coverage_world *world,
                     const struct coverage_noise *noise, const uint64_t *truth,
                     struct random *random) {
  static uint64_t rows[ROWS];
  char paths[RUNS][128];
  texts runs = {0};
  for (size_t r = 0; r < RUNS; r++) {
    snprintf(paths[r], sizeof paths[r], "%s/run%zu.csv", heard_folder, r);
    coverage_draw(rows, world, noise, random);
    write_table(paths[r], rows, world);
    if (r > 0)
      vector_push(&runs, paths[r]);
  }
  ask(found->of[WAY_RUNS], paths[0], &runs, truth);
  vector_clear(&runs);
}

static void ask_all(struct found *found, const struct coverage_world *world,
                    const struct coverage_noise *noise, const uint64_t *truth,
                    struct random *random) {
  static uint64_t rows[ROWS];
  struct edges edges;
  edges_init(&edges, truth);
  coverage_draw(rows, world, noise, random);
  const char *paths[WAY_RUNS] = {heard_path("A.csv"), NULL, heard_path("A.prom"),
                                 heard_path("A.json")};
  const char *only = getenv("COVERAGE_WAY");
  write_table(paths[WAY_TABLE], rows, world);
  write_histogram(paths[WAY_HISTOGRAM], rows, world->rows, &edges);
  write_windows(paths[WAY_WINDOWS], rows, world->rows, &edges);
  if (only == NULL || strcmp(only, way_names[WAY_IMPORT]) == 0)
    paths[WAY_IMPORT] = import(paths[WAY_TABLE]);
  for (size_t way = 0; way < WAY_RUNS; way++)
    if (only == NULL || strcmp(only, way_names[way]) == 0)
      ask(found->of[way], paths[way], NULL, truth);
}

/* --- verdict ---------------------------------------------------------------------------------- */

/* The most of n that chance makes wrong at the level, but once in 1000 such counts. */
static unsigned allowed(unsigned n, double chance) {
  unsigned most = 0;
  while (most < n && special_binomial_from(most + 1, chance, n) > 1e-3)
    most++;
  return most;
}

static unsigned judge(const struct coverage_world *world, enum way way, size_t level,
                      const struct tally *tally) {
  unsigned limits[PERCENTILES], bad = 0;
  for (size_t i = 0; i < PERCENTILES; i++) {
    limits[i] = allowed(tally->decided[i], 1 - levels[level] / 100.0);
    bad += tally->wrong[i] > limits[i];
  }
  const char *said = way == WAY_RUNS || !world->unseen ? "" : "of one run";
  if (getenv("COVERAGE") != NULL)
    print_message("| %s | %s | %d %% | %u | %u/%u/%u | %u/%u/%u | %u/%u/%u | %s |%s\n", world->name,
                  way_names[way], levels[level], tally->conditional, tally->decided[0],
                  tally->decided[1], tally->decided[2], tally->wrong[0], tally->wrong[1],
                  tally->wrong[2], limits[0], limits[1], limits[2], said,
                  bad && *said == '\0' ? " too many" : "");
  return *said == '\0' ? bad : 0;
}

static unsigned try_world(const struct coverage_world *world, uint64_t seed) {
  struct coverage_noise noise = {0};
  struct random random = {seed};
  struct found found = {0};
  uint64_t truth[PERCENTILES];
  unsigned bad = 0;
  coverage_quantiles(truth, shares, PERCENTILES, world);
  if (world->kind == COVERAGE_LONG)
    coverage_noise_init(&noise, world->a, world->rows);
  for (unsigned k = 0; k < sets; k++) {
    ask_all(&found, world, &noise, truth, &random);
    if (k < sets / 4 && getenv("COVERAGE_WAY") == NULL)
      ask_runs(&found, world, &noise, truth, &random);
  }
  for (enum way way = WAY_TABLE; way < WAYS; way++)
    for (size_t l = 0; l < LEVELS; l++)
      bad += judge(world, way, l, &found.of[way][l]);
  if (world->kind == COVERAGE_LONG)
    coverage_noise_clear(&noise);
  return bad;
}

static void wrong_ends(void **state) {
  (void)state;
  const char *only = getenv("COVERAGE_WORLD");
  unsigned bad = 0;
  const char *part = getenv("COVERAGE_PART"); /* "2/4": the second of four parts */
  size_t at = part == NULL ? 0 : (size_t)atoi(part) - 1;
  size_t of = part != NULL                 ? (size_t)atoi(strchr(part, '/') + 1)
              : all_worlds || only != NULL ? 1
                                           : 6;
  for (size_t w = at; w < WORLDS; w += of)
    if (only == NULL || strstr(worlds[w].name, only) != NULL)
      bad += try_world(&worlds[w], w + 1);
  assert_int_equal(bad, 0);
}

int main(void) {
  if (getenv("TEST_ALL") != NULL)
    sets = 200, all_worlds = true;
  if (getenv("COVERAGE_SETS") != NULL)
    sets = (unsigned)atoi(getenv("COVERAGE_SETS"));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(wrong_ends, heard_setup, heard_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
