/* Raft's leader, by hand: it keeps the number of answers instead of counting a set at each one. */
#include "raft_leader.h"
#include "tp_lemmas.h"

void leader_init(struct leader *self, const struct raft_params *params) {
  self->proposed = false;
  self->durable = false;
  self->matched = tp_set_none();
  self->committed = false;
  self->own.answers = tp_set_count(self->matched, RAFT_FOLLOWER_COUNT(params));
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
  self->durable = true;
  out->Reply = self->own.answers >= params->f;
  if (out->Reply)
    self->committed = true;
  return TP_DONE;
}

enum tp_verdict leader_Count(struct leader *self, const struct raft_params *params,
                             struct leader_sends *out, int32_t r) {
  const tp_set matched = tp_set_union(self->matched, tp_set_one(r));
  //@ ghost tp_card_with(self->matched, matched, r, RAFT_FOLLOWER_COUNT(params));
  //@ ghost tp_card_full(matched, RAFT_FOLLOWER_COUNT(params));
  if (!tp_set_has(self->matched, r))
    self->own.answers++;
  self->matched = matched;
  out->Write = false;
  out->AppendEntries = tp_set_none();
  out->Reply = false;
  if (self->committed || !self->durable || self->own.answers < params->f)
    return TP_DONE;
  out->Reply = self->committed = true;
  return TP_DONE;
}
