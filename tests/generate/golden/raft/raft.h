/* Generated from raft.tp by tailproof generate: all roles. */
#ifndef RAFT_H
#define RAFT_H

#include "tp_step.h"

struct raft_params {
  int32_t f;
};

#define RAFT_FOLLOWER_COUNT(params) (2 * (params)->f)

/*@ predicate raft_valid(struct raft_params *params) =
      tp_int(params->f) && 1 <= RAFT_FOLLOWER_COUNT(params) <= TP_NODES && params->f >= 1; */

#endif
