#ifndef RAFT_LEADER_OWN_H
#define RAFT_LEADER_OWN_H

#include "tp_step.h"

/* What the functions of leader keep beside the variables of the protocol. */
struct leader_own {
  int32_t answers; /* how many have matched, so that no step counts a set */
};

#endif
