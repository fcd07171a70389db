/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prints a random execution of a protocol as a file in Coq, which fails to compile unless the
 * protocol's value there does the same (tests/proofs/Observed.v): the state after each step, what
 * it sent and was charged, when it started and ended, which guards did not hold, which steps the
 * rules of time forbade, and the phases that each state lies in. Times are whole numbers.
 *
 *     agree PROTOCOL STEPS SEED
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/check.h"
#include "lang/parse.h"
#include "lang/source.h"
#include "solver/judge/execution.h"
#include "solver/judge/valuation.h"
#include "tests/tools/agree_phases.h"

enum { TRIES = 2000, REFUSED_MOST = 4 };

static uint64_t draw(struct agree *g, uint64_t below) {
  g->random ^= g->random << 13, g->random ^= g->random >> 7, g->random ^= g->random << 17;
  return below == 0 ? 0 : g->random % below;
}

static const struct component *component_named(const struct agree *g, const char *name) {
  for (size_t i = 0; i < g->model->components.count; i++)
    if (strcmp(g->model->components.items[i]->name, name) == 0)
      return g->model->components.items[i];
  return NULL;
}

static const struct rational *term_value(const struct occurrence *o, void *context) {
  struct agree *g = context;
  const struct component *c = component_named(g, o->component);
  if (o->id >= TIMES_MAX) {
    fprintf(stderr, "agree: too many occurrences\n");
    exit(70);
  }
  if (g->drawn[o->id])
    return &g->times[o->id];
  rational_init(&g->times[o->id]);
  int64_t most = c == NULL ? 0 : g->bares[c->id];
  bool single = c != NULL && o->message == NULL && o->index_count == 0 && !c->repeated;
  rational_set_integer(&g->times[o->id], single ? most : (int64_t)draw(g, (uint64_t)most + 1));
  g->drawn[o->id] = true;
  g->met[o->id] = o;
  return &g->times[o->id];
}

static const struct rational *bare_value(const struct component *c, void *context) {
  const struct agree *g = context;
  return &g->bare_values[c->id];
}

static int64_t time_of(struct agree *g, const struct occurrence *o) {
  return o == NULL ? 0 : whole(term_value(o, g));
}

/* --- a world --- */

static void print_integers(struct agree *g, const int64_t *values, size_t count) {
  text_append(&g->out, "[");
  for (size_t i = 0; i < count; i++)
    text_format(&g->out, "%s%" PRId64, i == 0 ? "" : "; ", values[i]);
  text_append(&g->out, "]%Z");
}

/* For each node 1 or 0. */
static void print_set(struct agree *g, uint64_t members, int64_t nodes) {
  int64_t flags[FAMILY_SIZE_MAX];
  for (int64_t i = 0; i < nodes; i++)
    flags[i] = (int64_t)(members >> i & 1);
  print_integers(g, flags, (size_t)nodes);
}

static void print_state(struct agree *g, const struct world *w, const struct state *s,
                        int64_t node) {
  text_format(&g->out, "(%s, %" PRId64 "%%Z, %s, ", g->coq.names[COQ_ROLE][s->role->id], node,
              g->coq.names[COQ_STATE][s->id]);
  if (s->type.kind == TYPE_TIME) {
    text_format(&g->out, "%" PRId64 "%%Z)", whole(world_time(w, s, node)));
    return;
  }
  const int64_t *cell = world_cell(w, s, node);
  if (s->type.kind == TYPE_BOOL)
    text_append(&g->out, *cell != 0 ? "true" : "false");
  else if (s->type.kind == TYPE_SET)
    print_set(g, (uint64_t)*cell, g->in->role_sizes[s->type.role->id]);
  else if (s->type.kind == TYPE_MAP)
    print_integers(g, cell, g->in->cell_widths[s->id]);
  else
    text_format(&g->out, "(%" PRId64 ")%%Z", *cell);
  text_append(&g->out, ")");
}

/* The message of whose pacer it is the hidden state, or NULL. */
static const struct message *paced_by(const struct agree *g, const struct state *s) {
  for (size_t i = 0; i < g->model->messages.count; i++) {
    const struct message *m = g->model->messages.items[i];
    if (m->pacer != NULL && m->pacer->state == s)
      return m;
  }
  return NULL;
}

static void print_pacers(struct agree *g, const struct world *w) {
  const char *before = "";
  text_append(&g->out, "seen_next := [");
  for (size_t i = 0; i < g->model->states.count; i++) {
    const struct state *s = g->model->states.items[i];
    const struct message *m = paced_by(g, s);
    for (int64_t n = 0; m != NULL && n < g->in->role_sizes[s->role->id]; n++) {
      text_format(&g->out, "%s(%s, %" PRId64 "%%Z, %s, %" PRId64 "%%Z)", before,
                  g->coq.names[COQ_ROLE][s->role->id], n, g->coq.names[COQ_MESSAGE][m->id],
                  whole(world_time(w, s, n)));
      before = "; ";
    }
  }
  text_append(&g->out, "];\n  ");
}

static bool is_listed(enum type_kind kind, enum type_kind list) {
  return list == TYPE_INT ? kind == TYPE_INT || kind == TYPE_NODE || kind == TYPE_ENUM
                          : kind == list;
}

static void print_states(struct agree *g, const struct world *w, const char *name,
                         enum type_kind list) {
  const char *before = "";
  text_format(&g->out, "%s := [", name);
  for (size_t i = 0; i < g->model->states.count; i++) {
    const struct state *s = g->model->states.items[i];
    if (paced_by(g, s) != NULL || !is_listed(s->type.kind, list))
      continue;
    for (int64_t n = 0; n < g->in->role_sizes[s->role->id]; n++) {
      text_append(&g->out, before);
      print_state(g, w, s, n);
      before = "; ";
    }
  }
  text_append(&g->out, "];\n  ");
}

static void print_node_times(struct agree *g, const struct world *w, const char *name,
                             struct rational *(*of)(const struct world *, const struct role *,
                                                    int64_t)) {
  const char *before = "";
  text_format(&g->out, "%s := [", name);
  for (size_t i = 0; i < g->model->roles.count; i++)
    for (int64_t n = 0; n < g->in->role_sizes[i]; n++) {
      text_format(&g->out, "%s(%s, %" PRId64 "%%Z, %" PRId64 "%%Z)", before,
                  g->coq.names[COQ_ROLE][i], n, whole(of(w, g->model->roles.items[i], n)));
      before = "; ";
    }
  text_append(&g->out, "]");
}

static void print_world(struct agree *g, const struct world *w) {
  text_append(&g->out, "{|\n  ");
  print_states(g, w, "seen_ints", TYPE_INT);
  print_states(g, w, "seen_bools", TYPE_BOOL);
  print_states(g, w, "seen_times", TYPE_TIME);
  print_states(g, w, "seen_sets", TYPE_SET);
  print_states(g, w, "seen_maps", TYPE_MAP);
  print_node_times(g, w, "seen_clocks", world_clock);
  text_append(&g->out, ";\n  seen_messages := [");
  for (size_t i = 0; i < w->messages.count; i++) {
    const struct world_message *m = &w->messages.data[i];
    text_format(&g->out, "%s(%s, ", i == 0 ? "" : "; ", g->coq.names[COQ_MESSAGE][m->message->id]);
    print_integers(g, m->fields, m->message->field_count);
    text_format(&g->out, ", (%s, %s, %" PRId64 "%%Z, %" PRId64 "%%Z))",
                m->received ? "true" : "false", m->lost ? "true" : "false", whole(&m->delivered),
                m->receiver);
  }
  text_append(&g->out, "];\n  seen_places := [");
  for (size_t i = 0; i < w->messages.count; i++)
    text_format(&g->out, "%s%zu%%Z", i == 0 ? "" : "; ", w->messages.data[i].order);
  text_append(&g->out, "];\n  seen_charges := [");
  for (size_t i = 0; i < w->charges.count; i++) {
    const struct world_charge *c = &w->charges.data[i];
    text_format(&g->out, "%s(%s, ", i == 0 ? "" : "; ",
                g->coq.names[COQ_COMPONENT][c->component->id]);
    print_integers(g, c->occurrence->indices, c->occurrence->index_count);
    text_append(&g->out, ")");
  }
  text_append(&g->out, "];\n  ");
  print_pacers(g, w);
  text_format(&g->out, "seen_now := %" PRId64 "%%Z;\n  ", whole(&w->now));
  print_node_times(g, w, "seen_arrivals", world_arrival);
  text_append(&g->out, "\n|}");
}

/* --- a step --- */

static void print_pick(struct agree *g, const struct step *step, const struct step_record *r) {
  const struct action *a = step->action;
  text_format(&g->out, "(pick_of the_protocol %s %s %" PRId64 "%%Z ",
              g->coq.names[COQ_ACTION][a->id], g->coq.names[COQ_ROLE][a->role->id], step->node);
  if (a->message == NULL) {
    text_append(&g->out, "None ");
  } else {
    text_format(&g->out, "(Some (%s, ", g->coq.names[COQ_MESSAGE][a->message->id]);
    print_integers(g, step->fields, a->message->field_count);
    text_append(&g->out, ")) ");
  }
  print_integers(g, step->choices, a->choice_count);
  int64_t costs[64] = {0}, read = 0;
  size_t count = r == NULL ? 0 : r->costs.count;
  for (size_t i = 0; i < count && i < 64; i++)
    costs[i] = time_of(g, r->costs.data[i]);
  if (r != NULL)
    read = a->read == NULL ? whole(&r->start) : whole(&r->read_at);
  text_format(&g->out, " %" PRId64 "%%Z %" PRId64 "%%Z ", read,
              r == NULL ? 0 : time_of(g, r->timeout));
  print_integers(g, costs, count < 64 ? count : 64);
  text_append(&g->out, ")");
}

static void print_sent(struct agree *g, const struct step_record *r) {
  text_append(&g->out, " [");
  for (size_t i = 0; i < r->sent.count; i++) {
    const struct record_message *m = &r->sent.data[i];
    text_format(&g->out, "%s(%s, ", i == 0 ? "" : "; ", g->coq.names[COQ_MESSAGE][m->message->id]);
    print_integers(g, m->fields, m->message->field_count);
    text_append(&g->out, ")");
  }
  text_append(&g->out, "] [");
  const char *before = "";
  for (size_t i = 0; i < r->costs.count; i++) {
    const struct occurrence *o = r->costs.data[i];
    const struct component *c = component_named(g, o->component);
    if (c == NULL || c->repeated)
      continue;
    text_format(&g->out, "%s(%s, ", before, g->coq.names[COQ_COMPONENT][c->id]);
    print_integers(g, o->indices, o->index_count);
    text_append(&g->out, ")");
    before = "; ";
  }
  text_append(&g->out, "]");
}

static void print_step(struct agree *g, const struct step_record *r, size_t number) {
  proposition(g);
  text_format(&g->out, "agrees the_protocol the_world world_%zu ", number);
  print_pick(g, &r->step, r);
  if (r->step.action->loses)
    text_append(&g->out, " None");
  else
    text_format(&g->out, " (Some (%" PRId64 "%%Z, %" PRId64 "%%Z))", whole(&r->start),
                whole(&r->end));
  print_sent(g, r);
  text_format(&g->out, " world_%zu = true.\nProof. vm_compute. reflexivity. Qed.\n\n", number + 1);
}

/* That its guards do not hold. */
static void print_refused(struct agree *g, const struct step *step, size_t number) {
  proposition(g);
  text_format(&g->out, "guards_hold the_protocol the_world (state_of the_protocol world_%zu) ",
              number);
  print_pick(g, step, NULL);
  text_append(&g->out, " = false.\nProof. vm_compute. reflexivity. Qed.\n\n");
}

static void print_refused_in_time(struct agree *g, const struct step_record *r, size_t number) {
  proposition(g);
  text_format(&g->out, "refused_in_time the_protocol the_world world_%zu ", number);
  print_pick(g, &r->step, r);
  text_append(&g->out, " = true.\nProof. vm_compute. reflexivity. Qed.\n\n");
}

static void try_refused(struct agree *g, struct world *w, const struct valuation *valuation,
                        const struct step *step, size_t number) {
  struct interpretation e = {
      .interpreter = g->in, .world = w, .valuation = valuation, .bindings = g->in->scratch};
  if (execution_guards(&e, step) == TRUTH_FALSE)
    print_refused(g, step, number);
}

/* Steps whose guards the interpreter finds false, of actions without a choice and a clock read. */
static void print_all_refused(struct agree *g, struct world *w, const struct valuation *valuation,
                              size_t number) {
  for (size_t i = 0; i < g->model->actions.count; i++) {
    const struct action *a = g->model->actions.items[i];
    if (a->choice_count != 0 || a->read != NULL)
      continue;
    for (int64_t n = 0; a->message == NULL && n < g->in->role_sizes[a->role->id]; n++)
      try_refused(g, w, valuation, &(struct step){.action = a, .node = n}, number);
    for (size_t m = 0; a->message != NULL && m < w->messages.count; m++) {
      const struct world_message *sent = &w->messages.data[m];
      if (sent->message != a->message)
        continue;
      struct step step = {.action = a, .node = sent->receiver};
      memcpy(step.fields, sent->fields, sizeof step.fields);
      try_refused(g, w, valuation, &step, number);
    }
  }
}

static bool is_of_time(enum step_result result) {
  return result == STEP_WAIT_EXCEEDED || result == STEP_WAITS_TOO_LONG ||
         result == STEP_OVERTAKES || result == STEP_PASSES_OVER || result == STEP_TOO_EARLY ||
         result == STEP_TOO_LATE;
}

/* Steps that the rules of time forbid, on the way to one that is taken. */
static bool take(struct agree *g, struct world *w, const struct valuation *valuation,
                 struct step_record *record, size_t number) {
  step_vector steps = {0};
  step_list(&steps, w);
  bool taken = false;
  size_t refused = 0;
  while (!taken && steps.count != 0) {
    size_t i = (size_t)draw(g, steps.count);
    record_clear(record);
    record_init(record);
    enum step_result result = step_take(w, &steps.data[i], valuation, record);
    taken = result == STEP_TAKEN;
    if (is_of_time(result) && refused++ < REFUSED_MOST)
      print_refused_in_time(g, record, number);
    steps.data[i] = steps.data[--steps.count];
  }
  vector_clear(&steps);
  return taken;
}

static void define_world(struct agree *g, const struct world *w, size_t number) {
  text_format(&g->out, "Definition world_%zu : observed := ", number);
  print_world(g, w);
  text_append(&g->out, ".\n\n");
}

static size_t walk(struct agree *g, size_t steps, const struct valuation *valuation) {
  struct world *w = world_new(g->in, valuation);
  struct step_record record;
  struct progress progress;
  record_init(&record);
  progress_init(&progress, g->model);
  define_world(g, w, 0);
  print_phases(g, &progress, w, valuation, 0);
  proposition(g);
  text_append(&g->out, "first_agrees the_protocol the_world world_0 = true.\nProof. vm_compute. "
                       "reflexivity. Qed.\n\n");
  size_t taken = 0;
  for (; taken < steps; taken++) {
    print_all_refused(g, w, valuation, taken);
    if (!take(g, w, valuation, &record, taken))
      break;
    define_world(g, w, taken + 1);
    print_step(g, &record, taken);
    print_phases(g, &progress, w, valuation, taken + 1);
  }
  record_clear(&record);
  progress_clear(&progress);
  world_free(w);
  return taken;
}

/* The parameters, bare names and occurrences: known when the walk is over, so printed before it. */
static void print_lengths(struct agree *g, struct text *out) {
  struct text walk = g->out;
  text_init(&g->out);
  text_append(&g->out, "Definition the_world := world_of the_protocol ");
  print_integers(g, g->in->params, g->model->params.count);
  text_append(&g->out, " ");
  print_integers(g, g->bares, g->model->components.count);
  for (int delays = 0; delays < 2; delays++) {
    const char *before = "";
    text_append(&g->out, "\n  [");
    for (size_t i = 0; i < TIMES_MAX; i++) {
      const struct occurrence *o = g->met[i];
      const struct component *c = o == NULL ? NULL : component_named(g, o->component);
      if (c == NULL || c->repeated || (o->message != NULL) != (delays == 1))
        continue;
      text_format(&g->out, "%s(%s, ", before, g->coq.names[COQ_COMPONENT][c->id]);
      for (size_t m = 0; delays == 1 && m < g->model->messages.count; m++)
        if (strcmp(g->model->messages.items[m]->name, o->message) == 0)
          text_format(&g->out, "%s, ", g->coq.names[COQ_MESSAGE][m]);
      print_integers(g, o->indices, o->index_count);
      text_format(&g->out, ", %" PRId64 "%%Z)", whole(&g->times[i]));
      before = "; ";
    }
    text_append(&g->out, "]");
  }
  text_append(&g->out, ".\n\n");
  text_append(out, text_get(&g->out));
  text_append(out, text_get(&walk));
  text_clear(&g->out);
  text_clear(&walk);
}

/* Parameters and bare names that the assumptions allow, by trying. */
static bool choose_world(struct agree *g, const struct valuation *valuation) {
  int64_t params[64] = {0};
  struct text message;
  text_init(&message);
  for (int i = 0; i < TRIES; i++) {
    for (size_t p = 0; p < g->model->params.count && p < 64; p++)
      params[p] = (int64_t)draw(g, i < 500 ? 4 : 9);
    interpreter_free(g->in);
    text_clear(&message);
    g->in = interpreter_new(g->model, params, &message);
    for (int k = 0; g->in != NULL && k < 50; k++) {
      for (size_t c = 0; c < g->model->components.count; c++) {
        g->bares[c] = (int64_t)draw(g, k < 25 ? 10 : 200);
        rational_set_integer(&g->bare_values[c], g->bares[c]);
      }
      const struct assumption *broken;
      memset(g->drawn, 0, sizeof g->drawn);
      memset(g->met, 0, sizeof g->met);
      if (interpreter_assumptions_hold(g->in, valuation, &broken)) {
        text_clear(&message);
        return true;
      }
    }
  }
  text_clear(&message);
  return false;
}

static struct agree agree;

int main(int argc, char **argv) {
  struct agree *g = &agree;
  struct text message;
  text_init(&message);
  struct diagnostics diagnostics;
  diagnostics_init(&diagnostics);
  struct source *source = NULL;
  if (argc != 4 || source_load(&source, argv[1], &message) != STATUS_OK)
    return fprintf(stderr, "agree PROTOCOL STEPS SEED: %s\n", text_get(&message)), 64;
  struct ast *ast = parse(source, &diagnostics);
  struct model *model = check(ast, source, &diagnostics);
  if (model == NULL)
    return fprintf(stderr, "%s: not a protocol\n", argv[1]), 65;
  g->model = model;
  g->random = strtoull(argv[3], NULL, 10) * 2654435761u + 88172645463325252u;
  g->bares = calloc(model->components.count + 1, sizeof *g->bares);
  g->bare_values = calloc(model->components.count + 1, sizeof *g->bare_values);
  for (size_t i = 0; i < model->components.count; i++)
    rational_init(&g->bare_values[i]);
  struct valuation valuation = {.term = term_value, .bare = bare_value, .context = g};
  struct text out;
  text_init(&out);
  text_init(&g->out);
  coq_init(&g->coq, &out, model);
  if (!choose_world(g, &valuation))
    return fprintf(stderr, "%s: no world found that its assumptions allow\n", argv[1]), 65;
  text_append(&out, "From Coq Require Import ZArith List.\nImport ListNotations.\n"
                    "From Theory Require Import Time Syntax.\n\n");
  coq_protocol(&g->coq);
  coq_phases(&g->coq);
  text_append(&out, "From Theory Require Import Meaning Model Denote Observed.\n\n");
  size_t taken = walk(g, strtoul(argv[2], NULL, 10), &valuation);
  print_lengths(g, &out);
  fputs(text_get(&out), stdout);
  fprintf(stderr, "%s: %zu steps, %zu propositions\n", argv[1], taken, g->count);
  return 0;
}
