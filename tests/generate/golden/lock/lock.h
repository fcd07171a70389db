/* Generated from lock.tp by tailproof generate: all roles. */
#ifndef LOCK_H
#define LOCK_H

#include "tp_step.h"

struct lock_params {
  int32_t n;
  int32_t hops;
};

#define LOCK_NODE_COUNT(params) (params)->n

/*@ predicate lock_valid(struct lock_params *params) =
      tp_int(params->n) && tp_int(params->hops) && 1 <= LOCK_NODE_COUNT(params) <= TP_NODES &&
      params->n >= 1 && params->hops >= 0; */

#endif
