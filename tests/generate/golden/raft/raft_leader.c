/* Generated from raft.tp by tailproof generate: role leader. */
#include "raft_leader.h"

void leader_init(struct leader *self, const struct raft_params *params) {
  (void)params;
  self->proposed = false;
  self->durable = false;
  self->matched = tp_set_none();
  self->committed = false;
}

enum tp_verdict leader_Propose(struct leader *self, const struct raft_params *params,
                               struct leader_sends *out) {
  out->Write = false;
  out->AppendEntries = tp_set_none();
  out->Reply = false;
  if (self->proposed)
    return TP_DISABLED;
  self->proposed = true;
  out->Write = true;
  out->AppendEntries = tp_set_all(RAFT_FOLLOWER_COUNT(params));
  return TP_DONE;
}

enum tp_verdict leader_Own(struct leader *self, const struct raft_params *params,
                           struct leader_sends *out) {
  out->Write = false;
  out->AppendEntries = tp_set_none();
  out->Reply = false;
  self->durable = true;
  if (tp_set_count(self->matched, RAFT_FOLLOWER_COUNT(params)) >= params->f) {
    self->committed = true;
    out->Reply = true;
  }
  return TP_DONE;
}

enum tp_verdict leader_Count(struct leader *self, const struct raft_params *params,
                             struct leader_sends *out, int32_t r) {
  out->Write = false;
  out->AppendEntries = tp_set_none();
  out->Reply = false;
  self->matched = tp_set_union(self->matched, tp_set_one(r));
  if (self->durable && !self->committed &&
      tp_set_count(self->matched, RAFT_FOLLOWER_COUNT(params)) >= params->f) {
    self->committed = true;
    out->Reply = true;
  }
  return TP_DONE;
}
