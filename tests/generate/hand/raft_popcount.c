/* Count of raft's leader, by hand: the size of the set by a table of bits, all of it, since no
 * member lies beyond the last follower. */
#include "raft_leader.h"
#include "tp_lemmas.h"

enum tp_verdict leader_Count(struct leader *self, const struct raft_params *params,
                             struct leader_sends *out, int32_t r) {
  self->matched = tp_set_union(self->matched, tp_set_one(r));
  //@ ghost tp_card_within(self->matched, RAFT_FOLLOWER_COUNT(params));
  const bool quorum = tp_set_size(self->matched) >= params->f;
  out->Write = false;
  out->AppendEntries = tp_set_none();
  out->Reply = quorum && self->durable && !self->committed;
  self->committed = self->committed || out->Reply;
  return TP_DONE;
}
