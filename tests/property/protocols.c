/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random small protocols, each judged twice: by the verifier and by the interpreter's hunts, which
 * share no code with the encoder. Never `proved` when a hunt finds an event later than the bound or
 * something that happens twice; `refuted` always with an execution; `proved` always reached.
 *
 * Prints TAP. Arguments: the number of protocols (30; 150 with TEST_ALL) and the first seed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/search/hunt.h"
#include "solver/search/scope.h"
#include "solver/verify.h"
#include "tests/property/chain.h"
#include "tests/unit/solver/loaded.h"

enum { SCOPES = 4, PROTOCOLS = 30, PROTOCOLS_ALL = 150 };

/* --- judging ---------------------------------------------------------------------------------- */

struct outcome {
  uint64_t seed;
  size_t verdicts[3];
  size_t hunted, events; /* proved bounds hunted; comparisons made */
  char *wrong;           /* what, with the protocol; NULL: nothing */
};

static const char *hunt_one(struct outcome *outcome, struct interpreter *in,
                            const struct bound *bound, uint64_t seed, bool paths) {
  struct hunt hunt;
  hunt_init(&hunt, in);
  struct explore_limits limits = {.depth_max = 16, .seconds_max = 0.1};
  struct hunt_options options = {.seed = seed, .runs = 60, .steps_max = 30, .seconds_max = 0.2};
  if (paths)
    hunt_paths(&hunt, in, bound, &limits, 6, seed);
  else
    hunt_random(&hunt, in, bound, &options);
  static const char *const names[] = {NULL, "a later event", "a second send", "a second charge"};
  const char *found = names[hunt.verdict];
  outcome->events += hunt.events;
  hunt_clear(&hunt);
  return found;
}

static const char *hunt_all(struct outcome *outcome, const struct model *model,
                            const struct bound *bound) {
  struct scopes scopes;
  scopes_init(&scopes, model, SCOPE_SMALLEST_FIRST, SCOPES);
  const char *found = NULL;
  for (size_t i = 0; i < 2 * scopes.items.count && found == NULL; i++) {
    struct text ignored;
    text_init(&ignored);
    struct interpreter *in = interpreter_new(model, scopes.items.data[i / 2], &ignored);
    found = hunt_one(outcome, in, bound, outcome->seed + i, i % 2 == 0);
    interpreter_free(in);
    text_clear(&ignored);
  }
  scopes_clear(&scopes);
  outcome->hunted++;
  return found;
}

static void judge_report(struct outcome *outcome, const struct model *model,
                         const struct bound_report *r, struct text *wrong) {
  outcome->verdicts[r->verdict]++;
  const char *found = r->verdict == VERDICT_PROVED ? hunt_all(outcome, model, r->bound) : NULL;
  if (found != NULL)
    text_format(wrong, "# %s proved, but the interpreter finds %s\n", r->bound->name, found);
  if (r->verdict == VERDICT_PROVED && !r->reached)
    text_format(wrong, "# %s proved, but never reached\n", r->bound->name);
  if (r->verdict == VERDICT_REFUTED && (r->execution == NULL || r->time == NULL))
    text_format(wrong, "# %s refuted without an execution\n", r->bound->name);
}

static void judge(size_t index, void *context) {
  struct outcome *outcome = &((struct outcome *)context)[index];
  struct generator *g = mem_alloc(1, sizeof *g);
  generate(g, outcome->seed);
  struct loaded loaded;
  loaded_init(&loaded, "random", text_get(&g->text));
  struct text wrong;
  text_init(&wrong);
  if (loaded.model == NULL) {
    text_append(&wrong, "# the checker refuses it\n");
  } else {
    struct verify_options options = {.jobs = 1, .limit_ms = 150, .search_seconds = 0.5};
    struct verification v;
    verification_init(&v, loaded.model, &options);
    for (size_t i = 0; i < v.bounds.count; i++)
      judge_report(outcome, loaded.model, &v.bounds.data[i], &wrong);
    verification_clear(&v);
  }
  if (wrong.length != 0) {
    text_append(&wrong, text_get(&g->text));
    outcome->wrong = text_take(&wrong);
  }
  text_clear(&wrong);
  loaded_clear(&loaded);
  text_clear(&g->text);
  mem_free(g);
}

static void print_wrong(const struct outcome *outcome) {
  printf("# seed %" PRIu64 "\n", outcome->seed);
  for (const char *line = outcome->wrong; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    printf("# %.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
}

static bool report(bool good, int number, const char *what) {
  printf("%s %d - %s\n", good ? "ok" : "not ok", number, what);
  return good;
}

int main(int argc, char **argv) {
  const char *in_full = getenv("TEST_ALL");
  size_t usual = in_full != NULL && in_full[0] != '\0' ? PROTOCOLS_ALL : PROTOCOLS;
  size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : usual;
  uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  if (argc > 3) { /* to read one */
    struct generator *g = mem_alloc(1, sizeof *g);
    generate(g, first);
    fputs(text_get(&g->text), stdout);
    text_clear(&g->text);
    mem_free(g);
    return 0;
  }
  struct outcome *outcomes = mem_alloc(count, sizeof *outcomes);
  for (size_t i = 0; i < count; i++)
    outcomes[i].seed = first + i;
  parallel_run(parallel_processors(), count, judge, outcomes);
  size_t totals[3] = {0}, wrong = 0, hunted = 0, events = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t v = 0; v < 3; v++)
      totals[v] += outcomes[i].verdicts[v];
    hunted += outcomes[i].hunted;
    events += outcomes[i].events;
    if (outcomes[i].wrong != NULL) {
      wrong++;
      print_wrong(&outcomes[i]);
    }
    mem_free(outcomes[i].wrong);
  }
  mem_free(outcomes);
  size_t all = totals[0] + totals[1] + totals[2];
  printf("1..3\n# %zu protocols, %zu bounds: %zu proved, %zu refuted, %zu unknown; %zu proved ones "
         "hunted, %zu events compared\n",
         count, all, totals[VERDICT_PROVED], totals[VERDICT_REFUTED], totals[VERDICT_UNKNOWN],
         hunted, events);
  bool good = report(wrong == 0 && all != 0, 1, "the interpreter contradicts no verdict");
  good = report(10 * totals[VERDICT_PROVED] >= all, 2, "a tenth of the bounds is proved") && good;
  good = report(10 * totals[VERDICT_REFUTED] >= all, 3, "a tenth is refuted") && good;
  return good ? 0 : 1;
}
