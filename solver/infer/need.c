/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/need.h"

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
  size_t total = proof->properties.items.count;
  if (proof->uses == NULL || proof->missing_bound)
    return false;
  bool *all = mem_alloc(total, sizeof *all);
  for (size_t i = 0; i < total; i++)
    all[i] = proof->of_use[i];
  while (spread(all, proof))
    ;
  for (size_t i = 0; i < count; i++)
    needed[i] = all[total - count + i];
  mem_free(all);
  return true;
}
