/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/question/compare/compare.h"
#include "tests/property/verdicts.h"

static const char protocol[] =
    "protocol verdicts\n"
    "role server\nexternal client\n"
    "component A\ncomponent B\ncomponent C\ncomponent D\ncomponent E\ndelay d\n"
    "message Done : server -> client\n"
    "state server { done : bool = false }\n"
    "action server.Work cost A {\n  when not done\n  done := true\n  send Done\n}\n"
    "bound one: sent Done within A\n"
    "bound sum3: sent Done within A + B + C\n"
    "bound max5: sent Done within max(A, B, C, D, E)\n"
    "bound kth2: sent Done within min(max(A, B), max(A, C), max(B, C))\n"
    "bound paths: sent Done within max(A + B, A + C)\n";

static char folder[64];
static int said = -1, told = -1; /* where stderr goes, and where it went */

static void give_up(const char *what) {
  char line[400];
  dup2(told, STDERR_FILENO);
  fprintf(stderr, "verdicts: %s\n", what);
  FILE *file = fopen(file_path("stderr"), "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    fputs(line, stderr);
  exit(1);
}

/* --- files ------------------------------------------------------------------------------------ */

static FILE *create(const char *name) {
  FILE *file = fopen(file_path(name), "w");
  if (file == NULL)
    give_up("a file of the temporary folder cannot be written");
  return file;
}

void files_open(void) {
  snprintf(folder, sizeof folder, "%s", "/tmp/verdicts.XXXXXX");
  told = dup(STDERR_FILENO);
  if (mkdtemp(folder) == NULL || mkdir(file_path("data"), 0700) != 0)
    give_up("no temporary folder can be made");
  FILE *file = create("verdicts.tp");
  fputs(protocol, file);
  fclose(file);
  fflush(stderr);
  said = open(file_path("stderr"), O_CREAT | O_RDWR | O_APPEND, 0600);
  dup2(said, STDERR_FILENO);
}

void files_close(void) {
  static const char *const names[] = {"data/A.csv", "data/B.csv",  "data/C.csv",   "data/D.csv",
                                      "data/E.csv", "verdicts.tp", "observed.csv", "joint.csv",
                                      "a.csv",      "b.csv",       "stderr"};
  fflush(stderr);
  dup2(told, STDERR_FILENO);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unlink(file_path(names[i]));
  rmdir(file_path("data"));
  rmdir(folder);
}

const char *file_path(const char *name) {
  static char paths[8][128];
  static size_t next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

void file_series(const char *name, const uint64_t *values, size_t count) {
  FILE *file = create(name);
  fputs("latency_ns\n", file);
  for (size_t i = 0; i < count; i++)
    fprintf(file, "%" PRIu64 "\n", values[i]);
  fclose(file);
}

void file_parts(uint64_t *const *values, size_t parts, size_t count) {
  for (size_t k = 0; k < parts; k++) {
    char name[] = "data/A.csv";
    name[5] = (char)('A' + k);
    file_series(name, values[k], count);
  }
}

void file_rows(uint64_t *const *values, size_t parts, size_t count) {
  FILE *file = create("joint.csv");
  for (size_t k = 0; k < parts; k++)
    fprintf(file, "%c_ns%c", (int)('A' + k), k + 1 < parts ? ',' : '\n');
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < parts; k++)
      fprintf(file, "%" PRIu64 "%c", values[k][i], k + 1 < parts ? ',' : '\n');
  fclose(file);
}

/* --- questions -------------------------------------------------------------------------------- */

static const struct asker nobody;

static void make_request(struct asked *asked, const struct ask *ask) {
  struct percentiles_request *request = &asked->request;
  *request = (struct percentiles_request){.percentiles = ask->percentiles};
  struct calculation_request *of = &request->of;
  snprintf(asked->protocol, sizeof asked->protocol, "%s", file_path("verdicts.tp"));
  snprintf(asked->source, sizeof asked->source, "%s", file_path(ask->joint ? "joint.csv" : "data"));
  snprintf(asked->observed, sizeof asked->observed, "%s", file_path("observed.csv"));
  of->asker = &nobody;
  of->path = asked->protocol;
  of->bound = ask->bound;
  of->effort = (struct effort){.jobs = 1, .timeout_ms = 10000};
  rational_init(&of->confidence);
  if (!rational_parse(&of->confidence, ask->confidence))
    give_up("unusable confidence");
  if (ask->joint)
    vector_push(&of->joint, asked->source);
  else
    of->data = asked->source;
  of->observed = ask->observed ? asked->observed : NULL;
  for (size_t i = 0; i < ask->slo_count; i++)
    vector_push(&request->slo, ask->slos[i]);
  of->two_judges = ask->observed && ask->slo_count != 0;
}

void asked_init(struct asked *asked, const struct ask *ask) {
  if (ftruncate(said, 0) != 0)
    give_up("stderr cannot be emptied");
  make_request(asked, ask);
  if (percentiles_init(&asked->run, &asked->request) != STATUS_OK ||
      percentiles_prepare(&asked->run) != STATUS_OK)
    give_up("no percentiles");
  percentiles_conclude(&asked->run);
  if (percentiles_judge(&asked->run) != STATUS_OK)
    give_up("no verdicts");
}

void asked_clear(struct asked *asked) {
  percentiles_clear(&asked->run);
  rational_clear(&asked->request.of.confidence);
  vector_clear(&asked->request.of.joint);
  vector_clear(&asked->request.slo);
}

const struct percentile *asked_at(const struct asked *asked, size_t index) {
  return percentiles_at(&asked->run, &asked->run.curves.data[0],
                        &asked->run.wanted.data[index].share);
}

enum status ask_compare(void) {
  char paths[2][128];
  struct compare_request request = {.of = {.asker = &nobody}, .percentiles = "50,90"};
  struct compare answer;
  snprintf(paths[0], sizeof paths[0], "%s", file_path("a.csv"));
  snprintf(paths[1], sizeof paths[1], "%s", file_path("b.csv"));
  request.paths[0] = paths[0];
  request.paths[1] = paths[1];
  rational_init(&request.of.confidence);
  rational_set_fraction(&request.of.confidence, 99, 100);
  enum status status = compare_ask(&answer, &request);
  compare_clear(&answer);
  rational_clear(&request.of.confidence);
  if (status == STATUS_OF_RUN) /* which says nothing of the law */
    return STATUS_UNKNOWN;
  if (status != STATUS_OK && status != STATUS_REFUTED && status != STATUS_UNKNOWN)
    give_up("no comparison");
  return status;
}

/* --- truth ------------------------------------------------------------------------------------ */

/* Bins a part in 10^5 wide, from 1 us to 1000 s; of each the greatest value is kept. */
static const double finest = 1e5, least_ns = 1e3;
enum { BINS = 2100000 };

static size_t bin_of(uint64_t value) {
  double at = value < 1000 ? 0 : log((double)value / least_ns) * finest;
  return at < BINS - 1 ? (size_t)at : BINS - 1;
}

void truth_find(uint64_t *quantiles, const double *shares, size_t count, draw_function *draw,
                const void *context, size_t draws) {
  uint32_t *counts = mem_alloc(BINS, sizeof *counts);
  uint64_t *greatest = mem_alloc(BINS, sizeof *greatest);
  struct random random = {20240607};
  for (size_t i = 0; i < draws; i++) {
    uint64_t value = draw(context, &random);
    size_t bin = bin_of(value);
    counts[bin]++;
    greatest[bin] = value > greatest[bin] ? value : greatest[bin];
  }
  double below = 0;
  for (size_t i = 0, k = 0; i < BINS && k < count; i++) {
    below += counts[i];
    for (; k < count && counts[i] != 0 && below >= shares[k] * (double)draws; k++)
      quantiles[k] = greatest[i];
  }
  mem_free(counts);
  mem_free(greatest);
}
