/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which rules were used, where, and what that takes for granted: lines of the ledger
 * (evaluation.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dist/evaluate/evaluation.h"

/* How much of a rule's uses is printed. */
enum { PLACES_SHOWN = 2, LABELS_SHOWN = 3, LABELS_KEPT = 64 };

void notes_use(struct evaluation *e, enum rule rule, const struct form *form,
               const struct set *set) {
  struct note *note = &e->notes[rule];
  if (e->conditioned != NULL)
    form = e->conditioned;
  note->is_group = note->is_group || set->is_group;
  size_t i = 0;
  while (i < note->shared.count && note->shared.data[i] != set->shared)
    i++;
  if (set->shared != NULL && i == note->shared.count && i < LABELS_KEPT)
    vector_push(&note->shared, set->shared);
  if (note->last == form)
    return;
  note->last = form;
  note->places++;
  if (note->shown.count == PLACES_SHOWN)
    return;
  struct text text;
  text_init(&text);
  form_print(&text, form);
  vector_push(&note->shown, text_take(&text));
}

void notes_clear(struct evaluation *e) {
  for (size_t rule = 0; rule < RULES; rule++) {
    for (size_t i = 0; i < e->notes[rule].shown.count; i++)
      mem_free(e->notes[rule].shown.data[i]);
    vector_clear(&e->notes[rule].shown);
    vector_clear(&e->notes[rule].shared);
  }
}

/* "A[0], A[1], A[2] and 4 more", "A[0] or a group", "a group" */
static void append_shared(struct text *text, const struct note *note) {
  size_t count = note->shared.count;
  size_t shown = count <= LABELS_SHOWN + 1 ? count : LABELS_SHOWN;
  for (size_t i = 0; i < shown; i++)
    text_format(text, "%s%s", i == 0 ? "" : ", ", note->shared.data[i]->label);
  if (shown < count)
    text_format(text, " and %s%zu more", count == LABELS_KEPT ? "at least " : "", count - shown);
  if (note->is_group)
    text_append(text, count == 0 ? "a group" : " or a group");
}

static void append_places(struct text *text, const struct note *note) {
  for (size_t i = 0; i < note->shown.count; i++)
    text_format(text, "%s%s", i == 0 ? "in " : " and in ", note->shown.data[i]);
  if (note->shown.count < note->places)
    text_format(text, ", and %zu more", note->places - note->shown.count);
}

static void add_rule(const struct evaluation *e, enum rule rule, struct ledger *ledger) {
  const struct note *note = &e->notes[rule];
  if (note->places == 0)
    return;
  bool is_upper = e->laws.side == SIDE_UPPER;
  const char *moved = is_upper ? "raise" : "lower";
  struct text shared, places;
  text_init(&shared);
  text_init(&places);
  append_shared(&shared, note);
  append_places(&places, note);
  if (rule == RULE_ASSOCIATION)
    ledger_add(ledger, LEDGER_DIST,
               "parts of a %s that share %s are treated as independent: by association of "
               "non-decreasing functions this can only %s the percentiles; %s",
               is_upper ? "maximum" : "minimum", text_get(&shared), moved, text_get(&places));
  else if (rule == RULE_APART)
    ledger_add(ledger, LEDGER_DIST,
               "parts of a %s that share %s are split: the %s of what each adds alone plus the %s "
               "of what they share, which can only %s the percentiles%s; %s",
               is_upper ? "maximum" : "minimum", text_get(&shared),
               is_upper ? "largest" : "smallest", is_upper ? "largest" : "smallest", moved,
               e->notes[RULE_ASSOCIATION].places == 0 ? ""
                                                      : " (the better of this and of association)",
               text_get(&places));
  else if (rule == RULE_JOINT)
    ledger_add(ledger, LEDGER_DIST,
               "what shares %s is bounded for any joint law of its parts, which can only %s the "
               "percentiles; %s",
               text_get(&shared), moved, text_get(&places));
  else if (rule == RULE_COUNTED)
    ledger_add(ledger, LEDGER_DIST,
               "parts of an order statistic that share %s are counted together, and the others "
               "independently of them; %s",
               text_get(&shared), text_get(&places));
  else
    ledger_add(
        ledger, LEDGER_DIST,
        "what depends on %s is computed for each of up to 64 ranges of its values, rounded %s "
        "(or bounded for any joint law, where that is better); %s",
        text_get(&shared), is_upper ? "up" : "down", text_get(&places));
  text_clear(&shared);
  text_clear(&places);
}

/* The draws of one component. */
struct use {
  const char *component;
  uint64_t draws, bare_mentions;
};

struct uses {
  VECTOR(struct use) list;
  uint64_t draws;
  size_t clusters;                             /* sets of draws independent of each other */
  VECTOR(const struct occurrence *) in_groups; /* one of each group of several draws */
};

static uint64_t plus(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void add_use(struct uses *uses, const char *component, uint64_t draws, bool is_bare) {
  size_t i = 0;
  while (i < uses->list.count && strcmp(uses->list.data[i].component, component) != 0)
    i++;
  if (i == uses->list.count)
    vector_push(&uses->list, (struct use){component, 0, 0});
  struct use *use = &uses->list.data[i];
  use->draws = plus(use->draws, draws);
  use->bare_mentions = plus(use->bare_mentions, is_bare ? draws : 0);
  uses->draws = plus(uses->draws, draws);
}

static uint64_t draws_of(const struct addend *addend) {
  int64_t draws = 1;
  if (addend->atom->kind == ATOM_BARE && rational_is_integer(addend->coefficient))
    rational_floor(&draws, addend->coefficient);
  return (uint64_t)draws;
}

/* mentions[atom id] += those in the form, `times` over. */
static void mention(uint64_t *mentions, const struct form *form, uint64_t times) {
  for (size_t i = 0; i < form->count; i++) {
    uint64_t more, draws = draws_of(&form->addends[i]);
    if (__builtin_mul_overflow(draws, times, &more))
      more = UINT64_MAX;
    size_t id = form->addends[i].atom->id;
    mentions[id] = plus(mentions[id], more);
  }
}

/* Only the first draw of a group adds to the clusters. */
static void count_cluster(const struct evaluation *e, struct uses *uses, size_t *sizes,
                          const struct occurrence *occurrence) {
  size_t id = occurrence->id;
  size_t group = id < e->groups.count && e->groups.data[id] > 1 ? e->groups.data[id] - 1 : 0;
  if (group == 0 || sizes[group] == 0)
    uses->clusters++;
  if (group != 0 && ++sizes[group] == 2)
    vector_push(&uses->in_groups, occurrence);
}

/* Atoms are older than what is made of them: from the newest down, all mentions of one are known
 * when it comes up. */
static void collect_uses(const struct evaluation *e, struct uses *uses, const struct form *form) {
  const struct form_table *forms = &e->forms;
  uint64_t *mentions = mem_alloc(forms->atoms.count, sizeof *mentions), bare = 0;
  size_t *sizes = mem_alloc(e->group_names.count + 1, sizeof *sizes);
  mention(mentions, form, 1);
  for (size_t i = forms->atoms.count; i-- > 0;) {
    const struct atom *atom = forms->atoms.data[i];
    if (mentions[i] == 0)
      continue;
    for (size_t j = 0; j < atom->part_count; j++)
      mention(mentions, atom->parts[j], mentions[i]);
    if (atom->kind == ATOM_OCCURRENCE) {
      add_use(uses, atom->occurrence->component, 1, false);
      count_cluster(e, uses, sizes, atom->occurrence);
    } else if (atom->kind == ATOM_BARE) {
      add_use(uses, atom->component, mentions[i], true);
      bare = plus(bare, mentions[i]);
    }
  }
  uses->clusters += e->source->together_bare && bare > 0 ? 1 : bare;
  mem_free(sizes);
  mem_free(mentions);
}

static int compare_uses(const void *left, const void *right) {
  return strcmp(((const struct use *)left)->component, ((const struct use *)right)->component);
}

static void append_groups(struct text *text, const struct evaluation *e, const struct uses *uses) {
  size_t count = uses->in_groups.count;
  size_t shown = count <= LABELS_SHOWN ? count : LABELS_SHOWN;
  if (count != 0)
    text_format(text, "%zu group%s of draws (with ", count, count == 1 ? "" : "s");
  for (size_t i = 0; i < shown; i++)
    text_format(text, "%s%s", i == 0 ? "" : ", ", uses->in_groups.data[i]->label);
  if (count != 0)
    text_append(text, shown < count ? ", ...)" : ")");
  if (e->source->together_bare && e->fresh)
    text_format(text, "%sthe draws of bare names", count == 0 ? "" : " and ");
}

static void add_independence(const struct evaluation *e, const struct uses *uses,
                             struct ledger *ledger) {
  struct text list, groups;
  text_init(&list);
  text_init(&groups);
  for (size_t i = 0; i < uses->list.count; i++)
    text_format(&list, "%s%s (%" PRIu64 ")", i == 0 ? "" : ", ", uses->list.data[i].component,
                uses->list.data[i].draws);
  append_groups(&groups, e, uses);
  if (uses->clusters > 1)
    ledger_note(
        ledger, LEDGER_DIST,
        "independence: the %" PRIu64 " draws of %s are independent, between components and "
        "within each%s%s",
        uses->draws, text_get(&list),
        groups.length == 0 ? "" : ", except within the groups named here: ", text_get(&groups));
  if (uses->draws > 1 && groups.length != 0)
    ledger_add(ledger, LEDGER_DIST,
               "any joint law: within %s the draws may depend on each other in any way",
               text_get(&groups));
  if (uses->draws > 0)
    ledger_add(ledger, LEDGER_DIST, "every occurrence of %s follows the law measured for it",
               text_get(&list));
  text_clear(&list);
  text_clear(&groups);
}

static void add_fresh(const struct uses *uses, struct ledger *ledger) {
  for (size_t i = 0; i < uses->list.count; i++) {
    const struct use *use = &uses->list.data[i];
    if (use->bare_mentions != 0)
      ledger_note(ledger, LEDGER_DIST,
                  "--fresh: each of the %" PRIu64 " mentions of %s is drawn anew; no proof covers "
                  "this, the bound only says that no occurrence exceeds %s",
                  use->bare_mentions, use->component, use->component);
  }
}

static void add_rounding(const struct evaluation *e, const struct law *law, struct ledger *ledger) {
  const struct grid *grid = &e->laws.grid;
  const char *way = e->laws.side == SIDE_UPPER ? "up" : "down";
  if (grid_is_linear(grid)) {
    double step = (double)(UINT64_C(1) << grid->shift);
    ledger_add(ledger, LEDGER_DIST,
               "latencies are rounded %s to multiples of %.0f ns, at most %" PRIu64
               " of them in all (%.4g ms); probabilities are exact to one unit of 10^-18 per "
               "operation, rounded %s",
               way, step, law->steps, (double)law->steps * step / 1e6, way);
    return;
  }
  double sub_count = (double)(UINT64_C(1) << grid->sub_bits);
  double percent = 100 * expm1((double)law->depth * log1p(1 / sub_count));
  ledger_add(ledger, LEDGER_DIST,
             "latencies are rounded %s to a grid of %.0f steps per doubling, at most %.2f %% in "
             "all; probabilities are exact to one unit of 10^-18 per operation, rounded %s",
             way, sub_count, ceil(100 * percent) / 100, way);
}

void notes_add(const struct evaluation *e, const struct form *form, const struct law *law,
               struct ledger *ledger) {
  struct uses uses = {0};
  collect_uses(e, &uses, form);
  if (uses.list.count != 0)
    qsort(uses.list.data, uses.list.count, sizeof *uses.list.data, compare_uses);
  add_independence(e, &uses, ledger);
  for (enum rule rule = 0; rule < RULES; rule++)
    add_rule(e, rule, ledger);
  add_fresh(&uses, ledger);
  add_rounding(e, law, ledger);
  vector_clear(&uses.list);
  vector_clear(&uses.in_groups);
}
