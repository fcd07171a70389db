/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tree between compose_parse.c and compose.c.
 */
#ifndef DIST_EVALUATE_COMPOSE_TREE_H
#define DIST_EVALUATE_COMPOSE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/rational.h"
#include "base/vector.h"

enum compose_kind {
  COMPOSE_NAME,
  COMPOSE_CONSTANT,
  COMPOSE_NEVER,
  COMPOSE_SCALE,
  COMPOSE_SUM,
  COMPOSE_MAX,
  COMPOSE_MIN,
  COMPOSE_KTH,
  COMPOSE_MIX,
  COMPOSE_CAP,
  COMPOSE_TIMEOUT,
  COMPOSE_RETRY,
};

struct compose_part {
  struct compose_node *node;
  uint64_t copies; /* >= 1 */
  uint64_t weight; /* of a mixture: its chance is this of the sum of all, at most 2^62 */
};

struct compose_node {
  enum compose_kind kind;
  const char *name;
  struct rational value; /* a constant, a factor, a cap, a limit; in ns but for the factor */
  struct rational pause;
  uint64_t number; /* a rank, attempts */
  bool wait;
  VECTOR(struct compose_part) parts;
};

struct compose {
  struct arena arena;
  VECTOR(struct compose_node *) nodes;
  VECTOR(const char *) names;
  const char *expression;
  const struct compose_node *root;
};

#endif
