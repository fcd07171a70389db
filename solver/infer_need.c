/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer_need.h"

/* Whether something more is needed by what is. */
static bool spread(bool *needed, const struct proof *proof) {
  size_t count = proof->properties.items.count;
  bool more = false;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; needed[i] && j < count; j++)
      if (proof->uses[i * count + j] && !needed[j])
        needed[j] = more = true;
  return more;
}

bool infer_need(bool *needed, const struct proof *proof, size_t count) {
  const struct properties *p = &proof->properties;
  if (p->phase_count != 0 || proof->uses == NULL)
    return false;
  bool *all = mem_alloc(p->items.count, sizeof *all), good = true;
  for (size_t i = 0; i < p->items.count && good; i++) {
    all[i] = p->items.data[i].kind == PROPERTY_BOUND;
    good = !all[i] || !proof->failed[i];
  }
  while (good && spread(all, proof))
    ;
  for (size_t i = 0; i < count && good; i++)
    needed[i] = all[p->items.count - count + i];
  mem_free(all);
  return good;
}
