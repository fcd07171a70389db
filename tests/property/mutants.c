/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mutants of every shipped spec (mutate.h says of which kinds). A verifier that says yes to all
 * passes no test here:
 *
 *   - a bound that is attained with some parameters, each of its terms being needed, is refuted
 * when a term of it is dropped, in a branch of a max(a, b) too. Where it is taken one time less
 * there, it is at least not proved;
 *   - nor is it proved when an action or a message on the way to its event takes longer, and in the
 *     standard model it is refuted;
 *   - whatever the change, no bound is `proved` that the interpreter, which shares no code with the
 *     encoder, breaks by one of many random and all small executions;
 *   - an event that no execution reaches is `unknown`.
 *
 * Prints TAP and a table. Arguments: --sample N, about how many mutants of each spec, spread over
 * the kinds (0: all; default: a few of the small specs, all of those with TEST_ALL, and one of
 * every twentieth of the others, three of each with TEST_ALL), and the specs (all). A spec of which
 * no mutant is judged is not looked at itself either: tests/property/invariants.c does that.
 */
#include <glob.h>

#include "base/parallel.h"
#include "base/seconds.h"
#include "lang/source.h"
#include "solver/search/hunt.h"
#include "solver/search/scope.h"
#include "solver/verify.h"
#include "tests/property/mutate.h"
#include "tests/property/mutate_model.h"

enum {
  SAMPLE = 1,
  SAMPLE_FULL = 3,
  SAMPLE_SMALL = 1,
  HUNT_SCOPES = 4,
  PATH_SCOPES = 4,
  LIMIT_MS = 300
};
static const char *const small_specs[] = {"specs/primary_backup.tp", "specs/lock.tp",
                                          "specs/two_phase_commit.tp",
                                          "specs/chain_replication.tp"};
/* A refutation that must be found may take as long as it likes, on a loaded machine too. */
static const double hunt_seconds = 0.15, search_seconds = 0.4, demanded_seconds = 30;

/* What is known of a bound of an unchanged spec. */
struct known {
  bool tight;               /* attained with some parameters, and every term is needed */
  bool sound;               /* proved, and the interpreter breaks it nowhere */
  bool *actions, *messages; /* by id: taken, received (or the event's) on a way to the event */
};

struct spec {
  const char *file;
  struct loaded p;
  struct known *bounds; /* by id */
  size_t mutants;       /* that are judged */
  char *wrong;          /* NULL: all is well with the spec itself */
};

enum verdict_column { PROVED, REFUTED, UNKNOWN, NEVER_REACHED, REFUSED, COLUMNS };
static const char *const column_names[COLUMNS] = {"proved", "refuted", "unknown", "never reached",
                                                  "refused"};

static struct spec *specs;
static size_t spec_count;
static struct mutants mutants;
static atomic_size_t counts[KINDS][COLUMNS];

/* --- the interpreter's opinion ---------------------------------------------------------------- */

static const char *broken_in(struct interpreter *in, const struct bound *bound, bool all,
                             uint64_t seed) {
  struct hunt hunt;
  hunt_init(&hunt, in);
  struct explore_limits limits = {.depth_max = 10, .seconds_max = hunt_seconds};
  struct hunt_options random = {
      .seed = seed, .runs = 300, .steps_max = 60, .seconds_max = hunt_seconds};
  if (all)
    hunt_paths(&hunt, in, bound, &limits, 6, seed);
  else
    hunt_random(&hunt, in, bound, &random);
  const char *broken = hunt.verdict == HUNT_NOTHING    ? NULL
                       : hunt.verdict == HUNT_EXCEEDED ? "a later event"
                                                       : "something that happens twice";
  hunt_clear(&hunt);
  return broken;
}

static const char *broken_by_interpreter(const struct model *model, const struct bound *bound) {
  struct scopes scopes;
  scopes_init(&scopes, model, SCOPE_SMALLEST_FIRST, HUNT_SCOPES);
  const char *broken = NULL;
  for (size_t i = 0; i < 2 * scopes.items.count && broken == NULL; i++) {
    struct text ignored;
    text_init(&ignored);
    struct interpreter *in = interpreter_new(model, scopes.items.data[i / 2], &ignored);
    if (in != NULL)
      broken = broken_in(in, bound, i % 2 == 0, 4711 + i);
    interpreter_free(in);
    text_clear(&ignored);
  }
  scopes_clear(&scopes);
  return broken;
}

/* --- the specs as they are -------------------------------------------------------------------- */

static bool sends(const struct block *block, const struct message *message) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if ((s->kind == STATEMENT_SEND && s->message == message) || sends(&s->then_block, message) ||
        sends(&s->else_block, message))
      return true;
  }
  return false;
}

/* From what the bound counts from, or the start, to its event. */
static void note_path(struct known *known, const struct path *path, const struct bound *bound) {
  bool begun = bound->from == NULL;
  for (size_t i = 0; i < path->steps.count; i++) {
    const struct action *action = path->steps.data[i].action;
    if (!begun) {
      begun = sends(&action->body, bound->from);
      continue;
    }
    known->actions[action->id] = true;
    if (action->message != NULL)
      known->messages[action->message->id] = true;
  }
  if (bound->target == TARGET_DELIVERED)
    known->messages[bound->message->id] = true;
}

static void find_path(struct known *known, const struct model *model, const struct bound *bound) {
  known->actions = mem_alloc(model->actions.count, sizeof *known->actions);
  known->messages = mem_alloc(model->messages.count, sizeof *known->messages);
  struct scopes scopes;
  scopes_init(&scopes, model, SCOPE_TWO_FIRST, PATH_SCOPES);
  bool found = false;
  for (size_t s = 0; s < scopes.items.count && !found; s++) {
    struct text ignored;
    text_init(&ignored);
    struct interpreter *in = interpreter_new(model, scopes.items.data[s], &ignored);
    struct explore_limits limits = {.states_max = 20000, .depth_max = 80};
    struct explored explored;
    explored_init(&explored);
    if (in != NULL)
      explore_reach(&explored, in, bound, &limits);
    found = in != NULL && explored.end == EXPLORE_FOUND;
    if (found)
      note_path(known, &explored.path, bound);
    explored_clear(&explored);
    interpreter_free(in);
    text_clear(&ignored);
  }
  scopes_clear(&scopes);
}

static void know_spec(size_t index, void *context) {
  (void)context;
  struct spec *spec = &specs[index];
  const struct model *model = spec->p.model;
  if (model == NULL || spec->mutants == 0)
    return;
  struct verify_options how = {
      .jobs = 1, .limit_ms = 10 * LIMIT_MS, .search_seconds = demanded_seconds, .fail_fast = true};
  struct verification v;
  verification_init(&v, model, &how);
  struct text wrong;
  text_init(&wrong);
  for (size_t i = 0; i < v.bounds.count; i++) {
    const struct bound_report *r = &v.bounds.data[i];
    struct known *known = &spec->bounds[r->bound->id];
    const char *broken =
        r->verdict == VERDICT_PROVED ? broken_by_interpreter(model, r->bound) : "no proof";
    known->tight = r->tightness.attained != 0 && r->tightness.spare.count == 0;
    known->sound = broken == NULL;
    if (broken != NULL)
      text_format(&wrong, "bound %s: the unchanged spec has %s; ", r->bound->name, broken);
    find_path(known, model, r->bound);
  }
  spec->wrong = wrong.length == 0 ? NULL : text_take(&wrong);
  text_clear(&wrong);
  verification_clear(&v);
}

/* --- judging mutants -------------------------------------------------------------------------- */

static const struct known *known_of(const struct mutant *m, const char *bound) {
  const struct spec *spec = &specs[m->spec];
  for (size_t i = 0; i < spec->p.model->bounds.count; i++)
    if (strcmp(spec->p.model->bounds.items[i]->name, bound) == 0)
      return &spec->bounds[i];
  return NULL;
}

/* In the eager model with its quorums, what is on one way to the event need not be on every way;
 * and a queueing term counts what the slots of a loop take. */
static bool is_needed(const struct mutant *m, const struct known *known) {
  const struct model *model = specs[m->spec].p.model;
  bool in_slot = m->kind == DEARER && model->queueing != NULL &&
                 model->actions.items[m->target]->schedule != NULL;
  return model->timing != TIMING_EAGER && !in_slot &&
         ((m->kind == DEARER && known->actions[m->target]) ||
          (m->kind == SLOWER && known->messages[m->target]));
}

/* A verdict that is not to be for want of time. */
static bool is_demanding(const struct mutant *m, const struct model *model) {
  bool demanding = false;
  for (size_t i = 0; i < model->bounds.count && !demanding; i++) {
    const struct known *known = known_of(m, model->bounds.items[i]->name);
    demanding = known->tight && (m->kind == DROPPED || is_needed(m, known));
  }
  return demanding;
}

static enum verdict_column column_of(const struct bound_report *r) {
  if (r->verdict == VERDICT_UNKNOWN)
    return r->reached ? UNKNOWN : NEVER_REACHED;
  return r->verdict == VERDICT_PROVED ? PROVED : REFUTED;
}

static void expect(struct mutant *m, struct text *outcome, bool good, const char *what) {
  if (good)
    return;
  m->good = false;
  text_format(outcome, " BUT %s", what);
}

static void judge_report(struct mutant *m, const struct model *model, const struct bound_report *r,
                         struct text *outcome) {
  const struct known *known = known_of(m, r->bound->name);
  enum verdict_column column = column_of(r);
  counts[m->kind][column]++;
  text_format(outcome, "%s%s %s", outcome->length ? ", " : "", r->bound->name,
              column_names[column]);
  expect(m, outcome, r->verdict == VERDICT_UNKNOWN || r->reached, "no execution reaches the event");
  bool longer = is_needed(m, known), standard = model->timing == TIMING_STANDARD;
  if (known->tight && (m->strict || (longer && standard)))
    expect(m, outcome, column == REFUTED, "the bound is tight without the change");
  if (known->tight && (m->kind == DROPPED || longer))
    expect(m, outcome, column != PROVED, "the bound is tight without the change");
  /* without an invariant the bound itself is the same */
  if (column == PROVED && !(m->kind == INVARIANT && known->sound)) {
    const char *broken = broken_by_interpreter(model, r->bound);
    if (broken != NULL) {
      text_format(outcome, " (%s)", broken);
      expect(m, outcome, false, "the interpreter breaks it");
    }
  }
}

static void judge_model(struct mutant *m, struct model *model, struct text *outcome) {
  struct verify_options how = {
      .jobs = 1, .limit_ms = LIMIT_MS, .search_seconds = search_seconds, .fail_fast = true};
  if (is_demanding(m, model))
    how.search_seconds = demanded_seconds;
  if (m->kind == DEARER)
    make_dearer(model, m->target);
  if (m->kind == SLOWER)
    make_slower(model, m->target);
  struct verification v;
  verification_init(&v, model, &how);
  for (size_t i = 0; i < v.bounds.count; i++)
    judge_report(m, model, &v.bounds.data[i], outcome);
  verification_clear(&v);
}

static void judge(size_t index, void *context) {
  (void)context;
  struct mutant *m = &mutants.data[index];
  const struct spec *spec = &specs[m->spec];
  struct loaded p;
  struct text outcome, errors;
  text_init(&outcome);
  text_init(&errors);
  double start = seconds_elapsed();
  m->good = true;
  if (load(&p, spec->file, m->text == NULL ? spec->p.source->bytes : m->text, &errors)) {
    judge_model(m, p.model, &outcome);
  } else { /* what the checker refuses cannot be proved; most changes must be legal, see `report` */
    counts[m->kind][REFUSED]++;
    text_append_bytes(&outcome, text_get(&errors), strcspn(text_get(&errors), "\n"));
  }
  unload(&p);
  text_clear(&errors);
  text_format(&outcome, " (%.1f s)", seconds_elapsed() - start);
  m->outcome = text_take(&outcome);
  /* as soon as it is known, whatever happens to the others; one call: other threads print too */
  printf("%s %zu - %s %s\n# %s\n", m->good ? "ok" : "not ok", index + 1, spec->file, m->what,
         m->outcome);
  fflush(stdout);
}

/* --- choosing --------------------------------------------------------------------------------- */

static bool is_small(const char *file) {
  for (size_t i = 0; i < sizeof small_specs / sizeof *small_specs; i++)
    if (strcmp(file, small_specs[i]) == 0)
      return true;
  return false;
}

/* Of each kind in turn one more, until there are `most`. */
static void share_out(size_t *quota, const size_t *available, size_t most) {
  for (size_t left = most, given = 1; left != 0 && given != 0;) {
    given = 0;
    for (size_t k = 0; k < KINDS && left != 0; k++)
      if (quota[k] < available[k]) {
        quota[k]++;
        given++;
        left--;
      }
  }
}

static void clear_mutant(struct mutant *m) {
  mem_free(m->what);
  mem_free(m->text);
  mem_free(m->outcome);
}

/* Those of each kind evenly spaced. The same choice every time. */
static void take_sample(struct mutants *all, size_t most) {
  size_t available[KINDS] = {0}, quota[KINDS] = {0}, seen[KINDS] = {0};
  for (size_t i = 0; i < all->count; i++)
    available[all->data[i].kind]++;
  share_out(quota, available, most);
  for (size_t i = 0; i < all->count; i++) {
    size_t k = all->data[i].kind, at = seen[k]++;
    if ((at + 1) * quota[k] / available[k] != at * quota[k] / available[k])
      vector_push(&mutants, all->data[i]);
    else
      clear_mutant(&all->data[i]);
  }
  vector_clear(all);
}

static void open_spec(struct spec *spec, const char *file, long sample) {
  struct text message;
  text_init(&message);
  struct source *source;
  spec->file = file;
  if (source_load(&source, file, &message) == STATUS_OK) {
    load(&spec->p, file, source->bytes, &message);
    source_free(source);
  }
  if (spec->p.model == NULL) {
    spec->wrong = text_take(&message);
    return;
  }
  spec->bounds = mem_alloc(spec->p.model->bounds.count, sizeof *spec->bounds);
  struct mutants all = {0};
  make_mutants(&all, &spec->p, (size_t)(spec - specs));
  const char *in_full = getenv("TEST_ALL");
  bool small = sample < 0 && is_small(file), full = in_full != NULL && in_full[0] != '\0';
  size_t most = sample > 0 ? (size_t)sample : small ? SAMPLE_SMALL : full ? SAMPLE_FULL : SAMPLE;
  if (sample < 0 && !small && !full && (spec - specs) % 20 != 0)
    most = 0; /* of the large ones every twentieth has its turn */
  size_t before = mutants.count;
  take_sample(&all, sample == 0 || (small && full) ? all.count : most);
  spec->mutants = mutants.count - before;
  text_clear(&message);
}

/* --- the report ------------------------------------------------------------------------------- */

static void print_table(void) {
  printf("# %-12s", "");
  for (size_t c = 0; c < COLUMNS; c++)
    printf("%15s", column_names[c]);
  printf("\n");
  for (size_t k = 0; k < KINDS; k++) {
    printf("# %-12s", kind_names[k]);
    for (size_t c = 0; c < COLUMNS; c++)
      printf("%15zu", counts[k][c]);
    printf("\n");
  }
}

static bool report_line(size_t *number, bool good, const char *subject, const char *claim) {
  printf("%s %zu - %s %s\n", good ? "ok" : "not ok", ++*number, subject, claim);
  return good;
}

static bool report(void) {
  size_t number = mutants.count;
  bool good = true;
  for (size_t i = 0; i < mutants.count; i++)
    good = good && mutants.data[i].good;
  for (size_t i = 0; i < spec_count; i++) {
    if (specs[i].mutants == 0 && specs[i].wrong == NULL)
      continue;
    good = report_line(&number, specs[i].wrong == NULL, specs[i].file, "as it is") && good;
    if (specs[i].wrong != NULL)
      printf("# %s\n", specs[i].wrong);
  }
  /* a kind of which everything is refused would test nothing */
  for (size_t k = 0; k < KINDS; k++) {
    size_t judged = 0;
    for (size_t c = 0; c < REFUSED; c++)
      judged += counts[k][c];
    bool legal = judged != 0 || counts[k][REFUSED] == 0;
    good = report_line(&number, legal, kind_names[k], "mutants are legal, some at least") && good;
  }
  printf("1..%zu\n# bounds of %zu mutants, by kind and verdict\n", number, mutants.count);
  print_table();
  return good;
}

static void clear_all(void) {
  for (size_t i = 0; i < mutants.count; i++)
    clear_mutant(&mutants.data[i]);
  vector_clear(&mutants);
  for (size_t i = 0; i < spec_count; i++) {
    for (size_t k = 0; specs[i].bounds != NULL && k < specs[i].p.model->bounds.count; k++) {
      mem_free(specs[i].bounds[k].actions);
      mem_free(specs[i].bounds[k].messages);
    }
    mem_free(specs[i].bounds);
    mem_free(specs[i].wrong);
    unload(&specs[i].p);
  }
  mem_free(specs);
}

int main(int argc, char **argv) {
  long sample = getenv("SANITIZED") == NULL ? -1 : 2; /* sanitizers are slow */
  int first = 1;
  if (argc > 2 && strcmp(argv[1], "--sample") == 0) {
    sample = strtol(argv[2], NULL, 10);
    first = 3;
  }
  glob_t found = {0};
  for (int i = first; i < argc; i++)
    glob(argv[i], i == first ? 0 : GLOB_APPEND, NULL, &found);
  if (first == argc && glob("specs/*.tp", 0, NULL, &found) == 0)
    glob("specs/*/*.tp", GLOB_APPEND, NULL, &found);
  spec_count = found.gl_pathc;
  specs = mem_alloc(spec_count, sizeof *specs);
  for (size_t i = 0; i < spec_count; i++)
    open_spec(&specs[i], found.gl_pathv[i], sample);
  parallel_run(parallel_processors(), spec_count, know_spec, NULL);
  parallel_run(parallel_processors(), mutants.count, judge, NULL);
  bool good = report() && mutants.count != 0;
  clear_all();
  globfree(&found);
  return good ? 0 : 1;
}
