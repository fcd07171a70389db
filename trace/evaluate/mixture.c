/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/evaluate/mixture.h"

#include <inttypes.h>
#include <string.h>

#include "base/invariant.h"
#include "dist/evaluate/compose.h"
#include "dist/evaluate/evaluate.h"
#include "dist/statistics/chance.h"
#include "dist/statistics/confidence.h"
#include "trace/evaluate/formula.h"

/* --- what there is ---------------------------------------------------------------------------- */

/* The largest value that is not infinite, as a guess of how far the grid has to go. */
static uint64_t largest_of(const struct mixture *mixture) {
  uint64_t largest = 1;
  const struct replayed *replayed = mixture->wish->replayed;
  for (size_t i = 0; i < replayed->after.count; i++)
    if (replayed->after.data[i] != LATENCY_NEVER && (uint64_t)replayed->after.data[i] > largest)
      largest = (uint64_t)replayed->after.data[i];
  return largest;
}

static void add_flow(struct mixture *mixture, const struct flow_variant *variant) {
  struct formula *formula = mem_alloc(1, sizeof *formula);
  formula_make(formula, variant, &mixture->wish->store->names);
  vector_push(&mixture->formulas, formula);
  mixture->leaves += formula->leaves.count;
  if (formula->why_not != NULL)
    mixture->why_not = formula->why_not;
}

void mixture_init(struct mixture *mixture, const struct mixture_wish *wish) {
  *mixture = (struct mixture){.wish = wish,
                              .requests = wish->store->requests.count,
                              .leaves = wish->scenario->samples.count};
  for (size_t i = 0; i < wish->variants->flows.count; i++) {
    const struct flow_variant *variant = &wish->variants->flows.data[i];
    uint64_t requests = variant->flow.requests.count;
    if (i == mixture->formulas.count && i < MIXTURE_FLOWS_MAX && requests >= MIXTURE_REQUESTS_MIN)
      add_flow(mixture, variant);
    else
      mixture->others += requests;
  }
  mixture->grid = *grid_up_to(16 * largest_of(mixture));
  if (mixture->formulas.count == 0)
    mixture->why_not = "no flow has 20 requests";
}

void mixture_clear(struct mixture *mixture) {
  for (size_t i = 0; i < mixture->formulas.count; i++) {
    formula_clear(mixture->formulas.data[i]);
    mem_free(mixture->formulas.data[i]);
  }
  vector_clear(&mixture->formulas);
}

/* --- the law of a flow ------------------------------------------------------------------------ */

/* One evaluation of one flow: the laws of its leaves, each made when it is asked for. */
struct leaf_laws {
  const struct mixture *mixture;
  const struct formula *formula;
  enum survival_side side;
  uint64_t alpha;        /* of each sample */
  struct survival *laws; /* by leaf; without an array: not made yet */
  struct ledger *ledger;
  const struct formula_leaf *leaf; /* that is made */
  VECTOR(struct survival *) made;  /* of names in laws that are composed */
};

static void law_of_sample(struct survival *law, const struct leaf_laws *l,
                          const struct sample *sample) {
  survival_init_side(law, &l->mixture->grid, l->side);
  confidence_band(law, sample, l->alpha, BAND_BOTH);
}

static enum status find_name(void *context, const struct survival **survival, const char *name,
                             struct text *message) {
  struct leaf_laws *l = context;
  (void)message;
  const struct scenario *scenario = l->mixture->wish->scenario;
  const struct scenario_law *law = scenario->laws.data[l->leaf->law];
  size_t i = 0;
  while (strcmp(compose_name(law->compose, i), name) != 0)
    i++;
  size_t sample = law->samples.data[i];
  struct survival *made = mem_alloc(1, sizeof *made);
  law_of_sample(made, l,
                sample == SAMPLE_RECORDED ? &l->leaf->sample
                                          : &scenario->samples.data[sample]->sample);
  vector_push(&l->made, made);
  *survival = made;
  return STATUS_OK;
}

static enum status make_leaf(struct leaf_laws *l, size_t id, struct text *message) {
  struct survival *law = &l->laws[id];
  l->leaf = &l->formula->leaves.data[id];
  const struct scenario *scenario = l->mixture->wish->scenario;
  const struct scenario_law *drawn =
      l->leaf->law == SIZE_MAX ? NULL : scenario->laws.data[l->leaf->law];
  if (drawn == NULL || drawn->is_file) {
    law_of_sample(law, l,
                  drawn == NULL ? &l->leaf->sample
                                : &scenario->samples.data[drawn->samples.data[0]]->sample);
    return STATUS_OK;
  }
  survival_init_side(law, &l->mixture->grid, l->side);
  struct compose_laws laws = {.find = find_name, .context = l};
  return compose_survival(law, drawn->compose, &laws, l->ledger, message);
}

static enum status find_leaf(void *context, size_t *law, const struct survival **survival,
                             const struct occurrence *occurrence, const char *component,
                             struct text *message) {
  struct leaf_laws *l = context;
  (void)component;
  *law = occurrence->id;
  enum status status =
      l->laws[occurrence->id].tail == NULL ? make_leaf(l, occurrence->id, message) : STATUS_OK;
  *survival = &l->laws[occurrence->id];
  return status;
}

static size_t one_group(void *context, const struct occurrence *occurrence) {
  (void)context;
  (void)occurrence;
  return 0;
}

static void clear_leaves(struct leaf_laws *l) {
  for (size_t i = 0; i < l->formula->leaves.count; i++)
    if (l->laws[i].tail != NULL)
      survival_clear(&l->laws[i]);
  for (size_t i = 0; i < l->made.count; i++) {
    survival_clear(l->made.data[i]);
    mem_free(l->made.data[i]);
  }
  vector_clear(&l->made);
  mem_free(l->laws);
}

static void law_of_flow(struct survival *law, const struct mixture *mixture,
                        const struct formula *formula, uint64_t alpha, bool any,
                        struct ledger *ledger) {
  struct leaf_laws l = {
      .mixture = mixture, .formula = formula, .side = law->side, .alpha = alpha, .ledger = ledger};
  l.laws = mem_alloc(formula->leaves.count, sizeof *l.laws);
  struct evaluate_laws laws = {
      .find = find_leaf, .group = any ? one_group : NULL, .context = &l, .jobs = 1};
  struct text message;
  struct ledger details; /* with every activity by name: note() says it in a line */
  text_init(&message);
  ledger_init(&details);
  enum status status =
      evaluate_survival(law, formula->expression, &laws, false, &details, &message);
  ledger_clear(&details);
  if (status != STATUS_OK)
    bug("the law of a flow: %s", text_get(&message));
  text_clear(&message);
  clear_leaves(&l);
}

/* --- the mixture ------------------------------------------------------------------------------ */

/* One part of the mixture: its law, and between which shares it is. */
struct mixed {
  struct survival law;
  uint64_t least, most;
};

/* Other flows: as replayed, or anything. */
static void law_of_others(struct survival *law, const struct mixture *mixture, uint64_t alpha) {
  if (alpha != 0) {
    size_t count = grid_count(&law->grid);
    for (size_t k = 0; k < count; k++)
      law->tail[k] = law->side == SIDE_UPPER ? SURVIVAL_ONE : 0;
    return;
  }
  const struct replayed *replayed = mixture->wish->replayed;
  struct sample sample;
  sample_init(&sample);
  for (size_t f = mixture->formulas.count; f < mixture->wish->variants->flows.count; f++) {
    const struct request_flow *flow = &mixture->wish->variants->flows.data[f].flow;
    for (size_t i = 0; i < flow->requests.count; i++)
      for (size_t k = 0; k < replayed->repetitions; k++) {
        int64_t ns = replayed->after.data[k * replayed->before.count + flow->requests.data[i]];
        if (ns == LATENCY_NEVER)
          sample_add_beyond(&sample, 1);
        else
          sample_add_range(&sample, (uint64_t)ns, (uint64_t)ns, 1);
      }
  }
  sample_finish(&sample);
  if (sample.total != 0)
    confidence_band(law, &sample, 0, BAND_BOTH);
  sample_clear(&sample);
}

static void set_shares(struct mixed *part, uint64_t count, uint64_t all, uint64_t alpha) {
  if (alpha == 0) {
    part->least = survival_share(SIDE_LOWER, count, all);
    part->most = survival_share(SIDE_UPPER, count, all);
    return;
  }
  part->most = count == all ? SURVIVAL_ONE : chance_upper(count, all, alpha);
  part->least = count == 0 ? 0
                           : SURVIVAL_ONE - (count == all ? chance_upper(0, all, alpha)
                                                          : chance_upper(all - count, all, alpha));
}

/* The parts with the greatest tails, or least on the lower side, get what share they can. */
static uint64_t mix_at(const struct mixed *parts, const size_t *order, size_t count, size_t k,
                       enum survival_side side) {
  uint64_t left = SURVIVAL_ONE, tail = 0;
  for (size_t i = 0; i < count; i++)
    left -= parts[i].least < left ? parts[i].least : left;
  for (size_t i = 0; i < count; i++) {
    const struct mixed *part = &parts[order[i]];
    uint64_t room = part->most - part->least, more = room < left ? room : left;
    left -= more;
    tail += survival_product(side, part->least + more, part->law.tail[k]);
  }
  return tail > SURVIVAL_ONE ? SURVIVAL_ONE : tail;
}

/* Insertion: from one point of the grid to the next the order hardly changes. */
static void sort_parts(size_t *order, const struct mixed *parts, size_t count, size_t k,
                       enum survival_side side) {
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j != 0; j--) {
      uint64_t a = parts[order[j - 1]].law.tail[k], b = parts[order[j]].law.tail[k];
      if (side == SIDE_UPPER ? a >= b : a <= b)
        break;
      size_t kept = order[j];
      order[j] = order[j - 1];
      order[j - 1] = kept;
    }
}

static void mix(struct survival *law, const struct mixed *parts, size_t count) {
  size_t order[MIXTURE_FLOWS_MAX + 1];
  for (size_t i = 0; i < count; i++)
    order[i] = i;
  size_t points = grid_count(&law->grid);
  for (size_t k = 0; k < points; k++) {
    sort_parts(order, parts, count, k, law->side);
    uint64_t tail = mix_at(parts, order, count, k, law->side);
    law->tail[k] = k != 0 && tail > law->tail[k - 1] ? law->tail[k - 1] : tail;
  }
}

static void note(const struct mixture *mixture, bool any, struct ledger *ledger) {
  size_t constants = 0, most = 0;
  for (size_t i = 0; i < mixture->formulas.count; i++) {
    const struct formula *formula = mixture->formulas.data[i];
    constants += formula->constants;
    most = formula->leaves.count > most ? formula->leaves.count : most;
  }
  if (constants != 0)
    ledger_note(ledger, LEDGER_DATA,
                "in the law, %zu activities that took the same time in each request always do",
                constants);
  if (!any && most > 1)
    ledger_note(ledger, LEDGER_DIST,
                "in the law that says so, the activities of a request, up to %zu, are independent",
                most);
  ledger_add(ledger, LEDGER_DIST,
             "laws are kept on a grid of 1024 steps per doubling, each step rounded outward");
}

void mixture_law(struct survival *law, const struct mixture *mixture, enum survival_side side,
                 uint64_t alpha, bool any, struct ledger *ledger) {
  size_t flows = mixture->formulas.count;
  struct mixed *parts = mem_alloc(flows + 1, sizeof *parts);
  uint64_t of_shares = alpha == 0 ? 0 : alpha / 2 / (2 * flows + 1);
  uint64_t of_leaves =
      alpha == 0 || mixture->leaves == 0 ? 0 : alpha / 2 / (uint64_t)mixture->leaves;
  for (size_t i = 0; i <= flows; i++)
    survival_init_side(&parts[i].law, &mixture->grid, side);
  for (size_t i = 0; i < flows; i++) {
    law_of_flow(&parts[i].law, mixture, mixture->formulas.data[i], of_leaves, any, ledger);
    set_shares(&parts[i], mixture->wish->variants->flows.data[i].flow.requests.count,
               mixture->requests, of_shares);
  }
  law_of_others(&parts[flows].law, mixture, alpha);
  set_shares(&parts[flows], mixture->others, mixture->requests, of_shares);
  survival_init_side(law, &mixture->grid, side);
  mix(law, parts, flows + 1);
  note(mixture, any, ledger);
  for (size_t i = 0; i <= flows; i++)
    survival_clear(&parts[i].law);
  mem_free(parts);
}
