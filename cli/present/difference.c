/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/difference.h"

#include <math.h>
#include <stdio.h>

/* An infinite one is told to people alone. */
static void put_mean(struct objects *objects, const char *key, double ns) {
  object_mean(objects, key, ns);
  if (isinf(ns))
    object_words(objects, key, "%sinfinite", ns < 0 ? "-" : "");
}

void object_difference(struct objects *objects, const struct tail_difference *d) {
  put_mean(objects, "slow_ns", d->slow);
  put_mean(objects, "rest_ns", d->rest);
  put_mean(objects, "difference_ns", d->difference);
  object_mean(objects, "least_ns", d->least);
  object_mean(objects, "most_ns", d->most);
}

void object_share(struct objects *objects, const char *key, const struct tail_share *share) {
  char name[40];
  snprintf(name, sizeof name, "%s.count", key);
  object_count(objects, name, share->count);
  snprintf(name, sizeof name, "%s.of", key);
  object_count(objects, name, share->of);
  snprintf(name, sizeof name, "%s.least", key);
  object_number(objects, name, share->least);
  snprintf(name, sizeof name, "%s.most", key);
  object_number(objects, name, share->most);
}
