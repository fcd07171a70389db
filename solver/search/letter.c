/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/letter.h"

#include <stdlib.h>
#include <string.h>

/* Longer chains of idle steps than any schedule has slots are not followed. */
enum { CHAIN_MAX = 256 };

struct chain {
  struct letters *letters;
  struct interpreter *interpreter;
  const struct world *start;
  step_vector idle;
  size_t laps, laps_max;
};

static bool is_idle(const struct interpreter *in, const struct step *step) {
  return in->idles[step->action->id];
}

static void add_letter(struct letters *letters, const step_vector *idle, size_t laps,
                       const struct step *last) {
  struct letter made = {.first = letters->steps.count, .count = idle->count + 1, .laps = laps};
  for (size_t i = 0; i < idle->count; i++)
    vector_push(&letters->steps, idle->data[i]);
  vector_push(&letters->steps, *last);
  vector_push(&letters->items, made);
}

static bool is_back(const struct chain *chain, const struct world *world) {
  return memcmp(world->cells, chain->start->cells,
                chain->interpreter->cell_count * sizeof *world->cells) == 0;
}

static void extend(struct chain *chain, struct world *world, const struct step *idle);

/* What the node of the chain can do after it. */
static void extend_further(struct chain *chain, struct world *world) {
  struct step node = chain->idle.data[0];
  step_vector steps = {0};
  step_list_node(&steps, world, node.action->role, node.node);
  for (size_t i = 0; i < steps.count; i++)
    if (!is_idle(chain->interpreter, &steps.data[i]))
      add_letter(chain->letters, &chain->idle, chain->laps, &steps.data[i]);
  for (size_t i = 0; i < steps.count; i++)
    if (is_idle(chain->interpreter, &steps.data[i]))
      extend(chain, world, &steps.data[i]);
  vector_clear(&steps);
}

static void extend(struct chain *chain, struct world *world, const struct step *idle) {
  struct world *after = world_copy(world);
  size_t laps = chain->laps;
  if (chain->idle.count < CHAIN_MAX && step_take(after, idle, NULL, NULL) == STEP_TAKEN) {
    chain->laps += is_back(chain, after);
    vector_push(&chain->idle, *idle);
    if (chain->laps <= chain->laps_max)
      extend_further(chain, after);
    else
      chain->letters->cut = true;
    chain->idle.count--;
  }
  chain->laps = laps;
  world_free(after);
}

static int compare_letters(const void *a, const void *b) {
  const struct letter *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

void letters_list(struct letters *letters, struct world *world, size_t laps_max, bool lazy,
                  const struct role *also_idle) {
  struct interpreter *in = world->interpreter;
  struct chain chain = {
      .letters = letters, .interpreter = in, .start = world, .laps_max = laps_max};
  step_vector steps = {0};
  step_list(&steps, world);
  for (size_t i = 0; i < steps.count; i++) {
    bool idle = is_idle(in, &steps.data[i]);
    if (!idle || !lazy || steps.data[i].action->role == also_idle)
      add_letter(letters, &chain.idle, 0, &steps.data[i]);
    if (idle && lazy)
      extend(&chain, world, &steps.data[i]);
  }
  if (letters->items.count != 0)
    qsort(letters->items.data, letters->items.count, sizeof *letters->items.data, compare_letters);
  vector_clear(&steps);
  vector_clear(&chain.idle);
}

void letters_clear(struct letters *letters) {
  vector_clear(&letters->steps);
  vector_clear(&letters->items);
}
